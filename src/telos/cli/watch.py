"""``telos watch``: look into a world while the characters in it live by their goals."""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from telos.core.errors import TelosError
from telos.core.trace import as_json
from telos.worlds.home.household import Household
from telos.worlds.home.log import Log
from telos.worlds.home.views import MINUTES_A_DAY
from telos.worlds.registry import known_world

_FRAMES_A_SECOND = 20
_LONGEST = 36_500  # days; a hundred years is surely a slip of the keyboard


def watch(
    world: Annotated[str, typer.Argument(help="The world to look into: home.")],
    people: Annotated[int, typer.Option(help="How many people live there, 1 to 6.")] = 3,
    days: Annotated[float, typer.Option(help="How many days to watch, from seven in the morning.")] = 1.0,
    seed: Annotated[int, typer.Option(help="One seed fixes the whole run.")] = 7,
    speed: Annotated[float, typer.Option(help="Minutes of their time a second of yours, in a terminal.")] = 24.0,
    as_lines: Annotated[bool, typer.Option("--json", help="Print the trace, one JSON object a line.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw everybody's motives into this file (png, svg, pdf).")] = None,
) -> None:
    """Watch a world live: who does what, and why.

    In a terminal it is drawn as it happens (Ctrl-C ends it); otherwise, and with --json or --plot, it runs as fast as
    it can.

    Example: telos watch home --people 3 --days 1 --seed 7
    """
    known_world(world)
    minutes = round(_days(days) * MINUTES_A_DAY)
    if not (math.isfinite(speed) and speed > 0):
        raise TelosError(f"--speed must be more than 0 minutes a second, got {speed:g}")
    if plot is not None:
        _save_plot(plot, people, seed, minutes, also=_print_json if as_lines else None)
        typer.echo(f"drawn to {plot}", err=as_lines)
    elif as_lines:
        _live(Household(people, seed=seed, trace=_print_json), minutes)
    elif _is_terminal():
        _show(people, seed, minutes, speed)
    else:
        Household(people, seed=seed, trace=_printer()).live(minutes=minutes)


def _days(days: float) -> float:
    if not 0 < days <= _LONGEST:  # a NaN fails too
        raise TelosError(f"--days must be more than 0 and at most {_LONGEST}, got {days:g}")
    return days


def _live(household: Household, minutes: int) -> None:
    """Let the days go by as fast as they can, with a bar for whoever waits at a terminal."""
    from rich.console import Console
    from rich.progress import track

    waiting = Console(stderr=True)
    for _ in track(
        household.minutes(minutes), "living", minutes, console=waiting, transient=True, disable=not waiting.is_terminal
    ):
        pass


def _print_json(record: object) -> None:
    typer.echo(as_json(record))


def _printer() -> Callable[[object], None]:
    log = Log()

    def tell(record: object) -> None:
        line = log.line(record)
        if line is not None:
            typer.echo(line)

    return tell


def _save_plot(path: Path, people: int, seed: int, minutes: int, *, also: Callable[[object], None] | None) -> None:
    from telos.worlds.home.plot import check_path, save  # matplotlib is heavy, and an extra

    check_path(path)
    records: list[object] = []

    def keep(record: object) -> None:
        records.append(record)
        if also is not None:
            also(record)

    _live(Household(people, seed=seed, trace=keep), minutes)
    save(records, path)


def _is_terminal() -> bool:
    from rich.console import Console

    return Console().is_terminal


def _show(people: int, seed: int, minutes: int, speed: float) -> None:
    from rich.console import Console
    from rich.live import Live

    from telos.worlds.home.screen import Screen

    household = Household(people, seed=seed)
    screen = Screen(household.home, title=f"home · seed {seed} · {speed:g} min/s · Ctrl-C ends")
    household.trace = screen.note
    console = Console()
    try:
        with Live(screen.frame(household.view), console=console, screen=True, auto_refresh=False) as live:
            start = shown = time.monotonic()
            for minute, view in enumerate(household.minutes(minutes), start=1):
                now, due = time.monotonic(), start + minute / speed
                if now - shown >= 1 / _FRAMES_A_SECOND or due > now:
                    live.update(screen.frame(view), refresh=True)
                    shown = now
                time.sleep(max(0.0, due - time.monotonic()))
    except KeyboardInterrupt:
        pass  # the usual way to stop watching
    console.print(screen.frame(household.view))  # the live picture goes with the screen it was drawn on
