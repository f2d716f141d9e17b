"""How a command ends: the outcome as data, which sensors read, with a text for people."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class OutcomeKind(StrEnum):
    """What became of a command."""

    DONE = "done"
    FAILED = "failed"  # for a reason that nothing in the world reacts to
    BLOCKED = "blocked"  # a shut door or a low obstacle bars the way
    STUCK = "stuck"  # somebody holds the door


@dataclass(frozen=True, slots=True)
class ActOutcome:
    """The end of a command: its kind, the door or low obstacle that stopped it, and the reason in words."""

    kind: OutcomeKind
    text: str = ""
    obstacle: str = ""
    is_low: bool = False  # the obstacle can be crawled under
    locked: bool = False
    kicked: bool = False  # the door was kicked and held


DONE = ActOutcome(OutcomeKind.DONE)


def failed(text: str) -> ActOutcome:
    """Return a failure that nothing in the world reacts to."""
    return ActOutcome(OutcomeKind.FAILED, text)


def blocked_by_door(door: str, *, locked: bool) -> ActOutcome:
    """Return the failure at a shut door."""
    return ActOutcome(OutcomeKind.BLOCKED, f"{door} is {'locked' if locked else 'closed'}", door, locked=locked)


def blocked_by_low(obstacle: str) -> ActOutcome:
    """Return the failure at an obstacle that this body cannot walk through."""
    return ActOutcome(OutcomeKind.BLOCKED, f"{obstacle} is in the way", obstacle, is_low=True)


def stuck(door: str, *, kicked: bool) -> ActOutcome:
    """Return the failure to open a door that somebody holds."""
    return ActOutcome(OutcomeKind.STUCK, f"{door} {'holds' if kicked else 'will not open'}", door, kicked=kicked)


def saved_outcomes(doors: Iterable[str], lows: Iterable[str]) -> dict[str, ActOutcome]:
    """Return the outcomes with data that are possible on a map, by the text that stands for them in a saved game.

    The texts of these outcomes are part of the format of saved games. All other texts are plain failures.
    """
    found = [DONE, *(blocked_by_low(name) for name in lows)]
    for door in doors:
        found += (blocked_by_door(door, locked=locked) for locked in (False, True))
        found += (stuck(door, kicked=kicked) for kicked in (False, True))
    return {outcome.text: outcome for outcome in found}
