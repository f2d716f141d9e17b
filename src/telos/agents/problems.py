"""``Problems``: what the game's own code has raised inside a mind, kept, logged once per place, and told by ``why``."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace

from telos.core.errors import TelosError

MAX_PROBLEMS = 100  # places of one mind that are kept; a sensor that raises stands for one of them

_LOG = logging.getLogger("telos.agents")


@dataclass(frozen=True, slots=True)
class Problem:
    """An exception of the game's code: where it was raised, the last one of that place, and how often."""

    place: str  # "sensor eyes", "believe", "planning for eat", "goto(inn)"
    error: Exception
    time: float
    count: int = 1

    def __str__(self) -> str:
        times = f", {self.count} times" if self.count > 1 else ""
        return f"{self.place} {format_error(self.error)} (last at {self.time:g} s{times})"


class Problems:
    """The exceptions of a mind by place. In strict mode, they are raised instead."""

    def __init__(self, who: str, *, strict: bool) -> None:
        self._who, self.strict = who, strict
        self._by_place: dict[str, Problem] = {}

    def note_step(self, step: str, error: Exception, now: float) -> None:
        """Keep an exception of a step, unless it is a ``TelosError`` that was raised on purpose.

        "There is no way to the inn" is an answer, not a problem.
        """
        if not isinstance(error, TelosError) or error.__cause__ is not None:
            self.note(step, error, now)

    def note(self, place: str, error: Exception, now: float) -> None:
        """Keep an exception and log it if it is the first of its place; in strict mode, raise it."""
        if self.strict:
            if not getattr(error, "__notes__", None):
                error.add_note(f"raised in {place} of {self._who} at {now:g} s (strict=True)")
            raise error
        known = self._by_place.get(place)
        if known is None:
            if len(self._by_place) >= MAX_PROBLEMS:
                del self._by_place[next(iter(self._by_place))]
            _LOG.error("%s: %s raised an exception; it counts as failed", self._who, place, exc_info=error)
            self._by_place[place] = Problem(place, error, now)
        else:
            self._by_place[place] = replace(known, error=error, time=now, count=known.count + 1)

    def __iter__(self) -> Iterator[Problem]:
        """Yield the problems, the latest last."""
        return iter(sorted(self._by_place.values(), key=lambda problem: problem.time))

    def __len__(self) -> int:
        return len(self._by_place)


def format_error(error: Exception) -> str:
    """Return the reason of a failure that was raised by the game's code."""
    return f"raised {type(error).__name__}: {error}"
