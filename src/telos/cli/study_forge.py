"""``telos study forge``: what a companion who reads plans is good for."""

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import typer

from telos.core.errors import TelosError

if TYPE_CHECKING:
    from rich.table import Table

    from telos.studies.forge import ForgeStudy

FORGE = "forge"
_OVER = {"waits": "waiting", "none": "being alone", "told": "being told", "parses": "parsing"}


def read_forge(
    *, runs: int | None, quick: bool, seed: int, jobs: int, as_json: bool, refused: Mapping[str, object]
) -> None:
    """Run the study and tell or print what came out; options in ``refused`` belong to other studies."""
    for option, said in refused.items():
        if said:
            raise TelosError(f"--{option} is not for {FORGE}", "leave it out")
    from rich.console import Console
    from rich.progress import track

    from telos.studies.forge import QUICK, RUNS, run_study  # here, so that `telos --help` need not wait for the world

    waiting = Console(stderr=True)

    def watched(done: Iterable[Any], total: int) -> Iterable[Any]:
        return track(done, "playing", total, console=waiting, transient=True, disable=not waiting.is_terminal)

    count = runs if runs is not None else QUICK if quick else RUNS
    done = run_study(runs=count, seed=seed, jobs=jobs, watched=watched)
    if as_json:
        typer.echo(json.dumps(done.figures(), indent=2))
    else:
        _tell(done)


def _tell(done: "ForgeStudy") -> None:
    from rich.console import Console

    console = Console(highlight=False)
    players = len(done.players)
    console.print(f"{FORGE}: {players} simulated players, each under every condition (seed {done.seed})\n")
    console.print(_times(done))
    console.print("[dim]seconds to open the door, by what the companion does; 95% intervals of the means[/]\n")
    console.print(_tests(done))
    console.print("[dim]paired t-tests; slower: runs that took more than a tenth longer[/]\n")
    for finding in done.findings:
        console.print(f"- {finding}", soft_wrap=True)


def _times(done: "ForgeStudy") -> "Table":
    from rich.table import Table

    from telos.studies.forge import COMPANIONS

    table = Table(box=None, pad_edge=False)
    table.add_column("plan", no_wrap=True)
    for said in COMPANIONS.values():
        table.add_column(said, justify="right", no_wrap=True)
    for plan, cells in done.figures()["times"].items():
        spans = [(each["seconds"], *each["interval"]) for each in cells.values()]
        table.add_row(plan, *(f"{mean:.0f} ({low:.0f}-{high:.0f})" for mean, low, high in spans))
    return table


def _tests(done: "ForgeStudy") -> "Table":
    from rich.table import Table

    from telos.studies.forge import ALL, WAITS
    from telos.studies.statistics import said_p

    table = Table(box=None, pad_edge=False)
    table.add_column("reading saves", no_wrap=True)
    for heading in ("seconds", "95%", "share", "t-test", "slower"):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in (saving for saving in done.savings if saving.plan == ALL or saving.over == WAITS):
        low, high = each.test.interval
        table.add_row(
            f"{each.plan}, over {_OVER[each.over]}", f"{each.test.difference:.1f}", f"{low:.1f}-{high:.1f}",
            f"{each.share:.0%}", said_p(each.test.p), f"{each.slower:.0%}",
        )  # fmt: skip
    return table
