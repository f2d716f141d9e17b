"""A player's play cut in time: first play and later play, each with a part to train on and a part to test on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from telos.core.event import Event
from telos.studies.humans.crafter_model import IDLE
from telos.studies.humans.plays import Play
from telos.studies.humans.scores import Taught

# Where the parts end, as shares of all scored rows. Episodes are not cut: each goes to the part that its middle is in.
ENDS = (0.3, 0.5, 0.8, 1.0)
FEWEST = 20  # lessons and scored rows; players with less in any part are left out


class Lesson(NamedTuple):
    """One key press of a player whose goal is known."""

    event: Event
    goal: str


@dataclass(frozen=True, slots=True)
class Career:
    """What one player did, from the first episode to the last."""

    player: str
    plays: tuple[Play, ...]
    first: tuple[Lesson, ...]
    first_test: tuple[Play, ...]
    later: tuple[Lesson, ...]
    later_test: tuple[Play, ...]
    trial: tuple[Lesson, ...]  # in the first two minutes, before the game began in earnest

    @property
    def amount(self) -> int:
        """Return how many lessons first and later play can both give."""
        return min(len(self.first), len(self.later))

    @property
    def is_long(self) -> bool:
        """Whether every part has enough in it."""
        tests = (self.first_test, self.later_test)
        return self.amount >= FEWEST and all(sum(map(scored, plays)) >= FEWEST for plays in tests)


def careers(plays: Iterable[Play]) -> list[Career]:
    """Return the career of each player, by name."""
    by_player: dict[str, list[Play]] = {}
    for play in plays:
        by_player.setdefault(play.player, []).append(play)
    return [_career(player, sorted(theirs, key=_session)) for player, theirs in sorted(by_player.items())]


def _career(player: str, plays: Sequence[Play]) -> Career:
    total, passed = max(1, sum(map(scored, plays))), 0
    parts: list[list[Play]] = [[] for _ in ENDS]
    for play in plays:
        middle = (passed + scored(play) / 2) / total
        passed += scored(play)
        parts[sum(middle >= end for end in ENDS[:-1])].append(play)
    trial = [lesson for lesson in lessons(plays) if lesson.event.context["phase"] == "trial"]
    first, first_test, later, later_test = map(tuple, parts)
    return Career(player, tuple(plays), lessons(first), first_test, lessons(later), later_test, tuple(trial))


def lessons(plays: Iterable[Play]) -> tuple[Lesson, ...]:
    """Return every key press whose goal is known, in the order of time."""
    rows = (row for play in plays for row in play.rows)
    return tuple(Lesson(row.event, row.truth) for row in rows if row.truth is not None and row.event.action != IDLE)


def scored(play: Play) -> int:
    """Return how many rows of a sequence are scored."""
    return sum(row.is_scored for row in play.rows)


def drill(model: Taught, taught: Iterable[Lesson]) -> None:
    """Train what a model sees; what it learns about changes of goal is of no use, since the lessons are torn apart."""
    for event, goal in taught:
        model.learn(event, goal, goal)


def _session(play: Play) -> str:
    return play.session
