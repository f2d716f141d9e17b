"""The coordinator of one side: forms squads by proximity, and runs at most one behaviour in each."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from telos.core.errors import TelosError, name_hint
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap, check_finite, check_not_negative
from telos.files import Count, Finite, Items, SnapshotModel, read_snapshot
from telos.files.restoring import LENIENT, Omission, SnapshotCheck
from telos.squads.behaviours import ALL_BEHAVIOURS, Behaviour, BehaviourStatus, NotNow, assignment_flaw
from telos.squads.practices import ALL_PRACTICES, Practice
from telos.squads.squad import (
    EXCLUSIVE_TASKS,
    Assignment,
    BehaviourEnded,
    Member,
    Objective,
    ObjectiveSnapshot,
    OrdersGiven,
    Squad,
    SquadsFormed,
    SquadSnapshot,
    give_order,
    hold_position,
    repeat_order,
    self_report,
    sort_by_rank,
    withdraw_order,
)

Cell: TypeAlias = tuple[int, int]

# Cells are small enough that points in one cell are within reach of each other, with a margin for rounding, and large
# enough that points within reach are at most two cells apart.
_CELL_SIZE = 0.7
_NEIGHBOURS = [(across, down) for across in range(-2, 3) for down in range(3) if (down, across) > (0, 0)]


class Coordinator:
    """Forms squads of a side's members and gives them orders; it reads memories, never the world.

    Every ``every`` seconds it groups members that are connected by steps of at most ``reach`` metres; squads that carry
    out a behaviour stay as they are. The dead leave at once. ``behaviours`` are tried in their order.

    >>> from telos.squads import select_behaviours
    >>> red = Coordinator("red", behaviours=select_behaviours(["orderly-advance"]))
    >>> red.advance_to(None, ["gate", "yard"])
    >>> red.tick([], now=0.0)  # with all members of the side, about every frame
    >>> red.squads
    ()
    """

    def __init__(
        self,
        side: str,
        *,
        behaviours: Sequence[Behaviour] = ALL_BEHAVIOURS,
        practices: Sequence[Practice] = ALL_PRACTICES,
        reach: float = 12.0,
        every: float = 3.0,
        trace: Trace = silent,
    ) -> None:
        if not check_finite("reach", reach) > 0:
            raise TelosError(f"reach must be more than 0 metres, got {reach!r}")
        self.side, self.reach, self.every, self.trace = side, reach, check_not_negative("every", every), trace
        self._practices = tuple(practices)
        self._behaviours = {behaviour.name: behaviour for behaviour in behaviours}
        if len(self._behaviours) < len(behaviours):
            names = ", ".join(behaviour.name for behaviour in behaviours)
            raise TelosError(f"two behaviours have the same name ({names})", "rename one of them")
        self._squads: list[Squad] = []
        self._objectives: dict[str, Objective] = {}  # by member, since they outlast squads
        self._standing = Objective()  # for new members
        self._cooling: dict[str, dict[str, float]] = {}  # by squad: when a behaviour may begin again
        self._serial = 0
        self._grouped_at: float | None = None

    @property
    def squads(self) -> tuple[Squad, ...]:
        """Return the squads, each with its leader first."""
        return tuple(self._squads)

    def advance_to(self, squad: str | None, nodes: Iterable[str]) -> None:
        """Let a squad, or the whole side, advance along ``nodes`` while no enemy is known."""
        self.set_objective(squad, {"advance": list(nodes)})

    def set_objective(self, squad: str | None, objective: Objective | Mapping[str, Iterable[str]]) -> None:
        """Set the objective of a squad; without a squad, of the whole side, including new members."""
        wanted = Objective.parse(objective)
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
        """Remove the dead, regroup if it is due, watch current behaviours, and begin new ones."""
        check_finite("now", now)
        living = {member.name: member for member in members if member.alive and member.side == self.side}
        if len(living) < sum(member.alive and member.side == self.side for member in members):
            raise TelosError(f"two members of {self.side!r} have the same name", "give each its own")
        self._remove_dead(living, now)
        if self._grouped_at is None or not self._grouped_at <= now < self._grouped_at + self.every:
            self._regroup(living, now)
        taken = self._taken(living.values(), now)
        for squad in self._squads:
            for practice in self._practices:
                practice.apply(squad, now)
            squad.taken = taken
            if squad.assignment is None:
                self._consider(squad, now)
                taken |= _ordered_nodes(squad)
            else:
                self._watch(squad, squad.assignment, now)

    def _remove_dead(self, living: Mapping[str, Member], now: float) -> None:
        """Remove the dead and withdraw their orders. The next in rank leads."""
        for squad in self._squads:
            _withdraw_orders(squad, (member for member in squad.members if member.name not in living))
            squad.members = sort_by_rank(living[name] for name in squad.names if name in living)
            if not squad.members and squad.assignment is not None:
                self._conclude(squad, squad.assignment, False, "nobody is left", now)
        self._squads = [squad for squad in self._squads if squad.members]
        self._objectives = {name: each for name, each in self._objectives.items() if name in living}

    def _regroup(self, living: Mapping[str, Member], now: float) -> None:
        self._grouped_at = now
        before = {squad.name: squad.names for squad in self._squads}
        engaged = [squad for squad in self._squads if squad.engaged]
        busy = {name for squad in engaged for name in squad.names}
        free = sort_by_rank(member for name, member in living.items() if name not in busy)
        groups = [
            tuple(free[i] for i in each) for each in find_clusters([member.position for member in free], self.reach)
        ]
        names = name_squads([[member.name for member in group] for group in groups], before, self.side)
        kept = {squad.name: squad for squad in self._squads}
        idle = [kept.get(name) or Squad(name, ()) for name in names]
        for squad, group in zip(idle, groups, strict=True):
            squad.members = group
            given = [self._objectives.setdefault(member.name, self._standing) for member in group]
            squad.objective = next((each for each in given if each != Objective()), Objective())
        self._squads = sorted([*engaged, *idle], key=lambda squad: (len(squad.name), squad.name))
        self._cooling = {squad.name: self._cooling.get(squad.name, {}) for squad in self._squads}
        after = {squad.name: squad.names for squad in self._squads}
        if after != before:
            self.trace(SquadsFormed(now, self.side, FrozenMap(after)))

    def _taken(self, living: Iterable[Member], now: float) -> set[str]:
        """Return the nodes where members stand or are ordered to."""
        stands = {self_report(member, "at", now) for member in living}
        return stands.union(*map(_ordered_nodes, self._squads))

    def _consider(self, squad: Squad, now: float) -> None:
        """Begin the first behaviour whose slots can be filled; record why the others were not chosen."""
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
        if verdict.status is not BehaviourStatus.RUNNING:
            self._conclude(squad, assignment, verdict.status is BehaviourStatus.FULFILLED, verdict.why, now)
        elif now - (verdict.assignment or assignment).since >= behaviour.limit:
            self._conclude(squad, assignment, False, f"no headway for {behaviour.limit:g} s", now)
        elif verdict.assignment is not None:
            self._order(squad, verdict.assignment, now)
        else:
            for name, order in assignment.orders.items():
                member = squad.member(name)
                if member is not None:
                    repeat_order(member, order, now)

    def _order(self, squad: Squad, assignment: Assignment, now: float) -> None:
        """Give new orders of an assignment, and withdraw orders that are no longer part of it."""
        orders = {}
        for name, order in assignment.orders.items():
            if not order.serial:
                self._serial += 1
                order = replace(order, serial=self._serial)
            orders[name] = order
        before = squad.assignment.orders if squad.assignment is not None else {}
        squad.assignment = replace(assignment, orders=FrozenMap(orders))
        self._update_objective(squad, assignment.places)
        for member in squad.members:
            old, new = before.get(member.name), orders.get(member.name)
            if old is not None and old != new:
                withdraw_order(member, old)
            if new is not None and new != old:
                give_order(member, new, assignment.behaviour, now)
        self.trace(
            OrdersGiven(now, squad.name, assignment.behaviour, squad.assignment.describe_orders(), assignment.why)
        )

    def _conclude(self, squad: Squad, assignment: Assignment, done: bool, why: str, now: float) -> None:
        """End a behaviour and withdraw its orders. Whoever has run to cover is to stay there for a while."""
        for member in squad.members:
            if member.name in assignment.orders:
                hold_position(member, assignment.orders[member.name], now)
        _withdraw_orders(squad, squad.members)
        behaviour = self._behaviours[assignment.behaviour]
        self._cooling[squad.name][behaviour.name] = now + behaviour.cooldown
        if done:
            self._update_objective(squad, ())
        squad.assignment = None
        squad.passed_over = dict.fromkeys(self._behaviours, "it was not considered yet")
        squad.passed_over[behaviour.name] = f"it has just {'succeeded' if done else 'failed'}: {why}"
        self.trace(BehaviourEnded(now, squad.name, behaviour.name, done, why))

    def _update_objective(self, squad: Squad, places: tuple[str, ...]) -> None:
        """Reduce the objective to what the current behaviour has left to do."""
        serves = self._behaviours[squad.behaviour or ""].serves
        if serves is not None and getattr(squad.objective, serves):
            squad.objective = replace(squad.objective, **{serves: places})
            self._objectives |= dict.fromkeys(squad.names, squad.objective)

    def save(self) -> dict[str, Any]:
        """Return all state as plain data; members and their memories are saved by their owner."""
        return {
            "squads": [squad.save() for squad in self._squads],
            "objectives": {name: each.save() for name, each in self._objectives.items()},
            "standing": self._standing.save(),
            "cooling": {name: dict(each) for name, each in self._cooling.items()},
            "serial": self._serial,
            "grouped_at": self._grouped_at,
        }

    def restore(
        self, saved: Mapping[str, Any], members: Iterable[Member], *, lenient: bool = False
    ) -> tuple[Omission, ...]:
        """Restore a saved coordinator, with these members; faulty data raises a ``TelosError`` and changes nothing.

        With ``lenient``, squads whose members are gone and behaviours that are gone are left out, and returned.
        """
        check = SnapshotCheck("coordinator", lenient=lenient)
        read = read_snapshot(CoordinatorSnapshot, saved, of="coordinator")
        with check.sound():
            self.read(check, read, members)()
        return tuple(check.omissions)

    def read(self, check: SnapshotCheck, saved: "CoordinatorSnapshot", members: Iterable[Member]) -> Callable[[], None]:
        """Check a saved coordinator, and return what puts it into place."""
        known = {member.name: member for member in members if member.side == self.side}
        squads: dict[str, Squad] = {}
        for place, each in enumerate(saved.squads):
            with check.part(self.side, f"the squad {each.name!r}"):
                squad = self._read_squad(check.at("squads", place), each, known)
                check.require(each.name not in squads, ("squads", place, "name"), "is the name of another squad")
                taken = [name for other in squads.values() for name in other.names]
                check.require(not set(taken) & set(squad.names), ("squads", place, "members"), "are in two squads")
                check.require(check.lenient or each.name in saved.cooling, ("cooling", each.name), "is missing")
                squads[each.name] = squad
        objectives = {name: Objective.from_saved(each) for name, each in saved.objectives.items()}
        cooling = {name: dict(each) for name, each in saved.cooling.items()} | {
            name: {} for name in squads if name not in saved.cooling
        }
        standing = Objective.from_saved(saved.standing)

        def put() -> None:
            self._squads, self._objectives, self._standing = list(squads.values()), objectives, standing
            self._cooling, self._serial, self._grouped_at = cooling, saved.serial, saved.grouped_at

        return put

    def _read_squad(self, check: SnapshotCheck, saved: SquadSnapshot, members: Mapping[str, Member]) -> Squad:
        squad = Squad.from_saved(check, saved, members)
        if squad.behaviour is not None and squad.behaviour not in self._behaviours:
            if not check.lenient:
                message = f"is {squad.behaviour!r}, which is not a behaviour of {self.side!r}"
                remedy = name_hint(squad.behaviour, self._behaviours) or LENIENT
                raise check.fault(("assignment", "behaviour"), message, remedy)
            check.drop(squad.name, f"the behaviour {squad.behaviour!r}", f"{self.side!r} does not have it any more")
            squad.assignment = None
        if squad.assignment is not None:
            behaviour = self._behaviours[squad.assignment.behaviour]
            flaw = assignment_flaw(behaviour, squad.assignment, squad.names)
            if flaw is not None and not check.lenient:
                raise check.fault(("assignment", "orders"), f"do not make a {behaviour.name!r}: {flaw}")
            if flaw is not None:
                check.drop(squad.name, f"the behaviour {behaviour.name!r}", flaw)
                squad.assignment = None
        return squad


class CoordinatorSnapshot(SnapshotModel):
    """What a coordinator saves."""

    squads: Items[SquadSnapshot]
    objectives: dict[str, ObjectiveSnapshot]
    standing: ObjectiveSnapshot
    cooling: dict[str, dict[str, Finite]]
    serial: Count
    grouped_at: Finite | None


def _ordered_nodes(squad: Squad) -> set[str]:
    """Return the exclusive nodes that members of a squad are ordered to."""
    orders = squad.assignment.orders.values() if squad.assignment is not None else ()
    return {order.node for order in orders if order.node is not None and order.task in EXCLUSIVE_TASKS}


def _withdraw_orders(squad: Squad, members: Iterable[Member]) -> None:
    """Withdraw the orders of a squad's behaviour from some of its members."""
    orders = squad.assignment.orders if squad.assignment is not None else {}
    for member in members:
        if member.name in orders:
            withdraw_order(member, orders[member.name])


# --- grouping by proximity ---


def find_clusters(points: Sequence[tuple[float, float]], reach: float) -> list[list[int]]:
    """Return the groups of points connected by steps of at most ``reach``, as sorted indices.

    >>> find_clusters([(0, 0), (50, 0), (8, 0), (16, 0)], reach=10)
    [[0, 2, 3], [1]]
    """
    cells = _group_by_cell(points, reach * _CELL_SIZE)
    parent = {cell: cell for cell in cells}
    for (x, y), here in cells.items():
        for across, down in _NEIGHBOURS:
            one, other = (x, y), (x + across, y + down)
            if other in cells and (first := _find_root(parent, one)) != (second := _find_root(parent, other)):
                parent[first] = second if _are_connected(points, here, cells[other], reach) else first
    together: defaultdict[Cell, list[int]] = defaultdict(list)
    for cell, here in cells.items():
        together[_find_root(parent, cell)] += here
    return sorted(sorted(each) for each in together.values())


def _group_by_cell(points: Sequence[tuple[float, float]], size: float) -> dict[Cell, list[int]]:
    cells: defaultdict[Cell, list[int]] = defaultdict(list)
    for i, (x, y) in enumerate(points):
        if not (math.isfinite(x) and math.isfinite(y)):
            raise TelosError(f"({x!r}, {y!r}) is not a position", "give two finite numbers")
        cells[math.floor(x / size), math.floor(y / size)].append(i)
    return dict(cells)


def _find_root(parent: dict[Cell, Cell], cell: Cell) -> Cell:
    while parent[cell] != cell:
        parent[cell] = parent[parent[cell]]  # path halving
        cell = parent[cell]
    return cell


def _are_connected(
    points: Sequence[tuple[float, float]], some: Sequence[int], others: Sequence[int], reach: float
) -> bool:
    return any(math.dist(points[i], points[j]) <= reach for i in some for j in others)


def name_squads(groups: Sequence[Sequence[str]], before: Mapping[str, Sequence[str]], side: str) -> list[str]:
    """Name squads: a name stays with most of its squad, in a tie with its leader; new squads get free numbers.

    >>> name_squads([["Ann"], ["Bob", "Cid"]], {"red-1": ["Ann", "Bob", "Cid"]}, "red")
    ['red-2', 'red-1']
    """
    group_of = {name: i for i, group in enumerate(groups) for name in group}
    claims = []
    for place, (squad, members) in enumerate(before.items()):
        where = [group_of[name] for name in members if name in group_of]  # the leader comes first and wins a tie
        if where:
            most = max(where, key=where.count)
            claims.append((-where.count(most), place, squad, most))
    named: dict[int, str] = {}
    for _, _, squad, group in sorted(claims):
        named.setdefault(group, squad)
    numbers = (name for i in range(1, len(groups) + len(before) + 1) if (name := f"{side}-{i}") not in before)
    return [named.get(i) or next(numbers) for i in range(len(groups))]
