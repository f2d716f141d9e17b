"""Frames: a moment of a game as plain data, for the page, the tape and the timeline."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import orjson

from telos.core.belief import Belief
from telos.studio.stage import Happening, Stage


class Noted(NamedTuple):
    """Something that happened, with its number and the frame after it."""

    number: int
    frame: int
    happening: Happening

    def message(self) -> list[Any]:
        """Return it as plain data."""
        told = self.happening
        return [self.number, self.frame, round(told.time, 3), told.kind, told.who, told.label]


def frame_of(stage: Stage, number: int, beliefs: Mapping[str, Belief], noted: Iterable[Noted]) -> dict[str, Any]:
    """Return what is seen of a stage now; its backdrop is told by a key."""
    hud = stage.hud()
    return {
        "is": "frame", "n": number, "t": round(stage.time, 3), "key": stage.backdrop()[0], "pic": stage.picture(),
        "hud": {
            "task": hud.task, "message": hud.message, "counts": hud.counts, "clock": hud.clock, "over": hud.over
        },
        "beliefs": {name: rounded(belief) for name, belief in beliefs.items()},
        "truth": stage.truth, "bands": dict(stage.bands()), "curves": _curves(stage),
        "happened": messages(noted), "live": True,
    }  # fmt: skip


def messages(noted: Iterable[Noted]) -> list[list[Any]]:
    """Return what the timeline marks of all that happened."""
    return [each.message() for each in noted if each.happening.label]


def rounded(belief: Belief) -> dict[str, float]:
    """Return a belief as it is drawn."""
    return {goal: round(chance, 4) for goal, chance in belief.items()}


def encoded(data: dict[str, Any]) -> bytes:
    """Return a message as JSON."""
    return orjson.dumps(data, default=_plain)


def _curves(stage: Stage) -> dict[str, dict[str, float]]:
    return {group: {name: round(value, 3) for name, value in each.items()} for group, each in stage.curves().items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} does not fit JSON")
