"""``telos watch island``: a simulated player looks for what makes a camp ill."""

from telos.cli.watch_show import is_terminal, print_json, printer, run, show
from telos.core.errors import TelosError
from telos.worlds.island.story import the_story
from telos.worlds.island.trace import describe
from telos.worlds.island.visit import Moment, Visit


def watch_island(*, seed: int, style: str | None, seconds: float | None, speed: float, as_lines: bool) -> None:
    """Let somebody visit the island: draw it or print it; ``speed`` is in seconds a second."""
    hour = the_story().hour
    if seconds is not None and not 0 < seconds <= hour:  # a NaN fails too
        raise TelosError(f"--seconds must be more than 0 and at most {hour:g}, got {seconds:g}")
    limit = hour if seconds is None else seconds
    if as_lines:
        run(Visit(seed, style=style, trace=print_json).moments(limit), "visiting", limit)
    elif is_terminal():
        _show(seed, style, limit, speed)
    else:
        for _ in Visit(seed, style=style, trace=printer(describe)).moments(limit):
            pass


def _show(seed: int, style: str | None, limit: float, speed: float) -> None:
    from telos.worlds.island.terminal import Frame, Screen

    visit = Visit(seed, style=style)
    title = f"island · seed {seed} · {speed:g} s/s · Ctrl-C ends"
    screen = Screen(visit.island.story, style=visit.islander.temper.style, title=title)
    visit.trace = screen.note

    def draw(moment: Moment) -> Frame:
        return screen.frame(moment, visit.islander.wishes)

    start = Moment(0.0, visit.view, visit.view, None, 1.0)
    show(draw, start, visit.moments(limit), steps_a_second=speed)
