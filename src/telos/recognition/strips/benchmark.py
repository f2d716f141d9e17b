"""Many recognition problems, on several processes, and their scores in the measures of the field."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import groupby
from pathlib import Path
from statistics import fmean, median
from typing import TypeVar

from telos.parallel import parallel_map
from telos.planning.pddl.parser import read_domain
from telos.planning.pddl.syntax import PddlSource
from telos.recognition.strips.problem import (
    CaseLabel,
    RecognitionCase,
    StripsProblem,
    read_shared_problem,
)
from telos.recognition.strips.reading import PlanReading
from telos.recognition.strips.recognize import (
    BETA,
    NOISE,
    TEMPERATURE,
    compile_kernels,
    recognize,
)


@dataclass(frozen=True, slots=True)
class RecognitionSettings:
    """The arguments of ``recognize`` for all problems."""

    temperature: float = TEMPERATURE
    noise: float | None = NOISE
    budget: int | None = None
    work: int | None = None
    within: float | None = None
    protocol: str = "sampled"
    method: str = "telos"
    beta: float = BETA


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The result of a case. ``seconds`` includes files, grounding (even if shared) and recognition."""

    case: RecognitionCase
    goals: tuple[str, ...]
    reading: PlanReading
    seconds: float


def recognize_all(
    cases: Sequence[RecognitionCase], settings: RecognitionSettings, *, jobs: int = 1
) -> Iterator[CaseResult]:
    """Yield the results of all cases in order; cases of one folder are recognised together."""
    groups = [list(group) for _, group in groupby(cases, key=lambda case: case.place)]
    for answers in parallel_map(partial(_answers, settings=settings), groups, jobs=jobs):
        yield from answers


def _answers(cases: Sequence[RecognitionCase], settings: RecognitionSettings) -> list[CaseResult]:
    return [recognize_case(case, settings) for case in cases]


def recognize_case(case: RecognitionCase, settings: RecognitionSettings) -> CaseResult:
    """Recognise one case."""
    _warm_up()
    problem, loading = _loaded(case.place)
    start = time.perf_counter()
    reading = recognize(
        problem,
        case.observations,
        temperature=settings.temperature,
        noise=settings.noise,
        budget=settings.budget,
        work=settings.work,
        within=settings.within,
        protocol=settings.protocol,
        method=settings.method,
        beta=settings.beta,
    )
    seconds = loading + time.perf_counter() - start
    return CaseResult(case, tuple(goal.name for goal in problem.goals), reading, seconds)


@lru_cache(maxsize=64)
def _loaded(place: Path) -> tuple[StripsProblem, float]:
    """Return the problem of a folder, and the seconds to read and ground it."""
    start = time.perf_counter()
    return read_shared_problem(place), time.perf_counter() - start


@cache
def _warm_up() -> None:
    """Build the parser and compile the kernels once per process, so that no problem's time includes it."""
    read_domain(PddlSource.of("<warm>", "(define (domain warm) (:predicates (lit)))"))
    compile_kernels()


K = TypeVar("K", str, int)


@dataclass(frozen=True, slots=True)
class BenchmarkScore:
    """Mean measures: accuracy (the true goal is chosen), spread (how many are), credit, agreement, time.

    Credit is 1 / spread if the true goal is chosen, else 0. Agreement is the Jaccard index with the reference set; None
    if no problem has one.
    """

    name: str
    problems: int
    accuracy: float
    spread: float
    credit: float
    agreement: float | None = None
    seconds: float | None = None  # the median
    complete: float | None = None  # the share of results that are complete


# On the clean problems of Santos et al., AAAI 2021; the same kind of problems, not the same sample.
PUBLISHED_SCORES = (
    BenchmarkScore("LP delta-o-csl1 (Santos et al. 2021)", 0, 0.940, 1.83, 0.745),
    BenchmarkScore("Ramírez & Geffner 2009", 0, 0.975, 1.91, 0.728),
)


def score_results(name: str, pairs: Sequence[tuple[CaseResult, CaseLabel]]) -> BenchmarkScore:
    """Return the score of results with known goals."""
    hits = [bool(label.real & set(answer.reading.chosen)) for answer, label in pairs]
    sizes = [len(answer.reading.chosen) for answer, _ in pairs]
    agreed = [_agreement(answer, label.reference) for answer, label in pairs if label.reference is not None]
    return BenchmarkScore(
        name,
        len(pairs),
        fmean(hits),
        fmean(sizes),
        fmean(1 / size if hit else 0.0 for hit, size in zip(hits, sizes, strict=True)),
        fmean(agreed) if agreed else None,
        median(answer.seconds for answer, _ in pairs),
        fmean(answer.reading.complete for answer, _ in pairs),
    )


def _agreement(answer: CaseResult, reference: frozenset[int]) -> float:
    chosen = set(answer.reading.chosen)
    return len(chosen & reference) / max(1, len(chosen | reference))


def score_groups(pairs: Sequence[tuple[CaseResult, CaseLabel]]) -> dict[str, list[BenchmarkScore]]:
    """Return the scores by kind of problem: overall, by observability and by domain."""
    found: dict[str, list[BenchmarkScore]] = {}
    for kind, group in _grouped(pairs, _kind):
        rows = [score_results("all", group)]
        rows += [score_results(f"{name} % seen", part) for name, part in _grouped(group, _observability) if name >= 0]
        rows += [score_results(name, part) for name, part in _grouped(group, lambda each: each.case.domain) if name]
        found[kind] = rows
    return found


def _kind(answer: CaseResult) -> str:
    noise = {True: "noisy", False: "clean", None: ""}[answer.case.noisy]
    return " ".join(filter(None, (answer.case.source, noise))) or "problems"


def _observability(answer: CaseResult) -> int:
    return -1 if answer.case.observability is None else answer.case.observability


def _grouped(
    pairs: Iterable[tuple[CaseResult, CaseLabel]], key: Callable[[CaseResult], K]
) -> list[tuple[K, list[tuple[CaseResult, CaseLabel]]]]:
    groups: dict[K, list[tuple[CaseResult, CaseLabel]]] = {}
    for answer, label in pairs:
        groups.setdefault(key(answer), []).append((answer, label))
    return sorted(groups.items())
