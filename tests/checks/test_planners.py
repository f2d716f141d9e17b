"""Every way to plan keeps the promises that `check_planner` states, and the check notices one that does not."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import telos
from telos.checks import check_planner
from telos.planning.planner import WEIGHTS, Planner

EXAMPLES = Path(__file__).parents[2] / "examples" / "domains"


def distance(here: str, there: str) -> float:
    return 0.0 if here == there else 3.0


def problems() -> list[tuple[telos.Domain, Mapping[str, Any], str]]:
    soldier = telos.load(EXAMPLES / "soldier.yaml", functions={"distance": distance})
    gather = telos.Domain(
        "gather",
        variables=[telos.Variable("wood", "int"), telos.Variable("house", "bool"), telos.Variable("open", "bool")],
        actions=[
            telos.Action("chop", effects="wood += 1"),
            telos.Action("build", preconditions="wood >= 3 and not open", effects="wood -= 3, house = true", cost=2),
        ],
        goals=[telos.Goal("home", wants="house")],
    )
    return [
        (soldier, {"ammo": 2}, "kill_enemy"),
        (soldier, {"ammo": 0}, "kill_enemy"),
        (soldier, {"at": "yard", "cover_node": "rock"}, "cover"),
        (soldier, {"at": "rock", "cover_node": "rock"}, "cover"),
        (gather, {}, "home"),
        (gather, {"house": True}, "home"),
    ]


def scheduled(domain: telos.Domain, state: Mapping[str, Any], goal: str) -> Any:
    scheduler = telos.Scheduler(Planner(domain))
    ticket = scheduler.ask(state, goal)
    while not ticket.done:
        scheduler.run(microseconds=1000)
    return ticket.answer


WAYS = {
    **{how: lambda d, s, g, how=how: telos.plan(d, s, g, how=how) for how in WEIGHTS},
    "in a batch": lambda d, s, g: telos.plan_many(d, [s], g)[0],
    "kept up to date": lambda d, s, g: telos.Replanner(d, g, s).answer,
    "over frames": scheduled,
}


@pytest.mark.parametrize("way", WAYS)
def test_planners_keep_the_contract(way: str) -> None:
    check_planner(WAYS[way], problems())  # type: ignore[arg-type]


def forgetful(domain: telos.Domain, state: Mapping[str, Any], goal: str) -> Any:
    answer = telos.plan(domain, state, goal)
    return replace(answer, steps=answer.steps[1:]) if isinstance(answer, telos.Plan) else answer


def stingy(domain: telos.Domain, state: Mapping[str, Any], goal: str) -> Any:
    answer = telos.plan(domain, state, goal)
    return replace(answer, cost=answer.cost / 2) if isinstance(answer, telos.Plan) else answer


def defeatist(domain: telos.Domain, state: Mapping[str, Any], goal: str) -> Any:
    return telos.NoPlan(goal, telos.Stop.UNREACHABLE)


def meddler(domain: telos.Domain, state: Any, goal: str) -> Any:
    answer = telos.plan(domain, state, goal)
    state.clear()
    return answer


@pytest.mark.parametrize(
    ("plan", "word"),
    [
        (forgetful, "is not possible"),
        (stingy, "costs"),
        (defeatist, "holds already"),
        (meddler, "changed the state"),
    ],
)
def test_check_planner_finds_a_broken_promise(plan: Any, word: str) -> None:
    with pytest.raises(AssertionError, match=word):
        check_planner(plan, problems())
