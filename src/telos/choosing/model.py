"""A world model: what a character believes will happen if it acts, as far ahead as it cares to think."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from telos.choosing.choose import check_goals
from telos.choosing.discontentment import discontentment
from telos.choosing.outcomes import changed, drifted
from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import TelosError
from telos.core.goal import Goal
from telos.core.state import State
from telos.core.values import Value


@dataclass(frozen=True, slots=True, init=False)
class WorldModel:
    """A state, the goals as insistent as they are in it, and the actions there are.

    Resources such as the crystals in a wand are variables of the state. Promises count for nothing here: looking ahead
    sees the later action that keeps them.

    >>> mage = WorldModel(
    ...     [Action("fireball", preconditions="crystals >= 3", effects="crystals -= 3", changes={"kill-ogre": -2}),
    ...      Action("lesser-healing", preconditions="crystals >= 2", effects="crystals -= 2", changes={"heal": -2})],
    ...     [Goal("heal", 4), Goal("kill-ogre", 3)],
    ...     state={"crystals": 5},
    ... )
    >>> after = mage.after(mage.actions[0])
    >>> after.state["crystals"], after.discontentment, [action.name for action in after.possible]
    (2, 17.0, ['lesser-healing'])
    """

    actions: tuple[Action, ...]
    goals: tuple[Goal, ...]
    state: State

    def __init__(
        self, actions: Iterable[Action], goals: Iterable[Goal], state: Mapping[str, Value] | State | None = None
    ) -> None:
        object.__setattr__(self, "actions", tuple(actions))
        object.__setattr__(self, "goals", tuple(goals))
        object.__setattr__(self, "state", State.of(state or {}))
        check_goals(self.goals)
        for action in self.actions:
            if action.parameters:
                names = ", ".join(action.parameters)
                raise TelosError(f"action {action.name!r} leaves open {names}", "looking ahead needs complete actions")

    @classmethod
    def of(cls, domain: Domain, state: Mapping[str, Value] | None = None) -> "WorldModel":
        """Return the model of a domain: all its actions and its objects', its goals, and ``state`` to start from."""
        return cls(domain.all_actions, domain.goals, domain.state(state))

    @property
    def discontentment(self) -> float:
        """Return how discontent the character is."""
        return discontentment(self.goals)

    @property
    def possible(self) -> tuple[Action, ...]:
        """Return the actions that the state allows, in the order given."""
        return tuple(action for action in self.actions if action.is_possible(self.state))

    def after(self, action: Action) -> "WorldModel":
        """Return the model once ``action`` is done."""
        goals = (
            goal.at(
                changed(goal, by, 0.0) if (by := action.changes.get(goal.name, 0.0)) else drifted(goal, action.duration)
            )
            for goal in self.goals
        )
        return replace(self, goals=tuple(goals), state=action.result(self.state))
