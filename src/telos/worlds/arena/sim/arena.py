"""Arena: step, carry out commands, events, queries."""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.worlds.arena.sim import state
from telos.worlds.arena.sim.animations import ANIMATIONS, ON_THE_WALL, Animation
from telos.worlds.arena.sim.combat import explode, settle
from telos.worlds.arena.sim.commands import Command, Words
from telos.worlds.arena.sim.constants import (
    AWARE,
    FIELD_OF_VIEW,
    FUSE,
    SIGHT,
    SIGHT_IN_THE_DARK,
    SIGHT_OF_THE_CLOAKED,
    TICKS_A_SECOND,
)
from telos.worlds.arena.sim.fighter import THING_KINDS, Act, Fighter, Placed, ThingPlaced
from telos.worlds.arena.sim.interactions import USES, Use, too_far
from telos.worlds.arena.sim.map import ArenaMap, Point, Sight, cell_of
from telos.worlds.arena.sim.movement import feel_breath, set_out, walk, where_to_stand
from telos.worlds.arena.sim.navigation import Navigator
from telos.worlds.arena.sim.outcomes import DONE, ActOutcome, failed
from telos.worlds.arena.sim.state import Stage
from telos.worlds.arena.sim.views import ArenaView, GrenadeView

# --- questions --------------------------------------------------------------------------------------------------------
# What minds may ask of an arena. Nothing here changes anything.


class Questions:
    """The part of an arena that sensors, attention and plans look at."""

    map: ArenaMap
    _stage: Stage

    @property
    def fighters(self) -> dict[str, Fighter]:
        """Everybody in the fight, dead or alive."""
        return self._stage.fighters

    def place_of(self, name: str) -> Point:
        """Return where a fighter, node, fixture or thing is."""
        return self._stage.place_of(name)

    def where_to_stand(self, who: str, place: str, avoiding: frozenset[str] = frozenset()) -> Point | None:
        """Return where somebody would stand to be at a place, or to use it."""
        return where_to_stand(self._stage, self._stage.fighters[who], place, avoiding)

    def opponents(self, name: str) -> tuple[Fighter, ...]:
        """Return everybody on another side, dead or alive; the neutral oppose nobody."""
        side = self._stage.fighters[name].side
        if side == "neutral":
            return ()
        return tuple(each for each in self._stage.fighters.values() if each.side not in (side, "neutral"))

    def comrades(self, name: str) -> tuple[Fighter, ...]:
        """Return everybody else on the same side."""
        side = self._stage.fighters[name].side
        return tuple(each for each in self._stage.fighters.values() if each.side == side and each.name != name)

    def near(self, point: Point, radius: float) -> list[Fighter]:
        """Return the living within ``radius`` metres of a point."""
        return self._stage.near(point, radius)

    def grenades(self) -> tuple[GrenadeView, ...]:
        """Return the grenades that have not gone off."""
        tick = self._stage.tick
        return tuple(GrenadeView(each.name, *each.position(tick), each.left(tick)) for each in self._stage.grenades)

    def things(self) -> tuple[ThingPlaced, ...]:
        """Return what lies about and is not used up."""
        return tuple(each for each in self._stage.things.values() if each.name not in self._stage.used_up)

    def is_used_up(self, thing: str) -> bool:
        """Whether there is nothing left in a thing."""
        return thing in self._stage.used_up

    def node_under(self, name: str) -> str | None:
        """Return the node that somebody stands on."""
        node = self._stage.node_of(self._stage.fighters[name])
        return None if node is None else node.name

    def taken_nodes(self, name: str) -> frozenset[str]:
        """Return the nodes where comrades of somebody stand, or are heading to."""
        taken = set()
        for each in self.comrades(name):
            if not each.alive:
                continue
            if each.act is not None and each.act.state == "goto" and each.act.target in self.map.nodes:
                taken.add(each.act.target)
            elif (node := self._stage.node_of(each)) is not None:
                taken.add(node.name)
        return frozenset(taken)

    def door_on_the_way(self, name: str) -> str | None:
        """Return the first shut door on the way that somebody is walking, if it is in their sight."""
        me = self._stage.fighters[name]
        if me.act is None or me.act.state != "goto":
            return None
        before = me.position
        for point in me.act.way:
            door = self.map.doors_at.get(cell_of(point))
            if door is not None and cell_of(point) in self._stage.shut:
                return door if self._stage.line(me.position, before) else None
            before = point
        return None

    def switch_of(self, room: str) -> str | None:
        """Return the light switch of a room."""
        return next((name for name, each in self.map.switches.items() if self.map.room_at(each.position) == room), None)

    def window_past(self, door: str, point: Point) -> str | None:
        """Return the nearest window that joins the same two rooms as a door."""
        if door not in self.map.doors:
            return None
        rooms = self._joined(door)
        there = [name for name in self.map.windows if self._joined(name) == rooms]
        return min(there, key=lambda name: _between(point, self.map.windows[name].position), default=None)

    def _joined(self, fixture: str) -> frozenset[str]:
        sides = self.map.sides(fixture)
        return frozenset(self.map.room_at((cell[0] + 0.5, cell[1] + 0.5)) for pair in sides for cell in pair)


def _between(one: Point, other: Point) -> float:
    return float(((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5)


# --- acting -----------------------------------------------------------------------------------------------------------
# How a body carries out a command: it begins, goes on tick by tick, and is done or fails.


def begin(stage: Stage, me: Fighter, command: Command) -> None:
    """Leave whatever the body was doing for ``command``; who is told the same again just goes on with it."""
    follows = command.state == "goto" and command.target in stage.fighters  # who may have moved since
    if me.act is not None and me.act.text == command.text and not follows:
        return
    stage.leave(me)
    if not command.state:
        return
    act = Act(command.state, command.text, command.name, command.target)
    me.act, me.status = act, "running"
    _ended(stage, me, _begun(stage, me, act, command))


def go_on(stage: Stage, me: Fighter) -> None:
    """Let a tick of the present command pass."""
    act = me.act
    if act is None:
        return
    act.ticks += 1
    if act.state == "goto":
        _ended(stage, me, walk(stage, me, act))
        return
    played = played_by(stage, act)
    outcome = played.each(stage, me, act)
    if outcome is None and act.ticks >= act.lasts and not played.looping:
        outcome = played.end(stage, me, act) or DONE
    _ended(stage, me, outcome)


def played_by(stage: Stage, act: Act) -> Animation | Use:
    """Return the animation that an act plays; the use of a thing is an animation that the thing prescribes."""
    return ANIMATIONS[act.name] if act.state == "animate" else USES[kind_of(stage, act.target)][act.name]


def kind_of(stage: Stage, name: str) -> str:
    """Return the kind of a fixture or thing."""
    return stage.things[name].kind if name in stage.things else stage.map.fixtures[name].kind


def _begun(stage: Stage, me: Fighter, act: Act, command: Command) -> ActOutcome | None:
    if me.on_wall and act.name not in ON_THE_WALL:
        return failed("on the wall")
    if act.state == "goto":
        return set_out(stage, me, act, command)
    played = played_by(stage, act)
    act.lasts = round(played.seconds * TICKS_A_SECOND)
    if isinstance(played, Animation):
        act.posture, act.crouched = played.posture, played.crouched
        if act.target:
            act.x, act.y = command.point or stage.place_of(act.target)
    elif far := too_far(stage, me, act):
        return far
    return played.begin(stage, me, act)


def _ended(stage: Stage, me: Fighter, outcome: ActOutcome | None) -> None:
    if outcome is not None:
        stage.leave(me, outcome)


# --- arena ------------------------------------------------------------------------------------------------------------
# The world ``arena``: bodies on a map that walk, hide, shoot and use things. It never decides for them.


NEUTRAL = "neutral"  # the side that is in nobody's way and wins nothing


class Arena(Questions):
    r"""A fight on a map. One step is a tenth of a second.

    Commands are ``goto PLACE [walk|run|cloaked] [avoiding d1,l2]``, ``animate NAME [TARGET]``, ``use THING USE`` and
    ``stop``. A place is ``x,y`` in metres, or the name of a node, fixture, thing or fighter. What cannot be done ends
    as ``failed``, with a reason in words; the dead ignore what they are told. Those who kill each other in the same
    step both die, so nobody gains by coming first in the cast.

    >>> arena = Arena(ArenaMap("#########\n#A     B#\n#########"), [
    ...     Placed("Rex", "red", "soldier", 1.5, 1.5), Placed("Ben", "blue", "soldier", 7.5, 1.5)])
    >>> arena.step({"Rex": "goto 3.5,1.5 walk"})
    >>> rex = arena.fighter("Rex")
    >>> rex.position, rex.status, arena.sees("Rex", "Ben")
    ((1.7, 1.5), 'running', True)
    """

    def __init__(
        self, map: ArenaMap, cast: Sequence[Placed], things: Sequence[ThingPlaced] = (), *, seed: int = 0
    ) -> None:
        self.map = map
        self.navigator, self._sight = _searchers(map)
        self._cast, self._things = tuple(cast), tuple(things)
        self._check_cast()
        kinds = {name: node.kind for name, node in map.fixtures.items()} | {each.name: each.kind for each in things}
        words = Words((placed.name for placed in cast), map.nodes, kinds, (*map.doors, *map.lows))
        self._read = lru_cache(maxsize=4096)(words.read)
        self._sides = tuple(dict.fromkeys(each.side for each in cast if each.side != NEUTRAL))
        self.reset(seed)

    def _check_cast(self) -> None:
        names = {*self.map.nodes, *self.map.fixtures}
        for name in (*(placed.name for placed in self._cast), *(thing.name for thing in self._things)):
            if name in names:
                raise TelosError(f"two in the arena are called {name!r}", "give one of them another name")
            names.add(name)
        for placed in self._cast:
            flies = Fighter.made(placed, 0).flies
            if not self.navigator.is_plain(cell_of((placed.x, placed.y)), flies=flies):
                raise TelosError(f"{placed.name!r} cannot stand at {placed.x:g},{placed.y:g}", "place it on free floor")
        for thing in self._things:
            if thing.kind not in THING_KINDS:
                raise TelosError(f"{thing.name!r} cannot be a {thing.kind!r}", name_hint(thing.kind, THING_KINDS))

    def reset(self, seed: int) -> None:
        """Start afresh: everybody stands where they were placed, and faces the middle of the map."""
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:  # Random takes -7 for 7
            raise TelosError(f"a seed is a whole number, zero or more, got {seed!r}")
        self._stage = Stage(self.map, self.navigator, self._sight, self._cast, self._things, seed)
        for fighter in self._stage.fighters.values():
            fighter.turn_to((self.map.width / 2, self.map.height / 2))
        self._threats: dict[str, tuple[str, ...]] | None = None

    @property
    def time(self) -> float:
        """Return the seconds since the start."""
        return self._stage.time

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened in the last step, oldest first."""
        return tuple(self._stage.events)

    def step(self, commands: Mapping[str, str]) -> None:
        """Give ``commands`` (a fighter's name to what it should do) and let a tenth of a second pass."""
        orders = self._orders(commands)
        stage = self._stage
        stage.tick += 1
        stage.events, stage.shots, stage.dying, stage.fear = [], [], {}, {}
        self._threats = None
        for fighter, command in sorted(orders, key=lambda order: order[0].index):
            if fighter.alive:
                begin(stage, fighter, command)
        for fighter in stage.fighters.values():
            if fighter.alive:
                if fighter.breath:
                    feel_breath(fighter)
                go_on(stage, fighter)
        self._let_grenades_go_off()
        for fighter in stage.fighters.values():
            settle(stage, fighter)
        for victim, killer in stage.dying.items():
            dead = stage.fighters[victim]
            stage.bury(dead)
            stage.tell("dead", killer, dead.position, target=victim)

    def check(self, commands: Mapping[str, str]) -> None:
        """Refuse commands that make no sense, as ``step`` would; nothing happens."""
        self._orders(commands)

    def _orders(self, commands: Mapping[str, str]) -> list[tuple[Fighter, Command]]:
        return [(self.fighter(name), self._read(_text(command))) for name, command in commands.items()]

    def _let_grenades_go_off(self) -> None:
        stage = self._stage
        ripe = [grenade for grenade in stage.grenades if stage.tick >= grenade.thrown + FUSE]
        for grenade in ripe:
            stage.grenades.remove(grenade)
            explode(stage, grenade)

    def view(self) -> ArenaView:
        """Return what can be seen now."""
        return state.view_of(self._stage, over=self.over, winner=self.winner)

    @property
    def over(self) -> bool:
        """Whether at most one of two or more sides has anybody left."""
        return len(self._sides) > 1 and len(self._standing()) < 2

    @property
    def winner(self) -> str | None:
        """Return the side that is left, or None if there is none, or if the fight goes on."""
        standing = self._standing()
        return standing[0] if self.over and standing else None

    def _standing(self) -> list[str]:
        alive = {fighter.side for fighter in self._stage.fighters.values() if fighter.alive}
        return [side for side in self._sides if side in alive]

    def save(self) -> dict[str, Any]:
        """Return everything that changes, as plain data that JSON can hold."""
        return state.saved(self._stage)

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go back to what was saved, in this arena or in another one with the same map and cast."""
        state.restore(self._stage, saved)
        self._threats = None

    # What minds may ask; nothing below changes anything.

    def fighter(self, name: str) -> Fighter:
        """Return a fighter's body, to be read and left alone."""
        fighter = self._stage.fighters.get(name)
        if fighter is None:
            raise TelosError(f"nobody here is called {name!r}", name_hint(str(name), self._stage.fighters))
        return fighter

    def sees(self, name: str, other: str) -> bool:
        """Whether one fighter has another in view, or near enough to notice behind its back."""
        me, you = self.fighter(name), self.fighter(other)
        away = me.distance_to(you.position)
        if not me.alive or (you.cloaked and away > SIGHT_OF_THE_CLOAKED):
            return False
        if away > SIGHT_IN_THE_DARK and self._stage.in_the_dark(you):
            return False
        return (away <= AWARE or self.has_in_view(name, you.position)) and self.line(me.position, you.position)

    def has_in_view(self, name: str, point: Point) -> bool:
        """Whether a point lies before somebody's eyes, whatever is in between."""
        me = self.fighter(name)
        x, y = point[0] - me.x, point[1] - me.y
        away = math.hypot(x, y)
        return away <= SIGHT and x * math.cos(me.facing) + y * math.sin(me.facing) >= FIELD_OF_VIEW * away

    def line(self, one: Point, other: Point) -> bool:
        """Whether one point is in line of sight of the other."""
        return self._stage.line(one, other)

    def aimed_at_by(self, name: str) -> tuple[str, ...]:
        """Return who fires or aims at somebody now."""
        if self._threats is None:  # worked out once a step, whoever asks
            found: dict[str, list[str]] = {}
            for fighter in self._stage.fighters.values():
                act = fighter.act
                if act is not None and act.state == "animate" and ANIMATIONS[act.name].threatens:
                    found.setdefault(act.target, []).append(fighter.name)
            self._threats = {target: tuple(names) for target, names in found.items()}
        return self._threats.get(self.fighter(name).name, ())

    def hears(self, name: str, event: Event) -> bool:
        """Whether an event is loud enough to be heard where somebody is; walls make no difference."""
        me, about = self.fighter(name), event.context
        return me.alive and me.distance_to((about["x"], about["y"])) <= about["loud"]

    def protects(self, node: str, threat: Point) -> bool:
        """Whether a node shelters from fire that comes from ``threat``."""
        if node not in self.map.nodes:
            raise TelosError(f"the map has no node {node!r}", name_hint(node, self.map.nodes))
        return self.map.nodes[node].protects_from(threat)

    def room_at(self, point: Point) -> str:
        """Return the name of the room that a point lies in, or ``""`` in a doorway."""
        return self.map.room_at(point)

    def is_dark(self, room: str) -> bool:
        """Whether the light in a room is off."""
        return room in self._stage.dark

    def door(self, name: str) -> str:
        """Return whether a door is ``closed``, ``open`` or ``locked``."""
        if name not in self._stage.doors:
            raise TelosError(f"the map has no door {name!r}", name_hint(name, self._stage.doors))
        return self._stage.doors[name].state

    def living(self, side: str | None = None) -> tuple[str, ...]:
        """Return who is alive, of one side or of all."""
        fighters = self._stage.fighters.values()
        return tuple(each.name for each in fighters if each.alive and side in (None, each.side))

    def enemies_of(self, name: str) -> tuple[str, ...]:
        """Return the living of other sides; the neutral are nobody's enemies, and have none."""
        mine = self.fighter(name).side
        fighters = self._stage.fighters.values()
        others = (each for each in fighters if each.alive and each.side not in (mine, NEUTRAL))
        return tuple(each.name for each in others if mine != NEUTRAL)


def _text(command: object) -> str:
    if not isinstance(command, str):
        raise TelosError(f"a command is a line of text, not {command!r}")
    return command


@lru_cache(maxsize=8)  # what is found on a map never changes, so every arena on it may use it
def _searchers(map: ArenaMap) -> tuple[Navigator, Sight]:
    return Navigator(map), Sight(map)
