"""Which goal: those that are relevant, by priority, and what sets a mind thinking about that again."""

from collections.abc import Iterable

from telos.core.expressions import names
from telos.core.goal import Goal
from telos.core.state import Layout, State
from telos.core.values import Value


class Arbiter:
    """Puts a character's goals in line.

    >>> from telos.core.values import Variable
    >>> layout = Layout([Variable("shot_at", "bool"), Variable("looked_round", "bool")])
    >>> cover = Goal("cover", wants="not shot_at", relevant="shot_at", priority=5)
    >>> arbiter = Arbiter([Goal("patrol", wants="looked_round"), cover], layout)
    >>> [goal.name for goal in arbiter.in_line(layout.state({"shot_at": True}))]
    ['cover', 'patrol']
    """

    def __init__(self, goals: Iterable[Goal], layout: Layout) -> None:
        self.goals = tuple(goal for goal in goals if goal.wants is not None)
        conditions = [each for goal in self.goals for each in (goal.relevant, goal.wants) if each is not None]
        read = frozenset[str]().union(*(names(each.expression) for each in conditions))
        self._flags = tuple(layout.slots[name] for name in read if name in layout.slots)

    def in_line(self, state: State, current: str | None = None) -> list[Goal]:
        """Return the goals that are relevant now by priority; of equals the current one, then as they are listed."""
        relevant = [goal for goal in self.goals if goal.relevant.holds(state)]
        relevant.sort(key=lambda goal: (-goal.priority, goal.name != current))
        return relevant

    def is_flagged(self, before: tuple[Value, ...], after: tuple[Value, ...]) -> bool:
        """Whether something has changed on which it depends that a goal matters, or that it holds already."""
        return any(before[slot] != after[slot] for slot in self._flags)
