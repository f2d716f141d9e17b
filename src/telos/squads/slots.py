"""Filling slots: who suppresses, and who goes to which node. Two never get the same node."""

import math
from collections import deque
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from telos.agents.memory import Fact
from telos.squads.member import Member, distance, enemies, feels, in_valid_cover, number, walk


def suppressors(members: Iterable[Member], now: float) -> list[Member]:
    """Return who can lay suppression fire, the best first: from valid cover, then who has nowhere better to be."""

    def preference(member: Member) -> tuple[bool, bool, float, str]:
        could_hide = bool(free_cover(member, frozenset(), now))
        return not in_valid_cover(member, now), could_hide, -number(feels(member, "health", now), 0.0), member.name

    able = (member for member in members if feels(member, "loaded", now) and enemies([member], now))
    return sorted(able, key=preference)


def target_of(member: Member, now: float) -> str:
    """Return the enemy that a member would fire at: one in sight rather than not, then the nearest."""

    def preference(fact: Fact) -> tuple[bool, float, str]:
        return not fact.get("seen"), distance(member, fact.get("x"), fact.get("y")), fact.subject

    return min(enemies([member], now), key=preference).subject


def free_cover(member: Member, taken: AbstractSet[str], now: float) -> list[Fact]:
    """Return the valid cover that a member knows and that is nobody's: not in ``taken``, which has its own node too."""
    return [
        fact
        for fact in member.memory.all_of("cover", now)
        if fact.get("valid") and fact.subject not in taken and walk(member, fact) < math.inf
    ]


def distinct_nodes(ways: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """Give a node of its own to as many as possible; ``ways`` tells how far each has to go to the nodes it knows.

    Short ways are handed out first, and changed only so that somebody who would go without gets a node as well. The
    sum of the ways is therefore short, and not always the shortest.

    >>> distinct_nodes({"Ann": {"c1": 1, "c2": 2}, "Bob": {"c1": 5}})
    {'Bob': 'c1', 'Ann': 'c2'}
    """
    node_of: dict[str, str] = {}
    owner: dict[str, str] = {}
    for _, name, node in sorted((way, name, node) for name, each in ways.items() for node, way in each.items()):
        if name not in node_of and node not in owner:
            node_of[name], owner[node] = node, name
    for name in sorted(ways):
        if name not in node_of:
            _make_room(name, ways, node_of, owner)
    return {owner[node]: node for node in sorted(owner)}


def _make_room(
    name: str, ways: Mapping[str, Mapping[str, float]], node_of: dict[str, str], owner: dict[str, str]
) -> None:
    """Find a node for ``name`` by moving others on to other nodes that they know (an augmenting path)."""
    asked_by: dict[str, str] = {}
    queue = deque([name])
    while queue:
        asker = queue.popleft()
        for node in sorted(ways[asker], key=lambda node: (ways[asker][node], node)):
            if node in asked_by:
                continue
            asked_by[node] = asker
            if node in owner:
                queue.append(owner[node])
                continue
            while True:  # back along the path: each takes the node that it asked for, and leaves its own to the asker
                asker = asked_by[node]
                left = node_of.get(asker)
                node_of[asker], owner[node] = node, asker
                if left is None:
                    return
                node = left
