"""PlanGrammarReader: the belief about one player by parsing, with several plans under way at once.

``PlanSession`` (session.py) keeps the beam of hypotheses, ``PartialPlan`` says what is done and what is missing.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.files.snapshots import SNAPSHOT_FORMAT, Items, read_snapshot
from telos.recognition.filtering import check_event_order
from telos.recognition.grammar.earley import Column, EarleyItem, ParserRule, ParserTables, UnitRule
from telos.recognition.grammar.grammar import PlanGrammar
from telos.recognition.grammar.session import PlanSession, SessionSnapshot, resume_session, save_session
from telos.recognition.recognizer import PlayerSnapshot, Reason, check_saved_goals, saved_time

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

    @property
    def words(self) -> str:
        """The plan as a sentence: what was done for the goal, and what is missing."""
        done = ", ".join(step for level in self.levels for step in level.done) or "nothing"
        return f"{self.chance:.0%} {self.goal}: done {done}; missing {', '.join(self.missing) or 'nothing'}"

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

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """The recipes that may be under way, in words, the likeliest first."""
        found = [Reason(plan.words) for plan in self.plans] or [Reason(f"no recipe for {self.goal} is under way")]
        if self.noise > NOISE_REPORTED:
            found.append(Reason(f"the last action probably serves nothing ({self.noise:.0%})"))
        return tuple(found)

    def __str__(self) -> str:
        """Return the explanation in lines."""
        lines = [f"{self.goal} {self.chance:.0%}", *(f"  {plan}" for plan in self.plans)]
        if not self.plans:
            lines.append("  no plan for it is under way")
        lines.append(f"  the last action serves nothing: {self.noise:.0%}")
        if self.lost >= MIN_LOST_REPORTED:
            lines.append(f"  hypotheses dropped so far: {self.lost:.2%} of the probability")
        return "\n".join(lines)


class GrammarReaderSnapshot(PlayerSnapshot):
    """The data of a saved ``PlanGrammarReader``."""

    goals: Items[str]
    reasons: Items[str]
    session: SessionSnapshot


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
            "format": SNAPSHOT_FORMAT,
            "goals": list(self._goals),
            "player": self._player,
            "time": None if self._time == -math.inf else self._time,
            "reasons": list(self._belief.reasons),
            "session": save_session(self._session),
        }

    @classmethod
    def resume(cls, model: PlanGrammar, saved: Mapping[str, Any]) -> "PlanGrammarReader":
        """Return a reader that continues from a saved state; one with a fault is refused with its place."""
        read = read_snapshot(GrammarReaderSnapshot, saved, of="reader")
        check_saved_goals("reader", read.goals, tuple(model.goals))
        reader = cls(model)
        reader._session = resume_session(model, read.session, ("session",))
        reader._player, reader._time = read.player, saved_time("reader", read)
        reader._belief = Belief.of(reader._goals, reader._session.belief(), tuple(read.reasons))
        return reader
