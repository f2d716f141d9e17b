"""``telos study crystal-island``: Markov logic and n-grams on simulated players, and on people if a log is there."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from telos.core.errors import TelosError

if TYPE_CHECKING:
    from telos.studies.crystal_island.folds import Outcome
    from telos.studies.crystal_island.study import CrystalIsland

ISLAND = "crystal-island"
_KEY = (
    "ahead: F1 with look-ahead, as in the chapter; macro, conv. (pursuits whose last reading is right) and at (where "
    "it was settled) are of the online reading"
)


def read_island(
    *,
    players: int | None,
    folds: int | None,
    data: Path | None,
    quick: bool,
    seed: int,
    jobs: int,
    as_json: bool,
    report: Path | None,
    figures: Path | None,
    refused: Mapping[str, object],
) -> None:
    """Run the study and tell, print or save what came out; options in ``refused`` belong to other studies."""
    for option, said in refused.items():
        if said:
            raise TelosError(f"--{option} is not for {ISLAND}", "leave it out")
    from rich.console import Console
    from rich.progress import track

    from telos.studies.crystal_island.study import (
        run_study,  # here, so that `telos --help` need not wait for the models
    )

    waiting = Console(stderr=True)

    def watched(done: Iterable[Any], total: int) -> Iterable[Any]:
        return track(done, "folds", total, console=waiting, transient=True, disable=not waiting.is_terminal)

    done = run_study(players=players, folds=folds, seed=seed, jobs=jobs, quick=quick, data=data, watched=watched)
    if as_json:
        typer.echo(json.dumps(done.figures(), indent=2))
    else:
        _tell(done)
    _save(done, report, figures, quiet=as_json)


def _save(done: "CrystalIsland", report: Path | None, figures: Path | None, *, quiet: bool) -> None:
    from telos.studies.crystal_island.study import save_figures, save_report

    if report is not None:
        save_report(done, report)
        typer.echo(f"written to {report}", err=quiet)
    if figures is not None:
        written = save_figures(done, figures)
        typer.echo(f"{len(written)} figures written into {figures}", err=quiet)


def _tell(done: "CrystalIsland") -> None:
    from rich.console import Console

    from telos.studies.crystal_island.study import SOURCE

    console = Console(highlight=False)
    console.print(f"{ISLAND}: after {SOURCE} (seed {done.seed})\n")
    for found in (done.simulated, *done.human.values()):
        _tell_log(found, console)
    for each in done.findings:
        console.print(f"- {each}")


def _tell_log(found: "Outcome", console: Any) -> None:
    from rich.table import Table

    from telos.studies.crystal_island.folds import AHEAD, ONLINE
    from telos.studies.crystal_island.study import PUBLISHED

    printed: Any = PUBLISHED["f1"] if found.is_simulated else {}
    who = "simulated" if found.is_simulated else "human"
    table = Table(box=None, pad_edge=False)
    table.add_column(f"{found.log}, {who}: F1", no_wrap=True)
    for heading in ("ahead", "± sd", "publ.", "online", "± sd", "macro", "conv.", "at"):
        table.add_column(heading, justify="right", no_wrap=True)
    for key, score in found.scores.items():
        online, ahead = score.decodings[ONLINE], score.decodings.get(AHEAD)
        point = online.convergence.point
        table.add_row(
            score.label,
            *("-", "") if ahead is None else (f"{ahead.mean:.3f}", f"{ahead.sd:.3f}"),
            f"{printed[key]:.3f}" if key in printed else "",
            f"{online.mean:.3f}",
            f"{online.sd:.3f}",
            f"{online.macro_f1:.3f}",
            f"{online.convergence.rate:.0%}",
            "" if point is None else f"{point:.0%}",
        )
    console.print(table)
    console.print(f"[dim]{found.players} players, {found.actions:,} actions, {found.goals:,} goals achieved; {_KEY}[/]")
    for note in found.notes:
        console.print(f"[dim]{note}[/]")
    console.print()
