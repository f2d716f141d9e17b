"""Mutable state of an arena (`ArenaState`), saving and restoring it, and building views of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from random import Random
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.values import Value
from telos.files import (
    Count,
    Finite,
    Items,
    NonNegative,
    Row,
    SavedValue,
    SnapshotModel,
    SnapshotPart,
    unchanged_on_error,
)
from telos.files.restoring import Point as SavedPoint
from telos.files.restoring import RandomState, SnapshotCheck, read_random, save_random
from telos.worlds.arena.sim.constants import FUSE_TICKS, LOUDNESS, TICKS_A_SECOND, WEAPONS
from telos.worlds.arena.sim.fighter import Act, Ammunition, Door, Fighter, FighterPlacement, Grenade, ThingPlacement
from telos.worlds.arena.sim.map import ArenaMap, Cell, LineOfSight, MapNode, Point, cell_centre, cell_of
from telos.worlds.arena.sim.navigation import Navigator
from telos.worlds.arena.sim.outcomes import DONE, ActOutcome, OutcomeKind, failed, saved_outcomes
from telos.worlds.arena.sim.views import ArenaView, DoorView, ExpectedDamage, FighterView, GrenadeView, ShotView


class ArenaState:
    """Fighters and things on a map at one moment; animations, uses and walks change it."""

    def __init__(
        self,
        map: ArenaMap,
        navigator: Navigator,
        sight: LineOfSight,
        cast: Sequence[FighterPlacement],
        things: Sequence[ThingPlacement],
        seed: int,
    ) -> None:
        self.map, self.navigator, self.sight = map, navigator, sight
        self.fighters = {placed.name: Fighter.from_placement(placed, index) for index, placed in enumerate(cast)}
        self.things = {thing.name: thing for thing in things}
        self.doors = {name: Door(name, door.cell, map.door_starts[name]) for name, door in map.doors.items()}
        self.used_up: set[str] = set()
        self.broken: set[str] = set()
        self.dark = set(map.dark)
        self.grenades: list[Grenade] = []
        self.thrown = 0  # number of grenades thrown so far
        self.rng = Random(seed)
        self.tick = 0
        self.events: list[Event] = []
        self.shots: list[ShotView] = []
        self.expected: list[ExpectedDamage] = []  # of the bursts of this step; not saved
        self.dying: dict[str, str] = {}  # victims of this step, and their killers
        self.suppression: dict[str, float] = {}  # added in this step, by fighter
        self.aimed_suppression: dict[str, float] = {}  # the same, by aimed fire
        self.index_bodies_and_doors()

    def index_bodies_and_doors(self) -> None:
        """Rebuild the indices: living bodies by cell, and cells of shut doors."""
        # Queries look at nearby cells only, so their cost does not grow with the size of the cast.
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

    def emit(self, action: str, player: str, point: Point, **context: Value) -> None:
        """Record an event of this step; its action determines how far it is heard."""
        about = {"x": point[0], "y": point[1], "loud": LOUDNESS.get(action, 0.0), **context}
        self.events.append(Event(action, about, player=player, time=self.time))

    def move(self, fighter: Fighter, point: Point) -> None:
        """Move a living fighter to a point."""
        fighter.x, fighter.y = point
        cell = cell_of(point)
        if cell != fighter.cell:
            self.bodies[fighter.cell].pop(fighter.name)
            self.bodies.setdefault(cell, {})[fighter.name] = fighter
            fighter.cell = cell

    def mark_dead(self, fighter: Fighter) -> None:
        """Mark a fighter as dead and remove its body from the map."""
        fighter.alive, fighter.health = False, 0.0
        self.end_act(fighter, failed("dead"))
        self.bodies[fighter.cell].pop(fighter.name)

    def end_act(self, fighter: Fighter, outcome: ActOutcome = DONE) -> None:
        """End the current act of a fighter."""
        act, fighter.act = fighter.act, None
        fighter.status = "done" if outcome.kind is OutcomeKind.DONE else "failed"
        fighter.outcome = outcome
        if act is not None and act.state == "use":
            door = self.doors.get(act.target)
            if door is not None and door.held_by == fighter.name:
                door.held_by = None
            if act.way:  # interrupted in a window or under an obstacle: move to the nearer side
                self.move(fighter, min(act.way, key=fighter.distance_to))

    def fighters_near(self, point: Point, radius: float) -> list[Fighter]:
        """Return the living within ``radius`` metres of a point, in the order of the cast."""
        x, y = point
        found = [
            fighter
            for column in range(int(x - radius), int(x + radius) + 1)
            for row in range(int(y - radius), int(y + radius) + 1)
            for fighter in self.bodies.get((column, row), {}).values()
            if fighter.distance_to(point) <= radius
        ]
        return sorted(found, key=lambda fighter: fighter.index)  # a save loses the order in cells

    def has_line_of_sight(self, one: Point, other: Point) -> bool:
        """Whether no wall or shut door lies between the cells of two points."""
        return self.sight.is_clear(cell_of(one), cell_of(other), self.shut)

    def node_of(self, fighter: Fighter) -> MapNode | None:
        """Return the node that a fighter stands on, if any."""
        node = self.map.at.get(fighter.cell)
        return node if node is not None and node.name in self.map.nodes else None

    def cover_of(self, fighter: Fighter) -> MapNode | None:
        """Return the cover node that a fighter stands on without walking, if any."""
        node = self.map.at.get(fighter.cell)
        if node is None or node.kind != "cover" or fighter.is_walking:
            return None
        return node

    def is_in_dark(self, fighter: Fighter) -> bool:
        """Whether a fighter is in a dark room."""
        return bool(self.dark) and self.map.room_at(fighter.position) in self.dark

    def set_door(self, door: Door, state: str) -> None:
        """Open, close or lock a door."""
        door.state = state
        if door.is_shut:
            self.shut.add(door.cell)
        else:
            self.shut.discard(door.cell)

    def place_of(self, name: str) -> Point:
        """Return the position of a fighter, node, fixture or thing."""
        if name in self.fighters:
            return self.fighters[name].position
        if name in self.things:
            return self.things[name].x, self.things[name].y
        return (self.map.nodes.get(name) or self.map.fixtures[name]).position

    def aim_of(self, act: Act) -> Point:
        """Return the point that an act is aimed at: the position of its target, or a place."""
        return self.fighters[act.target].position if act.target in self.fighters else (act.x, act.y)


# --- save and restore ---


MAX_TICK = 10**9  # three years
# Saved attributes of a fighter, beside its act.
_SAVED_ATTRIBUTES = (
    "x", "y", "facing", "health", "alive", "status", "reason", "rounds", "magazines", "grenades", "cloaked", "on_wall",
    "suppressed", "winded", "out_of_breath", "fires_at", "stepped_at", "slumped_over",
)  # fmt: skip


def save_state(state: ArenaState) -> dict[str, Any]:
    """Return all mutable state as plain data."""
    return {
        "tick": state.tick,
        "rng": save_random(state.rng),
        "fighters": {name: _save_fighter(fighter) for name, fighter in state.fighters.items()},
        "doors": {name: [door.state, door.held_by] for name, door in state.doors.items()},
        "used_up": sorted(state.used_up),
        "broken": sorted(state.broken),
        "dark": sorted(state.dark),
        "grenades": [[g.name, g.by, list(g.start), list(g.end), g.thrown] for g in state.grenades],
        "thrown": state.thrown,
        "events": [[e.action, dict(e.context), e.player, e.time] for e in state.events],
        "shots": [list(asdict(shot).values()) for shot in state.shots],
    }


def _save_fighter(fighter: Fighter) -> dict[str, Any]:
    about = {name: getattr(fighter, name) for name in _SAVED_ATTRIBUTES}
    act = None if fighter.act is None else asdict(fighter.act)
    arms = {"weapon": fighter.weapon.name, "holstered": {name: list(left) for name, left in fighter.holstered.items()}}
    return {**about, **arms, "act": act and {**act, "way": [list(point) for point in act["way"]]}}


class ActSnapshot(SnapshotPart):
    """A saved act."""

    state: Literal["goto", "animate", "use"]
    text: str
    name: str
    target: str
    x: Finite
    y: Finite
    ticks: Count
    lasts: Count
    way: Items[SavedPoint]
    posture: Literal["open", "half", "covered", "blind", "rolling", "prone"]
    crouched: bool
    unseen: Count
    tries: Count


class FighterSnapshot(SnapshotPart):
    """A saved fighter."""

    x: Finite
    y: Finite
    facing: Finite
    health: NonNegative
    alive: bool
    status: Literal["running", "done", "failed"]
    reason: str
    rounds: Count
    magazines: Count
    grenades: Count
    cloaked: bool
    on_wall: bool
    suppressed: NonNegative
    winded: NonNegative
    out_of_breath: bool
    fires_at: int
    stepped_at: int
    weapon: str | None = None  # None in saves from before there was a choice: the first one
    holstered: dict[str, Row[tuple[Count, Count]]] = Field(default_factory=dict)
    slumped_over: str = ""
    act: ActSnapshot | None


class ArenaSnapshot(SnapshotModel):
    """What an arena saves."""

    tick: Annotated[int, Field(ge=0, le=MAX_TICK)]
    rng: RandomState
    fighters: dict[str, FighterSnapshot]
    doors: dict[str, Row[tuple[Literal["closed", "open", "locked"], str | None]]]
    used_up: Items[str]
    broken: Items[str]
    dark: Items[str]
    grenades: Items[Row[tuple[str, str, SavedPoint, SavedPoint, int]]]
    thrown: Count
    events: Items[Row[tuple[str, dict[str, SavedValue], str, Finite]]]
    shots: Items[Row[tuple[str, Finite, Finite, Finite, Finite, str | None]]]


CheckAct: TypeAlias = Callable[[SnapshotCheck, ActSnapshot, Fighter], None]


class StateRestorer:
    """Checks a saved state against an arena; ``put`` replaces the state of that arena.

    ``check_act`` requires an act that the arena can continue.
    """

    def __init__(self, check: SnapshotCheck, saved: ArenaSnapshot, state: ArenaState, check_act: CheckAct) -> None:
        self._check, self._saved, self._state, self._check_act = check, saved, state, check_act
        self._check_cast()
        self._rng = read_random(check, ("rng",), saved.rng)
        self._outcomes = saved_outcomes(state.map.doors, state.map.lows)
        self.fighters: dict[str, FighterSnapshot] = {}
        for name, fighter in saved.fighters.items():
            with check.part(name, "the saved body"):
                check.known(("fighters", name), name, state.fighters, "fighter")
                self._read_fighter(check.at("fighters", name), fighter, state.fighters[name])
                self.fighters[name] = fighter
        self._doors = self._read_doors()
        self._used_up = self._read_names("used_up", saved.used_up, state.things, "thing")
        self._broken = self._read_names("broken", saved.broken, state.map.windows, "window")
        self._dark = self._read_names("dark", saved.dark, state.map.rooms, "room")
        self._grenades = self._read_grenades()
        self._events = [self._read_event(place) for place in range(len(saved.events))]
        for place, shot in enumerate(saved.shots):
            with check.part(shot[0], "a shot"):
                check.known(("shots", place, 0), shot[0], state.fighters, "fighter")

    def _check_cast(self) -> None:
        saved, state = self._saved, self._state
        same = list(saved.fighters) == list(state.fighters) and list(saved.doors) == list(state.doors)
        if not same and not self._check.lenient:
            raise TelosError(
                f"this was saved from a fight of {', '.join(saved.fighters)}, not of {', '.join(state.fighters)}",
                "restore it in an arena with the same map and cast, or with lenient=True",
            )
        for name in state.fighters:
            if name not in saved.fighters:
                self._check.drop(name, "the saved body", "there is none, so it starts as the scene places it")

    def _read_fighter(self, check: SnapshotCheck, saved: FighterSnapshot, fighter: Fighter) -> None:
        check.require(saved.alive == (saved.health > 0), ("alive",), "does not fit the health")
        check.require(saved.health <= fighter.healthy, ("health",), f"must be at most {fighter.healthy:g}")
        self._read_arms(check, saved, fighter)
        check.require((saved.act is not None) == (saved.status == "running"), ("status",), "does not fit the act")
        check.require(abs(saved.stepped_at) <= MAX_TICK, ("stepped_at",), "is not a step of this fight")
        check.require(abs(saved.fires_at) <= 2 * MAX_TICK, ("fires_at",), "is not a step of this fight")
        check.require(not (saved.on_wall and not fighter.climbs), ("on_wall",), "is true of a fighter who cannot climb")
        if saved.slumped_over:
            check.require(not saved.alive, ("slumped_over",), "is set for a living fighter")
            check.known(("slumped_over",), saved.slumped_over, self._state.things, "thing")
        self._check_point(check, ("x",), (saved.x, saved.y))
        if saved.act is not None:
            check.require(saved.alive, ("act",), "is the act of a dead fighter")
            for place, point in enumerate(saved.act.way):
                self._check_point(check, ("act", "way", place), point)
            self._check_act(check.at("act"), saved.act, fighter)

    def _read_arms(self, check: SnapshotCheck, saved: FighterSnapshot, fighter: Fighter) -> None:
        """Require the weapons that the fighter carries, with no more rounds than their magazines hold."""
        left = {saved.weapon or fighter.weapon.name: (saved.rounds, saved.magazines), **saved.holstered}
        is_whole = left.keys() == fighter.arms.keys() and len(left) == 1 + len(saved.holstered)
        check.require(is_whole, ("holstered",), f"does not fit the weapons: {', '.join(fighter.arms)}")
        for name, (rounds, _) in left.items():
            magazine, path = WEAPONS[name].magazine, ("holstered", name) if name in saved.holstered else ("rounds",)
            check.require(rounds <= magazine, path, f"must be at most {magazine}, the magazine")

    def _check_point(self, check: SnapshotCheck, path: Sequence[str | int], point: Point) -> None:
        """Require a point on the map, outside walls."""
        cell, map = cell_of(point), self._state.map
        is_on_map = 0 <= cell[0] < map.width and 0 <= cell[1] < map.height and cell not in map.walls
        check.require(is_on_map, path, f"leads to {point[0]:g},{point[1]:g}, which is not on the floor of the map")

    def _read_doors(self) -> dict[str, tuple[str, str | None]]:
        doors: dict[str, tuple[str, str | None]] = {}
        for name, (door_state, held_by) in self._saved.doors.items():
            with self._check.part(name, "the saved door"):
                self._check.known(("doors", name), name, self._state.doors, "door")
                if held_by is not None:
                    self._check.known(("doors", name, 1), held_by, self.fighters, "fighter")
                doors[name] = (door_state, held_by)
        return doors

    def _read_names(self, key: str, names: Sequence[str], known: Iterable[str], what: str) -> set[str]:
        found = set()
        for place, name in enumerate(names):
            with self._check.part(name, f"that it is {key.replace('_', ' ')}"):
                self._check.known((key, place), name, known, what)
                found.add(name)
        return found

    def _read_grenades(self) -> list[Grenade]:
        grenades: list[Grenade] = []
        for place, (name, by, start, end, thrown) in enumerate(self._saved.grenades):
            with self._check.part(name, "the grenade"):
                path = ("grenades", place)
                self._check.known((*path, 1), by, self.fighters, "fighter")
                self._check_point(self._check, (*path, 2), start)
                self._check_point(self._check, (*path, 3), end)
                is_in_time = thrown <= self._saved.tick < thrown + FUSE_TICKS
                self._check.require(is_in_time, (*path, 4), "is not the time of a grenade that has not gone off")
                self._check.require(name not in [each.name for each in grenades], path, "has the name of another")
                grenades.append(Grenade(name, by, start, end, thrown))
        return grenades

    def _read_event(self, place: int) -> Event:
        action, about, player, time = self._saved.events[place]
        for key in ("x", "y", "loud"):
            value = about.get(key)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            self._check.require(is_number, ("events", place, 1, key), f"must be a number, got {value!r}")
        return Event(action, about, player=player, time=time)

    def put(self) -> None:
        """Replace the state of the arena; on an exception it is as it was."""
        state, saved = self._state, self._saved
        with unchanged_on_error(state, *state.fighters.values(), *state.doors.values()):
            state.rng, state.tick, state.thrown = self._rng, saved.tick, saved.thrown
            for name, about in self.fighters.items():
                _put_fighter(state.fighters[name], about, self._outcomes)
            for name, (door_state, held_by) in self._doors.items():
                state.doors[name].state, state.doors[name].held_by = door_state, held_by
            state.used_up, state.broken, state.dark = self._used_up, self._broken, self._dark
            state.grenades, state.events = self._grenades, self._events
            state.shots = [ShotView(*shot) for shot in saved.shots]
            state.dying = {}
            state.index_bodies_and_doors()


def _put_fighter(fighter: Fighter, about: FighterSnapshot, outcomes: Mapping[str, ActOutcome]) -> None:
    for name in _SAVED_ATTRIBUTES:
        if name != "reason":  # the text of the outcome, which is restored below
            setattr(fighter, name, getattr(about, name))
    if about.weapon is not None:
        fighter.weapon = WEAPONS[about.weapon]
    fighter.holstered = {name: Ammunition(*left) for name, left in about.holstered.items()}
    fighter.outcome = outcomes.get(about.reason) or failed(about.reason)
    fighter.act = None if about.act is None else Act(**dict(about.act))


# --- views ---


def build_view(state: ArenaState, *, over: bool, winner: str | None) -> ArenaView:
    """Return a view of everything at this moment."""
    return ArenaView(
        state.time,
        tuple(state.fighters),
        tuple(build_fighter_view(state, fighter) for fighter in state.fighters.values()),
        tuple(DoorView(door.name, *cell_centre(door.cell), door.state, door.held_by) for door in state.doors.values()),
        tuple(sorted(state.broken)),
        tuple(sorted(state.dark)),
        tuple(GrenadeView(each.name, *each.position(state.tick), each.left(state.tick)) for each in state.grenades),
        tuple(state.shots),
        over,
        winner,
    )


def build_fighter_view(state: ArenaState, fighter: Fighter) -> FighterView:
    """Return a view of one fighter."""
    act, node = fighter.act, state.node_of(fighter)
    return FighterView(
        name=fighter.name,
        side=fighter.side,
        character=fighter.character,
        x=fighter.x,
        y=fighter.y,
        facing=fighter.facing,
        health=fighter.health,
        alive=fighter.alive,
        state=act.state if act else "",
        doing=act.text if act else "",
        status=fighter.status,
        reason=fighter.reason,
        rounds=fighter.rounds,
        magazines=fighter.magazines,
        grenades=fighter.grenades,
        at=node.name if node else None,
        in_cover=state.cover_of(fighter) is not None,
        crouched=fighter.crouched,
        cloaked=fighter.cloaked,
        on_wall=fighter.on_wall,
        suppressed=fighter.suppressed,
        healthy=fighter.healthy,
        slumped_over=fighter.slumped_over or None,
        weapon=fighter.weapon.name,
    )
