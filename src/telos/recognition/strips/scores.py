"""How good returned sets of goals are, in the measures of the field, beside published figures."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import TypeVar

from telos.recognition.strips.batch import Answer
from telos.recognition.strips.files import Label

K = TypeVar("K", str, int)


@dataclass(frozen=True, slots=True)
class Score:
    """Over so many problems: accuracy (the true goal is returned), spread (how many are), credit, agreement, time.

    Credit is 1 / spread where the true goal is returned. Agreement with the reference set is what both have in common,
    as a share of what either has; None where no problem has a reference.
    """

    name: str
    problems: int
    accuracy: float
    spread: float
    credit: float
    agreement: float | None = None
    seconds: float | None = None  # the median
    complete: float | None = None  # the share whose set is proved


# On the clean problems of Santos et al., AAAI 2021; the same kind of problems, not the same sample.
PUBLISHED = (
    Score("LP delta-o-csl1 (Santos et al. 2021)", 0, 0.940, 1.83, 0.745),
    Score("Ramírez & Geffner 2009", 0, 0.975, 1.91, 0.728),
)


def score(name: str, pairs: Sequence[tuple[Answer, Label]]) -> Score:
    """Return the score of answers to problems with known goals."""
    hits = [bool(label.real & set(answer.reading.chosen)) for answer, label in pairs]
    sizes = [len(answer.reading.chosen) for answer, _ in pairs]
    agreed = [_agreement(answer, label.reference) for answer, label in pairs if label.reference is not None]
    return Score(
        name,
        len(pairs),
        fmean(hits),
        fmean(sizes),
        fmean(1 / size if hit else 0.0 for hit, size in zip(hits, sizes, strict=True)),
        fmean(agreed) if agreed else None,
        median(answer.seconds for answer, _ in pairs),
        fmean(answer.reading.complete for answer, _ in pairs),
    )


def _agreement(answer: Answer, reference: frozenset[int]) -> float:
    chosen = set(answer.reading.chosen)
    return len(chosen & reference) / max(1, len(chosen | reference))


def score_groups(pairs: Sequence[tuple[Answer, Label]]) -> dict[str, list[Score]]:
    """Return the scores by kind of problem: altogether, and by observability and by domain within each kind."""
    found: dict[str, list[Score]] = {}
    for kind, group in _grouped(pairs, _kind):
        rows = [score("all", group)]
        rows += [score(f"{name} % seen", part) for name, part in _grouped(group, _observability) if name >= 0]
        rows += [score(name, part) for name, part in _grouped(group, lambda each: each.case.domain) if name]
        found[kind] = rows
    return found


def _kind(answer: Answer) -> str:
    noise = {True: "noisy", False: "clean", None: ""}[answer.case.noisy]
    return " ".join(filter(None, (answer.case.source, noise))) or "problems"


def _observability(answer: Answer) -> int:
    return -1 if answer.case.observability is None else answer.case.observability


def _grouped(
    pairs: Iterable[tuple[Answer, Label]], key: Callable[[Answer], K]
) -> list[tuple[K, list[tuple[Answer, Label]]]]:
    groups: dict[K, list[tuple[Answer, Label]]] = {}
    for answer, label in pairs:
        groups.setdefault(key(answer), []).append((answer, label))
    return sorted(groups.items())
