"""Laws of minds: memory is what a list of facts says, everybody is served, and saving is not noticed."""

import json
import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import telos
from agents.yard import Camp, camp_crowd, pass_frames
from telos.agents.memory import MIN_CONFIDENCE, Fact, WorkingMemory
from telos.agents.sensors import Sensor, SensorSchedule
from telos.core.trace import as_json
from telos.core.values import FrozenMap
from telos.planning.planner import Planner
from telos.planning.scheduler import Scheduler, Ticket

# --- memory against a list ---

FADES = {"noise": 3.0, "enemy": 12.0}
KINDS = st.sampled_from(["noise", "enemy", "wall"])
SUBJECTS = st.sampled_from(["ann", "bert", "carl"])
NOTES = st.tuples(
    st.just("note"), KINDS, SUBJECTS, st.sampled_from([0.01, 0.05, 0.1, 0.5, 1.0]), st.integers(0, 1), st.booleans()
)
OTHERS = st.tuples(st.sampled_from(["forget", "fade"]), KINDS, SUBJECTS)
DEEDS = st.lists(st.tuples(st.floats(0, 4, width=16), st.one_of(NOTES, OTHERS)), max_size=40)


class Log:
    """The obvious memory: all facts in a list, and every question answered by going through it."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []

    def confidence(self, fact: Fact, now: float) -> float:
        if fact.kind not in FADES:
            return fact.confidence
        return max(0.0, fact.confidence * (1 - (now - fact.time) / FADES[fact.kind]))

    def is_held(self, fact: Fact, now: float) -> bool:
        sure = self.confidence(fact, now)
        return sure >= MIN_CONFIDENCE if fact.kind not in FADES else sure > MIN_CONFIDENCE

    def held(self, now: float) -> dict[tuple[str, str], Fact]:
        return {(fact.kind, fact.subject): fact for fact in self.facts if self.is_held(fact, now)}

    def note(self, fact: Fact, now: float) -> bool:
        old = self.held(now).get((fact.kind, fact.subject))
        self.drop(fact.kind, fact.subject)
        self.facts.append(fact)
        return old is None or (old.attributes, old.confidence) != (fact.attributes, fact.confidence)

    def drop(self, kind: str, subject: str) -> None:
        self.facts = [fact for fact in self.facts if (fact.kind, fact.subject) != (kind, subject)]


def is_close_to_fading(log: Log, now: float) -> bool:
    """Whether a fact is so near the edge that rounding decides."""
    return any(
        math.isclose(log.confidence(fact, now), MIN_CONFIDENCE, abs_tol=1e-9)
        for fact in log.facts
        if fact.kind in FADES
    )


@settings(max_examples=300, deadline=None)
@given(DEEDS)
def test_memory_holds_what_a_list_of_facts_and_a_pocket_calculator_say(deeds: list[Any]) -> None:
    memory, log, now = WorkingMemory(FADES), Log(), 0.0
    for wait, (deed, kind, subject, *rest) in deeds:
        now += wait
        if is_close_to_fading(log, now):
            now += 1e-3
        if deed == "note":
            sure, value, is_odd = rest
            fact = Fact(kind, subject, now, sure, FrozenMap({"value": value, "odd": is_odd}))
            was_new, before = memory.note(fact), memory.version
            assert was_new == log.note(fact, now) or sure <= MIN_CONFIDENCE
            assert memory.version == before
        elif deed == "forget":
            memory.forget(kind, subject)
            log.drop(kind, subject)
        else:
            lost = {(fact.kind, fact.subject) for fact in memory.fade(now)}
            expected = {(fact.kind, fact.subject) for fact in log.facts if not log.is_held(fact, now)}
            assert lost == expected
            log.facts = list(log.held(now).values())
            assert memory.next_fade > now
        held = log.held(now)
        for each in ("noise", "enemy", "wall"):
            assert {f.subject: f for f in memory.all_of(each, now)} == {s: f for (k, s), f in held.items() if k == each}
            for who in ("ann", "bert", "carl"):
                found = memory.recall(each, who, now)
                assert found == held.get((each, who))
                if found is not None:
                    assert memory.confidence(found, now) == log.confidence(found, now)
        assert all(memory.gone_at(fact) >= memory.next_fade for fact in memory)


@settings(max_examples=100, deadline=None)
@given(DEEDS)
def test_a_memory_that_is_saved_and_restored_is_the_same_in_every_respect(deeds: list[Any]) -> None:
    memory, now = WorkingMemory(FADES), 0.0
    for wait, (deed, kind, subject, *rest) in deeds:
        now += wait
        if deed == "note":
            memory.note(Fact(kind, subject, now, rest[0], FrozenMap({"value": rest[1]})))
        elif deed == "forget":
            memory.forget(kind, subject)
        else:
            memory.fade(now)
    other = WorkingMemory(FADES)
    other.restore(json.loads(json.dumps(memory.save(), allow_nan=False)))
    assert (list(other), other.version, other.next_fade) == (list(memory), memory.version, memory.next_fade)
    assert [memory.fade(now + 1), memory.fade(now + 9)] == [other.fade(now + 1), other.fade(now + 9)]


# --- the rota ---


class Priced:
    def __init__(self, cost: float) -> None:
        self.cost = cost

    def read(self, who: str, memory: WorkingMemory, now: float) -> list[Fact]:
        return []


class Reader:
    """A mind as far as the rota knows one."""

    def __init__(self, number: int, spent: list[float]) -> None:
        self.number, self.spent = number, spent
        self.frames: dict[str, list[int]] = {}
        self.frame = 0

    def sense(self, name: str, sensor: Sensor, now: float) -> bool:
        self.spent[-1] += sensor.cost
        self.frames.setdefault(name, []).append(len(self.spent) - 1)
        return False


SENSORS = st.dictionaries(
    st.sampled_from(["sight", "hearing", "smell", "touch"]),
    st.tuples(st.sampled_from([0.5, 1.0, 3.0, 10.0]), st.sampled_from([0.05, 0.1, 0.3, 1.0, 2.5])),
    min_size=1,
)


@settings(max_examples=150, deadline=None)
@given(SENSORS, st.integers(1, 12), st.sampled_from([0.1, 1.0, 4.0, 25.0, 1000.0]))
def test_schedule_reads_in_turn_and_overspends_by_at_most_one_reading(
    sensors: dict[str, tuple[float, float]], count: int, budget: float
) -> None:
    rota = SensorSchedule({name: Priced(cost) for name, (cost, _) in sensors.items()}, budget=budget)
    spent: list[float] = []
    minds = [Reader(number, spent) for number in range(count)]
    for mind in minds:
        rota.join(mind, {name: every for name, (_, every) in sensors.items()}, now=0.0)
    # Once due, a reading waits for every other one at most, and each frame spends its budget or clears the queue.
    all_once = count * sum(cost for cost, _ in sensors.values())
    waits = math.ceil(all_once / budget) + 1
    frames = 3 * waits + 60 if waits < 300 else waits
    for frame in range(frames):
        spent.append(0.0)
        rota.poll(frame / 10)
    dearest = max(cost for cost, _ in sensors.values())
    assert max(spent) <= budget + dearest
    for name, (_, every) in sensors.items():
        longest = waits + math.ceil(every * 10) + 1
        for mind in minds:
            read = mind.frames.get(name, [])
            gaps = [after - before for before, after in zip([-1, *read], [*read, frames], strict=True)]
            assert max(gaps) <= longest


# --- saving ---


def traced(size: int, seed: int, expansions: int, fog: float) -> tuple[Camp, Any, list[str]]:
    lines: list[str] = []
    camp = Camp(size, seed, fog=fog)
    crowd = camp_crowd(
        camp, expansions=expansions, budget=2.0, trace=lambda record: lines.append(as_json(record)), patience=2.0
    )
    return camp, crowd, lines


def check_that_saving_is_not_noticed(size: int, seed: int, expansions: int, fog: float, at: int) -> int:
    """Save at a frame, go on both ways, and compare; return how many were waiting for a plan."""
    camp, crowd, lines = traced(size, seed, expansions, fog)
    pass_frames(camp, crowd, at)
    text = json.dumps([camp.save(), crowd.save()], allow_nan=False)
    waiting = len(crowd.scheduler)
    lines.clear()
    other_camp, other, other_lines = traced(size, seed, expansions, fog)
    saved = json.loads(text)
    other_camp.restore(saved[0])
    other.restore(saved[1])
    assert json.dumps([other_camp.save(), other.save()], allow_nan=False) == text
    thought = pass_frames(camp, crowd, 60)
    assert pass_frames(other_camp, other, 60) == thought
    assert other_lines == lines
    assert json.dumps(other.save()) == json.dumps(crowd.save())
    return waiting


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 5), st.integers(0, 999), st.sampled_from([1, 2, 5, 11, 30]), st.integers(0, 80))
def test_a_crowd_saved_at_any_moment_goes_on_as_if_it_had_not_been(
    size: int, seed: int, expansions: int, at: int
) -> None:
    check_that_saving_is_not_noticed(size, seed, expansions, 0.0, at)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 5), st.integers(0, 999), st.integers(0, 80))
def test_the_same_where_the_game_answers_now_this_and_now_that(size: int, seed: int, at: int) -> None:
    check_that_saving_is_not_noticed(size, seed, 20_000, 0.1, at)


def test_a_search_that_is_under_way_when_it_is_saved_is_not_noticed_either() -> None:
    waiting = [check_that_saving_is_not_noticed(4, seed, 3, 0.0, 2 + seed) for seed in range(8)]
    assert sum(waiting) >= 8


# --- counted runs of the scheduler ---


def sums() -> telos.Domain:
    return telos.Domain(
        variables=[telos.Variable("n", "int"), telos.Variable("m", "int")],
        actions=[telos.Action("up", effects="n += 1"), telos.Action("across", effects="m += 1")],
        goals=[telos.Goal(f"reach-{steps}", wants=f"n + m == {steps}") for steps in range(9)],
    )


ORDERS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.integers(0, 8), st.integers(0, 3)),
        st.tuples(st.just("withdraw"), st.integers(0, 30), st.just(0)),
        st.tuples(st.just("run"), st.integers(1, 200), st.just(0)),
    ),
    min_size=3,
    max_size=30,
)


def played(orders: list[tuple[str, int, int]]) -> tuple[list[Any], int]:
    """Return when each request was answered, by the number of the order, and what with."""
    scheduler = Scheduler(Planner(sums()), clock=None)
    tickets: list[Ticket] = []
    withdrawn: set[int] = set()
    answered: dict[int, int] = {}
    for number, (what, first, second) in enumerate([*orders, ("run", 10**6, 0)]):
        if what == "ask":
            tickets.append(scheduler.ask({"n": -second}, f"reach-{first}"))
        elif what == "withdraw" and first < len(tickets) and not tickets[first].done:
            scheduler.withdraw(tickets[first])
            withdrawn.add(first)
        elif what == "run":
            before = scheduler.expanded
            scheduler.run(expansions=first)
            assert scheduler.expanded - before <= first
        for place, ticket in enumerate(tickets):
            if ticket.done:
                answered.setdefault(place, number)
    assert answered.keys() == set(range(len(tickets))) - withdrawn, "nobody starves, and who withdrew is let alone"
    said = [(place, number, tickets[place].answer) for place, number in answered.items()]
    return [(p, n, str(a and a.steps), a and a.cost) for p, n, a in said], scheduler.expanded


@settings(max_examples=100, deadline=None)
@given(ORDERS)
def test_counted_scheduler_runs_are_deterministic(orders: list[Any]) -> None:
    first, again = played(orders), played(orders)
    assert first == again
    fresh = Planner(sums())
    asked = [each for each in orders if each[0] == "ask"]
    for place, _, _, cost in first[0]:
        _, steps, start = asked[place]
        assert cost == fresh.plan({"n": -start}, f"reach-{steps}").cost
