"""A study over several seeds: what a paper reports beside what we measure, and whether the two agree.

``judge`` compares one reported figure or difference with its measured values, one per seed; ``agreement_table`` makes
the table that opens a study's page, ``sentence_table`` the one of what each sentence of the text changes. One seed is
one study of the paper's size, so the published figure is one more draw: it agrees if it lies where one more study of
ours would fall.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from telos.core.errors import TelosError
from telos.studies.results import Table, round_figure
from telos.studies.statistics import CONFIDENCE, LEVEL, need_scipy

AGREES, DIFFERS, UNTOLD = "agrees", "differs", "cannot be told"
MIN_SEEDS = 3  # with fewer there is no spread to speak of
WIDEST = {
    "%": 30.0,
    " points": 30.0,
}  # an interval wider than this tells nothing, by unit; for other units see ``_widest``
CRITERION = (
    "Every seed is one study of the paper's size. A figure agrees if the published value lies inside the 95% interval "
    "for one more such study, and cannot be told if that interval is wider than 30 points (for counts: than two thirds "
    "of the published value). A published difference agrees if ours has its sign and the 95% interval of the mean over "
    "seeds excludes zero; it differs if the interval excludes its sign, or includes zero and excludes its size; else "
    "it cannot be told. A difference that the paper calls not significant agrees if fewer than half of the seeds find "
    "a significant one, and differs if more than half do."
)


@dataclass(frozen=True, slots=True)
class Reported:
    """A figure of a paper, or a difference with its test (``p``). ``value`` is in ``unit``; None if not printed.

    >>> Reported("ffbm", "experienced player: FFBM", 90.0).text
    '90%'
    >>> Reported("ffbm-fsm", "FFBM - FSM", 20.0, p=0.0003, says="p < 0.0003").text
    '+20, p < 0.0003'
    """

    key: str
    label: str
    value: float | None
    unit: str = "%"
    p: float | None = None
    says: str = ""  # the test as printed

    @property
    def is_difference(self) -> bool:
        """Whether the paper reports a difference with its test."""
        return self.p is not None

    @property
    def text(self) -> str:
        """Return the published value as tables show it."""
        if not self.is_difference:
            return "not printed" if self.value is None else f"{self.value:g}{self.unit}"
        says = self.says or f"p = {self.p:g}"
        return says if self.value is None else f"{self.value:+g}, {says}"


@dataclass(frozen=True, slots=True)
class Measured:
    """The values of one quantity, one per seed; for a difference also the p of each seed's own test."""

    values: tuple[float, ...]
    ps: tuple[float | None, ...] = ()

    @property
    def mean(self) -> float:
        """Return the mean over seeds."""
        return fmean(self.values)

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95% interval of the mean over seeds, by Student's t."""
        return self._around(1.0 / len(self.values))

    @property
    def one_study(self) -> tuple[float, float]:
        """Return the 95% prediction interval: where one more study of this size falls."""
        return self._around(1.0 + 1.0 / len(self.values))

    @property
    def significant(self) -> int:
        """Return the number of seeds whose own test is significant."""
        return sum(p is not None and p < LEVEL for p in self.ps)

    def _around(self, variance: float) -> tuple[float, float]:
        count = len(self.values)
        if count < 2:
            raise TelosError(f"an interval over seeds needs at least 2 of them, got {count}")
        need_scipy()
        from scipy.stats import t  # slow to load

        half = float(t.ppf((1 + CONFIDENCE) / 2, count - 1)) * stdev(self.values) * math.sqrt(variance)
        return self.mean - half, self.mean + half


@dataclass(frozen=True, slots=True)
class Agreement:
    """A reported quantity beside ours: ``verdict`` is one of ``agrees``, ``differs`` and ``cannot be told``."""

    reported: Reported
    measured: Measured
    verdict: str
    reason: str

    @property
    def ours(self) -> str:
        """Return our mean with its interval, as tables show them."""
        mean, measured = self.measured.mean, self.measured
        if len(measured.values) < 2:
            return f"{mean:.1f}"
        if not self.reported.is_difference:
            low, high = measured.one_study
            return f"{mean:.1f} ({low:.1f} to {high:.1f})"
        low, high = measured.interval
        tests = f"; significant in {measured.significant} of {len(measured.ps)}" if measured.ps else ""
        return f"{mean:+.1f} ({low:+.1f} to {high:+.1f}){tests}"

    def data(self) -> dict[str, Any]:
        """Return it for JSON."""
        has_interval = len(self.measured.values) >= 2
        return {
            "label": self.reported.label,
            "published": self.reported.value,
            "published_says": self.reported.text,
            "unit": self.reported.unit,
            "mean": round_figure(self.measured.mean),
            "interval": [round_figure(each) for each in self.measured.interval] if has_interval else None,
            "one_study": [round_figure(each) for each in self.measured.one_study] if has_interval else None,
            "values": [round_figure(each) for each in self.measured.values],
            "p": list(self.measured.ps),
            "verdict": self.verdict,
            "reason": self.reason,
        }


def judge(reported: Reported, measured: Measured) -> Agreement:
    """Judge whether our values over seeds agree with what is reported, by ``CRITERION``.

    >>> judge(Reported("a", "accuracy", 60.0), Measured((58.0, 61.0, 63.0))).verdict
    'agrees'
    >>> judge(Reported("a", "accuracy", 90.0), Measured((58.0, 61.0, 63.0))).verdict
    'differs'
    """
    if measured.ps and len(measured.ps) != len(measured.values):
        raise TelosError(f"every seed has one test, got {len(measured.ps)} of {len(measured.values)}")
    if len(measured.values) < MIN_SEEDS:
        verdict, reason = UNTOLD, f"fewer than {MIN_SEEDS} seeds"
    elif not all(map(math.isfinite, measured.values)):
        verdict, reason = UNTOLD, "a seed has no value"
    elif reported.is_difference:
        verdict, reason = _judge_difference(reported, measured)
    else:
        verdict, reason = _judge_figure(reported, measured)
    return Agreement(reported, measured, verdict, reason)


def _judge_figure(reported: Reported, measured: Measured) -> tuple[str, str]:
    if reported.value is None:
        return UNTOLD, "the paper prints no figure"
    low, high = measured.one_study
    if not low <= reported.value <= high:
        return DIFFERS, "outside the interval of one more study"
    if high - low > _widest(reported):
        return UNTOLD, "the interval of one more study is too wide"
    return AGREES, "inside the interval of one more study"


def _widest(reported: Reported) -> float:
    assert reported.value is not None
    return WIDEST.get(reported.unit, abs(reported.value) * 2 / 3)


def _judge_difference(reported: Reported, measured: Measured) -> tuple[str, str]:
    assert reported.p is not None
    count = len(measured.values)
    if reported.p >= LEVEL:
        if all(p is None for p in measured.ps):
            return UNTOLD, "no seed has a test of its own"
        found = measured.significant
        if 2 * found == count:
            return UNTOLD, f"significant in {found} of {count} seeds"
        return (AGREES if 2 * found < count else DIFFERS), f"significant in {found} of {count} seeds"
    sign = -1.0 if (reported.value or 0.0) < 0 else 1.0
    low, high = sorted(sign * bound for bound in measured.interval)
    if low > 0:
        return AGREES, "the same sign, and the interval over seeds excludes zero"
    if high <= 0:
        return DIFFERS, "the other sign"
    if reported.value is not None and high < abs(reported.value):
        return DIFFERS, "the interval over seeds includes zero and excludes the published size"
    return UNTOLD, "the interval over seeds includes zero"


# --- tables and data --------------------------------------------------------------------------------------------------


def agreement_table(columns: Mapping[str, Sequence[Agreement]], *, heading: str = "the paper says") -> Table:
    """Return the table of published, ours and verdict; ``columns`` are the variants of the study, the same rows each.

    >>> row = judge(Reported("a", "new players: FSM", 46.0), Measured((44.0, 45.0, 47.0)))
    >>> agreement_table({"from the text": [row]}).rows
    (('new players: FSM', '46%', '45.3 (37.7 to 52.9)', 'agrees'),)
    """
    variants = list(columns.values())
    if not variants or any(len(each) != len(variants[0]) for each in variants):
        raise TelosError("variants of a study are judged on the same statements")
    headings = [heading, "published"]
    for name in columns:
        headings += [name, "verdict"]
    rows = []
    for line in zip(*variants, strict=True):
        cells = [line[0].reported.label, line[0].reported.text]
        for each in line:
            cells += [each.ours, each.verdict]
        rows.append(tuple(cells))
    # All columns may wrap: with two variants the table is wider than most terminals.
    return Table(tuple(headings), tuple(rows), note=CRITERION, text_columns=tuple(range(len(headings))))


def sentence_table(
    sentences: Mapping[str, str],
    columns: Mapping[str, str],
    changes: Mapping[str, Mapping[str, Measured]],
    *,
    note: str,
) -> Table:
    """Return the table of what each sentence of a text changes in the quantities of ``columns``, by key.

    ``changes`` holds, by sentence and quantity, the differences that the sentence makes, one a seed.

    >>> moved = {"maze": {"ffbm": Measured((2.0, 3.0, 4.0))}}
    >>> sentence_table({"maze": "the player knows the maze"}, {"ffbm": "FFBM", "fsm": "FSM"}, moved, note="").rows
    (('the player knows the maze', '+3.0 (+0.5 to +5.5)', ''),)
    """
    rows = tuple((says, *(_change_text(changes[name].get(key)) for key in columns)) for name, says in sentences.items())
    return Table(("sentence", *columns.values()), rows, note=note, text_columns=tuple(range(len(columns) + 1)))


def _change_text(change: Measured | None) -> str:
    if change is None:
        return ""
    if len(change.values) < 2:
        return f"{change.mean:+.1f}"
    low, high = change.interval
    return f"{change.mean:+.1f} ({low:+.1f} to {high:+.1f})"


def subtract_by_seed(whole: Sequence[float], without: Sequence[float]) -> Measured:
    """Return what a sentence adds, by seed; ``without`` it there may be fewer seeds, the first ones.

    >>> subtract_by_seed((5.0, 6.0, 7.0), (4.0, 6.5)).values
    (1.0, -0.5)
    """
    return Measured(tuple(a - b for a, b in zip(whole[: len(without)], without, strict=True)))


def count_verdicts(agreements: Sequence[Agreement]) -> str:
    """Return a sentence that counts the verdicts.

    >>> count_verdicts([judge(Reported("a", "accuracy", 60.0), Measured((58.0, 61.0, 63.0)))])
    'Of 1 published figures and tests, 1 agree, 0 differ and 0 cannot be told.'
    """
    found = [sum(each.verdict == verdict for each in agreements) for verdict in (AGREES, DIFFERS, UNTOLD)]
    return (
        f"Of {len(agreements)} published figures and tests, {found[0]} agree, {found[1]} differ and {found[2]} cannot "
        "be told."
    )


def agreement_data(agreements: Sequence[Agreement]) -> dict[str, Any]:
    """Return agreements for JSON, by key."""
    return {each.reported.key: each.data() for each in agreements}


def seeds_from(seed: int, count: int) -> tuple[int, ...]:
    """Return ``count`` seeds, the first of which is ``seed``.

    >>> seeds_from(1, 3)
    (1, 2, 3)
    """
    if seed < 0:
        raise TelosError(f"a seed is a whole number, zero or more, got {seed}")
    if count < 1:
        raise TelosError(f"a study needs at least 1 seed, got {count}")
    return tuple(range(seed, seed + count))
