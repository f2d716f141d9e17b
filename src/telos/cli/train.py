"""``telos train``: train a recogniser on a labelled event log by counting."""

import json
import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from telos.cli.common import at_line, check_context, check_truth, read_rows
from telos.core.errors import TelosError

if TYPE_CHECKING:
    from telos.recognition.iohmm import IOHMM
    from telos.telemetry.logs import LogRow


def train(
    log: Annotated[Path, typer.Argument(help="An event log in which the goals are known: JSON Lines, or .csv.")],
    model: Annotated[str, typer.Option(help="The recogniser file to train, or the name of one.")] = "aiide",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file for the trained model.", show_default=False)
    ] = None,
    player: Annotated[str | None, typer.Option(help="Learn from this player only.", show_default="all players")] = None,
    columns: Annotated[Path | None, typer.Option(help="For tables: the file that says what the columns are.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of lines.")] = False,
) -> None:
    """Train a model on the rows of a log whose goal is known, and write it to a readable file.

    What the model has counted before is kept, so training goes on where it stopped. The trained model goes to another
    file.

    Example: telos train play.jsonl --model aiide -o me.yaml
    """
    from telos.files.writing import check_output
    from telos.recognition.files.load import model_file, named_model, save_model
    from telos.recognition.iohmm import IOHMM

    if output is None:
        raise TelosError("no output file is given", "name the file for the trained model, as in: -o me.yaml")
    check_output(output, inputs=[log, columns, model_file(model)])
    taught = named_model(model)
    if not isinstance(taught, IOHMM):
        raise TelosError(f"{model} is written by hand and learns nothing", "train an iohmm, as in: --model aiide")
    figures = _learn(taught, log, read_rows(log, columns, player, "learning"), model)
    save_model(taught, output)
    if as_json:
        typer.echo(json.dumps({"log": str(log), "model": model, "output": str(output), **figures}))
        return
    learned = ", ".join(f"{goal} {count:,}" for goal, count in figures["goals"].items())
    typer.echo(f"learned from {figures['learned']:,} of {figures['events']:,} events ({learned})")
    typer.echo(f"{figures['unknown']:,} had no known goal, {figures['uncounted']:,} the clock does not count")
    typer.echo(f"written to {output}")


def _learn(model: "IOHMM", log: Path, rows: "Iterable[LogRow]", name: str) -> dict[str, Any]:
    """Train a model on all labelled rows; return the counts."""
    from telos.recognition.files.load import context_read

    entries = context_read(model)
    sessions: dict[tuple[str, str], _TrainingSession] = {}
    events = unknown = 0
    goals: Counter[str] = Counter()
    for row in rows:
        events += 1
        unknown += row.truth is None
        session = sessions.setdefault(row.sequence, _TrainingSession(model))
        with at_line(log, row.line):
            check_context(row, entries, name)
            if row.truth is not None:
                check_truth(row.truth, model.goals, name)
            if session.learn(row):
                goals[str(row.truth)] += 1
    if unknown == events:
        raise TelosError(
            f"{log}: no row says what the player was after", f'add "truth": "{model.goals[0]}" to its lines'
        )
    return {
        "events": events,
        "learned": goals.total(),
        "unknown": unknown,
        "uncounted": events - unknown - goals.total(),
        "goals": {goal: goals[goal] for goal in model.goals},
        "players": len({player for player, _ in sessions}),
    }


class _TrainingSession:
    """Trains a model on one session of one player."""

    def __init__(self, model: "IOHMM") -> None:
        from telos.recognition.filtering import EventGate

        self._model, self._gate = model, EventGate(model)
        self._time, self._before = -math.inf, ""

    def learn(self, row: "LogRow") -> bool:
        """Learn from one row; return whether it was counted."""
        from telos.recognition.filtering import check_event_order

        if row.event.time < self._time:
            check_event_order(row.event, row.event.player, self._time)
        self._time = row.event.time
        counted = self._gate.admit(row.event)
        if counted is None:
            return False
        before, self._before = self._before, row.truth or ""
        if row.truth is None:
            return False
        self._model.learn(counted, row.truth, before or None)
        return True
