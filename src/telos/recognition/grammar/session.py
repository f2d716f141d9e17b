"""PlanSession: the beam of hypotheses about one player's plans, updated with each action, saved and resumed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from telos.core.errors import TelosError
from telos.files.snapshots import (
    CHANCES_TOLERANCE,
    MAX_COUNT,
    Count,
    Finite,
    Items,
    NonNegative,
    Row,
    SnapshotPart,
    check_length,
    snapshot_error,
)
from telos.recognition.grammar.earley import (
    Column,
    EarleyItem,
    GoalShares,
    ParserTables,
    advance_column,
    column_next_actions,
    set_shares,
    start_column,
)
from telos.recognition.grammar.grammar import PlanGrammar, possible_steps

# --- session ----------------------------------------------------------------------------------------------------------

AdvancePlan: TypeAlias = Callable[[Column], tuple[float, Column | None]]

MIN_CHANCE = 1e-12  # below this a plan counts as finished, or as active


@dataclass(slots=True)
class PlanHypothesis:
    """One explanation of the session: the active plans, its weight, and the finished goals."""

    plans: tuple[Column, ...]
    weight: float
    finished: GoalShares  # the expected number of times that each goal was reached
    last: GoalShares  # the chance of each goal to be the last one reached


class PlanSession:
    """The hypotheses about one player after each action, as a beam; weights sum to 1.

    The generative model: at every action the player does something without purpose (noise), starts another plan, or
    continues one of the active plans, all of them equally likely. A finished plan is removed.

    ``lost`` is the share of probability that the beam has dropped so far, and ``log_likelihood`` a lower bound: exact
    while nothing is lost.
    """

    def __init__(self, grammar: PlanGrammar) -> None:
        self.grammar, self._tables = grammar, grammar.tables
        self.root = start_column(self._tables)
        nothing = [0.0] * len(grammar.goals)
        self.hypotheses = [PlanHypothesis((), 1.0, nothing, list(self._tables.prior))]
        self.lost, self.log_likelihood = 0.0, 0.0
        self.noise = 0.0  # the chance that the last action was noise
        self.ignored = 0  # actions without any explanation

    def observe(self, action: str) -> bool:
        """Update with an action; False if nothing explains it, and nothing changed."""
        steps = tuple(self._tables.actions[each] for each in possible_steps(action) if each in self._tables.actions)
        found, by_noise = self._successors(steps)
        total = math.fsum(each.weight for each in found)
        if total <= 0.0:
            self.ignored += 1
            return False
        self.noise = by_noise / total
        self.log_likelihood += math.log(total)
        self._keep(found, total)
        return True

    def _successors(self, steps: tuple[int, ...]) -> tuple[list[PlanHypothesis], float]:
        tolerance = self.grammar.tolerance
        strange = tolerance.noise / (len(self._tables.actions) + 1)  # one more, for all unknown actions
        moved: dict[Column, tuple[float, Column | None]] = {}
        found, by_noise = _HypothesisMerger(), 0.0

        def move(plan: Column) -> tuple[float, Column | None]:
            if plan not in moved:
                moved[plan] = advance_column(self._tables, plan, steps)
            return moved[plan]

        for each in self.hypotheses:
            found.add(each.plans, each.weight * strange, each.finished, each.last)
            by_noise += each.weight * strange
            begins = tolerance.starts(len(each.plans))
            if begins:
                found.add_successors(
                    each, (*each.plans, self.root), len(each.plans), (1.0 - tolerance.noise) * begins, move
                )
            for place, plan in enumerate(each.plans):
                chance = (1.0 - tolerance.noise) * (1.0 - begins) / len(each.plans) / sum(plan.opened)
                found.add_successors(each, each.plans, place, chance, move)
        return found.hypotheses(), by_noise

    def _keep(self, found: list[PlanHypothesis], total: float) -> None:
        found.sort(key=lambda each: -each.weight)
        beam = self.grammar.tolerance.beam
        kept, dropped = found[:beam], math.fsum(each.weight for each in found[beam:])
        rest = total - dropped if dropped else total
        for each in kept:
            each.weight /= rest
        if dropped:
            self.log_likelihood += math.log(rest / total)
            self.lost = 1.0 - (1.0 - self.lost) * (rest / total)
        self.hypotheses = kept

    def belief(self) -> GoalShares:
        """Return the chance of each goal: that of a random active plan, or the last one reached."""
        shares = [0.0] * len(self.grammar.goals)
        for each in self.hypotheses:
            if not each.plans:
                _add(shares, each.last, each.weight)
            for plan in each.plans:
                _add(shares, plan.opened, each.weight / len(each.plans) / sum(plan.opened))
        total = math.fsum(shares)
        return [share / total for share in shares]

    def pursued(self) -> GoalShares:
        """Return the expected number of plans for each goal, finished or active."""
        shares = [0.0] * len(self.grammar.goals)
        for each in self.hypotheses:
            _add(shares, each.finished, each.weight)
            for plan in each.plans:
                _add(shares, plan.opened, each.weight / sum(plan.opened))
        return shares

    def next_actions(self) -> dict[str, float]:
        """Return the chance of each next action; the rest to 1 is for unknown actions."""
        tolerance = self.grammar.tolerance
        chances = [tolerance.noise / (len(self._tables.actions) + 1)] * len(self._tables.actions)
        per_plan: dict[Column, float] = {}
        for each in self.hypotheses:
            begins = tolerance.starts(len(each.plans))
            if begins:
                per_plan[self.root] = per_plan.get(self.root, 0.0) + each.weight * begins
            for plan in each.plans:
                share = each.weight * (1.0 - begins) / len(each.plans) / sum(plan.opened)
                per_plan[plan] = per_plan.get(plan, 0.0) + share
        for plan, share in per_plan.items():
            for step, chance in column_next_actions(self._tables, plan).items():
                chances[-1 - step] += (1.0 - tolerance.noise) * share * chance
        return dict(zip(self._tables.actions, chances, strict=True))


class _HypothesisMerger:
    """Merges hypotheses with the same active plans: what was finished before makes no difference later."""

    def __init__(self) -> None:
        self._by_plans: dict[frozenset[Column], PlanHypothesis] = {}

    def hypotheses(self) -> list[PlanHypothesis]:
        for each in self._by_plans.values():
            each.finished = [share / each.weight for share in each.finished]
            each.last = [share / each.weight for share in each.last]
        return list(self._by_plans.values())

    def add(self, plans: tuple[Column, ...], weight: float, finished: GoalShares, last: GoalShares) -> None:
        if weight <= 0.0:
            return
        nothing = [0.0] * len(last)
        known = self._by_plans.setdefault(frozenset(plans), PlanHypothesis(plans, 0.0, nothing, list(nothing)))
        known.weight += weight
        _add(known.finished, finished, weight)
        _add(known.last, last, weight)

    def add_successors(
        self, hypothesis: PlanHypothesis, plans: tuple[Column, ...], place: int, chance: float, move: AdvancePlan
    ) -> None:
        """Add the successors of a hypothesis in which the plan at ``place`` explains the action: active or finished."""
        seen, after = move(plans[place])
        if after is None:
            return
        weight = hypothesis.weight * chance * seen
        opened, closed = math.fsum(after.opened), math.fsum(after.closed)
        if opened > MIN_CHANCE:
            under_way = (*plans[:place], after, *plans[place + 1 :])
            self.add(under_way, weight * opened, hypothesis.finished, hypothesis.last)
        if closed > MIN_CHANCE:
            last = [share / closed for share in after.closed]
            finished = [before + now for before, now in zip(hypothesis.finished, last, strict=True)]
            self.add((*plans[:place], *plans[place + 1 :]), weight * closed, finished, last)


def _add(to: GoalShares, shares: GoalShares, times: float) -> None:
    for place, share in enumerate(shares):
        to[place] += share * times


# --- saving -----------------------------------------------------------------------------------------------------------


SUM_TOLERANCE = 1e-3  # by how much shares may miss 1: written chances of each method miss it by up to 1e-6

_Shares: TypeAlias = Items[NonNegative]
_Rounded: TypeAlias = Annotated[float, Field(ge=0, le=1 + CHANCES_TOLERANCE, allow_inf_nan=False)]  # quotients of sums
_Finished: TypeAlias = Annotated[float, Field(ge=0, le=MAX_COUNT, allow_inf_nan=False)]


class ColumnSnapshot(SnapshotPart):
    """The data of a saved ``Column``: methods by the step that they wait for, and the tasks that may start."""

    place: Count
    waiting: Items[Row[tuple[int, Items[Row[tuple[Count, Count, Count, NonNegative]]]]]]
    expected: Items[Row[tuple[Count, _Shares]]]
    opened: _Shares
    closed: _Shares


class SessionSnapshot(SnapshotPart):
    """The data of a saved ``PlanSession``: a hypothesis has its plans (columns), weight, finished goals and last."""

    columns: Items[ColumnSnapshot]
    hypotheses: Items[Row[tuple[Items[Count], _Rounded, Items[_Finished], _Shares]]]
    lost: _Rounded
    log_likelihood: Finite
    noise: _Rounded
    ignored: Count


def save_session(session: PlanSession) -> dict[str, Any]:
    """Return a session as plain data. Each column is listed once, after those that it refers to."""
    columns: dict[Column, int] = {session.root: 0}
    for each in session.hypotheses:
        for plan in each.plans:
            _number(plan, columns)
    return {
        "columns": [_plain(column, columns) for column in columns],
        "hypotheses": [
            [[columns[plan] for plan in each.plans], each.weight, list(each.finished), list(each.last)]
            for each in session.hypotheses
        ],
        "lost": session.lost,
        "log_likelihood": session.log_likelihood,
        "noise": session.noise,
        "ignored": session.ignored,
    }


def resume_session(grammar: PlanGrammar, saved: SessionSnapshot, path: Sequence[str | int] = ()) -> PlanSession:
    """Return a session that continues from a saved state, the part at ``path`` of a reader's snapshot.

    A column follows from its waiting methods, those from older columns, and these in the end from the grammar. So one
    that does not is refused: it is damaged, or of another grammar.
    """
    session, columns = PlanSession(grammar), list[Column]()
    for number, each in enumerate(saved.columns):
        where = (*path, "columns", number)
        if (each.place == 0) != (number == 0):
            raise _misfit((*where, "place"))
        columns.append(_read_column(grammar.tables, each, columns, where) if number else session.root)
        _check_column(grammar.tables, each, columns[-1], where)
    check_lineages(columns, (*path, "columns"))
    if not columns:
        raise snapshot_error("reader", (*path, "columns"), "has no entry")
    hypotheses = enumerate(saved.hypotheses)
    session.hypotheses = [_read_hypothesis(session, each, columns, (*path, "hypotheses", k)) for k, each in hypotheses]
    total = math.fsum(each.weight for each in session.hypotheses)
    if abs(total - 1.0) > CHANCES_TOLERANCE:
        raise snapshot_error("reader", (*path, "hypotheses"), f"have weights that sum to {total:.9g}, not to 1")
    session.lost, session.log_likelihood = saved.lost, saved.log_likelihood
    session.noise, session.ignored = saved.noise, saved.ignored
    return session


def _number(column: Column, numbers: dict[Column, int]) -> None:
    # Iterative, because long plans of nested methods would exceed the recursion limit.
    to_do = [column]
    while to_do:
        each = to_do[-1]
        missing = [item.origin for items in each.waiting.values() for item in items if item.origin not in numbers]
        if missing and each not in numbers:
            to_do += missing
            continue
        to_do.pop()
        numbers.setdefault(each, len(numbers))


def _plain(column: Column, numbers: dict[Column, int]) -> dict[str, Any]:
    return {
        "place": column.place,
        "waiting": [
            [step, [[item.rule, item.done, numbers[item.origin], item.inner] for item in items]]
            for step, items in column.waiting.items()
        ],
        "expected": [[task, list(shares)] for task, shares in column.expected.items()],
        "opened": list(column.opened),
        "closed": list(column.closed),
    }


def _read_column(
    tables: ParserTables, saved: ColumnSnapshot, columns: Sequence[Column], path: Sequence[str | int]
) -> Column:
    """Return a column whose waiting methods fit the grammar and the older columns."""
    column = Column(saved.place, len(tables.goals))
    for number, (step, items) in enumerate(saved.waiting):
        for rule, done, origin, inner in items:
            fits = rule < len(tables.rules) and 0 < done < len(tables.rules[rule].body) and origin < len(columns)
            if (
                not fits
                or tables.rules[rule].body[done] != step
                or tables.rules[rule].head not in columns[origin].expected
                or columns[origin].place >= column.place
            ):
                raise _misfit((*path, "waiting", number))
            column.waiting.setdefault(step, []).append(EarleyItem(rule, done, columns[origin], inner))
    column.expected = dict(saved.expected)
    column.opened, column.closed = saved.opened, saved.closed
    return column


def _check_column(tables: ParserTables, saved: ColumnSnapshot, column: Column, path: Sequence[str | int]) -> None:
    """Refuse a column whose shares do not follow from its waiting methods."""
    goals = len(tables.goals)
    for name, shares in (("opened", saved.opened), ("closed", saved.closed)):
        check_length("reader", (*path, name), shares, goals)
    for number, (_, shares) in enumerate(saved.expected):
        check_length("reader", (*path, "expected", number, 1), shares, goals)
    follows = column
    if column.place:
        follows = Column(column.place, goals)
        set_shares(tables, follows, [(step, item) for step, items in column.waiting.items() for item in items])
    if not _are_close(saved.opened, follows.opened):
        raise _misfit((*path, "opened"))
    expected = dict(saved.expected)
    if expected.keys() != follows.expected.keys() or not all(
        _are_close(shares, follows.expected[task]) for task, shares in expected.items()
    ):
        raise _misfit((*path, "expected"))
    if abs(math.fsum((*saved.opened, *saved.closed)) - 1.0) > SUM_TOLERANCE:
        raise _misfit((*path, "closed"))


def check_lineages(columns: Sequence[Column], path: Sequence[str | int]) -> None:
    """Refuse columns of one plan that lie beside each other: a plan has one column after each action."""
    before: dict[Column, Column] = {}
    for number, column in enumerate(columns):
        origins = {item.origin for items in column.waiting.values() for item in items}
        youngest = max(origins, key=lambda each: each.place, default=None)
        at = youngest
        for origin in sorted(origins, key=lambda each: -each.place):
            while at is not None and at.place > origin.place:
                at = before.get(at)
            if at is not origin:
                raise _misfit((*path, number, "waiting"))
        if youngest is not None:
            before[column] = youngest


def _read_hypothesis(
    session: PlanSession,
    saved: tuple[list[int], float, list[float], list[float]],
    columns: Sequence[Column],
    path: Sequence[str | int],
) -> PlanHypothesis:
    numbers, weight, finished, last = saved
    for name, shares in ((2, finished), (3, last)):
        check_length("reader", (*path, name), shares, len(session.grammar.goals))
    if len(set(numbers)) < len(numbers) or not all(0 < number < len(columns) for number in numbers):
        raise snapshot_error("reader", (*path, 0), "must name each active plan once, by the number of its column")
    plans = tuple(columns[number] for number in numbers)
    if not all(math.fsum(plan.opened) > MIN_CHANCE / 2 for plan in plans):
        raise snapshot_error("reader", (*path, 0), "names a plan that is finished")
    if abs(math.fsum(last) - 1.0) > SUM_TOLERANCE:
        raise snapshot_error("reader", (*path, 3), f"must sum to 1, not to {math.fsum(last):.9g}")
    return PlanHypothesis(plans, weight, finished, last)


def _are_close(one: Sequence[float], two: Sequence[float]) -> bool:
    return all(math.isclose(a, b, rel_tol=CHANCES_TOLERANCE, abs_tol=MIN_CHANCE) for a, b in zip(one, two, strict=True))


def _misfit(path: Sequence[str | int]) -> TelosError:
    return snapshot_error(
        "reader",
        path,
        "does not follow from the grammar",
        "resume it with the grammar that it was saved with, chances included, or start anew",
    )
