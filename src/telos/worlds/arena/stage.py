"""Everything in an arena that changes, and the questions about it that bodies ask all the time."""

from collections.abc import Sequence
from random import Random

from telos.core.event import Event
from telos.core.values import Value
from telos.worlds.arena.fighter import Act, Fighter, Placed
from telos.worlds.arena.grid import Cell, Point, cell_of
from telos.worlds.arena.map import ArenaMap, Node
from telos.worlds.arena.navigation import Navigator
from telos.worlds.arena.outcomes import DONE, ActOutcome, OutcomeKind, failed
from telos.worlds.arena.rules import LOUD, TICKS_A_SECOND
from telos.worlds.arena.sight import Sight
from telos.worlds.arena.things import Door, Grenade, ThingPlaced
from telos.worlds.arena.views import ShotView


class Stage:
    """The bodies and things on a map at one moment; animations, uses and walks are carried out on it."""

    def __init__(
        self,
        map: ArenaMap,
        navigator: Navigator,
        sight: Sight,
        cast: Sequence[Placed],
        things: Sequence[ThingPlaced],
        seed: int,
    ) -> None:
        self.map, self.navigator, self.sight = map, navigator, sight
        self.fighters = {placed.name: Fighter.made(placed, index) for index, placed in enumerate(cast)}
        self.things = {thing.name: thing for thing in things}
        self.doors = {name: Door(name, door.cell, map.door_starts[name]) for name, door in map.doors.items()}
        self.used_up: set[str] = set()
        self.broken: set[str] = set()
        self.dark = set(map.dark)
        self.grenades: list[Grenade] = []
        self.thrown = 0  # grenades so far
        self.rng = Random(seed)
        self.tick = 0
        self.events: list[Event] = []
        self.shots: list[ShotView] = []
        self.dying: dict[str, str] = {}  # who will be dead at the end of this step, and by whom
        self.fear: dict[str, float] = {}  # by how much this step suppresses each
        self.note_bodies_and_doors()

    def note_bodies_and_doors(self) -> None:
        """Work out what is only kept for speed: which bodies are in each cell, and which doors are shut."""
        # Bodies look round in the cells near them, never through the whole cast: a crowd of 500 costs no more each.
        self.bodies: dict[Cell, dict[str, Fighter]] = {}
        for fighter in self.fighters.values():
            fighter.cell = cell_of(fighter.position)
            if fighter.alive:
                self.bodies.setdefault(fighter.cell, {})[fighter.name] = fighter
        self.shut = {door.cell for door in self.doors.values() if door.is_shut}

    @property
    def time(self) -> float:
        """Return the seconds since the start."""
        return self.tick / TICKS_A_SECOND

    def tell(self, action: str, player: str, point: Point, **context: Value) -> None:
        """Put an event on record; it is heard as far as its kind is loud."""
        about = {"x": point[0], "y": point[1], "loud": LOUD.get(action, 0.0), **context}
        self.events.append(Event(action, about, player=player, time=self.time))

    def move(self, fighter: Fighter, point: Point) -> None:
        """Put a living body somewhere."""
        fighter.x, fighter.y = point
        cell = cell_of(point)
        if cell != fighter.cell:
            self.bodies[fighter.cell].pop(fighter.name)
            self.bodies.setdefault(cell, {})[fighter.name] = fighter
            fighter.cell = cell

    def bury(self, fighter: Fighter) -> None:
        """Take a body out of the way."""
        fighter.alive, fighter.health = False, 0.0
        self.leave(fighter, failed("dead"))
        self.bodies[fighter.cell].pop(fighter.name)

    def leave(self, fighter: Fighter, outcome: ActOutcome = DONE) -> None:
        """End whatever a fighter is doing."""
        act, fighter.act = fighter.act, None
        fighter.status = "done" if outcome.kind is OutcomeKind.DONE else "failed"
        fighter.outcome = outcome
        if act is not None and act.state == "use":
            door = self.doors.get(act.target)
            if door is not None and door.held_by == fighter.name:
                door.held_by = None
            if act.way:  # broken off half-way through a window or under an obstacle: it ends on one of the two sides
                self.move(fighter, min(act.way, key=fighter.distance_to))

    def near(self, point: Point, radius: float) -> list[Fighter]:
        """Return the living within ``radius`` metres of a point, in the order of the cast."""
        x, y = point
        found = [
            fighter
            for column in range(int(x - radius), int(x + radius) + 1)
            for row in range(int(y - radius), int(y + radius) + 1)
            for fighter in self.bodies.get((column, row), {}).values()
            if fighter.distance_to(point) <= radius
        ]
        return sorted(found, key=lambda fighter: fighter.index)  # not in the order of coming, which a save would lose

    def line(self, one: Point, other: Point) -> bool:
        """Whether one point is seen from the other, by its cell."""
        return self.sight.line(cell_of(one), cell_of(other), self.shut)

    def node_of(self, fighter: Fighter) -> Node | None:
        """Return the node that a body stands at, if it does."""
        node = self.map.at.get(fighter.cell)
        return node if node is not None and node.name in self.map.nodes else None

    def cover_of(self, fighter: Fighter) -> Node | None:
        """Return the cover node that a body keeps still at, if it does."""
        node = self.map.at.get(fighter.cell)
        if node is None or node.kind != "cover" or fighter.is_walking:
            return None
        return node

    def in_the_dark(self, fighter: Fighter) -> bool:
        """Whether a body is in a dark room."""
        return bool(self.dark) and self.map.room_at(fighter.position) in self.dark

    def set_door(self, door: Door, state: str) -> None:
        """Open, close or lock a door."""
        door.state = state
        if door.is_shut:
            self.shut.add(door.cell)
        else:
            self.shut.discard(door.cell)

    def place_of(self, name: str) -> Point:
        """Return where a fighter, node, fixture or thing is."""
        if name in self.fighters:
            return self.fighters[name].position
        if name in self.things:
            return self.things[name].x, self.things[name].y
        return (self.map.nodes.get(name) or self.map.fixtures[name]).position

    def aim_of(self, act: Act) -> Point:
        """Return the point that an act is aimed at: where the fighter is that it names, or the place."""
        return self.fighters[act.target].position if act.target in self.fighters else (act.x, act.y)
