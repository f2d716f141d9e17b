"""``telos corpus``: make corpora of event tables, and record logs of simulated players."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from telos.cli.common import MAX_COUNT, in_range, jobs_option, seed_option, with_option_groups
from telos.cli.logs.cluster import (
    EngineOptions,
    address_of,
    check_folder,
    open_cluster_table,
)
from telos.cli.logs.options import (
    LogArgument,
    LogOptions,
    log_progress,
    print_report,
)
from telos.core.errors import TelosError

if TYPE_CHECKING:
    from telos.telemetry.corpus import Corpus, CorpusStatistics

corpus = typer.Typer(
    add_completion=False,
    name="corpus",
    help="Make a corpus of an event table: actions with the goals that they led to, in folds.",
    no_args_is_help=True,
)

_MAX_PLAYERS = 100_000  # the log is made in memory: about 650 events a player


@corpus.command()
@with_option_groups
def prepare(
    log: LogArgument,
    *,
    options: LogOptions,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the corpus here: .parquet, .csv, .jsonl or .db.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="For .db: the formulas whose predicates are to be stated.", show_default=False)
    ] = None,
    folds: Annotated[
        int, typer.Option(help="Folds, dealt by player or group; 0 for none.", callback=in_range(0, MAX_COUNT))
    ] = 10,
    seed: Annotated[int, seed_option("One seed fixes the folds.")] = 1,
    engine: EngineOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
) -> None:
    """Label every action with the next goal achieved, remove the achieving actions and the tail, and deal folds.

    Examples: telos corpus prepare events.csv.gz --columns crafter -o crafter.parquet;
    telos corpus prepare island.csv --columns island -o island.db --model island.mln
    """
    from telos.telemetry.writing import FORMATS, check_writable  # here, so that `telos --help` need not wait

    local = {"--skip-bad": options.skip_bad, "--drop-duplicates": options.drop_duplicates, "--sort": options.sort}
    on_spark = engine.check({"--model": model, **local})
    name = log[0] if len(log) == 1 else f"{len(log)} logs"
    setting: dict[str, Any] = {"log": name, "output": str(output) if output else None, "seed": seed}
    if on_spark:
        if output is not None:
            check_folder(output)
        figures = _prepare_on_spark(log, options.columns, output, engine.master, folds=folds, seed=seed)
    else:
        if output is not None:
            check_writable(output, (*FORMATS, ".db"), inputs=[*options.inputs(log), model])
            if (output.suffix == ".db") != (model is not None):
                remedy = "say both, as in -o all.db --model goals.mln"
                raise TelosError("a .db file states the predicates of a model", remedy)
        found = _prepared(log, options, folds=folds, seed=seed)
        figures = found.statistics()
        if output is not None:
            _write(found, output, model)
        if found.report is not None:
            print_report(found.report)
            setting |= {"rows_of_the_log": found.report.as_object()} if as_json else {}
    _print_statistics(figures, setting, as_json)
    if output is not None:
        typer.echo(f"written to {output}", err=as_json)


def _prepare_on_spark(
    log: list[str], columns: str | None, output: Path | None, master: str | None, *, folds: int, seed: int
) -> "CorpusStatistics":
    """Let a cluster make the corpus, and write it as a folder of Parquet."""
    from telos.spark import prepare
    from telos.telemetry.columns import named_columns

    described = None if columns is None else named_columns(columns)
    with open_cluster_table([address_of(Path(each)) for each in log], master=master, label="preparing") as frame:
        try:
            found = prepare(frame, described, folds=folds, seed=seed)
        except TelosError as error:
            raise error.at(log[0]) from None
        try:
            if output is not None:
                found.frame.write.parquet(address_of(output))
            return found.statistics()
        finally:
            found.release()


def _write(found: "Corpus", output: Path, model: Path | None) -> None:
    from telos.telemetry.writing import write_table

    if model is None:
        write_table(found.frame, output)
        return
    from telos.files.writing import add_end_mark, write_text
    from telos.logic.syntax import load_mln
    from telos.telemetry.databases import facts_text

    write_text(output, add_end_mark(facts_text(found, load_mln(model)), "//"))


def _prepared(log: list[str], options: LogOptions, *, folds: int, seed: int) -> "Corpus":
    """Return the corpus of a log; errors name the log."""
    from telos.telemetry.corpus import prepare
    from telos.telemetry.sources import open_source

    opened = open_source(log[0] if len(log) == 1 else list(log))
    try:
        with log_progress(opened, "preparing") as progress:
            return prepare(opened, options.columns, folds=folds, seed=seed, progress=progress, **options.how)
    except TelosError as error:
        raise (error if error.message.startswith(opened.name) else error.at(opened.name)) from None


@corpus.command()
def island(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file for the log: .parquet, .csv or .jsonl.", show_default=False),
    ] = None,
    players: Annotated[int, typer.Option(help="How many simulated players.", callback=in_range(1, _MAX_PLAYERS))] = 137,
    seed: Annotated[int, seed_option("One seed fixes all of them.")] = 1,
    jobs: Annotated[int, jobs_option("Processes that share the work; the log stays the same.")] = 1,
    variant: Annotated[str, typer.Option(help="How players are simulated: today, or text.")] = "today",
    intentions: Annotated[
        bool, typer.Option("--intentions", help="Add a column `truth`: all goals that the player pursued, or none.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
) -> None:
    """Let simulated players loose on the island, write their log, and print what corpus it makes.

    The file is the raw log, a row for each action; `telos corpus prepare FILE --columns island` makes the corpus.

    Example: telos corpus island --players 137 --seed 1 -o island.parquet
    """
    from telos.telemetry.writing import check_writable, write_rows  # here, so that `telos --help` need not wait

    if output is None:
        raise TelosError("where should the log go? name a file, as in: -o island.parquet")
    check_writable(output)
    if output.suffix == ".parquet":
        from telos.telemetry import tables  # noqa: F401  said before the work, not after it
    rows = _recorded(players, seed, jobs, variant, intentions=intentions)
    write_rows(rows, output)
    setting = {"players_recorded": players, "seed": seed, "variant": variant, "output": str(output), "simulated": True}
    _print_island_statistics(output, setting, as_json)
    typer.echo(f"{len(rows):,} events of {players:,} simulated players, written to {output}", err=as_json)


def _recorded(players: int, seed: int, jobs: int, variant: str, *, intentions: bool) -> list[dict[str, Any]]:
    """Return the rows of a log of simulated players, with a progress bar in a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    from telos.telemetry.logs import align_rows, iter_play_rows
    from telos.worlds.island.playthrough import find_pursued, record_players

    waiting = Console(stderr=True)
    with Progress(console=waiting, transient=True, disable=not waiting.is_terminal) as progress:
        task = progress.add_task("playing", total=players)
        plays = record_players(players, seed, jobs, lambda *_: progress.advance(task), variant=variant)
    rows = align_rows(iter_play_rows(plays))
    if intentions:
        from telos.telemetry.bulk import join_truth

        truths = (join_truth(goals) for play in plays for goals in find_pursued(play))
        rows = [{**row, "truth": truth} for row, truth in zip(rows, truths, strict=True)]
    return rows


def _print_island_statistics(output: Path, setting: dict[str, Any], as_json: bool) -> None:
    """Print the statistics of a log that was just written, or why there are none; the log is kept."""
    try:
        figures = _prepared([str(output)], LogOptions("island"), folds=0, seed=1).statistics()
    except TelosError as error:  # polars is missing, or too few players achieved anything
        typer.echo(str(error), err=True)
        if as_json:
            typer.echo(json.dumps(setting))
        return
    _print_statistics(figures, setting, as_json)


def _print_statistics(figures: "CorpusStatistics", setting: dict[str, Any], as_json: bool) -> None:
    """Print the statistics, as tables or as JSON."""
    if as_json:
        typer.echo(json.dumps({**setting, **figures.as_object()}))
        return
    from rich.console import Console
    from rich.table import Table

    console = Console()
    for title, heads, rows in figures.tables():
        table = Table(title=title, title_justify="left", show_header=any(heads))
        for i, head in enumerate(heads):
            table.add_column(head, justify="right" if i else "left")
        for row in rows:
            table.add_row(*row)
        console.print(table)
