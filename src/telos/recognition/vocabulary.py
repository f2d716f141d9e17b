"""Vocabulary: the actions and context entries that a game reports in its events, and conditions over them.

A model that lists neither takes them from its own conditions: ``complete_vocabulary``.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from telos.core.conditions import Condition
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, nearest
from telos.core.event import Event
from telos.core.expressions import (
    And,
    Arithmetic,
    Call,
    Compare,
    Expression,
    Handle,
    Literal,
    Name,
    Not,
    Or,
    Scope,
    check_expression,
    walk,
)
from telos.core.state import Layout
from telos.core.values import BOOL, KEYWORDS, VARIABLE_NAME, FrozenMap, Type, TypeLike, Value, ValueKind, Variable

DIRECTIONS = ("up", "up_right", "right", "down_right", "down", "down_left", "left", "up_left")
INPUT = "input"  # the cause of an event that does not say one
_RESERVED = ("action", "goal")  # names that conditions use for the event's own fields


@dataclass(frozen=True, slots=True, init=False)
class Vocabulary:
    """The actions and the typed context entries that events may have.

    Without ``actions``, any action is allowed. Events of an open vocabulary may also have context that is not listed,
    which no condition reads. A missing entry has the initial value of its type (false, 0, the first label, no edges).
    ``moments`` are entries about what happened since the previous event: if an event does not count,
    they are carried over to the next one that does.

    >>> words = Vocabulary(["swing", "stop"], {"monsters": "int", "cause": ["input", "tick"], "exits": "edges"})
    >>> [variable.start for variable in words.variables(["fight"])]
    [None, None, 0, 'input', ()]
    """

    actions: tuple[str, ...]
    context: FrozenMap[str, Type]
    moments: tuple[str, ...]
    is_open: bool

    def __init__(
        self,
        actions: Iterable[str] = (),
        context: Mapping[str, TypeLike] | None = None,
        *,
        moments: Iterable[str] = (),
        is_open: bool = False,
    ) -> None:
        types = {name: Type.of(spec) for name, spec in (context or {}).items()}
        object.__setattr__(self, "actions", tuple(actions))
        object.__setattr__(self, "context", FrozenMap(types))
        object.__setattr__(self, "moments", tuple(moments))
        object.__setattr__(self, "is_open", is_open)
        for name in types:
            if name in _RESERVED:
                raise TelosError(f"context cannot have an entry {name!r}: conditions read the event's own {name} by it")
        for name in self.moments:
            if name not in types:
                raise TelosError(f"moment {name!r} is not in the context", "declare it there as well")

    def variables(self, goals: Iterable[str]) -> list[Variable]:
        """Return the variables of conditions: the action, the goal just achieved, and every context entry."""
        return [*_variables(self, tuple(goals))]


@lru_cache(maxsize=64)  # called for every condition of a file
def _variables(vocabulary: Vocabulary, goals: tuple[str, ...]) -> tuple[Variable, ...]:
    found = [_text_variable("action", vocabulary.actions), _text_variable("goal", goals)]
    for name, kind in vocabulary.context.items():
        found.append(Variable(name, kind, _start_of(name, kind)))
    return tuple(found)


def _start_of(name: str, kind: Type) -> Value:
    """Return the value of an entry that an event leaves out, if it is not that of its type."""
    if kind.handle == "edges":
        return ()
    return INPUT if name == "cause" and kind.kind is ValueKind.HANDLE else None


def _text_variable(name: str, known: Iterable[str]) -> Variable:
    labels = tuple(known)
    can_be_labels = labels and all(VARIABLE_NAME.match(label) and label not in KEYWORDS for label in labels)
    variable = Variable(name, labels if can_be_labels else "text")
    object.__setattr__(variable, "start", None)  # events state their action, and most achieve no goal
    return variable


# The vocabulary of the adventure world. It is defined here because models are written against it, and logs of other
# games can be translated to it.
ADVENTURE = Vocabulary(
    actions=("swing", "stop", *DIRECTIONS),
    context={
        "cause": ("input", "area", "tick"),
        "area": "text",
        "x": "number",
        "y": "number",
        "monsters": "int",
        "gems": "int",
        "in_town": "bool",
        "chest_taken": "bool",
        "killed": "bool",
        "attacked": "bool",
        "died": "bool",
        "new_area": "bool",
        "nearer_town": "bool",
        "moved": "bool",
        "moving": ("stop", *DIRECTIONS),
        "exits": "edges",
        "unvisited_exits": "edges",
        "exits_nearer_town": "edges",
        "toward_unexplored": "bool",
        "toward_town": "bool",
        "toward_monster": "bool",
        "toward_nearest_monster": "bool",
        "monster_near": "bool",
        "toward_gem": "bool",
        "speed": "number",
        "heading": "number",
        "exit_bearing": "number",
        "unvisited_bearing": "number",
        "home_bearing": "number",
        "monster_bearing": "number",
        "monster_distance": "number",
        "onward": "bool",
        "homeward": "bool",
        "ways_part": "bool",
    },
    moments=("chest_taken", "killed", "attacked", "died", "new_area", "nearer_town"),
)


def condition_faults(condition: Condition, vocabulary: Vocabulary, goals: Iterable[str]) -> list[Fault]:
    """Return everything wrong with a condition over events.

    >>> from telos.recognition.vocabulary import ADVENTURE
    >>> print(*condition_faults(Condition.of("monster > 0"), ADVENTURE, ["level"]))
    unknown variable 'monster' in `monster > 0`; did you mean 'monsters'?
    """
    layout = Layout(vocabulary.variables(goals))
    found = check_expression(resolve_labels(condition.expression, layout), Scope(layout), BOOL)
    return [replace(fault, text=str(condition)) for fault in found]


def resolve_labels(expression: Expression, layout: Layout) -> Expression:
    """Return the expression with names turned into labels where a variable is compared with them.

    In ``cause == area``, ``area`` is a label of ``cause``, although there is a context entry ``area`` as well.
    """
    match expression:
        case Not(operand):
            return replace(expression, operand=resolve_labels(operand, layout))
        case And(parts) | Or(parts):
            return replace(expression, parts=tuple(resolve_labels(part, layout) for part in parts))
        case Compare(_, left, right):
            return replace(expression, left=_label(left, right, layout), right=_label(right, left, layout))
        case _:
            return expression


def _label(side: Expression, other: Expression, layout: Layout) -> Expression:
    kind = _text_type(other, layout)
    if kind is None:
        return side
    match side:
        case Name(name, column) if name in kind.labels or (kind.handle and name not in layout.slots):
            return Handle(name, column)
        case Literal(None, column):
            return Handle(None, column)
        case _:
            return side


def _text_type(side: Expression, layout: Layout) -> Type | None:
    if not isinstance(side, Name) or side.name not in layout.slots:
        return None
    kind = layout.variable(side.name).type
    return kind if kind.kind in (ValueKind.ENUM, ValueKind.HANDLE) else None


# --- the vocabulary that conditions use -------------------------------------------------------------------------------


def named_actions(resolved: Iterable[Expression]) -> Iterator[str]:
    """Yield the actions that conditions compare with, once each; their labels are resolved."""
    found = []
    for part in (part for expression in resolved for part in walk(expression) if isinstance(part, Compare)):
        for one, other in ((part.left, part.right), (part.right, part.left)):
            if one == Name("action") and isinstance(other, Handle) and other.value is not None:
                found.append(str(other.value))
    yield from dict.fromkeys(found)


BELIEF = "belief."  # before the name of a goal, in the rules of a director: its chance, as the name alone


class ContextReader:
    """Finds the context entries that conditions read, and their types by how they are used.

    ``known`` are names of other things: the goals in the conditions of a director. In ``near == market`` the left side
    is an entry, and the right side a label.

    >>> reader = ContextReader()
    >>> reader.read(Condition.of("monsters > 0 and (attacked or place == market)").expression)
    >>> {name: str(kind) for name, kind in reader.context().items()}
    {'monsters': 'number', 'attacked': 'bool', 'place': 'text'}
    """

    def __init__(self, listed: Mapping[str, TypeLike] | None = None) -> None:
        self._listed = {name: Type.of(kind) for name, kind in (listed or {}).items()}
        self._kinds: dict[str, str] = {}
        self._labels: set[str] = set()
        self._known: Collection[str] = ()

    def context(self) -> dict[str, Type]:
        """Return the listed entries, and those found."""
        return {**self._listed, **{name: Type.of(kind) for name, kind in self._kinds.items()}}

    def add(self, name: str, kind: str) -> None:
        """Add an entry that is read by other means, unless it is known."""
        is_entry = name not in _RESERVED and not name.startswith(BELIEF)
        if is_entry and name not in self._listed and name not in self._known:
            self._kinds.setdefault(name, kind)

    def read(self, expression: Expression, known: Collection[str] = (), *, wanted: str = "bool") -> None:
        """Read one condition, or a formula that is ``wanted`` as a number."""
        self._known = known
        self._visit(expression, wanted)
        self._known = ()

    def faults(self, expression: Expression) -> Iterator[Fault]:
        """Yield what is ambiguous in a condition, after all have been read."""
        for node in walk(expression):
            if not isinstance(node, Name) or node.name not in self._kinds:
                continue
            if node.name in self._labels:
                message = f"{node.name!r} is compared with as a label, and read as an entry of the context"
                code = FaultCode.CONFLICT
            elif not VARIABLE_NAME.match(node.name):
                message, code = f"{node.name!r} cannot be the name of a context entry", FaultCode.BAD_NAME
            else:
                continue
            yield Fault(message, suggestion="list the context: `context: {…}`", offset=node.column, code=code)

    def _visit(self, expression: Expression, wanted: str) -> None:
        match expression:
            case Name(name):
                self.add(name, wanted)
            case Not(operand):
                self._visit(operand, "bool")
            case And(parts) | Or(parts):
                for part in parts:
                    self._visit(part, "bool")
            case Compare(operator, left, right):
                self._compare(operator, left, right)
            case Arithmetic(_, left, right):
                self._visit(left, "number")
                self._visit(right, "number")
            case Call(_, arguments):
                for argument in arguments:
                    self._visit(argument, "number")
            case _:
                pass

    def _compare(self, operator: str, left: Expression, right: Expression) -> None:
        if operator not in ("==", "!="):
            kinds = ("number", "number")
        elif isinstance(left, Name) and isinstance(right, Name):
            self._compare_names(left.name, right.name)
            return
        else:
            kinds = (_kind_beside(right), _kind_beside(left))
        self._visit(left, kinds[0])
        self._visit(right, kinds[1])

    def _compare_names(self, left: str, right: str) -> None:
        if self._is_variable(right) and not self._is_variable(left):
            left, right = right, left
        self.add(left, "text")
        if not self._is_variable(right):
            self._labels.add(right)

    def _is_variable(self, name: str) -> bool:
        return name in self._listed or name in _RESERVED


def _kind_beside(other: Expression) -> str:
    """Return the type of what is compared with an expression."""
    match other:
        case Literal(bool()) | Not() | And() | Or() | Compare():
            return "bool"
        case Literal(None) | Handle():
            return "text"
        case _:
            return "number"


OWN_WORDS = Vocabulary(is_open=True)  # nothing is listed: the model's conditions say what it reads


def complete_vocabulary(
    vocabulary: Vocabulary,
    conditions: Iterable[Condition],
    edges: Iterable[str] = (),
    director: Iterable[Condition] = (),
    goals: Collection[str] = (),
    *,
    has_clock: bool = False,
    measured: Iterable[str] = (),
    formulas: Iterable[Expression] = (),
) -> Vocabulary:
    """Return a vocabulary; if it is open, with the context that a model reads: by its conditions, and as ``edges``.

    Entries that are ``measured``, and those in ``formulas`` of the director, are numbers.

    >>> words = complete_vocabulary(OWN_WORDS, [Condition.of("action == swing and monsters > 0")])
    >>> {name: str(kind) for name, kind in words.context.items()}
    {'monsters': 'number'}
    """
    if not vocabulary.is_open:
        return vocabulary
    reader = ContextReader(vocabulary.context)
    for name in edges:
        reader.add(name, "edges")
    for name in measured:
        reader.add(name, "number")
    if has_clock:
        reader.add("cause", "text")
    read: list[tuple[Expression, Collection[str]]] = [(condition.expression, ()) for condition in conditions]
    read += [(condition.expression, goals) for condition in director]
    for expression, known in read:
        reader.read(expression, known)
    for formula in formulas:
        reader.read(formula, goals, wanted="number")
    faults = [fault for expression, _ in read for fault in reader.faults(expression)]
    if faults:
        raise DefinitionError(faults)
    return Vocabulary(vocabulary.actions, reader.context(), moments=vocabulary.moments, is_open=True)


# --- words that events have and a model does not name -----------------------------------------------------------------


FIRST_EVENTS = 100  # of a model, that are compared with its vocabulary
_MAX_WORDS = 5  # named in a note


@dataclass(slots=True)
class FirstEvents:
    """Compares the first events that a model with an open vocabulary reads with the words that it uses.

    ``actions`` and ``entries`` are the words of the model; what others the events have is counted.
    """

    actions: frozenset[str]
    entries: frozenset[str]
    events: int = 0
    other_actions: Counter[str] = field(default_factory=Counter)
    other_entries: Counter[str] = field(default_factory=Counter)
    seen: set[str] = field(default_factory=set)

    def add(self, event: Event) -> bool:
        """Compare an event; return whether more are wanted."""
        self.events += 1
        if event.action not in self.actions:
            self.other_actions[event.action] += 1
        for name in event.context.plain:
            if name in self.entries:
                self.seen.add(name)
            else:
                self.other_entries[name] += 1
        return self.events < FIRST_EVENTS

    def notes(self) -> list[str]:
        """Return what is worth a look, as sentences."""
        if not self.events:
            return []
        start = f"of the first {self.events} events"
        found = []
        if self.actions and self.other_actions:
            found.append(
                f"{start}, {self.other_actions.total()} have actions that the model does not name: "
                f"{_listed(self.other_actions)}"
            )
        for name in sorted(self.entries - self.seen):
            near = nearest(name, self.other_entries)
            remedy = "" if near is None else f"did you mean {near!r}?"
            found.append(f"{start}, none says {name!r}, which the model reads{'; ' * bool(remedy)}{remedy}")
        return found


def _listed(words: Counter[str]) -> str:
    named = ", ".join(f"{word} ({count})" for word, count in words.most_common(_MAX_WORDS))
    return f"{named} and {len(words) - _MAX_WORDS} more" if len(words) > _MAX_WORDS else named
