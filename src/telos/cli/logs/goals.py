"""``telos goals``: what the players of a log are after, how their goals follow one another, and where they stop."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from telos.cli.common import in_range, with_option_groups
from telos.cli.logs.cluster import EngineOptions, open_cluster_log
from telos.cli.logs.options import (
    LogArgument,
    LogOptions,
    log_progress,
    open_command_log,
    print_log_report,
)
from telos.core.errors import TelosError

if TYPE_CHECKING:
    from telos.recognition.files.load import RecognizerModel
    from telos.spark import SparkLog
    from telos.telemetry import Log
    from telos.telemetry.analytics import GoalAnalysis, Stretches, StretchRules

MAX_GAP = 30 * 86_400.0  # seconds


@with_option_groups
def goals(
    log: LogArgument,
    model: Annotated[str, typer.Option(help="A recogniser file, or the name of one.")] = "adventure",
    *,
    options: LogOptions,
    report: Annotated[Path | None, typer.Option(help="Write a page for people into this .html file.")] = None,
    where: Annotated[str | None, typer.Option(help="The column with the place of an event.")] = None,
    segment: Annotated[str | None, typer.Option(help="The column with the group that a player belongs to.")] = None,
    player: Annotated[str | None, typer.Option(help="Tell the story of this player, too.")] = None,
    gap: Annotated[
        float,
        typer.Option(
            help="Seconds without an event after which another session begins.",
            callback=in_range(0, MAX_GAP, is_open=True),
        ),
    ] = 1800.0,
    unsure: Annotated[
        float, typer.Option(help="Readings less certain than this are no goal.", callback=in_range(0, 1))
    ] = 0.5,
    engine: EngineOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
) -> None:
    """Read all players of a log after the fact, and count what they were after.

    Time in each goal, how goals follow one another, where players linger, give up and leave, goals by week of play and
    by segment, the sessions to look at, and the story of one player.

    Examples: telos goals events.parquet --model farm.yaml --report goals.html;
    telos goals logs/ --model farm.yaml --columns farm-columns.yaml --where area --segment platform --json
    """
    from telos.files.writing import check_output
    from telos.recognition.files.load import model_file, named_model
    from telos.telemetry.analytics import StretchRules, analyse

    on_spark = engine.check({"--sort": options.sort})
    if report is not None:
        if report.suffix not in (".html", ".htm"):
            raise TelosError(f"--report {report}: the page is HTML", "give a name that ends in .html")
        check_output(report, inputs=[*options.inputs(log), Path(model_file(model))])
    rules = StretchRules(gap=gap, unsure=unsure, where=where, segment=segment)
    reader = named_model(model)
    opened: Log | SparkLog
    if on_spark:
        opened, stretches = _stretches_on_spark(log, options, reader, rules, engine.master)
    else:
        opened = open_command_log(log, options, [reader], keep=rules.columns)
        stretches = _stretches(opened, reader, rules)
    found = analyse(stretches, tuple(reader.goals), rules)
    if player is not None:
        found.story(player)  # an unknown one is refused before anything is printed
    if report is not None:
        from telos.telemetry.analytics import save_page

        save_page(found, report, log=opened.name, model=model, player=player)
    print_log_report(opened)
    if as_json:
        shown = {"log": opened.name, "model": model, **found.as_object(player), "rows": opened.report.as_object()}
        typer.echo(json.dumps(shown))
    else:
        _print_analysis(found, player)
    if report is not None:
        typer.echo(f"written to {report}", err=as_json)


def _stretches(log: "Log", model: "RecognizerModel", rules: "StretchRules") -> "Stretches":
    """Return the stretches of all players, a part of the players at a time."""
    from telos.telemetry.analytics import find_readings, find_stretches, whole_sessions

    found: Stretches | None = None
    with log_progress(log, "reading") as progress:
        for frame in whole_sessions(log.batches(progress)):
            part = find_stretches(find_readings(frame, model, keep=rules.columns), rules)
            found = part if found is None else found + part
    if found is None:
        raise TelosError(f"{log.name}: there are no events in this log")
    return found


def _stretches_on_spark(
    log: list[str], options: LogOptions, model: "RecognizerModel", rules: "StretchRules", master: str | None
) -> "tuple[SparkLog, Stretches]":
    from telos.spark.batch import find_spark_stretches

    with open_cluster_log(log, options, [model], master=master, keep=rules.columns, label="reading") as opened:
        return opened, find_spark_stretches(opened, model, rules)


def _print_analysis(found: "GoalAnalysis", player: str | None) -> None:
    from rich.console import Console

    from telos.telemetry.analytics.analysis import duration, percent

    console = Console(highlight=False)
    overview = found.overview
    console.print(
        f"{overview['players']:,} players, {overview['sessions']:,} sessions, {overview['events']:,} events,"
        f" {overview['hours']:,.1f} h of play; {percent(overview['unsure'])} of it uncertain"
    )
    known = overview["reports_achievements"]
    rows = [
        (row["goal"], percent(row["share"]), f"{row['stretches']:,}", duration(row["median_seconds"]),
         percent(row["achieved"]) if known else "–", percent(row["stopped"]) if known else "–", percent(row["left"]))
        for row in found.time.rows(named=True)
    ]  # fmt: skip
    _print_table(("goal", "time", "pursuits", "median", "achieved", "given up", "session ends"), rows)
    nexts = [
        (row["source"], row["target"], f"{row['count']:,}", percent(row["share"]))
        for row in found.flow.sort("count", descending=True).head(10).rows(named=True)
    ]
    console.print("\nwhat follows what, the ten most frequent:")
    _print_table(("after", "comes", "times", "share"), nexts, texts=2)
    for finding in found.why():
        console.print(f"- {finding}", markup=False, soft_wrap=True)
    if player is not None:
        console.print(f"\nthe story of {player}:", markup=False)
        story = [
            (row["goal"] or "unsure", f"{row['number']}", duration(row["after"]), duration(row["seconds"]),
             percent(row["certainty"]), "achieved" if row["achieved"] else row["end"] or "")
            for row in found.story(player).rows(named=True)
        ]  # fmt: skip
        _print_table(("goal", "session", "after", "for", "sure", "outcome"), story)


def _print_table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], *, texts: int = 1) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for place, head in enumerate(heads):
        table.add_column(head, justify="left" if place < texts else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    Console(highlight=False).print(table)
