"""The ways in which any world is watched: as JSON, as lines, with a bar while it runs, and drawn in a terminal."""

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

import typer

from telos.core.trace import Trace, as_json

if TYPE_CHECKING:
    from rich.console import RenderableType

V = TypeVar("V")

_FRAMES_A_SECOND = 20


def print_json(record: object) -> None:
    """Print a trace record as a line of JSON."""
    typer.echo(as_json(record))


def printer(line: Callable[[object], str | None]) -> Trace:
    """Return a trace that prints what ``line`` makes of each record."""

    def tell(record: object) -> None:
        said = line(record)
        if said is not None:
            typer.echo(said)

    return tell


def is_terminal() -> bool:
    """Whether somebody looks on who can be shown a picture."""
    from rich.console import Console

    return Console().is_terminal


def run(views: Iterable[object], what: str, steps: float) -> None:
    """Let a world go on as fast as it can, with a bar for whoever waits at a terminal."""
    from rich.console import Console
    from rich.progress import track

    waiting = Console(stderr=True)
    for _ in track(views, what, steps, console=waiting, transient=True, disable=not waiting.is_terminal):
        pass


def show(draw: "Callable[[V], RenderableType]", start: V, views: Iterable[V], *, steps_a_second: float) -> None:
    """Draw a world in the terminal at the given pace; pictures are left out where they would take too long."""
    from rich.console import Console
    from rich.live import Live

    console, last = Console(), start
    try:
        with Live(draw(start), console=console, screen=True, auto_refresh=False) as live:
            began = shown = time.monotonic()
            for step, last in enumerate(views, start=1):
                now, due = time.monotonic(), began + step / steps_a_second
                if now - shown >= 1 / _FRAMES_A_SECOND or due > now:
                    live.update(draw(last), refresh=True)
                    shown = now
                time.sleep(max(0.0, due - time.monotonic()))
    except KeyboardInterrupt:
        pass  # the usual way to stop watching
    console.print(draw(last))  # the live picture goes with the screen it was drawn on
