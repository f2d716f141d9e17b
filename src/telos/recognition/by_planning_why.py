"""Why a reader by planning believes what it does, in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.recognition.by_planning_model import PlanModel
from telos.recognition.by_planning_pursuit import Pursuit


@dataclass(frozen=True, slots=True)
class Notes:
    """What is to be said about the last event."""

    first: str
    more: tuple[str, ...] = ()
    is_noise: bool = False

    def adding(self, said: str, *, is_noise: bool = False) -> "Notes":
        """Return the notes with one more."""
        return Notes(self.first, (*self.more, said), self.is_noise or is_noise)

    def lines(self, model: PlanModel, pursuits: Mapping[int, Pursuit]) -> tuple[str, ...]:
        """Return the notes, and what holds of the goals: which are out of reach, not worked out, or the same."""
        found = [self.first, *self.more]
        lost = [model.goals[k] for k, same in enumerate(model.same) if pursuits[same].is_out_of_reach]
        if lost:
            found.append(f"cannot be reached from here: {', '.join(lost)}")
            if len(lost) == len(model.goals):
                found.append("that goes for every goal, so the belief says only what each had cost")
        found += [f"{name}: so far; its search ran out of budget" for name in _dear(model, pursuits)]
        return (*found, *model.equals)

    def save(self) -> list[Any]:
        """Return it as plain data."""
        return [self.first, list(self.more), self.is_noise]

    @classmethod
    def of(cls, saved: list[Any]) -> "Notes":
        """Return the notes that were saved."""
        return cls(saved[0], tuple(saved[1]), saved[2])


def _dear(model: PlanModel, pursuits: Mapping[int, Pursuit]) -> list[str]:
    return [model.goals[k] for k, same in enumerate(model.same) if pursuits[same].is_dear]


@dataclass(frozen=True, slots=True)
class Account:
    """How one goal stands: its belief, what was wasted on it, and the way that is still to go (None: not known)."""

    goal: str
    belief: float
    wasted: float
    to_go: float | None
    steps: tuple[str, ...]
    is_known: bool

    def __str__(self) -> str:
        at_least = "" if self.is_known else "at least "
        said = f"{self.goal} {self.belief:.0%}: {at_least}{self.wasted:.4g} wasted"
        if not self.is_known or self.to_go is None:
            return f"{said}; not worked out from here"
        if self.to_go == float("inf"):
            return f"{said}; cannot be reached from here"
        way = ", ".join(self.steps) or "it holds"
        return f"{said}; {self.to_go:.4g} to go: {way}"


@dataclass(frozen=True, slots=True)
class PlanReasons:
    """Why one goal is believed more than another, and how all of them stand, the likeliest first."""

    goal: str
    over: str | None
    accounts: tuple[Account, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        """Say it in lines."""
        accounts = {each.goal: each for each in self.accounts}
        lines = []
        if self.over is not None:
            more = accounts[self.over].wasted - accounts[self.goal].wasted
            lines = [f"{self.goal} over {self.over}: {abs(more):.4g} {'less' if more >= 0 else 'more'} wasted"]
        return "\n".join([*lines, *(f"  {each}" for each in self.accounts), *self.notes])


def reasons(belief: Belief, pursuits: Mapping[str, Pursuit], goal: str | None, over: str | None) -> PlanReasons:
    """Return why ``goal`` (the likeliest) is believed more than ``over`` (the next)."""
    ranked = sorted(pursuits, key=lambda name: -belief[name])
    for said in (goal, over):
        if said is not None and said not in pursuits:
            raise TelosError(f"unknown goal {said!r}", name_hint(said, pursuits))
    goal = goal or next(name for name in ranked if name != over or len(ranked) == 1)
    over = over or next((name for name in ranked if name != goal), None)
    return PlanReasons(goal, over, tuple(_account(name, belief, pursuits[name]) for name in ranked), belief.reasons)


def _account(name: str, belief: Belief, pursuit: Pursuit) -> Account:
    steps = tuple(map(str, pursuit.steps)) if pursuit.is_known else ()
    return Account(name, belief[name], pursuit.wasted, pursuit.to_go, steps, pursuit.is_known)
