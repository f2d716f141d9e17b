"""Expectation maximisation (Baum-Welch): training an IOHMM on sessions whose goals are unknown.

Without labels, EM finds hidden states that explain the play, and two goals may swap their meaning. Anchors prevent
that: counts from sessions with known goals are added in every round.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.values import check_not_negative
from telos.recognition.distributions import Counts
from telos.recognition.filtering import Chances, EventGate, forward, used_evidence
from telos.recognition.hindsight import backward_weights
from telos.recognition.iohmm import IOHMM, copy_model
from telos.recognition.measures import MeasuredValue, Measures
from telos.recognition.recognizer import Evidence
from telos.recognition.transitions import LearnedTransitions

# For each update of a session the indices of case and symbol, and what was measured.
UpdateIndices: TypeAlias = list[tuple[int, int, tuple[MeasuredValue, ...]]]
CountTable: TypeAlias = dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class EMResult:
    """The fitted model, and the fit of each round.

    With sessions held out, the model is that of the round which foresaw them best, and ``held_out`` has their fits.
    """

    model: IOHMM
    log_likelihoods: tuple[float, ...]
    objectives: tuple[float, ...]  # log-likelihood plus log-prior of anchors and pseudo-counts: never decreases
    held_out: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class EMOptions:
    """What EM is told; see ``fit_em``. ``patience`` is for sessions that are held out: rounds without a better fit."""

    anchored: float = 1.0
    transitions: float | None = None
    rounds: int = 50
    tolerance: float = 1e-6
    patience: int = 3

    def __post_init__(self) -> None:
        check_not_negative("anchored", self.anchored)
        if isinstance(self.rounds, bool) or not isinstance(self.rounds, int) or self.rounds < 1:
            raise TelosError(f"rounds must be a whole number, at least 1, got {self.rounds!r}")


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
    """Fit ``model`` to sessions with unknown goals.

    ``anchored`` is the weight of the model's own counts beside the expected ones: with 0 they only give the start.
    ``transitions`` is how many observations the authored transitions count as; None keeps them fixed. ``start`` gives
    the observation chances of the first round, if not the model's own.
    """
    options = EMOptions(anchored, transitions, rounds, tolerance)
    places = [found for found in (_locate_updates(model, session) for session in sessions) if found]
    if not places:
        raise TelosError("no event of these sessions counts", "see the model's clock")
    return run_em(model, lambda current: _expected(current, places), options, start=start)


def run_em(
    model: IOHMM,
    expect: Callable[[IOHMM], "ExpectedCounts"],
    options: EMOptions,
    *,
    start: IOHMM | None = None,
    held_out: Callable[[IOHMM], float] | None = None,
    progress: Callable[[float], object] | None = None,
) -> EMResult:
    """Run EM with expected counts that are computed elsewhere, one by one or in columns.

    ``held_out`` returns the fit of a model to sessions that are not learned from; EM stops when it gets no better.
    ``progress`` is told the fit of each round.
    """
    anchors = _scale(model.counts.seen, options.anchored)
    moves = {}
    if model.learned is not None and options.transitions is not None:
        moves = _scale(model.learned.seen, options.anchored)
    measures = model.measures.copy(scale=options.anchored)
    learned = _learned_transitions(model, options.transitions, moves)
    prior = copy_model(model, counts=anchors, learned=learned, measures=measures)
    first = start or model
    current = copy_model(prior, counts=first.counts.seen, pseudo_counts=first.counts.pseudo, measures=first.measures)
    fits: list[float] = []
    objectives: list[float] = []
    held: list[float] = []
    best = current
    for _ in range(options.rounds):
        expected = expect(current)
        fits.append(expected.log_likelihood)
        objectives.append(expected.log_likelihood + _log_prior(prior, current))
        if held_out is not None:
            held.append(held_out(current))
        if progress is not None:
            progress(held[-1] if held else fits[-1])
        if held and held[-1] >= max(held):
            best = current
        if held and len(held) - 1 - held.index(max(held)) >= options.patience:
            break
        if len(fits) > 1 and objectives[-1] - objectives[-2] < options.tolerance:
            break
        learned = _learned_transitions(model, options.transitions, _add(moves, expected.changes.seen))
        measured = measures.copy()
        measured.add_all(expected.measured.seen)
        current = copy_model(prior, counts=_add(anchors, expected.seen.seen), learned=learned, measures=measured)
    return EMResult(best if held else current, tuple(fits), tuple(objectives), tuple(held))


def _locate_updates(model: IOHMM, session: Iterable[Event]) -> UpdateIndices:
    gate, found = EventGate(model), []
    for event in session:
        counted = gate.admit(event)
        indices = None if counted is None else model.locate(counted)
        if indices is not None and counted is not None:
            found.append((*indices, model.measure(counted)))
    return found


def _learned_transitions(model: IOHMM, strength: float | None, seen: CountTable) -> LearnedTransitions | None:
    if strength is None:
        return None if model.learned is None else model.learned.copy()
    return LearnedTransitions(strength, seen=seen)


class ExpectedCounts:
    """Expected counts of symbols and goal changes, and the log-likelihood."""

    def __init__(self, model: IOHMM) -> None:
        self.seen = Counts(model.goals, model.symbols.names, pseudo=0.0)
        self.changes = LearnedTransitions(0.0)
        self.changes.join(model.transitions, model.goals)
        self.measured = model.measures.copy(seen={})
        self.log_likelihood = 0.0

    def add(
        self,
        goals: Sequence[str],
        place: tuple[int, int, tuple[MeasuredValue, ...]],
        joint: Sequence[Sequence[float]],
    ) -> None:
        """Add one update, given the joint chance of the goals before and at it."""
        case, symbol, measured = place
        for number, goal in enumerate(goals if measured else ()):
            self.measured.add(goal, measured, math.fsum(row[number] for row in joint))
        for before, row in zip(goals, joint, strict=True):
            for after, chance in zip(goals, row, strict=True):
                self.changes.add(case, before, after, chance)
                self.seen.add(after, symbol, chance)


def _expected(model: IOHMM, sessions: Sequence[UpdateIndices]) -> ExpectedCounts:
    goals, names, matrices = model.goals, model.symbols.names, model.matrices
    tables = [model.counts.chances(goal) for goal in goals]
    by_symbol = [tuple(table[symbol] for table in tables) for symbol in range(len(names))]
    found = ExpectedCounts(model)
    for places in sessions:
        evidences = [
            model.measures.weigh(Evidence(matrices[case], by_symbol[symbol], names[symbol]), measured)
            for case, symbol, measured in places
        ]
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
    """Return the joint chance of the goals before and at an update, given the whole session."""
    pairs = [
        [chance * move * seen * after for move, seen, after in zip(row, evidence.likelihood, later, strict=True)]
        for chance, row in zip(before, evidence.transition, strict=True)
    ]
    total = math.fsum(each for row in pairs for each in row)
    return [[each / total for each in row] for row in pairs]


def _log_prior(prior: IOHMM, current: IOHMM) -> float:
    """Return the log-prior of a model: anchors, pseudo-counts and authored transitions as observations."""
    terms = [(prior.counts, current.counts)]
    if prior.learned is not None and current.learned is not None:
        terms.append((prior.learned.counts, current.learned.counts))
    total = 0.0
    for given, found in terms:
        for row in given.rows:
            for weight, chance in zip(given.weights(row), found.chances(row), strict=True):
                total += weight * math.log(chance) if weight > 0 else 0.0
    return total + _log_prior_of_measures(prior.measures, current.measures)


def _log_prior_of_measures(prior: Measures, current: Measures) -> float:
    """Return the log-prior of densities: the authored ones as observations, and the anchors."""
    total = 0.0
    for measure in prior.all:
        for goal in prior.goals:
            anchor = prior.seen.get(measure.name, {}).get(goal, (0.0, 0.0, 0.0))
            before, density = measure.densities[goal].expected, current.density(measure.name, goal)
            sums = [measure.strength + anchor[0]]
            sums += [measure.strength * each + more for each, more in zip(before, anchor[1:], strict=True)]
            total += density.log_likelihood(*sums)
    return total


def _scale(tally: Mapping[str, Mapping[str, float]], factor: float) -> CountTable:
    return {row: {name: count * factor for name, count in counts.items()} for row, counts in tally.items()}


def _add(one: CountTable, other: CountTable) -> CountTable:
    rows = {**one, **other}
    return {
        row: {
            name: one.get(row, {}).get(name, 0.0) + other.get(row, {}).get(name, 0.0)
            for name in {**one.get(row, {}), **other.get(row, {})}
        }
        for row in rows
    }
