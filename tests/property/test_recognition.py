"""Laws of reading players, over random cases, against slow and obvious oracles."""

import itertools
import json
import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recognition.readings import flairs, play, random_evidence, random_row
from telos.core.belief import Belief
from telos.core.event import Event
from telos.recognition.em import fit_em
from telos.recognition.filtering import Clock, Reader, counted_evidence, forward
from telos.recognition.hindsight import LaggedReader, best_path, smooth
from telos.recognition.iohmm import IOHMM, personalize, pool_models
from telos.recognition.observations import AIIDE_SYMBOLS
from telos.recognition.recognizer import Evidence
from telos.recognition.transitions import LearnedTransitions

GOALS = ("explore", "level", "return")
seeds = st.integers(0, 10**6)


def paths(prior: tuple[float, ...], evidences: list[Evidence]) -> dict[tuple[int, ...], float]:
    """Return the probability of every sequence of goals together with what was seen; the first is before any event."""
    found = {}
    for path in itertools.product(range(len(prior)), repeat=len(evidences) + 1):
        chance = prior[path[0]]
        for before, after, evidence in zip(path, path[1:], evidences, strict=False):
            chance *= evidence.transition[before][after] * evidence.likelihood[after]
        found[path] = chance
    return found


@st.composite
def cases(draw: st.DrawFn, most: int = 5) -> tuple[tuple[float, ...], list[Evidence]]:
    rng, goals = Random(draw(seeds)), draw(st.integers(1, 4))
    return random_row(rng, goals), [random_evidence(rng, goals) for _ in range(draw(st.integers(1, most)))]


@given(cases())
@settings(deadline=None)
def test_filtering_is_the_sum_over_all_paths(case: tuple[tuple[float, ...], list[Evidence]]) -> None:
    prior, evidences = case
    for length in range(1, len(evidences) + 1):
        chances = paths(prior, evidences[:length])
        total = sum(chances.values())
        steps = forward(prior, evidences[:length])
        for goal in range(len(prior)):
            expected = sum(chance for path, chance in chances.items() if path[-1] == goal) / total
            assert math.isclose(steps[-1][1][goal], expected, abs_tol=1e-12)
        assert math.isclose(sum(math.log(likelihood) for _, _, likelihood in steps), math.log(total), abs_tol=1e-9)


@given(cases())
@settings(deadline=None)
def test_smoothing_is_the_sum_over_all_paths(case: tuple[tuple[float, ...], list[Evidence]]) -> None:
    prior, evidences = case
    chances = paths(prior, evidences)
    total = sum(chances.values())
    for number, smoothed in enumerate(smooth(prior, evidences), 1):
        for goal in range(len(prior)):
            expected = sum(chance for path, chance in chances.items() if path[number] == goal) / total
            assert math.isclose(smoothed[goal], expected, abs_tol=1e-12)


@given(cases())
@settings(deadline=None)
def test_the_best_path_is_the_best_of_all_paths(case: tuple[tuple[float, ...], list[Evidence]]) -> None:
    prior, evidences = case
    path, score = best_path(prior, evidences)
    chances = paths(prior, evidences)
    assert math.isclose(score, math.log(max(chances.values())), abs_tol=1e-9)
    assert math.isclose(max(chances[(first, *path)] for first in range(len(prior))), max(chances.values()))


@given(seeds, st.integers(0, 6), st.integers(1, 25))
@settings(deadline=None)
def test_a_lagged_belief_is_smoothing_up_to_now(seed: int, lag: int, count: int) -> None:
    model = flairs()
    events = play(count, seed)
    late = LaggedReader(model, lag)
    for number, event in enumerate(events, 1):
        belief = late.observe(event)
        evidences = [evidence for _, evidence in counted_evidence(model, events[:number])]
        if evidences:
            expected = smooth(model.prior, evidences)[max(0, len(evidences) - 1 - lag)]
            assert list(belief.values()) == pytest.approx(list(expected), abs=1e-12)


@given(seeds, st.integers(0, 40))
@settings(deadline=None, max_examples=40)
def test_learning_is_counting(seed: int, count: int) -> None:
    rng, model, reader = Random(seed), IOHMM(), None
    reader = Reader(model)
    lessons = [(event, rng.choice(GOALS)) for event in play(count, seed)]
    for event, goal in lessons:
        reader.learn(event, goal)
    taught = [(event, goal) for event, goal in lessons if event.context["cause"] in ("input", "tick")]
    for goal in GOALS:
        names = [symbol_of(event) for event, each in taught if each == goal]
        for symbol in AIIDE_SYMBOLS.names:
            assert model.counts.seen[goal][symbol] == names.count(symbol)
            chance = (names.count(symbol) + 1) / (len(names) + 9)
            assert model.counts.chances(goal)[AIIDE_SYMBOLS.names.index(symbol)] == pytest.approx(chance)


def symbol_of(event: Event) -> str:
    """Return the observation of the second paper that an event is, read off its list by hand."""
    said = event.context
    if event.action in ("swing", "stop"):
        return event.action
    near_monster = "_and_monster" if said["toward_monster"] else ""
    if said["toward_unexplored"]:
        return f"approach_unexplored{near_monster}"
    if said["toward_town"]:
        return f"approach_town{near_monster}"
    if said["toward_monster"]:
        return "approach_monster"
    return "approach_gem" if said["toward_gem"] else "other_movement"


@given(seeds, st.sampled_from([0.0, 0.5, 2.0]), st.sampled_from([None, 0.0, 5.0]), st.sampled_from([0.0, 1.0]))
@settings(deadline=None, max_examples=25)
def test_em_never_makes_the_model_worse(seed: int, anchored: float, transitions: float | None, pseudo: float) -> None:
    rng = Random(seed)
    counts = {goal: {symbol: float(rng.randint(0, 9)) for symbol in AIIDE_SYMBOLS.names} for goal in GOALS}
    model = IOHMM(counts=counts, pseudo_counts=pseudo)
    sessions = [play(30, seed + number) for number in range(2)]
    fitted = fit_em(model, sessions, anchored=anchored, transitions=transitions, rounds=12)
    for before, after in itertools.pairwise(fitted.objectives):
        assert after >= before - 1e-9 * max(1.0, abs(before))
    if anchored == pseudo == 0 and not transitions:
        for before, after in itertools.pairwise(fitted.log_likelihoods):
            assert after >= before - 1e-9 * max(1.0, abs(before))


def taught(seed: int, count: int = 40) -> IOHMM:
    rng, model = Random(seed), IOHMM(learned=LearnedTransitions())
    for event in play(count, seed):
        model.learn(event, rng.choice(GOALS), rng.choice(GOALS))
    return model


@given(seeds)
@settings(deadline=None, max_examples=20)
def test_between_the_pool_and_the_player_there_is_everything(seed: int) -> None:
    pool = pool_models([taught(seed), taught(seed + 1)])
    alone, torn, faithful = (personalize(pool, strength) for strength in (0.0, 20.0, 1e12))
    own = IOHMM()
    for event in play(30, seed + 2):
        for model in (alone, torn, faithful, own):
            model.learn(event, "level")
    for goal in GOALS:
        assert alone.counts.chances(goal) == own.counts.chances(goal)
        assert faithful.counts.chances(goal) == pytest.approx(pool.counts.chances(goal), abs=1e-9)
        sides = zip(alone.counts.chances(goal), torn.counts.chances(goal), pool.counts.chances(goal), strict=True)
        for mine, between, theirs in sides:
            assert min(mine, theirs) - 1e-12 <= between <= max(mine, theirs) + 1e-12


@given(seeds, st.integers(0, 30), st.sampled_from([Clock(), Clock(every=0.5), Clock(on=["input"], every=1.2)]))
@settings(deadline=None, max_examples=40)
def test_saved_and_resumed_anywhere_a_reader_goes_on_exactly(seed: int, cut: int, clock: Clock) -> None:
    model, events = flairs(clock=clock), play(30, seed)
    whole, first = Reader(model), Reader(model)
    for event in events[:cut]:
        whole.observe(event)
        first.observe(event)
    resumed = Reader.resume(flairs(clock=clock), json.loads(json.dumps(first.save())))
    assert resumed.belief == whole.belief
    for event in events[cut:]:
        assert resumed.observe(event) == whole.observe(event)
    assert resumed.save() == whole.save()
    assert str(resumed.why()) == str(whole.why())


@given(seeds, st.integers(1, 60), st.integers(0, 40))
@settings(deadline=None, max_examples=40)
def test_reasons_add_up_to_the_log_odds(seed: int, count: int, last: int) -> None:
    reader = Reader(flairs())
    for event in play(count, seed, in_town=False):
        reader.observe(event)
    why = reader.why("explore", "level", last=last)
    total = math.log(reader.belief["explore"] / reader.belief["level"])
    assert why.total == pytest.approx(total)
    assert why.start + sum(part.by_change + part.by_sight for part in why.parts) == pytest.approx(total, abs=1e-9)


@given(seeds)
@settings(deadline=None, max_examples=40)
def test_every_look_sums_to_one_in_every_situation(seed: int) -> None:
    model = flairs()
    for event in play(10, seed):
        for goal in model.goals:
            chances = model.distribution(goal, event)
            assert len(chances) == 11
            assert math.isclose(math.fsum(chances.values()), 1.0, abs_tol=1e-12)


@given(seeds)
@settings(deadline=None, max_examples=30)
def test_a_belief_sums_to_one_and_is_what_its_chances_say(seed: int) -> None:
    reader = Reader(flairs())
    for event in play(40, seed):
        belief = reader.observe(event)
        assert Belief(dict(belief)) == belief
        assert tuple(belief.values()) == reader.chances
