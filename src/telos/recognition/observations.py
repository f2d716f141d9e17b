"""Observation models: how likely each outcome is under a goal, and how outcomes are read from events.

``Symbols`` names the outcomes, ``ObservationRules`` gives the distribution over them for one goal (``FixedObservation``
or ``HeadingObservation``, chosen by the context), and ``EventFeatures`` extracts what a model reads from an event and
caches what the model makes of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, Generic, TypeAlias, TypeVar

from telos.core.conditions import Condition, ConditionLike
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.event import Event
from telos.core.expressions import Bound, bind, names_in
from telos.core.state import Layout
from telos.core.values import BOOL, FrozenMap, Value
from telos.recognition.distributions import OTHERS, SHARED, complete_distribution
from telos.recognition.vocabulary import (
    DIRECTIONS,
    FirstEvents,
    Vocabulary,
    condition_faults,
    named_actions,
    resolve_labels,
)

T = TypeVar("T")
FeatureValues: TypeAlias = tuple[
    Value, ...
]  # the action, the goal achieved, and the context entries that a model reads

EDGE_DIRECTIONS = {"north": "up", "east": "right", "south": "down", "west": "left"}

# The weights of the FLAIRS paper, on top of the 1 that every outcome starts with.
CLOSEST_WEIGHT = 4.0  # the direction of the closest acceptable edge
BESIDE_CLOSEST_WEIGHT = 2.0  # the diagonals beside it
OTHER_WEIGHT = 2.0  # the directions of other acceptable edges
BESIDE_OTHER_WEIGHT = 1.0  # the diagonals beside those

MAX_CACHED = 8192  # results: some megabytes at most, and more than a session of play needs


# --- observation models -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, init=False)
class FixedObservation:
    """A fixed distribution: named outcomes have their chance, the others share the rest equally.

    With ``others=None`` every outcome must be named.

    >>> FixedObservation({"swing": 0.5}).chances(["swing", "stop", "walk"])
    (0.5, 0.25, 0.25)
    """

    outcomes: FrozenMap[str, float]
    others: str | None

    def __init__(self, outcomes: Mapping[str, float], others: str | None = SHARED) -> None:
        if others not in (SHARED, None):
            raise TelosError(f"others is {SHARED!r} or None, not {others!r}")
        object.__setattr__(self, "outcomes", FrozenMap(outcomes))
        object.__setattr__(self, "others", others)

    def faults(self, names: Sequence[str]) -> list[Fault]:
        """Return why this is not a distribution over the outcomes ``names``; empty if it is."""
        return complete_distribution(self.outcomes, names, "outcome", share=self.others == SHARED)[1]

    def chances(self, names: Sequence[str]) -> tuple[float, ...]:
        """Return the chance of each outcome."""
        return complete_distribution(self.outcomes, names, "outcome", share=self.others == SHARED)[0]


@dataclass(frozen=True, slots=True)
class HeadingObservation:
    """Heading for the nearest of some map edges; ``exits`` is the context entry that lists them, nearest first.

    Every outcome starts with weight 1, so swings and stops are as likely as a step in a wrong direction: players fight
    whatever blocks their way, under every goal. Each acceptable edge adds weight to its direction and to the diagonals
    beside it.

    >>> heading = HeadingObservation("unvisited_exits")
    >>> heading.weights(["right", "down"], ["stop", "up_right", "right", "down_right", "down", "left"])
    [1.0, 3.0, 5.0, 4.0, 3.0, 1.0]
    """

    exits: str = "unvisited_exits"

    def faults(self, names: Sequence[str]) -> list[Fault]:
        """Return why this is not a distribution over the outcomes ``names``; empty if it is."""
        missing = [direction for direction in DIRECTIONS if direction not in names]
        message = f"towards {self.exits} needs the eight directions as outcomes"
        return [Fault(message, suggestion=f"add {', '.join(missing)}", code=FaultCode.INCOMPLETE)] if missing else []

    def chances(self, names: Sequence[str], edges: Sequence[str]) -> tuple[float, ...]:
        """Return the chance of each outcome while ``edges`` are acceptable, nearest first."""
        for edge in edges:
            if edge not in EDGE_DIRECTIONS:
                raise TelosError(f"unknown edge {edge!r} in {self.exits}", name_hint(str(edge), EDGE_DIRECTIONS))
        weights = self.weights([EDGE_DIRECTIONS[edge] for edge in edges], names)
        total = sum(weights)
        return tuple(weight / total for weight in weights)

    def weights(self, acceptable: Sequence[str], names: Sequence[str]) -> list[float]:
        """Return the weight of each outcome while these directions are acceptable, closest first."""
        weight = dict.fromkeys(names, 1.0)
        for rank, direction in enumerate(acceptable):
            here, beside = (OTHER_WEIGHT, BESIDE_OTHER_WEIGHT) if rank else (CLOSEST_WEIGHT, BESIDE_CLOSEST_WEIGHT)
            at = DIRECTIONS.index(direction)
            for name, more in (
                (direction, here),
                (DIRECTIONS[at - 1], beside),
                (DIRECTIONS[(at + 1) % len(DIRECTIONS)], beside),
            ):
                if name in weight:
                    weight[name] += more
        return [weight[name] for name in names]


ObservationModel: TypeAlias = FixedObservation | HeadingObservation


def check_edges(value: Value, entry: str) -> tuple[str, ...]:
    """Return the edges that the context entry ``entry`` lists; refuse any other value."""
    if not isinstance(value, tuple):
        raise TelosError(f"context {entry!r} lists edges, as in ('north', 'west'), not {value!r}")
    return value


# --- event features ---------------------------------------------------------------------------------------------------


class EventFeatures(Generic[T]):
    """Extracts from events the values that a model's conditions read, and caches what the model computes from them.

    Context entries that no condition reads are ignored, but their names must be in the vocabulary.
    """

    def __init__(
        self, vocabulary: Vocabulary, goals: Iterable[str], conditions: Iterable[Condition], also: Iterable[str] = ()
    ) -> None:
        goals, conditions = tuple(goals), tuple(conditions)
        faults = [fault for condition in conditions for fault in condition_faults(condition, vocabulary, goals)]
        if faults:
            raise DefinitionError(faults)
        full_layout = Layout(vocabulary.variables(goals))
        used = [names_in(resolve_labels(condition.expression, full_layout)) for condition in conditions]
        read = {"action", "goal", *also}.union(*used)
        self._known = frozenset(vocabulary.context)
        self._knows: Callable[[Mapping[str, Value]], bool] = (
            (lambda context: True) if vocabulary.is_open else self._known.issuperset
        )
        self._actions = vocabulary.actions
        self._reads_goal = any("goal" in each for each in used)
        self._full_layout = full_layout
        self.layout = Layout([variable for variable in full_layout.variables if variable.name in read])
        self.entries = tuple(name for name in self.layout.slots if name not in ("action", "goal"))
        self._pick = _picker(self.entries)
        self._starts = [(name, self.layout.variable(name).start) for name in self.entries]
        self._defaults = tuple(start for _, start in self._starts)
        resolved = [resolve_labels(condition.expression, full_layout) for condition in conditions]
        self.first_events = FirstEvents(frozenset(named_actions(resolved)), frozenset(self.entries) - {"cause"})
        self._is_watching = vocabulary.is_open
        self._compute: Callable[[FeatureValues], T] | None = None
        self._cache: dict[FeatureValues, T] = {}

    def compute_with(self, compute: Callable[[FeatureValues], T]) -> "EventFeatures[T]":
        """Set the function behind ``evidence``; it is known only after the model has bound its conditions."""
        self._compute = compute
        return self

    def bound(self, condition: Condition) -> Bound:
        """Return the function from feature values to whether ``condition`` holds."""
        return bind(resolve_labels(condition.expression, self._full_layout), self.layout, BOOL)

    def slot(self, name: str) -> int:
        """Return the index of a context entry in the feature values."""
        return self.layout.slot(name)

    def features(self, event: Event) -> FeatureValues:
        """Return the values of an event that the model reads, type-checked."""
        context = event.context.plain
        if not self._knows(context):
            self._refuse_unknown(context)
        return self._check(event, context)

    def checked_values(self, event: Event) -> FeatureValues:
        """Return the values of an event that ``evidence`` has been asked about: they have the right types."""
        get = event.context.plain.get
        values = [get(*each) for each in self._starts]
        if list in map(type, values):  # JSON has no tuples
            return self.features(event)
        return (event.action, event.goal if self._reads_goal else None, *values)

    def evidence(self, event: Event) -> T:
        """Return what the model computes from an event; equal feature values are computed once."""
        if self._is_watching:
            self._is_watching = self.first_events.add(event)
        context = event.context.plain
        if not self._knows(context):
            self._refuse_unknown(context)
        try:
            # fast path: every entry is present, or none, and the values are in the cache
            picked = self._pick(context) if context else self._defaults
            values = (event.action, event.goal if self._reads_goal else None, *picked)
            return self._cache[values]
        except (KeyError, TypeError):
            return self._complete(event, context)

    def _complete(self, event: Event, context: Mapping[str, Value]) -> T:
        """The same for an event that leaves out entries, which have their initial values."""
        get = context.get
        try:
            values = (event.action, event.goal if self._reads_goal else None, *[get(*each) for each in self._starts])
            return self._cache[values]
        except (KeyError, TypeError):
            return self._compute_cached(event, context)

    def _compute_cached(self, event: Event, context: Mapping[str, Value]) -> T:
        assert self._compute is not None
        values = self._check(event, context)
        try:
            return self._cache[values]
        except KeyError:  # not asked beforehand: another thread may clear the cache in between
            result = self._compute(values)
        if len(self._cache) >= MAX_CACHED:
            self._cache.clear()
        self._cache[values] = result
        return result

    def _check(self, event: Event, context: Mapping[str, Value]) -> FeatureValues:
        if self._actions and event.action not in self._actions:
            raise TelosError(f"unknown action {event.action!r}", name_hint(event.action, self._actions))
        goal = event.goal if self._reads_goal else None
        if goal is not None and not self.layout.variable("goal").type.accepts(goal):
            labels = self.layout.variable("goal").type.labels
            raise TelosError(f"unknown goal {goal!r} was achieved", name_hint(str(goal), labels))
        values = [self._value(name, context) for name in self.entries]
        return (event.action, goal, *values)

    def _value(self, name: str, context: Mapping[str, Value]) -> Value:
        variable = self.layout.variable(name)
        if name not in context:
            return variable.start
        value = context[name]
        return variable.checked(tuple(value) if isinstance(value, list) else value)  # JSON has no tuples

    def _refuse_unknown(self, context: Mapping[str, Value]) -> None:
        name = next(name for name in context if name not in self._known)
        raise TelosError(f"unknown context {name!r}", name_hint(str(name), self._known))


def _picker(entries: tuple[str, ...]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    if not entries:
        return lambda context: ()
    if len(entries) == 1:
        only = entries[0]
        return lambda context: (context[only],)
    return itemgetter(*entries)


# --- observation rules ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, init=False)
class ObservationRules:
    """The observation models of one goal: an ordered list with conditions; the first that holds applies.

    >>> fighting = ObservationRules(
    ...     [("monsters > 0", FixedObservation({"swing_still": 0.8})), (None, HeadingObservation("exits"))]
    ... )
    >>> ObservationRules.of(HeadingObservation("exits")) == ObservationRules([(None, HeadingObservation("exits"))])
    True
    """

    rules: tuple[tuple[Condition | None, ObservationModel], ...]

    def __init__(self, rules: Iterable[tuple[ConditionLike, ObservationModel]]) -> None:
        read = tuple((None if condition is None else Condition.of(condition), model) for condition, model in rules)
        object.__setattr__(self, "rules", read)

    @classmethod
    def of(cls, given: "ObservationRules | ObservationModel") -> "ObservationRules":
        """Return rules; a single observation model becomes a rule without a condition."""
        return given if isinstance(given, ObservationRules) else cls([(None, given)])

    @property
    def conditions(self) -> tuple[Condition, ...]:
        return tuple(condition for condition, _ in self.rules if condition is not None)

    @property
    def entries(self) -> tuple[str, ...]:
        """Return the context entries that are read apart from those in conditions."""
        return tuple(model.exits for _, model in self.rules if isinstance(model, HeadingObservation))

    def faults(self, goal: str, names: Sequence[str]) -> list[Fault]:
        """Return everything wrong with the rules of ``goal`` over the outcomes ``names``, by rule."""
        found = []
        for number, (_, model) in enumerate(self.rules):
            prefix = f"goal {goal!r}, rule {number + 1}: "
            for fault in model.faults(names):
                found.append(replace(fault.at("observations", goal, number), message=prefix + fault.message))
        if not self.rules or self.rules[-1][0] is not None:
            found.append(
                Fault(
                    f"goal {goal!r} has no observation when none of its conditions holds",
                    suggestion="end with an observation that has no condition",
                    path=("observations", goal),
                    code=FaultCode.INCOMPLETE,
                )
            )
        return found

    def chances(
        self, features: EventFeatures[Any], names: Sequence[str]
    ) -> Callable[[FeatureValues], tuple[float, ...]]:
        """Return the function from feature values to the chance of each outcome."""
        rules = [
            (None if condition is None else features.bound(condition), _chances(model, features, names))
            for condition, model in self.rules
        ]

        def first(values: FeatureValues) -> tuple[float, ...]:
            for holds, chances in rules:
                if holds is None or holds(values):
                    return chances(values)
            raise AssertionError("the last rule always holds")

        return first


def _chances(
    model: ObservationModel, features: EventFeatures[Any], names: Sequence[str]
) -> Callable[[FeatureValues], tuple[float, ...]]:
    if isinstance(model, FixedObservation):
        fixed = model.chances(names)
        return lambda values: fixed
    slot = features.slot(model.exits)
    known: dict[object, tuple[float, ...]] = {}  # four edges have few orders

    def heading(values: FeatureValues) -> tuple[float, ...]:
        edges = values[slot]
        if edges not in known:
            known[edges] = model.chances(names, check_edges(edges, model.exits))
        return known[edges]

    return heading


# --- symbols ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, init=False)
class Symbols:
    """The outcomes of a model in order, each with its condition; an event is the first whose condition holds.

    >>> Symbols([("swing", "action == swing"), ("other", None)]).names
    ('swing', 'other')
    """

    names: tuple[str, ...]
    conditions: tuple[Condition, ...]

    def __init__(self, pairs: Iterable[tuple[str, ConditionLike]]) -> None:
        pairs = tuple(pairs)
        object.__setattr__(self, "names", tuple(name for name, _ in pairs))
        object.__setattr__(self, "conditions", tuple(Condition.of(condition) for _, condition in pairs))
        if not pairs:
            raise TelosError("a model has no observations", "give at least one (name, condition)")
        if OTHERS in self.names:
            raise TelosError(f"{OTHERS!r} cannot be observed", "choose another name: it means all that are not named")
        twice = next((name for name in self.names if self.names.count(name) > 1), None)
        if twice is not None:
            raise TelosError(f"two observations are called {twice!r}", "join their conditions with 'or'")

    @classmethod
    def of(cls, given: "SymbolsLike") -> "Symbols":
        """Return symbols, which may be given as pairs of name and condition."""
        return given if isinstance(given, Symbols) else cls(given)

    def __len__(self) -> int:
        return len(self.names)

    def finder(self, features: EventFeatures[Any]) -> Callable[[FeatureValues], int]:
        """Return the function from feature values to the index of the first symbol whose condition holds."""
        tests = [features.bound(condition) for condition in self.conditions]
        names = self.names

        def find(values: FeatureValues) -> int:
            for number, holds in enumerate(tests):
                if holds(values):
                    return number
            raise TelosError(
                f"action {values[0]!r} is none of {', '.join(names)} here", "end the list with one that always holds"
            )

        return find


SymbolsLike: TypeAlias = Symbols | Iterable[tuple[str, ConditionLike]]

# The FLAIRS paper does not list its outcomes: it mentions swinging while still and eight directions. Swinging in motion
# and stopping are the other things that a player can do.
FLAIRS_SYMBOLS = Symbols(
    [
        ("swing_still", "action == swing and moving == stop"),
        ("swing_moving", "action == swing"),
        ("stop", "action == stop"),
        *((direction, f"action == {direction}") for direction in DIRECTIONS),
    ]
)

# The nine observations of the AIIDE paper.
AIIDE_SYMBOLS = Symbols(
    [
        ("swing", "action == swing"),
        ("stop", "action == stop"),
        ("approach_unexplored_and_monster", "toward_unexplored and toward_monster"),
        ("approach_unexplored", "toward_unexplored"),
        ("approach_town_and_monster", "toward_town and toward_monster"),
        ("approach_town", "toward_town"),
        ("approach_monster", "toward_monster"),
        ("approach_gem", "toward_gem"),
        ("other_movement", None),
    ]
)
