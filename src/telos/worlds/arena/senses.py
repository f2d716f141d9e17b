"""The sensors of the arena: what fighters feel, see, and know of the ground around them. All of it ends as facts."""

import re
from collections.abc import Iterable, Iterator, Mapping

from telos.agents.memory import Fact, WorkingMemory
from telos.agents.sensors import Sensor
from telos.core.frozen import FrozenMap
from telos.core.values import Value
from telos.worlds.arena.arena import Arena
from telos.worlds.arena.fighter import Fighter
from telos.worlds.arena.grid import Point
from telos.worlds.arena.limbs import Limbs
from telos.worlds.arena.map import Node
from telos.worlds.arena.rules import REACH_OF_HANDS

NEAR_ENOUGH = 18.0  # metres as the crow flies within which cover is worth knowing
NOTICES_DOORS = 12.0  # metres at which one sees that a door is shut
EARSHOT = 20.0  # metres within which comrades keep track of each other
BLAST = 6.0  # metres from a grenade that are too near
IN_FILE = 3.5  # metres to the one in front that are close enough
PASSING = 0.055  # confidence of what is to be forgotten in a moment
EMPTY_HANDED = 3.0  # metres from where an enemy was thought to be, at which one is sure that it is not there

_IN_THE_WAY = re.compile(r"(\w+) is (closed|locked|in the way)")
_HOLDS = re.compile(r"(\w+) (?:holds|will not open|is locked)")
WATCHING = ("look-round", "watch-from-wall", "hover")  # deeds that keep watch over a stop of the patrol
# Deeds that fulfil an order, and tasks that have to be kept up for as long as they are asked for.
ORDERED_DEEDS = ("suppress", "hold-position", "follow", "guard-rear", "search-room", "watch-partner")
LASTING = ("suppress", "follow", "guard_rear", "watch")
IN_THE_FILE = ("follow", "guard_rear")


def fact(kind: str, subject: str, now: float, confidence: float = 1.0, /, **attributes: Value) -> Fact:
    """Return a fact with its attributes as keywords."""
    return Fact(kind, subject, now, confidence, FrozenMap(attributes))


def gone(kind: str, subject: str, now: float) -> Fact:
    """Return a fact that is forgotten as soon as it is noted."""
    return Fact(kind, subject, now, 0.0)


def fallen(enemy: Fighter, now: float) -> Fact:
    """Return the fact that an enemy has been seen to fall; it is of no use for long."""
    return fact("enemy", enemy.name, now, PASSING, x=enemy.x, y=enemy.y, seen=True, sure=True, alive=False)


class Touch:
    """How one's own body is, what it bumped into, and what it has done about its orders. Read at every thought."""

    cost = 0.0

    def __init__(self, arena: Arena, limbs: Mapping[str, Limbs]) -> None:
        self._arena, self._limbs = arena, limbs

    def read(self, who: str, memory: WorkingMemory, now: float) -> Iterable[Fact]:
        """Return the fact about oneself, and what has just been learned the hard way."""
        fighter = self._arena.fighter(who)
        node = self._arena.map.at.get(fighter.cell)
        cover = node if node is not None and node.kind == "cover" and not fighter.is_walking else None
        yield fact(
            "self",
            who,
            now,
            at=self._at(who, fighter),
            in_cover=cover is not None,
            cover_valid=cover is not None and self._protects(cover, memory, now),
            health=fighter.health,
            under_fire=memory.recall("fire", "me", now) is not None,
            loaded=fighter.rounds > 0,
            spare=fighter.magazines > 0,
            grenade=fighter.grenades > 0,
            out_of_breath=fighter.out_of_breath,
            on_wall=fighter.on_wall,
            cloaked=fighter.cloaked,
            room=self._arena.room_at(fighter.position),
        )
        yield from self._bumps(fighter, memory, now)
        yield from _file(self._arena, fighter, memory, now)
        yield from self._duties(memory, now)

    def _at(self, who: str, fighter: Fighter) -> str | None:
        """Return what one stands at: where one was sent, if that is within reach, or the node under one's feet."""
        if fighter.is_walking:
            return None
        sent = self._limbs[who].place
        is_place = sent is not None and sent not in self._arena.fighters
        if sent and is_place and fighter.distance_to(self._arena.place_of(sent)) <= REACH_OF_HANDS:
            return sent
        node = self._arena.map.at.get(fighter.cell)
        return node.name if node is not None and node.name in self._arena.map.nodes else None

    def _protects(self, node: Node, memory: WorkingMemory, now: float) -> bool:
        return not memory.recall("unsafe", node.name, now) and all(node.protects_from(t) for t in threats(memory, now))

    def _bumps(self, fighter: Fighter, memory: WorkingMemory, now: float) -> Iterator[Fact]:
        """Yield what a failed attempt has taught: that something bars the way, or will not give."""
        if fighter.status == "failed":
            if found := _IN_THE_WAY.match(fighter.reason):
                kind = "low" if found[1].startswith("l") else "door"
                yield fact("barrier", found[1], now, kind=kind, locked=found[2] == "locked")
            elif found := _HOLDS.match(fighter.reason):
                kicked = fighter.reason.endswith("holds")
                yield fact("door", found[1], now, stuck=True, kick_failed=kicked)
        elif fighter.status == "done":
            target = self._arena.fighters.get(self._limbs[fighter.name].last.rpartition(" ")[2])
            if target is not None and not target.alive and target.side != fighter.side:
                yield fallen(target, now)  # whom one has shot at until they fell
        for barrier in memory.all_of("barrier", now):
            if self._is_past(barrier.subject, fighter):
                yield gone("barrier", barrier.subject, now)

    def _is_past(self, name: str, fighter: Fighter) -> bool:
        """Whether a door that barred the way is seen to be open; what one crawled under is behind one."""
        if name in self._arena.map.lows:
            return fighter.status == "done" and self._limbs[fighter.name].crawled(name)
        there = self._arena.map.doors[name].position
        return self._arena.door(name) == "open" and fighter.distance_to(there) <= EARSHOT

    def _duties(self, memory: WorkingMemory, now: float) -> Iterator[Fact]:
        """Yield which stop of the patrol has been watched, that an order is done, and which room has been searched."""
        for deed in (memory.recall("deed", name, now) for name in WATCHING):
            if deed is not None and deed["post"] is not None:
                yield Fact("watched", deed["post"], deed.time, attributes=FrozenMap({"count": deed["count"]}))
        order = memory.recall("order", "current", now)
        if order is None:
            return
        if is_obeyed(memory, order, now):
            yield fact("order_done", "current", now, serial=int(memory.focus["order"] or 0))
        searched = memory.recall("deed", "search-room", now)
        if searched is not None and searched["order_node"] is not None:
            room = self._arena.room_at(self._arena.place_of(searched["order_node"]))
            yield Fact("searched", room, searched.time)


def is_obeyed(memory: WorkingMemory, order: Fact, now: float) -> bool:
    """Whether the order that one attends to has been fulfilled; a lasting one, since it was last repeated."""
    serial, lasts = memory.focus.get("order"), order["task"] in LASTING
    deeds = (memory.recall("deed", name, now) for name in ORDERED_DEEDS)
    done = (deed for deed in deeds if deed is not None and deed["order"] == serial)
    if order["task"] in IN_THE_FILE and not is_in_file(memory, now):
        return False
    if any(not lasts or deed.time >= order.time or order["task"] in IN_THE_FILE for deed in done):
        return True
    reported = memory.recall("order_done", "current", now)
    return not lasts and reported is not None and str(reported["serial"]) == serial


def _file(arena: Arena, fighter: Fighter, memory: WorkingMemory, now: float) -> Iterator[Fact]:
    """Yield whether one is close behind whom one was told to follow."""
    order = memory.recall("order", "current", now)
    ahead = None if order is None else arena.fighters.get(str(order.get("target")))
    if ahead is not None and ahead.side == fighter.side:
        yield fact("file", "me", now, close=fighter.distance_to(ahead.position) <= IN_FILE)


def is_in_file(memory: WorkingMemory, now: float) -> bool:
    """Whether one is close behind whom one was told to follow."""
    file = memory.recall("file", "me", now)
    return file is not None and bool(file["close"])


def is_granted(memory: WorkingMemory, request: Fact, now: float) -> bool:
    """Whether one has done what a comrade called for."""
    deed = memory.recall("deed", "open-as-told", now)
    return deed is not None and deed.time >= request.time


def threats(memory: WorkingMemory, now: float) -> list[Point]:
    """Return where living enemies are thought to be."""
    return [(enemy["x"], enemy["y"]) for enemy in memory.all_of("enemy", now) if enemy["alive"]]


class Sight:
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
            near = fighter.distance_to((grenade.x, grenade.y))
            if near <= 15 and self._arena.line(fighter.position, (grenade.x, grenade.y)):
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
        yield from _file(self._arena, fighter, memory, now)
        for other in self._arena.comrades(fighter.name):
            if other.alive and fighter.distance_to(other.position) <= EARSHOT:
                yield fact("ally", other.name, now, rank=other.rank, hurt=other.health < 40)


class Surroundings:
    """Where there is cover from the known threats, where to lie in ambush, the stops of the patrol, what lies about."""

    cost = 10.0

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        nodes = arena.map.nodes.values()
        self._cover = tuple(node for node in nodes if node.kind == "cover")
        self._ambush = tuple(node for node in nodes if node.kind == "ambush")
        self._search = search_points(arena)

    def read(self, who: str, memory: WorkingMemory, now: float) -> Iterable[Fact]:
        """Return what is worth knowing of the places around."""
        fighter, against = self._arena.fighter(who), threats(memory, now)
        if against:
            yield from self._covers(fighter, against, memory, now)
            yield from self._ambushes(fighter, against, now)
            yield from self._loss(fighter, against, memory, now)
        for post in self._arena.map.patrol:
            yield fact("post", post, now)
        for room, node in self._search.items():
            far = self._walk(fighter, node)
            if far < NEAR_ENOUGH * 3:
                yield fact("node", node.name, now, x=node.x, y=node.y, room=room, kind="search", distance=far)
        for thing in self._arena.things():
            if fighter.distance_to((thing.x, thing.y)) <= NEAR_ENOUGH:
                yield fact("thing", thing.name, now, kind=thing.kind)

    def _covers(self, fighter: Fighter, against: list[Point], memory: WorkingMemory, now: float) -> Iterator[Fact]:
        threat = min(against, key=fighter.distance_to)
        taken = self._arena.taken_nodes(fighter.name)
        for node in self._cover:
            if fighter.distance_to(node.position) > NEAR_ENOUGH:
                continue
            valid = (
                node.name not in taken
                and all(node.protects_from(point) for point in against)
                and memory.recall("unsafe", node.name, now) is None
            )
            walk = self._walk(fighter, node)
            if valid and walk > NEAR_ENOUGH * 2:
                valid = False
            to_threat = round(_between(node.position, threat))
            sees = valid and self._arena.line(node.position, threat)
            yield fact(
                "cover", node.name, now,
                x=node.x, y=node.y, valid=valid, distance=walk, threat_distance=float(to_threat), sees=sees,
            )  # fmt: skip

    def _ambushes(self, fighter: Fighter, against: list[Point], now: float) -> Iterator[Fact]:
        taken = self._arena.taken_nodes(fighter.name)
        for node in self._ambush:
            hidden = not any(self._arena.line(node.position, threat) for threat in against)
            if hidden and node.name not in taken:
                yield fact("ambush", node.name, now, distance=self._walk(fighter, node))

    def _loss(self, fighter: Fighter, against: list[Point], memory: WorkingMemory, now: float) -> Iterator[Fact]:
        """Yield that the cover one is in no longer protects."""
        node = self._arena.map.at.get(fighter.cell)
        if node is None or node.kind != "cover" or fighter.is_walking:
            return
        if not all(node.protects_from(point) for point in against) or memory.recall("unsafe", node.name, now):
            yield fact("cover_lost", "me", now, node=node.name)

    def _walk(self, fighter: Fighter, node: Node) -> float:
        return float(
            round(min(1_000.0, self._arena.navigator.distance(fighter.position, node.position, flies=fighter.flies)))
        )


def search_points(arena: Arena) -> dict[str, Node]:
    """Return one node for each room to search it from: the one nearest to the middle of the room's nodes."""
    rooms: dict[str, list[Node]] = {}
    for node in arena.map.nodes.values():
        rooms.setdefault(arena.room_at(node.position), []).append(node)
    found = {}
    for room, nodes in rooms.items():
        middle = (sum(node.x for node in nodes) / len(nodes), sum(node.y for node in nodes) / len(nodes))
        found[room] = min(nodes, key=lambda node: (_between(node.position, middle), node.name))
    return found


def _between(one: Point, other: Point) -> float:
    return float(((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5)


def sensors_of(arena: Arena, limbs: Mapping[str, Limbs]) -> dict[str, Sensor]:
    """Return the sensors that characters of the arena may have, by name."""
    return {"touch": Touch(arena, limbs), "sight": Sight(arena), "surroundings": Surroundings(arena)}


SENSORS = ("touch", "sight", "surroundings")
