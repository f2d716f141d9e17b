"""``telos recognize``: the belief about each player's goal, event by event, or what it comes to after the fact."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from telos.cli.common import MAX_COUNT, in_range, seed_option, with_option_groups
from telos.cli.logs.cluster import (
    EngineOptions,
    address_of,
    check_folder,
    open_cluster_log,
)
from telos.cli.logs.hindsight import Summaries
from telos.cli.logs.options import (
    LogArgument,
    LogOptions,
    format_time,
    log_progress,
    open_command_log,
    player_keys,
    player_label,
    print_log_report,
    select_rows,
)
from telos.core.errors import TelosError

if TYPE_CHECKING:
    import polars as pl

    from telos.recognition.files.load import RecognizerModel
    from telos.recognition.recognizer import Recognizer
    from telos.spark import SparkLog
    from telos.telemetry import Log
    from telos.telemetry.bulk import LiveReader

_CELLS = 8  # width of a belief bar
_EIGHTHS = " ▏▎▍▌▋▊▉"
_OWN = ["row", "player", "session", "time", "action"]
MAX_LAG = 1000


@with_option_groups
def recognize(
    log: LogArgument,
    model: Annotated[str, typer.Option(help="A recogniser file, or the name of one that comes along.")] = "adventure",
    player: Annotated[str | None, typer.Option(help="Only this player.", show_default="all players")] = None,
    *,
    options: LogOptions,
    lag: Annotated[
        int | None,
        typer.Option(
            help="The belief about so many updates ago, smoothed by those since.", callback=in_range(0, MAX_LAG)
        ),
    ] = None,
    story: Annotated[
        bool, typer.Option("--story", help="Print the likeliest sequence of goals of each session instead.")
    ] = False,
    surprise: Annotated[
        float | None,
        typer.Option(
            help="Instead, print where hindsight overturns the belief and moves at least this share of it.",
            callback=in_range(0, 1),
        ),
    ] = None,
    recap: Annotated[
        bool, typer.Option("--recap", help="Instead, tell each player in a sentence what she was doing last.")
    ] = False,
    style: Annotated[
        list[str] | None,
        typer.Option(help="Instead, compare --model with this one by how well each session fits; may be repeated."),
    ] = None,
    unknown: Annotated[
        str | None,
        typer.Option(
            metavar="LOG",
            help="Instead, print where players seem to have a goal that the model lacks; LOG: play with known goals.",
        ),
    ] = None,
    why: Annotated[
        int,
        typer.Option(help="Explain at the end what the last so many updates added.", callback=in_range(0, MAX_COUNT)),
    ] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write to this file: .parquet, .csv or .jsonl (these also with .gz); with Spark, to this folder.",
        ),
    ] = None,
    seed: Annotated[int, seed_option("For recognisers that start with a guess.")] = 1,
    engine: EngineOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """Read an event log and print the belief about the player's goal after each event. Players are kept apart.

    Exits 0, or 2 on bad input.

    Examples: telos recognize play.jsonl --model adventure.yaml; telos recognize play.jsonl --model flairs --story;
    telos recognize events/ --columns farm-columns.yaml --model farm.yaml -o beliefs.parquet
    """
    from telos.files.writing import check_output
    from telos.recognition.files.load import model_file, named_model
    from telos.telemetry.writing import check_writable

    summary = _chosen_summary(story=story, surprise=surprise, recap=recap, style=style, unknown=unknown)
    if summary and lag is not None:
        raise TelosError(f"--lag and {summary} exclude each other", "leave one of them out")
    on_spark = engine.check({summary or "--lag": summary or lag is not None, "--why": why})
    if output is not None and on_spark:
        check_folder(output)
    elif output is not None:
        check_output(output, inputs=[*options.inputs(log), model_file(model)])
        check_writable(output)
    loaded = named_model(model)
    _check_uses(loaded, model, summary or ("--lag" if lag is not None else ""), why)
    if summary:
        summaries = Summaries(loaded, model, options, player, as_json, output)
        summaries.show(log, story=story, surprise=surprise, recap=recap, style=style, unknown=unknown)
    elif on_spark:
        _show_beliefs_of_spark(log, options, loaded, player, master=engine.master, output=output, as_json=as_json)
    else:
        _show_beliefs(log, options, loaded, player, lag=lag, why=why, output=output, seed=seed, as_json=as_json)


def _chosen_summary(**options: Any) -> str:
    """Return the option that asks for something else than beliefs; there may be one."""
    chosen = [
        f"--{name}" for name, value in options.items() if value is not None and value is not False and value != []
    ]
    if len(chosen) > 1:
        raise TelosError(f"{' and '.join(chosen)} exclude each other", "ask for one at a time")
    return chosen[0] if chosen else ""


def _check_uses(model: "RecognizerModel", name: str, option: str, why: int) -> None:
    """Refuse what a kind of model cannot say, before any work."""
    from telos.recognition.ffbm import FFBM
    from telos.recognition.files.kinds import kind_of
    from telos.recognition.files.load import create_recognizer
    from telos.recognition.iohmm import IOHMM

    option = option or ("--why" if why else "")
    if not option:
        return
    made = create_recognizer(model)
    if not hasattr(made, "why"):
        raise TelosError(f"{option} needs a model with probabilities, and {name} is a state machine", "try flairs")
    if option != "--why" and not isinstance(model, FFBM | IOHMM):
        kind = kind_of(model).name
        remedy = "use: telos logic infer" if kind == "markov-logic" else "name one, or leave the option out"
        raise TelosError(f"{option} is for ffbm, constant and iohmm models, and {name} is of the kind {kind}", remedy)


# --- beliefs ----------------------------------------------------------------------------------------------------------


def _show_beliefs(
    logs: list[str],
    options: LogOptions,
    model: "RecognizerModel",
    player: str | None,
    *,
    lag: int | None,
    why: int,
    output: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """Write or print the belief after each event, and after that the reasons, if asked for."""
    from telos.telemetry.bulk import LiveReader, create_reader
    from telos.telemetry.writing import write_batches

    opened = open_command_log(logs, options, [model])
    # Reasons are those of live recognisers, which remember their last updates.
    reader = LiveReader(model, seed=seed, remembers=why) if why else create_reader(model, seed=seed)
    goals = tuple(model.goals)
    is_json = as_json or (output is not None and ".jsonl" in output.name)
    with log_progress(opened, "reading") as progress:
        frames = select_rows(opened, opened.batches(progress), player=player)
        beliefs = _belief_frames(frames, reader) if lag is None else _lagged_frames(frames, model, lag)
        shaped = (_shaped(frame, goals, opened, is_json=is_json) for frame in beliefs)
        if output is not None:
            count = write_batches(shaped, output)
        else:
            _print_frames(shaped, goals, as_json)
    print_log_report(opened)
    if output is not None:
        whose = f"{opened.report.sequences:,} sequences" if player is None else player
        said = f"{count:,} events of {whose}"
        typer.echo(f"{said}, written to {output}", err=as_json)
    if isinstance(reader, LiveReader) and why:
        _print_reasons(reader, why, as_json)


def _show_beliefs_of_spark(
    logs: list[str],
    options: LogOptions,
    model: "RecognizerModel",
    player: str | None,
    *,
    master: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Print the beliefs in the order of the log, or let the cluster write them as a folder of Parquet."""
    from telos.spark import to_polars
    from telos.spark.batch import belief_schema, read_players

    goals = tuple(model.goals)
    with open_cluster_log(logs, options, [model], master=master, label="reading") as opened:
        beliefs = read_players(opened.select(player=player), model, rows=True)
        if output is not None:
            names = _shaped(belief_schema(model, rows=True).to_frame(), goals, opened, is_json=False).columns
            beliefs.replace("", None, ["session"]).select([f"`{name}`" for name in names]).write.parquet(
                address_of(output)
            )
            count = opened.frame.sparkSession.read.parquet(address_of(output)).count()
        else:
            found = to_polars(beliefs).sort("row")
    if output is None:
        found = _in_sequence(found) if options.sort else found
        _print_frames(iter([_shaped(found, goals, opened, is_json=as_json)]), goals, as_json)
    print_log_report(opened)
    if output is not None:
        whose = f"{opened.report.sequences:,} sequences" if player is None else player
        typer.echo(f"{count:,} events of {whose}, written to {output}", err=as_json)


def _in_sequence(found: "pl.DataFrame") -> "pl.DataFrame":
    """Return rows sequence by sequence, in the order in which these begin, as a log is that is put in order."""
    import polars as pl

    keys = [pl.col("player"), pl.col("session")]
    return found.with_columns(first=pl.col("row").min().over(keys)).sort("first", "time", "row").drop("first")


def _belief_frames(frames: "Iterator[pl.DataFrame]", reader: Any) -> "Iterator[pl.DataFrame]":
    """Yield the frames with the belief after each row."""
    from telos.telemetry.bulk.batches import check_frame
    from telos.telemetry.bulk.reading import belief_columns

    for frame in frames:
        checked = check_frame(frame)
        found, _ = reader.beliefs(checked)
        yield checked.select(_OWN).with_columns(belief_columns(reader.goals, found))


def _lagged_frames(frames: "Iterator[pl.DataFrame]", model: "RecognizerModel", lag: int) -> "Iterator[pl.DataFrame]":
    """Yield the frames of whole players with the belief about some updates ago; the rows of each frame in log order."""
    from telos.telemetry.analytics import whole_sessions
    from telos.telemetry.bulk.hindsight import read_lagged, read_sessions
    from telos.telemetry.bulk.reading import belief_columns

    for frame in whole_sessions(frames):
        sessions = read_sessions(frame, model)
        beliefs = belief_columns(sessions.goals, read_lagged(sessions, lag))
        yield sessions.frame.select(_OWN).with_columns(beliefs).sort("row", maintain_order=True)


def _shaped(frame: "pl.DataFrame", goals: tuple[str, ...], log: "Log | SparkLog", *, is_json: bool) -> "pl.DataFrame":
    """Return the columns to write: one for each goal, or for JSON one object with all."""
    import polars as pl

    from telos.telemetry.bulk.reading import goal_column

    session = [pl.col("session").replace("", None)] if log.columns.session else []
    own: list[Any] = ["player", *session, "time", "action"]
    columns = [pl.col(goal_column(goal)) for goal in goals]
    if is_json:
        belief = pl.struct(*(column.alias(goal) for column, goal in zip(columns, goals, strict=True)))
        return frame.select(*own, belief.alias("belief"), "top")
    return frame.select("row", *own, "top", *columns)


def _print_frames(frames: "Iterator[pl.DataFrame]", goals: tuple[str, ...], as_json: bool) -> None:
    if as_json:
        for frame in frames:
            typer.echo(frame.write_ndjson(), nl=False)
        return
    table = _BeliefTable(goals)
    for frame in frames:
        for row in frame.iter_rows(named=True):
            table.print_row(row)


class _BeliefTable:
    """Prints a line per event under a heading, with bars in a terminal."""

    def __init__(self, goals: tuple[str, ...]) -> None:
        from telos.telemetry.bulk.reading import goal_column

        self._columns = {goal: goal_column(goal) for goal in goals}
        self._is_terminal = sys.stdout.isatty()
        self._widths = {goal: max(len(goal), 5 + (_CELLS if self._is_terminal else 0)) for goal in goals}
        self._has_heading = False
        self._time_width = 9

    def print_row(self, row: dict[str, Any]) -> None:
        if not self._has_heading:
            self._has_heading = True
            self._time_width = max(9, len(format_time(row["time"])))
            goals = "  ".join(f"{goal:>{width}}" for goal, width in self._widths.items())
            typer.secho(
                f"{'player':<10}  {'time':>{self._time_width}}  {'action':<11}  {'likeliest':<9}  {goals}", bold=True
            )
        cells = "  ".join(
            self._cell(row[column], row["top"] == goal, self._widths[goal]) for goal, column in self._columns.items()
        )
        who = "/".join(filter(None, (row["player"], row.get("session"))))
        typer.echo(
            f"{who:<10}  {format_time(row['time']):>{self._time_width}}  {row['action']:<11}  {row['top']:<9}  {cells}"
        )

    def _cell(self, chance: float, is_top: bool, width: int) -> str:
        percent = f"{chance:.0%}"
        if not self._is_terminal:
            return f"{percent:>{width}}"
        colour = typer.colors.GREEN if is_top else None
        return typer.style(f"{_belief_bar(chance)}{percent:>{width - _CELLS}}", fg=colour)


def _belief_bar(chance: float) -> str:
    """Return a bar of ``_CELLS`` characters for a probability, exact to an eighth of a character."""
    whole, eighths = divmod(round(chance * _CELLS * 8), 8)
    return f"{'█' * whole}{_EIGHTHS[eighths] if eighths else ''}".ljust(_CELLS)


# --- reasons ----------------------------------------------------------------------------------------------------------


def _print_reasons(read: "LiveReader", last: int, as_json: bool) -> None:
    """Print what the last updates of each player added to the belief."""
    from telos.recognition.filtering import Reader

    for (player, session), reader in read.recognizers.items():
        if not isinstance(reader, Reader):
            _print_current_reasons(player, session, reader, as_json)
            continue
        reasons = reader.why(last=last)
        if not as_json:
            typer.secho(player_label(player, session), bold=True)
            typer.echo(f"{reader.belief.why()}\n{reasons}")
            continue
        parts = [
            {
                "time": part.time,
                "seen": part.seen,
                "by_change": part.by_change,
                "by_sight": part.by_sight,
                **({"measured": {name: value for name, _, value in part.measured}} if part.measured else {}),
            }
            for part in reasons.parts
        ]
        odds = {"goal": reasons.goal, "over": reasons.over, "start": reasons.start, "total": reasons.total}
        typer.echo(json.dumps({**player_keys(player, session), "why": {**odds, "parts": parts}}))


def _print_current_reasons(player: str, session: str, reader: "Recognizer", as_json: bool) -> None:
    """Print the evidence for the current goal, for recognisers that keep no list of updates."""
    from telos.recognition.markov_logic import MarkovLogicReader

    if not as_json:
        typer.secho(player_label(player, session), bold=True)
        typer.echo(f"{reader.belief.why()}\n{reader.why()}")  # type: ignore[attr-defined]
        return
    why: object = str(reader.why())  # type: ignore[attr-defined]
    if isinstance(reader, MarkovLogicReader):
        weighed = reader.why()
        parts = [{"formula": text, "adds": value} for text, value in weighed.parts]
        why = {"goal": weighed.goal, "over": weighed.over, "total": weighed.total, "parts": parts}
    typer.echo(json.dumps({**player_keys(player, session), "why": why}))
