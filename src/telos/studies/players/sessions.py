"""Sessions: a played game as a replayable recording and as labelled events, and their files."""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from telos.core.event import Event
from telos.files.writing import write_text
from telos.studies.players.player import Player
from telos.telemetry.logs import read_log
from telos.worlds.adventure.adventure import Adventure, event_to_data, replay_frames
from telos.worlds.adventure.recording import Recording

LONGEST = 36_000  # frames: twenty minutes; both games are meant to take about five


class Phase(NamedTuple):
    """A part of a game with one given goal; its events are ``events[start:end]``."""

    goal: str | None
    round: str
    start: int
    end: int
    frames: int
    is_done: bool  # False if the game ended before the goal was reached


@dataclass(frozen=True, slots=True)
class Session:
    """A played game. ``truths`` holds the given goal at each event, or None."""

    events: tuple[Event, ...]
    truths: tuple[str | None, ...]
    phases: tuple[Phase, ...] = ()
    recording: Recording | None = None  # None if it was read from a log
    is_done: bool = True  # all phases were played to their end
    name: str = ""
    human: bool = False

    @property
    def player(self) -> str:
        """Return the name of the player; empty if there are no events."""
        return self.events[0].player if self.events else ""


def play(adventure: Adventure, player: Player, *, max_frames: int = LONGEST, name: str = "") -> Session:
    """Simulate a game until all phases are over, for at most ``max_frames`` frames."""
    return _watched(adventure, _games(adventure, player, max_frames), name=name, human=False)


def session_of(recording: Recording, *, human: bool = True, name: str = "") -> Session:
    """Convert a recorded game to a session, so that studies can use human players."""
    first = Adventure(
        recording.rules, directed=recording.directed, monsters=recording.monsters, seed=recording.seed,
        player=recording.player,
    )  # fmt: skip
    return _watched(first, replay_frames(recording), name=name, human=human)


def _games(adventure: Adventure, player: Player, max_frames: int) -> Iterator[Adventure]:
    for _ in range(max_frames):
        if adventure.done:
            return
        adventure.step({adventure.player: player.input(adventure.view())})
        yield adventure


def _watched(game: Adventure, games: Iterable[Adventure], *, name: str, human: bool) -> Session:
    """Collect the events and phases of a game; ``game`` is its initial state."""
    events: list[Event] = []
    truths: list[str | None] = []
    phases: list[Phase] = []
    given, start, since = (game.truth, game.round), 0, game.frame
    for now in games:
        game = now
        events += now.events
        truths += [given[0]] * len(now.events)  # the goal before the action, not after it
        if (now.truth, now.round) != given:
            phases.append(Phase(*given, start, len(events), now.frame - since, True))
            given, start, since = (now.truth, now.round), len(events), now.frame
    if not game.done:
        phases.append(Phase(*given, start, len(events), game.frame - since, False))
    return Session(tuple(events), tuple(truths), tuple(phases), game.recording(), game.done, name, human)


# --- files: JSON Lines, as every recogniser reads ---------------------------------------------------------------------


def write_sessions(sessions: Iterable[Session], path: str | os.PathLike[str]) -> None:
    """Write sessions as an event log: one line per event, with the given goal and, for people, ``human``."""
    lines = [
        json.dumps(_line(session, event, truth))
        for session in sessions
        for event, truth in zip(session.events, session.truths, strict=True)
    ]
    write_text(path, "".join(f"{line}\n" for line in lines))


def read_sessions(path: str | os.PathLike[str]) -> list[Session]:
    """Read the sessions of an event log, each with its player, in the order in which they begin.

    A log contains neither phases nor inputs; keep the recording if you need them. A line that cannot be read
    raises a ``TelosError`` that names it.
    """
    found: dict[tuple[str, str, bool], tuple[list[Event], list[str | None]]] = {}
    for row in read_log(path):
        events, truths = found.setdefault((*row.sequence, row.human), ([], []))
        events.append(row.event)
        truths.append(row.truth)
    return [
        Session(tuple(events), tuple(truths), name=session, human=human)
        for (_, session, human), (events, truths) in found.items()
    ]


def _line(session: Session, event: Event, truth: str | None) -> dict[str, Any]:
    said = event_to_data(event)
    about: dict[str, Any] = {"session": session.name} if session.name else {}
    human = {"human": True} if session.human else {}
    return {"player": said.pop("player"), **about, **said, "truth": truth, **human}
