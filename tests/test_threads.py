"""Eight threads over the front door give the answers that one thread gives."""

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

import telos
from recognition.readings import flairs, play
from telos.recognition.filtering import Reader

DOMAINS = Path(__file__).parents[1] / "examples" / "domains"
THREADS = 8


def errands(number: int) -> object:
    """Load a domain and plan for each of its goals."""
    domain = telos.load(DOMAINS / "errands.yaml")
    return [telos.plan(domain, domain.state(), goal.name, budget=500 + number).why() for goal in domain.goals]


SHARED = telos.load(DOMAINS / "errands.yaml")
PLANNER = telos.Planner(SHARED)
MODEL = flairs()


def shared_planner(number: int) -> object:
    """Plan with one planner that all threads use."""
    goal = SHARED.goals[number % len(SHARED.goals)].name
    return PLANNER.plan(SHARED.state(), goal, budget=500).why()


def reader_of_shared_model(number: int) -> object:
    """Read a play with a reader of its own; the model belongs to all."""
    reader = Reader(MODEL)
    return [dict(reader.observe(event)) for event in play(30, seed=number % 5)]


def named_recognizer(number: int) -> object:
    """Load a recogniser by name, and read with it."""
    reader = telos.recognizer(("flairs", "aiide", "flairs-fsm")[number % 3], seed=1)
    return [dict(reader.observe(event)) for event in play(10, seed=number % 5)]


def faulty_file(number: int) -> object:
    """Load a broken file; the faults are the same every time."""
    with pytest.raises(telos.DefinitionError) as caught:
        telos.load(Path(__file__).parent / "broken" / "ten-at-once.yaml")
    return str(caught.value)


def many(number: int) -> object:
    """Plan for many states in one call."""
    return [each.why() for each in telos.plan_many(SHARED, [SHARED.state()] * 5, SHARED.goals[0].name)]


CALLS: tuple[Callable[[int], object], ...] = (
    errands,
    shared_planner,
    reader_of_shared_model,
    named_recognizer,
    faulty_file,
    many,
)


@pytest.mark.parametrize("rounds", [1, pytest.param(60, marks=pytest.mark.slow)])
def test_threads_get_the_answers_of_one_thread(rounds: int) -> None:
    work = [(call, number) for call in CALLS for number in range(6)]
    alone = {(call.__name__, number): call(number) for call, number in work}
    start = Barrier(THREADS)

    def run(thread: int) -> list[str]:
        mine, wrong = work * rounds, []
        random.Random(thread).shuffle(mine)
        start.wait()
        for call, number in mine:
            if call(number) != alone[call.__name__, number]:
                wrong.append(f"{call.__name__}({number})")
        return wrong

    with ThreadPoolExecutor(THREADS) as threads:
        assert [wrong for found in threads.map(run, range(THREADS)) for wrong in found] == []
