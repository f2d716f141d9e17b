"""Outcomes of commands as data, which sensors read, with a text for people."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class OutcomeKind(StrEnum):
    """How a command ended."""

    DONE = "done"
    FAILED = "failed"  # without an obstacle
    BLOCKED = "blocked"  # by a shut door or a low obstacle
    STUCK = "stuck"  # another fighter holds the door


@dataclass(frozen=True, slots=True)
class ActOutcome:
    """The end of a command: its kind, the door or low obstacle that stopped it, and the reason as text."""

    kind: OutcomeKind
    text: str = ""
    obstacle: str = ""
    is_low: bool = False  # the obstacle is a low one
    locked: bool = False
    kicked: bool = False  # the door was kicked and did not open


DONE = ActOutcome(OutcomeKind.DONE)


def failed(text: str) -> ActOutcome:
    """Return a failure that is not caused by an obstacle."""
    return ActOutcome(OutcomeKind.FAILED, text)


def blocked_by_door(door: str, *, locked: bool) -> ActOutcome:
    """Return the failure of a walk at a shut door."""
    return ActOutcome(OutcomeKind.BLOCKED, f"{door} is {'locked' if locked else 'closed'}", door, locked=locked)


def blocked_by_low(obstacle: str) -> ActOutcome:
    """Return the failure of a walk at an obstacle that this body cannot pass."""
    return ActOutcome(OutcomeKind.BLOCKED, f"{obstacle} is in the way", obstacle, is_low=True)


def stuck(door: str, *, kicked: bool) -> ActOutcome:
    """Return the failure to open a door that another fighter holds shut."""
    return ActOutcome(OutcomeKind.STUCK, f"{door} {'holds' if kicked else 'will not open'}", door, kicked=kicked)


def saved_outcomes(doors: Iterable[str], lows: Iterable[str]) -> dict[str, ActOutcome]:
    """Return the possible outcomes with obstacles on a map, by the text that stands for them in a saved game.

    The texts of these outcomes are part of the save format. Any other text is a plain failure.
    """
    found = [DONE, *(blocked_by_low(name) for name in lows)]
    for door in doors:
        found += (blocked_by_door(door, locked=locked) for locked in (False, True))
        found += (stuck(door, kicked=kicked) for kicked in (False, True))
    return {outcome.text: outcome for outcome in found}
