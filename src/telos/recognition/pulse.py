"""A model's clock at work on one player: which events count, and what those that do not hand on to the next."""

from collections.abc import Iterable, Mapping
from typing import Any

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.clock import TICK, Clock
from telos.recognition.model import Evidence, GoalModel
from telos.recognition.sight import entries_of

_NEVER = float("-inf")
SLACK = 1e-6  # seconds: frames of a thirtieth are not exact in binary


class Pulse:
    """Asks a model for evidence at the times when its clock counts.

    An event that does not count may say that a chest was just taken. The next one that counts says so in its stead, or
    the model would never hear of it.
    """

    def __init__(self, model: GoalModel) -> None:
        clock: Clock | None = getattr(model, "clock", None)  # models of other families count every event
        words = getattr(model, "vocabulary", None)
        self._ask = model.evidence
        self._every = 0.0 if clock is None or clock.every is None else clock.every - SLACK
        self._moments: tuple[str, ...] = () if words is None else words.moments
        self.reset()

    def reset(self) -> None:
        """Forget what came before."""
        self._counted = _NEVER  # when an event last counted
        self._pending: dict[str, bool] = {}
        self._achieved: str | None = None
        self._waits = False

    def evidence(self, event: Event) -> Evidence | None:
        """Return what an event says, together with what was left unsaid; None if it does not count."""
        if self._waits:
            event = self._with_the_unsaid(event)
        found = self._ask(event)
        too_soon = event.time - self._counted < self._every and entries_of(event).get("cause") == TICK
        if found is None or too_soon:
            self._keep(event)
            return None
        self._counted = event.time
        if self._waits:
            self._pending, self._achieved, self._waits = {}, None, False
        return found

    def admitted(self, event: Event) -> Event | None:
        """Return the event if it counts, with what was left unsaid."""
        found = self._with_the_unsaid(event) if self._waits else event
        return None if self.evidence(event) is None else found

    def _keep(self, event: Event) -> None:
        context = entries_of(event)
        self._pending.update({name: True for name in self._moments if context.get(name)})
        self._achieved = event.goal or self._achieved
        self._waits = bool(self._pending) or self._achieved is not None

    def _with_the_unsaid(self, event: Event) -> Event:
        return Event(
            event.action,
            {**event.context, **self._pending},
            player=event.player,
            time=event.time,
            goal=event.goal or self._achieved,
        )

    def save(self) -> dict[str, Any]:
        """Return all there is as plain data."""
        counted = None if self._counted == _NEVER else self._counted
        return {"counted": counted, "pending": sorted(self._pending), "achieved": self._achieved}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Become exactly the pulse that was saved."""
        self._counted = _NEVER if saved["counted"] is None else saved["counted"]
        self._pending = dict.fromkeys(saved["pending"], True)
        self._achieved = saved["achieved"]
        self._waits = bool(self._pending) or self._achieved is not None


def counted(model: GoalModel, events: Iterable[Event]) -> list[tuple[Event, Evidence]]:
    """Return the events of one player that count, each with what it says: what a reader would take in."""
    pulse, found = Pulse(model), []
    player: str | None = None
    last = _NEVER
    for event in events:
        refuse_disorder(event, player, last)
        player, last = event.player, event.time
        evidence = pulse.evidence(event)
        if evidence is not None:
            found.append((event, evidence))
    return found


def refuse_disorder(event: Event, player: str | None, last: float) -> None:
    """Refuse an event of another player than the one that is read (None: nobody yet), or one from before the last."""
    if player is not None and event.player != player:
        raise TelosError(f"one player at a time: {event.player!r} came after {player!r}", "use Readers, or reset first")
    if event.time < last:
        said = f"time runs backwards: an event at {event.time:g} s after one at {last:g} s"
        raise TelosError(f"{said}", "sort the log by time, or reset first")
