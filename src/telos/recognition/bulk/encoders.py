"""Encoders: the evidence of a goal model for columns of events, as indices into tables (``column_encoder``).

Each kind of model has one. An encoder works out the model's conditions for all rows at once, asks the model for each
different combination of answers once, and keeps that for later batches. It reads the model as it is when it is made.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.core.expressions import Expression, names_in
from telos.core.values import Value
from telos.recognition.bulk.arrays import Array, Indices, ModelArrays
from telos.recognition.bulk.codes import CodeTable
from telos.recognition.bulk.columns import Column, ColumnConditions, ColumnNeeds, EventColumns
from telos.recognition.bulk.filters import FilterResult, ViterbiResult, filter, smooth, viterbi
from telos.recognition.bulk.logic import LogicEncoder
from telos.recognition.bulk.measures import MeasureColumns, MeasuredRows
from telos.recognition.ffbm import FFBM
from telos.recognition.filtering import Clock
from telos.recognition.fsm import FSMModel
from telos.recognition.iohmm import IOHMM
from telos.recognition.markov_logic import MarkovLogicModel
from telos.recognition.measures import Measures
from telos.recognition.observations import HeadingObservation, ObservationRules, check_edges
from telos.recognition.vocabulary import Vocabulary


class EncodedEvidence(Protocol):
    """What a model says of events that count, player by player."""

    def filter(self, offsets: NDArray[np.int64], prior: Array) -> FilterResult:
        """Return the belief after each event; ``prior`` are those before, one row for each player."""

    def smooth(self, offsets: NDArray[np.int64], prior: Array) -> FilterResult:
        """Return the belief at each event given all events of its player."""


class EncodedColumns(NamedTuple):
    """Events as indices into the tables of a model: its likelihoods (symbols) and its transitions (inputs)."""

    tables: ModelArrays
    symbols: Indices
    inputs: Indices
    outcomes: Indices  # what was seen, among the outcomes of the model
    measured: MeasuredRows | None = None  # what was measured of each event, for a model with measures

    def by_rows(self) -> "EncodedColumns":
        """Return the same with a row of likelihoods for each event, in which the densities of measures are."""
        if self.measured is None:
            return self
        likelihoods = self.tables.likelihoods[self.symbols] * self.measured.factors
        rows = likelihoods if len(likelihoods) else self.tables.likelihoods
        tables = ModelArrays(self.tables.goals, self.tables.transitions, rows, self.tables.prior)
        return EncodedColumns(tables, np.arange(len(self.symbols)), self.inputs, self.outcomes)

    def filter(self, offsets: NDArray[np.int64], prior: Array) -> FilterResult:
        """Return the belief after each event; ``prior`` are those before, one row for each player."""
        rows = self.by_rows()
        return filter(rows.tables, rows.symbols, rows.inputs, offsets=offsets, beliefs=True, prior=prior)

    def smooth(self, offsets: NDArray[np.int64], prior: Array) -> FilterResult:
        """Return the belief at each event given all events of its player."""
        rows = self.by_rows()
        return smooth(rows.tables, rows.symbols, rows.inputs, offsets=offsets, prior=prior)

    def best_path(self, offsets: NDArray[np.int64], prior: Array) -> ViterbiResult:
        """Return the likeliest sequence of goals of each player."""
        rows = self.by_rows()
        return viterbi(rows.tables, rows.symbols, rows.inputs, offsets=offsets, prior=prior)


class ColumnEncoder(Protocol):
    """Turns columns of events that count, in the order of each player's, into indices."""

    @property
    def goals(self) -> tuple[str, ...]: ...
    @property
    def prior(self) -> Sequence[float]: ...
    @property
    def needs(self) -> ColumnNeeds: ...

    def encode(self, events: EventColumns) -> EncodedEvidence:
        """Return what the model says of events that count."""


def _needs(
    vocabulary: Vocabulary,
    goals: Sequence[str],
    expressions: Sequence[Expression],
    entries: Sequence[str] = (),
    clock: Clock | None = None,
    measures: Measures | None = None,
) -> ColumnNeeds:
    used = spoken = frozenset(entries).union(*map(names_in, expressions))
    minima = measures.minima if measures else {}
    used |= frozenset(minima)
    if clock is not None and "cause" in vocabulary.context:
        used |= {"cause"}
    variables = {each.name: each for each in vocabulary.variables(goals)}
    read = [name for name in vocabulary.context if name in used]
    return ColumnNeeds(
        {name: variables[name].type for name in read},
        {name: variables[name].start for name in read},
        vocabulary.actions,
        clock,
        tuple(name for name in vocabulary.moments if name in read),
        (variables["goal"].type.labels or None) if "goal" in used else None,
        optional=frozenset() if "cause" in spoken else frozenset({"cause"} & used),
        measures=minima,
    )


class RuleEncoder:
    """Encodes events for an FFBM, with or without cases: the symbol is the outcome and the rule of each goal."""

    def __init__(self, model: FFBM) -> None:
        self.goals, self.prior = model.goals, model.prior
        self._names = model.outcomes.names
        conditions = ColumnConditions(model.vocabulary, model.goals)
        self._conditions = conditions
        self._cases = conditions.resolve(case.condition for case in model.transitions.cases)
        self._outcomes = conditions.resolve(model.outcomes.conditions)
        self._rules = [model.observations[goal] for goal in model.goals]
        self._tests = [_rule_tests(conditions, rules) for rules in self._rules]
        self._entries = tuple(dict.fromkeys(entry for rules in self._rules for entry in rules.entries))
        self._matrices = model.transitions.matrices(model.goals)
        self._table = CodeTable(1 + len(self._rules) + len(self._entries))
        self._likelihoods: list[tuple[float, ...]] = []
        tests = [test for tests in self._tests for test in tests if test is not None]
        self._measures = MeasureColumns(model.measures, conditions) if model.measures else None
        tests += [] if self._measures is None else self._measures.tests
        self.needs = _needs(
            model.vocabulary,
            model.goals,
            [*self._cases, *self._outcomes, *tests],
            self._entries,
            model.clock,
            model.measures,
        )

    def encode(self, events: EventColumns) -> EncodedColumns:
        """Return the tables of the model, and the indices of each event into them."""
        find = self._conditions.find_first
        chosen = [find(tests, events) for tests in self._tests]
        edges = [events[entry] for entry in self._entries]
        outcomes = _find_outcomes(self._conditions, self._outcomes, self._names, events)
        # Code 0 stands for no edges stated.
        symbols = self._table.encode([outcomes, *chosen, *(column.values + 1 for column in edges)])
        for combination in self._table.combinations[len(self._likelihoods) :]:
            self._likelihoods.append(self._likelihood(combination, edges))
        inputs = _case_inputs(self._conditions, self._cases, events)
        tables = _tables(self.goals, self._matrices, self._likelihoods, self.prior)
        measured = self._measures.read(events) if self._measures else None
        return EncodedColumns(tables, symbols, inputs, outcomes, measured)

    def _likelihood(self, combination: tuple[int, ...], edges: Sequence[Column]) -> tuple[float, ...]:
        outcome, *rest = combination
        numbers, codes = rest[: len(self._rules)], rest[len(self._rules) :]
        stated = {
            entry: () if not code else _label(column, code - 1)
            for entry, column, code in zip(self._entries, edges, codes, strict=True)
        }
        found = []
        for rules, number in zip(self._rules, numbers, strict=True):
            model = rules.rules[number][1]
            if isinstance(model, HeadingObservation):
                chances = model.chances(self._names, check_edges(stated[model.exits], model.exits))
            else:
                chances = model.chances(self._names)
            found.append(chances[outcome])
        return tuple(found)


def _rule_tests(conditions: ColumnConditions, rules: ObservationRules) -> list[Expression | None]:
    return [None if condition is None else conditions.resolve([condition])[0] for condition, _ in rules.rules]


def _label(column: Column, code: int) -> Value:
    assert column.labels is not None
    return column.labels[code]


class CountedEncoder:
    """Encodes events for an IOHMM: the symbol is the observation, the input is the case of the transitions."""

    def __init__(self, model: IOHMM) -> None:
        self.goals, self.prior = model.goals, model.prior
        self._names = model.symbols.names
        self._conditions = ColumnConditions(model.vocabulary, model.goals)
        self._cases = self._conditions.resolve(case.condition for case in model.transitions.cases)
        self._symbols = self._conditions.resolve(model.symbols.conditions)
        chances = [model.counts.chances(goal) for goal in model.goals]
        self._tables = ModelArrays(model.goals, model.matrices, list(zip(*chances, strict=True)), model.prior)
        self._measures = MeasureColumns(model.measures, self._conditions) if model.measures else None
        tests = [*self._cases, *self._symbols, *(self._measures.tests if self._measures else ())]
        self.needs = _needs(model.vocabulary, model.goals, tests, clock=model.clock, measures=model.measures)

    def encode(self, events: EventColumns) -> EncodedColumns:
        """Return the tables of the model, and the indices of each event into them."""
        symbols = _find_outcomes(self._conditions, self._symbols, self._names, events)
        inputs = _case_inputs(self._conditions, self._cases, events)
        measured = self._measures.read(events) if self._measures else None
        return EncodedColumns(self._tables, symbols, inputs, symbols, measured)


class MachineEncoder:
    """Encodes events for a state machine: each rule is a matrix that moves all belief to its goal."""

    def __init__(self, model: FSMModel) -> None:
        self.goals = model.goals
        self._conditions = ColumnConditions(model.vocabulary, model.goals)
        self._rules = self._conditions.resolve(condition for condition, _ in model.rules)
        size = len(model.goals)
        matrices: list[Any] = [np.tile(np.eye(size)[model.goals.index(goal)], (size, 1)) for _, goal in model.rules]
        self._tables = ModelArrays(model.goals, [*matrices, np.eye(size)], np.ones((1, size)))
        self.needs = _needs(model.vocabulary, model.goals, self._rules)
        # Without a start, the initial goal of each player is drawn; see the states of players.
        self.prior: Sequence[float] = (
            [1 / size] * size if model.start is None else np.eye(size)[model.goals.index(model.start)].tolist()
        )

    def encode(self, events: EventColumns) -> EncodedColumns:
        """Return the tables of the model, and the indices of each event into them."""
        inputs = self._conditions.find_first(self._rules, events)
        nothing = np.zeros(events.size, np.uint8)
        return EncodedColumns(self._tables, nothing, inputs, nothing)


def _find_outcomes(
    conditions: ColumnConditions, tests: Sequence[Expression], names: Sequence[str], events: EventColumns
) -> NDArray[np.int32]:
    found = conditions.find_first(tests, events)
    if len(found) and int(found.max()) == len(names):
        action = events["action"].value(int(found.argmax()))
        raise TelosError(
            f"action {action!r} is none of {', '.join(names)} here", "end the list with one that always holds"
        )
    return found


def _case_inputs(conditions: ColumnConditions, cases: Sequence[Expression], events: EventColumns) -> Indices:
    """Return the number of the matrix for each row: 0 is the usual one."""
    if not cases:
        return np.zeros(events.size, np.uint8)
    found = conditions.find_first(cases, events) + 1
    return np.where(found > len(cases), 0, found).astype(np.int32)


def _tables(goals: Sequence[str], matrices: Any, likelihoods: Any, prior: Sequence[float]) -> ModelArrays:
    return ModelArrays(goals, matrices, likelihoods or [[1.0] * len(goals)], prior)


def is_columnar(model: object) -> bool:
    """Whether a model can be read in columns."""
    return isinstance(model, FFBM | IOHMM | FSMModel | MarkovLogicModel)


def column_encoder(model: object) -> ColumnEncoder:
    """Return the encoder of a model as it is now; a model that has none is refused."""
    if isinstance(model, FFBM):
        return RuleEncoder(model)
    if isinstance(model, IOHMM):
        return CountedEncoder(model)
    if isinstance(model, FSMModel):
        return MachineEncoder(model)
    if isinstance(model, MarkovLogicModel):
        return LogicEncoder(model)
    raise TelosError(
        f"{model!r} cannot be read in columns", "read its events one at a time: telos.recognizer(...).observe(event)"
    )
