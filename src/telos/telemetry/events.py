"""Events as rows of a table."""

from collections.abc import Iterable, Iterator
from typing import Any

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.telemetry.frames import pl

_OWN = ("player", "time", "action", "goal")


def from_events(events: Iterable[Event]) -> pl.DataFrame:
    """Return events as a table: player, time, action, what the game knew, and the goal achieved.

    >>> from_events([Event("talk", {"loc": "camp"}, player="ann", goal="nurse")]).row(0)
    ('ann', 0.0, 'talk', 'camp', 'nurse')
    """
    rows = list(_rows(events))
    known = dict.fromkeys(key for row in rows for key in row if key not in _OWN)
    names = {"player": pl.String, "time": pl.Float64, "action": pl.String, "goal": pl.String}
    order = [*_OWN[:3], *known, "goal"]
    try:
        return pl.DataFrame(rows, schema=order, schema_overrides=names, infer_schema_length=None)
    except (pl.exceptions.PolarsError, TypeError) as error:
        raise TelosError(f"events whose facts do not fit one table: {error}", "give a fact one type") from None


def _rows(events: Iterable[Event]) -> Iterator[dict[str, Any]]:
    for event in events:
        for key in event.context:
            if key in _OWN:
                raise TelosError(f"the context has an entry {key!r}, which every event has", "give it another name")
        yield {
            "player": event.player,
            "time": event.time,
            "action": event.action,
            **{key: list(value) if isinstance(value, tuple) else value for key, value in event.context.items()},
            "goal": event.goal,
        }
