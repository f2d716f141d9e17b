"""What a fighter knows of the ground: cover from the known threats, ambushes, posts, rooms to search, things."""

import math
from collections.abc import Iterable, Iterator

from telos.agents.memory import Fact, WorkingMemory
from telos.worlds.arena.arena import Arena
from telos.worlds.arena.facts import fact, threats
from telos.worlds.arena.fighter import Fighter
from telos.worlds.arena.grid import Point
from telos.worlds.arena.map import Node

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
