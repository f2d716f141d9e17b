"""The goals of a model and how likely each is at first, checked once."""

import math
from collections.abc import Iterable, Mapping, Sequence

from telos.core.errors import DefinitionError, TelosError
from telos.core.values import checked_name
from telos.recognition.sharing import shared_out


def checked_goals(goals: Iterable[str]) -> tuple[str, ...]:
    """Return the goals, if a model can tell them apart."""
    found = tuple(checked_name("goal", goal) for goal in goals)
    if not found:
        raise TelosError("a model needs at least one goal")
    if len(set(found)) < len(found):
        raise TelosError(f"a goal stands twice in {', '.join(found)}", "name each once")
    if "any" in found or "others" in found:
        raise TelosError("no goal can be called 'any' or 'others': in rows of transitions they mean something else")
    return found


def checked_prior(prior: Mapping[str, float] | Sequence[float] | None, goals: Sequence[str]) -> tuple[float, ...]:
    """Return the chance of each goal before anything was seen; even if nobody says.

    >>> checked_prior(None, ("level", "explore"))
    (0.5, 0.5)
    """
    if prior is None:
        return (1.0 / len(goals),) * len(goals)
    if not isinstance(prior, Mapping):
        if len(prior) != len(goals):
            raise TelosError(f"the prior has {len(prior)} chances for {len(goals)} goals", "give one for each")
        prior = dict(zip(goals, prior, strict=True))
    chances, faults = shared_out(prior, goals, "goal", share=False)
    if faults:
        raise DefinitionError([fault.at("prior") for fault in faults])
    given = tuple(float(prior.get(goal, 0.0)) for goal in goals)
    return given if math.fsum(given) == 1.0 else chances  # saved and read again, a prior stays the same to the bit
