"""Mutable state of an arena (`ArenaState`), saving and restoring it, and building views of it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from random import Random
from typing import Any

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.values import Value
from telos.worlds.arena.sim.constants import LOUDNESS, TICKS_A_SECOND
from telos.worlds.arena.sim.fighter import Act, Door, Fighter, FighterPlacement, Grenade, ThingPlacement
from telos.worlds.arena.sim.map import ArenaMap, Cell, LineOfSight, MapNode, Point, cell_centre, cell_of
from telos.worlds.arena.sim.navigation import Navigator
from telos.worlds.arena.sim.outcomes import DONE, ActOutcome, OutcomeKind, failed, saved_outcomes
from telos.worlds.arena.sim.views import ArenaView, DoorView, FighterView, GrenadeView, ShotView


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
        self.dying: dict[str, str] = {}  # victims of this step, and their killers
        self.suppression: dict[str, float] = {}  # added in this step, by fighter
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


# Saved attributes of a fighter, beside its act.
_SAVED_ATTRIBUTES = (
    "x", "y", "facing", "health", "alive", "status", "reason", "rounds", "magazines", "grenades", "cloaked", "on_wall",
    "suppressed", "winded", "out_of_breath", "fires_at", "stepped_at",
)  # fmt: skip


def save_state(state: ArenaState) -> dict[str, Any]:
    """Return all mutable state as plain data."""
    version, numbers, gauss = state.rng.getstate()
    return {
        "tick": state.tick,
        "rng": [version, list(numbers), gauss],
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


def restore_state(state: ArenaState, saved: Mapping[str, Any]) -> None:
    """Restore saved state into an arena with the same map and cast."""
    if list(saved["fighters"]) != list(state.fighters) or list(saved["doors"]) != list(state.doors):
        raise TelosError(
            f"this was saved from a fight of {', '.join(saved['fighters'])}, not of {', '.join(state.fighters)}",
            "restore it in an arena with the same map and cast",
        )
    version, numbers, gauss = saved["rng"]
    state.rng.setstate((version, tuple(numbers), gauss))
    state.tick, state.thrown = saved["tick"], saved["thrown"]
    outcomes = saved_outcomes(state.map.doors, state.map.lows)
    for name, about in saved["fighters"].items():
        _restore_fighter(state.fighters[name], about, outcomes)
    for name, (door_state, held_by) in saved["doors"].items():
        state.doors[name].state, state.doors[name].held_by = door_state, held_by
    state.used_up, state.broken, state.dark = set(saved["used_up"]), set(saved["broken"]), set(saved["dark"])
    state.grenades = [Grenade(n, by, _point(a), _point(b), tick) for n, by, a, b, tick in saved["grenades"]]
    state.events = [Event(action, about, player=player, time=time) for action, about, player, time in saved["events"]]
    state.shots = [ShotView(*shot) for shot in saved["shots"]]
    state.dying = {}
    state.index_bodies_and_doors()


def _save_fighter(fighter: Fighter) -> dict[str, Any]:
    about = {name: getattr(fighter, name) for name in _SAVED_ATTRIBUTES}
    act = None if fighter.act is None else asdict(fighter.act)
    return {**about, "act": act and {**act, "way": [list(point) for point in act["way"]]}}


def _restore_fighter(fighter: Fighter, about: Mapping[str, Any], outcomes: Mapping[str, ActOutcome]) -> None:
    for name in _SAVED_ATTRIBUTES:
        if name != "reason":  # the text of the outcome, which is restored below
            setattr(fighter, name, about[name])
    fighter.outcome = outcomes.get(about["reason"]) or failed(about["reason"])
    act = about["act"]
    fighter.act = act and Act(**{**act, "way": [_point(point) for point in act["way"]]})


def _point(pair: list[float]) -> Point:
    return pair[0], pair[1]


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
    )
