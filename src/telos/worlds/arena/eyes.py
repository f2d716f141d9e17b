"""What a fighter sees: enemies in view or gone out of it, guns, grenades, comrades, and doors ahead."""

from collections.abc import Iterable, Iterator

from telos.agents.memory import Fact, WorkingMemory
from telos.core.frozen import FrozenMap
from telos.worlds.arena.arena import Arena
from telos.worlds.arena.duties import file_kept
from telos.worlds.arena.facts import fact, fallen, gone
from telos.worlds.arena.fighter import Fighter

EARSHOT = 20.0  # metres within which comrades keep track of each other
NOTICES_GRENADES = 20.0  # metres
NOTICES_DOORS = 12.0  # metres at which one sees that a door is shut
EMPTY_HANDED = 3.0  # metres from where an enemy was thought to be, at which one is sure that it is not there


class Eyes:
    """Enemies in view, those that have gone out of it, who is aiming this way, and grenades on the floor."""

    cost = 4.0

    def __init__(self, arena: Arena) -> None:
        self._arena = arena

    def read(self, who: str, memory: WorkingMemory, now: float) -> Iterable[Fact]:
        """Return what is seen, and what is no longer seen."""
        fighter = self._arena.fighter(who)
        for other in self._arena.opponents(who):
            yield from self._enemy(fighter, other, memory, now)
        aiming = self._arena.aimed_at_by(who)
        if aiming:
            yield fact("aimed_at", "me", now, by=aiming[0])
        for grenade in self._arena.grenades():
            there = (grenade.x, grenade.y)
            if fighter.distance_to(there) > NOTICES_GRENADES or not self._arena.has_in_view(who, there):
                continue
            if self._arena.line(fighter.position, there):
                yield fact("grenade", grenade.name, now, x=round(grenade.x, 1), y=round(grenade.y, 1))
        yield from self._comrades(fighter, memory, now)
        yield from self._door_ahead(fighter, now)

    def _door_ahead(self, fighter: Fighter, now: float) -> Iterator[Fact]:
        """Yield that the way one is on leads through a shut door, as soon as one sees it."""
        door = self._arena.door_on_the_way(fighter.name)
        if door is not None and fighter.distance_to(self._arena.place_of(door)) <= NOTICES_DOORS:
            yield fact("barrier", door, now, kind="door", locked=False)

    def _enemy(self, fighter: Fighter, other: Fighter, memory: WorkingMemory, now: float) -> Iterator[Fact]:
        known = memory.recall("enemy", other.name, now)
        if not other.alive:
            if known is not None and known["alive"] and self._arena.line(fighter.position, other.position):
                yield fallen(other, now)
        elif self._arena.sees(fighter.name, other.name):
            # Half a metre is near enough to aim, and keeps a still enemy from being news at every look.
            x, y = round(other.x * 2) / 2, round(other.y * 2) / 2
            yield fact("enemy", other.name, now, x=x, y=y, seen=True, sure=True, alive=True)
            yield fact("contact", "me", now)
        elif known is not None and known["alive"]:
            there = (known["x"], known["y"])
            if fighter.distance_to(there) <= EMPTY_HANDED and self._arena.line(fighter.position, there):
                yield gone("enemy", other.name, now)
            elif known["seen"]:
                yield Fact(
                    "enemy", other.name, known.time, known.confidence, FrozenMap({**known.attributes, "seen": False})
                )

    def _comrades(self, fighter: Fighter, memory: WorkingMemory, now: float) -> Iterator[Fact]:
        yield from file_kept(self._arena, fighter, memory, now)
        for other in self._arena.comrades(fighter.name):
            if other.alive and fighter.distance_to(other.position) <= EARSHOT:
                yield fact("ally", other.name, now, rank=other.rank, hurt=other.health < 40)
