"""What a model calls what it sees: an ordered list of names with conditions, of which the first that holds applies."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from telos.core.conditions import Condition, ConditionLike
from telos.core.errors import TelosError
from telos.recognition.sight import Seen, Sight
from telos.recognition.vocabulary import DIRECTIONS


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
