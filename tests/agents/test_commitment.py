"""Commitment: a step that has begun is carried on for a while although its goal does not matter any more."""

from pathlib import Path

import pytest

import telos
from telos.agents.body import RUNNING, Animate, Performance, Performed, Progress
from telos.agents.character import Character, load_character
from telos.agents.memory import Fact, WorkingMemory
from telos.agents.mind import Mind
from telos.agents.trace import Chose
from telos.core.errors import DefinitionError
from telos.core.values import FrozenMap

DOMAIN = telos.Domain(
    variables=[telos.Variable(name, "bool") for name in ("aimed_at", "in_danger", "fired", "safe", "ducked")],
    actions=[
        telos.Action("fire", effects="fired = true"),
        telos.Action("duck", effects="ducked = true"),
        telos.Action("flee", effects="safe = true"),
    ],
    goals=[
        telos.Goal("kill", wants="fired", priority=40),
        telos.Goal("dodge", wants="ducked", relevant="aimed_at", priority=60),
        telos.Goal("escape", wants="safe", relevant="in_danger", priority=90),
    ],
)


class Body:
    """A body whose steps never end by themselves."""

    progress: Progress = RUNNING

    def enter(self, state: object) -> None:
        pass


def make_mind(commitment: float, chosen: list[object]) -> Mind:
    kind = Character("soldier", DOMAIN.goals, DOMAIN.actions, commitment=commitment)

    def believe(memory: WorkingMemory, now: float) -> dict[str, bool]:
        return {name: memory.recall(name, "me", now) is not None for name in ("aimed_at", "in_danger")}

    procedures = {each.name: Performed(Performance(Animate(each.name))) for each in DOMAIN.actions}
    return Mind("Ann", kind, DOMAIN, body=Body(), believe=believe, procedures=procedures, trace=chosen.append)


def pursue(commitment: float, news: dict[int, tuple[str, bool]], steps: int = 20) -> list[str | None]:
    """Return the goal in each tenth of a second; ``news`` are facts that appear or are forgotten."""
    mind, goals = make_mind(commitment, []), list[str | None]()
    for step in range(steps):
        now = step / 10
        if step in news:
            kind, holds = news[step]
            if holds:
                mind.note(Fact(kind, "me", now, attributes=FrozenMap({})))
            else:
                mind.memory.forget(kind, "me")
        mind.think(now)
        goals.append(mind.goal)
    return goals


AIMED_AT_FOR_A_MOMENT = {5: ("aimed_at", True), 7: ("aimed_at", False)}


def test_without_commitment_the_goal_goes_with_its_reason() -> None:
    assert pursue(0.0, AIMED_AT_FOR_A_MOMENT) == ["kill"] * 5 + ["dodge"] * 2 + ["kill"] * 13


def test_with_commitment_the_step_is_carried_on_for_that_time() -> None:
    assert pursue(0.8, AIMED_AT_FOR_A_MOMENT) == ["kill"] * 5 + ["dodge"] * 8 + ["kill"] * 7


def test_a_goal_that_matters_again_meanwhile_is_not_left() -> None:
    news = {**AIMED_AT_FOR_A_MOMENT, 9: ("aimed_at", True)}
    assert pursue(0.8, news) == ["kill"] * 5 + ["dodge"] * 15


def test_what_has_a_higher_priority_interrupts_at_once() -> None:
    news = {**AIMED_AT_FOR_A_MOMENT, 8: ("in_danger", True)}
    assert pursue(0.8, news) == ["kill"] * 5 + ["dodge"] * 3 + ["escape"] * 12


def test_a_mind_wakes_when_its_commitment_is_over() -> None:
    chosen: list[object] = []
    mind = make_mind(0.8, chosen)
    mind.note(Fact("aimed_at", "me", 0.0, attributes=FrozenMap({})))
    mind.think(0.0)
    mind.memory.forget("aimed_at", "me")
    mind.think(0.1)
    assert mind.goal == "dodge"
    assert mind.wake_at == pytest.approx(0.8)
    mind.think(mind.wake_at)
    assert [each.goal for each in chosen if isinstance(each, Chose)] == ["dodge", "kill"]


def test_commitment_is_inherited_and_checked(tmp_path: Path) -> None:

    folder = tmp_path
    (folder / "guard.yaml").write_text("character: guard\ncommitment: 800 ms\n")
    (folder / "captain.yaml").write_text("character: captain\nlike: guard\n")
    (folder / "rookie.yaml").write_text("character: rookie\nlike: guard\ncommitment: 0\n")
    (folder / "odd.yaml").write_text("character: odd\ncommitment: soon\n")
    found = [load_character(folder / f"{name}.yaml", DOMAIN).commitment for name in ("guard", "captain", "rookie")]
    assert found == [0.8, 0.8, 0.0]
    with pytest.raises(DefinitionError, match=r"odd.yaml:2:13: commitment must be a time such as `3 s` or `500 ms`"):
        load_character(folder / "odd.yaml", DOMAIN)
