"""MeasureGate: which measures of a model count at an event, by their conditions."""

from typing import Any

from telos.core.event import Event
from telos.recognition.measures.measure import MeasuredValue, Measures
from telos.recognition.observations import EventFeatures


class MeasureGate:
    """Reads the measures of events whose conditions hold; ``features`` read what the conditions ask."""

    def __init__(self, measures: Measures, features: EventFeatures[Any]) -> None:
        self._measures, self._features = measures, features
        self._tests = [
            None if measure.condition is None else features.bound(measure.condition) for measure in measures.all
        ]
        features.first_events.entries |= frozenset(measures.entries)
        self._always = (True,) * len(self._tests) if not any(self._tests) else None

    def read(self, event: Event) -> tuple[MeasuredValue, ...]:
        """Return what was measured at an event."""
        holds = self._always
        if holds is None:
            values = self._features.checked_values(event)
            holds = tuple(test is None or bool(test(values)) for test in self._tests)
        return self._measures.read(event.context.plain, holds)
