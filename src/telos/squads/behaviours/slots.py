"""Who fills which slot: suppressors, free cover, and nodes matched with members."""

import math
from collections import deque
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from telos.agents.memory import Fact
from telos.squads.squad import (
    Member,
    as_number,
    distance_to,
    in_valid_cover,
    known_enemies,
    self_report,
    walking_distance,
)

Distances: TypeAlias = Mapping[str, Mapping[str, float]]  # distance to each node, by member


def find_suppressors(members: Iterable[Member], now: float) -> list[Member]:
    """Return members who can lay suppressive fire, best first: in valid cover, then without cover to go to."""

    def preference(member: Member) -> tuple[bool, bool, float, str]:
        could_hide = bool(find_free_cover(member, frozenset(), now))
        return (
            not in_valid_cover(member, now),
            could_hide,
            -as_number(self_report(member, "health", now), 0.0),
            member.name,
        )

    able = (member for member in members if self_report(member, "loaded", now) and known_enemies([member], now))
    return sorted(able, key=preference)


def choose_target(member: Member, now: float) -> str:
    """Return the enemy that a member would fire at: in sight first, then the nearest."""

    def preference(fact: Fact) -> tuple[bool, float, str]:
        return not fact.get("seen"), distance_to(member, fact.get("x"), fact.get("y")), fact.subject

    return min(known_enemies([member], now), key=preference).subject


def find_free_cover(member: Member, taken: AbstractSet[str], now: float) -> list[Fact]:
    """Return the valid cover that a member knows and that is not in ``taken`` (which includes its own node)."""
    return [
        fact
        for fact in member.memory.all_of("cover", now)
        if fact.get("valid") and fact.subject not in taken and walking_distance(member, fact) < math.inf
    ]


def assign_nodes(ways: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """Give a node of their own to as many members as possible; ``ways`` holds the distances to the nodes each knows.

    Short distances are assigned first, and changed only to give another member a node as well. The total distance is
    short, but not always minimal.

    >>> assign_nodes({"Ann": {"c1": 1, "c2": 2}, "Bob": {"c1": 5}})
    {'Bob': 'c1', 'Ann': 'c2'}
    """
    node_of: dict[str, str] = {}
    owner: dict[str, str] = {}
    for _, name, node in sorted((way, name, node) for name, each in ways.items() for node, way in each.items()):
        if name not in node_of and node not in owner:
            node_of[name], owner[node] = node, name
    for name in sorted(ways):
        if name not in node_of:
            _augment(name, ways, node_of, owner)
    return {owner[node]: node for node in sorted(owner)}


def _augment(
    name: str, ways: Mapping[str, Mapping[str, float]], node_of: dict[str, str], owner: dict[str, str]
) -> None:
    """Find a node for ``name`` by moving others to other nodes that they know (an augmenting path)."""
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
            while True:  # back along the path: each takes the node that it asked for and frees its own
                asker = asked_by[node]
                left = node_of.get(asker)
                node_of[asker], owner[node] = node, asker
                if left is None:
                    return
                node = left
