"""Who may be where: each place has room for one, and is held from the moment somebody sets out for it."""

import math
from collections.abc import Iterable

from telos.worlds.home.floor import Cell, FloorPlan
from telos.worlds.home.house import PACE, Thing


class Places:
    """The places at which things are used, and who holds each of them."""

    def __init__(self, plan: FloorPlan, things: Iterable[Thing]) -> None:
        self.plan = plan
        self.of = {thing.name: self._of(thing) for thing in things}
        self._holder: dict[Cell, str] = {}
        used = {place for places in self.of.values() for place in places}
        self._aside: dict[str, tuple[Cell, ...]] = {}
        for cell in sorted(plan.floor - plan.doors - used):
            room = plan.room(cell)
            self._aside[room] = (*self._aside.get(room, ()), cell)

    def _of(self, thing: Thing) -> tuple[Cell, ...]:
        if not thing.symbol:
            return ()  # a person, who is met wherever they are
        cells = self.plan.cells(thing.symbol)
        return cells if thing.sit else self.plan.next_to(cells)[:1]

    def clear(self) -> None:
        """Let go of every place."""
        self._holder.clear()

    def take_over(self, others: "Places") -> None:
        """Let everybody keep what they hold in ``others``."""
        self._holder = dict(others._holder)

    def hold(self, place: Cell, person: str) -> None:
        """Keep ``place`` for ``person`` until it is let go."""
        self._holder[place] = person

    def let_go(self, person: str) -> None:
        """Free whatever ``person`` holds."""
        self._holder = {place: holder for place, holder in self._holder.items() if holder != person}

    def is_free(self, place: Cell, person: str) -> bool:
        """Whether ``person`` may have ``place``: nobody else holds it."""
        return self._holder.get(place, person) == person

    def nearest(self, person: str, here: Cell, places: Iterable[Cell]) -> tuple[Cell, int] | None:
        """Return the nearest of ``places`` that ``person`` may have, and the minutes it takes to walk there."""
        best: tuple[int, Cell] | None = None
        for place in places:
            steps = self.plan.steps(here, place) if self.is_free(place, person) else None
            if steps is not None and (best is None or steps < best[0]):
                best = steps, place
        return None if best is None else (best[1], math.ceil(best[0] / PACE))

    def aside(self, here: Cell, person: str) -> tuple[Cell, ...]:
        """Return where one is in nobody's way: right here, or the floor of this room where nothing is used."""
        everywhere = (cell for cells in self._aside.values() for cell in cells)
        standing = self._aside.get(self.plan.room(here)) or tuple(everywhere)  # nobody may stay in a doorway
        return (here,) if here in standing and self.is_free(here, person) else standing
