"""Recognizer, Learner, GoalModel protocols and trace records."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol, TypeAlias

from telos.core.belief import Belief
from telos.core.errors import DefinitionError, TelosError
from telos.core.event import Event
from telos.core.values import check_name
from telos.recognition.distributions import complete_distribution

# --- recognizer -------------------------------------------------------------------------------------------------------
# What every recogniser can do, so that games, studies and services can use any of them.


class Recognizer(Protocol):
    """Reads one player: event by event, it keeps a belief about the goal that is being pursued."""

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals that it tells apart."""

    @property
    def belief(self) -> Belief:
        """The belief now; there is one before the first event, and reading it changes nothing."""

    def observe(self, event: Event) -> Belief:
        """Take in what the player did, and return the new belief."""

    def reset(self) -> None:
        """Forget the player, and start with the belief before the first event."""


class Learner(Recognizer, Protocol):
    """A recogniser that can be trained while the player's goal is known."""

    def learn(self, event: Event, goal: str) -> None:
        """Take in what a player did who was known to pursue ``goal``; no history is kept."""


# --- model ------------------------------------------------------------------------------------------------------------
# What every goal model says about an event: how goals change before it, and how likely each goal makes it.
#
# Everything but the player's mind is known to the game. So whatever a model depends on (monsters near, a chest just
# taken, which way the town is) is settled by the event's context, and what is left is one matrix and one vector: the
# same
# small sum for hand-written models and trained ones.


Matrix: TypeAlias = tuple[tuple[float, ...], ...]  # row i, column j: the chance that goal i is followed by goal j


class Evidence(NamedTuple):
    """What one event says about the goals, given what the game knew."""

    transition: Matrix
    likelihood: tuple[float, ...]  # the chance of what was seen under each goal
    seen: str  # what was seen, as the model calls it: "swing_still", "approach_town"


class GoalModel(Protocol):
    """A model of how players with a goal behave. It holds no belief, so any number of players may share it."""

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals, in the order of every vector and matrix."""

    @property
    def prior(self) -> tuple[float, ...]:
        """The chance of each goal before anything was seen."""

    def evidence(self, event: Event) -> Evidence | None:
        """Return what an event says; None if the model's clock does not count it.

        An action or a context that the model does not know raises a ``TelosError`` that names it.
        """


# --- records ----------------------------------------------------------------------------------------------------------
# What a reader tells those who watch it.


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


# --- goals ------------------------------------------------------------------------------------------------------------
# The goals of a model and how likely each is at first, checked once.


def check_goals(goals: Iterable[str]) -> tuple[str, ...]:
    """Return the goals, if a model can tell them apart."""
    found = tuple(check_name("goal", goal) for goal in goals)
    if not found:
        raise TelosError("a model needs at least one goal")
    if len(set(found)) < len(found):
        raise TelosError(f"a goal stands twice in {', '.join(found)}", "name each once")
    if "any" in found or "others" in found:
        raise TelosError("no goal can be called 'any' or 'others': in rows of transitions they mean something else")
    return found


def check_prior(prior: Mapping[str, float] | Sequence[float] | None, goals: Sequence[str]) -> tuple[float, ...]:
    """Return the chance of each goal before anything was seen; even if nobody says.

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
    return given if math.fsum(given) == 1.0 else chances  # saved and read again, a prior stays the same to the bit
