"""``MotiveMind``: chooses actions by least discontentment, and explains its choice.

It does not depend on any world: it is given the possible actions, their distances and the levels of its motives.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from telos.choosing.choose import Choice, check_goals, choose, levels_after, rated_changes
from telos.core.action import Action
from telos.core.goal import Goal
from telos.core.values import check_not_negative


@dataclass(frozen=True, slots=True)
class Decision:
    """A chosen action, the reason in one line, and the second-best action."""

    choice: Choice
    why: str
    runner_up: str | None

    @property
    def action(self) -> Action:
        return self.choice.action


class MotiveMind:
    """Chooses the next action by discontentment, and interrupts an action when a motive becomes urgent.

    >>> mind = MotiveMind([Goal("hunger"), Goal("fun")], urgent=8)
    >>> snack, play = Action("snack", changes={"hunger": -3}), Action("play", changes={"fun": -2})
    >>> decision = mind.decide([snack, play], {"hunger": 4, "fun": 3})
    >>> decision.action.name, decision.why, decision.runner_up
    ('snack', 'hunger 4.0 → 1.0', 'play')
    >>> mind.restless(play, {"hunger": 8.5, "fun": 3})
    'hunger 8.5 cannot wait'
    """

    def __init__(self, goals: Iterable[Goal], *, urgent: float = 8.0) -> None:
        self.goals = tuple(goals)
        check_goals(self.goals)
        self.urgent = check_not_negative("urgent", urgent)

    def decide(
        self,
        actions: Iterable[Action],
        levels: Mapping[str, float],
        *,
        drift: Mapping[str, float] | None = None,
        travel: Callable[[Action], float] | None = None,
    ) -> Decision:
        """Choose among ``actions`` at the present ``levels`` of the motives, which drift by ``drift``.

        Motives drift during every action, and least during a short one: by discontentment alone a tired person would
        wash their hands for ever. So actions that relieve no present motive are excluded, unless all are such.
        """
        rates = drift or {}
        felt = [
            replace(goal, insistence=levels[goal.name], drift=rates.get(goal.name, goal.drift)) for goal in self.goals
        ]
        choice = choose(_worthwhile(actions, felt), felt, travel=travel)
        return Decision(choice, reason(choice), _runner_up(choice))

    def restless(self, doing: Action, levels: Mapping[str, float]) -> str | None:
        """Return why to stop ``doing`` now, or None to continue.

        Either a motive that the action does not help is urgent, or all motives that it helps are satisfied.
        """
        changes = rated_changes(doing)
        for goal in self.goals:
            level = levels[goal.name]
            if level >= self.urgent and changes.get(goal.name, 0.0) >= 0:
                return f"{goal.name} {level:.1f} cannot wait"
        lowered = [levels[goal.name] for goal in self.goals if changes.get(goal.name, 0.0) < 0]
        return "had enough" if lowered and not any(lowered) else None

    def reconsider(self, doing: Action, decision: Decision) -> bool:
        """Whether ``decision`` is worth leaving ``doing`` for: it is something else, and helps what is urgent."""
        if decision.action.name == doing.name:
            return False
        now, after = rated_changes(doing), rated_changes(decision.action)
        pressing = [
            goal.name
            for goal in decision.choice.goals
            if goal.insistence >= self.urgent and now.get(goal.name, 0.0) >= 0
        ]
        return not pressing or any(after.get(name, 0.0) < 0 for name in pressing)


def reason(choice: Choice) -> str:
    """Name the motive that the chosen action relieves most, with its level before and after.

    >>> reason(choose([Action("wait")], [Goal("fun", 3)]))
    'nothing is pressing'
    """
    travel = next(travel for action, _, travel in choice.rated if action is choice.action)
    after = levels_after(choice.action, choice.goals, travel=travel)
    relief = {goal: goal.discontentment() - goal.discontentment(after[goal.name]) for goal in choice.goals}
    most = max(relief, key=relief.__getitem__)
    if relief[most] <= 0:
        return "nothing is pressing"
    return f"{most.name} {most.insistence:.1f} → {after[most.name]:.1f}"


def _worthwhile(actions: Iterable[Action], goals: Iterable[Goal]) -> list[Action]:
    """Keep the actions that lower a present motive, and those that change nothing: waiting is always possible."""
    options = list(actions)
    felt = frozenset(goal.name for goal in goals if goal.discontentment() > 0)
    kept = []
    for action in options:
        changes = rated_changes(action)
        if not changes or any(by < 0 and name in felt for name, by in changes.items()):
            kept.append(action)
    return kept or options


def _runner_up(choice: Choice) -> str | None:
    others = [(value, action.name) for action, value, _ in choice.rated if action is not choice.action]
    return min(others)[1] if others else None
