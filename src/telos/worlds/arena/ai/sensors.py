"""Sight, own body, surroundings, stimuli."""

import math
from collections.abc import Iterable, Iterator, Mapping

from telos.agents.crowd import Crowd
from telos.agents.memory import Fact, WorkingMemory
from telos.agents.sensors import Sensor
from telos.core.event import Event
from telos.core.values import FrozenMap
from telos.worlds.arena.ai.facts import fact, fallen, file_kept, gone, is_obeyed, threats
from telos.worlds.arena.ai.fighter_body import Limbs
from telos.worlds.arena.sim.arena import NEUTRAL, Arena
from telos.worlds.arena.sim.constants import NEAR_MISS, REACH_OF_HANDS
from telos.worlds.arena.sim.fighter import Fighter
from telos.worlds.arena.sim.map import Node, Point
from telos.worlds.arena.sim.outcomes import OutcomeKind

# --- eyes -------------------------------------------------------------------------------------------------------------
# What a fighter sees: enemies in view or gone out of it, guns, grenades, comrades, and doors ahead.


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


# --- touch ------------------------------------------------------------------------------------------------------------
# What a fighter feels: how its body is, what it bumped into, and what it has done about its orders.


WATCHING = ("look-round", "watch-from-wall", "hover")  # deeds that keep watch over a stop of the patrol
SEES_OPEN = 20.0  # metres at which one sees that a door that barred the way is open


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
        yield from file_kept(self._arena, fighter, memory, now)
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
            found = fighter.outcome
            if found.kind is OutcomeKind.BLOCKED:
                kind = "low" if found.is_low else "door"
                yield fact("barrier", found.obstacle, now, kind=kind, locked=found.locked)
            elif found.kind is OutcomeKind.STUCK:
                yield fact("door", found.obstacle, now, stuck=True, kick_failed=found.kicked)
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
        return self._arena.door(name) == "open" and fighter.distance_to(there) <= SEES_OPEN

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


# --- surroundings -----------------------------------------------------------------------------------------------------
# What a fighter knows of the ground: cover from the known threats, ambushes, posts, rooms to search, things.


NEAR_ENOUGH = 18.0  # metres as the crow flies within which cover is worth knowing


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
            to_threat = round(math.dist(node.position, threat))
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
        found[room] = min(nodes, key=lambda node: (math.dist(node.position, middle), node.name))
    return found


# --- senses -----------------------------------------------------------------------------------------------------------
# The sensors that characters of the arena may have. All that they tell ends as facts in memory.


SENSORS = ("touch", "sight", "surroundings")


def sensors_of(arena: Arena, limbs: Mapping[str, Limbs]) -> dict[str, Sensor]:
    """Return the sensors by name."""
    return {"touch": Touch(arena, limbs), "sight": Eyes(arena), "surroundings": Surroundings(arena)}


# --- stimuli ----------------------------------------------------------------------------------------------------------
# What reaches a mind at once, whatever its sensors are busy with: pain, near misses, noise, and words.


HEARD = 0.7  # confidence in where a noise came from


class Stimuli:
    """Hands the events of a step to those who feel or hear them."""

    def __init__(self, arena: Arena, crowd: Crowd) -> None:
        self._arena, self._crowd = arena, crowd

    def deliver(self, events: Iterable[Event], now: float) -> None:
        """Let everybody perceive what happened in the last step."""
        for event in events:
            if event.action == "hit":
                self._hurt(event, now)
            elif event.action == "shot":
                self._missed(event, now)
            elif event.action == "dead":
                self._fallen(event, now)
            elif event.action == "exploded":
                self._is_over(str(event.context["grenade"]), now)
            if event.context["loud"] > 0:
                self._heard(event, now)

    def _feel(self, who: str, *facts: Fact) -> None:
        for each in facts:
            self._crowd.stimulate(who, each)

    def _hurt(self, event: Event, now: float) -> None:
        victim = str(event.context["target"])
        node = self._arena.map.at.get(self._arena.fighter(victim).cell)
        in_cover = bool(event.context.get("in_cover"))
        self._feel(victim, fact("fire", "me", now), fact("hit", "me", now, in_cover=in_cover))
        if in_cover and node is not None:
            self._count_hits(victim, node.name, now)

    def _count_hits(self, victim: str, node: str, now: float) -> None:
        """Being hit at a place makes it less of a cover; the second time in a short while, it is none."""
        mind = self._crowd.minds.get(victim)
        if mind is None:
            return
        before = mind.memory.recall("hits_at", node, now)
        count = 1 if before is None else before["count"] + 1
        self._feel(victim, fact("hits_at", node, now, count=count))
        if count >= 2:
            self._feel(victim, fact("unsafe", node, now), fact("cover_lost", "me", now, node=node))

    def _missed(self, event: Event, now: float) -> None:
        target = event.context.get("target")
        if target in self._crowd.minds:
            self._feel(str(target), fact("fire", "me", now))
            near = self._arena.fighter(str(target)).position
            side = self._arena.fighter(str(target)).side
            for other in self._arena.near(near, NEAR_MISS):
                if other.side == side and other.name != target:
                    self._feel(other.name, fact("fire", "me", now))

    def _fallen(self, event: Event, now: float) -> None:
        victim = self._arena.fighter(str(event.context["target"]))
        dead = fallen(victim, now)
        for name in self._crowd.minds:
            other = self._arena.fighter(name)
            if not _opposed(other, victim):
                continue
            if name == event.player or self._arena.line(other.position, victim.position):
                self._feel(name, dead)

    def _is_over(self, grenade: str, now: float) -> None:
        """Let those who feared a grenade forget it."""
        for name, mind in self._crowd.minds.items():
            if mind.memory.recall("grenade", grenade, now) is not None:
                self._feel(name, gone("grenade", grenade, now))

    def _heard(self, event: Event, now: float) -> None:
        maker = event.player
        if maker not in self._arena.fighters:
            return
        stranger = self._arena.fighter(maker)
        x, y = float(event.context["x"]), float(event.context["y"])
        for name, mind in self._crowd.minds.items():
            if not _opposed(self._arena.fighter(name), stranger) or not self._arena.hears(name, event):
                continue
            known = mind.memory.recall("enemy", maker, now)
            if known is None or not known["seen"]:
                sure = known is not None and known["sure"]
                noise = fact("enemy", maker, now, HEARD, x=round(x), y=round(y), seen=False, sure=sure, alive=True)
                self._feel(name, noise)


def _opposed(one: Fighter, other: Fighter) -> bool:
    """Whether two are enemies; the neutral are nobody's."""
    return one.side != other.side and NEUTRAL not in (one.side, other.side)
