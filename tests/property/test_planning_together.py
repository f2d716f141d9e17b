"""Laws of planning for many, over time and again: every way comes to what planning afresh comes to."""

import itertools
from collections.abc import Iterator
from random import Random

import pytest

import telos
from property.test_planning import random_domain, random_state, replayed
from telos.planning.planner import Planner


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
