"""Scoring: at each update, whether the goal that a method believes in is the one that the player was given."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.forward import Chances, forward
from telos.recognition.model import Evidence, GoalModel
from telos.recognition.pulse import Pulse
from telos.recognition.reader import Reader
from telos.recognition.recognizer import Recognizer

SOON = 10  # updates; what a method is worth just after a goal has changed


@dataclass(frozen=True, slots=True)
class Reading:
    """One run as several methods read it, side by side, at the updates of one clock."""

    truths: tuple[str, ...]
    beliefs: Mapping[str, tuple[Chances, ...]]  # by method, in the order of the goals
    goals: tuple[str, ...]

    def tops(self, method: str) -> tuple[str, ...]:
        """Return the goal that a method took to be likeliest, at each update."""
        return tuple(self.goals[top(chances)] for chances in self.beliefs[method])

    def tally(self, method: str) -> "Tally":
        """Return how often a method was right, and when."""
        return tally(self.truths, self.tops(method))


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a method was right in one run: in all, by goal, and in the first updates after a goal changed.

    ``delays`` are the updates from each change of goal until the method was right about it; if it never was, all
    updates of the phase.
    """

    right: int
    updates: int
    by_goal: Mapping[str, tuple[int, int]]  # right, updates
    soon: tuple[int, int]
    delays: tuple[int, ...]

    @property
    def accuracy(self) -> float:
        """Return the share of updates at which it was right."""
        return self.right / self.updates


def read(methods: Mapping[str, Recognizer], moments: Iterable[tuple[Event, str | None]], *, clock: str) -> Reading:
    """Let all methods read a run, and look at them whenever the one called ``clock`` has made an update.

    A moment is an event and the goal that the player had been given by then; those without a goal are read and not
    scored.
    """
    timer = methods[clock]
    if not isinstance(timer, Reader):
        raise TelosError(f"{clock!r} has no clock to score by", "name a method that is a Reader")
    if any(set(each.goals) != set(timer.goals) for each in methods.values()):
        raise TelosError("methods are compared on the same goals", "give them models of one game")
    truths: list[str] = []
    beliefs: dict[str, list[Chances]] = {name: [] for name in methods}
    for event, truth in moments:
        before = timer.updates
        said = [each.observe(event) for each in methods.values()]
        if timer.updates == before or truth is None:
            continue
        truths.append(truth)
        for name, belief in zip(methods, said, strict=True):
            beliefs[name].append(tuple(belief[goal] for goal in timer.goals))
    _refuse_nothing(truths)
    return Reading(tuple(truths), {name: tuple(each) for name, each in beliefs.items()}, timer.goals)


def tally(truths: Sequence[str], tops: Sequence[str]) -> Tally:
    """Count where what was believed is what was true.

    >>> seen = tally(["level", "level", "town", "town"], ["level", "town", "level", "town"])
    >>> seen.accuracy, seen.by_goal["town"], seen.delays
    (0.5, (1, 2), (1,))
    """
    _refuse_nothing(truths)
    hits = [truth == believed for truth, believed in zip(truths, tops, strict=True)]
    by_goal = {
        goal: (sum(hit for hit, truth in zip(hits, truths, strict=True) if truth == goal), list(truths).count(goal))
        for goal in dict.fromkeys(truths)
    }
    starts = changes(truths)
    phases = [hits[start:end] for start, end in pairwise([*starts, len(truths)])]
    first = [phase[:SOON] for phase in phases]
    delays = tuple(_until_right(phase) for phase in phases)
    return Tally(sum(hits), len(hits), by_goal, (sum(map(sum, first)), sum(map(len, first))), delays)


def changes(truths: Sequence[str]) -> list[int]:
    """Return the updates at which the goal is another than at the update before."""
    return [now for now in range(1, len(truths)) if truths[now] != truths[now - 1]]


def _until_right(hits: Sequence[bool]) -> int:
    return next((delay for delay, hit in enumerate(hits) if hit), len(hits))


def evidence_of(
    model: GoalModel, moments: Iterable[tuple[Event, str | None]]
) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """Return what a model takes each update of a run to say, with the truths: all that filtering needs."""
    pulse = Pulse(model)
    found = [(pulse.evidence(event), truth) for event, truth in moments]
    counted = [(evidence, truth) for evidence, truth in found if evidence is not None and truth is not None]
    _refuse_nothing(counted)
    return tuple(evidence for evidence, _ in counted), tuple(truth for _, truth in counted)


def filtered_accuracy(model: GoalModel, moments: Iterable[tuple[Event, str | None]]) -> float:
    """Return how often a model alone is right, at its own updates."""
    evidences, truths = evidence_of(model, moments)
    steps = forward(model.prior, evidences)
    return share_right(model.goals, [after for _, after, _ in steps], truths)


def share_right(goals: Sequence[str], beliefs: Sequence[Chances], truths: Sequence[str]) -> float:
    """Return the share of beliefs whose likeliest goal is the true one."""
    hits = [goals[top(chances)] == truth for chances, truth in zip(beliefs, truths, strict=True)]
    return sum(hits) / len(hits)


def top(chances: Chances) -> int:
    """Return the place of the likeliest goal; of several, the first, as beliefs have it."""
    return chances.index(max(chances))


def _refuse_nothing(counted: Sequence[object]) -> None:
    if not counted:
        raise TelosError("nothing to score: no update of the clock falls into a phase with a given goal")
