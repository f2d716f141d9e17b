"""Many problems: each recognised by itself, by as many processes as wanted, with the same answers."""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path

from telos.core.errors import TelosError
from telos.planning.pddl.declarations import read_domain
from telos.planning.pddl.source import Source
from telos.recognition.strips.files import Case, read_place
from telos.recognition.strips.problem import StripsAction, StripsGoal, StripsProblem
from telos.recognition.strips.reading import PlanReading
from telos.recognition.strips.recognizing import BUDGET, NOISE, TEMPERATURE, WITHIN, recognize


@dataclass(frozen=True, slots=True)
class Settings:
    """How problems are recognised; as the arguments of ``recognize``."""

    temperature: float = TEMPERATURE
    noise: float | None = NOISE
    budget: int = BUDGET
    within: float = WITHIN


@dataclass(frozen=True, slots=True)
class Answer:
    """What was read in a case. ``seconds`` are for all of it: files, grounding (even if shared) and recognition."""

    case: Case
    goals: tuple[str, ...]
    reading: PlanReading
    seconds: float


def recognize_all(cases: Sequence[Case], settings: Settings, *, jobs: int = 1) -> Iterator[Answer]:
    """Yield the answers to all cases, in their order; those of one place are recognised together."""
    if jobs < 1:
        raise TelosError(f"jobs must be at least 1, got {jobs}")
    groups = [list(group) for _, group in groupby(cases, key=lambda case: case.place)]
    with ExitStack() as stack:
        if jobs == 1 or len(groups) == 1:
            answers: Iterator[list[Answer]] = (_answers(group, settings) for group in groups)
        else:
            pool = stack.enter_context(get_context("spawn").Pool(min(jobs, len(groups))))
            answers = pool.imap(partial(_answers, settings=settings), groups)
        for group in answers:
            yield from group


def _answers(cases: Sequence[Case], settings: Settings) -> list[Answer]:
    return [answer(case, settings) for case in cases]


def answer(case: Case, settings: Settings) -> Answer:
    """Recognise one case."""
    _warm()
    problem, loading = _loaded(case.place)
    start = time.perf_counter()
    reading = recognize(
        problem,
        case.observations,
        temperature=settings.temperature,
        noise=settings.noise,
        budget=settings.budget,
        within=settings.within,
    )
    seconds = loading + time.perf_counter() - start
    return Answer(case, tuple(goal.name for goal in problem.goals), reading, seconds)


@lru_cache(maxsize=64)
def _loaded(place: Path) -> tuple[StripsProblem, float]:
    """Return the problem of a place, and the seconds that it took to read and ground it."""
    start = time.perf_counter()
    return read_place(place), time.perf_counter() - start


@cache
def _warm() -> None:
    """Have the parser built and the kernels compiled, once in a process: no problem's time should hold that."""
    read_domain(Source.of("<warm>", "(define (domain warm) (:predicates (lit)))"))
    light = StripsAction("(light)", (), (0,), ())
    goals = (StripsGoal("lit", (0,)), StripsGoal("lit twice", (0,)))
    recognize(StripsProblem(("lit",), (), (light,), goals), ["(light)"])
