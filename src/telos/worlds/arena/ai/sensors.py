"""Sensors of fighters (sight, own body, terrain) and the delivery of stimuli; all results are facts in memory.

`make_sensors` lists the sensors that characters may name; `StimulusDelivery` brings events to minds at once.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from telos.agents.memory import Fact, WorkingMemory
from telos.agents.mind_schedule import MindSchedule
from telos.agents.sensors import Sensor
from telos.core.domain import Domain
from telos.core.event import Event
from telos.core.values import FrozenMap
from telos.worlds.arena.ai.facts import (
    enemy_down_fact,
    expired_fact,
    formation_fact,
    known_threats,
    make_fact,
    order_fulfilled,
    thing_facts,
)
from telos.worlds.arena.ai.fighter_body import FighterBody
from telos.worlds.arena.ai.whereabouts import WhereaboutsSensor, places_of, room_likelihoods
from telos.worlds.arena.sim.arena import NEUTRAL, Arena
from telos.worlds.arena.sim.constants import NEAR_MISS_RANGE, PINNED, UNPINNED, USE_RANGE
from telos.worlds.arena.sim.fighter import Fighter
from telos.worlds.arena.sim.map import Cell, MapNode, Point, cell_centre, cell_of
from telos.worlds.arena.sim.navigation import Walker
from telos.worlds.arena.sim.outcomes import OutcomeKind

SENSORS = ("touch", "sight", "surroundings", "whereabouts")
ALLY_RANGE = 20.0  # metres at which comrades are noticed
GRENADE_RANGE = 20.0  # metres
DOOR_RANGE = 12.0  # metres at which a shut door is noticed
SEARCHED_RANGE = 3.0  # metres from an enemy's believed position at which its absence is certain
WATCH_ACTIONS = ("look-round", "watch-from-wall", "hover")  # actions that watch a patrol stop
OPEN_DOOR_RANGE = 20.0  # metres at which an open door is noticed
COVER_RANGE = 18.0  # metres, straight distance
MAX_WAYS = 4096  # remembered ways to cover, with what the enemy sees of them
NOISE_CONFIDENCE = 0.7  # confidence in the position of a noise


def make_sensors(arena: Arena, bodies: Mapping[str, FighterBody], domain: Domain) -> dict[str, Sensor]:
    """Return the sensors of an arena by name."""
    return {
        "touch": BodySensor(arena, bodies),
        "sight": SightSensor(arena),
        "surroundings": TerrainSensor(arena, domain),
        "whereabouts": WhereaboutsSensor(arena),
    }


# --- sight ---


class SightSensor:
    """Enemies in view or lost from it, fighters aiming at the reader, grenades, comrades, and shut doors ahead."""

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
            yield make_fact("aimed_at", "me", now, by=aiming[0])
        for grenade in self._arena.grenades():
            there = (grenade.x, grenade.y)
            if fighter.distance_to(there) > GRENADE_RANGE or not self._arena.has_in_view(who, there):
                continue
            if self._arena.has_line_of_sight(fighter.position, there):
                yield make_fact("grenade", grenade.name, now, x=round(grenade.x, 1), y=round(grenade.y, 1))
        yield from self._comrades(fighter, memory, now)
        yield from self._door_ahead(fighter, now)

    def _door_ahead(self, fighter: Fighter, now: float) -> Iterator[Fact]:
        """Yield a barrier for a shut door on the current path, once it is in sight."""
        door = self._arena.door_on_the_way(fighter.name)
        if door is not None and fighter.distance_to(self._arena.place_of(door)) <= DOOR_RANGE:
            yield make_fact("barrier", door, now, kind="door", locked=False)

    def _enemy(self, fighter: Fighter, other: Fighter, memory: WorkingMemory, now: float) -> Iterator[Fact]:
        known = memory.recall("enemy", other.name, now)
        if not other.alive:
            if known is not None and known["alive"] and self._arena.has_line_of_sight(fighter.position, other.position):
                yield enemy_down_fact(other, now)
        elif self._arena.sees(fighter.name, other.name):
            # Rounded to half a metre, so that a still enemy gives the same fact at every reading.
            x, y = round(other.x * 2) / 2, round(other.y * 2) / 2
            yield make_fact("enemy", other.name, now, x=x, y=y, seen=True, sure=True, alive=True)
            yield make_fact("contact", "me", now)
        elif known is not None and known["alive"]:
            there = (known["x"], known["y"])
            if fighter.distance_to(there) <= SEARCHED_RANGE and self._arena.has_line_of_sight(fighter.position, there):
                yield expired_fact("enemy", other.name, now)
            elif known["seen"]:
                yield Fact(
                    "enemy", other.name, known.time, known.confidence, FrozenMap({**known.attributes, "seen": False})
                )

    def _comrades(self, fighter: Fighter, memory: WorkingMemory, now: float) -> Iterator[Fact]:
        yield from formation_fact(self._arena, fighter, memory, now)
        for other in self._arena.comrades(fighter.name):
            if other.alive and fighter.distance_to(other.position) <= ALLY_RANGE:
                yield make_fact("ally", other.name, now, rank=other.rank, hurt=other.health < 0.4 * other.healthy)


# --- own body ---


class BodySensor:
    """The fighter's own body, obstacles that it met, and the status of its orders. Read at every thought."""

    cost = 0.0

    def __init__(self, arena: Arena, bodies: Mapping[str, FighterBody]) -> None:
        self._arena, self._bodies = arena, bodies

    def read(self, who: str, memory: WorkingMemory, now: float) -> Iterable[Fact]:
        """Return the fact about the fighter itself, and what its last command has shown."""
        fighter = self._arena.fighter(who)
        node = self._arena.map.at.get(fighter.cell)
        cover = node if node is not None and node.kind == "cover" and not fighter.is_walking else None
        yield make_fact(
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
            pinned=self._is_pinned(fighter, memory, now),
            room=self._arena.room_at(fighter.position),
        )
        if fighter.holstered:
            for name, left in fighter.arms.items():
                held = name == fighter.weapon.name
                yield make_fact("weapon", name, now, rounds=left.rounds, spare=left.magazines > 0, held=held)
        yield from self._obstacles(fighter, memory, now)
        yield from formation_fact(self._arena, fighter, memory, now)
        yield from self._order_status(memory, now)

    def _is_pinned(self, fighter: Fighter, memory: WorkingMemory, now: float) -> bool:
        """Whether fire keeps the fighter down: from a strong suppression on, until most of it has passed."""
        before = memory.recall("self", fighter.name, now)
        was_pinned = before is not None and bool(before["pinned"])
        return not fighter.flies and (fighter.suppressed > UNPINNED if was_pinned else fighter.suppressed >= PINNED)

    def _at(self, who: str, fighter: Fighter) -> str | None:
        """Return the place of the fighter: its last destination if within reach, or the node under it."""
        if fighter.is_walking:
            return None
        sent = self._bodies[who].place
        is_place = sent is not None and sent not in self._arena.fighters
        if sent and is_place and fighter.distance_to(self._arena.place_of(sent)) <= USE_RANGE:
            return sent
        node = self._arena.map.at.get(fighter.cell)
        return node.name if node is not None and node.name in self._arena.map.nodes else None

    def _protects(self, node: MapNode, memory: WorkingMemory, now: float) -> bool:
        return not memory.recall("unsafe", node.name, now) and all(
            node.protects_from(t) for t in known_threats(memory, now)
        )

    def _obstacles(self, fighter: Fighter, memory: WorkingMemory, now: float) -> Iterator[Fact]:
        """Yield what a failed command shows: an obstacle on the path, or a door that is stuck."""
        if fighter.status == "failed":
            found = fighter.outcome
            if found.kind is OutcomeKind.BLOCKED:
                kind = "low" if found.is_low else "door"
                yield make_fact("barrier", found.obstacle, now, kind=kind, locked=found.locked)
            elif found.kind is OutcomeKind.STUCK:
                yield make_fact("door", found.obstacle, now, stuck=True, kick_failed=found.kicked)
        elif fighter.status == "done":
            target = self._arena.fighters.get(self._bodies[fighter.name].last.rpartition(" ")[2])
            if target is not None and not target.alive and target.side != fighter.side:
                yield enemy_down_fact(target, now)  # the target of the last attack
        for barrier in memory.all_of("barrier", now):
            if self._is_past(barrier.subject, fighter):
                yield expired_fact("barrier", barrier.subject, now)

    def _is_past(self, name: str, fighter: Fighter) -> bool:
        """Whether a barrier no longer matters: the door is seen open, or the obstacle was crawled under."""
        if name in self._arena.map.lows:
            return fighter.status == "done" and self._bodies[fighter.name].has_crawled(name)
        there = self._arena.map.doors[name].position
        return self._arena.door(name) == "open" and fighter.distance_to(there) <= OPEN_DOOR_RANGE

    def _order_status(self, memory: WorkingMemory, now: float) -> Iterator[Fact]:
        """Yield watched patrol stops, fulfilled orders and searched rooms."""
        for deed in (memory.recall("deed", name, now) for name in WATCH_ACTIONS):
            if deed is not None and deed["post"] is not None:
                yield Fact("watched", deed["post"], deed.time, attributes=FrozenMap({"count": deed["count"]}))
        order = memory.recall("order", "current", now)
        if order is None:
            return
        if order_fulfilled(memory, order, now):
            yield make_fact("order_done", "current", now, serial=int(memory.focus["order"] or 0))
        searched = memory.recall("deed", "search-room", now)
        if searched is not None and searched["order_node"] is not None:
            room = self._arena.room_at(self._arena.place_of(searched["order_node"]))
            yield Fact("searched", room, searched.time)


# --- terrain ---


class TerrainSensor:
    """Cover from known threats, ambush nodes, patrol stops, rooms to search, and things nearby."""

    cost = 10.0

    def __init__(self, arena: Arena, domain: Domain) -> None:
        self._arena, self._domain = arena, domain
        nodes = arena.map.nodes.values()
        self._cover = tuple(node for node in nodes if node.kind == "cover")
        self._ambush = tuple(node for node in nodes if node.kind == "ambush")
        self._search = find_search_points(arena)
        self._seen_metres = lru_cache(maxsize=MAX_WAYS)(
            self._measure_seen_metres
        )  # fighters mostly stay where they are

    def read(self, who: str, memory: WorkingMemory, now: float) -> Iterable[Fact]:
        """Return the relevant places around the fighter."""
        fighter, against = self._arena.fighter(who), known_threats(memory, now)
        if against:
            yield from self._covers(fighter, against, memory, now)
            yield from self._ambushes(fighter, against, now)
            yield from self._lost_cover(fighter, against, memory, now)
        for post in self._arena.map.patrol:
            yield make_fact("post", post, now, narrow=self._arena.map.is_narrow(post))
        is_hunted = bool(memory.all_of("whereabouts", now))
        likely = room_likelihoods(memory, places_of(self._arena.map), now) if is_hunted else {}
        for room, node in self._search.items():
            far = self._walk(fighter, node)
            if far < COVER_RANGE * 3:
                about = {"likely": likely.get(room, 0.0)} if likely else {}
                yield make_fact(
                    "node", node.name, now, x=node.x, y=node.y, room=room, kind="search", distance=far, **about
                )
        for thing in self._arena.things():
            if fighter.distance_to((thing.x, thing.y)) <= COVER_RANGE:
                yield make_fact("thing", thing.name, now, kind=thing.kind)
        yield from thing_facts(self._arena, fighter, self._domain, now)

    def _covers(self, fighter: Fighter, against: list[Point], memory: WorkingMemory, now: float) -> Iterator[Fact]:
        threat = min(against, key=fighter.distance_to)
        taken = self._arena.taken_nodes(fighter.name)
        for node in self._cover:
            if fighter.distance_to(node.position) > COVER_RANGE:
                continue
            valid = (
                node.name not in taken
                and all(node.protects_from(point) for point in against)
                and memory.recall("unsafe", node.name, now) is None
            )
            walk = self._walk(fighter, node)
            if valid and walk > COVER_RANGE * 2:
                valid = False
            to_threat = round(math.dist(node.position, threat))
            sees = valid and self._arena.has_line_of_sight(node.position, threat)
            in_view = self._metres_in_view(fighter, node, threat) if valid else 0.0
            yield make_fact(
                "cover", node.name, now,
                x=node.x, y=node.y, valid=valid, distance=walk, threat_distance=float(to_threat), sees=sees,
                in_view=in_view, exposes=valid and self._exposes(node, threat),
            )  # fmt: skip

    def _metres_in_view(self, fighter: Fighter, node: MapNode, threat: Point) -> float:
        """Return roughly how many metres of the way to a node a threat has in view; 0 if the fighter is there."""
        doors = tuple(map(self._arena.door, self._arena.map.doors))  # a shut one blocks the view
        return self._seen_metres(fighter.cell, node.name, threat, fighter.flies, doors)

    def _measure_seen_metres(self, start: Cell, node: str, threat: Point, flies: bool, doors: tuple[str, ...]) -> float:
        here, there = cell_centre(start), self._arena.map.nodes[node].position
        metres = 0.0
        for point in self._arena.navigator.find_path(here, there, Walker(flies=flies)) or ():
            middle = ((here[0] + point[0]) / 2, (here[1] + point[1]) / 2)
            seen = sum(self._arena.has_line_of_sight(each, threat) for each in (here, middle, point))
            metres, here = metres + math.dist(here, point) * seen / 3, point
        return float(round(metres))

    def _exposes(self, node: MapNode, threat: Point) -> bool:
        """Whether the cover that an enemy is believed to be in, if any, does not protect it from a node."""
        cover = self._arena.map.at.get(cell_of(threat))
        is_behind = cover is not None and cover.kind == "cover" and cover.protects_from(node.position)
        return not is_behind and self._arena.has_line_of_sight(node.position, threat)

    def _ambushes(self, fighter: Fighter, against: list[Point], now: float) -> Iterator[Fact]:
        taken = self._arena.taken_nodes(fighter.name)
        for node in self._ambush:
            hidden = not any(self._arena.has_line_of_sight(node.position, threat) for threat in against)
            if hidden and node.name not in taken:
                yield make_fact("ambush", node.name, now, distance=self._walk(fighter, node))

    def _lost_cover(self, fighter: Fighter, against: list[Point], memory: WorkingMemory, now: float) -> Iterator[Fact]:
        """Yield that the fighter's current cover no longer protects it."""
        node = self._arena.map.at.get(fighter.cell)
        if node is None or node.kind != "cover" or fighter.is_walking:
            return
        if not all(node.protects_from(point) for point in against) or memory.recall("unsafe", node.name, now):
            yield make_fact("cover_lost", "me", now, node=node.name)

    def _walk(self, fighter: Fighter, node: MapNode) -> float:
        walker = Walker(flies=fighter.flies)
        return float(round(min(1_000.0, self._arena.navigator.distance(fighter.position, node.position, walker))))


def find_search_points(arena: Arena) -> dict[str, MapNode]:
    """Return one node per room to search it from: the node nearest to the centroid of the room's nodes."""
    rooms: dict[str, list[MapNode]] = {}
    for node in arena.map.nodes.values():
        rooms.setdefault(arena.room_at(node.position), []).append(node)
    found = {}
    for room, nodes in rooms.items():
        middle = (sum(node.x for node in nodes) / len(nodes), sum(node.y for node in nodes) / len(nodes))
        found[room] = min(nodes, key=lambda node: (math.dist(node.position, middle), node.name))
    return found


# --- stimuli ---


class StimulusDelivery:
    """Delivers hits, near misses, deaths, explosions and noise to minds immediately, outside the sensor schedule."""

    def __init__(self, arena: Arena, crowd: MindSchedule) -> None:
        self._arena, self._crowd = arena, crowd

    def deliver(self, events: Iterable[Event], now: float) -> None:
        """Deliver the events of the last step to the minds that perceive them."""
        for event in events:
            if event.action == "hit":
                self._hit(event, now)
            elif event.action == "shot":
                self._shot(event, now)
            elif event.action == "dead":
                self._died(event, now)
            elif event.action == "exploded":
                self._exploded(str(event.context["grenade"]), now)
            if event.context["loud"] > 0:
                self._heard(event, now)

    def _stimulate(self, who: str, *facts: Fact) -> None:
        if who not in self._crowd.minds:
            return  # a player, or dead
        for each in facts:
            self._crowd.stimulate(who, each)

    def _hit(self, event: Event, now: float) -> None:
        victim = str(event.context["target"])
        node = self._arena.map.at.get(self._arena.fighter(victim).cell)
        in_cover = bool(event.context.get("in_cover"))
        self._stimulate(victim, make_fact("fire", "me", now), make_fact("hit", "me", now, in_cover=in_cover))
        if in_cover and node is not None:
            self._count_hits(victim, node.name, now)

    def _count_hits(self, victim: str, node: str, now: float) -> None:
        """Count hits at a cover node; the second one within a short time makes the node unsafe."""
        mind = self._crowd.minds.get(victim)
        if mind is None:
            return
        before = mind.memory.recall("hits_at", node, now)
        count = 1 if before is None else before["count"] + 1
        self._stimulate(victim, make_fact("hits_at", node, now, count=count))
        if count >= 2:
            self._stimulate(victim, make_fact("unsafe", node, now), make_fact("cover_lost", "me", now, node=node))

    def _shot(self, event: Event, now: float) -> None:
        target = event.context.get("target")
        if target in self._crowd.minds:
            self._stimulate(str(target), make_fact("fire", "me", now))
            near = self._arena.fighter(str(target)).position
            side = self._arena.fighter(str(target)).side
            for other in self._arena.fighters_near(near, NEAR_MISS_RANGE):
                if other.side == side and other.name != target:
                    self._stimulate(other.name, make_fact("fire", "me", now))

    def _died(self, event: Event, now: float) -> None:
        victim = self._arena.fighter(str(event.context["target"]))
        dead = enemy_down_fact(victim, now)
        for name in self._crowd.minds:
            other = self._arena.fighter(name)
            if not _are_enemies(other, victim):
                continue
            if name == event.player or self._arena.has_line_of_sight(other.position, victim.position):
                self._stimulate(name, dead)

    def _exploded(self, grenade: str, now: float) -> None:
        """Make minds forget a grenade that has exploded."""
        for name, mind in self._crowd.minds.items():
            if mind.memory.recall("grenade", grenade, now) is not None:
                self._stimulate(name, expired_fact("grenade", grenade, now))

    def _heard(self, event: Event, now: float) -> None:
        maker = event.player
        if maker not in self._arena.fighters:
            return
        source = self._arena.fighter(maker)
        x, y = float(event.context["x"]), float(event.context["y"])
        for name, mind in self._crowd.minds.items():
            if not _are_enemies(self._arena.fighter(name), source) or not self._arena.hears(name, event):
                continue
            known = mind.memory.recall("enemy", maker, now)
            if known is None or not known["seen"]:
                sure = known is not None and known["sure"]
                noise = make_fact(
                    "enemy", maker, now, NOISE_CONFIDENCE, x=round(x), y=round(y), seen=False, sure=sure, alive=True
                )
                self._stimulate(name, noise)


def _are_enemies(one: Fighter, other: Fighter) -> bool:
    """Whether two fighters are enemies; neutral fighters have none."""
    return one.side != other.side and NEUTRAL not in (one.side, other.side)
