"""Vocabulary: the actions and context entries that a game reports in its events, and conditions over them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from telos.core.binding import Scope, check_expression
from telos.core.conditions import Condition
from telos.core.errors import Fault, TelosError
from telos.core.expressions import And, Compare, Expression, Handle, Literal, Name, Not, Or
from telos.core.state import Layout
from telos.core.values import BOOL, KEYWORDS, VARIABLE_NAME, FrozenMap, Type, TypeLike, ValueKind, Variable

DIRECTIONS = ("up", "up_right", "right", "down_right", "down", "down_left", "left", "up_left")
_RESERVED = ("action", "goal")  # names that conditions use for the event's own fields


@dataclass(frozen=True, slots=True, init=False)
class Vocabulary:
    """The actions and the typed context entries that events may have.

    Without ``actions``, any action is allowed. A missing entry has the initial value of its type (false, 0, the first
    label, no edges). ``moments`` are entries about what happened since the previous event: if an event does not count,
    they are carried over to the next one that does.

    >>> words = Vocabulary(["swing", "stop"], {"monsters": "int", "cause": ["input", "tick"], "exits": "edges"})
    >>> [variable.start for variable in words.variables(["fight"])]
    [None, None, 0, 'input', ()]
    """

    actions: tuple[str, ...]
    context: FrozenMap[str, Type]
    moments: tuple[str, ...]

    def __init__(
        self,
        actions: Iterable[str] = (),
        context: Mapping[str, TypeLike] | None = None,
        *,
        moments: Iterable[str] = (),
    ) -> None:
        types = {name: Type.of(spec) for name, spec in (context or {}).items()}
        object.__setattr__(self, "actions", tuple(actions))
        object.__setattr__(self, "context", FrozenMap(types))
        object.__setattr__(self, "moments", tuple(moments))
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
        found.append(Variable(name, kind, () if kind.handle == "edges" else None))
    return tuple(found)


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
