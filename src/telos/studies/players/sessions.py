"""Sessions: a game that was played, as inputs that replay it and as events with the goal that was pursued."""

from dataclasses import dataclass
from typing import NamedTuple

from telos.core.event import Event
from telos.studies.players.player import Player
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.recording import Recording

FIVE_MINUTES = 9_000  # frames


class Phase(NamedTuple):
    """A stretch of a game in which one goal was given: its events are ``events[start:end]``."""

    goal: str | None
    round: str
    start: int
    end: int
    frames: int
    is_done: bool  # False if the game was over before the goal was reached


@dataclass(frozen=True, slots=True)
class Session:
    """A game that was played. ``truths`` holds the goal that was given at each event, None where there was none."""

    recording: Recording
    events: tuple[Event, ...]
    truths: tuple[str | None, ...]
    phases: tuple[Phase, ...] = ()
    is_done: bool = True  # all phases were played to their end
    name: str = ""
    human: bool = False


def play(adventure: Adventure, player: Player, *, max_frames: int = 4 * FIVE_MINUTES, name: str = "") -> Session:
    """Let a player play until all phases are over, or for so many frames."""
    events: list[Event] = []
    truths: list[str | None] = []
    phases: list[Phase] = []
    start_frame = start = 0
    for _ in range(max_frames):
        if adventure.done:
            break
        given, number, round_ = adventure.truth, adventure.view().phase, adventure.round
        adventure.step({adventure.player: player.input(adventure.view())})
        events += adventure.events
        truths += [given] * len(adventure.events)
        if adventure.done or adventure.view().phase != number:
            phases.append(Phase(given, round_, start, len(events), adventure.frame - start_frame, True))
            start, start_frame = len(events), adventure.frame
    if not adventure.done:
        phases.append(
            Phase(adventure.truth, adventure.round, start, len(events), adventure.frame - start_frame, False)
        )
    return Session(adventure.recording(), tuple(events), tuple(truths), tuple(phases), adventure.done, name)
