"""``telos watch``: look into a world while the characters in it live, fight, or search, by their goals."""

import math
from pathlib import Path
from typing import Annotated

import typer

from telos.core.errors import TelosError, name_hint

_OPTIONS = {
    "home": ("people", "days", "plot"),
    "arena": ("scene", "list", "seconds", "replay"),
    "island": ("style", "seconds"),
    "forge": ("plan", "companion"),
}  # those of one world only


def watch(
    world: Annotated[str, typer.Argument(help="The world to look into: home, arena, island or forge.")],
    seed: Annotated[int, typer.Option(help="One seed fixes the whole run.")] = 7,
    speed: Annotated[
        float | None,
        typer.Option(
            help="In a terminal, how much of their time goes by in a second of yours: minutes at home, seconds in the "
            "arena, on the island and at the forge.",
            show_default="24 at home, 1 in the arena, 8 on the island, 4 at the forge",
        ),
    ] = None,
    as_lines: Annotated[bool, typer.Option("--json", help="Print the trace, one JSON object a line.")] = False,
    people: Annotated[
        int | None, typer.Option(help="home: how many people live there, 1 to 6.", show_default="3")
    ] = None,
    days: Annotated[
        float | None, typer.Option(help="home: how many days to watch, from seven in the morning.", show_default="1")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="home: draw everybody's motives into this file (png, svg, pdf).")
    ] = None,
    scene: Annotated[
        str | None, typer.Option(help="arena: the scene to play, by its name or its file.", show_default="skirmish")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="arena: say which scenes there are, and stop.")] = False,
    seconds: Annotated[
        float | None,
        typer.Option(
            help="arena, island: stop after so many seconds.", show_default="as the scene says; an hour on the island"
        ),
    ] = None,
    recording: Annotated[
        Path | None,
        typer.Option("--replay", help="arena: play a fight again that was recorded with --json, and check it."),
    ] = None,
    style: Annotated[
        str | None,
        typer.Option(help="island: methodical, social or guesser.", show_default="the one that the seed draws"),
    ] = None,
    plan: Annotated[
        str | None,
        typer.Option(help="forge: the player's: key, force or spare.", show_default="the one that the seed draws"),
    ] = None,
    companion: Annotated[
        str | None,
        typer.Option(help="forge: one who reads the player, parses, waits to be asked, or none.", show_default="reads"),
    ] = None,
) -> None:
    """Watch a world live: who does what, and why.

    In a terminal it is drawn as it happens (Ctrl-C ends it); otherwise, and with --json or --plot, it runs as fast as
    it can.

    Examples: telos watch home --people 3 --days 1 --seed 7; telos watch arena --scene flank --seed 3;
    telos watch island --style social; telos watch forge --plan key
    """
    if world not in _OPTIONS:
        raise TelosError(f"there is no world {world!r}", name_hint(world, _OPTIONS))
    given = {"people": people, "days": days, "plot": plot, "scene": scene, "list": listed or None, "seconds": seconds}
    given |= {"replay": recording, "style": style, "plan": plan, "companion": companion}
    _refuse_strangers(world, [option for option, value in given.items() if value is not None])
    if world == "home":
        from telos.cli.watch_home import watch_home  # here, so that `telos --help` need not wait for worlds

        watch_home(
            people=3 if people is None else people, days=1.0 if days is None else days,
            seed=seed, speed=_speed(speed, 24.0, "minutes"), as_lines=as_lines, plot=plot,
        )  # fmt: skip
        return
    if world == "island":
        from telos.cli.watch_island import watch_island

        watch_island(seed=seed, style=style, seconds=seconds, speed=_speed(speed, 8.0, "seconds"), as_lines=as_lines)
        return
    if world == "forge":
        from telos.cli.watch_forge import watch_forge

        pace = _speed(speed, 4.0, "seconds")
        watch_forge(seed=seed, plan=plan, companion=companion, speed=pace, as_lines=as_lines)
        return
    pace = _speed(speed, 1.0, "seconds")
    if listed:
        from telos.cli.watch_scenes import list_scenes

        list_scenes(as_json=as_lines)
    elif recording is not None:
        from telos.cli.watch_arena import watch_replay

        watch_replay(recording, scene=scene, seconds=seconds, speed=pace, as_lines=as_lines)
    else:
        from telos.cli.watch_arena import watch_arena

        watch_arena(scene=scene or "skirmish", seconds=seconds, seed=seed, speed=pace, as_lines=as_lines)


def _refuse_strangers(world: str, given: list[str]) -> None:
    """Refuse an option that only another world knows."""
    for option in given:
        if option not in _OPTIONS[world]:
            owner = next(each for each, options in _OPTIONS.items() if option in options)
            own = ", ".join(f"--{each}" for each in _OPTIONS[world])
            raise TelosError(f"--{option} belongs to `telos watch {owner}`", f"{world} has {own}")


def _speed(speed: float | None, usual: float, unit: str) -> float:
    if speed is None:
        return usual
    if not (math.isfinite(speed) and speed > 0):
        raise TelosError(f"--speed must be more than 0 {unit} a second, got {speed:g}")
    return speed
