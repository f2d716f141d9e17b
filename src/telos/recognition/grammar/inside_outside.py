"""Chances of methods learned from plans whose trees nobody knows: the inside-outside algorithm."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from telos.core.errors import TelosError
from telos.recognition.grammar.counting import Counts, reweighted
from telos.recognition.grammar.plan_grammar import PlanGrammar
from telos.recognition.grammar.productions import meanings
from telos.recognition.grammar.spans import Spans

Trace = Sequence[str] | tuple[Sequence[str], str]  # the actions of a whole plan, or those and the goal


@dataclass(frozen=True, slots=True)
class Learned:
    """A grammar after so many rounds, and how likely it makes the plans that it was learned from."""

    grammar: PlanGrammar
    log_likelihood: float


def inside_outside(
    grammar: PlanGrammar, traces: Iterable[Trace], *, rounds: int = 20, tolerance: float = 1e-6, prior: float = 0.0
) -> list[Learned]:
    """Return the grammar given and the one after each round, the last the best; the likelihood never falls.

    A trace is a whole plan of one goal: its actions, or ``(actions, goal)`` where the goal is known. Rounds end early
    when they gain less than ``tolerance`` a trace. A ``prior`` is added to each count; it keeps unseen methods
    possible, and what never falls is then the likelihood together with it, so no round is left out.
    """
    plans = [_plan(grammar, trace) for trace in traces]
    if not plans:
        raise TelosError("there is nothing to learn from", "give at least one trace")
    counts, likelihood = expected_counts(grammar, plans)
    history = [Learned(grammar, likelihood)]
    for _ in range(rounds):
        grammar = reweighted(grammar, counts, prior=prior)
        counts, likelihood = expected_counts(grammar, plans)
        history.append(Learned(grammar, likelihood))
        if not prior and likelihood - history[-2].log_likelihood < tolerance * len(plans):
            break
    return history


def log_likelihood(grammar: PlanGrammar, traces: Iterable[Trace]) -> float:
    """Return how likely whole plans are; minus infinity if one of them is impossible."""
    found = (Spans(grammar.tables, *_plan(grammar, trace)).likelihood for trace in traces)
    return math.fsum(math.log(each) if each > 0 else -math.inf for each in found)


Plan = tuple[tuple[tuple[int, ...], ...], int | None]


def _plan(grammar: PlanGrammar, trace: Trace) -> Plan:
    known = grammar.tables.actions
    actions, goal = trace if len(trace) == 2 and not isinstance(trace[0], str) else (trace, None)
    if goal is not None and goal not in grammar.goals:
        raise TelosError(f"a trace pursues {goal!r}, which is no goal of the grammar: {', '.join(grammar.goals)}")
    seen = tuple(tuple(known[each] for each in meanings(str(action)) if each in known) for action in actions)
    return seen, None if goal is None else list(grammar.goals).index(str(goal))


def expected_counts(grammar: PlanGrammar, plans: Iterable[Plan]) -> tuple[Counts, float]:
    """Return how often each production and goal is used, on average over all trees, and the log-likelihood."""
    counts, total = Counts.none(grammar), 0.0
    for plan in plans:
        chart = Spans(grammar.tables, *plan)
        if chart.likelihood <= 0.0:
            raise TelosError(f"no plan of the grammar has the actions {_said(grammar, plan)}", "leave that trace out")
        total += math.log(chart.likelihood)
        chart.count(counts)
    return counts, total


def _said(grammar: PlanGrammar, plan: Plan) -> str:
    names = {number: name for name, number in grammar.tables.actions.items()}
    shown = [names[steps[0]] if steps else "(one that it does not know)" for steps in plan[0][:8]]
    return ", ".join(shown) + (", …" if len(plan[0]) > 8 else "")
