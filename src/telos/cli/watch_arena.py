"""``telos watch arena``: a fight, by the name of its scene, or one that was recorded."""

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from telos.cli.watch_show import is_terminal, print_json, printer, run, show
from telos.core.errors import TelosError
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.replay import FightLog, IntentionTracker, Replay
from telos.worlds.arena.scene import Scene, load_scene
from telos.worlds.arena.sim.constants import TICKS_A_SECOND
from telos.worlds.arena.sim.views import ArenaView

if TYPE_CHECKING:
    from telos.worlds.arena.terminal import MindState, TraceNotes

_LONGEST = 86_400  # seconds; no fight lasts a day


def watch_arena(*, scene: str, seconds: float | None, seed: int, speed: float, as_lines: bool) -> None:
    """Let a scene be fought out: draw it or print it; ``speed`` is in seconds a second."""
    _check(seconds)
    if seed < 0:
        raise TelosError(f"a seed is a whole number, zero or more, got {seed}")
    played = load_scene(scene)
    limit = played.seconds if seconds is None else seconds
    if as_lines:
        run(Battle(played, seed=seed, trace=print_json).run(limit), "fighting", limit * TICKS_A_SECOND)
    elif is_terminal():
        _show(played, seed, limit, speed)
    else:
        for _ in Battle(played, seed=seed, trace=printer(FightLog().line)).run(limit):
            pass


def watch_replay(file: Path, *, scene: str | None, seconds: float | None, speed: float, as_lines: bool) -> None:
    """Play a recorded fight again, and check that everything happens as it did."""
    _check(seconds)
    given = None if scene is None else load_scene(scene)
    steps = None if seconds is None else round(seconds * TICKS_A_SECOND)
    with _opened(file) as lines:
        if is_terminal() and not as_lines:
            _show_replay(lines, str(file), given, steps, speed)
            return
        trace = print_json if as_lines else printer(FightLog().line)
        for _ in islice(Replay(lines, scene=given, name=str(file), trace=trace).steps(), steps):
            pass


def _check(seconds: float | None) -> None:
    if seconds is not None and not 0 < seconds <= _LONGEST:  # a NaN fails too
        raise TelosError(f"--seconds must be more than 0 and at most {_LONGEST}, got {seconds:g}")


def _opened(file: Path) -> TextIO:
    """Open a recording, which may be longer than anything a person writes."""
    try:
        return file.open(encoding="utf-8", errors="replace")  # what is no text is no JSON either, and told by its line
    except OSError as error:
        raise TelosError(f"{file}: cannot be read: {error.strerror or error}") from None


def _show(scene: Scene, seed: int, limit: float, speed: float) -> None:
    from telos.worlds.arena.terminal import TraceNotes

    notes = TraceNotes()
    battle = Battle(scene, seed=seed, trace=notes.note)
    title = f"arena · seed {seed} · {speed:g} s/s · Ctrl-C ends"
    _draw(notes, scene, title, battle.minds, battle.view, battle.run(limit), speed)


def _show_replay(lines: Iterable[str], name: str, given: Scene | None, steps: int | None, speed: float) -> None:
    from telos.worlds.arena.terminal import TraceNotes

    notes, told = TraceNotes(), IntentionTracker()

    def note(record: object) -> None:
        notes.note(record)
        told.note(record)

    played = Replay(lines, scene=given, name=name, trace=note)
    title = f"arena · replay of seed {played.seed} · {speed:g} s/s · Ctrl-C ends"
    _draw(notes, played.scene, title, told.minds, played.arena.view(), islice(played.steps(), steps), speed)


def _draw(
    notes: "TraceNotes", scene: Scene, title: str, minds: "Mapping[str, MindState]", start: ArenaView,
    views: Iterable[ArenaView], speed: float,
) -> None:  # fmt: skip
    from telos.worlds.arena.terminal import ArenaFrame, ArenaScreen

    screen = ArenaScreen(scene.map.rows, notes, room_at=scene.map.room_at, scene=scene.name, title=title)

    def draw(view: ArenaView) -> ArenaFrame:
        return screen.frame(view, minds)

    show(draw, start, views, steps_a_second=speed * TICKS_A_SECOND)
