"""Protocols of recognition (``Recognizer``, ``Learner``, ``GoalModel``), trace records, and what recognisers save.

``ModelReader`` is a base of recognisers with a model.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from telos.core.belief import Belief
from telos.core.errors import DefinitionError, TelosError
from telos.core.event import Event
from telos.core.values import check_name
from telos.files.snapshots import Finite, SnapshotModel, snapshot_error
from telos.recognition.distributions import complete_distribution


class Recognizer(Protocol):
    """Observes the events of one player and keeps a belief over the player's goals."""

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals that the belief is about."""

    @property
    def belief(self) -> Belief:
        """The current belief; it exists before the first event, and reading it changes nothing."""

    def observe(self, event: Event) -> Belief:
        """Update the belief with an event, and return it."""

    def reset(self) -> None:
        """Return to the belief before the first event."""


class _HasGoals(Protocol):
    @property
    def goals(self) -> tuple[str, ...]: ...


Model = TypeVar("Model", bound=_HasGoals)


class ModelReader(Generic[Model]):
    """A base of recognisers with a model: their goals are its goals, and they keep their belief between events."""

    model: Model
    _belief: Belief

    @property
    def goals(self) -> tuple[str, ...]:
        return self.model.goals

    @property
    def belief(self) -> Belief:
        """The current belief."""
        return self._belief


class Learner(Recognizer, Protocol):
    """A recogniser that can be trained on events whose goal is known."""

    def learn(self, event: Event, goal: str) -> None:
        """Learn from an event of a player who pursued ``goal``; the belief does not change."""


Matrix: TypeAlias = tuple[tuple[float, ...], ...]  # row i, column j: the chance that goal j follows goal i


class Measured(NamedTuple):
    """One measured value of an event as evidence: its log-density under each goal is part of the likelihood."""

    name: str  # of the measure
    text: str  # the value in words: "speed 2.5 cells/s"
    log_densities: tuple[float, ...]


class Evidence(NamedTuple):
    """The evidence of one event: how goals change before it, and its likelihood under each goal.

    Everything but the goal is known to the game, so whatever a model depends on (monsters near, a chest just taken) is
    settled by the event's context. One matrix and one vector are left, for authored and trained models alike.
    """

    transition: Matrix
    likelihood: tuple[float, ...]  # the chance of the observation under each goal
    seen: str  # the name of the observation: "swing_still", "approach_town"
    measured: tuple[Measured, ...] = ()  # continuous observations, whose densities are in the likelihood already


class GoalModel(Protocol):
    """A model of how players with a goal behave. It holds no belief, so recognisers of many players may share it."""

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals, in the order of every vector and matrix."""

    @property
    def prior(self) -> tuple[float, ...]:
        """The chance of each goal before the first event."""

    def evidence(self, event: Event) -> Evidence | None:
        """Return the evidence of an event; None if the model's clock does not count it.

        An unknown action or context entry raises a ``TelosError`` that names it.
        """


class Reason(NamedTuple):
    """One cause of a belief as data: what was seen, and what it added to the log-odds of one goal over another."""

    cause: str  # the name of an observation, a formula, a step of a plan; or one of the two below
    log_odds: float | None = None  # None: the recogniser does not work by sums of evidence
    times: int = 1  # how often it was seen


EARLIER = "earlier"  # the cause of all evidence before the stretch that is explained
CHANGED = "changed"  # the cause of what is lost or won because goals may have changed meanwhile


@dataclass(frozen=True, slots=True)
class BeliefUpdated:
    """Trace record: an event was counted and the belief updated."""

    KIND: ClassVar[str] = "weighed"

    time: float
    player: str
    seen: str
    chances: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class EventIgnored:
    """Trace record: no goal allows the observation, so only the transition changed the belief."""

    KIND: ClassVar[str] = "ignored"

    time: float
    player: str
    seen: str


# --- saved recognisers ------------------------------------------------------------------------------------------------


class PlayerSnapshot(SnapshotModel):
    """What every recogniser saves: the player that it follows and the time of the last event, or None for both."""

    player: str | None
    time: Finite | None


def saved_time(of: str, saved: PlayerSnapshot) -> float:
    """Return the time of the last event, -inf if there was none; a time needs a player and a player a time."""
    if (saved.player is None) != (saved.time is None):
        raise snapshot_error(of, ("time",), f"is {saved.time}, and the player is {saved.player!r}")
    return -math.inf if saved.time is None else saved.time


def check_saved_goals(of: str, saved: Sequence[str], goals: Sequence[str]) -> None:
    """Refuse a belief about other goals than those of the model, or about the same in another order."""
    if list(saved) != list(goals):
        raise snapshot_error(
            of,
            ("goals",),
            f"are {', '.join(saved)}, and those of the model are {', '.join(goals)}",
            "resume it with the model that it was saved with, or start anew: a belief about other goals cannot be kept",
        )


# --- checks of a model's parts ----------------------------------------------------------------------------------------


RESERVED_GOALS = ("others", "any", "random")  # words of recogniser files


def check_goals(goals: Iterable[str]) -> tuple[str, ...]:
    """Return the goals as a tuple; refuse none, duplicates and reserved names."""
    found = tuple(check_name("goal", goal) for goal in goals)
    if not found:
        raise TelosError("a model needs at least one goal")
    if len(set(found)) < len(found):
        raise TelosError(f"a goal is listed twice in {', '.join(found)}", "name each once")
    for word in RESERVED_GOALS:
        if word in found:
            raise TelosError(f"{word!r} cannot be a goal", "choose another name: files reserve it")
    return found


def check_prior(prior: Mapping[str, float] | Sequence[float] | None, goals: Sequence[str]) -> tuple[float, ...]:
    """Return the prior as a tuple in the order of the goals; None means equal chances.

    >>> check_prior(None, ("level", "explore"))
    (0.5, 0.5)
    """
    if prior is None:
        return (1.0 / len(goals),) * len(goals)
    if not isinstance(prior, Mapping):
        if len(prior) != len(goals):
            raise TelosError(f"the prior has {len(prior)} chances for {len(goals)} goals", "give one for each")
        prior = dict(zip(goals, prior, strict=True))
    chances, faults = complete_distribution(prior, goals, "goal", share=False)
    if faults:
        raise DefinitionError([fault.at("prior") for fault in faults])
    given = tuple(float(prior.get(goal, 0.0)) for goal in goals)
    return given if math.fsum(given) == 1.0 else chances  # so that a saved prior is loaded bit for bit
