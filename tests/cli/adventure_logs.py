"""Logs of a player in the adventure, for the tests of the commands that read them."""

import json
from pathlib import Path
from typing import Any

from recognition.readings import play


def log_lines(count: int = 60, *, player: str = "p1", seed: int = 1, truth: str | None = "level") -> list[str]:
    """Return the lines of a log; the goal changes in the middle, if it is known at all."""
    lines = []
    for number, event in enumerate(play(count, seed=seed)):
        said: dict[str, Any] = {"player": player, "time": event.time, "action": event.action}
        said["context"] = dict(event.context)
        if event.goal is not None:
            said["goal"] = event.goal
        if truth is not None:
            said["truth"] = truth if number < count / 2 else "explore"
        lines.append(json.dumps(said))
    return lines


def write_lines(file: Path, lines: list[str]) -> Path:
    """Write a log."""
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def interleaved(*logs: list[str]) -> list[str]:
    """Return several logs as one, in turns."""
    return [line for lines in zip(*logs, strict=True) for line in lines]
