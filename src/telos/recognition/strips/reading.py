"""The result of recognition by planning: ``PlanReading``, with the costs behind it."""

from dataclasses import dataclass, field

from telos.core.belief import Belief


@dataclass(frozen=True, slots=True)
class GoalCost:
    """The optimal cost of a goal, without and with the observations.

    Both are exact if ``is_exact``, otherwise the cost of some plan, or a lower bound where none was sought. ``detour``
    is the mean extra cost of avoiding one of the observed actions: high if the goal needs them.
    """

    best: float
    seen: float
    detour: float | None  # None if it was not asked for
    is_exact: bool
    avoiding: float | None = None  # of a plan that does not explain the observations; only Ramírez and Geffner's method

    @property
    def extra(self) -> float:
        """The extra cost of a plan that explains the observations."""
        return max(0.0, self.seen - self.best) if self.best < float("inf") else float("inf")


@dataclass(frozen=True, slots=True)
class PlanReading:
    """The result of recognition: the belief over the candidate goals, and why.

    ``chosen`` are the indices of the goals that are about as likely as the likeliest. ``complete`` says that no further
    search can change them; otherwise the belief is the best so far. ``notes`` report problems of the input.
    """

    belief: Belief
    chosen: tuple[int, ...]
    costs: tuple[GoalCost, ...]
    complete: bool
    notes: tuple[str, ...] = ()
    spent: int = field(default=0, compare=False)  # microseconds, or work if that is counted

    def why(self) -> str:
        """Return the costs of each goal in lines, the likeliest first."""
        ranked = sorted(zip(self.belief.items(), self.costs, strict=True), key=lambda each: -each[0][1])
        lines = [_describe_goal(name, chance, cost) for (name, chance), cost in ranked]
        state = "no search can change the choice" if self.complete else "so far: the budget ended before all was proved"
        return "\n".join([*lines, state, *self.notes])


def _describe_goal(name: str, chance: float, cost: GoalCost) -> str:
    if cost.best == float("inf"):
        return f"{chance:6.1%}  {name}: cannot be reached"
    if cost.seen == float("inf"):
        return f"{chance:6.1%}  {name}: cannot be reached after what was seen"
    about = "" if cost.is_exact else "about "
    costs = f"{chance:6.1%}  {name}: costs {about}{cost.best:g}, with what was seen {about}{cost.seen:g}"
    if cost.avoiding is None:
        return (
            costs if cost.detour is None else f"{costs}; to do without one of the actions seen, {cost.detour:.1f} more"
        )
    if cost.avoiding == float("inf"):
        return f"{costs}; impossible in another way"
    return f"{costs}, in another way {about}{cost.avoiding:g}"
