"""Practices: what a squad does all the time, beside its behaviour. They write facts into memories, and move nobody.

``ShareTargets`` marks a target of its own for as many members as possible; ``ShareSightings`` tells all members where
an enemy was seen; ``KeepDown`` has spare guns pin enemies. A practice is switched on by its name, like a behaviour.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from telos.agents.memory import Fact
from telos.core.values import FrozenMap
from telos.squads.squad import (
    Member,
    Squad,
    distance_to,
    in_valid_cover,
    known_enemies,
    select_by_name,
    self_report,
)

MARK_SECONDS = 2.0  # after which a mark that is not renewed counts no more
SIGHTING_SECONDS = 1.0  # at most that old is a sighting that is passed on
OVERWHELMING = 3  # members for each known enemy, from which on there are guns to spare for suppressive fire
TOLD_CONFIDENCE = 0.9  # of what a comrade has told, as a share of the comrade's


class Practice(Protocol):
    """Something that a squad does at every update, whatever its behaviour."""

    @property
    def name(self) -> str: ...

    def apply(self, squad: Squad, now: float) -> None:
        """Write facts into the memories of the members."""


# --- targets ---


@dataclass(frozen=True, slots=True)
class ShareTargets:
    """Gives every enemy in sight a gun of its own before anybody has two.

    Whoever is shot at aims badly: spread fire keeps more enemies from aiming than fire on one of them. The ``mark`` is
    a fact that weighs in a member's attention while the enemy is in sight.
    """

    name: str = "share-targets"

    def apply(self, squad: Squad, now: float) -> None:
        """Mark a target for each member who sees an enemy."""
        for member, target in share_out(sightings_by_member(squad.members, now)).items():
            squad_member = squad.member(member)
            assert squad_member is not None
            squad_member.memory.note(Fact("mark", "current", now, attributes=FrozenMap({"target": target})))


def sightings_by_member(members: Iterable[Member], now: float) -> dict[str, dict[str, float]]:
    """Return, for each member who sees enemies, the distance to each of them."""
    found = {}
    for member in members:
        seen = {
            fact.subject: distance_to(member, fact.get("x"), fact.get("y"))
            for fact in member.memory.all_of("enemy", now)
            if fact.get("seen") and fact.get("alive", True)
        }
        if seen:
            found[member.name] = seen
    return found


def share_out(seen: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """Give each member one of the enemies in its sight: those seen by fewest first, each to the nearest free member.

    >>> share_out({"Ann": {"pat": 5.0, "rex": 9.0}, "Bob": {"pat": 4.0}, "Cid": {"pat": 6.0}})
    {'Ann': 'rex', 'Bob': 'pat', 'Cid': 'pat'}
    """
    target_of: dict[str, str] = {}
    watchers = [name for name, enemies in seen.items() if enemies]
    while len(target_of) < len(watchers):
        viewers: dict[str, list[str]] = {}
        for name, enemies in seen.items():
            for enemy in enemies if name not in target_of else ():
                viewers.setdefault(enemy, []).append(name)
        for enemy in sorted(viewers, key=lambda enemy: (len(viewers[enemy]), enemy)):
            free = [name for name in viewers[enemy] if name not in target_of]
            if free:
                target_of[min(free, key=lambda name: (seen[name][enemy], name))] = enemy
    return {name: target_of[name] for name in watchers}


# --- sightings ---


@dataclass(frozen=True, slots=True)
class ShareSightings:
    """Tells all members where an enemy was seen, by whom and when; their own sightings count for more.

    Nobody has to go and look after a noise whose maker a comrade sees.
    """

    name: str = "share-sightings"

    def apply(self, squad: Squad, now: float) -> None:
        """Pass the newest sighting of each enemy on to those who do not see it themselves."""
        newest: dict[str, tuple[Fact, Member]] = {}
        for member in squad.members:
            for fact in member.memory.all_of("enemy", now):
                is_own = fact.get("seen") and fact.get("alive", True) and now - fact.time <= SIGHTING_SECONDS
                if is_own and (fact.subject not in newest or fact.time > newest[fact.subject][0].time):
                    newest[fact.subject] = fact, member
        for fact, witness in newest.values():
            for member in squad.members:
                if member is not witness:
                    tell_sighting(member, fact, witness.name, now)


def tell_sighting(member: Member, fact: Fact, witness: str, now: float) -> None:
    """Let a member know of an enemy that a comrade sees, unless it sees the enemy itself or knows it is dead."""
    known = member.memory.recall("enemy", fact.subject, now)
    if known is not None and (known.get("seen") or not known.get("alive", True)):
        return
    attributes = FrozenMap({**fact.attributes, "seen": False, "told_by": witness})
    member.memory.note(Fact("enemy", fact.subject, fact.time, fact.confidence * TOLD_CONFIDENCE, attributes))


# --- suppressive fire ---


@dataclass(frozen=True, slots=True)
class KeepDown:
    """Has one gun keep each enemy down, so that the others aim in peace, if there are three members for each enemy.

    Somebody else must see the enemy as well. Whoever keeps an enemy down goes on with it while he can. The
    ``keep_down`` fact is an advice: the member takes cover first, and reloads when he must.
    """

    name: str = "keep-down"

    def apply(self, squad: Squad, now: float) -> None:
        """Tell the members who are to fire suppressively, and at whom."""
        seen = sightings_by_member(squad.members, now)
        for name, target in choose_suppressive_fire(squad, seen, now).items():
            member = squad.member(name)
            assert member is not None
            member.memory.note(Fact("keep_down", "current", now, attributes=FrozenMap({"target": target})))


def choose_suppressive_fire(squad: Squad, seen: Mapping[str, Mapping[str, float]], now: float) -> dict[str, str]:
    """Return who is to keep which enemy down: one gun for each, if the squad is strong enough."""
    known = {fact.subject for fact in known_enemies(squad.members, now)}
    if len(squad.members) < OVERWHELMING * len(known):
        return {}
    orders = {} if squad.assignment is None else squad.assignment.orders
    suppressed = {order.target for order in orders.values() if order.task == "suppress"}
    chosen: dict[str, str] = {}
    for enemy in sorted(known - suppressed):
        free = [
            member
            for member in squad.members
            if enemy in seen.get(member.name, ()) and member.name not in orders and member.name not in chosen
        ]
        able = [member for member in free if self_report(member, "loaded", now)]
        if able and len(free) > 1:  # somebody else aims at it
            best = min(able, key=lambda member: _unfitness(member, enemy, seen[member.name][enemy], now))
            chosen[best.name] = enemy
    return chosen


def _unfitness(member: Member, enemy: str, away: float, now: float) -> tuple[bool, bool, float, str]:
    """Rate a member for keeping an enemy down, the best lowest: who does so already, in cover, and far away."""
    before = member.memory.recall("keep_down", "current", now)
    does_so = before is not None and now - before.time <= MARK_SECONDS and before.get("target") == enemy
    return not does_so, not in_valid_cover(member, now), -away, member.name


# --- registry ---


ALL_PRACTICES: tuple[Practice, ...] = (ShareTargets(), ShareSightings(), KeepDown())


def select_practices(names: Iterable[str]) -> tuple[Practice, ...]:
    """Return practices by name.

    >>> [each.name for each in select_practices(["share-targets"])]
    ['share-targets']
    """
    return select_by_name(names, ALL_PRACTICES, "squad practice")
