"""Laws of choosing, over random cases, against slow and obvious oracles."""

import itertools
import math

from hypothesis import given, settings
from hypothesis import strategies as st

import telos

NAMES = ["eat", "sleep", "fun", "safety"]
levels = st.integers(0, 10).map(float) | st.floats(0, 10).map(lambda x: round(x, 2))
changes = st.dictionaries(st.sampled_from(NAMES), st.integers(-6, 4).map(float), max_size=3)


@st.composite
def goals(draw: st.DrawFn, drifting: bool = True) -> list[telos.Goal]:
    return [
        telos.Goal(
            name,
            draw(levels),
            drift=draw(st.sampled_from([-1.0, 0.0, 0.0, 0.5, 2.0])) if drifting else 0.0,
            curve=draw(st.sampled_from(["linear", "square", "square", "cube"])),
            weight=draw(st.sampled_from([0.0, 0.5, 1.0, 1.0, 3.0])),
        )
        for name in NAMES[: draw(st.integers(1, 4))]
    ]


@st.composite
def actions(draw: st.DrawFn, most: int = 4) -> list[telos.Action]:
    drawn = []
    for number in range(draw(st.integers(1, most))):
        uses = draw(st.integers(0, 2))
        effects = [f"energy = energy - {uses}"] if uses else []
        if draw(st.booleans()):
            effects.append(draw(st.sampled_from(["door = open", "door = shut", "lit = not lit"])))
        conditions = [f"energy >= {uses}", *draw(st.lists(st.sampled_from(["door == open", "not lit"]), max_size=1))]
        drawn.append(
            telos.Action(
                f"act-{number}",
                preconditions=conditions,
                effects=effects,
                changes=draw(changes),
                duration=draw(st.sampled_from([0.0, 0.0, 0.5, 2.0])),
            )
        )
    return drawn


def model_of(acts: list[telos.Action], wants: list[telos.Goal]) -> telos.WorldModel:
    variables = [
        telos.Variable("energy", "int", 4),
        telos.Variable("door", ["shut", "open"]),
        telos.Variable("lit", "bool"),
    ]
    return telos.WorldModel.of(telos.Domain(variables=variables, actions=acts, goals=with_all(wants)))


def with_all(wants: list[telos.Goal]) -> list[telos.Goal]:
    """Add the goals that actions speak of and the character does not have, at no weight."""
    have = {goal.name for goal in wants}
    return [*wants, *(telos.Goal(name, weight=0) for name in NAMES if name not in have)]


def enumerated(model: telos.WorldModel, depth: int) -> tuple[list[str], float]:
    """Return the best sequence by recursion over all of them; of equals, the one that brings relief sooner."""
    possible = model.possible if depth else ()
    if not possible:
        return [], model.discontentment
    found = []
    for action in sorted(possible, key=lambda each: model.after(each).discontentment):
        rest, value = enumerated(model.after(action), depth - 1)
        found.append(([action.name, *rest], value))
    return min(found, key=lambda pair: pair[1])


@given(actions(), goals(), st.integers(1, 4))
@settings(max_examples=150, deadline=None)
def test_both_searches_agree_with_enumeration(acts: list[telos.Action], wants: list[telos.Goal], depth: int) -> None:
    model = model_of(acts, wants)
    names, value = enumerated(model, depth)
    for method in ("depth-first", "bounded"):
        outlook = telos.look_ahead(model, depth, method=method)
        assert ([action.name for action in outlook.actions], outlook.value) == (names, value), method


@given(actions(), goals(), st.integers(1, 4))
@settings(max_examples=150, deadline=None)
def test_both_searches_agree_on_improvements_only(
    acts: list[telos.Action], wants: list[telos.Goal], depth: int
) -> None:
    model = model_of(acts, wants)
    plain, fast = (
        telos.look_ahead(model, depth, method=method, improving=True) for method in ("depth-first", "bounded")
    )
    assert (fast.actions, fast.value) == (plain.actions, plain.value)
    assert fast.value >= telos.look_ahead(model, depth).value or len(plain.actions) < depth


@given(actions(), goals(), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_bounded_search_is_right_for_falling_curves(
    acts: list[telos.Action], wants: list[telos.Goal], depth: int
) -> None:
    odd = [telos.Goal(goal.name, goal.insistence, drift=goal.drift, curve=math.sin) for goal in wants]
    model = model_of(acts, odd)
    plain, fast = (telos.look_ahead(model, depth, method=method) for method in ("depth-first", "bounded"))
    assert (fast.actions, fast.value) == (plain.actions, plain.value)


@given(actions(most=6), goals(), st.floats(0, 5))
def test_choice_is_the_first_row_of_least_value(
    acts: list[telos.Action], wants: list[telos.Goal], travel: float
) -> None:
    choice = telos.choose(acts, wants, travel=lambda _: travel)
    values = [row.value for row in choice.table]
    assert choice.value == min(values)
    assert choice.action is acts[values.index(min(values))]
    for row in choice.table:
        assert all(level >= 0 for level in row.levels.values())
        assert row.value == sum([goal.discontentment(row.levels[goal.name]) for goal in wants])


@given(actions(most=6), goals(drifting=False))
def test_time_does_not_matter_without_drift(acts: list[telos.Action], wants: list[telos.Goal]) -> None:
    near, far = telos.choose(acts, wants), telos.choose(acts, wants, travel=lambda _: 7)
    assert (near.action, near.value) == (far.action, far.value)


@given(st.lists(st.tuples(st.floats(0.1, 10), st.floats(-5, 5)), min_size=1, max_size=20), st.floats(0.01, 1))
def test_learned_rate_stays_within_observed_extremes(steps: list[tuple[float, float]], weight: float) -> None:
    learned = telos.LearnedRate(weight=weight)
    learned.observe(0, now=0)
    times = list(itertools.accumulate(time for time, _ in steps))
    changes_ = itertools.accumulate(time * rate for time, rate in steps)
    for now, level in zip(times, changes_, strict=True):
        learned.observe(level, now=now)
    seen = [0.0, *(rate for _, rate in steps)]
    assert min(seen) - 1e-6 <= learned.rate <= max(seen) + 1e-6
