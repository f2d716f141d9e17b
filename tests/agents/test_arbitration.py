"""Goals compete: the relevant ones by priority, ties keep the current one, and only a flag starts it anew."""

from telos.agents.deliberation import Arbiter
from telos.core.goal import Goal
from telos.core.state import Layout
from telos.core.values import Variable

LAYOUT = Layout(
    [Variable("shot_at", "bool"), Variable("tired", "bool"), Variable("ammo", "int"), Variable("mood", "int")]
)
GOALS = [
    Goal("patrol", wants="ammo >= 1", priority=1),
    Goal("chat", wants="ammo >= 2", priority=1),
    Goal("cover", wants="ammo >= 3", relevant="shot_at", priority=9),
    Goal("sleep", wants="not tired", relevant="tired and not shot_at", priority=5),
    Goal("hunger", insistence=4),  # a motive: nothing that can be planned for
]
ARBITER = Arbiter(GOALS, LAYOUT)


def line(current: str | None = None, **values: bool) -> list[str]:
    return [goal.name for goal in ARBITER.in_line(LAYOUT.state(values), current)]


def test_only_relevant_goals_stand_in_line_by_priority() -> None:
    assert line() == ["patrol", "chat"]
    assert line(tired=True) == ["sleep", "patrol", "chat"]
    assert line(tired=True, shot_at=True) == ["cover", "patrol", "chat"]


def test_of_equals_the_current_one_stays_and_else_the_first_listed() -> None:
    assert line("chat") == ["chat", "patrol"]
    assert line("cover") == ["patrol", "chat"]
    assert line("chat", tired=True) == ["sleep", "chat", "patrol"]


def test_a_motive_without_a_wish_is_not_planned_for() -> None:
    assert "hunger" not in [goal.name for goal in ARBITER.goals]


def test_only_what_a_goal_depends_on_is_a_flag() -> None:
    calm = LAYOUT.state().array
    assert ARBITER.is_flagged(calm, LAYOUT.state({"shot_at": True}).array), "a goal may have become relevant"
    assert ARBITER.is_flagged(calm, LAYOUT.state({"ammo": 7}).array), "a goal may hold already, or no longer"
    assert not ARBITER.is_flagged(calm, LAYOUT.state({"mood": 7}).array)
    assert not ARBITER.is_flagged(calm, calm)
