"""The curves of the second study: amount of training, lag, what first lessons are worth later, and sensitivity."""

from collections.abc import Mapping, Sequence
from random import Random
from statistics import fmean

from telos.studies.gold_aiide_models import by_dial, by_lag, by_lessons, by_weight
from telos.studies.gold_aiide_runs import Game, counts_of, untrained
from telos.studies.report_parts import Chart, Grid, Line, Point
from telos.studies.sensitivity import AIIDE_DIALS, FACTORS
from telos.studies.statistics import interval


def charts(firsts: Sequence[Game], pairs: Sequence[tuple[Game, Game]], seed: int) -> tuple[tuple[Chart, ...], ...]:
    """Return the charts of the study, in rows."""
    later = [each for _, each in pairs]
    kinds = {"first run": firsts, "later run": later}
    lessons = Chart(
        "training",
        "Amount of training",
        "lessons of each goal",
        "accuracy",
        tuple(_line(kind, by_lessons(games), seed) for kind, games in kinds.items()),
        log_x=True,
        note="Accuracy against amount of training, and what first lessons are worth later",
    )
    weights = Chart(
        "first_lessons",
        "Keeping the lessons of the first run",
        "weight of the first run's lessons",
        "accuracy",
        (_line("later run", by_weight(pairs), seed),),
    )
    lag = Chart(
        "lag",
        "Waiting before answering",
        "lag in updates",
        "accuracy",
        tuple(_line(kind, by_lag(games), seed) for kind, games in kinds.items()),
        note="Accuracy against lag, and sensitivity",
    )
    return ((lessons, weights), (lag, _sensitivity(firsts)))


def what_players_do(firsts: Sequence[Game], later: Sequence[Game]) -> Grid:
    """Return what updates of the test rounds are under each goal, in first and in later runs."""
    names = untrained().symbols.names
    rows = []
    for kind, games in {"first run": firsts, "later run": later}.items():
        counts = counts_of(update for game in games for update in game.test)
        for goal, seen in counts.items():
            total = sum(seen.values()) or 1.0
            rows.append((f"{kind}, {goal}", tuple(seen.get(name, 0.0) / total for name in names)))
    headings = tuple(name.replace("_", " ") for name in names)
    return Grid("what_players_do", "What players do under each goal: shares of updates", headings, tuple(rows))


def _line(name: str, values: Mapping[float, Sequence[float]] | Mapping[int, Sequence[float]], seed: int) -> Line:
    points = []
    for x, each in values.items():
        low, high = interval(each, rng=Random(f"{seed} {name} {x}"))
        points.append(Point(x, fmean(each), low, high))
    return Line(name, tuple(points))


def _sensitivity(games: Sequence[Game]) -> Chart:
    means = by_dial(games)
    lines = tuple(
        Line(dial.says, tuple(Point(factor, means[dial.keyword, factor]) for factor in FACTORS)) for dial in AIIDE_DIALS
    )
    return Chart(
        "sensitivity", "One number times ½ to 2 (first run)", "factor", "accuracy", lines, marked=1, log_x=True
    )
