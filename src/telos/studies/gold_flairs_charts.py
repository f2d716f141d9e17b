"""The curves of the first study: beliefs around a goal change (Figure 4), sensitivity, and lag."""

from collections.abc import Mapping, Sequence
from random import Random
from statistics import fmean

from telos.studies.gold_flairs_runs import AROUND, GOALS, GROUPS, METHODS, Played
from telos.studies.report_parts import Chart, Grid, Line, Point
from telos.studies.scoring_lag import LAGS
from telos.studies.sensitivity import FACTORS, FLAIRS_DIALS
from telos.studies.statistics import interval

ALL = "all"
Rows = tuple[tuple[Chart, ...], ...]


def charts(by_kind: Mapping[str, Sequence[Played]], seed: int) -> Rows:
    """Return the charts of the study, in rows."""
    rows: list[tuple[Chart, ...]] = []
    experienced = by_kind["experienced"]
    samples = [each for each in experienced if each.around and all(each.around.values())]
    if samples:
        rows.append(_beliefs("sample", "Belief around a goal change: one run, as in Figure 4", samples[:1]))
        rows.append(_beliefs("mean", "Belief around a goal change: mean over runs", samples))
    rows.append(tuple(_sensitivity(kind, by_kind[kind]) for kind in ("experienced", "new")))
    rows.append((_draws(by_kind), _lag(by_kind, seed)))
    return tuple(rows)


def what_players_do(by_kind: Mapping[str, Sequence[Played]]) -> tuple[Grid, Grid]:
    """Return what updates are under each goal, and how much they tell the FFBM: where it is wrong, this says why."""
    shares, bits = [], []
    for kind, done in by_kind.items():
        for goal in GOALS:
            seen = [[each.seen[goal][group] for each in done if each.seen] for group in GROUPS]
            counts = [sum(number for number, _ in each) for each in seen]
            sums = [sum(told for _, told in each) for each in seen]
            total = sum(counts) or 1
            means = (told / (count or 1) for told, count in zip(sums, counts, strict=True))
            shares.append((f"{kind}, {goal}", tuple(count / total for count in counts)))
            bits.append((f"{kind}, {goal}", (*means, sum(sums) / total)))
    note = (
        "Mean bits for the goal that is pursued, against the other goal that makes the update likeliest. Where the "
        "mean of all is below zero, the model expects something else than what players do: only momentum can help it."
    )
    return (
        Grid("what_players_do", "What players do under each goal: shares of updates", GROUPS, tuple(shares)),
        Grid("what_it_tells", "What that tells the FFBM", (*GROUPS, ALL), tuple(bits), percent=False, note=note),
    )


def _beliefs(key: str, note: str, runs: Sequence[Played]) -> tuple[Chart, ...]:
    made = []
    for method in ("ffbm", "constant"):
        beliefs = [each.around[method] for each in runs if each.around]
        lines = tuple(
            Line(
                goal,
                tuple(
                    Point(place - AROUND, fmean(belief[place][at] for belief in beliefs))
                    for place in range(2 * AROUND + 1)
                ),
            )
            for at, goal in enumerate(GOALS)
        )
        made.append(
            Chart(
                f"belief_{key}_{method}",
                METHODS[method],
                "updates from the change of goal: town to level",
                "belief",
                lines,
                marked=0,
                note=note,
            )
        )
    return tuple(made)


def _sensitivity(kind: str, done: Sequence[Played]) -> Chart:
    turned = [each.turned for each in done if each.turned]
    lines = tuple(
        Line(
            dial.says,
            tuple(Point(factor, fmean(each[dial.keyword, factor] for each in turned)) for factor in FACTORS),
        )
        for dial in FLAIRS_DIALS
    )
    note = "Sensitivity: one number of the FFBM at a time, times ½ to 2"
    return Chart(f"sensitivity_{kind}", kind, "factor", "accuracy of the FFBM", lines, marked=1, log_x=True, note=note)


def _draws(by_kind: Mapping[str, Sequence[Played]]) -> Chart:
    lines = []
    for kind, done in by_kind.items():
        means = sorted(fmean(values) for values in zip(*(each.drawn for each in done), strict=True))
        points = tuple(Point(100 * (rank + 0.5) / len(means), mean) for rank, mean in enumerate(means))
        lines.append(Line(kind, points))
    note = "Sensitivity to all numbers at once, and accuracy against lag"
    title = "All numbers turned at random, ½ to 2"
    return Chart("sensitivity_all", title, "percent of models", "accuracy", tuple(lines), note=note)


def _lag(by_kind: Mapping[str, Sequence[Played]], seed: int) -> Chart:
    lines = []
    for kind, done in by_kind.items():
        points = []
        for lag in LAGS:
            values = [each.lags[lag] for each in done if each.lags]
            low, high = interval(values, rng=Random(f"{seed} {kind} lag {lag}"))
            points.append(Point(lag, fmean(values), low, high))
        lines.append(Line(kind, tuple(points)))
    return Chart("lag", "Waiting before answering (FFBM)", "lag in updates", "accuracy", tuple(lines))
