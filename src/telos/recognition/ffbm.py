"""Fast Forward Bayesian Models (FLAIRS paper): a designer's rules choose transitions and observations by context."""

from collections.abc import Mapping, Sequence

from telos.core.conditions import Condition
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.event import Event
from telos.core.values import FrozenMap, ValueKind
from telos.recognition.director import DirectorRule, check_rules, director_conditions, director_formulas
from telos.recognition.filtering import INPUT, Clock, clock_for
from telos.recognition.measures import Measure, Measures
from telos.recognition.measures.gate import MeasureGate
from telos.recognition.observations import (
    FLAIRS_SYMBOLS,
    EventFeatures,
    FeatureValues,
    ObservationModel,
    ObservationRules,
    Symbols,
    SymbolsLike,
)
from telos.recognition.recognizer import Evidence, check_goals, check_prior
from telos.recognition.transitions import TransitionRules
from telos.recognition.vocabulary import ADVENTURE, OWN_WORDS, FirstEvents, Vocabulary, complete_vocabulary


class FFBM:
    """A goal model by rules: the context of an event decides which transition matrix and observation models apply.

    Under every goal and every rule the chances sum to 1 over the same outcomes; any other model is refused. What the
    conditions read is added to an open ``vocabulary``; with the outcomes of the paper, it is that of the adventure.

    >>> from telos.recognition.observations import FixedObservation, HeadingObservation
    >>> seen = {"level": FixedObservation({"swing_still": 0.8}), "explore": HeadingObservation("unvisited_exits")}
    >>> model = FFBM(["level", "explore"], transitions=TransitionRules(lasts=100), observations=seen)
    >>> model.evidence(Event("swing")).likelihood
    (0.8, 0.09090909090909091)
    """

    def __init__(
        self,
        goals: Sequence[str],
        *,
        transitions: TransitionRules,
        observations: Mapping[str, ObservationRules | ObservationModel],
        prior: Mapping[str, float] | Sequence[float] | None = None,
        clock: Clock | None = None,
        outcomes: SymbolsLike = FLAIRS_SYMBOLS,
        vocabulary: Vocabulary = OWN_WORDS,
        name: str = "",
        director: Sequence[DirectorRule] | None = None,
        measures: Sequence[Measure] = (),
    ) -> None:
        self.name = name
        self.goals = check_goals(goals)
        self.prior = check_prior(prior, self.goals)
        self.transitions = transitions
        self.observations = FrozenMap({goal: ObservationRules.of(given) for goal, given in observations.items()})
        self.outcomes = Symbols.of(outcomes)
        if vocabulary == OWN_WORDS and self.outcomes == FLAIRS_SYMBOLS:
            vocabulary = ADVENTURE
        self.measures = Measures(measures, self.goals)
        edges = [entry for rules in self.observations.values() for entry in rules.entries]
        self.vocabulary = vocabulary = complete_vocabulary(
            vocabulary,
            self._conditions,
            edges,
            director_conditions(director),
            self.goals,
            has_clock=clock is not None,
            measured=self.measures.entries,
            formulas=director_formulas(director),
        )
        self.clock = clock_for(vocabulary, clock)
        self.director = check_rules(director, vocabulary, self.goals)
        faults = self._faults()
        if faults:
            raise DefinitionError(faults)
        self._features: EventFeatures[Evidence | None] = EventFeatures(
            vocabulary, self.goals, self._conditions, self._entries
        )
        self._bind_rules()
        self._gate = MeasureGate(self.measures, self._features) if self.measures else None

    def evidence(self, event: Event) -> Evidence | None:
        """Return the evidence of an event; None if the clock does not count it."""
        found = self._features.evidence(event)
        if self._gate is None or found is None:
            return found
        return self.measures.weigh(found, self._gate.read(event))

    @property
    def first_events(self) -> FirstEvents:
        """What the first events say that the model does not use, if its vocabulary is open."""
        return self._features.first_events

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FFBM) and self._definition == other._definition

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name or '/'.join(self.goals)})"

    @property
    def _definition(self) -> tuple[object, ...]:
        rules = (self.transitions, self.observations, self.outcomes, self.vocabulary)
        return (self.name, self.goals, self.prior, self.clock, *rules, self.director, self.measures)

    @property
    def _conditions(self) -> list[Condition]:
        observations = [condition for rules in self.observations.values() for condition in rules.conditions]
        cases = [case.condition for case in self.transitions.cases]
        return [*self.outcomes.conditions, *cases, *observations, *self.measures.conditions]

    @property
    def _entries(self) -> set[str]:
        exits = {entry for rules in self.observations.values() for entry in rules.entries}
        return exits | ({"cause"} & set(self.vocabulary.context))

    def _faults(self) -> list[Fault]:
        found = self.transitions.faults(self.goals)
        for goal in (name for name in self.observations if name not in self.goals):
            found.append(
                Fault(
                    f"unknown goal {goal!r}",
                    suggestion=name_hint(goal, self.goals),
                    path=("observations",),
                    code=FaultCode.UNKNOWN_NAME,
                )
            )
        for goal in self.goals:
            if goal not in self.observations:
                found.append(
                    Fault(f"goal {goal!r} has no observations", path=("observations",), code=FaultCode.INCOMPLETE)
                )
            else:
                found += self.observations[goal].faults(goal, self.outcomes.names)
        return found + self._entry_faults() + self.measures.faults(self.vocabulary)

    def _entry_faults(self) -> list[Fault]:
        found, context = [], self.vocabulary.context
        for entry in sorted(self._entries):
            if entry not in context:
                found.append(
                    Fault(
                        f"towards an unknown entry {entry!r}",
                        suggestion=name_hint(entry, context),
                        code=FaultCode.UNKNOWN_NAME,
                    )
                )
            elif entry != "cause" and context[entry].kind is not ValueKind.HANDLE:
                found.append(
                    Fault(
                        f"towards {entry!r}, which is {context[entry]}; name an entry that lists edges",
                        code=FaultCode.WRONG_TYPE,
                    )
                )
        return found

    def _bind_rules(self) -> None:
        """Bind every rule to the feature values, once."""
        features = self._features
        cause = features.layout.slots.get("cause")
        matrices = self.transitions.matrices(self.goals)
        cases = [
            (features.bound(case.condition), matrix)
            for case, matrix in zip(self.transitions.cases, matrices[1:], strict=True)
        ]
        find = self.outcomes.finder(features)
        observations = [self.observations[goal].chances(features, self.outcomes.names) for goal in self.goals]

        def compute(values: FeatureValues) -> Evidence | None:
            if not self.clock.counts(INPUT if cause is None else values[cause]):
                return None
            matrix = next((matrix for holds, matrix in cases if holds(values)), matrices[0])
            outcome = find(values)
            likelihood = tuple(chances(values)[outcome] for chances in observations)
            return Evidence(matrix, likelihood, self.outcomes.names[outcome])

        features.compute_with(compute)

    def distribution(self, goal: str, event: Event) -> dict[str, float]:
        """Return the chance of every outcome under a goal in the context of an event; they sum to 1."""
        if goal not in self.goals:
            raise TelosError(f"unknown goal {goal!r}", name_hint(goal, self.goals))
        chances = self.observations[goal].chances(self._features, self.outcomes.names)
        return dict(zip(self.outcomes.names, chances(self._features.features(event)), strict=True))


class ConstantT(FFBM):
    """A fast forward Bayesian model with constant transitions: its cases are ignored. The baseline is an HMM."""

    def __init__(
        self,
        goals: Sequence[str],
        *,
        transitions: TransitionRules,
        observations: Mapping[str, ObservationRules | ObservationModel],
        prior: Mapping[str, float] | Sequence[float] | None = None,
        clock: Clock | None = None,
        outcomes: SymbolsLike = FLAIRS_SYMBOLS,
        vocabulary: Vocabulary = OWN_WORDS,
        name: str = "",
        director: Sequence[DirectorRule] | None = None,
        measures: Sequence[Measure] = (),
    ) -> None:
        super().__init__(
            goals,
            transitions=transitions.constant,
            observations=observations,
            prior=prior,
            clock=clock,
            outcomes=outcomes,
            vocabulary=vocabulary,
            name=name,
            director=director,
            measures=measures,
        )

    @classmethod
    def of(cls, model: FFBM) -> "ConstantT":
        """Return a model with its cases removed."""
        return cls(
            model.goals,
            transitions=model.transitions,
            observations=model.observations,
            prior=model.prior,
            clock=model.clock,
            outcomes=model.outcomes,
            vocabulary=model.vocabulary,
            name=model.name,
            director=model.director,
            measures=model.measures.all,
        )
