"""``Needs``: the levels of a mind's needs, which grow with time and fall when they are met.

A need is a goal with an insistence or a drift. Its level starts at the insistence and drifts. What lowers it is either
the ``changes`` of actions, or, if no action of the character changes it, that its condition holds.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from telos.core.action import Action
from telos.core.errors import TelosError, name_hint
from telos.core.expressions import functions_in
from telos.core.goal import Goal
from telos.core.state import State
from telos.core.values import check_finite, check_not_negative
from telos.files.restoring import LENIENT, SnapshotCheck
from telos.files.snapshots import Finite, SnapshotPart


@dataclass(slots=True)
class Level:
    """The level of a need at a time, from which it drifts; at None, it stands still until the mind thinks again."""

    value: float
    since: float | None = None

    def at(self, now: float, drift: float) -> float:
        """Return the level at ``now``; it never falls below zero."""
        if self.since is None:
            return self.value
        return max(0.0, self.value + drift * (now - self.since))


class LevelSnapshot(SnapshotPart):
    value: Finite
    since: Finite | None


class NeedsSnapshot(SnapshotPart):
    """What the needs of a mind save."""

    levels: dict[str, LevelSnapshot]
    now: Finite | None


class Needs:
    """The levels of the needs among a character's goals.

    A change is net, as in choosing: the level at the end of a step that changes it is the level at its begin, and the
    change. A need that no action lowers is met while its condition holds: its level is zero if it drifts upwards.

    >>> from telos.core.state import Layout
    >>> eat = Goal("eat", insistence=4, drift=0.5, wants="true")
    >>> needs = Needs([eat], [Action("snack", changes={"eat": -3})])
    >>> for now in (0.0, 2.0):
    ...     needs.advance(now, Layout([]).state())
    >>> needs["eat"]
    5.0
    >>> needs.finish(Action("snack", changes={"eat": -3}), since=1.0, now=2.0)
    >>> needs["eat"]
    1.5
    """

    def __init__(self, goals: Iterable[Goal], actions: Iterable[Action]) -> None:
        self._goals = {goal.name: goal for goal in goals if goal.is_need and goal.wants is not None}
        lowered = {name for action in actions for name, by in action.changes.items() if by < 0}
        self._met_by_condition = tuple(
            goal
            for goal in self._goals.values()
            if goal.name not in lowered
            and goal.drift > 0
            and goal.wants is not None
            and not functions_in(goal.wants.expression)
        )
        self._levels = {name: Level(goal.insistence) for name, goal in self._goals.items()}
        self._lowered = lowered
        self.now: float | None = None  # when the levels were last brought up to date
        self.version = 0  # incremented whenever a level changes otherwise than by drifting
        self.drifts = any(goal.drift != 0 for goal in self._goals.values())

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the needs."""
        return iter(self._goals)

    def __len__(self) -> int:
        return len(self._goals)

    def __contains__(self, name: object) -> bool:
        return name in self._goals

    def __getitem__(self, name: str) -> float:
        """Return the level of a need when the mind last thought."""
        return self.level(name, self.now)

    def level(self, name: str, now: float | None) -> float:
        """Return the level that a need has at ``now`` if nothing but time changes it."""
        if name not in self._goals:
            raise TelosError(
                f"there is no need {name!r}", name_hint(name, self._goals) or "give the goal an insistence"
            )
        level = self._levels[name]
        return level.value if now is None else level.at(now, self._goals[name].drift)

    def advance(self, now: float, state: State) -> None:
        """Bring the levels up to date: needs whose condition holds are met, all others drift."""
        for level in self._levels.values():
            if level.since is None:
                level.since = now
        for goal in self._met_by_condition:
            if _holds(goal, state):
                self.version += self._levels[goal.name].value != 0.0
                self._levels[goal.name] = Level(0.0)
        self.now = now

    def change(self, name: str, by: float, *, now: float) -> None:
        """Raise or lower a need, because something happened; the mind compares its goals when it thinks again."""
        self.set(name, max(0.0, self.level(name, now) + check_finite(f"the change of {name!r}", by)), now=now)

    def set(self, name: str, level: float, *, now: float) -> None:
        """Give a need a level."""
        self.level(name, now)  # raises for an unknown name
        self._put(name, check_not_negative(f"the level of {name!r}", level), now)

    def finish(self, step: Action, *, since: float, now: float) -> None:
        """Apply the changes of a step that began at ``since`` and is done."""
        for name, by in step.changes.items():
            if name in self._goals and by:
                level = self._levels[name]
                begin = since if level.since is None else max(since, level.since)
                self._put(name, max(0.0, level.at(begin, self._goals[name].drift) + by), now)

    def reach(self, goal: Goal, now: float) -> None:
        """Note that a plan has reached a goal: one that no action lowers and that drifts upwards is met."""
        if goal.name in self._goals and goal.name not in self._lowered and goal.drift > 0:
            self._put(goal.name, 0.0, now)

    def _put(self, name: str, level: float, now: float) -> None:
        self._levels[name] = Level(level, now)
        self.version += 1

    # --- saving ---

    def save(self) -> dict[str, object]:
        """Return the levels as plain data, and when the mind last thought."""
        levels = {name: {"value": level.value, "since": level.since} for name, level in self._levels.items()}
        return {"levels": levels, "now": self.now}

    def read(self, check: SnapshotCheck, saved: NeedsSnapshot | None, who: str) -> Callable[[], None]:
        """Check saved levels, and return what puts them into place; needs without a saved level start anew.

        If the check is lenient, needs that are gone are left out.
        """
        levels = {name: Level(goal.insistence) for name, goal in self._goals.items()}
        given: Mapping[str, LevelSnapshot] = {} if saved is None else saved.levels
        for name, each in given.items():
            with check.part(who, f"the level of {name!r}"):
                check.known(("levels", name), name, self._goals, "need")
                check.require(each.value >= 0, ("levels", name, "value"), f"is {each.value:g}, below zero")
                levels[name] = Level(each.value, each.since)
        missing = [name for name in self._goals if name not in given]
        if missing and saved is not None and not check.lenient:
            raise check.fault(("levels",), f"lacks the need {missing[0]!r}", LENIENT)

        def put() -> None:
            self._levels, self.now = levels, None if saved is None else saved.now
            self.version += 1

        return put


def _holds(goal: Goal, state: State) -> bool:
    try:
        return goal.wants is not None and goal.wants.holds(state)
    except TelosError:  # a division by zero: the goal is not known to be reached
        return False
