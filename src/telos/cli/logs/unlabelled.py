"""``telos train --unlabelled``: expectation maximisation with a progress bar, and what is said of it."""

from typing import TYPE_CHECKING, Any

from telos.cli.logs.options import log_progress
from telos.cli.logs.selection import select_rows
from telos.core.errors import TelosError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from telos.recognition.iohmm import IOHMM
    from telos.telemetry import Log


def train_unlabelled(
    opened: "Log",
    model: "IOHMM",
    selection: dict[str, Any],
    *,
    rounds: int,
    starts: int,
    anchored: float,
    seed: int,
) -> tuple["IOHMM", dict[str, Any], list[str]]:
    """Return the fitted model, the figures for JSON, and the lines for people."""
    from rich.console import Console
    from rich.progress import Progress

    from telos.recognition.em import EMOptions
    from telos.telemetry.bulk.em import train_unlabelled as fit

    strength = None if model.learned is None else model.learned.strength
    options = EMOptions(anchored=anchored, transitions=strength, rounds=rounds)
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("fitting", total=starts * rounds)
        ran: dict[int, int] = {}

        def show(start: int, fit: float) -> None:
            ran[start] = ran.get(start, 0) + 1
            done = start * rounds + ran[start]
            bar.update(task, completed=done, description=f"start {start + 1} of {starts}, fit {fit:.4f}")

        found = fit(_rows(opened, selection), model, options=options, starts=starts, seed=seed, progress=show)
    if not found.events:
        raise TelosError(f"{opened.name}: there is nothing to learn from")
    figures = {
        "events": found.events,
        "updates": found.updates,
        "players": found.players,
        "held_out_players": found.held_out,
        "rounds": len(found.result.log_likelihoods),
        "fits": [round(each, 6) for each in found.fits],
        "fit_before": round(found.before, 6),
        "fit": round(found.after, 6),
    }
    judged = f"{found.held_out:,} players held out" if found.held_out else "the same players"
    lines = [
        f"learned without labels from {found.updates:,} updates of {found.players:,} players,"
        f" in {figures['rounds']} rounds; the best of {len(found.fits)} starts",
        f"log-likelihood of an update: {found.after:.4f}, before {found.before:.4f} (judged by {judged})",
    ]
    if not any(count for row in model.counts.seen.values() for count in row.values()):
        lines.append(
            "nothing ties a goal to its name: the model has counted no labelled play, so look at what each goal does"
        )
    return found.model, figures, lines


def _rows(opened: "Log", selection: dict[str, Any]) -> "Iterator[pl.DataFrame]":
    with log_progress(opened, "reading") as progress:
        yield from select_rows(opened, opened.batches(progress), **selection)
