"""What ``telos recognize`` says of whole sessions: stories, surprises, recaps, styles, and goals that no model has."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from telos.cli.logs.options import (
    SINCE_1970,
    LogOptions,
    format_time,
    log_progress,
    open_command_log,
    player_keys,
    player_label,
    print_log_report,
    select_rows,
)

if TYPE_CHECKING:
    import polars as pl

    from telos.recognition.files.load import RecognizerModel
    from telos.recognition.hindsight import GoalSpan
    from telos.telemetry import Log
    from telos.telemetry.bulk.hindsight import Sessions

FALSE_ALARMS, WINDOW = 0.05, 20  # of --unknown
AWAY = 86_400.0  # seconds: a recap is for one who comes back another day


@dataclass(frozen=True, slots=True)
class Summaries:
    """Reads the sessions of a log, and prints or writes one thing about each of them."""

    model: "RecognizerModel"
    name: str
    options: LogOptions
    player: str | None
    as_json: bool
    output: Path | None

    def show(
        self,
        logs: list[str],
        *,
        story: bool,
        surprise: float | None,
        recap: bool,
        style: list[str] | None,
        unknown: str | None,
    ) -> None:
        """Show what was asked for."""
        if style:
            self._show_styles(logs, style)
            return
        opened = open_command_log(logs, self.options, [self.model])
        if unknown is not None:
            tables = self._unknown_tables(opened, unknown)
        elif surprise is not None:
            tables = self._surprise_tables(opened, surprise)
        else:
            tables = self._story_tables(opened)
        if recap:
            tables = (_recaps(table) for table in tables)
        self._emit(
            opened, tables, _LINES["recap" if recap else "story" if story else "unknown" if unknown else "surprise"]
        )

    # --- tables -------------------------------------------------------------------------------------------------------

    def _sessions(self, opened: "Log", model: "RecognizerModel | None" = None) -> "Iterator[Sessions]":
        from telos.telemetry.analytics import whole_sessions
        from telos.telemetry.bulk.hindsight import read_sessions

        with log_progress(opened, "reading") as progress:
            for frame in whole_sessions(select_rows(opened, opened.batches(progress), player=self.player)):
                yield read_sessions(frame, model or self.model)

    def _story_tables(self, opened: "Log") -> "Iterator[pl.DataFrame]":
        from telos.telemetry.bulk.hindsight import find_stories

        return (find_stories(each) for each in self._sessions(opened))

    def _surprise_tables(self, opened: "Log", threshold: float) -> "Iterator[pl.DataFrame]":
        from telos.telemetry.bulk.hindsight import find_surprises

        return (find_surprises(each, threshold=threshold) for each in self._sessions(opened))

    def _unknown_tables(self, opened: "Log", known: str) -> "Iterator[pl.DataFrame]":
        from telos.recognition.player_models import threshold_of
        from telos.telemetry.analytics import whole_sessions
        from telos.telemetry.bulk.hindsight import find_unknown, read_sessions, worst_windows
        from telos.telemetry.event_log import is_corpus
        from telos.telemetry.sources import open_source

        # A prepared corpus has columns of its own, and the column file is that of the raw log.
        options = replace(self.options, columns=None) if is_corpus(open_source(known).names) else self.options
        calibration = open_command_log([known], options, [self.model])
        worst: list[float] = []
        with log_progress(calibration, "calibrating") as progress:
            for frame in whole_sessions(calibration.batches(progress)):
                worst += worst_windows(read_sessions(frame, self.model), WINDOW).tolist()
        threshold = threshold_of(worst, FALSE_ALARMS, WINDOW)
        if not self.as_json:
            typer.echo(
                f"known goals keep above {threshold.value:.2f} an update in windows of {WINDOW};"
                f" at most {FALSE_ALARMS:.0%} of such sessions give a false alarm",
                err=True,
            )
        return (find_unknown(each, threshold) for each in self._sessions(opened))

    def _show_styles(self, logs: list[str], styles: list[str]) -> None:

        from telos.recognition.files.load import named_model
        from telos.recognition.player_models import check_comparable, have_same_outcomes, outcomes_of
        from telos.telemetry.analytics import whole_sessions
        from telos.telemetry.bulk.hindsight import compare_styles, read_sessions

        models: dict[str, Any] = {self.name: self.model, **{name: named_model(name) for name in styles}}
        check_comparable(models)
        counts = {name: len(outcomes_of(model)) for name, model in models.items()}
        outcomes = None if have_same_outcomes(models) else counts
        opened = open_command_log(logs, self.options, list(models.values()))

        def tables() -> "Iterator[pl.DataFrame]":
            with log_progress(opened, "reading") as progress:
                for frame in whole_sessions(select_rows(opened, opened.batches(progress), player=self.player)):
                    sessions = {name: read_sessions(frame, model) for name, model in models.items()}
                    yield compare_styles(sessions, outcomes=outcomes)

        self._emit(opened, tables(), _style_line)

    # --- output -------------------------------------------------------------------------------------------------------

    def _emit(self, opened: "Log", tables: "Iterator[pl.DataFrame]", line: Any) -> None:
        from telos.telemetry.writing import write_batches

        if self.output is not None:
            count = write_batches(tables, self.output)
            print_log_report(opened)
            typer.echo(f"{count:,} rows, written to {self.output}", err=self.as_json)
            return
        said = 0
        for table in tables:
            said += table.height
            for (player, session), rows in _by_session(table):
                if not self.as_json:
                    typer.secho(player_label(player, session), bold=True)
                for row in rows:
                    if self.as_json:
                        typer.echo(json.dumps({**player_keys(player, session), **_plain(row)}))
                    else:
                        typer.echo(f"  {line(row)}")
        print_log_report(opened)
        if not said and not self.as_json:
            typer.echo("there is nothing of this kind in the log")


def _by_session(table: "pl.DataFrame") -> "Iterator[tuple[tuple[str, str | None], list[dict[str, Any]]]]":
    for key, rows in table.partition_by("player", "session", as_dict=True, maintain_order=True).items():
        yield (str(key[0]), key[1]), rows.drop("player", "session").to_dicts()


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with certainties in six places; times are exact."""
    rounded = ("certainty", "amount", "score")
    return {key: round(value, 6) if key in rounded else value for key, value in row.items()}


def _from_to(row: Any) -> str:
    """Return from when to when, in seconds or as dates."""
    first, last = row["from"], row["to"]
    if last < SINCE_1970:
        return f"{first:9.1f} s to {last:9.1f} s"
    return f"  {format_time(first)[:-2]} to {format_time(last)[:-2]}"


def _story_line(row: dict[str, Any]) -> str:
    won = ", achieved" if row["achieved"] else ""
    return f"{_from_to(row)}  {row['goal']} ({row['certainty']:.0%} sure{won})"


def _surprise_line(row: dict[str, Any]) -> str:
    return f"{_from_to(row)}  looked like {row['thought']}, was {row['was']} ({row['amount']:.0%} of the belief moved)"


def _unknown_line(row: dict[str, Any]) -> str:
    return f"{_from_to(row)}  no goal of the model fits ({row['score']:.2f} an update)"


def _style_line(row: dict[str, Any]) -> str:
    chances = {name: value for name, value in row.items() if name != "style"}
    return f"{row['style']}: " + ", ".join(f"{name} {chance:.0%}" for name, chance in chances.items())


_LINES = {
    "story": _story_line,
    "surprise": _surprise_line,
    "unknown": _unknown_line,
    "recap": lambda row: row["recap"],
}


def _recaps(stories: "pl.DataFrame") -> "pl.DataFrame":
    """Return one sentence for the last session of each player."""
    import polars as pl

    rows = []
    for player, spans in stories.partition_by("player", as_dict=True, maintain_order=True).items():
        last = spans.filter(pl.col("session").eq_missing(spans["session"][-1]))
        rows.append((str(player[0]), spans["session"][-1], _recap(last)))
    return pl.DataFrame(rows, schema={"player": pl.String, "session": pl.String, "recap": pl.String}, orient="row")


def _recap(spans: "pl.DataFrame") -> str:
    from telos.recognition.hindsight import write_recap

    story = [_span(row) for row in spans.to_dicts()]
    return write_recap(story, AWAY, _texts([span.goal for span in story]))


def _span(row: dict[str, Any]) -> "GoalSpan":
    from telos.recognition.hindsight import GoalSpan

    return GoalSpan(row["goal"], row["from"], row["to"], row["certainty"], row["updates"], row["achieved"])


def _texts(goals: Sequence[str]) -> dict[str, str | tuple[str, str]]:
    return {goal: (f"after {goal}", f"achieving {goal}") for goal in goals}
