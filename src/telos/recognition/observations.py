"""Observation models and event features."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, Generic, TypeAlias, TypeVar

from telos.core.binding import Bound, bind
from telos.core.conditions import Condition, ConditionLike
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.event import Event
from telos.core.expressions import names
from telos.core.state import Layout
from telos.core.values import BOOL, FrozenMap, Value
from telos.recognition.distributions import SHARED, shared_out
from telos.recognition.vocabulary import DIRECTIONS, Vocabulary, condition_faults, labelled

# --- towards ----------------------------------------------------------------------------------------------------------
# Looks: how likely each outcome is under one goal, as a table or by the way the player should be heading.


EDGES = {"north": "up", "east": "right", "south": "down", "west": "left"}

# The weights of the first paper: every outcome starts at 1.
CLOSEST = 4.0  # on top, for the direction of the closest acceptable edge
BESIDE_CLOSEST = 2.0  # for the diagonals beside it
OTHER = 2.0  # for the directions of other acceptable edges
BESIDE_OTHER = 1.0  # for the diagonals beside those


@dataclass(frozen=True, slots=True, init=False)
class Table:
    """Fixed chances: outcomes by name, and what is left is shared by the others equally.

    With ``others=None`` every outcome must be named.

    >>> Table({"swing": 0.5}).chances(["swing", "stop", "walk"])
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
        """Return what keeps the table from being one over these outcomes."""
        return shared_out(self.outcomes, names, "outcome", share=self.others == SHARED)[1]

    def chances(self, names: Sequence[str]) -> tuple[float, ...]:
        """Return the chance of each outcome."""
        return shared_out(self.outcomes, names, "outcome", share=self.others == SHARED)[0]


@dataclass(frozen=True, slots=True)
class Towards:
    """Heading for the nearest of some edges: ``exits`` names the context entry that lists them, the nearest first.

    Every outcome starts with weight 1, so swings and stops are as likely as a step the wrong way: under every goal
    players fight what stands in their way. Each acceptable edge adds to its direction and to the diagonals beside it.

    >>> look = Towards("unvisited_exits")
    >>> look.weights(["right", "down"], ["stop", "up_right", "right", "down_right", "down", "left"])
    [1.0, 3.0, 5.0, 4.0, 3.0, 1.0]
    """

    exits: str = "unvisited_exits"

    def faults(self, names: Sequence[str]) -> list[Fault]:
        """Return what keeps the look from being one over these outcomes."""
        missing = [direction for direction in DIRECTIONS if direction not in names]
        said = f"towards {self.exits} needs the eight directions as outcomes"
        return [Fault(said, suggestion=f"add {', '.join(missing)}", code=FaultCode.INCOMPLETE)] if missing else []

    def chances(self, names: Sequence[str], edges: Sequence[str]) -> tuple[float, ...]:
        """Return the chance of each outcome while these edges are acceptable, the nearest first."""
        for edge in edges:
            if edge not in EDGES:
                raise TelosError(f"unknown edge {edge!r} in {self.exits}", name_hint(str(edge), EDGES))
        weights = self.weights([EDGES[edge] for edge in edges], names)
        total = sum(weights)
        return tuple(weight / total for weight in weights)

    def weights(self, acceptable: Sequence[str], names: Sequence[str]) -> list[float]:
        """Return the weight of each outcome while these directions are acceptable, the closest first."""
        weight = dict.fromkeys(names, 1.0)
        for rank, direction in enumerate(acceptable):
            here, beside = (OTHER, BESIDE_OTHER) if rank else (CLOSEST, BESIDE_CLOSEST)
            at = DIRECTIONS.index(direction)
            for name, more in (
                (direction, here),
                (DIRECTIONS[at - 1], beside),
                (DIRECTIONS[(at + 1) % len(DIRECTIONS)], beside),
            ):
                if name in weight:
                    weight[name] += more
        return [weight[name] for name in names]


Look: TypeAlias = Table | Towards


def edges_in(value: Value, entry: str) -> tuple[str, ...]:
    """Return the edges that a context entry lists."""
    if not isinstance(value, tuple):
        raise TelosError(f"context {entry!r} lists edges, as in ('north', 'west'), not {value!r}")
    return value


# --- sight ------------------------------------------------------------------------------------------------------------
# What a model looks at in an event. The same look is judged once, and the judgement remembered.


MOST_REMEMBERED = 8192  # judgements: some megabytes at most, and more than a session of play needs
T = TypeVar("T")
Seen: TypeAlias = tuple[Value, ...]  # the action, the goal achieved, and the context entries that the model reads


class Sight(Generic[T]):
    """Picks out of an event what a model's conditions read, and judges it: first time by ``judge``, then by memory.

    Entries that no condition reads are not looked at, except that their names must be known.
    """

    def __init__(
        self, vocabulary: Vocabulary, goals: Iterable[str], conditions: Iterable[Condition], also: Iterable[str] = ()
    ) -> None:
        goals, conditions = tuple(goals), tuple(conditions)
        faults = [fault for condition in conditions for fault in condition_faults(condition, vocabulary, goals)]
        if faults:
            raise DefinitionError(faults)
        everything = Layout(vocabulary.variables(goals))
        said = [names(labelled(condition.expression, everything)) for condition in conditions]
        read = {"action", "goal", *also}.union(*said)
        self._known = frozenset(vocabulary.context)
        self._actions = vocabulary.actions
        self._reads_goal = any("goal" in each for each in said)
        self._everything = everything
        self.layout = Layout([variable for variable in everything.variables if variable.name in read])
        self.entries = tuple(name for name in self.layout.slots if name not in ("action", "goal"))
        self._pick = _picker(self.entries)
        self._judge: Callable[[Seen], T] | None = None
        self._remembered: dict[Seen, T] = {}

    def judged_by(self, judge: Callable[[Seen], T]) -> "Sight[T]":
        """Say how a look is judged; a judge is named after its model has bound its conditions."""
        self._judge = judge
        return self

    def bound(self, condition: Condition) -> Bound:
        """Return the function from a look to whether ``condition`` holds."""
        return bind(labelled(condition.expression, self._everything), self.layout, BOOL)

    def slot(self, name: str) -> int:
        """Return where in a look an entry stands."""
        return self.layout.slot(name)

    def look(self, event: Event) -> Seen:
        """Return what the model sees in an event, checked."""
        context = entries_of(event)
        if not context.keys() <= self._known:
            self._complain(context)
        return self._checked(event, context)

    def __call__(self, event: Event) -> T:
        """Return the judgement of an event."""
        context = entries_of(event)
        if not context.keys() <= self._known:
            self._complain(context)
        try:
            # the usual case: all there, judged before
            seen = (event.action, event.goal if self._reads_goal else None, *self._pick(context))
            return self._remembered[seen]
        except (KeyError, TypeError):
            return self._judged(event, context)

    def _judged(self, event: Event, context: Mapping[str, Value]) -> T:
        assert self._judge is not None
        seen = self._checked(event, context)
        if seen in self._remembered:
            return self._remembered[seen]
        judgement = self._judge(seen)
        if len(self._remembered) >= MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered[seen] = judgement
        return judgement

    def _checked(self, event: Event, context: Mapping[str, Value]) -> Seen:
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
        return variable.checked(tuple(value) if isinstance(value, list) else value)  # JSON knows no tuples

    def _complain(self, context: Mapping[str, Value]) -> None:
        name = next(name for name in context if name not in self._known)
        raise TelosError(f"unknown context {name!r}", name_hint(str(name), self._known))


def entries_of(event: Event) -> Mapping[str, Value]:
    """Return an event's context as Python's own mapping, which C code picks from at a tenth of the price."""
    return event.context.keys().mapping  # type: ignore[attr-defined,no-any-return]


def _picker(entries: tuple[str, ...]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    if not entries:
        return lambda context: ()
    if len(entries) == 1:
        only = entries[0]
        return lambda context: (context[only],)
    return itemgetter(*entries)


# --- observations -----------------------------------------------------------------------------------------------------
# What one goal looks like: an ordered list of looks, of which the first whose condition holds applies.


@dataclass(frozen=True, slots=True, init=False)
class ObservationRules:
    """How a player with one goal is expected to behave, by what the game knows.

    >>> fighting = ObservationRules([("monsters > 0", Table({"swing_still": 0.8})), (None, Towards("exits"))])
    >>> ObservationRules.of(Towards("exits")) == ObservationRules([(None, Towards("exits"))])
    True
    """

    rules: tuple[tuple[Condition | None, Look], ...]

    def __init__(self, rules: Iterable[tuple[ConditionLike, Look]]) -> None:
        read = tuple((None if condition is None else Condition.of(condition), look) for condition, look in rules)
        object.__setattr__(self, "rules", read)

    @classmethod
    def of(cls, said: "ObservationRules | Look") -> "ObservationRules":
        """Return rules; a single look holds always."""
        return said if isinstance(said, ObservationRules) else cls([(None, said)])

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Return the conditions that it asks."""
        return tuple(condition for condition, _ in self.rules if condition is not None)

    @property
    def entries(self) -> tuple[str, ...]:
        """Return the context entries that it reads apart from its conditions."""
        return tuple(look.exits for _, look in self.rules if isinstance(look, Towards))

    def faults(self, goal: str, names: Sequence[str]) -> list[Fault]:
        """Return everything that breaks the rules of goal models, with goal and rule."""
        found = []
        for number, (_, look) in enumerate(self.rules):
            said = f"goal {goal!r}, rule {number + 1}: "
            for fault in look.faults(names):
                found.append(replace(fault.at("observations", goal, number), message=said + fault.message))
        if not self.rules or self.rules[-1][0] is not None:
            message = f"goal {goal!r} looks like nothing when none of its conditions holds"
            found.append(
                Fault(
                    message,
                    suggestion="end with a look that has no condition",
                    path=("observations", goal),
                    code=FaultCode.INCOMPLETE,
                )
            )
        return found

    def chances(self, sight: Sight[Any], names: Sequence[str]) -> Callable[[Seen], tuple[float, ...]]:
        """Return the function from a look at an event to the chance of each outcome."""
        looks = [
            (None if condition is None else sight.bound(condition), _chances(look, sight, names))
            for condition, look in self.rules
        ]

        def first(seen: Seen) -> tuple[float, ...]:
            for holds, chances in looks:
                if holds is None or holds(seen):
                    return chances(seen)
            raise AssertionError("the last look holds always")

        return first


def _chances(look: Look, sight: Sight[Any], names: Sequence[str]) -> Callable[[Seen], tuple[float, ...]]:
    if isinstance(look, Table):
        fixed = look.chances(names)
        return lambda seen: fixed
    slot = sight.slot(look.exits)
    known: dict[object, tuple[float, ...]] = {}  # four edges have few orders

    def towards(seen: Seen) -> tuple[float, ...]:
        edges = seen[slot]
        if edges not in known:
            known[edges] = look.chances(names, edges_in(edges, look.exits))
        return known[edges]

    return towards


# --- symbols ----------------------------------------------------------------------------------------------------------
# What a model calls what it sees: an ordered list of names with conditions, of which the first that holds applies.


@dataclass(frozen=True, slots=True, init=False)
class Symbols:
    """The outcomes of a model, each with the condition under which an event is one.

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
            raise TelosError("a model sees something: give at least one (name, condition)")
        twice = next((name for name in self.names if self.names.count(name) > 1), None)
        if twice is not None:
            raise TelosError(f"two observations are called {twice!r}", "join their conditions with 'or'")

    @classmethod
    def of(cls, said: "SymbolsLike") -> "Symbols":
        """Return symbols, which may be given as pairs of name and condition."""
        return said if isinstance(said, Symbols) else cls(said)

    def __len__(self) -> int:
        return len(self.names)

    def finder(self, sight: Sight[Any]) -> Callable[[Seen], int]:
        """Return the function from a look to the number of the first symbol whose condition holds."""
        tests = [sight.bound(condition) for condition in self.conditions]
        names = self.names

        def find(seen: Seen) -> int:
            for number, holds in enumerate(tests):
                if holds(seen):
                    return number
            raise TelosError(
                f"action {seen[0]!r} is none of {', '.join(names)} here", "end the list with one that always holds"
            )

        return find


SymbolsLike: TypeAlias = Symbols | Iterable[tuple[str, ConditionLike]]

# The first paper does not list its outcomes. It speaks of swinging while still and of eight directions; swinging in
# motion and stopping are what else a player can do.
ELEVEN = Symbols(
    [
        ("swing_still", "action == swing and moving == stop"),
        ("swing_moving", "action == swing"),
        ("stop", "action == stop"),
        *((direction, f"action == {direction}") for direction in DIRECTIONS),
    ]
)

# The observations of the second paper.
NINE = Symbols(
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
