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
    visible_enemy,
    walking_distance,
)

RunCosts: TypeAlias = Mapping[str, Mapping[str, float]]  # cost of running to each node, by member

RESEND_SECONDS = 15.0  # in which nobody is sent to the same node again
EXPOSING_WORTH = 8.0  # metres that a shooter would rather run to where the enemy's cover does not protect it
VIEW_WORTH = 6.0  # metres that a shooter would rather run to cover with a view of the enemy


def find_suppressors(members: Iterable[Member], now: float) -> list[Member]:
    """Return members who can lay suppressive fire, best first: in valid cover, then without cover to go to.

    Of two of these, the one who sees an enemy is better, then the one in better health.
    """

    def preference(member: Member) -> tuple[bool, bool, bool, float, str]:
        could_hide = bool(find_free_cover(member, frozenset(), now))
        return (
            not in_valid_cover(member, now),
            could_hide,
            not sees_enemy(member, now),
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


def choose_suppressed(suppressor: Member, runners: Iterable[Member], now: float) -> str:
    """Return the enemy to keep down while others run: the nearest to the runners of those who see one of them."""
    members = list(runners)
    seen = {fact.subject for fact in known_enemies(members, now) if fact.get("seen")}
    found = [fact for fact in known_enemies([suppressor], now) if fact.subject in seen]

    def preference(fact: Fact) -> tuple[bool, float, str]:
        away = min(distance_to(member, fact.get("x"), fact.get("y")) for member in members)
        return not fact.get("seen"), away, fact.subject

    return min(found, key=preference).subject if found else choose_target(suppressor, now)


def find_free_cover(member: Member, taken: AbstractSet[str], now: float) -> list[Fact]:
    """Return the valid cover that a member knows and that is not in ``taken`` (which includes its own node).

    A node to which it was sent a moment ago does not count: if it has left it again, it had its reasons.
    """
    return [
        fact
        for fact in member.memory.all_of("cover", now)
        if fact.get("valid")
        and fact.subject not in taken
        and walking_distance(member, fact) < math.inf
        and not was_sent(member, fact.subject, now)
    ]


def was_sent(member: Member, node: str, now: float) -> bool:
    """Whether a member was ordered to a node a moment ago."""
    sent = member.memory.recall("sent", node, now)
    return sent is not None and now - sent.time < RESEND_SECONDS


def run_cost(member: Member, cover: Fact, now: float) -> float:
    """Return the metres of a run to cover; those in view of the enemy count twice, and the loss of a view as well.

    Who sees no enemy now has no fire to lose.
    """
    loses_view = sees_enemy(member, now) and not cover.get("sees", True)
    worth = EXPOSING_WORTH if cover.get("exposes") else 0.0
    return walking_distance(member, cover) + as_number(cover.get("in_view"), 0.0) + VIEW_WORTH * loses_view - worth


def sees_enemy(member: Member, now: float) -> bool:
    """Whether a member has an enemy in sight."""
    return visible_enemy(known_enemies([member], now), now) is not None


def is_threatened(member: Member, now: float) -> bool:
    """Whether a member sees an enemy, who may see it as well, or is under fire."""
    return bool(self_report(member, "under_fire", now)) or sees_enemy(member, now)


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
