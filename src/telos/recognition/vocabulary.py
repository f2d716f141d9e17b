"""The words in which a game tells recognisers about its player: actions, context, and what only says "just now"."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from telos.core.errors import TelosError
from telos.core.frozen import FrozenMap
from telos.core.values import KEYWORDS, VARIABLE_NAME, Type, TypeLike, Variable

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
