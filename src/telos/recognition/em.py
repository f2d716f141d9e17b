"""Expectation maximisation (Baum-Welch): learning from play in which nobody said what the goal was.

Left to itself, it finds hidden states that explain the play, not goals: two of them may have changed places by the end.
Anchoring keeps their meaning: what was counted while goals were known counts in every round.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.values import check_not_negative
from telos.recognition.distributions import Counts
from telos.recognition.filtering import Chances, EventGate, forward, used_evidence
from telos.recognition.hindsight import backward_weights
from telos.recognition.iohmm import IOHMM, copy_model
from telos.recognition.recognizer import Evidence
from telos.recognition.transitions import LearnedTransitions

UpdateIndices: TypeAlias = list[tuple[int, int]]  # the case and the symbol of each update of a session
CountTable: TypeAlias = dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class EMResult:
    """The model that was found, and how well the model of each round explained what was seen."""

    model: IOHMM
    log_likelihoods: tuple[float, ...]
    objectives: tuple[float, ...]  # with what anchors and pseudo-counts say about the model: this never falls


def fit_em(
    model: IOHMM,
    sessions: Sequence[Iterable[Event]],
    *,
    anchored: float = 1.0,
    transitions: float | None = None,
    start: IOHMM | None = None,
    rounds: int = 50,
    tolerance: float = 1e-6,
) -> EMResult:
    """Return the model that sessions of unknown goals make of ``model``.

    ``anchored`` is what each lesson of the model counts beside what is seen now: 1 as much, 0 nothing (then lessons
    only say where to start). ``transitions`` is how many sightings the authored transitions are worth;
    None keeps them as they are. ``start`` gives the observation chances of the first round, if not the model's own.
    """
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1:
        raise TelosError(f"rounds must be a whole number, at least 1, got {rounds!r}")
    places = [found for found in (_places(model, session) for session in sessions) if found]
    if not places:
        raise TelosError("there is nothing to learn from: no event of these sessions counts", "see the model's clock")
    weight = check_not_negative("anchored", anchored)
    anchors = _times(model.counts.seen, weight)
    moves = {} if model.learned is None or transitions is None else _times(model.learned.seen, weight)
    prior = copy_model(model, counts=anchors, learned=_learned(model, transitions, moves))
    first = (start or model).counts
    current = copy_model(prior, counts=first.seen, pseudo_counts=first.pseudo)
    fits: list[float] = []
    objectives: list[float] = []
    for _ in range(rounds):
        expected = _expected(current, places)
        fits.append(expected.log_likelihood)
        objectives.append(expected.log_likelihood + _log_prior(prior, current))
        if len(fits) > 1 and objectives[-1] - objectives[-2] < tolerance:
            break
        learned = _learned(model, transitions, _plus(moves, expected.changes.seen))
        current = copy_model(model, counts=_plus(anchors, expected.seen.seen), learned=learned)
    return EMResult(current, tuple(fits), tuple(objectives))


def _places(model: IOHMM, session: Iterable[Event]) -> UpdateIndices:
    gate, found = EventGate(model), []
    for event in session:
        counted = gate.admit(event)
        placed = None if counted is None else model.placed(counted)
        if placed is not None:
            found.append(placed)
    return found


def _learned(model: IOHMM, strength: float | None, seen: CountTable) -> LearnedTransitions | None:
    if strength is None:
        return None if model.learned is None else model.learned.copy()
    return LearnedTransitions(strength, seen=seen)


class _Expected:
    """How often each symbol and each change of goal is to be expected, and how likely all was."""

    def __init__(self, model: IOHMM) -> None:
        self.seen = Counts(model.goals, model.symbols.names, pseudo=0.0)
        self.changes = LearnedTransitions(0.0)
        self.changes.join(model.transitions, model.goals)
        self.log_likelihood = 0.0

    def add(self, goals: Sequence[str], place: tuple[int, int], joint: Sequence[Sequence[float]]) -> None:
        """Add one update: how likely each pair of goals was, before and at it."""
        case, symbol = place
        for before, row in zip(goals, joint, strict=True):
            for after, chance in zip(goals, row, strict=True):
                self.changes.add(case, before, after, chance)
                self.seen.add(after, symbol, chance)


def _expected(model: IOHMM, sessions: Sequence[UpdateIndices]) -> _Expected:
    goals, names, matrices = model.goals, model.symbols.names, model.matrices
    tables = [model.counts.chances(goal) for goal in goals]
    by_symbol = [tuple(table[symbol] for table in tables) for symbol in range(len(names))]
    found = _Expected(model)
    for places in sessions:
        evidences = [Evidence(matrices[case], by_symbol[symbol], names[symbol]) for case, symbol in places]
        steps = forward(model.prior, evidences)
        found.log_likelihood += math.fsum(math.log(likelihood) for _, _, likelihood in steps if likelihood > 0)
        weighed = used_evidence(evidences, steps)
        before: Chances = tuple(model.prior)
        for place, evidence, taken, later in zip(
            places, weighed, steps, backward_weights(weighed, len(goals)), strict=True
        ):
            found.add(goals, place, _joint(before, evidence, later))
            before = taken[1]
    return found


def _joint(before: Chances, evidence: Evidence, later: Chances) -> list[list[float]]:
    """Return how likely each pair of goals was, before and at an update, given all that was seen."""
    pairs = [
        [chance * move * seen * after for move, seen, after in zip(row, evidence.likelihood, later, strict=True)]
        for chance, row in zip(before, evidence.transition, strict=True)
    ]
    total = math.fsum(each for row in pairs for each in row)
    return [[each / total for each in row] for row in pairs]


def _log_prior(prior: IOHMM, current: IOHMM) -> float:
    """Return what anchors, pseudo-counts and authored transitions, taken as sightings, say about a model."""
    said = [(prior.counts, current.counts)]
    if prior.learned is not None and current.learned is not None:
        said.append((prior.learned.counts, current.learned.counts))
    total = 0.0
    for given, found in said:
        for row in given.rows:
            for weight, chance in zip(given.weights(row), found.chances(row), strict=True):
                total += weight * math.log(chance) if weight > 0 else 0.0
    return total


def _times(tally: Mapping[str, Mapping[str, float]], factor: float) -> CountTable:
    return {row: {name: count * factor for name, count in counts.items()} for row, counts in tally.items()}


def _plus(one: CountTable, other: CountTable) -> CountTable:
    rows = {**one, **other}
    return {
        row: {
            name: one.get(row, {}).get(name, 0.0) + other.get(row, {}).get(name, 0.0)
            for name in {**one.get(row, {}), **other.get(row, {})}
        }
        for row in rows
    }
