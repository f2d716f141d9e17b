"""Actions with open parameters become one operator for each choice of handles."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from telos.core.action import Action
from telos.core.errors import TelosError

MOST = 100_000  # operators; more than that would not fit the memory of a game, let alone its time


@dataclass(frozen=True, slots=True)
class Operator:
    """An action, and the number of the handle that each of its parameters is bound to."""

    action: Action
    arguments: tuple[tuple[str, str, int], ...]  # parameter, kind, number

    def __str__(self) -> str:
        return self.action.name


def ground(actions: Iterable[Action], counts: Mapping[str, int]) -> tuple[Operator, ...]:
    """Return every action with every choice of handles for its parameters."""
    operators = tuple(itertools.islice(_ground(actions, counts), MOST + 1))
    if len(operators) > MOST:
        raise TelosError(f"the actions come to more than {MOST:,} with all choices of handles", "give fewer handles")
    return operators


def _ground(actions: Iterable[Action], counts: Mapping[str, int]) -> Iterator[Operator]:
    for action in actions:
        kinds = [(name, of.handle) for name, of in action.parameters.items()]
        choices = [range(1, counts.get(kind, 0) + 1) for _, kind in kinds]
        for codes in itertools.product(*choices):
            yield Operator(action, tuple((name, kind, code) for (name, kind), code in zip(kinds, codes, strict=True)))
