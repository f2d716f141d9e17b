"""``telos watch home``: people about the house."""

from pathlib import Path

import typer

from telos.cli.watch_show import is_terminal, print_json, printer, run, show
from telos.core.errors import TelosError
from telos.core.trace import Trace
from telos.worlds.home.household import Household
from telos.worlds.home.trace import HomeLog
from telos.worlds.home.views import MINUTES_A_DAY

_LONGEST = 36_500  # days; a hundred years is surely a slip of the keyboard


def watch_home(*, people: int, days: float, seed: int, speed: float, as_lines: bool, plot: Path | None) -> None:
    """Let people live for some days: draw it, print it, or plot it; ``speed`` is in minutes a second."""
    if not 0 < days <= _LONGEST:  # a NaN fails too
        raise TelosError(f"--days must be more than 0 and at most {_LONGEST}, got {days:g}")
    minutes = round(days * MINUTES_A_DAY)
    if plot is not None:
        _save_plot(plot, people, seed, minutes, also=print_json if as_lines else None)
        typer.echo(f"drawn to {plot}", err=as_lines)
    elif as_lines:
        _live(Household(people, seed=seed, trace=print_json), minutes)
    elif is_terminal():
        _show(people, seed, minutes, speed)
    else:
        Household(people, seed=seed, trace=printer(HomeLog().line)).live(minutes=minutes)


def _live(household: Household, minutes: int) -> None:
    run(household.minutes(minutes), "living", minutes)


def _save_plot(path: Path, people: int, seed: int, minutes: int, *, also: Trace | None) -> None:
    from telos.worlds.home.plot import save_plot  # matplotlib is heavy, and an extra
    from telos.worlds.plots import check_path

    check_path(path)
    records: list[object] = []

    def keep(record: object) -> None:
        records.append(record)
        if also is not None:
            also(record)

    _live(Household(people, seed=seed, trace=keep), minutes)
    save_plot(records, path)


def _show(people: int, seed: int, minutes: int, speed: float) -> None:
    from telos.worlds.home.terminal import HomeScreen

    household = Household(people, seed=seed)
    screen = HomeScreen(household.home, title=f"home · seed {seed} · {speed:g} min/s · Ctrl-C ends")
    household.trace = screen.note
    show(screen.frame, household.view, household.minutes(minutes), steps_a_second=speed)
