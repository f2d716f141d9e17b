"""PlanGrammarReader: the belief about one player by parsing, with several plans under way at once.

``PlanSession`` keeps the beam of hypotheses, ``PartialPlan`` says what is done and what is missing.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.recognition.filtering import check_event_order
from telos.recognition.grammar.earley import (
    Column,
    EarleyItem,
    GoalShares,
    ParserRule,
    ParserTables,
    UnitRule,
    advance_column,
    column_next_actions,
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


def save_session(session: PlanSession) -> dict[str, Any]:
    """Return a session as plain data. Each column is listed once, after those that it refers to."""
    columns: dict[Column, int] = {session.root: 0}
    for each in session.hypotheses:
        for plan in each.plans:
            _number(plan, columns)
    return {
        "columns": [_plain(column, columns) for column in columns],
        "hypotheses": [
            [[columns[plan] for plan in each.plans], each.weight, each.finished, each.last]
            for each in session.hypotheses
        ],
        "lost": session.lost,
        "log_likelihood": session.log_likelihood,
        "noise": session.noise,
        "ignored": session.ignored,
    }


def resume_session(grammar: PlanGrammar, saved: Mapping[str, Any]) -> PlanSession:
    """Return a session that continues from a saved state."""
    session = PlanSession(grammar)
    columns = [session.root]
    for each in saved["columns"][1:]:
        columns.append(_column(each, columns))
    session.hypotheses = [
        PlanHypothesis(tuple(columns[number] for number in plans), weight, list(finished), list(last))
        for plans, weight, finished, last in saved["hypotheses"]
    ]
    session.lost, session.log_likelihood = saved["lost"], saved["log_likelihood"]
    session.noise, session.ignored = saved["noise"], saved["ignored"]
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
        "expected": [[task, shares] for task, shares in column.expected.items()],
        "opened": column.opened,
        "closed": column.closed,
    }


def _column(saved: Mapping[str, Any], columns: list[Column]) -> Column:
    column = Column(saved["place"], len(saved["opened"]))
    for step, items in saved["waiting"]:
        column.waiting[step] = [EarleyItem(rule, done, columns[origin], inner) for rule, done, origin, inner in items]
    column.expected = {task: list(shares) for task, shares in saved["expected"]}
    column.opened, column.closed = list(saved["opened"]), list(saved["closed"])
    return column


# --- partial plans ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlanLevel:
    """One active method: the finished steps and the missing ones, of which the first may have started."""

    task: str
    method: str
    done: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartialPlan:
    """An active plan, from its goal down to the method of the last action."""

    goal: str
    chance: float
    levels: tuple[PlanLevel, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """The missing steps in order: tasks and actions."""
        inner = [level.missing[1:] for level in reversed(self.levels[:-1])]
        last = self.levels[-1].missing if self.levels else ()
        return (*last, *(step for steps in inner for step in steps))

    def __str__(self) -> str:
        """Return one line of text."""
        within = " › ".join(f"{level.task} by {level.method}" for level in self.levels)
        done = ", ".join(step for level in self.levels for step in level.done)
        return f"{self.chance:.0%} {self.goal}: {within}; done: {done}; missing: {', '.join(self.missing)}"


def partial_plans(grammar: PlanGrammar, column: Column, weight: float = 1.0) -> list[PartialPlan]:
    """Return the possible states of one active plan, the likeliest first.

    Of several chains of methods to the same state, only the likeliest is shown.
    """
    tables, found = grammar.tables, list[PartialPlan]()
    under_way = sum(column.opened)
    for items in column.waiting.values():
        for item in items:
            shares = item.origin.expected[tables.rules[item.rule].head]
            for place, goal in enumerate(grammar.goals):
                chance = weight * item.inner * shares[place] / under_way
                if chance > 0.0:
                    found.append(PartialPlan(goal, chance, _levels(grammar, item, place)))
    return sorted(found, key=lambda plan: -plan.chance)


def _levels(grammar: PlanGrammar, item: EarleyItem, goal: int) -> tuple[PlanLevel, ...]:
    """Return the methods around an item, the outermost first."""
    levels: list[PlanLevel] = []
    inner: EarleyItem | None = item
    while inner is not None:
        rule = grammar.tables.rules[inner.rule]
        levels.append(_level(grammar, rule, inner.done))
        chain, outer = _chain_up(grammar.tables, inner.origin, rule.head, goal)
        levels += (_level(grammar, each, 0) for each in chain)
        inner = outer
    return tuple(reversed(levels))


def _level(grammar: PlanGrammar, rule: ParserRule | UnitRule, done: int) -> PlanLevel:
    made = grammar.productions[rule.production]
    return PlanLevel(made.task, made.method, made.steps[:done], made.steps[done:])


def _chain_up(
    tables: ParserTables, column: Column, task: int, goal: int
) -> tuple[list[ParserRule | UnitRule], EarleyItem | None]:
    """Return the likeliest chain of methods, started in ``column``, from a task up to an older method or the goal."""
    best: dict[int, tuple[float, list[ParserRule | UnitRule]]] = {task: (1.0, [])}
    fringe = [task]
    while fringe:
        inner = fringe.pop(0)
        for rule in _parents(tables, inner):
            value = best[inner][0] * rule.chance
            if rule.head in column.expected and value > best.get(rule.head, (0.0, []))[0]:
                best[rule.head] = value, [*best[inner][1], rule]
                fringe.append(rule.head)
    ends: list[tuple[float, list[ParserRule | UnitRule], EarleyItem | None]] = []
    for wanted, (value, chain) in best.items():
        for item in column.waiting.get(wanted, ()):
            share = item.inner * item.origin.expected[tables.rules[item.rule].head][goal]
            ends.append((value * share, chain, item))
        if column.place == 0 and tables.goals[goal] == wanted:
            ends.append((value * tables.prior[goal], chain, None))
    _, chain, outer = max(ends, key=lambda each: each[0])
    return chain, outer


def _parents(tables: ParserTables, task: int) -> Sequence[ParserRule | UnitRule]:
    """Return the methods whose first step is a task."""
    rules = [tables.rules[number] for number in tables.starting.get(task, ())]
    return [*rules, *(unit for unit in tables.units if unit.only == task)]


# --- reader -----------------------------------------------------------------------------------------------------------

NOISE_REPORTED = 0.5  # noise is reported from this chance on
MIN_LOST_REPORTED = 1e-6  # lost probability is reported from this share on


@dataclass(frozen=True, slots=True)
class GrammarReasons:
    """Why a goal is believed: its partial plans, the likeliest first, and what was unexplained or dropped."""

    goal: str
    chance: float
    plans: tuple[PartialPlan, ...]
    noise: float
    lost: float

    def __str__(self) -> str:
        """Return the explanation in lines."""
        lines = [f"{self.goal} {self.chance:.0%}", *(f"  {plan}" for plan in self.plans)]
        if not self.plans:
            lines.append("  no plan for it is under way")
        lines.append(f"  the last action serves nothing: {self.noise:.0%}")
        if self.lost >= MIN_LOST_REPORTED:
            lines.append(f"  hypotheses dropped so far: {self.lost:.2%} of the probability")
        return "\n".join(lines)


class PlanGrammarReader:
    """A recogniser: keeps the belief about one player by parsing. Many readers may share one grammar.

    An action with arguments, ``goto(forge)``, matches the steps ``goto(forge)`` and ``goto``.

    >>> from telos.recognition.grammar.grammar import Production
    >>> grammar = PlanGrammar([Production("key", "forge", ("take_gold", "goto_forge"), 1.0),
    ...                        Production("sell", "trade", ("take_gold", "goto_shop"), 1.0)], ["key", "sell"])
    >>> reader = PlanGrammarReader(grammar)
    >>> reader.observe(Event("take_gold"))
    Belief(key=0.5, sell=0.5)
    >>> round(reader.next_actions()["goto_forge"], 3)
    0.493
    >>> reader.observe(Event("goto_forge")).top
    'key'
    """

    def __init__(self, model: PlanGrammar) -> None:
        self.model = model
        self._goals = tuple(model.goals)
        self.reset()

    @property
    def goals(self) -> tuple[str, ...]:
        return self._goals

    @property
    def belief(self) -> Belief:
        """The current belief: the goal of an active plan, or the last one reached."""
        return self._belief

    @property
    def lost(self) -> float:
        """The share of probability that the beam has dropped so far."""
        return self._session.lost

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood of the actions; a lower bound if hypotheses were dropped."""
        return self._session.log_likelihood

    @property
    def ignored(self) -> int:
        """The number of actions without any explanation; they changed nothing."""
        return self._session.ignored

    def reset(self) -> None:
        """Forget the player: return to the prior."""
        self._session = PlanSession(self.model)
        self._player: str | None = None
        self._time = -math.inf
        self._belief = Belief.of(self._goals, self._session.belief(), ("nothing was seen yet",))

    def observe(self, event: Event) -> Belief:
        """Update the belief with an event, and return it."""
        if event.player != self._player or event.time < self._time:
            check_event_order(event, self._player, self._time)
        explained = self._session.observe(event.action)
        self._time, self._player = event.time, event.player
        because = f"last seen: {event.action}"
        if not explained:
            because = f"no plan allows {event.action}: it was ignored"
        elif self._session.noise > NOISE_REPORTED:
            because += ", which probably serves no goal"
        self._belief = Belief.of(self._goals, self._session.belief(), (because,))
        return self._belief

    def next_actions(self) -> dict[str, float]:
        """Return the chance of each next action of the grammar, the likeliest first.

        The rest to 1 is the chance of an unknown action.
        """
        return dict(sorted(self._session.next_actions().items(), key=lambda pair: -pair[1]))

    def pursued(self) -> dict[str, float]:
        """Return the expected number of plans for each goal so far, finished or active."""
        return dict(zip(self._goals, self._session.pursued(), strict=True))

    def partial_plans(self, most: int = 5) -> tuple[PartialPlan, ...]:
        """Return the plans that may be active, the likeliest first; several may be active at once."""
        merged: dict[tuple[str, Any], float] = {}
        for each in self._session.hypotheses:
            for plan in each.plans:
                for partial in partial_plans(self.model, plan, each.weight):
                    key = partial.goal, partial.levels
                    merged[key] = merged.get(key, 0.0) + partial.chance
        found = (PartialPlan(goal, chance, levels) for (goal, levels), chance in merged.items())
        return tuple(sorted(found, key=lambda plan: -plan.chance)[:most])

    def why(self, goal: str | None = None, *, most: int = 3) -> GrammarReasons:
        """Explain the belief in a goal (default: the likeliest) by its partial plans."""
        goal = goal or self._belief.top
        if goal not in self._goals:
            raise TelosError(f"unknown goal {goal!r}", name_hint(goal, self._goals))
        plans = [plan for plan in self.partial_plans(most=10_000) if plan.goal == goal]
        return GrammarReasons(goal, self._belief[goal], tuple(plans[:most]), self._session.noise, self.lost)

    def save(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return {
            "goals": list(self._goals),
            "player": self._player,
            "time": None if self._time == -math.inf else self._time,
            "reasons": list(self._belief.reasons),
            "session": save_session(self._session),
        }

    @classmethod
    def resume(cls, model: PlanGrammar, saved: Mapping[str, Any]) -> "PlanGrammarReader":
        """Return a reader that continues from a saved state."""
        reader = cls(model)
        if list(saved["goals"]) != list(model.goals):
            raise TelosError(
                f"the saved belief is about {saved['goals']}, the grammar's goals are {list(model.goals)}",
                "resume it with the grammar that it was saved with",
            )
        reader._session = resume_session(model, saved["session"])
        reader._player = saved["player"]
        reader._time = -math.inf if saved["time"] is None else saved["time"]
        reader._belief = Belief.of(reader._goals, reader._session.belief(), tuple(saved["reasons"]))
        return reader
