"""Productions of a plan grammar, and the steps that they are made of."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_STEP = re.compile(r"\s*([A-Za-z][\w.-]*)\s*(?:\(([^()]*)\))?\s*\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Production:
    """One way to do a task: the steps, which are tasks or actions, and how often it is taken."""

    task: str
    method: str
    steps: tuple[str, ...]
    chance: float

    def __str__(self) -> str:
        """Write it as grammars are written."""
        return f"{self.task} → {' '.join(self.steps)}  ({self.chance:.3g}, {self.method})"


def even(names: Iterable[str]) -> dict[str, float]:
    """Return the same chance for each name."""
    each = tuple(dict.fromkeys(names))
    return dict.fromkeys(each, 1.0 / len(each)) if each else {}


def tidy_step(said: str) -> str:
    """Return a step as it is compared: `goto( forge )` is `goto(forge)`.

    >>> tidy_step("throw(grenade,enemy)")
    'throw(grenade, enemy)'
    """
    found = _STEP.match(said)
    if not found or found[2] is None:
        return said.strip()
    arguments = [each.strip() for each in found[2].split(",")]
    return f"{found[1]}({', '.join(arguments)})" if any(arguments) else found[1]


def is_step(said: str) -> bool:
    """Whether a text can be a step: a name, perhaps with arguments."""
    return bool(_STEP.match(said))


def meanings(action: str) -> tuple[str, ...]:
    """Return the steps that an action may be: as it is written, and without its arguments.

    >>> meanings("goto(forge)")
    ('goto(forge)', 'goto')
    """
    tidy = tidy_step(action)
    name = tidy.partition("(")[0]
    return (tidy,) if name == tidy else (tidy, name)
