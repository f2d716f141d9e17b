"""The world ``arena``: fighters on a map that walk, take cover, shoot and use things.

Start with `Arena`: ``step`` carries out commands, and the queries serve sensors, attention and plans. The simulation
takes no decisions for fighters.
"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.files import read_snapshot
from telos.files.restoring import Omission, SnapshotCheck
from telos.worlds.arena.sim.animations import ANIMATIONS, WALL_ANIMATIONS, Animation, glide
from telos.worlds.arena.sim.combat import explode, update_suppression
from telos.worlds.arena.sim.commands import Command, CommandParser
from telos.worlds.arena.sim.constants import (
    AWARENESS_RANGE,
    CLOAKED_SIGHT_RANGE,
    DARK_SIGHT_RANGE,
    FIELD_OF_VIEW,
    FUSE_TICKS,
    SIGHT_RANGE,
    TICKS_A_SECOND,
)
from telos.worlds.arena.sim.fighter import THING_KINDS, Act, Fighter, FighterPlacement, ThingPlacement
from telos.worlds.arena.sim.interactions import USES, Use, check_in_reach
from telos.worlds.arena.sim.map import ArenaMap, LineOfSight, Point, cell_centre, cell_of
from telos.worlds.arena.sim.movement import continue_walk, standing_point, start_walk, update_breath
from telos.worlds.arena.sim.navigation import Navigator
from telos.worlds.arena.sim.outcomes import DONE, ActOutcome, failed
from telos.worlds.arena.sim.state import ActSnapshot, ArenaSnapshot, ArenaState, StateRestorer, build_view, save_state
from telos.worlds.arena.sim.views import ArenaView, ExpectedDamage, GrenadeView

MAX_METRES = 10_000.0  # from the map to a point that a saved act is aimed at
NEUTRAL = "neutral"  # the side without enemies, which cannot win


class Arena:
    r"""A fight on a map. One step is a tenth of a second.

    Commands are ``goto PLACE [walk|run|cloaked] [avoiding d1,l2]``, ``animate NAME [TARGET]``, ``use THING USE`` and
    ``stop``. A place is ``x,y`` in metres, or the name of a node, fixture, thing or fighter. A command that cannot be
    carried out ends as ``failed``, with a reason; the dead only obey one that says how they lie at a thing. Fighters
    who kill each other in the same step both die, so the order of the cast gives no advantage.

    >>> arena = Arena(ArenaMap("#########\n#A     B#\n#########"), [
    ...     FighterPlacement("Rex", "red", "soldier", 1.5, 1.5), FighterPlacement("Ben", "blue", "soldier", 7.5, 1.5)])
    >>> arena.step({"Rex": "goto 3.5,1.5 walk"})
    >>> rex = arena.fighter("Rex")
    >>> rex.position, rex.status, arena.sees("Rex", "Ben")
    ((1.7, 1.5), 'running', True)
    """

    def __init__(
        self, map: ArenaMap, cast: Sequence[FighterPlacement], things: Sequence[ThingPlacement] = (), *, seed: int = 0
    ) -> None:
        self.map = map
        self.navigator, self._sight = _map_services(map)
        self._cast, self._things = tuple(cast), tuple(things)
        self._check_cast()
        kinds = {name: node.kind for name, node in map.fixtures.items()} | {each.name: each.kind for each in things}
        parser = CommandParser((placed.name for placed in cast), map.nodes, kinds, (*map.doors, *map.lows))
        self._parse = lru_cache(maxsize=4096)(parser.parse)
        self._sides = tuple(dict.fromkeys(each.side for each in cast if each.side != NEUTRAL))
        self.reset(seed)

    def _check_cast(self) -> None:
        names = {*self.map.nodes, *self.map.fixtures}
        for name in (*(placed.name for placed in self._cast), *(thing.name for thing in self._things)):
            if name in names:
                raise TelosError(f"the name {name!r} is used twice in the arena", "give one of them another name")
            names.add(name)
        for placed in self._cast:
            flies = Fighter.from_placement(placed, 0).flies
            if not self.navigator.is_plain(cell_of((placed.x, placed.y)), flies=flies):
                raise TelosError(f"{placed.name!r} cannot stand at {placed.x:g},{placed.y:g}", "place it on free floor")
        for thing in self._things:
            if thing.kind not in THING_KINDS:
                raise TelosError(f"{thing.name!r} cannot be a {thing.kind!r}", name_hint(thing.kind, THING_KINDS))

    def reset(self, seed: int) -> None:
        """Start again: all fighters stand at their placement and face the middle of the map."""
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:  # Random treats -7 as 7
            raise TelosError(f"a seed must be a whole number, zero or more, got {seed!r}")
        self._state = ArenaState(self.map, self.navigator, self._sight, self._cast, self._things, seed)
        for fighter in self._state.fighters.values():
            fighter.turn_to((self.map.width / 2, self.map.height / 2))
        self._threats: dict[str, tuple[str, ...]] | None = None

    @property
    def time(self) -> float:
        """Return the seconds since the start."""
        return self._state.time

    @property
    def events(self) -> tuple[Event, ...]:
        """The events of the last step, oldest first."""
        return tuple(self._state.events)

    @property
    def expected_damage(self) -> tuple[ExpectedDamage, ...]:
        """The expected damage of each burst of the last step that was aimed at somebody."""
        return tuple(self._state.expected)

    def step(self, commands: Mapping[str, str]) -> None:
        """Give ``commands`` (fighter name to command) and advance by a tenth of a second."""
        parsed = self._parse_all(commands)
        state = self._state
        state.tick += 1
        state.events, state.shots, state.expected, state.dying = [], [], [], {}
        state.suppression, state.aimed_suppression = {}, {}
        self._threats = None
        for fighter, command in sorted(parsed, key=lambda pair: pair[0].index):
            if fighter.alive:
                begin_command(state, fighter, command)
            elif command.state == "use":
                perform_death(state, fighter, command)
        for fighter in state.fighters.values():
            if fighter.alive:
                if fighter.breath:
                    update_breath(fighter)
                continue_act(state, fighter)
        self._explode_grenades()
        for fighter in state.fighters.values():
            update_suppression(state, fighter)
        for victim, killer in state.dying.items():
            dead = state.fighters[victim]
            state.mark_dead(dead)
            state.emit("dead", killer, dead.position, target=victim)

    def check(self, commands: Mapping[str, str]) -> None:
        """Raise a ``TelosError`` for invalid commands, as ``step`` would, without a step."""
        self._parse_all(commands)

    def _parse_all(self, commands: Mapping[str, str]) -> list[tuple[Fighter, Command]]:
        return [(self.fighter(name), self._parse(_check_text(command))) for name, command in commands.items()]

    def _explode_grenades(self) -> None:
        state = self._state
        due = [grenade for grenade in state.grenades if state.tick >= grenade.thrown + FUSE_TICKS]
        for grenade in due:
            state.grenades.remove(grenade)
            explode(state, grenade)

    def view(self) -> ArenaView:
        """Return a view of the current moment."""
        return build_view(self._state, over=self.over, winner=self.winner)

    @property
    def over(self) -> bool:
        """Whether at most one of two or more sides has living fighters."""
        return len(self._sides) > 1 and len(self._living_sides()) < 2

    @property
    def winner(self) -> str | None:
        """Return the only side left, or None if there is none or the fight goes on."""
        standing = self._living_sides()
        return standing[0] if self.over and standing else None

    def _living_sides(self) -> list[str]:
        alive = {fighter.side for fighter in self._state.fighters.values() if fighter.alive}
        return [side for side in self._sides if side in alive]

    def save(self) -> dict[str, Any]:
        """Return all mutable state as plain data for JSON."""
        return save_state(self._state)

    def restore(self, saved: Mapping[str, Any], *, lenient: bool = False) -> tuple[Omission, ...]:
        """Restore saved state, in this arena or in another one with the same map and cast.

        Faulty data raises a ``TelosError``, and the arena is as it was. With ``lenient``, what does not fit the map and
        the cast of this arena is left out, and returned.
        """
        check = SnapshotCheck("arena", lenient=lenient)
        restorer = self.read(check, read_snapshot(ArenaSnapshot, saved, of="arena"))
        with check.sound():
            restorer.put()
        self._threats = None
        return tuple(check.omissions)

    def read(self, check: SnapshotCheck, saved: ArenaSnapshot) -> StateRestorer:
        """Check saved state; nothing changes before ``put`` of the answer is called."""
        return StateRestorer(check, saved, self._state, self._check_act)

    @property
    def state(self) -> ArenaState:
        """The mutable state, for saving and restoring; read-only for callers."""
        return self._state

    def _check_act(self, check: SnapshotCheck, saved: ActSnapshot, fighter: Fighter) -> None:
        """Require an act that its command starts, at a moment that it can reach."""
        try:
            command = self._parse(saved.text)
        except TelosError as error:
            raise check.fault(("text",), f"is not a command: {error.message}", error.remedy) from None
        for key in ("state", "name", "target"):
            wanted = getattr(command, key)
            check.require(getattr(saved, key) == wanted, (key,), f"must be {wanted!r}, as in {saved.text!r}")
        if saved.state == "goto":
            check.require(saved.lasts == 0, ("lasts",), "must be 0 for a walk")
            return
        animation = animation_of(self._state, Act(saved.state, saved.text, saved.name, saved.target))
        lasts = round(animation.seconds * TICKS_A_SECOND)
        check.require(saved.lasts == lasts, ("lasts",), f"must be {lasts}, the duration of {saved.text!r}")
        check.require(animation.looping or saved.ticks < max(lasts, 1), ("ticks",), f"must be less than {lasts}")
        check.require(bool(saved.way) or animation.each is not glide, ("way",), "is empty, but the act moves the body")
        if saved.target in self._state.doors and saved.state == "use":
            return
        point = (saved.x, saved.y)
        check.require(abs(point[0]) <= MAX_METRES and abs(point[1]) <= MAX_METRES, ("x",), "is far away from the map")

    # --- queries: nothing below changes the arena ---

    def fighter(self, name: str) -> Fighter:
        """Return a fighter's state; read-only for callers."""
        fighter = self._state.fighters.get(name)
        if fighter is None:
            raise TelosError(f"unknown fighter {name!r}", name_hint(str(name), self._state.fighters))
        return fighter

    def sees(self, name: str, other: str) -> bool:
        """Whether one fighter has another in view, or close enough to notice it anyway."""
        me, you = self.fighter(name), self.fighter(other)
        away = me.distance_to(you.position)
        if not me.alive or (you.cloaked and away > CLOAKED_SIGHT_RANGE):
            return False
        if away > DARK_SIGHT_RANGE and self._state.is_in_dark(you):
            return False
        return (away <= AWARENESS_RANGE or self.has_in_view(name, you.position)) and self.has_line_of_sight(
            me.position, you.position
        )

    def has_in_view(self, name: str, point: Point) -> bool:
        """Whether a point lies in a fighter's field of view, regardless of obstacles."""
        me = self.fighter(name)
        x, y = point[0] - me.x, point[1] - me.y
        away = math.hypot(x, y)
        return away <= SIGHT_RANGE and x * math.cos(me.facing) + y * math.sin(me.facing) >= FIELD_OF_VIEW * away

    def has_line_of_sight(self, one: Point, other: Point) -> bool:
        """Whether no wall or shut door lies between two points."""
        return self._state.has_line_of_sight(one, other)

    def aimed_at_by(self, name: str) -> tuple[str, ...]:
        """Return the fighters who fire or aim at a fighter now."""
        if self._threats is None:  # computed once per step
            found: dict[str, list[str]] = {}
            for fighter in self._state.fighters.values():
                act = fighter.act
                if act is not None and act.state == "animate" and ANIMATIONS[act.name].threatens:
                    found.setdefault(act.target, []).append(fighter.name)
            self._threats = {target: tuple(names) for target, names in found.items()}
        return self._threats.get(self.fighter(name).name, ())

    def hears(self, name: str, event: Event) -> bool:
        """Whether an event is loud enough for a fighter to hear; walls make no difference."""
        me, about = self.fighter(name), event.context
        return me.alive and me.distance_to((about["x"], about["y"])) <= about["loud"]

    def protects(self, node: str, threat: Point) -> bool:
        """Whether a node gives cover from fire from ``threat``."""
        if node not in self.map.nodes:
            raise TelosError(f"the map has no node {node!r}", name_hint(node, self.map.nodes))
        return self.map.nodes[node].protects_from(threat)

    def room_at(self, point: Point) -> str:
        """Return the room that a point lies in, or ``""`` in a doorway."""
        return self.map.room_at(point)

    def is_dark(self, room: str) -> bool:
        return room in self._state.dark

    def door(self, name: str) -> str:
        """Return the state of a door: ``closed``, ``open`` or ``locked``."""
        if name not in self._state.doors:
            raise TelosError(f"the map has no door {name!r}", name_hint(name, self._state.doors))
        return self._state.doors[name].state

    def living(self, side: str | None = None) -> tuple[str, ...]:
        """Return the names of the living, of one side or of all."""
        fighters = self._state.fighters.values()
        return tuple(each.name for each in fighters if each.alive and side in (None, each.side))

    def enemies_of(self, name: str) -> tuple[str, ...]:
        """Return the living of other sides; neutral fighters have no enemies and are nobody's enemy."""
        mine = self.fighter(name).side
        fighters = self._state.fighters.values()
        others = (each for each in fighters if each.alive and each.side not in (mine, NEUTRAL))
        return tuple(each.name for each in others if mine != NEUTRAL)

    @property
    def fighters(self) -> dict[str, Fighter]:
        """All fighters by name, dead or alive."""
        return self._state.fighters

    def place_of(self, name: str) -> Point:
        """Return the position of a fighter, node, fixture or thing."""
        return self._state.place_of(name)

    def standing_point(self, who: str, place: str, avoiding: frozenset[str] = frozenset()) -> Point | None:
        """Return where a fighter would stand to be at a place, or to use it."""
        return standing_point(self._state, self._state.fighters[who], place, avoiding)

    def opponents(self, name: str) -> tuple[Fighter, ...]:
        """Return all fighters of other sides, dead or alive; neutral fighters have no opponents."""
        side = self._state.fighters[name].side
        if side == NEUTRAL:
            return ()
        return tuple(each for each in self._state.fighters.values() if each.side not in (side, NEUTRAL))

    def comrades(self, name: str) -> tuple[Fighter, ...]:
        """Return the other fighters of the same side."""
        side = self._state.fighters[name].side
        return tuple(each for each in self._state.fighters.values() if each.side == side and each.name != name)

    def fighters_near(self, point: Point, radius: float) -> list[Fighter]:
        """Return the living fighters within ``radius`` metres of a point."""
        return self._state.fighters_near(point, radius)

    def grenades(self) -> tuple[GrenadeView, ...]:
        """Return the grenades that have not exploded."""
        tick = self._state.tick
        return tuple(GrenadeView(each.name, *each.position(tick), each.left(tick)) for each in self._state.grenades)

    def things(self) -> tuple[ThingPlacement, ...]:
        """Return the things that are not used up."""
        return tuple(each for each in self._state.things.values() if each.name not in self._state.used_up)

    def is_used_up(self, thing: str) -> bool:
        return thing in self._state.used_up

    def node_under(self, name: str) -> str | None:
        """Return the node that a fighter stands on, if any."""
        node = self._state.node_of(self._state.fighters[name])
        return None if node is None else node.name

    def taken_nodes(self, name: str) -> frozenset[str]:
        """Return the nodes where a fighter's comrades stand or are heading."""
        taken = set()
        for each in self.comrades(name):
            if not each.alive:
                continue
            if each.act is not None and each.act.state == "goto" and each.act.target in self.map.nodes:
                taken.add(each.act.target)
            elif (node := self._state.node_of(each)) is not None:
                taken.add(node.name)
        return frozenset(taken)

    def door_on_the_way(self, name: str) -> str | None:
        """Return the first shut door on a fighter's current path, if it is in sight."""
        me = self._state.fighters[name]
        if me.act is None or me.act.state != "goto":
            return None
        before = me.position
        for point in me.act.way:
            door = self.map.doors_at.get(cell_of(point))
            if door is not None and cell_of(point) in self._state.shut:
                return door if self._state.has_line_of_sight(me.position, before) else None
            before = point
        return None

    def switch_of(self, room: str) -> str | None:
        """Return the light switch of a room."""
        return next((name for name, each in self.map.switches.items() if self.map.room_at(each.position) == room), None)

    def window_past(self, door: str, point: Point) -> str | None:
        """Return the nearest window that joins the same two rooms as a door."""
        if door not in self.map.doors:
            return None
        rooms = self._joined_rooms(door)
        joining = [name for name in self.map.windows if self._joined_rooms(name) == rooms]
        return min(joining, key=lambda name: _distance(point, self.map.windows[name].position), default=None)

    def _joined_rooms(self, fixture: str) -> frozenset[str]:
        sides = self.map.sides(fixture)
        return frozenset(self.map.room_at(cell_centre(cell)) for pair in sides for cell in pair)


def _check_text(command: object) -> str:
    if not isinstance(command, str):
        raise TelosError(f"a command must be a line of text, got {command!r}")
    return command


@lru_cache(maxsize=8)  # a map never changes, so all arenas on it share these caches
def _map_services(map: ArenaMap) -> tuple[Navigator, LineOfSight]:
    return Navigator(map), LineOfSight(map)


def _distance(one: Point, other: Point) -> float:
    return float(((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5)


# --- carrying out commands ---


def begin_command(state: ArenaState, me: Fighter, command: Command) -> None:
    """End the current act and begin ``command``; repeating the current command has no effect."""
    follows = command.state == "goto" and command.target in state.fighters  # the target may have moved
    if me.act is not None and me.act.text == command.text and not follows:
        return
    state.end_act(me)
    if not command.state:
        return
    act = Act(command.state, command.text, command.name, command.target)
    me.act, me.status = act, "running"
    _end_if_over(state, me, _start_act(state, me, act, command))


def perform_death(state: ArenaState, me: Fighter, command: Command) -> None:
    """Let a dead body lie as a thing within reach has it; it does so once, and ignores all else."""
    act = Act(command.state, command.text, command.name, command.target)
    use = animation_of(state, act)
    if isinstance(use, Use) and use.ends_life and not me.slumped_over and check_in_reach(state, me, act) is None:
        use.end(state, me, act)


def continue_act(state: ArenaState, me: Fighter) -> None:
    """Advance the current act by a tick."""
    act = me.act
    if act is None:
        return
    act.ticks += 1
    if act.state == "goto":
        _end_if_over(state, me, continue_walk(state, me, act))
        return
    animation = animation_of(state, act)
    outcome = animation.each(state, me, act)
    if outcome is None and act.ticks >= act.lasts and not animation.looping:
        outcome = animation.end(state, me, act) or DONE
    _end_if_over(state, me, outcome)


def animation_of(state: ArenaState, act: Act) -> Animation | Use:
    """Return what an act plays: an animation, or the use of a thing."""
    return ANIMATIONS[act.name] if act.state == "animate" else USES[thing_kind(state, act.target)][act.name]


def thing_kind(state: ArenaState, name: str) -> str:
    """Return the kind of a fixture or thing."""
    return state.things[name].kind if name in state.things else state.map.fixtures[name].kind


def _start_act(state: ArenaState, me: Fighter, act: Act, command: Command) -> ActOutcome | None:
    if me.on_wall and act.name not in WALL_ANIMATIONS:
        return failed("on the wall")
    if act.state == "goto":
        return start_walk(state, me, act, command)
    animation = animation_of(state, act)
    act.lasts = round(animation.seconds * TICKS_A_SECOND)
    if isinstance(animation, Animation):
        act.posture, act.crouched = animation.posture, animation.crouched
        if act.target and animation.target != "weapon":
            act.x, act.y = command.point or state.place_of(act.target)
    elif far := check_in_reach(state, me, act):
        return far
    return animation.begin(state, me, act)


def _end_if_over(state: ArenaState, me: Fighter, outcome: ActOutcome | None) -> None:
    if outcome is not None:
        state.end_act(me, outcome)
