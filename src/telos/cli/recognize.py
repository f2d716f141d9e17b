"""``telos recognize``: the belief about each player's goal, event by event."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from telos.cli.common import MAX_COUNT, at_line, check_context, in_range, read_rows, seed_option
from telos.core.errors import TelosError

if TYPE_CHECKING:
    from telos.core.belief import Belief
    from telos.core.event import Event
    from telos.recognition.files.load import RecognizerModel
    from telos.recognition.recognizer import Recognizer
    from telos.telemetry.logs import LogRow


_CELLS = 8  # width of a belief bar
_EIGHTHS = " ▏▎▍▌▋▊▉"


def recognize(
    log: Annotated[Path, typer.Argument(help="An event log: JSON Lines, or a table (.csv) with --columns.")],
    model: Annotated[str, typer.Option(help="A recogniser file, or the name of one that comes along.")] = "adventure",
    player: Annotated[str | None, typer.Option(help="Only this player.", show_default="all players")] = None,
    columns: Annotated[Path | None, typer.Option(help="For tables: the file that says what the columns are.")] = None,
    story: Annotated[
        bool, typer.Option("--story", help="Print the likeliest sequence of goals of each session instead.")
    ] = False,
    why: Annotated[
        int,
        typer.Option(help="Explain at the end what the last so many updates added.", callback=in_range(0, MAX_COUNT)),
    ] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the beliefs to this file, as JSON Lines.")
    ] = None,
    seed: Annotated[int, seed_option("For recognisers that start with a guess.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """Read an event log and print the belief about the player's goal after each event. Players are kept apart.

    Exits 0, or 2 on bad input, reported in one line with file and line.

    Examples: telos recognize play.jsonl --model adventure.yaml; telos recognize play.jsonl --model flairs --story
    """
    from telos.files.writing import check_output
    from telos.recognition.files.load import model_file, named_model

    if output is not None:
        check_output(output, inputs=[log, columns, model_file(model)])
    read = _Reading(log, named_model(model), model, seed, remembers=why, keeps=story)
    rows = read_rows(log, columns, player, "reading")
    with _belief_writer(output, as_json, story) as write:
        for row in rows:
            belief = read.observe(row)
            write(row, belief)
    if output is not None:
        summary = f"{read.count:,} events of {len(read.recognizers):,} sequences, written to {output}"
        typer.echo(summary, err=as_json)
    if story:
        read.print_stories(as_json)
    if why:
        read.print_reasons(why, as_json)


class _Reading:
    """One recogniser per player and session of a log, and the events needed at the end."""

    def __init__(
        self, log: Path, model: "RecognizerModel", name: str, seed: int, *, remembers: int, keeps: bool
    ) -> None:
        from telos.recognition.files.load import context_read
        from telos.recognition.filtering import Reader

        self._name, self._entries = name, context_read(model)
        self.recognizers: dict[tuple[str, str], Recognizer] = {}
        self.count = 0
        self._log, self._model, self._seed = log, model, seed
        self._remembers = remembers
        self._events: dict[tuple[str, str], list[Event]] = {}
        self._keeps = keeps
        made = self._create()
        option = "--story" if keeps else "--why"
        if (keeps or remembers) and not hasattr(made, "why"):
            raise TelosError(f"{option} needs a model with probabilities, and {name} is a state machine", "try flairs")
        if keeps and not isinstance(made, Reader):
            raise TelosError("--story is for models of goals that change", "for formulas, use: telos logic infer")

    def _create(self) -> "Recognizer":
        from telos.recognition.files.load import create_recognizer

        return create_recognizer(
            self._model, seed=self._seed + len(self.recognizers), remembers=max(1, self._remembers)
        )

    def observe(self, row: "LogRow") -> "Belief":
        """Observe one row and return the new belief."""
        sequence = row.sequence
        if sequence not in self.recognizers:
            self.recognizers[sequence] = self._create()
        self.count += 1
        if self._keeps:
            self._events.setdefault(sequence, []).append(row.event)
        with at_line(self._log, row.line):
            check_context(row, self._entries, self._name)
            return self.recognizers[sequence].observe(row.event)

    def print_stories(self, as_json: bool) -> None:
        """Print the likeliest goals of each session, with their times."""
        from telos.recognition.ffbm import FFBM
        from telos.recognition.hindsight import find_story
        from telos.recognition.iohmm import IOHMM

        for (player, session), events in self._events.items():
            assert isinstance(self._model, FFBM | IOHMM)  # others were refused at the start
            spans = find_story(self._model, events)
            if not as_json:
                typer.secho(_player_label(player, session), bold=True)
            for span in spans:
                said = {"goal": span.goal, "from": span.start, "to": span.end, "certainty": round(span.certainty, 6)}
                if as_json:
                    typer.echo(json.dumps({**_player_keys(player, session), **said}))
                else:
                    typer.echo(f"  {span.start:9.1f} s to {span.end:9.1f} s  {span.goal} ({span.certainty:.0%} sure)")

    def print_reasons(self, last: int, as_json: bool) -> None:
        """Print what the last updates of each player added to the belief."""
        from telos.recognition.filtering import Reader

        for (player, session), reader in self.recognizers.items():
            if not isinstance(reader, Reader):
                self._print_current_reasons(player, session, reader, as_json)
                continue
            reasons = reader.why(last=last)
            if not as_json:
                typer.secho(_player_label(player, session), bold=True)
                typer.echo(f"{reader.belief.why()}\n{reasons}")
                continue
            parts = [
                {"time": part.time, "seen": part.seen, "by_change": part.by_change, "by_sight": part.by_sight}
                for part in reasons.parts
            ]
            odds = {"goal": reasons.goal, "over": reasons.over, "start": reasons.start, "total": reasons.total}
            typer.echo(json.dumps({**_player_keys(player, session), "why": {**odds, "parts": parts}}))

    def _print_current_reasons(self, player: str, session: str, reader: "Recognizer", as_json: bool) -> None:
        """Print the evidence for the current goal, for recognisers that keep no list of updates."""
        from telos.recognition.markov_logic import MarkovLogicReader

        if not as_json:
            typer.secho(_player_label(player, session), bold=True)
            typer.echo(f"{reader.belief.why()}\n{reader.why()}")  # type: ignore[attr-defined]
            return
        why: object = str(reader.why())  # type: ignore[attr-defined]
        if isinstance(reader, MarkovLogicReader):
            weighed = reader.why()
            parts = [{"formula": text, "adds": value} for text, value in weighed.parts]
            why = {"goal": weighed.goal, "over": weighed.over, "total": weighed.total, "parts": parts}
        typer.echo(json.dumps({**_player_keys(player, session), "why": why}))


def _player_keys(player: str, session: str) -> dict[str, Any]:
    return {"player": player, **({"session": session} if session else {})}


def _player_label(player: str, session: str) -> str:
    return f"{player}, session {session}" if session else player


_BeliefWriter = Callable[["LogRow", "Belief"], None]


@contextmanager
def _belief_writer(output: Path | None, as_json: bool, story: bool) -> Iterator[_BeliefWriter]:
    """Yield a function that writes each belief to the file, prints it, or (with --story) drops it."""
    if output is not None:
        from telos.files.writing import open_output

        with open_output(output) as file:
            yield lambda row, belief: print(_json_line(row, belief), file=file)
    elif story:
        yield lambda row, belief: None
    elif as_json:
        yield lambda row, belief: typer.echo(_json_line(row, belief))
    else:
        yield _BeliefTable().print_row


def _json_line(row: "LogRow", belief: "Belief") -> str:
    said = {"time": row.event.time, "action": row.event.action, "belief": dict(belief), "top": belief.top}
    return json.dumps({**_player_keys(*row.sequence), **said}, allow_nan=False)


class _BeliefTable:
    """Prints a line per event under a heading, with bars in a terminal."""

    def __init__(self) -> None:
        self._is_terminal = sys.stdout.isatty()
        self._has_heading = False

    def print_row(self, row: "LogRow", belief: "Belief") -> None:
        widths = {goal: max(len(goal), 5 + (_CELLS if self._is_terminal else 0)) for goal in belief}
        if not self._has_heading:
            self._has_heading = True
            goals = "  ".join(f"{goal:>{width}}" for goal, width in widths.items())
            typer.secho(f"{'player':<10}  {'time':>9}  {'action':<11}  {'likeliest':<9}  {goals}", bold=True)
        cells = "  ".join(self._cell(goal, belief, width) for goal, width in widths.items())
        who = "/".join(filter(None, row.sequence))
        typer.echo(f"{who:<10}  {row.event.time:9.3f}  {row.event.action:<11}  {belief.top:<9}  {cells}")

    def _cell(self, goal: str, belief: "Belief", width: int) -> str:
        percent = f"{belief[goal]:.0%}"
        if not self._is_terminal:
            return f"{percent:>{width}}"
        colour = typer.colors.GREEN if goal == belief.top else None
        return typer.style(f"{_belief_bar(belief[goal])}{percent:>{width - _CELLS}}", fg=colour)


def _belief_bar(chance: float) -> str:
    """Return a bar of ``_CELLS`` characters for a probability, exact to an eighth of a character."""
    whole, eighths = divmod(round(chance * _CELLS * 8), 8)
    return f"{'█' * whole}{_EIGHTHS[eighths] if eighths else ''}".ljust(_CELLS)
