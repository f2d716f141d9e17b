"""``telos evaluate``: accuracy of recognisers on a labelled event log."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

import typer

from telos.cli.common import at_line, check_context, check_truth, read_rows, seed_option
from telos.core.errors import TelosError

if TYPE_CHECKING:
    from telos.recognition.files.load import RecognizerModel
    from telos.recognition.recognizer import Recognizer
    from telos.telemetry.logs import LogRow


def evaluate(
    log: Annotated[Path, typer.Argument(help="An event log in which the goals are known: JSON Lines, or .csv.")],
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model", help="A recogniser file, or the name of one; may be repeated.", show_default="adventure"
        ),
    ] = None,
    player: Annotated[str | None, typer.Option(help="Only this player.", show_default="all players")] = None,
    columns: Annotated[Path | None, typer.Option(help="For tables: the file that says what the columns are.")] = None,
    seed: Annotated[int, seed_option("For recognisers that start with a guess.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
) -> None:
    """Compare what recognisers believe with what the players were after, at each update.

    All are scored at the same moments: the updates of the first model that has a clock. The accuracy is the mean over
    players, each by the share of updates at which the likeliest goal was the right one.

    Example: telos evaluate play.jsonl --model flairs --model flairs-constant --model flairs-fsm
    """
    names = list(dict.fromkeys(models or ["adventure"]))
    evaluation = _Evaluation(names, seed)
    known = 0
    for row in read_rows(log, columns, player, "scoring"):
        with at_line(log, row.line):
            evaluation.observe(row)
        known += row.truth is not None
    if not known:
        goal = next(iter(evaluation.models[names[0]].goals))
        raise TelosError(f"{log}: no row says what the player was after", f'add "truth": "{goal}" to its lines')
    scores = list(evaluation.scores.values())
    if not scores[0].updates:
        raise TelosError(f"{log}: {names[0]} counts none of the events whose goal is known", "look at its `clock`")
    if as_json:
        typer.echo(json.dumps({"log": str(log), "models": [each.figures() for each in scores]}, indent=2))
    else:
        _print_scores(scores)


@dataclass(slots=True)
class ModelScore:
    """Counts of right and wrong updates of one recogniser, by player and goal."""

    model: str
    goals: tuple[str, ...]
    right: Counter[str] = field(default_factory=Counter)  # by player
    seen: Counter[str] = field(default_factory=Counter)
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)  # by truth and what was believed

    def add(self, player: str, truth: str, believed: str) -> None:
        """Count one update."""
        self.seen[player] += 1
        self.right[player] += truth == believed
        self.confusion[truth, believed] += 1

    @property
    def updates(self) -> int:
        return self.seen.total()

    @property
    def players(self) -> dict[str, float]:
        """The accuracy for each player."""
        return {player: self.right[player] / count for player, count in self.seen.items()}

    @property
    def accuracy(self) -> float:
        """The mean over players."""
        return fmean(self.players.values())

    def figures(self) -> dict[str, Any]:
        """Return the scores as JSON data."""
        return {
            "model": self.model,
            "accuracy": round(self.accuracy, 6),
            "accuracy_of_updates": round(self.right.total() / self.updates, 6),
            "updates": self.updates,
            "players": {
                player: {"accuracy": round(accuracy, 6), "updates": self.seen[player]}
                for player, accuracy in self.players.items()
            },
            "confusion": {
                truth: {believed: self.confusion[truth, believed] for believed in self.goals} for truth in self.goals
            },
        }


class _Evaluation:
    """Recognisers that observe the same log and are scored at the same updates."""

    def __init__(self, names: list[str], seed: int) -> None:
        from telos.recognition.files.load import (
            context_read,
            named_model,
        )

        self.models: dict[str, RecognizerModel] = {name: named_model(name) for name in names}
        self.scores = {name: ModelScore(name, tuple(model.goals)) for name, model in self.models.items()}
        self._entries = {name: context_read(model) for name, model in self.models.items()}
        self._seed = seed
        self._readers: dict[tuple[str, str], list[Recognizer]] = {}
        self._updates: dict[tuple[str, str], int] = {}

    def observe(self, row: "LogRow") -> None:
        """Show a row to every recogniser; score them if it is an update with a known goal."""
        for name, entries in self._entries.items():
            check_context(row, entries, name)
        readers = self._readers.get(row.sequence) or self._create(row.sequence)
        beliefs = [reader.observe(row.event) for reader in readers]
        if row.truth is None:
            self._is_update(row.sequence, readers)
            return
        for name, model in self.models.items():
            check_truth(row.truth, tuple(model.goals), name)
        if self._is_update(row.sequence, readers):
            for score, belief in zip(self.scores.values(), beliefs, strict=True):
                score.add(row.event.player, row.truth, belief.top)

    def _create(self, sequence: tuple[str, str]) -> "list[Recognizer]":
        from telos.recognition.files.load import create_recognizer

        seed = self._seed + len(self._readers)
        made = self._readers[sequence] = [create_recognizer(model, seed=seed) for model in self.models.values()]
        return made

    def _is_update(self, sequence: tuple[str, str], readers: "Iterable[Recognizer]") -> bool:
        """Whether the first recogniser with a clock counted the row; without a clock every row counts."""
        from telos.recognition.filtering import Reader

        counts = [reader.updates for reader in readers if isinstance(reader, Reader)]
        if not counts:
            return True
        before, self._updates[sequence] = self._updates.get(sequence, 0), counts[0]
        return counts[0] > before


def _print_scores(scores: list[ModelScore]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    players = list(scores[0].seen)
    table = Table(box=None, pad_edge=False)
    table.add_column("model", no_wrap=True)
    for heading in ("mean", *players[:6]):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in scores:
        table.add_row(each.model, f"{each.accuracy:.1%}", *(f"{each.players[name]:.1%}" for name in players[:6]))
    console.print(
        f"how often the likeliest goal was right, at {scores[0].updates:,} updates of {len(players):,} players:"
    )
    console.print(table)
    if len(players) > 6:
        console.print(f"… and {len(players) - 6} more players; --json has them all")
    for each in scores:
        console.print(f"\n{each.model} believed:")
        console.print(_confusion_table(each, console.width))


def _confusion_table(score: ModelScore, width: int) -> Any:
    from rich.table import Table

    rows, headings = list(score.goals), list(score.goals)
    if sum(len(goal) + 2 for goal in headings) + max(map(len, rows)) > width:  # too wide: number the columns
        headings = [str(number) for number, _ in enumerate(rows, start=1)]
        rows = [f"{number} {goal}" for number, goal in zip(headings, rows, strict=True)]
    table = Table(box=None, pad_edge=False)
    table.add_column("was after", no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for row, truth in zip(rows, score.goals, strict=True):
        table.add_row(row, *(f"{score.confusion[truth, believed]:,}" for believed in score.goals))
    return table
