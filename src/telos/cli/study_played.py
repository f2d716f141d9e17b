"""``telos study played``: recognisers on games that people recorded with ``telos play``."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from telos.core.errors import TelosError

if TYPE_CHECKING:
    from rich.table import Table

    from telos.studies.played import Played, PlayedStudy

PLAYED = "played"
_SHORT = {"constant": "const", "own": "own"}  # a row has to fit into a terminal


def read_played(
    places: Sequence[Path],
    *,
    seed: int,
    jobs: int,
    as_json: bool,
    report: Path | None,
    refused: Mapping[str, object],
) -> None:
    """Read recordings and tell or print what came out; options in ``refused`` belong to other studies."""
    for option, said in refused.items():
        if said:
            raise TelosError(f"--{option} is not for {PLAYED}", "leave it out")
    from rich.console import Console
    from rich.progress import track

    from telos.studies.played import (
        run_study,  # here, so that `telos --help` need not wait for the world
        save_page,
    )

    waiting = Console(stderr=True)

    def watched(done: Iterable[Any], total: int) -> Iterable[Any]:
        return track(done, "reading", total, console=waiting, transient=True, disable=not waiting.is_terminal)

    done = run_study(places, seed=seed, jobs=jobs, watched=watched)
    for warning in done.warnings:
        typer.secho(f"note: {warning}", fg=typer.colors.YELLOW, err=True)
    if as_json:
        typer.echo(json.dumps(done.figures(), indent=2))
    else:
        _tell(done)
    if report is not None:
        save_page(done, report)
        typer.echo(f"written to {report}", err=as_json)


def _tell(done: "PlayedStudy") -> None:
    from rich.console import Console

    console = Console(highlight=False)
    games = len(done.games)
    console.print(f"{PLAYED}: human players ({games} recorded game{'' if games == 1 else 's'}, seed {done.seed})\n")
    if any(game.tallies for game in done.games):
        console.print(_games(done))
        console.print(
            "[dim]how often each method was right about the goal that the player was given; human. [/]"
            "[dim]const: constant T; own: an IOHMM trained on the player's own training round[/]\n"
        )
        console.print(_pooled(done))
        console.print("[dim]means over games; published: people new to the game[/]")
    _tell_free(done, console)


def _games(done: "PlayedStudy") -> "Table":
    from rich.table import Table

    from telos.studies.played import METHODS

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("game", no_wrap=True, overflow="ellipsis", max_width=12)
    table.add_column("player", no_wrap=True, overflow="ellipsis", max_width=8)
    table.add_column("rules", no_wrap=True, min_width=max(len(_rules(game)) for game in done.games))
    for heading in ("min", "phases", "updates", *(_SHORT.get(method, said) for method, said in METHODS.items())):
        table.add_column(heading, justify="right", no_wrap=True, min_width=max(4, len(heading)))
    for game in (each for each in done.games if each.tallies):
        shares = [f"{game.tallies[method].accuracy:.0%}" if method in game.tallies else "-" for method in METHODS]
        numbers = (f"{game.seconds / 60:.1f}", f"{game.phases[0]}/{game.phases[1]}", str(game.updates))
        told = (game.file.removesuffix(".jsonl"), game.player, _rules(game))
        table.add_row(*map(_plain, told), *numbers, *shares)
    return table


def _pooled(done: "PlayedStudy") -> "Table":
    from rich.table import Table

    from telos.studies.played import METHODS

    table = Table(box=None, pad_edge=False)
    for heading in ("pooled", "method"):
        table.add_column(heading, no_wrap=True)
    for heading in ("games", "human", "95% interval", "published"):
        table.add_column(heading, justify="right", no_wrap=True)
    for condition, scores in done.pooled.items():
        for method, score in scores.items():
            low, high = score.interval
            printed = "" if score.published is None else f"{score.published:g}%"
            numbers = (str(len(score.values)), f"{score.accuracy:.1%}", f"{low:.1%}-{high:.1%}", printed)
            table.add_row(_plain(condition), METHODS[method], *numbers)
    return table


def _tell_free(done: "PlayedStudy", console: Any) -> None:
    from telos.studies.played import METHODS

    for game in (each for each in done.games if each.is_free and each.believed):
        console.print(f"\n{_plain(game.file)}: free play of {_plain(game.player)}; what was believed, by update:")
        for method, shares in game.believed.items():
            said = ", ".join(f"{goal} {share:.0%}" for goal, share in shares.items())
            console.print(f"  {METHODS[method]}: {said}")


def _rules(game: "Played") -> str:
    return f"{game.rules} {game.part}".rstrip()


def _plain(text: str) -> str:
    """Return a text that came with a file so that its brackets are no markup."""
    from rich.markup import escape

    return escape(text)
