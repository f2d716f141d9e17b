"""Plans, and the answer that there is none."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from telos.core.action import Action
from telos.core.conditions import Condition


class Stop(Enum):
    """Why a search ended without a plan."""

    UNREACHABLE = "no sequence of actions reaches the goal"
    BUDGET_SPENT = "the search used up its budget"
    MEMORY_SPENT = "the search filled the memory that searches may use"


@dataclass(frozen=True, slots=True)
class Plan:
    """A sequence of actions that reaches a goal; empty if the goal holds already.

    ``explain`` says what each step is for; only ``why()`` calls it.
    """

    steps: tuple[Action, ...]
    cost: float
    goal: str
    expanded: int = field(default=0, compare=False)
    explain: Callable[["Plan"], str] | None = field(default=None, compare=False, repr=False)

    @property
    def found(self) -> bool:
        """True; false for ``NoPlan``."""
        return True

    def why(self) -> str:
        """Return what each step is for, in words."""
        if self.explain is not None:
            return self.explain(self)
        order = ", then ".join(step.name for step in self.steps)
        return f"{self.goal}: {order or 'nothing to do, it holds already'} (cost {self.cost:g})"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a plan would need, as conditions and in words."""

    missing: tuple[Condition, ...]
    said: str


@dataclass(frozen=True, slots=True)
class NoPlan:
    """No plan was found, and why: an expected answer, not an error.

    ``partial`` is the sequence that came closest, by the estimate of the search, when the budget ran out. ``diagnose``
    finds out what is missing; only ``why()`` and ``missing`` call it.
    """

    goal: str
    stop: Stop
    expanded: int = field(default=0, compare=False)
    partial: tuple[Action, ...] = ()
    diagnose: Callable[["NoPlan"], "Diagnosis"] | None = field(default=None, compare=False, repr=False)

    @property
    def found(self) -> bool:
        """False; true for ``Plan``."""
        return False

    @property
    def steps(self) -> tuple[Action, ...]:
        """Return no steps, so that a loop over the steps of an answer needs no check."""
        return ()

    @property
    def cost(self) -> float:
        """Return infinity."""
        return math.inf

    @property
    def missing(self) -> tuple[Condition, ...]:
        """Return the conditions that would have to hold for a plan to exist, as far as they are known."""
        return self.diagnose(self).missing if self.diagnose is not None else ()

    def why(self) -> str:
        """Return which condition cannot be met, and what comes closest, in words."""
        return self.diagnose(self).said if self.diagnose is not None else f"{self.goal}: {self.stop.value}"


Answer: TypeAlias = Plan | NoPlan
