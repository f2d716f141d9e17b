"""``telos train``: train a recogniser on an event log, by counting or, without labels, by expectation maximisation."""

import json
from collections.abc import Iterable, Iterator
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

    from telos.recognition.concurrent import ConcurrentGoalModel
    from telos.recognition.iohmm import IOHMM
    from telos.spark import SparkLog
    from telos.spark.batch import Counted
    from telos.telemetry import Log
    from telos.telemetry.bulk import Evaluation, TrainingCounts


@with_option_groups
def train(
    log: LogArgument,
    model: Annotated[str, typer.Option(help="The recogniser file to train, or the name of one.")] = "aiide",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file for the trained model.", show_default=False)
    ] = None,
    player: Annotated[str | None, typer.Option(help="Learn from this player only.", show_default="all players")] = None,
    *,
    options: LogOptions,
    fold: Annotated[
        int | None,
        typer.Option(help="Leave out this fold of a prepared corpus, to evaluate on.", callback=in_range(0, MAX_FOLDS)),
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(
            help="Also cross-validate: players in so many folds, each read by what the others teach.",
            callback=in_range(2, MAX_FOLDS),
        ),
    ] = None,
    unlabelled: Annotated[
        bool, typer.Option("--unlabelled", help="Learn from play whose goals nobody knows, by EM; labels are ignored.")
    ] = False,
    rounds: Annotated[int, typer.Option(help="With --unlabelled: rounds at most.", callback=in_range(1, 10_000))] = 100,
    starts: Annotated[
        int,
        typer.Option(help="With --unlabelled: random starts, of which the best is kept.", callback=in_range(1, 100)),
    ] = 5,
    anchored: Annotated[
        float,
        typer.Option(
            help="With --unlabelled: what one count of the model is worth beside one event.",
            callback=in_range(0, 1_000_000),
        ),
    ] = 1.0,
    seed: Annotated[int, seed_option("For folds, and for the starts of --unlabelled.")] = 1,
    engine: EngineOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of lines.")] = False,
) -> None:
    """Train a model on the rows of a log whose goal is known, and write it to a readable file.

    What the model has counted before is kept, so training goes on where it stopped. The trained model goes to another
    file. With --unlabelled the goals need not be known: states are found that explain the play, held to the model's own
    counts. Of a concurrent recogniser, the iohmm that it is of is trained, on rows that name several goals: "a + b", or
    "none".

    Examples: telos train play.jsonl --model aiide -o me.yaml; telos train events/ --columns farm-columns.yaml
    --model farm.yaml --cv 10 -o trained.yaml
    """
    from telos.files.writing import check_output
    from telos.recognition.files.load import model_file, named_model, save_model

    if output is None:
        raise TelosError("no output file is given", "name the file for the trained model, as in: -o me.yaml")
    check_selection(fold=fold, cv=cv, player=player)
    on_spark = engine.check({"--unlabelled": unlabelled})
    if unlabelled and cv is not None:
        raise TelosError("--cv needs labels, and --unlabelled has none", "leave one of them out")
    check_output(output, inputs=[*options.inputs(log), model_file(model)])
    loaded = named_model(model)
    refused = {"--cv": cv is not None, "--unlabelled": unlabelled, "--engine": on_spark}
    taught, several = _find_learner(model, loaded, refused)
    if several is not None:
        check_output(output, inputs=[several.source])
    keep, selection = () if fold is None else ("fold",), {"player": player, "leave_out": fold}
    opened: Log | SparkLog
    validated = None
    if on_spark:
        opened, counted, validated = _train_on_spark(log, options, taught, selection, engine.master, keep, cv, seed)
        trained, figures, lines = counted.trained(), *_told(counted)
    elif unlabelled:
        opened = open_command_log(log, options, [taught], keep=keep)

        trained, figures, lines = _train_unlabelled(
            opened, taught, selection, rounds=rounds, starts=starts, anchored=anchored, seed=seed
        )
    elif several is not None:
        opened = open_command_log(log, options, [several], labelled=True, keep=keep)
        trained, figures, lines = _train_concurrent(opened, several, selection)
    else:
        opened = open_command_log(log, options, [taught], labelled=True, keep=keep)
        trained, figures, lines = _train(opened, taught, selection)
        validated = None if cv is None else _cross_validate(opened, taught, cv, seed)
    save_model(trained, output)
    print_log_report(opened)
    if validated is not None:
        figures["cross_validation"] = {"folds": cv, "accuracy": round(validated.accuracy, 6), **_bounds(validated)}
        lines.append(_validation_line(validated, cv or 0))
    if as_json:
        shown = {"log": opened.name, "model": model, "output": str(output), **figures}
        typer.echo(json.dumps({**shown, "rows": opened.report.as_object()}))
    else:
        typer.echo("\n".join([*lines, f"written to {output}"]))


def _find_learner(name: str, model: object, refused: dict[str, bool]) -> "tuple[IOHMM, ConcurrentGoalModel | None]":
    """Return the model that is trained, and the concurrent recogniser that it belongs to, if there is one.

    ``refused`` are options that concurrent recognisers do not have, each with whether it is given.
    """
    from telos.recognition.concurrent import ConcurrentGoalModel
    from telos.recognition.files.kinds import kind_of
    from telos.recognition.iohmm import IOHMM

    if isinstance(model, IOHMM):
        return model, None
    if kind_of(model).name.startswith("markov-logic"):
        raise TelosError(f"{name} learns by its formulas", "train it with: telos logic learn")
    if not isinstance(model, ConcurrentGoalModel):
        raise TelosError(f"{name} is written by hand and learns nothing", "train an iohmm, as in: --model aiide")
    for option, is_given in refused.items():
        if is_given:
            raise TelosError(
                f"{option} is for goals that exclude one another, and {name} is concurrent", "leave it out"
            )
    if not isinstance(model.model, IOHMM):
        raise TelosError(
            f"{name} is of a recogniser that is written by hand and learns nothing", "name an iohmm under `of`"
        )
    return model.model, model


def _train(opened: "Log", model: "IOHMM", selection: dict[str, Any]) -> tuple["IOHMM", dict[str, Any], list[str]]:
    """Return the trained model, the figures for JSON, and the lines for people."""
    from telos.telemetry.bulk import TrainingCounts, trained_model

    counts = TrainingCounts(model)
    with log_progress(opened, "learning") as progress:
        for frame in select_rows(opened, opened.batches(progress), **selection):
            counts.count(frame)
    if counts.unlabelled == counts.events:
        raise TelosError(
            f"{opened.name}: no row says what the player was after",
            f'add "truth": "{model.goals[0]}" to its lines; or learn without: --unlabelled',
        )
    return trained_model(model, counts.table), *_told(counts)


def _train_concurrent(
    opened: "Log", model: "ConcurrentGoalModel", selection: dict[str, Any]
) -> tuple["IOHMM", dict[str, Any], list[str]]:
    """Return the same as ``_train`` for rows that may name several goals, or none."""
    from telos.telemetry.bulk import ConcurrentTrainingCounts, trained_model

    counts = ConcurrentTrainingCounts(model)
    with log_progress(opened, "learning") as progress:
        for frame in select_rows(opened, opened.batches(progress), **selection):
            counts.count(frame)
    if counts.unlabelled == counts.events:
        raise TelosError(
            f"{opened.name}: no row says what the player was after",
            f'add "truth": "{" + ".join(model.goals[:2])}" to its lines, or "none"',
        )
    figures = {
        "events": counts.events,
        "learned": counts.taught,
        "several": counts.several,
        "none": counts.without,
        "unknown": counts.unlabelled,
        "goals": counts.learned,
        "players": counts.players,
    }
    learned = ", ".join(f"{goal} {count:,}" for goal, count in counts.learned.items())
    lines = [
        f"learned from {counts.taught:,} of {counts.events:,} events ({learned}); {counts.several:,} had several goals",
        f"{counts.without:,} had none, {counts.unlabelled:,} no known goal",
        "a file of the kind `recognizer: concurrent` that names it under `of` reads each goal by itself",
    ]
    return trained_model(counts.model, counts.table), figures, lines


def _train_on_spark(
    log: list[str],
    options: LogOptions,
    model: "IOHMM",
    selection: dict[str, Any],
    master: str | None,
    keep: tuple[str, ...],
    cv: int | None,
    seed: int,
) -> "tuple[SparkLog, Counted, Evaluation | None]":
    from telos.spark.batch import check_learner, count_players
    from telos.spark.folds import validate_players

    check_learner(model)
    how: dict[str, Any] = {"master": master, "labelled": True, "keep": keep, "label": "learning"}
    with open_cluster_log(log, options, [model], **how) as opened:
        counted = count_players(opened.select(**selection), model)
        validated = None if cv is None else validate_players(opened, {"": model}, folds=cv, seed=seed)[""]
    return opened, counted, validated


def _told(counts: "TrainingCounts | Counted") -> tuple[dict[str, Any], list[str]]:
    """Return the figures for JSON, and the lines for people."""
    figures = _figures(counts)
    learned = ", ".join(f"{goal} {count:,}" for goal, count in figures["goals"].items())
    return figures, [
        f"learned from {figures['learned']:,} of {figures['events']:,} events ({learned})",
        f"{figures['unknown']:,} had no known goal, {figures['uncounted']:,} the clock does not count",
    ]


def _figures(counts: "TrainingCounts | Counted") -> dict[str, Any]:
    learned = sum(counts.learned.values())
    return {
        "events": counts.events,
        "learned": learned,
        "unknown": counts.unlabelled,
        "uncounted": counts.events - counts.unlabelled - learned,
        "goals": counts.learned,
        "players": counts.players,
    }


def _cross_validate(opened: "Log", model: "IOHMM", folds: int, seed: int) -> "Evaluation":
    from telos.telemetry.bulk import cross_validate

    def batches() -> "Iterable[pl.DataFrame]":
        with log_progress(opened, "cross-validating") as progress:
            yield from opened.batches(progress)

    return cross_validate(batches, {"": model}, folds=folds, seed=seed)[""]


def _bounds(found: "Evaluation") -> dict[str, Any]:
    low, high = found.interval
    return {"low": None if low != low else round(low, 6), "high": None if high != high else round(high, 6)}


def _validation_line(found: "Evaluation", folds: int) -> str:
    low, high = found.interval
    return (
        f"cross-validated in {folds} folds: right at {found.accuracy:.1%} of updates, in the mean over"
        f" {found.players.height:,} players (95 % interval {low:.1%} to {high:.1%})"
    )


# --- without labels ---


def _train_unlabelled(
    opened: "Log",
    model: "IOHMM",
    selection: dict[str, Any],
    *,
    rounds: int,
    starts: int,
    anchored: float,
    seed: int,
) -> tuple["IOHMM", dict[str, Any], list[str]]:
    """Return the fitted model, the figures for JSON, and the lines for people."""
    from rich.console import Console
    from rich.progress import Progress

    from telos.recognition.em import EMOptions
    from telos.telemetry.bulk.em import train_unlabelled

    strength = None if model.learned is None else model.learned.strength
    options = EMOptions(anchored=anchored, transitions=strength, rounds=rounds)
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("fitting", total=starts * rounds)
        ran: dict[int, int] = {}

        def show(start: int, fit: float) -> None:
            ran[start] = ran.get(start, 0) + 1
            done = start * rounds + ran[start]
            bar.update(task, completed=done, description=f"start {start + 1} of {starts}, fit {fit:.4f}")

        found = train_unlabelled(
            _rows(opened, selection), model, options=options, starts=starts, seed=seed, progress=show
        )
    if not found.events:
        raise TelosError(f"{opened.name}: there is nothing to learn from")
    figures = {
        "events": found.events,
        "updates": found.updates,
        "players": found.players,
        "held_out_players": found.held_out,
        "rounds": len(found.result.log_likelihoods),
        "fits": [round(each, 6) for each in found.fits],
        "fit_before": round(found.before, 6),
        "fit": round(found.after, 6),
    }
    judged = f"{found.held_out:,} players held out" if found.held_out else "the same players"
    lines = [
        f"learned without labels from {found.updates:,} updates of {found.players:,} players,"
        f" in {figures['rounds']} rounds; the best of {len(found.fits)} starts",
        f"log-likelihood of an update: {found.after:.4f}, before {found.before:.4f} (judged by {judged})",
    ]
    if not any(count for row in model.counts.seen.values() for count in row.values()):
        lines.append(
            "nothing ties a goal to its name: the model has counted no labelled play, so look at what each goal does"
        )
    return found.model, figures, lines


def _rows(opened: "Log", selection: dict[str, Any]) -> "Iterator[pl.DataFrame]":
    with log_progress(opened, "reading") as progress:
        yield from select_rows(opened, opened.batches(progress), **selection)
