"""``telos watch``: run a world and show its characters; one sub-command per world.

In a terminal the world is drawn live (Ctrl-C ends it). Otherwise, and with ``--json`` or ``--plot``, it runs as fast as
it can and prints a log. Worlds are imported when a command runs, so that ``telos --help`` is fast.
"""

import io
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from telos.cli.common import (
    MAX_COUNT,
    MAX_SECONDS,
    NameFirstGroup,
    in_range,
    is_terminal,
    print_json_line,
    print_lines,
    progress_bar,
    seed_option,
)
from telos.cli.worlds.fights import goals, orders
from telos.core.errors import TelosError
from telos.core.trace import Trace
from telos.exits import on_interrupt
from telos.files.reading import open_input

if TYPE_CHECKING:
    from rich.console import RenderableType

    from telos.worlds.arena.scene import Scene
    from telos.worlds.arena.sim.views import ArenaView
    from telos.worlds.arena.terminal import MindState, TraceNotes
    from telos.worlds.forge.scene import ForgeScene
    from telos.worlds.home.household import Household

_View = TypeVar("_View")

_FRAMES_PER_SECOND = 20
_MAX_DAYS = 36_500  # a hundred years: more is surely a typing error


class _WorldGroup(NameFirstGroup):
    noun = "world"


watch = typer.Typer(
    name="watch",
    cls=_WorldGroup,
    add_completion=False,
    no_args_is_help=True,
    help="Watch a world: who does what, and why.\n\n"
    "In a terminal it is drawn live (Ctrl-C ends it); otherwise, and with --json or --plot, it runs as fast as it can."
    "\n\nExamples: telos watch home --people 3 --days 1 --seed 7; telos watch arena --scene flank --seed 3; "
    "telos watch island --style social; telos watch forge --plan key",
)

Seed = Annotated[int, seed_option("One seed determines the whole run.")]
AsLines = Annotated[bool, typer.Option("--json", help="Print the trace, one JSON object per line.")]


def _speed_option(unit: str) -> Any:
    return typer.Option(help=f"In a terminal: {unit} of the world per second.", callback=in_range(0.001, MAX_COUNT))


def _seconds_option(default: str) -> Any:
    return typer.Option(
        help="Stop after so many seconds.", show_default=default, callback=in_range(0, MAX_SECONDS, is_open=True)
    )


@watch.command()
def home(
    people: Annotated[int, typer.Option(help="How many people live there, 1 to 6.", callback=in_range(1, 6))] = 3,
    days: Annotated[
        float,
        typer.Option(
            help="How many days to watch, from seven in the morning.", callback=in_range(0, _MAX_DAYS, is_open=True)
        ),
    ] = 1.0,
    plot: Annotated[Path | None, typer.Option(help="Draw everybody's motives into this file (png, svg, pdf).")] = None,
    seed: Seed = 7,
    speed: Annotated[float, _speed_option("minutes")] = 24.0,
    as_lines: AsLines = False,
) -> None:
    """Watch people in a house who act on their motives."""
    from telos.worlds.home.household import Household
    from telos.worlds.home.trace import HomeLog
    from telos.worlds.home.views import MINUTES_A_DAY

    minutes = round(days * MINUTES_A_DAY)
    if plot is not None:
        _plot_motives(plot, people, seed, minutes, also=print_json_line if as_lines else None)
        typer.echo(f"drawn to {plot}", err=as_lines)
    elif as_lines:
        _run_household(Household(people, seed=seed, trace=print_json_line), minutes)
    elif is_terminal():
        _show_household(people, seed, minutes, speed)
    else:
        Household(people, seed=seed, trace=print_lines(HomeLog().line)).live(minutes=minutes)


def _run_household(household: "Household", minutes: int) -> None:
    _run(household.minutes(minutes), "living", minutes)


def _plot_motives(path: Path, people: int, seed: int, minutes: int, *, also: Trace | None) -> None:
    from telos.worlds.home.household import Household
    from telos.worlds.home.plot import save_plot  # needs matplotlib, an optional dependency
    from telos.worlds.plots import check_path

    check_path(path)
    records: list[object] = []

    def keep(record: object) -> None:
        records.append(record)
        if also is not None:
            also(record)

    _run_household(Household(people, seed=seed, trace=keep), minutes)
    save_plot(records, path)


def _show_household(people: int, seed: int, minutes: int, speed: float) -> None:
    from telos.worlds.home.household import Household
    from telos.worlds.home.terminal import HomeScreen

    household = Household(people, seed=seed)
    screen = HomeScreen(household.home, title=f"home · seed {seed} · {speed:g} min/s · Ctrl-C ends")
    household.trace = screen.note
    _show(screen.frame, household.view, household.minutes(minutes), steps_per_second=speed)


@watch.command()
def arena(
    scene: Annotated[
        str | None, typer.Option(help="The scene to play, by its name or its file.", show_default="skirmish")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the scenes and stop.")] = False,
    seconds: Annotated[float | None, _seconds_option("as the scene says")] = None,
    recording: Annotated[
        Path | None, typer.Option("--replay", help="Replay a fight that was recorded with --json, and check it.")
    ] = None,
    seed: Seed = 7,
    speed: Annotated[float, _speed_option("seconds")] = 1.0,
    as_lines: AsLines = False,
) -> None:
    """Watch a fight between squads, live or recorded."""
    if listed:
        _list_scenes(as_json=as_lines)
    elif recording is not None:
        _replay_fight(recording, scene, seconds, speed, as_lines=as_lines)
    else:
        _run_fight(scene or "skirmish", seconds, seed, speed, as_lines=as_lines)


watch.command()(orders)
watch.command()(goals)


def _list_scenes(*, as_json: bool) -> None:
    from telos.worlds.arena.scene import load_scene, scene_names

    scenes = [load_scene(name) for name in scene_names()]
    if as_json:
        keys = ("name", "title", "about", "seconds")
        typer.echo(json.dumps([{key: getattr(each, key) for key in keys} for each in scenes]))
        return
    widest, wide = (max((len(getattr(each, key)) for each in scenes), default=0) for key in ("name", "title"))
    for each in scenes:
        typer.echo(f"{each.name:<{widest}}  {each.title:<{wide}}  {each.about}")


def _run_fight(name: str, seconds: float | None, seed: int, speed: float, *, as_lines: bool) -> None:
    from telos.worlds.arena.battle import Battle
    from telos.worlds.arena.replay import FightLog
    from telos.worlds.arena.scene import load_scene
    from telos.worlds.arena.sim.constants import TICKS_A_SECOND

    scene = load_scene(name)
    limit = scene.seconds if seconds is None else seconds
    if as_lines:
        _run(Battle(scene, seed=seed, trace=print_json_line).seconds(limit), "fighting", limit * TICKS_A_SECOND)
    elif is_terminal():
        _show_fight(scene, seed, limit, speed)
    else:
        for _ in Battle(scene, seed=seed, trace=print_lines(FightLog().line)).seconds(limit):
            pass


def _replay_fight(file: Path, scene: str | None, seconds: float | None, speed: float, *, as_lines: bool) -> None:
    from telos.worlds.arena.replay import FightLog, Replay
    from telos.worlds.arena.scene import load_scene
    from telos.worlds.arena.sim.constants import TICKS_A_SECOND

    given = None if scene is None else load_scene(scene)
    steps = None if seconds is None else round(seconds * TICKS_A_SECOND)
    lines = _read_lines(file)
    if is_terminal() and not as_lines:
        _show_replay(lines, str(file), given, steps, speed)
        return
    replay = Replay(
        lines, scene=given, name=str(file), trace=print_json_line if as_lines else print_lines(FightLog().line)
    )
    for _ in islice(replay.steps(), steps):
        pass
    if steps is None:
        replay.check_complete()


def _read_lines(file: Path) -> Iterator[str]:
    """Yield the lines of a recording, which may be longer than any file that a person writes."""
    from telos.worlds.arena.replay import MAX_LINE

    # A line that is not text is reported as bad JSON, and so is the rest of one that is too long.
    with open_input(file) as raw, io.TextIOWrapper(raw, encoding="utf-8-sig", errors="replace") as lines:
        while line := lines.readline(MAX_LINE + 1):
            yield line


def _show_fight(scene: "Scene", seed: int, limit: float, speed: float) -> None:
    from telos.worlds.arena.battle import Battle
    from telos.worlds.arena.terminal import TraceNotes

    notes = TraceNotes()
    battle = Battle(scene, seed=seed, trace=notes.note)
    title = f"arena · seed {seed} · {speed:g} s/s · Ctrl-C ends"
    _draw_fight(notes, scene, title, battle.minds, battle.view, battle.seconds(limit), speed)


def _show_replay(lines: Iterable[str], name: str, given: "Scene | None", steps: int | None, speed: float) -> None:
    from telos.worlds.arena.replay import IntentionTracker, Replay
    from telos.worlds.arena.terminal import TraceNotes

    notes, intentions = TraceNotes(), IntentionTracker()

    def note(record: object) -> None:
        notes.note(record)
        intentions.note(record)

    replay = Replay(lines, scene=given, name=name, trace=note)
    title = f"arena · replay of seed {replay.seed} · {speed:g} s/s · Ctrl-C ends"
    views = islice(replay.steps(), steps)
    _draw_fight(notes, replay.scene, title, intentions.minds, replay.arena.view(), views, speed)
    if steps is None and next(replay.steps(), None) is None:  # all was shown
        replay.check_complete()


def _draw_fight(
    notes: "TraceNotes", scene: "Scene", title: str, minds: "Mapping[str, MindState]", start: "ArenaView",
    views: "Iterable[ArenaView]", speed: float,
) -> None:  # fmt: skip
    from telos.worlds.arena.sim.constants import TICKS_A_SECOND
    from telos.worlds.arena.terminal import ArenaFrame, ArenaScreen

    screen = ArenaScreen(scene.map.rows, notes, room_at=scene.map.room_at, scene=scene.name, title=title)

    def draw(view: "ArenaView") -> ArenaFrame:
        return screen.frame(view, minds)

    _show(draw, start, views, steps_per_second=speed * TICKS_A_SECOND)


@watch.command()
def island(
    style: Annotated[
        str | None, typer.Option(help="methodical, social or guesser.", show_default="drawn by the seed")
    ] = None,
    seconds: Annotated[float | None, _seconds_option("an hour")] = None,
    variant: Annotated[str, typer.Option(help="How players are simulated: today, or text.")] = "today",
    with_tutor: Annotated[
        bool, typer.Option("--tutor", help="With a tutor, who redirects a player that is stuck or guesses.")
    ] = False,
    seed: Seed = 7,
    speed: Annotated[float, _speed_option("seconds")] = 8.0,
    as_lines: AsLines = False,
) -> None:
    """Watch a simulated player who looks for the cause of an outbreak."""
    from telos.worlds.island.playthrough import Playthrough, create_goal_reader
    from telos.worlds.island.story import load_story
    from telos.worlds.island.trace import describe

    hour = load_story().hour
    if seconds is not None and not 0 < seconds <= hour:  # false for NaN too
        raise TelosError(f"--seconds must be more than 0 and at most {hour:g}, got {seconds:g}")
    limit = hour if seconds is None else seconds
    options: dict[str, Any] = {"style": style, "variant": variant}
    if with_tutor:
        from telos.worlds.island.tutor import IslandTutor

        options |= {"tutor": IslandTutor(), "reader": create_goal_reader()}
    if as_lines:
        _run(Playthrough(seed, **options, trace=print_json_line).moments(limit), "visiting", limit)
    elif is_terminal():
        _show_visit(seed, options, limit, speed)
    else:
        for _ in Playthrough(seed, **options, trace=print_lines(describe)).moments(limit):
            pass


def _show_visit(seed: int, options: dict[str, Any], limit: float, speed: float) -> None:
    from telos.worlds.island.playthrough import IslandMoment, Playthrough
    from telos.worlds.island.terminal import IslandFrame, IslandScreen

    game = Playthrough(seed, **options)
    title = f"island · seed {seed} · {speed:g} s/s · Ctrl-C ends"
    screen = IslandScreen(game.island.story, style=game.islander.style.name, title=title)
    game.trace = screen.note

    def draw(moment: IslandMoment) -> IslandFrame:
        return screen.frame(moment, game.islander.wishes)

    start = IslandMoment(0.0, game.view, game.view, None, 1.0)
    _show(draw, start, game.moments(limit), steps_per_second=speed)


@watch.command()
def forge(
    plan: Annotated[
        str | None, typer.Option(help="The player's plan: key, force or spare.", show_default="drawn by the seed")
    ] = None,
    companion: Annotated[
        str, typer.Option(help="A companion who reads the player, parses, waits to be asked, or none.")
    ] = "reads",
    seed: Seed = 7,
    speed: Annotated[float, _speed_option("seconds")] = 4.0,
    as_lines: AsLines = False,
) -> None:
    """Watch a player at a locked door, and a companion who reads what the player is after."""
    from telos.worlds.forge.domain import PLANS
    from telos.worlds.forge.scene import MAX_SECONDS, ForgeScene
    from telos.worlds.forge.trace import describe

    chosen = Random(f"plan {seed}").choice(PLANS) if plan is None else plan
    scene = ForgeScene(chosen, companion, seed=seed)
    if as_lines:
        scene.trace = print_json_line
        _run(scene.moments(), "playing", MAX_SECONDS / scene.pace)
    elif is_terminal():
        _show_scene(scene, speed)
    else:
        scene.trace = print_lines(describe)
        for _ in scene.moments():
            pass


def _show_scene(scene: "ForgeScene", speed: float) -> None:
    from telos.planning.planner import warm_up
    from telos.worlds.forge.scene import ForgeSceneView
    from telos.worlds.forge.terminal import ForgeFrame

    warm_up()  # compile before the first frame
    title = f"forge · seed {scene.seed} · {speed:g} s/s · Ctrl-C ends"

    def draw(view: ForgeSceneView) -> ForgeFrame:
        return ForgeFrame(scene.world.village, view, title)

    _show(draw, scene.view(), scene.moments(), steps_per_second=speed / scene.pace)


def _run(views: Iterable[object], label: str, steps: float) -> None:
    """Run a world as fast as it can."""
    for _ in progress_bar(label)(views, round(steps)):
        pass


def _show(
    draw: "Callable[[_View], RenderableType]", start: _View, views: Iterable[_View], *, steps_per_second: float
) -> None:
    """Draw a world in the terminal at the given speed; frames that would come too late are skipped."""
    from rich.console import Console
    from rich.live import Live

    console, last, ended = Console(), start, threading.Event()
    with (
        on_interrupt(ended.set),  # the usual way to stop watching
        Live(draw(start), console=console, screen=True, auto_refresh=False) as live,
    ):
        began = shown = time.monotonic()
        for step, last in enumerate(views, start=1):
            now, due = time.monotonic(), began + step / steps_per_second
            if now - shown >= 1 / _FRAMES_PER_SECOND or due > now:
                live.update(draw(last), refresh=True)
                shown = now
            if ended.wait(min(max(0.0, due - time.monotonic()), threading.TIMEOUT_MAX)):
                break
    console.print(draw(last))  # the live picture disappears with its alternate screen
