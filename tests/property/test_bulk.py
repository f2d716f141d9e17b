"""Laws of reading in bulk: any model, any players, and always what a live reader says, one event at a time."""

import math
from dataclasses import dataclass
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.core.event import Event
from telos.recognition import bulk
from telos.recognition.filtering import Reader, forward, used_evidence
from telos.recognition.hindsight import best_path, smooth
from telos.recognition.recognizer import Evidence

needs_numba = pytest.mark.skipif(not bulk.is_installed(), reason="no Numba")
# The kernel is compiled anew for each number of goals, so small numbers stand for all of them, but for --slow.
COMPILED = [
    pytest.param(True, 3, marks=needs_numba, id="compiled"),
    pytest.param(True, 6, marks=[needs_numba, pytest.mark.slow], id="compiled-more-goals"),
]
both_forms = pytest.mark.parametrize(("compiled", "most_goals"), [pytest.param(False, 6, id="plain"), *COMPILED])


@dataclass(frozen=True)
class TableModel:
    """A goal model that is nothing but tables: the action is the row of likelihoods, the context names the matrix."""

    goals: tuple[str, ...]
    prior: tuple[float, ...]
    transitions: tuple[tuple[tuple[float, ...], ...], ...]
    likelihoods: tuple[tuple[float, ...], ...]

    def evidence(self, event: Event) -> Evidence:
        return Evidence(
            self.transitions[event.context["input"]],  # type: ignore[index]
            self.likelihoods[int(event.action)],
            event.action,
        )

    @property
    def arrays(self) -> bulk.ModelArrays:
        return bulk.ModelArrays(self.goals, self.transitions, self.likelihoods, self.prior)


@dataclass(frozen=True)
class Case:
    """A model, and the symbols and inputs of some players."""

    model: TableModel
    players: list[list[tuple[int, int]]]

    @property
    def arguments(self) -> tuple[bulk.ModelArrays, list[int], list[int]]:
        flat = [pair for steps in self.players for pair in steps]
        return self.model.arrays, [symbol for symbol, _ in flat], [number for _, number in flat]

    @property
    def lengths(self) -> list[int]:
        return [len(steps) for steps in self.players]

    def events(self, player: int) -> list[Event]:
        return [
            Event(str(symbol), {"input": number}, player=str(player), time=time)
            for time, (symbol, number) in enumerate(self.players[player])
        ]

    def evidences(self, player: int) -> list[Evidence]:
        return [self.model.evidence(event) for event in self.events(player)]


def row(rng: Random, size: int, zeros: float) -> tuple[float, ...]:
    weights = [0.0 if rng.random() < zeros else rng.random() + 0.01 for _ in range(size)]
    weights[rng.randrange(size)] += 0.5
    return tuple(weight / math.fsum(weights) for weight in weights)


def random_case(drawn: int, most_goals: int) -> Case:
    """Draw a case; all of its tables have zeros now and then, and some rows of likelihoods have nothing else.

    Likelihoods may be so small that two of them are below the least float.
    """
    rng = Random(drawn)
    goals, symbols, inputs = rng.randint(1, most_goals), rng.randint(1, 20), rng.randint(1, 4)
    zeros = rng.choice([0.0, 0.0, 0.3, 0.7])
    matrices = tuple(tuple(row(rng, goals, zeros) for _ in range(goals)) for _ in range(inputs))
    scales = [rng.choice([1.0, 1.0, 1.0, 1e-90, 1e-180, 0.0]) for _ in range(symbols)]
    likelihoods = tuple(tuple(scale * rng.random() * (rng.random() >= zeros) for _ in range(goals)) for scale in scales)
    model = TableModel(tuple("abcdef"[:goals]), row(rng, goals, zeros), matrices, likelihoods)
    lengths = [rng.choice([0, 1, 2, rng.randint(0, 40)]) for _ in range(rng.randint(0, 25))]
    return Case(model, [[(rng.randrange(symbols), rng.randrange(inputs)) for _ in range(n)] for n in lengths])


cases = st.integers(0, 1 << 32)  # the seeds of cases: how many goals there are is not for Hypothesis to say


@both_forms
@settings(deadline=None, max_examples=150)
@given(drawn=cases)
def test_filtering_in_bulk_is_what_live_readers_say(compiled: bool, most_goals: int, drawn: int) -> None:
    case = random_case(drawn, most_goals)
    last = bulk.filter(*case.arguments, lengths=case.lengths, compiled=compiled)
    every = bulk.filter(*case.arguments, lengths=case.lengths, beliefs=True, compiled=compiled)
    at = 0
    for player in range(len(case.players)):
        reader = Reader(case.model)
        for event in case.events(player):
            reader.observe(event)
            assert every.beliefs[at] == pytest.approx(reader.chances, abs=1e-12, rel=0)
            at += 1
        assert last.beliefs[player] == pytest.approx(reader.chances, abs=1e-12, rel=0)
        assert last.ignored[player] == every.ignored[player] == reader.ignored
        assert last.log_likelihoods[player] == pytest.approx(reader.log_likelihood, abs=1e-12, rel=1e-12)
    assert at == len(every.beliefs)


@both_forms
@settings(deadline=None, max_examples=150)
@given(drawn=cases)
def test_smoothing_in_bulk_is_forward_backward(compiled: bool, most_goals: int, drawn: int) -> None:
    case = random_case(drawn, most_goals)
    smoothed = bulk.smooth(*case.arguments, lengths=case.lengths, compiled=compiled).beliefs
    slow = [chances for p in range(len(case.players)) for chances in smooth(case.model.prior, case.evidences(p))]
    assert len(slow) == len(smoothed)
    for mine, theirs in zip(smoothed, slow, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-12, rel=0)


def log(chance: float) -> float:
    return math.log(chance) if chance > 0 else -math.inf


def score(prior: tuple[float, ...], evidences: list[Evidence], path: list[int]) -> float:
    """Return the log-likelihood of a path of goals, by its definition; summed over the goal before the first event."""
    total = 0.0
    for number, (goal, evidence) in enumerate(zip(path, evidences, strict=True)):
        if number == 0:
            moves = max(log(chance) + log(line[goal]) for chance, line in zip(prior, evidence.transition, strict=True))
        else:
            moves = log(evidence.transition[path[number - 1]][goal])
        total += moves + log(evidence.likelihood[goal])
    return total


@both_forms
@settings(deadline=None, max_examples=150)
@given(drawn=cases)
def test_the_best_path_in_bulk_scores_as_the_best_path_does(compiled: bool, most_goals: int, drawn: int) -> None:
    case = random_case(drawn, most_goals)
    found = bulk.viterbi(*case.arguments, lengths=case.lengths, compiled=compiled)
    at = 0
    for player, steps in enumerate(case.players):
        prior, evidences = case.model.prior, case.evidences(player)
        _, best = best_path(prior, evidences)
        assert found.log_likelihoods[player] == pytest.approx(best, abs=1e-9, rel=1e-12)
        path = found.path[at : at + len(steps)].tolist()
        weighed = used_evidence(evidences, forward(prior, evidences))
        assert score(prior, weighed, path) == pytest.approx(best, abs=1e-9, rel=1e-12)
        at += len(steps)


@pytest.mark.parametrize(("compiled", "most_goals"), COMPILED)
@settings(deadline=None, max_examples=100)
@given(drawn=cases, threads=st.integers(1, 3))
def test_compiled_equals_plain_to_the_last_bit(compiled: bool, most_goals: int, drawn: int, threads: int) -> None:
    case = random_case(drawn, most_goals)
    for work in (bulk.filter, bulk.smooth, bulk.viterbi):
        plain = work(*case.arguments, lengths=case.lengths, compiled=False)
        fast = work(*case.arguments, lengths=case.lengths, compiled=compiled, threads=threads)
        for one, other in zip(plain, fast, strict=True):
            np.testing.assert_array_equal(one, other)


@both_forms
@settings(deadline=None, max_examples=60)
@given(drawn=cases, seed=st.integers(0, 1 << 32))
def test_players_updated_one_event_at_a_time_believe_what_filtering_says(
    compiled: bool, most_goals: int, drawn: int, seed: int
) -> None:
    case = random_case(drawn, most_goals)
    model, symbols, inputs = case.arguments
    if not case.players:
        return
    whole = bulk.filter(model, symbols, inputs, lengths=case.lengths, compiled=compiled)
    crowd = bulk.PlayersInBulk(model, len(case.players), compiled=compiled)
    waiting = [(player, list(steps)) for player, steps in enumerate(case.players) if steps]
    rng = Random(seed)
    while waiting:
        turn = rng.sample(waiting, rng.randint(1, len(waiting)))
        firsts = [(player, *steps.pop(0)) for player, steps in turn]
        players, seen, matrices = zip(*firsts, strict=True)
        crowd.update(seen, matrices, players=players)
        waiting = [(player, steps) for player, steps in waiting if steps]
    np.testing.assert_array_equal(crowd.beliefs, whole.beliefs)
    np.testing.assert_array_equal(crowd.ignored, whole.ignored)
    np.testing.assert_array_equal(crowd.log_likelihoods, whole.log_likelihoods)


@both_forms
@settings(deadline=None, max_examples=60)
@given(drawn=cases, seed=st.integers(0, 1 << 32))
def test_encoded_events_of_interleaved_players_are_kept_apart(
    compiled: bool, most_goals: int, drawn: int, seed: int
) -> None:
    case = random_case(drawn, most_goals)
    rng, waiting, events = Random(seed), [case.events(player) for player in range(len(case.players))], list[Event]()
    while waiting := [each for each in waiting if each]:
        events.append(rng.choice(waiting).pop(0))
    coded = bulk.encode(case.model, events)
    every = bulk.filter(
        coded.model, coded.symbols, coded.inputs, offsets=coded.offsets, beliefs=True, compiled=compiled
    )
    assert sorted(coded.rows.tolist()) == list(range(len(events)))
    readers = {name: Reader(case.model) for name in coded.players}
    for name in coded.players:
        mine = [event for event in events if event.player == name]
        place = coded.players.index(name)
        start, end = coded.offsets[place], coded.offsets[place + 1]
        assert [events[number] for number in coded.rows[start:end]] == mine
        for event, belief in zip(mine, every.beliefs[start:end], strict=True):
            readers[name].observe(event)
            assert belief == pytest.approx(readers[name].chances, abs=1e-12, rel=0)
