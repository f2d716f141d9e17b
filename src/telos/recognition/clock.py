"""Which events count as evidence: what follows within a moment of the last is the same thing seen twice."""

from collections.abc import Iterable
from dataclasses import dataclass

from telos.core.errors import TelosError
from telos.core.numbers import finite

TICK = "tick"  # the cause of events that only say that time has passed
INPUT = "input"  # the cause of events that do not say one


@dataclass(frozen=True, slots=True, init=False)
class Clock:
    """Counts events by their cause; ticks only if ``every`` so many seconds is given, and no more often than that.

    >>> Clock().counts("area"), Clock().counts("tick"), Clock(every=0.5).counts("tick")
    (True, False, True)
    """

    on: tuple[str, ...]
    every: float | None

    def __init__(self, on: Iterable[str] = (INPUT, "area"), every: float | None = None) -> None:
        causes = (on,) if isinstance(on, str) else tuple(on)
        if every is not None and not finite("every", every) > 0:
            raise TelosError(f"every must be a number of seconds above 0, got {every!r}")
        if TICK in causes:
            raise TelosError("ticks count by the time between them", "write every=0.5 (seconds) rather than on='tick'")
        if not causes and every is None:
            raise TelosError("a clock that counts nothing reads nothing", "give on=('input', 'area') or every=0.5")
        object.__setattr__(self, "on", causes)
        object.__setattr__(self, "every", None if every is None else float(every))

    def counts(self, cause: str) -> bool:
        """Whether events with this cause may count."""
        return cause in self.on or (cause == TICK and self.every is not None)
