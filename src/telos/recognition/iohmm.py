"""Input-Output Hidden Markov Models (AIIDE paper), trained by counting; pooling over players."""

import math
from collections.abc import Mapping, Sequence

from telos.core.errors import DefinitionError, TelosError, name_hint
from telos.core.event import Event
from telos.core.values import check_not_negative
from telos.recognition.director import DirectorRule, check_rules, director_conditions, director_formulas
from telos.recognition.distributions import Counts
from telos.recognition.filtering import INPUT, Clock, clock_for
from telos.recognition.measures import Measure, MeasuredValue, Measures
from telos.recognition.measures.gate import MeasureGate
from telos.recognition.observations import AIIDE_SYMBOLS, EventFeatures, FeatureValues, Symbols, SymbolsLike
from telos.recognition.recognizer import Evidence, check_goals, check_prior
from telos.recognition.transitions import LearnedTransitions, TransitionRules
from telos.recognition.vocabulary import ADVENTURE, OWN_WORDS, FirstEvents, Vocabulary, complete_vocabulary

# The transitions of the AIIDE paper: a goal lasts ten updates, after a return something else follows, and a player who
# found a chest takes it home.
AIIDE_TRANSITIONS = TransitionRules(
    lasts=10,
    cases=[
        ("goal == return", {"any": {"return": 0, "others": "shared"}}),
        ("goal == explore", {"any": {"return": 0.95, "others": "shared"}}),
    ],
)
AIIDE_CLOCK = Clock(on=("input",), every=0.5)


class IOHMM:
    """A goal model trained by counting which outcome was observed under which goal.

    ``pseudo_counts`` are the initial counts of each goal and outcome (1: Laplace smoothing). ``discount`` multiplies
    the counts of a goal before each of its training events, so that old ones fade; 1 keeps them. With ``learned``,
    transitions are counted too, on top of ``transitions``. What the conditions read is added to an open
    ``vocabulary``; with the symbols of the paper, it is that of the adventure.

    >>> model = IOHMM(["explore", "level", "return"])
    >>> model.learn(Event("swing"), "level")
    >>> model.evidence(Event("swing")).likelihood
    (0.1111111111111111, 0.2, 0.1111111111111111)
    """

    def __init__(
        self,
        goals: Sequence[str] = ("explore", "level", "return"),
        *,
        symbols: SymbolsLike = AIIDE_SYMBOLS,
        transitions: TransitionRules = AIIDE_TRANSITIONS,
        counts: Mapping[str, Mapping[str, float]] | None = None,
        pseudo_counts: float | Mapping[str, Mapping[str, float]] = 1.0,
        discount: float = 1.0,
        learned: LearnedTransitions | None = None,
        prior: Mapping[str, float] | Sequence[float] | None = None,
        clock: Clock | None = None,
        vocabulary: Vocabulary = OWN_WORDS,
        name: str = "",
        director: Sequence[DirectorRule] | None = None,
        measures: Measures | Sequence[Measure] = (),
    ) -> None:
        if not 0 < discount <= 1:
            raise TelosError(f"discount must be above 0 and at most 1, got {discount!r}")
        self.name, self.discount = name, float(discount)
        self.goals = check_goals(goals)
        self.prior = check_prior(prior, self.goals)
        self.symbols = symbols = Symbols.of(symbols)
        self.measures = measures.copy() if isinstance(measures, Measures) else Measures(measures, self.goals)
        cases = [case.condition for case in transitions.cases]
        conditions = [*symbols.conditions, *cases, *self.measures.conditions]
        if vocabulary == OWN_WORDS and symbols == AIIDE_SYMBOLS:
            vocabulary = ADVENTURE
        vocabulary = complete_vocabulary(
            vocabulary,
            conditions,
            (),
            director_conditions(director),
            self.goals,
            has_clock=clock is not None,
            measured=self.measures.entries,
            formulas=director_formulas(director),
        )
        faults = self.measures.faults(vocabulary)
        if faults:
            raise DefinitionError(faults)
        self.transitions, self.vocabulary = transitions, vocabulary
        self.clock = clock_for(vocabulary, clock, AIIDE_CLOCK if symbols == AIIDE_SYMBOLS else None)
        self.director = check_rules(director, vocabulary, self.goals)
        self.counts = Counts(self.goals, symbols.names, pseudo=pseudo_counts, seen=counts)
        self.learned = learned
        if learned is not None:
            learned.join(transitions, self.goals)
        self._matrices = transitions.matrices(self.goals)
        cause = {"cause"} & set(vocabulary.context)
        self._features: EventFeatures[tuple[int, int] | None] = EventFeatures(vocabulary, self.goals, conditions, cause)
        self._evidence: dict[tuple[int, int], Evidence] = {}  # by case and symbol; cleared by every training event
        self._bind_conditions()
        self._gate = MeasureGate(self.measures, self._features) if self.measures else None

    def evidence(self, event: Event) -> Evidence | None:
        """Return the evidence of an event; None if the clock does not count it."""
        indices = self._features.evidence(event)
        if indices is None:
            return None
        known = self._evidence.get(indices)
        found = known if known is not None else self._compute_evidence(indices)
        return found if self._gate is None else self.measures.weigh(found, self._gate.read(event))

    def locate(self, event: Event) -> tuple[int, int] | None:
        """Return the indices of the matrix that applies (0: the usual one) and of the symbol; None if not counted."""
        return self._features.evidence(event)

    def measure(self, event: Event) -> tuple[MeasuredValue, ...]:
        """Return what was measured at an event; nothing for a model without measures."""
        return () if self._gate is None else self._gate.read(event)

    def learn(self, event: Event, goal: str, before: str | None = None) -> None:
        """Count an event of a player who pursued ``goal``; ``before`` is the goal at the previous update, if known."""
        for name in (goal, before or goal):
            if name not in self.goals:
                raise TelosError(f"unknown goal {name!r}", name_hint(str(name), self.goals))
        indices = self._features.evidence(event)
        if indices is None:
            return
        measured = self.measure(event)  # refuses what cannot be measured, before anything is learned
        if self.discount < 1:
            self.counts.fade(self.discount, [goal])
            self.measures.fade(self.discount, [goal])
        self.counts.add(goal, indices[1])
        self.measures.add(goal, measured)
        if self.learned is not None and before is not None:
            self.learned.add(indices[0], before, goal)
        self._evidence.clear()

    def fade(self, factor: float) -> None:
        """Multiply all counts by a factor, as after a run: what was learned from a novice should not last."""
        self.counts.fade(factor)
        self.measures.fade(factor)
        if self.learned is not None:
            self.learned.fade(factor)
        self._evidence.clear()

    @property
    def matrices(self) -> tuple[tuple[tuple[float, ...], ...], ...]:
        """The current usual matrix, then that of each case."""
        return self._matrices if self.learned is None else self.learned.matrices()

    @property
    def first_events(self) -> FirstEvents:
        """What the first events say that the model does not use, if its vocabulary is open."""
        return self._features.first_events

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IOHMM) and self._definition == other._definition

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"IOHMM({self.name or '/'.join(self.goals)})"

    @property
    def _definition(self) -> tuple[object, ...]:
        learning = (self.counts, self.discount, self.learned, self.measures)
        return (
            self.name,
            self.goals,
            self.prior,
            self.clock,
            self.symbols,
            self.transitions,
            self.vocabulary,
            self.director,
            *learning,
        )

    def _bind_conditions(self) -> None:
        """Bind every condition to the feature values, once."""
        cause = self._features.layout.slots.get("cause")
        cases = [self._features.bound(case.condition) for case in self.transitions.cases]
        find = self.symbols.finder(self._features)

        def compute(values: FeatureValues) -> tuple[int, int] | None:
            if not self.clock.counts(INPUT if cause is None else values[cause]):
                return None
            case = next((number for number, holds in enumerate(cases, 1) if holds(values)), 0)
            return case, find(values)

        self._features.compute_with(compute)

    def _compute_evidence(self, indices: tuple[int, int]) -> Evidence:
        case, symbol = indices
        likelihood = tuple(self.counts.chances(goal)[symbol] for goal in self.goals)
        evidence = self._evidence[indices] = Evidence(self.matrices[case], likelihood, self.symbols.names[symbol])
        return evidence


def pool_models(models: Sequence[IOHMM], *, name: str = "") -> IOHMM:
    """Return one model with the counts of all players' models.

    >>> ann, bo = IOHMM(counts={"level": {"swing": 3}}), IOHMM(counts={"level": {"swing": 2, "stop": 1}})
    >>> pool_models([ann, bo]).counts.seen["level"]["swing"]
    5.0
    """
    if not models:
        raise TelosError("give at least one model to pool")
    first = models[0]
    for model in models:
        kinds = [(each.goals, each.symbols, each.transitions, each.measures.all) for each in (model, first)]
        if kinds[0] != kinds[1]:
            raise TelosError(
                f"{model!r} and {first!r} differ in goals, symbols, transitions or measures", "pool models of one kind"
            )
    seen = [model.counts.seen for model in models]
    sums = {
        goal: {symbol: math.fsum(each[goal][symbol] for each in seen) for symbol in first.symbols.names}
        for goal in first.goals
    }
    measures = first.measures.copy()
    for model in models[1:]:
        measures.add_all(model.measures.seen)
    return copy_model(first, counts=sums, pseudo_counts=first.counts.pseudo, measures=measures, name=name)


def personalize(pool: IOHMM, strength: float, *, pseudo_counts: float = 1.0, name: str = "") -> IOHMM:
    """Return a model for one player whose prior is the pooled model, worth ``strength`` observations of each goal.

    With strength 0 it is independent of the pool; the larger, the longer it stays close to the pool. Train it as usual.
    """
    if check_not_negative("strength", strength) == 0:
        own_measures = pool.measures.copy(seen={})
        return copy_model(pool, counts=None, pseudo_counts=pseudo_counts, measures=own_measures, name=name)
    own = check_not_negative("pseudo_counts", pseudo_counts)
    before = {
        goal: {
            symbol: own + strength * chance
            for symbol, chance in zip(pool.symbols.names, pool.counts.chances(goal), strict=True)
        }
        for goal in pool.goals
    }
    measures = pool.measures.with_prior(strength)
    return copy_model(pool, counts=None, pseudo_counts=before, measures=measures, name=name)


def find_best_strength(
    pool: IOHMM, players: Sequence[IOHMM], candidates: Sequence[float] = (0, 1, 3, 10, 30, 100, 300, 1000)
) -> float:
    """Return the strength under which the players' counts are likeliest, with chances drawn around the pool's.

    A high strength means that players are alike, a low one that they differ.
    """
    if not players or not candidates:
        raise TelosError("give at least one player's model and one candidate")
    return max(candidates, key=lambda strength: sum(_marginal(personalize(pool, strength), each) for each in players))


def _marginal(prior: IOHMM, player: IOHMM) -> float:
    """Return the log-likelihood of a player's counts under the prior's Dirichlet distribution."""
    total = 0.0
    for goal in prior.goals:
        pseudo, seen = prior.counts.pseudo[goal], player.counts.seen[goal]
        whole, count = math.fsum(pseudo.values()), math.fsum(seen.values())
        total += math.lgamma(whole) - math.lgamma(whole + count)
        total += math.fsum(math.lgamma(pseudo[s] + seen[s]) - math.lgamma(pseudo[s]) for s in pseudo)
    return total


def copy_model(model: IOHMM, **changed: object) -> IOHMM:
    """Return an independent copy of a model with some constructor arguments changed."""
    parts: dict[str, object] = {
        "symbols": model.symbols,
        "transitions": model.transitions,
        "counts": model.counts.seen,
        "pseudo_counts": model.counts.pseudo,
        "discount": model.discount,
        "learned": None if model.learned is None else model.learned.copy(),
        "prior": model.prior,
        "clock": model.clock,
        "vocabulary": model.vocabulary,
        "name": model.name,
        "director": model.director,
        "measures": model.measures,
    }
    return IOHMM(model.goals, **{**parts, **changed})  # type: ignore[arg-type]
