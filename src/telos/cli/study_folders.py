"""``telos study overcooked``, ``crafter``, ``monroe`` and others: recognisers on logs and problems brought along."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import typer

from telos.core.errors import TelosError

PROBLEMS = ("monroe", "kitchen")  # plans of the literature, not of people, but read from a folder all the same
FROM_FOLDERS = ("overcooked", "overcooked-planning", "crafter", "crafter-planning", "starcraft", *PROBLEMS)


def read_folder(
    name: str,
    folder: Path | None,
    *,
    quick: bool,
    seed: int,
    jobs: int,
    as_json: bool,
    refused: Mapping[str, object],
) -> None:
    """Run a study over what is in ``folder``; options in ``refused`` belong to studies of simulated players."""
    for option, said in refused.items():
        if said:
            raise TelosError(f"--{option} is for studies of simulated players", f"leave it out for {name}")
    if folder is None:
        raise TelosError(f"{name} reads what you bring along", f"name its folder, as in: telos study {name} FOLDER")
    from rich.console import Console
    from rich.progress import track

    from telos.studies.humans import STUDIES  # here, so that `telos --help` need not wait for the models
    from telos.studies.plan_grammars import STUDIES as HIERARCHICAL

    waiting = Console(stderr=True)

    def watched(done: Iterable[Any], total: int) -> Iterable[Any]:
        return track(done, "reading", total, console=waiting, transient=True, disable=not waiting.is_terminal)

    run = HIERARCHICAL[name] if name in PROBLEMS else STUDIES[name].run
    done = run(folder, quick=quick, seed=seed, jobs=jobs, watched=watched)
    typer.echo(json.dumps(done.figures(), indent=2) if as_json else "\n".join(done.lines))
