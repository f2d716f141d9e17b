"""IOHMM over several features with back-off."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.values import Value, check_finite, check_not_negative
from telos.recognition.filtering import Chances
from telos.recognition.observations import context_of
from telos.recognition.recognizer import Evidence, Matrix, check_goals

# --- features ---------------------------------------------------------------------------------------------------------
# Features: what is looked at in an event, and tables that fall back on coarser circumstances where they are thin.


ContextValues: TypeAlias = tuple[Value, ...]  # the values of the context entries that a level names
BackoffLevels: TypeAlias = tuple[
    tuple[str, ...], ...
]  # names of context entries, from the most detailed level to the coarsest
ANY_ROW = -1


@dataclass(frozen=True, slots=True)
class Feature:
    """One thing that is looked at in an event: the action, or an entry of the context.

    How likely each outcome is depends on the goal and on the circumstances ``given``. ``weight`` is the power that its
    likelihood is raised to: less than 1 where sightings repeat one another. What it ``ignores`` says nothing.

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
    """When a goal may change, and on what it depends which one follows.

    A goal may change when the context entry ``when`` is not None: before that event, something was done that may have
    achieved it. ``from_any`` is for games that know that it did: then the goal before makes no difference. ``slip`` is
    the chance of a change at any other time; without it, one wrong turn of the belief could never be mended.
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
    """Counts of outcomes by row and circumstance, on several levels; each level is smoothed with the coarser one.

    The coarsest of all is what was seen in any row: where a goal was never seen, a sighting then speaks neither for it
    nor against it.

    >>> table = BackoffCounts(rows=2, outcomes=2)
    >>> table.add(0, 1, [("kitchen",), ()])
    >>> table.chance(0, 1, [("kitchen",), ()], strength=1), table.chance(1, 1, [("kitchen",), ()], strength=1)
    (0.96875, 0.875)
    """

    def __init__(self, rows: int, outcomes: int) -> None:
        self.rows, self.outcomes = rows, outcomes
        self._counts: dict[tuple[int, int, ContextValues], list[float]] = {}  # by level; the total is the last entry

    def add(self, row: int, outcome: int, levels: Sequence[ContextValues]) -> None:
        """Count an outcome on every level."""
        for level, circumstance in enumerate(levels):
            for each in (row, ANY_ROW):
                counts = self._counts.setdefault((level, each, circumstance), [0.0] * (self.outcomes + 1))
                counts[outcome] += 1.0
                counts[-1] += 1.0

    def chance(self, row: int, outcome: int, levels: Sequence[ContextValues], strength: float) -> float:
        """Return the chance of an outcome; ``strength`` is how many sightings the coarser level is worth."""
        chance = 1.0 / self.outcomes
        for each in (ANY_ROW, row):
            for level in range(len(levels) - 1, -1, -1):
                counts = self._counts.get((level, each, levels[level]))
                if counts is not None:
                    chance = (counts[outcome] + strength * chance) / (counts[-1] + strength)
        return chance

    def join(self, others: Iterable["BackoffCounts"]) -> None:
        """Add what others have counted."""
        for other in others:
            if (other.rows, other.outcomes) != (self.rows, self.outcomes):
                raise TelosError("only tables with the same rows and outcomes can be joined")
            for key, counts in other._counts.items():
                mine = self._counts.get(key)
                self._counts[key] = list(counts) if mine is None else [a + b for a, b in zip(mine, counts, strict=True)]


def _positive(what: str, value: float) -> None:
    if not check_finite(what, value) > 0:
        raise TelosError(f"{what} must be above 0, got {value!r}")


# --- features model ---------------------------------------------------------------------------------------------------
# An Input-Output HMM that looks at several features at once, each in the circumstances that the game knows.


class FeatureIOHMM:
    """A goal model trained by counting, for players whose goals show in *where* they do what.

    The model of the second paper has one observation and the same chances everywhere. Here an event has several
    features, each with chances that depend on the circumstances and fall back on coarser ones, and which goal follows
    which is counted too. ``done`` names the context entry that lists goals that can be no goals any more.

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
        self._places = [{said: place for place, said in enumerate(each.outcomes)} for each in self.features]
        size = len(self.goals)
        self._tables = [BackoffCounts(size, len(each.outcomes)) for each in self.features]
        self._follows = BackoffCounts(1 if changes.from_any else size, size)
        self._starts = [1.0] * size
        self._forget()

    @property
    def prior(self) -> Chances:
        """The chance of each goal before anything was seen: how often play has begun with it."""
        total = sum(self._starts)
        return tuple(count / total for count in self._starts)

    def evidence(self, event: Event) -> Evidence:
        """Return what an event says."""
        context = context_of(event)
        likelihood = [1.0] * len(self.goals)
        for number in range(len(self.features)):
            said = self._said(number, event, context)
            if said is not None:
                likelihood = [mine * each for mine, each in zip(likelihood, said, strict=True)]
        if self.done is not None:
            over = self._entry(context, self.done) or ()
            likelihood = [0.0 if goal in over else each for goal, each in zip(self.goals, likelihood, strict=True)]
        return Evidence(self._matrix(context), tuple(likelihood), event.action)

    def learn(self, event: Event, goal: str, before: str | None = None) -> None:
        """Count what a player did who pursued ``goal``; without ``before``, as the first of a sequence."""
        for name in (goal, before or goal):
            if name not in self._numbers:
                raise TelosError(f"unknown goal {name!r}", name_hint(name, self.goals))
        context, row = context_of(event), self._numbers[goal]
        if before is None:
            self._starts[row] += 1
        elif self._entry(context, self.changes.when) is not None:
            source = 0 if self.changes.from_any else self._numbers[before]
            self._follows.add(source, row, self._levels(context, self.changes.given))
        for number, feature in enumerate(self.features):
            outcome = self._outcome(number, event, context)
            if outcome is not None:
                self._tables[number].add(row, outcome, self._levels(context, feature.given))
        self._forget()

    def join(self, others: Iterable["FeatureIOHMM"]) -> "FeatureIOHMM":
        """Add what models of the same make have counted, as if this one had been taught it all; return it."""
        for other in others:
            self._follows.join([other._follows])
            for mine, theirs in zip(self._tables, other._tables, strict=True):
                mine.join([theirs])
            # each of them began with one pseudo-count, which counts once
            self._starts = [a + b - 1.0 for a, b in zip(self._starts, other._starts, strict=True)]
        self._forget()
        return self

    def changing_as(self, other: "FeatureIOHMM") -> "FeatureIOHMM":
        """Return a model that sees as this one does, but whose goals change as the other's; counts are shared."""
        made = FeatureIOHMM(self.goals, self.features, other.changes, done=self.done)
        made._tables, made._follows, made._starts = self._tables, other._follows, other._starts
        return made

    def tempered(self, *, weight: float, strength: float) -> "FeatureIOHMM":
        """Return a model of the same counts whose features have these settings; the counts are shared."""
        features = [replace(each, weight=weight, strength=strength) for each in self.features]
        made = FeatureIOHMM(self.goals, features, self.changes, done=self.done)
        made._tables, made._follows, made._starts = self._tables, self._follows, self._starts
        return made

    def _said(self, number: int, event: Event, context: Mapping[str, Value]) -> Chances | None:
        """Return how likely each goal makes one feature of an event; None if it says nothing."""
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
        said: Value = event.action if feature.reads == "action" else self._entry(context, feature.reads)
        if said is None or said in feature.ignores:
            return None
        place = self._places[number].get(said)
        if place is None:
            raise TelosError(f"unknown {feature.reads} {said!r}", name_hint(str(said), map(str, feature.outcomes)))
        return place

    def _matrix(self, context: Mapping[str, Value]) -> Matrix:
        """Return how goals change before an event: hardly ever, unless one may have been achieved."""
        may_change = self._entry(context, self.changes.when) is not None
        levels = self._levels(context, self.changes.given) if may_change else []
        key = tuple(levels)
        known = self._matrices.get(key)
        if known is None:
            known = self._counted(levels) if may_change else _staying(self.prior, self.changes.slip)
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
            raise TelosError(f"the context says nothing about {name!r}", name_hint(name, context)) from None

    def _forget(self) -> None:
        """Drop what was worked out from counts that have changed."""
        self._likelihoods: dict[tuple[object, ...], Chances] = {}
        self._matrices: dict[tuple[ContextValues, ...], Matrix] = {}


def _staying(prior: Chances, slip: float) -> Matrix:
    return tuple(
        tuple((1 - slip) * (row == column) + slip * start for column, start in enumerate(prior))
        for row in range(len(prior))
    )
