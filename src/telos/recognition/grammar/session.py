"""Several plans at once: which action served which plan, kept as a beam of hypotheses with a stated loss.

How a session comes about: at every action the player does something that serves nothing (noise), or starts another
plan, or goes on with one of those under way, each of them as likely. A plan that is over is put away.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from telos.recognition.grammar.earley import Column, Shares, advance, next_actions, start
from telos.recognition.grammar.plan_grammar import PlanGrammar
from telos.recognition.grammar.productions import meanings

Move: TypeAlias = Callable[[Column], tuple[float, Column | None]]

NOTHING = 1e-12  # a chance below which a plan counts as over, or as under way


@dataclass(slots=True)
class Hypothesis:
    """One way to tell the session: the plans under way, how likely it is, and what has been finished."""

    plans: tuple[Column, ...]
    weight: float
    finished: Shares  # how often each goal was reached, on average over the stories that ended up here
    last: Shares  # and which of them was reached last


class Session:
    """Hypotheses about one player, after each action. Weights sum to 1.

    ``lost`` is the share of probability that the beam has dropped so far, and ``log_likelihood`` a bound from below:
    exact while nothing is lost.
    """

    def __init__(self, grammar: PlanGrammar) -> None:
        self.grammar, self._tables = grammar, grammar.tables
        self.root = start(self._tables)
        nothing = [0.0] * len(grammar.goals)
        self.hypotheses = [Hypothesis((), 1.0, nothing, list(self._tables.prior))]
        self.lost, self.log_likelihood = 0.0, 0.0
        self.noise = 0.0  # how likely it is that the last action served nothing
        self.ignored = 0  # actions that nothing explains, not even noise

    def observe(self, action: str) -> bool:
        """Take in an action; False if nothing explains it, and so nothing changed."""
        steps = tuple(self._tables.actions[each] for each in meanings(action) if each in self._tables.actions)
        found, by_noise = self._successors(steps)
        total = math.fsum(each.weight for each in found)
        if total <= 0.0:
            self.ignored += 1
            return False
        self.noise = by_noise / total
        self.log_likelihood += math.log(total)
        self._keep(found, total)
        return True

    def _successors(self, steps: tuple[int, ...]) -> tuple[list[Hypothesis], float]:
        tolerance = self.grammar.tolerance
        strange = tolerance.noise / (len(self._tables.actions) + 1)  # one more, for all that the grammar does not know
        moved: dict[Column, tuple[float, Column | None]] = {}
        found, by_noise = _Merged(), 0.0

        def move(plan: Column) -> tuple[float, Column | None]:
            if plan not in moved:
                moved[plan] = advance(self._tables, plan, steps)
            return moved[plan]

        for each in self.hypotheses:
            found.add(each.plans, each.weight * strange, each.finished, each.last)
            by_noise += each.weight * strange
            begins = tolerance.starts(len(each.plans))
            if begins:
                found.grow(each, (*each.plans, self.root), len(each.plans), (1.0 - tolerance.noise) * begins, move)
            for place, plan in enumerate(each.plans):
                chance = (1.0 - tolerance.noise) * (1.0 - begins) / len(each.plans) / sum(plan.opened)
                found.grow(each, each.plans, place, chance, move)
        return found.hypotheses(), by_noise

    def _keep(self, found: list[Hypothesis], total: float) -> None:
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

    def belief(self) -> Shares:
        """Return the chance of each goal: that of a plan under way, drawn evenly, or the last that was reached."""
        shares = [0.0] * len(self.grammar.goals)
        for each in self.hypotheses:
            if not each.plans:
                _add(shares, each.last, each.weight)
            for plan in each.plans:
                _add(shares, plan.opened, each.weight / len(each.plans) / sum(plan.opened))
        total = math.fsum(shares)
        return [share / total for share in shares]

    def pursued(self) -> Shares:
        """Return how many plans there were for each goal on average, reached or under way."""
        shares = [0.0] * len(self.grammar.goals)
        for each in self.hypotheses:
            _add(shares, each.finished, each.weight)
            for plan in each.plans:
                _add(shares, plan.opened, each.weight / sum(plan.opened))
        return shares

    def next_actions(self) -> dict[str, float]:
        """Return how likely each action is next; what is missing to 1 is anything that the grammar does not know."""
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
            for step, chance in next_actions(self._tables, plan).items():
                chances[-1 - step] += (1.0 - tolerance.noise) * share * chance
        return dict(zip(self._tables.actions, chances, strict=True))


class _Merged:
    """Hypotheses that have the same plans under way are one: what was finished before makes no difference later."""

    def __init__(self) -> None:
        self._by_plans: dict[frozenset[Column], Hypothesis] = {}

    def hypotheses(self) -> list[Hypothesis]:
        for each in self._by_plans.values():
            each.finished = [share / each.weight for share in each.finished]
            each.last = [share / each.weight for share in each.last]
        return list(self._by_plans.values())

    def add(self, plans: tuple[Column, ...], weight: float, finished: Shares, last: Shares) -> None:
        if weight <= 0.0:
            return
        nothing = [0.0] * len(last)
        known = self._by_plans.setdefault(frozenset(plans), Hypothesis(plans, 0.0, nothing, list(nothing)))
        known.weight += weight
        _add(known.finished, finished, weight)
        _add(known.last, last, weight)

    def grow(self, story: Hypothesis, plans: tuple[Column, ...], place: int, chance: float, move: Move) -> None:
        """Add what a story becomes if the action serves the plan at ``place``: it goes on, or it is over."""
        seen, after = move(plans[place])
        if after is None:
            return
        weight = story.weight * chance * seen
        opened, closed = math.fsum(after.opened), math.fsum(after.closed)
        if opened > NOTHING:
            under_way = (*plans[:place], after, *plans[place + 1 :])
            self.add(under_way, weight * opened, story.finished, story.last)
        if closed > NOTHING:
            last = [share / closed for share in after.closed]
            finished = [before + now for before, now in zip(story.finished, last, strict=True)]
            self.add((*plans[:place], *plans[place + 1 :]), weight * closed, finished, last)


def _add(to: Shares, shares: Shares, times: float) -> None:
    for place, share in enumerate(shares):
        to[place] += share * times
