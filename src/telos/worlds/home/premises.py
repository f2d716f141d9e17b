"""The house as it stands: its plan, the things in it, what they offer, and where each of them is used."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache

from telos.core.domain import Domain
from telos.core.errors import TelosError
from telos.worlds.home import house
from telos.worlds.home.floor import Cell, FloorPlan, beside
from telos.worlds.home.places import Places


class Premises:
    """A floor plan and the things on it. A house with one more thing in it is another one."""

    def __init__(self, plan: FloorPlan, things: Sequence[house.Thing], names: Sequence[str]) -> None:
        self.plan, self.names = plan, tuple(names)
        self.things = {thing.name: thing for thing in things}
        self.domain = Domain(
            "home",
            variables=house.PERSON,
            actions=[house.POTTER.action],
            goals=house.MOTIVES,
            objects=[thing.posted for thing in things],
            handles={"person": self.names},
        )
        self.places = Places(plan, things)
        posted = [
            replace(deed, action=action)  # under its long name
            for thing in things
            for action, deed in zip(thing.posted.actions, thing.deeds, strict=True)
        ]
        self.deeds = {deed.action.name: deed for deed in (house.POTTER, *posted)}

    @classmethod
    def furnished(cls, names: Sequence[str]) -> "Premises":
        """Return the house as its designer wrote it, with a bed for everybody."""
        beds = [house.bed_of(name, str(number)) for number, name in enumerate(names, start=1)]
        return cls(_floor_plan(), (*house.THINGS, *beds, *map(house.company_of, names)), names)

    def with_thing(self, thing: house.Thing, cell: Cell) -> "Premises":
        """Return the house with one more thing, which stands on one cell of the floor.

        >>> from telos.worlds.home.extras import second_fridge
        >>> one = Premises.furnished(["Ada"])
        >>> two = one.with_thing(second_fridge(), (1, 17))
        >>> two.places.of["second_fridge"], "second_fridge.get-snack" in two.deeds, len(two.things) - len(one.things)
        (((2, 17),), True, 1)
        """
        rows = [list(row) for row in self.plan.rows]
        row, column = cell
        rows[row][column] = thing.symbol
        plan = FloorPlan("\n".join("".join(marks) for marks in rows))
        return Premises(plan, (*self.things.values(), thing), self.names)

    def room_for_a_thing(self, room: str, avoid: Collection[Cell]) -> Cell:
        """Return a cell along a wall of ``room`` where a thing is least in the way, and on none of ``avoid``."""
        plan = self.plan
        if room not in plan.labels.values():
            raise TelosError(f"there is no room {room!r}", f"known: {', '.join(sorted(plan.labels.values()))}")
        taken = {place for places in self.places.of.values() for place in places} | set(avoid)
        free = [
            (row, column)
            for row, column in sorted(plan.floor - plan.doors - taken)
            if plan.room((row, column)) == room
            and (row - 1, column) in plan.walls
            and (row + 1, column) in plan.floor
            and not any(near in plan.doors for near in beside((row, column)))
        ]
        if not free:
            raise TelosError(f"there is no room along the walls of the {room}", "wait until somebody has moved")
        others = [*plan.seats, *plan.doors]
        return max(free, key=lambda cell: min(abs(cell[0] - row) + abs(cell[1] - col) for row, col in others))


@cache
def _floor_plan() -> FloorPlan:
    """Read the drawing once: the ways that one house has found serve every other."""
    return FloorPlan(house.PLAN)
