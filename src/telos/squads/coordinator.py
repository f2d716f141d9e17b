"""Group members, run behaviours."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from telos.core.errors import TelosError, name_hint
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap, check_finite, check_not_negative
from telos.squads.behaviours import ALL, Behaviour, NotNow, Status
from telos.squads.squad import (
    FOR_ONE,
    Assignment,
    Concluded,
    Grouped,
    Member,
    Objective,
    Ordered,
    Squad,
    by_rank,
    feels,
    give,
    repeat,
    withdraw,
)

# --- grouping ---------------------------------------------------------------------------------------------------------
# Who belongs together: clusters by proximity, and names that stay with most of a squad.


Cell: TypeAlias = tuple[int, int]

# Cells are so small that all in one are within reach of each other, with a margin for rounding, and so large that
# whoever is in reach is at most two cells away.
_CELL = 0.7
_AHEAD = [(across, down) for across in range(-2, 3) for down in range(3) if (down, across) > (0, 0)]


def clusters(points: Sequence[tuple[float, float]], reach: float) -> list[list[int]]:
    """Return who is connected with whom by steps of at most ``reach``, as places in ``points``, in their order.

    >>> clusters([(0, 0), (50, 0), (8, 0), (16, 0)], reach=10)
    [[0, 2, 3], [1]]
    """
    cells = _cells(points, reach * _CELL)
    parent = {cell: cell for cell in cells}
    for (x, y), here in cells.items():
        for across, down in _AHEAD:
            one, other = (x, y), (x + across, y + down)
            if other in cells and (first := _root(parent, one)) != (second := _root(parent, other)):
                parent[first] = second if _touch(points, here, cells[other], reach) else first
    together: defaultdict[Cell, list[int]] = defaultdict(list)
    for cell, here in cells.items():
        together[_root(parent, cell)] += here
    return sorted(sorted(each) for each in together.values())


def _cells(points: Sequence[tuple[float, float]], size: float) -> dict[Cell, list[int]]:
    cells: defaultdict[Cell, list[int]] = defaultdict(list)
    for i, (x, y) in enumerate(points):
        if not (math.isfinite(x) and math.isfinite(y)):
            raise TelosError(f"({x!r}, {y!r}) is no position", "give two finite numbers")
        cells[math.floor(x / size), math.floor(y / size)].append(i)
    return dict(cells)


def _root(parent: dict[Cell, Cell], cell: Cell) -> Cell:
    while parent[cell] != cell:
        parent[cell] = parent[parent[cell]]  # halves the way for whoever asks next
        cell = parent[cell]
    return cell


def _touch(points: Sequence[tuple[float, float]], some: Sequence[int], others: Sequence[int], reach: float) -> bool:
    return any(math.dist(points[i], points[j]) <= reach for i in some for j in others)


def names_for(groups: Sequence[Sequence[str]], before: Mapping[str, Sequence[str]], side: str) -> list[str]:
    """Name squads: a name stays where most of its squad is, with its leader if in doubt; new squads get free numbers.

    >>> names_for([["Ann"], ["Bob", "Cid"]], {"red-1": ["Ann", "Bob", "Cid"]}, "red")
    ['red-2', 'red-1']
    """
    group_of = {name: i for i, group in enumerate(groups) for name in group}
    claims = []
    for place, (squad, members) in enumerate(before.items()):
        where = [group_of[name] for name in members if name in group_of]  # the leader's first, so it wins a tie
        if where:
            most = max(where, key=where.count)
            claims.append((-where.count(most), place, squad, most))
    named: dict[int, str] = {}
    for _, _, squad, group in sorted(claims):
        named.setdefault(group, squad)
    numbers = (name for i in range(1, len(groups) + len(before) + 1) if (name := f"{side}-{i}") not in before)
    return [named.get(i) or next(numbers) for i in range(len(groups))]


# --- coordinator ------------------------------------------------------------------------------------------------------
# The coordinator of one side: makes squads of who is near, and keeps at most one behaviour going in each.


class Coordinator:
    """Knows the members of a side and what they remember, never the world, and speaks to them in orders.

    Every ``every`` seconds it puts into one squad who is connected by steps of at most ``reach`` metres; squads that
    are busy with a behaviour are left as they are. The dead leave at once. Of ``behaviours``, those that come first
    are considered first.

    >>> from telos.squads.behaviours import behaviours
    >>> red = Coordinator("red", behaviours=behaviours(["orderly-advance"]))
    >>> red.advance_to(None, ["gate", "yard"])
    >>> red.tick([], now=0.0)  # with everybody there is, every frame or so
    >>> red.squads
    ()
    """

    def __init__(
        self,
        side: str,
        *,
        behaviours: Sequence[Behaviour] = ALL,
        reach: float = 12.0,
        every: float = 3.0,
        trace: Trace = silent,
    ) -> None:
        if not check_finite("reach", reach) > 0:
            raise TelosError(f"reach must be more than 0 metres, got {reach!r}")
        self.side, self.reach, self.every, self.trace = side, reach, check_not_negative("every", every), trace
        self._behaviours = {behaviour.name: behaviour for behaviour in behaviours}
        if len(self._behaviours) < len(behaviours):
            names = ", ".join(behaviour.name for behaviour in behaviours)
            raise TelosError(f"two behaviours have one name ({names})", "rename one of them")
        self._squads: list[Squad] = []
        self._objectives: dict[str, Objective] = {}  # by member, so that they outlast the squads
        self._standing = Objective()  # for whoever is new
        self._cooling: dict[str, dict[str, float]] = {}  # of each squad, from when on a behaviour may come again
        self._serial = 0
        self._grouped_at: float | None = None

    @property
    def squads(self) -> tuple[Squad, ...]:
        """Return the squads there are, each with its leader first."""
        return tuple(self._squads)

    def advance_to(self, squad: str | None, nodes: Iterable[str]) -> None:
        """Have a squad, or all of the side, advance along ``nodes`` when no enemy is about."""
        self.set_objective(squad, {"advance": list(nodes)})

    def set_objective(self, squad: str | None, objective: Objective | Mapping[str, Iterable[str]]) -> None:
        """Give a squad an objective in place of any other; without a squad, all of the side, newcomers too."""
        wanted = Objective.of(objective)
        if squad is None:
            self._standing = wanted
            self._objectives = {}
        elif squad not in {each.name for each in self._squads}:
            raise TelosError(f"unknown squad {squad!r}", name_hint(squad, [each.name for each in self._squads]))
        for each in self._squads:
            if squad in (None, each.name):
                self._objectives |= dict.fromkeys(each.names, wanted)
                each.objective = wanted

    def tick(self, members: Sequence[Member], now: float) -> None:
        """Let the dead go, make squads anew if it is time to, watch the behaviours under way, and begin others."""
        check_finite("now", now)
        living = {member.name: member for member in members if member.alive and member.side == self.side}
        if len(living) < sum(member.alive and member.side == self.side for member in members):
            raise TelosError(f"two members of {self.side!r} have one name", "give each its own")
        self._let_go(living, now)
        if self._grouped_at is None or not self._grouped_at <= now < self._grouped_at + self.every:
            self._regroup(living, now)
        taken = self._taken(living.values(), now)
        for squad in self._squads:
            squad.taken = taken
            if squad.assignment is None:
                self._consider(squad, now)
                taken |= _held(squad)
            else:
                self._watch(squad, squad.assignment, now)

    def _let_go(self, living: Mapping[str, Member], now: float) -> None:
        """Strike the dead off, and take their orders back. Whoever is next in rank leads, from this moment on."""
        for squad in self._squads:
            _take_back(squad, (member for member in squad.members if member.name not in living))
            squad.members = by_rank(living[name] for name in squad.names if name in living)
            if not squad.members and squad.assignment is not None:
                self._conclude(squad, squad.assignment, False, "nobody is left", now)
        self._squads = [squad for squad in self._squads if squad.members]
        self._objectives = {name: each for name, each in self._objectives.items() if name in living}

    def _regroup(self, living: Mapping[str, Member], now: float) -> None:
        self._grouped_at = now
        before = {squad.name: squad.names for squad in self._squads}
        engaged = [squad for squad in self._squads if squad.engaged]
        busy = {name for squad in engaged for name in squad.names}
        free = by_rank(member for name, member in living.items() if name not in busy)
        groups = [tuple(free[i] for i in each) for each in clusters([member.position for member in free], self.reach)]
        names = names_for([[member.name for member in group] for group in groups], before, self.side)
        kept = {squad.name: squad for squad in self._squads}
        loose = [kept.get(name) or Squad(name, ()) for name in names]
        for squad, group in zip(loose, groups, strict=True):
            squad.members = group
            given = [self._objectives.setdefault(member.name, self._standing) for member in group]
            squad.objective = next((each for each in given if each != Objective()), Objective())
        self._squads = sorted([*engaged, *loose], key=lambda squad: (len(squad.name), squad.name))
        self._cooling = {squad.name: self._cooling.get(squad.name, {}) for squad in self._squads}
        after = {squad.name: squad.names for squad in self._squads}
        if after != before:
            self.trace(Grouped(now, self.side, FrozenMap(after)))

    def _taken(self, living: Iterable[Member], now: float) -> set[str]:
        """Return the nodes that are somebody's: where members stand, and where they are ordered to."""
        stands = {feels(member, "at", now) for member in living}
        return stands.union(*map(_held, self._squads))

    def _consider(self, squad: Squad, now: float) -> None:
        """Begin the first behaviour whose slots can be filled; note of the others why not."""
        squad.passed_over = {}
        cooling = self._cooling[squad.name]
        for behaviour in self._behaviours.values():
            if squad.assignment is not None:
                squad.passed_over[behaviour.name] = f"{squad.behaviour} comes first"
            elif now < cooling.get(behaviour.name, now):
                squad.passed_over[behaviour.name] = f"it has just ended; again from {cooling[behaviour.name]:.1f} s on"
            elif isinstance(answer := behaviour.propose(squad, now), NotNow):
                squad.passed_over[behaviour.name] = answer.why
            else:
                self._order(squad, answer, now)

    def _watch(self, squad: Squad, assignment: Assignment, now: float) -> None:
        behaviour = self._behaviours[assignment.behaviour]
        verdict = behaviour.watch(assignment, squad, now)
        if verdict.status is not Status.RUNNING:
            self._conclude(squad, assignment, verdict.status is Status.FULFILLED, verdict.why, now)
        elif now - (verdict.assignment or assignment).since >= behaviour.limit:
            self._conclude(squad, assignment, False, f"no headway for {behaviour.limit:g} s", now)
        elif verdict.assignment is not None:
            self._order(squad, verdict.assignment, now)
        else:
            for name, order in assignment.orders.items():
                member = squad.member(name)
                if member is not None:
                    repeat(member, order, now)

    def _order(self, squad: Squad, assignment: Assignment, now: float) -> None:
        """Give the orders of an assignment that are new, and take back those that are not part of it any more."""
        orders = {}
        for name, order in assignment.orders.items():
            if not order.serial:
                self._serial += 1
                order = replace(order, serial=self._serial)
            orders[name] = order
        before = squad.assignment.orders if squad.assignment is not None else {}
        squad.assignment = replace(assignment, orders=FrozenMap(orders))
        self._left_to_do(squad, assignment.places)
        for member in squad.members:
            old, new = before.get(member.name), orders.get(member.name)
            if old is not None and old != new:
                withdraw(member, old)
            if new is not None and new != old:
                give(member, new, assignment.behaviour, now)
        self.trace(Ordered(now, squad.name, assignment.behaviour, squad.assignment.said(), assignment.why))

    def _conclude(self, squad: Squad, assignment: Assignment, done: bool, why: str, now: float) -> None:
        """End a behaviour: no order of it stays in a memory."""
        _take_back(squad, squad.members)
        behaviour = self._behaviours[assignment.behaviour]
        self._cooling[squad.name][behaviour.name] = now + behaviour.cooldown
        if done:
            self._left_to_do(squad, ())
        squad.assignment = None
        squad.passed_over = dict.fromkeys(self._behaviours, "it was not considered yet")
        squad.passed_over[behaviour.name] = f"it has just {'succeeded' if done else 'failed'}: {why}"
        self.trace(Concluded(now, squad.name, behaviour.name, done, why))

    def _left_to_do(self, squad: Squad, places: tuple[str, ...]) -> None:
        """Strike off the objective what the behaviour under way has done of it."""
        serves = self._behaviours[squad.behaviour or ""].serves
        if serves is not None and getattr(squad.objective, serves):
            squad.objective = replace(squad.objective, **{serves: places})
            self._objectives |= dict.fromkeys(squad.names, squad.objective)

    def save(self) -> dict[str, Any]:
        """Return all there is as plain data; members and their memories are saved by whoever owns them."""
        return {
            "squads": [squad.save() for squad in self._squads],
            "objectives": {name: each.save() for name, each in self._objectives.items()},
            "standing": self._standing.save(),
            "cooling": {name: dict(each) for name, each in self._cooling.items()},
            "serial": self._serial,
            "grouped_at": self._grouped_at,
        }

    def restore(self, saved: Mapping[str, Any], members: Iterable[Member]) -> None:
        """Become exactly the coordinator that was saved, with these members."""
        known = {member.name: member for member in members}
        squads = [Squad.restored(each, known) for each in saved["squads"]]
        for squad in squads:
            if squad.behaviour is not None and squad.behaviour not in self._behaviours:
                remedy = name_hint(squad.behaviour, self._behaviours)
                raise TelosError(f"{squad.name} was saved with the behaviour {squad.behaviour!r}", remedy)
        self._squads = squads
        self._objectives = {name: Objective.of(each) for name, each in saved["objectives"].items()}
        self._standing = Objective.of(saved["standing"])
        self._cooling = {name: dict(each) for name, each in saved["cooling"].items()}
        self._serial, self._grouped_at = saved["serial"], saved["grouped_at"]


def _held(squad: Squad) -> set[str]:
    """Return the nodes with room for one that members of a squad are ordered to."""
    orders = squad.assignment.orders.values() if squad.assignment is not None else ()
    return {order.node for order in orders if order.node is not None and order.task in FOR_ONE}


def _take_back(squad: Squad, members: Iterable[Member]) -> None:
    """Take the orders of a squad's behaviour back from some of its members."""
    orders = squad.assignment.orders if squad.assignment is not None else {}
    for member in members:
        if member.name in orders:
            withdraw(member, orders[member.name])
