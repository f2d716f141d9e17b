"""Raw logs of recorded plays: a row for each event, as a table holds them. Needs no data-frame engine."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from telos.core.event import Event


class Play(Protocol):
    """One player's game: who played, in which style, and what she did."""

    @property
    def player(self) -> str: ...
    @property
    def style(self) -> str: ...
    @property
    def events(self) -> Sequence[Event]: ...


def rows_of_plays(plays: Iterable[Play]) -> Iterator[dict[str, Any]]:
    """Yield a row for each event of each play, as it can be seen from outside.

    ``step`` counts a player's events, from 0; ``achieved`` is the goal that an event achieved, and nothing in the rest.
    """
    for play in plays:
        for step, event in enumerate(play.events):
            own = {
                "player": play.player,
                "style": play.style,
                "step": step,
                "time": event.time,
                "action": event.action,
            }
            known = {key: _cell(value) for key, value in event.context.items() if key not in own}
            yield {**own, **known, "achieved": event.goal}


def _cell(value: Any) -> Any:
    return " ".join(str(each) for each in value) if isinstance(value, tuple) else value


def evened(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows, all with the same keys in the same order: what a game did not know is None."""
    listed = list(rows)
    keys = dict.fromkeys(key for row in listed for key in row if key != "achieved")
    return [{**{key: row.get(key) for key in keys}, "achieved": row.get("achieved")} for row in listed]
