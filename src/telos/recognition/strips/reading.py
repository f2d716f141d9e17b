"""What recognition by planning answers: a belief, the goals that are returned, and what they would cost."""

from dataclasses import dataclass

from telos.core.belief import Belief


@dataclass(frozen=True, slots=True)
class GoalCost:
    """What a goal costs at the cheapest, and at the cheapest with everything that was observed.

    Both are exact if ``is_exact``, and otherwise as good as bounds and the budget made them. ``detour`` is what it
    would cost on the average to do without one of the observed actions: high if the goal needs them.
    """

    best: float
    seen: float
    detour: float
    is_exact: bool

    @property
    def extra(self) -> float:
        """Return what following the observations costs more than the best way."""
        return self.seen - self.best if self.best < float("inf") else float("inf")


@dataclass(frozen=True, slots=True)
class PlanReading:
    """A belief about the goal of somebody whose actions were seen, in part.

    ``chosen`` are the numbers of the goals that are about as likely as the likeliest. ``complete`` says that no further
    search can change them; if it is False, the belief is the best so far. ``notes`` say what was odd about the input.
    """

    belief: Belief
    chosen: tuple[int, ...]
    costs: tuple[GoalCost, ...]
    complete: bool
    notes: tuple[str, ...] = ()
    spent: int = 0  # of the budget, by searches

    def why(self) -> str:
        """Say in words what speaks for each goal, the likeliest first."""
        ranked = sorted(zip(self.belief.items(), self.costs, strict=True), key=lambda each: -each[0][1])
        lines = [_said(name, chance, cost) for (name, chance), cost in ranked]
        state = "no search can change the choice" if self.complete else "so far: the budget ended before all was proved"
        return "\n".join([*lines, state, *self.notes])


def _said(name: str, chance: float, cost: GoalCost) -> str:
    if cost.best == float("inf"):
        return f"{chance:6.1%}  {name}: cannot be reached"
    if cost.seen == float("inf"):
        return f"{chance:6.1%}  {name}: cannot be reached after what was seen"
    about = "" if cost.is_exact else "about "
    return (
        f"{chance:6.1%}  {name}: costs {about}{cost.best:g}, with what was seen {about}{cost.seen:g}; "
        f"to do without one of the actions seen, {cost.detour:.1f} more"
    )
