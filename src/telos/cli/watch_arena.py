"""``telos watch arena``: a fight, by the name of its scene."""

from telos.cli.watch_show import is_terminal, print_json, printer, run, show
from telos.core.errors import TelosError
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.log import Log
from telos.worlds.arena.scene import Scene
from telos.worlds.arena.scenes import load_scene
from telos.worlds.arena.views import ArenaView

_STEPS_A_SECOND = 10  # of the arena's time
_LONGEST = 86_400  # seconds; no fight lasts a day


def watch_arena(*, scene: str, seconds: float | None, seed: int, speed: float, as_lines: bool) -> None:
    """Let a scene be fought out: draw it or print it; ``speed`` is in seconds a second."""
    if seconds is not None and not 0 < seconds <= _LONGEST:  # a NaN fails too
        raise TelosError(f"--seconds must be more than 0 and at most {_LONGEST}, got {seconds:g}")
    if seed < 0:
        raise TelosError(f"a seed is a whole number, zero or more, got {seed}")
    played = load_scene(scene)
    limit = played.seconds if seconds is None else seconds
    if as_lines:
        run(Battle(played, seed=seed, trace=print_json).seconds(limit), "fighting", limit * _STEPS_A_SECOND)
    elif is_terminal():
        _show(played, seed, limit, speed)
    else:
        for _ in Battle(played, seed=seed, trace=printer(Log().line)).seconds(limit):
            pass


def _show(scene: Scene, seed: int, limit: float, speed: float) -> None:
    from telos.worlds.arena.screen import Frame, Notes, Screen

    notes = Notes()
    battle = Battle(scene, seed=seed, trace=notes.note)
    title = f"arena · seed {seed} · {speed:g} s/s · Ctrl-C ends"
    screen = Screen(battle.arena.map.rows, notes, room_at=battle.arena.map.room_at, scene=scene.name, title=title)

    def draw(view: ArenaView) -> Frame:
        return screen.frame(view, battle.minds)

    show(draw, battle.view, battle.seconds(limit), steps_a_second=speed * _STEPS_A_SECOND)
