"""Actions and context a game reports; conditions over events."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from telos.core.binding import Scope, check_expression
from telos.core.conditions import Condition
from telos.core.errors import Fault, TelosError
from telos.core.expressions import And, Compare, Expression, Handle, Literal, Name, Not, Or
from telos.core.state import Layout
from telos.core.values import BOOL, KEYWORDS, VARIABLE_NAME, FrozenMap, Type, TypeLike, ValueKind, Variable

# --- vocabulary -------------------------------------------------------------------------------------------------------
# The words in which a game tells recognisers about its player: actions, context, and what only says "just now".


DIRECTIONS = ("up", "up_right", "right", "down_right", "down", "down_left", "left", "up_left")
_RESERVED = ("action", "goal")  # conditions may read them, so no context entry may be called so


@dataclass(frozen=True, slots=True, init=False)
class Vocabulary:
    """Which actions and context entries events may have, and of what type each entry is.

    Without ``actions``, any action goes. An entry that an event leaves out has the value its type starts with (no, 0,
    the first label, no edges), so a game says only what is out of the ordinary. ``moments`` are the entries that say
    what happened since the event before: if that event is not counted, the next one says it in its stead.

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
        """Return what conditions may speak of: the action, the goal just achieved, and every context entry."""
        return [*_variables(self, tuple(goals))]


@lru_cache(maxsize=64)  # every condition of a file asks for them
def _variables(vocabulary: Vocabulary, goals: tuple[str, ...]) -> tuple[Variable, ...]:
    found = [_text_variable("action", vocabulary.actions), _text_variable("goal", goals)]
    for name, kind in vocabulary.context.items():
        found.append(Variable(name, kind, () if kind.handle == "edges" else None))
    return tuple(found)


def _text_variable(name: str, known: Iterable[str]) -> Variable:
    labels = tuple(known)
    can_be_labels = labels and all(VARIABLE_NAME.match(label) and label not in KEYWORDS for label in labels)
    variable = Variable(name, labels if can_be_labels else "text")
    object.__setattr__(variable, "start", None)  # an event names its action itself, and mostly no goal was achieved
    return variable


# What the adventure world says in every event. It stands here, not there: models are written against it, and logs of
# other games can be put into the same words.
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
        "toward_gem": "bool",
    },
    moments=("chest_taken", "killed", "attacked", "died", "new_area", "nearer_town"),
)


# --- wording ----------------------------------------------------------------------------------------------------------
# Conditions over events: which words are labels, which are entries of the context, and what is wrong with them.


def condition_faults(condition: Condition, vocabulary: Vocabulary, goals: Iterable[str]) -> list[Fault]:
    """Return everything that keeps a condition from being asked of events.

    >>> from telos.recognition.vocabulary import ADVENTURE
    >>> print(*condition_faults(Condition.of("monster > 0"), ADVENTURE, ["level"]))
    unknown variable 'monster' in `monster > 0`; did you mean 'monsters'?
    """
    layout = Layout(vocabulary.variables(goals))
    found = check_expression(resolve_labels(condition.expression, layout), Scope(layout), BOOL)
    return [replace(fault, text=str(condition)) for fault in found]


def resolve_labels(expression: Expression, layout: Layout) -> Expression:
    """Return the expression in which the texts that variables are compared with stand for themselves.

    In ``cause == area`` the second word is what the cause may be, although there is an entry ``area`` as well.
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
