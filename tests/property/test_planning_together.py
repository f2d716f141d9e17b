"""Laws of planning for many, over time and again: every way comes to what planning afresh comes to."""

import itertools
import re
from collections.abc import Iterator
from random import Random

import pytest

import telos
from property.test_planning import condition, effects, random_domain, random_state, replayed
from telos.core.values import Value
from telos.planning.planner import Planner, get_planner


def domains(count: int) -> Iterator[tuple[Random, telos.Domain]]:
    for seed in range(count):
        rng = Random(1000 + seed)
        yield rng, random_domain(rng)


def test_replanner_is_as_cheap_as_planning_afresh() -> None:
    kept = updates = 0
    for rng, domain in domains(60):
        state = random_state(rng, domain)
        mind = telos.Replanner(domain, "goal", state)
        for _ in range(25):
            other = random_state(rng, domain)
            name = rng.choice(sorted(other))
            answer = mind.update({name: other[name]})
            state = state.replace({name: other[name]})
            assert mind.state == state
            assert answer.cost == pytest.approx(telos.plan(domain, dict(state), "goal").cost)
            if isinstance(answer, telos.Plan):
                wants = domain.goal("goal").wants
                assert wants is not None
                assert wants.holds(replayed(answer, state)[0])
            updates += 1
        kept += 25 - (mind.searches - 1)
    assert 0.3 < kept / updates < 1.0  # much is kept, and not everything


def test_replanner_needs_no_search_while_following_its_plan() -> None:
    followed = 0
    for rng, domain in domains(400):
        state = random_state(rng, domain)
        mind = telos.Replanner(domain, "goal", state)
        left = len(mind.answer.steps)
        while mind.answer.steps:
            state = mind.answer.steps[0].result(state)
            mind.update({name: state[name] for name in state if state[name] != mind.state[name]})
            followed += 1
            assert len(mind.answer.steps) < left
            left = len(mind.answer.steps)
        assert mind.searches == 1
    assert followed > 50


def draw_pair(rng: Random) -> telos.Domain:
    """Draw two domains side by side, whose goals are one; now and then an action of one touches the other."""
    variables, actions, wants = list[telos.Variable](), list[telos.Action](), list[str]()
    for side in (1, 2):

        def own(text: str, side: int = side) -> str:
            return re.sub(r"\b([pqrabnm])\b", rf"\g<1>{side}", text)

        kinds = dict.fromkeys("pqr", "bool") | {"a": ["x", "y", "z"], "b": ["u", "v"]} | dict.fromkeys("nm", "int")
        variables += [telos.Variable(own(name), kind) for name, kind in kinds.items()]
        for number in range(rng.randint(2, 5)):
            needs = [own(condition(rng)) for _ in range(rng.randint(0, 2))]
            does = [own(each) for each in effects(rng)]
            actions.append(telos.Action(f"act-{number}-{side}", preconditions=needs, effects=does))
        wants += [own(condition(rng)) for _ in range(rng.randint(1, 2))]
    if rng.random() < 0.3:
        actions.append(telos.Action("tie", effects=["p1 = true", "q2 = true"], cost=1.5))
    return telos.Domain(variables=variables, actions=actions, goals=[telos.Goal("goal", wants=wants)])


def random_change(rng: Random, domain: telos.Domain) -> dict[str, Value]:
    variable = rng.choice(domain.layout.variables)
    values = variable.type.labels or ((False, True) if variable.name[0] in "pqr" else range(3))
    return {variable.name: rng.choice(list(values))}


def test_independent_parts_of_a_goal_cost_what_the_whole_costs() -> None:
    split = 0
    for seed in range(60):
        rng = Random(seed)
        domain = draw_pair(rng)
        goal, state, planner = domain.goal("goal"), domain.state({}), get_planner(domain, None)
        assert goal.wants is not None
        mind = telos.Replanner(domain, "goal", state)
        split += len(planner.split(goal, state, planner.handles(state, {}, "goal"))) > 1
        states, costs = list[telos.State](), list[float]()
        for _ in range(8):
            change = random_change(rng, domain)
            state = state.replace(change)
            answer, alone = mind.update(change), telos.plan(domain, dict(state), "goal")
            assert answer.found == alone.found
            assert answer.cost == pytest.approx(alone.cost)
            if isinstance(answer, telos.Plan):
                assert goal.wants.holds(replayed(answer, state)[0])
            states.append(state)
            costs.append(alone.cost)
        crowd = telos.plan_many(domain, {name: [each[name] for each in states] for name in state}, "goal")
        assert crowd.costs == pytest.approx(costs)
        assert [crowd[row].cost for row in range(8)] == [each.cost for each in crowd] == pytest.approx(costs)
        for answer, state in zip(crowd, states, strict=True):
            if isinstance(answer, telos.Plan):
                assert goal.wants.holds(replayed(answer, state)[0])
    assert 20 < split < 60  # where an action touches both sides, and where nothing can be split


def test_change_concerns_only_its_part_of_a_goal() -> None:
    rooms = ("hall", "attic", "cellar")
    domain = telos.Domain(
        variables=[telos.Variable(f"{room}_{what}", "bool") for room in rooms for what in ("swept", "lit")],
        actions=[
            *(telos.Action(f"light-{room}", effects=f"{room}_lit = true") for room in rooms),
            *(
                telos.Action(f"sweep-{room}", preconditions=f"{room}_lit", effects=f"{room}_swept = true")
                for room in rooms
            ),
        ],
        goals=[telos.Goal("clean", wants=" and ".join(f"{room}_swept" for room in rooms))],
    )
    mind = telos.Replanner(domain, "clean")
    assert mind.searches == 1
    first = mind.answer
    assert first.cost == 6
    assert "light-attic: attic_lit for sweep-attic" in first.why().replace(" (cost 1)", "")
    cleaner = mind.update({"attic_lit": True})
    assert [step.name for step in cleaner.steps if "attic" in step.name] == ["sweep-attic"]
    assert cleaner.cost == 5
    assert mind.update({"attic_lit": True}) is cleaner
    assert not telos.Replanner(domain, "clean", actions=domain.actions[:-1]).answer.found


def test_plan_many_equals_planning_one_by_one() -> None:
    for rng, domain in domains(40):
        states = [random_state(rng, domain) for _ in range(30)]
        alone = [telos.plan(domain, dict(state), "goal") for state in states]
        columns = {name: [state[name] for state in states] for name in states[0]}
        for form in (states, columns):
            for threads in (1, 2):
                together = telos.plan_many(domain, form, "goal", threads=threads)
                assert [answer.cost for answer in together] == pytest.approx([answer.cost for answer in alone])
                assert together.costs == pytest.approx([answer.cost for answer in alone])
                for answer, state in zip(together, states, strict=True):
                    if isinstance(answer, telos.Plan):
                        replayed(answer, state)


def test_scheduler_gives_the_answers_of_the_planner() -> None:
    for rng, domain in domains(30):
        scheduler = telos.Scheduler(Planner(domain))
        states = [random_state(rng, domain) for _ in range(10)]
        tickets = [scheduler.ask(state, "goal") for state in states]
        for frame in itertools.count():
            assert frame < 10_000, "a request starves"
            scheduler.run(microseconds=20)
            if not len(scheduler):
                break
        for ticket, state in zip(tickets, states, strict=True):
            assert ticket.answer is not None
            assert ticket.answer.cost == pytest.approx(telos.plan(domain, dict(state), "goal").cost)
