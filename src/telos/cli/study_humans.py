"""``telos study overcooked``, ``crafter`` and ``starcraft``: the recognisers on public logs of people."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import typer

from telos.core.errors import TelosError

HUMANS = ("overcooked", "overcooked-planning", "crafter", "crafter-planning", "starcraft")


def read_humans(
    name: str,
    folder: Path | None,
    *,
    quick: bool,
    seed: int,
    jobs: int,
    as_json: bool,
    refused: Mapping[str, object],
) -> None:
    """Run a study of human players over the log in ``folder``; options in ``refused`` belong to the simulated ones."""
    for option, said in refused.items():
        if said:
            raise TelosError(f"--{option} is for studies of simulated players; leave it out for {name}")
    if folder is None:
        raise TelosError(f"{name} reads a log of people; name its folder, as in: telos study {name} FOLDER")
    from rich.console import Console
    from rich.progress import track

    from telos.studies.humans import STUDIES  # here, so that `telos --help` need not wait for the models

    waiting = Console(stderr=True)

    def watched(done: Iterable[Any], total: int) -> Iterable[Any]:
        return track(done, "reading", total, console=waiting, transient=True, disable=not waiting.is_terminal)

    done = STUDIES[name].run(folder, quick=quick, seed=seed, jobs=jobs, watched=watched)
    typer.echo(json.dumps(done.figures(), indent=2) if as_json else "\n".join(done.lines))
