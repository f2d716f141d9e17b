"""The parser of plan grammars against derivations written out one by one."""

import json
import math
from collections.abc import Iterator
from itertools import pairwise, product
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from telos.core.errors import DefinitionError
from telos.core.event import Event
from telos.recognition.grammar.earley import advance_column, column_next_actions
from telos.recognition.grammar.grammar import PlanGrammar, Production, Tolerance
from telos.recognition.grammar.learning import inside_outside, log_likelihood
from telos.recognition.grammar.reader import PlanGrammarReader
from telos.recognition.grammar.session import PlanSession

TASKS, ACTIONS = ("p", "q", "r"), ("a", "b")
ALONE = Tolerance(noise=0.0, beam=10_000)
LEFTOVER = 1e-6


@st.composite
def grammars(draw: st.DrawFn, tolerance: Tolerance = ALONE) -> PlanGrammar:
    """Small grammars of every kind: left recursion, units in circles, ambiguity."""
    step = st.sampled_from(TASKS + ACTIONS)
    made: list[Production] = []
    for task in TASKS:
        bodies = draw(st.lists(st.lists(step, min_size=1, max_size=3).map(tuple), min_size=0, max_size=3, unique=True))
        bodies.append((draw(st.sampled_from(ACTIONS)),))
        weights = draw(st.lists(st.integers(1, 4), min_size=len(bodies), max_size=len(bodies)))
        weights[-1] += sum(weights)  # so that plans end soon, and few derivations hold most of the chance
        for place, (body, weight) in enumerate(zip(bodies, weights, strict=True)):
            made.append(Production(task, f"m{place}", body, weight / sum(weights)))
    prior = draw(st.lists(st.integers(1, 3), min_size=3, max_size=3))
    try:
        return PlanGrammar(made, {t: w / sum(prior) for t, w in zip(TASKS, prior, strict=True)}, tolerance=tolerance)
    except DefinitionError:
        assume(False)
        raise


class Oracle:
    """Chances of prefixes and whole plans by writing out leftmost derivations, the likeliest first."""

    def __init__(self, grammar: PlanGrammar) -> None:
        self.by_task = {task: [each for each in grammar.productions if each.task == task] for task in grammar.tasks}
        self.known: dict[tuple[str, str], tuple[float, float, float]] = {}

    def prefix(self, goal: str, plan: str) -> float:
        return self.of(goal, plan)[0]

    def whole(self, goal: str, plan: str) -> float:
        return self.of(goal, plan)[1]

    def of(self, goal: str, plan: str) -> tuple[float, float, float]:
        """Return the chance that a plan begins so, that it is just this, and what was left unexplored."""
        if (goal, plan) not in self.known:
            self.known[goal, plan] = self._explored(goal, plan)
        return self.known[goal, plan]

    def _explored(self, goal: str, plan: str) -> tuple[float, float, float]:
        prefix = whole = left = 0.0
        forms = {(0, (goal,)): 1.0}  # how much of the plan is matched, and what is still to be done
        for _ in range(120):
            after: dict[tuple[int, tuple[str, ...]], float] = {}
            for (seen, stack), chance in forms.items():
                if seen == len(plan):
                    prefix += chance
                    whole += chance if not stack else 0.0
                elif chance < 1e-11 or len(after) > 3_000:
                    left += chance
                elif stack and stack[0] not in self.by_task:
                    if stack[0] == plan[seen]:
                        key = (seen + 1, stack[1:])
                        after[key] = after.get(key, 0.0) + chance
                elif stack:
                    for each in self.by_task[stack[0]]:
                        key = (seen, (*each.steps, *stack[1:]))
                        after[key] = after.get(key, 0.0) + chance * each.chance
            forms = after
        return prefix, whole, left + sum(forms.values())


@settings(max_examples=60, deadline=None)
@given(grammars(), st.lists(st.sampled_from(ACTIONS), min_size=1, max_size=4))
def test_prefixes_goals_and_next_actions_are_those_of_all_derivations(grammar: PlanGrammar, plan: list[str]) -> None:
    oracle, session = Oracle(grammar), PlanSession(grammar)
    column = session.root
    likelihood = 1.0
    for count, action in enumerate(plan, start=1):
        seen = "".join(plan[:count])
        shares = {goal: prior * oracle.prefix(goal, seen) for goal, prior in grammar.goals.items()}
        total = sum(shares.values())
        assume(all(oracle.of(goal, seen)[2] < LEFTOVER for goal in grammar.goals))
        chance, after = advance_column(
            grammar.tables, column, [grammar.tables.actions[action]] if action in grammar.actions else []
        )
        likelihood *= chance
        assert likelihood == pytest.approx(total, abs=4 * LEFTOVER)
        if total < 1e-3:
            return  # what was left out would matter to the shares
        assert after is not None
        column = after
        for place, goal in enumerate(grammar.goals):
            assert column.opened[place] + column.closed[place] == pytest.approx(shares[goal] / total, abs=1e-3)
            whole = grammar.goals[goal] * oracle.whole(goal, seen)
            assert column.closed[place] == pytest.approx(whole / total, abs=1e-3)
        following = column_next_actions(grammar.tables, column)
        for name, number in grammar.tables.actions.items():
            longer = sum(prior * oracle.prefix(goal, seen + name) for goal, prior in grammar.goals.items())
            assert following.get(number, 0.0) == pytest.approx(longer / total, abs=1e-3)
        assert sum(following.values()) + sum(column.closed) == pytest.approx(1.0)


class Stories:
    """Every way in which a session may have come about, told one by one."""

    def __init__(self, grammar: PlanGrammar) -> None:
        self.grammar, self.oracle = grammar, Oracle(grammar)

    def chance(self, plan: str, *, whole: bool = False) -> float:
        of = self.oracle.whole if whole else self.oracle.prefix
        return sum(prior * of(goal, plan) for goal, prior in self.grammar.goals.items())

    def told(self, actions: list[str], plans: tuple[str, ...] = ()) -> Iterator[tuple[float, tuple[str, ...]]]:
        """Yield the chance of each story, with the plans that are under way at its end."""
        if not actions:
            yield 1.0, plans
            return
        tolerance, action = self.grammar.tolerance, actions[0]
        noise = tolerance.noise / (len(self.grammar.actions) + 1)
        yield from ((noise * rest, end) for rest, end in self.told(actions[1:], plans))
        starts = tolerance.starts(len(plans))
        choices = [(starts, "", plans)]
        choices += [
            ((1 - starts) / len(plans), plan, plans[:place] + plans[place + 1 :]) for place, plan in enumerate(plans)
        ]
        for chance, plan, others in choices:
            under_way = self.chance(plan) - self.chance(plan, whole=True) if plan else 1.0
            if chance == 0 or under_way <= 0:
                continue
            served, whole = self.chance(plan + action), self.chance(plan + action, whole=True)
            weight = (1 - tolerance.noise) * chance / under_way
            for share, rest in ((whole, others), (served - whole, (*others, plan + action))):
                if share > 0:
                    yield from ((weight * share * after, end) for after, end in self.told(actions[1:], rest))


@settings(max_examples=15, deadline=None)
@given(
    grammars(Tolerance(noise=0.1, open_goals=2, switch=0.3, beam=10_000)),
    st.lists(st.sampled_from((*ACTIONS, "c")), min_size=1, max_size=4),
)
def test_interleaved_plans_and_noise_are_weighed_as_all_stories_are(grammar: PlanGrammar, actions: list[str]) -> None:
    stories, session = Stories(grammar), PlanSession(grammar)
    known = ["".join(each) for length in range(1, 5) for each in product(ACTIONS, repeat=length)]
    assume(all(stories.oracle.of(goal, plan)[2] < LEFTOVER for goal in grammar.goals for plan in known))
    for action in actions:
        assert session.observe(action)
    told = list(stories.told(actions))
    assert math.exp(session.log_likelihood) == pytest.approx(sum(chance for chance, _ in told), rel=1e-4)
    assert session.lost == 0.0
    pursued = dict.fromkeys(grammar.goals, 0.0)
    for chance, plans in told:
        for plan in plans:
            for goal, prior in grammar.goals.items():
                share = prior * (stories.oracle.prefix(goal, plan) - stories.oracle.whole(goal, plan))
                pursued[goal] += chance * share / (stories.chance(plan) - stories.chance(plan, whole=True))
    total = sum(chance for chance, _ in told)
    under_way = dict.fromkeys(grammar.goals, 0.0)
    for each in session.hypotheses:
        for plan in each.plans:
            for goal, share in zip(grammar.goals, plan.opened, strict=True):
                under_way[goal] += each.weight * share / sum(plan.opened)
    assert under_way == pytest.approx({goal: share / total for goal, share in pursued.items()}, abs=5e-3)
    assert sum(session.belief()) == pytest.approx(1.0)


@settings(max_examples=40, deadline=None)
@given(grammars(), st.lists(st.lists(st.sampled_from(ACTIONS), min_size=1, max_size=5), min_size=1, max_size=4))
def test_learning_from_plans_never_makes_them_less_likely(grammar: PlanGrammar, plans: list[list[str]]) -> None:
    known = [plan for plan in plans if math.isfinite(log_likelihood(grammar, [plan]))]
    assume(known)
    steps = inside_outside(grammar, known, rounds=6)
    for before, after in pairwise(steps):
        assert after.log_likelihood >= before.log_likelihood - 1e-9
    assert steps[-1].log_likelihood == pytest.approx(log_likelihood(steps[-1].grammar, known))


@settings(max_examples=40, deadline=None)
@given(grammars(), st.lists(st.sampled_from(ACTIONS), min_size=1, max_size=4))
def test_the_inside_chance_is_that_of_all_derivations(grammar: PlanGrammar, plan: list[str]) -> None:
    oracle = Oracle(grammar)
    text = "".join(plan)
    assume(all(oracle.of(goal, text)[2] < LEFTOVER for goal in grammar.goals))
    expected = sum(prior * oracle.whole(goal, text) for goal, prior in grammar.goals.items())
    assert math.exp(log_likelihood(grammar, [plan])) == pytest.approx(expected, abs=4 * LEFTOVER)


@settings(max_examples=30, deadline=None)
@given(grammars(Tolerance(noise=0.05, open_goals=3, switch=0.3, beam=3)), st.integers(0, 1000))
def test_a_narrow_beam_says_what_it_lost_and_never_claims_too_much(grammar: PlanGrammar, seed: int) -> None:
    rng = Random(seed)
    wide = PlanGrammar(
        grammar.productions, grammar.goals, tolerance=Tolerance(noise=0.05, open_goals=3, switch=0.3, beam=10_000)
    )
    narrow, full = PlanSession(grammar), PlanSession(wide)
    for _ in range(6):
        action = rng.choice(ACTIONS)
        narrow.observe(action)
        full.observe(action)
    assert len(narrow.hypotheses) <= 3
    assert 0.0 <= narrow.lost < 1.0
    assert narrow.log_likelihood <= full.log_likelihood + 1e-9
    if narrow.lost == 0.0:
        assert narrow.log_likelihood == pytest.approx(full.log_likelihood)


@given(grammars(Tolerance(noise=0.1, open_goals=2, beam=20)), st.lists(st.sampled_from(ACTIONS), max_size=20))
@settings(max_examples=60)
def test_saved_session_of_any_grammar_is_resumed(grammar: PlanGrammar, actions: list[str]) -> None:
    reader = PlanGrammarReader(grammar)
    for time, action in enumerate(actions):
        reader.observe(Event(action, time=time))
    saved = json.loads(json.dumps(reader.save()))
    resumed = PlanGrammarReader.resume(grammar, saved)
    assert resumed.save() == saved
    assert resumed.observe(Event("a", time=99)) == reader.observe(Event("a", time=99))
