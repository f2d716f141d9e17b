"""Recognize."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from telos.core.errors import TelosError, name_hint

if TYPE_CHECKING:
    from telos.core.belief import Belief
    from telos.core.event import Event
    from telos.recognition.files.load import RecognizerModel
    from telos.recognition.recognizer import Recognizer
    from telos.telemetry.logs import LogRow


# --- event log --------------------------------------------------------------------------------------------------------
# What the commands that read event logs share: rows with a bar for whoever waits, and recognisers by player.


_LONG = 2_000_000  # bytes of a log; a shorter one is read before a bar could be drawn


def rows_of(log: Path, columns: Path | None, player: str | None, doing: str) -> "Iterator[LogRow]":
    """Yield the rows of a log (of one player, if one is named), with a bar at a terminal if it is long."""
    from telos.telemetry.log_columns import load_columns  # here, so that `telos --help` need not wait
    from telos.telemetry.logs import read_log

    described = None if columns is None else load_columns(columns)
    seen: set[str] = set()
    with _progress_bar(log, doing) as progress:
        for row in read_log(log, columns=described, progress=progress):
            seen.add(row.event.player)
            if player is None or row.event.player == player:
                yield row
    if player is not None and player not in seen:
        raise TelosError(f"{log}: no player {player!r} in this log", name_hint(player, seen))


@contextmanager
def _progress_bar(log: Path, doing: str) -> Iterator[Callable[[int], object] | None]:
    from rich.console import Console
    from rich.progress import Progress

    waiting = Console(stderr=True)
    size = log.stat().st_size if log.is_file() else 0
    if not waiting.is_terminal or size < _LONG:
        yield None
        return
    with Progress(console=waiting, transient=True) as progress:
        task = progress.add_task(doing, total=size)
        yield lambda done: progress.update(task, completed=done)


@contextmanager
def at_line(log: Path, line: int) -> Iterator[None]:
    """Say in which line of a log the trouble is."""
    try:
        yield
    except TelosError as error:
        raise error.at(f"{log}:{line}") from None


def check_context(row: "LogRow", entries: frozenset[str], model: str) -> None:
    """Refuse a row that does not say what the model reads: a belief from half of the facts would be no belief.

    A game may leave out of an event what is as usual, since it knows what it does; a log may be another game's.
    """
    missing = sorted(entries - row.event.context.keys())
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise TelosError(f"context {missing[0]!r}{more} is missing, which {model} reads", "add it to the line")


def checked_truth(truth: str, goals: tuple[str, ...], model: str) -> str:
    """Return the goal that a log says was pursued, if the model knows it."""
    if truth not in goals:
        raise TelosError(f"truth {truth!r} is not a goal of {model}", name_hint(truth, goals))
    return truth


# --- recognize --------------------------------------------------------------------------------------------------------
# ``telos recognize``: what the players of a log were after, event by event.


_CELLS = 8  # of a bar
_EIGHTHS = " ▏▎▍▌▋▊▉"


def recognize(
    log: Annotated[Path, typer.Argument(help="An event log: JSON Lines, or a table (.csv) with --columns.")],
    model: Annotated[str, typer.Option(help="A recogniser file, or the name of one that comes along.")] = "adventure",
    player: Annotated[str | None, typer.Option(help="Only this player.", show_default="all players")] = None,
    columns: Annotated[Path | None, typer.Option(help="For tables: the file that says what the columns are.")] = None,
    story: Annotated[bool, typer.Option("--story", help="Tell the likeliest story of each session instead.")] = False,
    why: Annotated[int, typer.Option(help="Say at the end what the last so many updates added.")] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the beliefs to this file, as JSON Lines.")
    ] = None,
    seed: Annotated[int, typer.Option(help="For recognisers that start with a guess.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """Read an event log and print the belief about the player's goal after each event. Players are kept apart.

    Exits 0, or 2 on bad input: what is wrong is said in one line that names the file and the line.

    Examples: telos recognize play.jsonl --model adventure.yaml; telos recognize play.jsonl --model flairs --story
    """
    from telos.recognition.files.load import named_model  # here, so that `telos --help` need not wait

    if why < 0:
        raise TelosError(f"--why takes a number of updates, zero or more, got {why}")
    read = _Reading(log, named_model(model), model, seed, remembers=why, keeps=story)
    rows = rows_of(log, columns, player, "reading")
    with _written(output, as_json, story) as tell:
        for row in rows:
            belief = read.observe(row)
            tell(row, belief)
    if output is not None:
        said = f"{read.count:,} events of {len(read.recognizers):,} sequences, written to {output}"
        typer.echo(said, err=as_json)
    if story:
        read.tell_stories(as_json)
    if why:
        read.tell_reasons(why, as_json)


class _Reading:
    """The recognisers of all players of a log, and what is kept of it for the end."""

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
        made = self._fresh()
        option = "--story" if keeps else "--why"
        if (keeps or remembers) and not hasattr(made, "why"):
            raise TelosError(f"{option} needs a model with probabilities, and {name} is a state machine", "try flairs")
        if keeps and not isinstance(made, Reader):
            raise TelosError("--story is for models of goals that change", "for formulas, use: telos logic infer")

    def _fresh(self) -> "Recognizer":
        from telos.recognition.files.load import create_recognizer

        return create_recognizer(
            self._model, seed=self._seed + len(self.recognizers), remembers=max(1, self._remembers)
        )

    def observe(self, row: "LogRow") -> "Belief":
        """Take in one row."""
        sequence = row.sequence
        if sequence not in self.recognizers:
            self.recognizers[sequence] = self._fresh()
        self.count += 1
        if self._keeps:
            self._events.setdefault(sequence, []).append(row.event)
        with at_line(self._log, row.line):
            check_context(row, self._entries, self._name)
            return self.recognizers[sequence].observe(row.event)

    def tell_stories(self, as_json: bool) -> None:
        """Say what each player was after, from when to when."""
        from telos.recognition.ffbm import FFBM
        from telos.recognition.hindsight import find_story
        from telos.recognition.iohmm import IOHMM

        for (player, session), events in self._events.items():
            assert isinstance(self._model, FFBM | IOHMM)  # others were refused at the start
            spans = find_story(self._model, events)
            if not as_json:
                typer.secho(_named(player, session), bold=True)
            for span in spans:
                said = {"goal": span.goal, "from": span.start, "to": span.end, "certainty": round(span.certainty, 6)}
                if as_json:
                    typer.echo(json.dumps({**_keys(player, session), **said}))
                else:
                    typer.echo(f"  {span.start:9.1f} s to {span.end:9.1f} s  {span.goal} ({span.certainty:.0%} sure)")

    def tell_reasons(self, last: int, as_json: bool) -> None:
        """Say what the last updates of each player added to the belief."""
        from telos.recognition.filtering import Reader

        for (player, session), reader in self.recognizers.items():
            if not isinstance(reader, Reader):
                self._tell_weighing(player, session, reader, as_json)
                continue
            reasons = reader.why(last=last)
            if not as_json:
                typer.secho(_named(player, session), bold=True)
                typer.echo(f"{reader.belief.why()}\n{reasons}")
                continue
            parts = [
                {"time": part.time, "seen": part.seen, "by_change": part.by_change, "by_sight": part.by_sight}
                for part in reasons.parts
            ]
            odds = {"goal": reasons.goal, "over": reasons.over, "start": reasons.start, "total": reasons.total}
            typer.echo(json.dumps({**_keys(player, session), "why": {**odds, "parts": parts}}))

    def _tell_weighing(self, player: str, session: str, reader: "Recognizer", as_json: bool) -> None:
        """Say what speaks for the goal now, for readers that keep no list of their updates."""
        from telos.recognition.markov_logic import MarkovLogicReader

        if not as_json:
            typer.secho(_named(player, session), bold=True)
            typer.echo(f"{reader.belief.why()}\n{reader.why()}")  # type: ignore[attr-defined]
            return
        why: object = str(reader.why())  # type: ignore[attr-defined]
        if isinstance(reader, MarkovLogicReader):
            weighed = reader.why()
            parts = [{"formula": text, "adds": value} for text, value in weighed.parts]
            why = {"goal": weighed.goal, "over": weighed.over, "total": weighed.total, "parts": parts}
        typer.echo(json.dumps({**_keys(player, session), "why": why}))


def _keys(player: str, session: str) -> dict[str, Any]:
    return {"player": player, **({"session": session} if session else {})}


def _named(player: str, session: str) -> str:
    return f"{player}, session {session}" if session else player


_Teller = Callable[["LogRow", "Belief"], None]


@contextmanager
def _written(output: Path | None, as_json: bool, story: bool) -> Iterator[_Teller]:
    """Yield what is done with each belief: written to a file, printed, or (if the story is told) nothing."""
    if output is not None:
        try:
            file = output.open("w", encoding="utf-8")
        except OSError as error:
            raise TelosError(f"{output}: cannot be written: {error.strerror or error}") from None
        with file:
            yield lambda row, belief: print(_json_line(row, belief), file=file)
    elif story:
        yield lambda row, belief: None
    elif as_json:
        yield lambda row, belief: typer.echo(_json_line(row, belief))
    else:
        yield _Table().tell


def _json_line(row: "LogRow", belief: "Belief") -> str:
    said = {"time": row.event.time, "action": row.event.action, "belief": dict(belief), "top": belief.top}
    return json.dumps({**_keys(*row.sequence), **said}, allow_nan=False)


class _Table:
    """A line for each event, under a heading; with bars where somebody looks on."""

    def __init__(self) -> None:
        self._is_terminal = sys.stdout.isatty()
        self._has_heading = False

    def tell(self, row: "LogRow", belief: "Belief") -> None:
        """Print one line."""
        widths = {goal: max(len(goal), 5 + (_CELLS if self._is_terminal else 0)) for goal in belief}
        if not self._has_heading:
            self._has_heading = True
            goals = "  ".join(f"{goal:>{width}}" for goal, width in widths.items())
            typer.secho(f"{'player':<10}  {'time':>9}  {'action':<11}  {'likeliest':<9}  {goals}", bold=True)
        cells = "  ".join(self._cell(goal, belief, width) for goal, width in widths.items())
        who = "/".join(filter(None, row.sequence))
        typer.echo(f"{who:<10}  {row.event.time:9.3f}  {row.event.action:<11}  {belief.top:<9}  {cells}")

    def _cell(self, goal: str, belief: "Belief", width: int) -> str:
        said = f"{belief[goal]:.0%}"
        if not self._is_terminal:
            return f"{said:>{width}}"
        colour = typer.colors.GREEN if goal == belief.top else None
        return typer.style(f"{_belief_bar(belief[goal])}{said:>{width - _CELLS}}", fg=colour)


def _belief_bar(chance: float) -> str:
    """Draw a chance in cells and eighths of a cell."""
    whole, eighths = divmod(round(chance * _CELLS * 8), 8)
    return f"{'█' * whole}{_EIGHTHS[eighths] if eighths else ''}".ljust(_CELLS)
