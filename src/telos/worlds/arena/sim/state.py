"""Mutable simulation state, view builder, save/restore."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from random import Random
from typing import Any

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.values import Value
from telos.worlds.arena.sim.constants import LOUD, TICKS_A_SECOND
from telos.worlds.arena.sim.fighter import Act, Door, Fighter, Grenade, Placed, ThingPlaced
from telos.worlds.arena.sim.map import ArenaMap, Cell, Node, Point, Sight, cell_of, middle
from telos.worlds.arena.sim.navigation import Navigator
from telos.worlds.arena.sim.outcomes import DONE, ActOutcome, OutcomeKind, failed, saved_outcomes
from telos.worlds.arena.sim.views import ArenaView, DoorView, FighterView, GrenadeView, ShotView

# --- stage ------------------------------------------------------------------------------------------------------------
# Everything in an arena that changes, and the questions about it that bodies ask all the time.


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


# --- saving -----------------------------------------------------------------------------------------------------------
# Saving an arena as plain data, and going on from it exactly where it was.


# What changes about a fighter, besides the command that it carries out.
_CHANGES = (
    "x", "y", "facing", "health", "alive", "status", "reason", "rounds", "magazines", "grenades", "cloaked", "on_wall",
    "suppressed", "winded", "out_of_breath", "fires_at", "stepped_at",
)  # fmt: skip


def saved(stage: Stage) -> dict[str, Any]:
    """Return everything about a stage that changes, as plain data."""
    version, numbers, gauss = stage.rng.getstate()
    return {
        "tick": stage.tick,
        "rng": [version, list(numbers), gauss],
        "fighters": {name: _saved_fighter(fighter) for name, fighter in stage.fighters.items()},
        "doors": {name: [door.state, door.held_by] for name, door in stage.doors.items()},
        "used_up": sorted(stage.used_up),
        "broken": sorted(stage.broken),
        "dark": sorted(stage.dark),
        "grenades": [[g.name, g.by, list(g.start), list(g.end), g.thrown] for g in stage.grenades],
        "thrown": stage.thrown,
        "events": [[e.action, dict(e.context), e.player, e.time] for e in stage.events],
        "shots": [list(asdict(shot).values()) for shot in stage.shots],
    }


def restore(stage: Stage, saved: Mapping[str, Any]) -> None:
    """Make a stage with the same map and cast what it was when it was saved."""
    if list(saved["fighters"]) != list(stage.fighters) or list(saved["doors"]) != list(stage.doors):
        raise TelosError(
            f"this was saved from a fight of {', '.join(saved['fighters'])}, not of {', '.join(stage.fighters)}",
            "restore it in an arena with the same map and cast",
        )
    version, numbers, gauss = saved["rng"]
    stage.rng.setstate((version, tuple(numbers), gauss))
    stage.tick, stage.thrown = saved["tick"], saved["thrown"]
    outcomes = saved_outcomes(stage.map.doors, stage.map.lows)
    for name, about in saved["fighters"].items():
        _restore_fighter(stage.fighters[name], about, outcomes)
    for name, (state, held_by) in saved["doors"].items():
        stage.doors[name].state, stage.doors[name].held_by = state, held_by
    stage.used_up, stage.broken, stage.dark = set(saved["used_up"]), set(saved["broken"]), set(saved["dark"])
    stage.grenades = [Grenade(n, by, _point(a), _point(b), tick) for n, by, a, b, tick in saved["grenades"]]
    stage.events = [Event(action, about, player=player, time=time) for action, about, player, time in saved["events"]]
    stage.shots = [ShotView(*shot) for shot in saved["shots"]]
    stage.dying = {}
    stage.note_bodies_and_doors()


def _saved_fighter(fighter: Fighter) -> dict[str, Any]:
    about = {name: getattr(fighter, name) for name in _CHANGES}
    act = None if fighter.act is None else asdict(fighter.act)
    return {**about, "act": act and {**act, "way": [list(point) for point in act["way"]]}}


def _restore_fighter(fighter: Fighter, about: Mapping[str, Any], outcomes: Mapping[str, ActOutcome]) -> None:
    for name in _CHANGES:
        if name != "reason":  # the text of the outcome, which is restored below
            setattr(fighter, name, about[name])
    fighter.outcome = outcomes.get(about["reason"]) or failed(about["reason"])
    act = about["act"]
    fighter.act = act and Act(**{**act, "way": [_point(point) for point in act["way"]]})


def _point(pair: list[float]) -> Point:
    return pair[0], pair[1]


# --- looking ----------------------------------------------------------------------------------------------------------
# Views of an arena: what a screen, a study or a test sees of it.


def view_of(stage: Stage, *, over: bool, winner: str | None) -> ArenaView:
    """Return everything that can be seen at this moment."""
    return ArenaView(
        stage.time,
        tuple(stage.fighters),
        tuple(fighter_view(stage, fighter) for fighter in stage.fighters.values()),
        tuple(DoorView(door.name, *middle(door.cell), door.state, door.held_by) for door in stage.doors.values()),
        tuple(sorted(stage.broken)),
        tuple(sorted(stage.dark)),
        tuple(GrenadeView(each.name, *each.position(stage.tick), each.left(stage.tick)) for each in stage.grenades),
        tuple(stage.shots),
        over,
        winner,
    )


def fighter_view(stage: Stage, fighter: Fighter) -> FighterView:
    """Return what can be seen of one fighter."""
    act, node = fighter.act, stage.node_of(fighter)
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
        in_cover=stage.cover_of(fighter) is not None,
        crouched=fighter.crouched,
        cloaked=fighter.cloaked,
        on_wall=fighter.on_wall,
        suppressed=fighter.suppressed,
    )
