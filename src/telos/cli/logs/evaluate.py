"""``telos evaluate``: how often recognisers are right about labelled players, and what they mix up."""

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from telos.cli.common import in_range, seed_option, with_option_groups
from telos.cli.logs.cluster import EngineOptions, open_cluster_log
from telos.cli.logs.options import (
    MAX_FOLDS,
    LogArgument,
    LogOptions,
    check_selection,
    log_progress,
    open_command_log,
    print_log_report,
    select_rows,
)
from telos.core.errors import TelosError

if TYPE_CHECKING:
    import polars as pl

    from telos.recognition.files.load import RecognizerModel
    from telos.spark import SparkLog
    from telos.telemetry import Log
    from telos.telemetry.bulk import ConcurrentScores, Evaluation


@with_option_groups
def evaluate(
    log: LogArgument,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model", help="A recogniser file, or the name of one; may be repeated.", show_default="adventure"
        ),
    ] = None,
    player: Annotated[str | None, typer.Option(help="Only this player.", show_default="all players")] = None,
    *,
    options: LogOptions,
    fold: Annotated[
        int | None,
        typer.Option(help="Only the players in this fold of a prepared corpus.", callback=in_range(0, MAX_FOLDS)),
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(
            help="Cross-validate: deal the players into so many folds, and train counting models on the others.",
            callback=in_range(2, MAX_FOLDS),
        ),
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page with plots into this .html file.")] = None,
    seed: Annotated[int, seed_option("For folds, and for recognisers that start with a guess.")] = 1,
    engine: EngineOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
) -> None:
    """Compare what recognisers believe with what the players were after, at each update.

    All are scored at the same moments: the updates of the first model that has a clock. The accuracy is the mean over
    players, each by the share of updates at which the likeliest goal was the right one; the interval holds the mean of
    such players with 95 % confidence.

    Examples: telos evaluate play.jsonl --model flairs --model flairs-constant --model flairs-fsm;
    telos evaluate corpus.parquet --model farm.yaml --model baseline.yaml --cv 10 --report scores.html
    """
    from telos.files.writing import check_output
    from telos.recognition.files.kinds import has_concurrent_goals
    from telos.recognition.files.load import model_file, named_model

    names = list(dict.fromkeys(models or ["adventure"]))
    check_selection(fold=fold, cv=cv, player=player)
    on_spark = engine.check()
    if report is not None:
        if report.suffix not in (".html", ".htm"):
            raise TelosError(f"--report {report}: the page is HTML", "give a name that ends in .html")
        check_output(report, inputs=[*options.inputs(log), *(Path(model_file(name)) for name in names)])
    loaded = {name: named_model(name) for name in names}
    concurrent = [name for name, model in loaded.items() if has_concurrent_goals(model)]
    if concurrent:
        if len(concurrent) < len(loaded) or on_spark or cv is not None or report is not None:
            raise TelosError(
                f"the goals of {concurrent[0]} do not exclude one another, and are scored one by one",
                "name only such models, and leave out --cv, --report and --engine",
            )
        _evaluate_concurrent(log, options, loaded, {"player": player, "only": fold}, seed=seed, as_json=as_json)
        return
    keep = () if fold is None else ("fold",)
    selection = {"player": player, "only": fold}
    opened: Log | SparkLog
    if on_spark:
        opened, scores = _scores_on_spark(log, options, loaded, selection, engine.master, keep, cv, seed)
    else:
        opened = open_command_log(log, options, list(loaded.values()), labelled=True, keep=keep)
        scores = _scores(opened, loaded, selection, cv, seed)
    if not next(iter(scores.values())).updates:
        raise TelosError(
            f"{opened.name}: {names[0]} counts none of the events whose goal is known", "look at its `clock`"
        )
    if report is not None:
        from telos.telemetry.analytics import save_scores

        save_scores(scores, report, log=opened.name, goals=_goals(loaded), folds=cv)
    print_log_report(opened)
    if as_json:
        shown = [_figures(score, tuple(loaded[name].goals)) for name, score in scores.items()]
        said = {"log": opened.name, **({} if cv is None else {"folds": cv}), "models": shown}
        typer.echo(json.dumps({**said, "rows": opened.report.as_object()}, indent=2))
    else:
        _print_scores(scores, _goals(loaded), cv)
    if report is not None:
        typer.echo(f"written to {report}", err=as_json)


def _evaluate_concurrent(
    log: list[str],
    options: LogOptions,
    models: "dict[str, RecognizerModel]",
    selection: dict[str, Any],
    *,
    seed: int,
    as_json: bool,
) -> None:
    """Print precision, recall and F1 of each goal, for recognisers whose goals do not exclude one another."""
    from telos.telemetry.bulk import ConcurrentCounts

    keep = () if selection["only"] is None else ("fold",)
    opened = open_command_log(log, options, list(models.values()), labelled=True, keep=keep)
    counts = ConcurrentCounts(models, seed=seed)
    with log_progress(opened, "scoring") as progress:
        for frame in select_rows(opened, opened.batches(progress), **selection):
            counts.count(frame)
    if not any(each.rows for each in counts.scores.values()):
        raise TelosError(
            f"{opened.name}: no row says what the player was after",
            'add "truth" to its lines: a goal, several joined with +, or none',
        )
    print_log_report(opened)
    if as_json:
        shown = [{"model": name, **each.data()} for name, each in counts.scores.items()]
        typer.echo(json.dumps({"log": opened.name, "models": shown, "rows": opened.report.as_object()}, indent=2))
    else:
        _print_concurrent(counts.scores)


def _print_concurrent(scores: "Mapping[str, ConcurrentScores]") -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    for name, score in scores.items():
        table = Table(box=None, pad_edge=False, title=f"{name}: each goal by itself", title_justify="left")
        table.add_column("goal", no_wrap=True)
        for heading in ("precision", "recall", "F1", "pursued", "read"):
            table.add_column(heading, justify="right", no_wrap=True)
        for goal, each in score.counts.items():
            shares = ("-" if share is None else f"{share:.1%}" for share in (each.precision, each.recall, each.f1))
            table.add_row(goal, *shares, f"{each.both + each.missed:,}", f"{each.both + each.false:,}")
        console.print(table)
        console.print(
            f"F1 {score.micro_f1:.1%} over all goals, {score.macro_f1:.1%} as the mean over goals; calibration error "
            f"{score.calibration_error:.3f}; {score.rows:,} rows, {score.several:,} with several goals"
        )


def _goals(models: "dict[str, RecognizerModel]") -> dict[str, tuple[str, ...]]:
    return {name: tuple(model.goals) for name, model in models.items()}


def _scores(
    opened: "Log", models: "dict[str, RecognizerModel]", selection: dict[str, Any], folds: int | None, seed: int
) -> "dict[str, Evaluation]":
    from telos.telemetry.bulk import Evaluation, ScoreCounts, cross_validate

    def batches() -> "Iterable[pl.DataFrame]":
        with log_progress(opened, "scoring") as progress:
            yield from select_rows(opened, opened.batches(progress), **selection)

    if folds is not None:
        return cross_validate(batches, models, folds=folds, seed=seed)
    counts = ScoreCounts(models, seed=seed)
    for frame in batches():
        counts.count(frame)
    if not counts.labelled:
        goal = next(iter(next(iter(models.values())).goals))
        raise TelosError(f"{opened.name}: no row says what the player was after", f'add "truth": "{goal}" to its lines')
    table = counts.table
    return {name: Evaluation(name, table) for name in models}


def _scores_on_spark(
    log: list[str],
    options: LogOptions,
    models: "dict[str, RecognizerModel]",
    selection: dict[str, Any],
    master: str | None,
    keep: tuple[str, ...],
    folds: int | None,
    seed: int,
) -> "tuple[SparkLog, dict[str, Evaluation]]":
    from telos.spark.batch import score_players
    from telos.spark.folds import validate_players

    how: dict[str, Any] = {"master": master, "labelled": True, "keep": keep, "label": "scoring"}
    with open_cluster_log(log, options, list(models.values()), **how) as opened:
        if folds is not None:
            return opened, validate_players(opened, models, folds=folds, seed=seed)
        return opened, score_players(opened.select(**selection), models)


def _figures(score: "Evaluation", goals: tuple[str, ...]) -> dict[str, Any]:
    """Return the scores as JSON data."""
    low, high = score.interval
    cells = {(truth, believed): count for truth, believed, count in score.confusion.rows()}
    return {
        "model": score.model,
        "accuracy": round(score.accuracy, 6),
        "accuracy_low": _finite(low),
        "accuracy_high": _finite(high),
        "accuracy_of_updates": round(score.accuracy_of_updates, 6),
        "log_loss": round(score.log_loss, 6),
        "brier_score": round(score.brier_score, 6),
        "calibration_error": round(score.calibration_error, 6),
        "updates": score.updates,
        "players": {
            player: {"accuracy": round(accuracy, 6), "updates": updates}
            for player, accuracy, updates in score.players.rows()
        },
        "confusion": {truth: {believed: cells.get((truth, believed), 0) for believed in goals} for truth in goals},
        "calibration": [
            {"bin": bin, "updates": updates, "confidence": round(confidence, 6), "accuracy": round(accuracy, 6)}
            for bin, updates, confidence, accuracy in score.calibration.rows()
        ],
    }


def _finite(value: float) -> float | None:
    return round(value, 6) if math.isfinite(value) else None


def _print_scores(scores: "dict[str, Evaluation]", goals: dict[str, tuple[str, ...]], folds: int | None) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    first = next(iter(scores.values()))
    players = first.players["player"].to_list()
    table = Table(box=None, pad_edge=False)
    table.add_column("model", no_wrap=True)
    shown = players[:6] if len(players) < 3 or console.width >= 120 else []
    for heading in ("mean", *(("95 % interval",) if len(players) > 1 else ()), "ECE", *shown):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, each in scores.items():
        low, high = each.interval
        by_player = dict(each.players.select("player", "accuracy").rows())
        interval = [f"{low:.1%} – {high:.1%}"] if len(players) > 1 else []
        own = [f"{by_player[player]:.1%}" for player in shown]
        table.add_row(name, f"{each.accuracy:.1%}", *interval, f"{each.calibration_error:.1%}", *own)
    dealt = "" if folds is None else f" in {folds} folds"
    console.print(
        f"how often the likeliest goal was right, at {first.updates:,} updates of {len(players):,} players{dealt}:"
    )
    console.print(table)
    if len(players) > len(shown) and shown:
        console.print(f"… and {len(players) - len(shown)} more players; --json has them all")
    for name, each in list(scores.items())[1:]:
        lead, low, high = each.lead_over(first)
        if math.isfinite(low):
            console.print(
                f"{name} − {first.model}: {lead:+.1%} over the same players (95 % interval {low:+.1%} to {high:+.1%})",
                markup=False,
            )
    for name, each in scores.items():
        console.print(f"\n{name} believed:", markup=False)
        console.print(_confusion_table(each, goals[name], console.width))


def _confusion_table(score: "Evaluation", goals: tuple[str, ...], width: int) -> Any:
    from rich.table import Table

    rows, headings = list(goals), list(goals)
    if sum(len(goal) + 2 for goal in headings) + max(map(len, rows)) > width:  # too wide: number the columns
        headings = [str(number) for number, _ in enumerate(rows, start=1)]
        rows = [f"{number} {goal}" for number, goal in zip(headings, rows, strict=True)]
    table = Table(box=None, pad_edge=False)
    table.add_column("was after", no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    cells = {(truth, believed): count for truth, believed, count in score.confusion.rows()}
    for row, truth in zip(rows, goals, strict=True):
        table.add_row(row, *(f"{cells.get((truth, believed), 0):,}" for believed in goals))
    return table
