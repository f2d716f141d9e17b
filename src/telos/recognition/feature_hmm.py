"""An input-output HMM over several features, each with chances that back off to coarser circumstances."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.values import Value, check_finite, check_not_negative
from telos.recognition.filtering import Chances
from telos.recognition.recognizer import Evidence, Matrix, check_goals

ContextValues: TypeAlias = tuple[Value, ...]  # the values of the context entries of one back-off level
BackoffLevels: TypeAlias = tuple[
    tuple[str, ...], ...
]  # names of context entries, from the finest level to the coarsest
ANY_ROW = -1


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature of an event: its action, or a context entry.

    The chance of each outcome depends on the goal and on the context entries ``given``. ``weight`` is the exponent of
    its likelihood: less than 1 if observations repeat one another. Outcomes that it ``ignores`` are no evidence.

    >>> Feature("action", ("left", "right"), given=(("x", "y"), ())).weight
    1.0
    """

    reads: str
    outcomes: tuple[Value, ...]
    given: BackoffLevels = ((),)
    weight: float = 1.0
    strength: float = 10.0
    ignores: tuple[Value, ...] = ()

    def __post_init__(self) -> None:
        if not self.outcomes or not self.given:
            raise TelosError(f"feature {self.reads!r} needs outcomes and at least one level of circumstances")
        check_not_negative(f"the weight of feature {self.reads!r}", self.weight)
        _positive(f"the strength of feature {self.reads!r}", self.strength)


@dataclass(frozen=True, slots=True)
class GoalChanges:
    """When goals may change, and which context entries the next goal depends on.

    A goal may change when the context entry ``when`` is not None: something may have achieved it before that event.
    With ``from_any`` the game knows that it did, and the previous goal makes no difference. ``slip`` is the chance of a
    change at any other time; without it, a wrong belief could never recover.
    """

    when: str
    given: BackoffLevels = ((),)
    strength: float = 5.0
    from_any: bool = False
    slip: float = 1e-6

    def __post_init__(self) -> None:
        _positive("the strength of changes", self.strength)
        if not 0 <= check_finite("slip", self.slip) < 1:
            raise TelosError(f"slip must be at least 0 and below 1, got {self.slip!r}")


class BackoffCounts:
    """Counts of outcomes by row and context on several levels; each level is smoothed with the coarser one.

    The coarsest level counts all rows together: for a goal without counts, an observation is neutral.

    >>> table = BackoffCounts(rows=2, outcomes=2)
    >>> table.add(0, 1, [("kitchen",), ()])
    >>> table.chance(0, 1, [("kitchen",), ()], strength=1), table.chance(1, 1, [("kitchen",), ()], strength=1)
    (0.96875, 0.875)
    """

    def __init__(self, rows: int, outcomes: int) -> None:
        self.rows, self.outcomes = rows, outcomes
        self._counts: dict[tuple[int, int, ContextValues], list[float]] = {}  # by level; the last entry is the total

    def add(self, row: int, outcome: int, levels: Sequence[ContextValues]) -> None:
        """Count an outcome on every level."""
        for level, circumstance in enumerate(levels):
            for each in (row, ANY_ROW):
                counts = self._counts.setdefault((level, each, circumstance), [0.0] * (self.outcomes + 1))
                counts[outcome] += 1.0
                counts[-1] += 1.0

    def chance(self, row: int, outcome: int, levels: Sequence[ContextValues], strength: float) -> float:
        """Return the chance of an outcome; ``strength`` is how many observations the coarser level counts as."""
        chance = 1.0 / self.outcomes
        for each in (ANY_ROW, row):
            for level in range(len(levels) - 1, -1, -1):
                counts = self._counts.get((level, each, levels[level]))
                if counts is not None:
                    chance = (counts[outcome] + strength * chance) / (counts[-1] + strength)
        return chance

    def join(self, others: Iterable["BackoffCounts"]) -> None:
        """Add the counts of other tables."""
        for other in others:
            if (other.rows, other.outcomes) != (self.rows, self.outcomes):
                raise TelosError("only tables with the same rows and outcomes can be joined")
            for key, counts in other._counts.items():
                mine = self._counts.get(key)
                self._counts[key] = list(counts) if mine is None else [a + b for a, b in zip(mine, counts, strict=True)]


def _positive(what: str, value: float) -> None:
    if not check_finite(what, value) > 0:
        raise TelosError(f"{what} must be above 0, got {value!r}")


class FeatureIOHMM:
    """A goal model trained by counting, for games where goals show in the circumstances of actions.

    The IOHMM has one observation per event, with the same chances everywhere. Here an event has several features, each
    with chances that depend on the context and back off to coarser levels; transitions are counted too. ``done`` names
    the context entry that lists goals which are no longer possible.

    >>> keys = Feature("action", ("left", "right"), given=(("room",), ()), strength=1)
    >>> model = FeatureIOHMM(["eat", "rest"], [keys], GoalChanges("used"))
    >>> model.learn(Event("left", {"room": "hall", "used": None}), "eat")
    >>> [round(each, 3) for each in model.evidence(Event("left", {"room": "hall", "used": None})).likelihood]
    [0.969, 0.875]
    """

    def __init__(
        self, goals: Sequence[str], features: Sequence[Feature], changes: GoalChanges, *, done: str | None = None
    ) -> None:
        self.goals = check_goals(goals)
        self.features, self.changes, self.done = tuple(features), changes, done
        self._numbers = {goal: number for number, goal in enumerate(self.goals)}
        self._places = [{value: place for place, value in enumerate(each.outcomes)} for each in self.features]
        size = len(self.goals)
        self._tables = [BackoffCounts(size, len(each.outcomes)) for each in self.features]
        self._follows = BackoffCounts(1 if changes.from_any else size, size)
        self._starts = [1.0] * size
        self._clear_caches()

    @property
    def prior(self) -> Chances:
        """The chance of each goal at the start of a sequence, as counted."""
        total = sum(self._starts)
        return tuple(count / total for count in self._starts)

    def evidence(self, event: Event) -> Evidence:
        """Return the evidence of an event."""
        context = event.context.plain
        likelihood = [1.0] * len(self.goals)
        for number in range(len(self.features)):
            factors = self._feature_likelihood(number, event, context)
            if factors is not None:
                likelihood = [mine * each for mine, each in zip(likelihood, factors, strict=True)]
        if self.done is not None:
            over = self._entry(context, self.done) or ()
            likelihood = [0.0 if goal in over else each for goal, each in zip(self.goals, likelihood, strict=True)]
        return Evidence(self._matrix(context), tuple(likelihood), event.action)

    def learn(self, event: Event, goal: str, before: str | None = None) -> None:
        """Count an event of a player who pursued ``goal``; without ``before``, as the first of a sequence."""
        for name in (goal, before or goal):
            if name not in self._numbers:
                raise TelosError(f"unknown goal {name!r}", name_hint(name, self.goals))
        context, row = event.context.plain, self._numbers[goal]
        if before is None:
            self._starts[row] += 1
        elif self._entry(context, self.changes.when) is not None:
            source = 0 if self.changes.from_any else self._numbers[before]
            self._follows.add(source, row, self._levels(context, self.changes.given))
        for number, feature in enumerate(self.features):
            outcome = self._outcome(number, event, context)
            if outcome is not None:
                self._tables[number].add(row, outcome, self._levels(context, feature.given))
        self._clear_caches()

    def join(self, others: Iterable["FeatureIOHMM"]) -> "FeatureIOHMM":
        """Add the counts of models with the same features, and return this model."""
        for other in others:
            self._follows.join([other._follows])
            for mine, theirs in zip(self._tables, other._tables, strict=True):
                mine.join([theirs])
            # each started with one pseudo-count, which counts once
            self._starts = [a + b - 1.0 for a, b in zip(self._starts, other._starts, strict=True)]
        self._clear_caches()
        return self

    def with_changes_of(self, other: "FeatureIOHMM") -> "FeatureIOHMM":
        """Return a model with this one's observations and the other's goal changes; counts are shared."""
        made = FeatureIOHMM(self.goals, self.features, other.changes, done=self.done)
        made._tables, made._follows, made._starts = self._tables, other._follows, other._starts
        return made

    def with_settings(self, *, weight: float, strength: float) -> "FeatureIOHMM":
        """Return a model with other settings of its features; counts are shared."""
        features = [replace(each, weight=weight, strength=strength) for each in self.features]
        made = FeatureIOHMM(self.goals, features, self.changes, done=self.done)
        made._tables, made._follows, made._starts = self._tables, self._follows, self._starts
        return made

    def _feature_likelihood(self, number: int, event: Event, context: Mapping[str, Value]) -> Chances | None:
        """Return the likelihood of one feature under each goal; None if it is no evidence."""
        outcome = self._outcome(number, event, context)
        if outcome is None:
            return None
        feature, table = self.features[number], self._tables[number]
        levels = self._levels(context, feature.given)
        key = (number, outcome, *levels)
        known = self._likelihoods.get(key)
        if known is None:
            chances = (table.chance(row, outcome, levels, feature.strength) for row in range(len(self.goals)))
            known = self._likelihoods[key] = tuple(chance**feature.weight for chance in chances)
        return known

    def _outcome(self, number: int, event: Event, context: Mapping[str, Value]) -> int | None:
        feature = self.features[number]
        value: Value = event.action if feature.reads == "action" else self._entry(context, feature.reads)
        if value is None or value in feature.ignores:
            return None
        place = self._places[number].get(value)
        if place is None:
            raise TelosError(f"unknown {feature.reads} {value!r}", name_hint(str(value), map(str, feature.outcomes)))
        return place

    def _matrix(self, context: Mapping[str, Value]) -> Matrix:
        """Return the transition matrix before an event: close to the identity, unless a goal may have been achieved."""
        may_change = self._entry(context, self.changes.when) is not None
        levels = self._levels(context, self.changes.given) if may_change else []
        key = tuple(levels)
        known = self._matrices.get(key)
        if known is None:
            known = self._counted(levels) if may_change else _staying_matrix(self.prior, self.changes.slip)
            self._matrices[key] = known
        return known

    def _counted(self, levels: list[ContextValues]) -> Matrix:
        goals, follows = range(len(self.goals)), self._follows
        sources = [0] * len(goals) if self.changes.from_any else goals
        return tuple(
            tuple(follows.chance(source, to, levels, self.changes.strength) for to in goals) for source in sources
        )

    def _levels(self, context: Mapping[str, Value], given: BackoffLevels) -> list[ContextValues]:
        return [tuple([self._entry(context, name) for name in names]) for names in given]

    def _entry(self, context: Mapping[str, Value], name: str) -> Value:
        try:
            return context[name]
        except KeyError:
            raise TelosError(f"the context has no entry {name!r}", name_hint(name, context)) from None

    def _clear_caches(self) -> None:
        """Clear the caches after counts have changed."""
        self._likelihoods: dict[tuple[object, ...], Chances] = {}
        self._matrices: dict[tuple[ContextValues, ...], Matrix] = {}


def _staying_matrix(prior: Chances, slip: float) -> Matrix:
    return tuple(
        tuple((1 - slip) * (row == column) + slip * start for column, start in enumerate(prior))
        for row in range(len(prior))
    )
