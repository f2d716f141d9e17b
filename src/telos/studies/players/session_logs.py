"""Sessions in files: event logs in JSON Lines, which every recogniser reads, whoever played."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.files.text import read_text
from telos.studies.players.sessions import Session
from telos.worlds.adventure.saving import restored_event, saved_event


def write_sessions(sessions: Iterable[Session], path: str | os.PathLike[str]) -> None:
    """Write sessions as an event log: a line for each event, with the goal that was given; ``human`` if it was."""
    lines = [
        json.dumps(_line(session, event, truth))
        for session in sessions
        for event, truth in zip(session.events, session.truths, strict=True)
    ]
    Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def read_sessions(path: str | os.PathLike[str]) -> list[Session]:
    """Read the sessions of an event log, each with its player, in the order in which they begin.

    A log does not tell phases and inputs apart; whoever needs them keeps the recording. A line that cannot be read
    raises a ``TelosError`` that names it.
    """
    name, found = os.fspath(path), dict[tuple[str, str, bool], tuple[list[Event], list[str | None]]]()
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip():
            continue
        try:
            said = json.loads(line)
            event = restored_event({"player": "player", "context": {}, "goal": None, **said})
            key = event.player, str(said.get("session", "")), said.get("human") is True
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise TelosError(f"{name}:{number}: this is no event: {error}", "write one JSON object a line") from None
        events, truths = found.setdefault(key, ([], []))
        events.append(event)
        truths.append(said.get("truth"))
    return [
        Session(tuple(events), tuple(truths), name=session, human=human)
        for (_, session, human), (events, truths) in found.items()
    ]


def _line(session: Session, event: Event, truth: str | None) -> dict[str, Any]:
    said = saved_event(event)
    about: dict[str, Any] = {"session": session.name} if session.name else {}
    human = {"human": True} if session.human else {}
    return {"player": said.pop("player"), **about, **said, "truth": truth, **human}
