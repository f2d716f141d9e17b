"""``telos tournament``: measure each layer of behaviour by seeded fights with and without it."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from telos.cli.common import MAX_COUNT, MAX_SECONDS, in_range, jobs_option, progress_bar, seed_option
from telos.core.errors import TelosError

if TYPE_CHECKING:
    from telos.worlds.arena.squad_tournament import SquadOutcome, SquadScore
    from telos.worlds.arena.tournament import ContestScore, FightOutcome

_COLOURS = {"pays": "green", "costs": "red", "no clear difference": "dim"}


def tournament(
    fights: Annotated[
        int,
        typer.Option(help="Fights of each contest, half of them from the other side.", callback=in_range(1, MAX_COUNT)),
    ] = 40,
    seed: Annotated[int, seed_option("One seed determines all fights.")] = 1,
    jobs: Annotated[int, jobs_option("Processes that share the work; the answer stays the same.")] = 1,
    layer: Annotated[
        list[str] | None,
        typer.Option(help="Only the contests about this layer; may be repeated.", show_default="all layers"),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(help="The longest that a fight may last.", callback=in_range(0, MAX_SECONDS, is_open=True)),
    ] = 90.0,
    scene: Annotated[
        str | None,
        typer.Option(
            help="The scene to fight in, by its name or its file.", show_default="skirmish; with --squads, three scenes"
        ),
    ] = None,
    squads: Annotated[
        bool,
        typer.Option("--squads", help="Soldiers led and not led: a mirror match, and a hunt for one strong opponent."),
    ] = False,
    activity: Annotated[
        list[str] | None,
        typer.Option(
            help="With --squads: only this squad behaviour or practice; may be repeated.", show_default="all of them"
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all figures as one JSON object.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the win rates into this file (png, svg, pdf).")] = None,
) -> None:
    """Let teams with a layer of behaviour fight teams without it, and say whether it pays.

    Every seed is fought from both sides. A fight that is not over in time goes to the side with more people standing.

    Examples: telos tournament --squads --jobs 4; telos tournament --layer dodge --fights 100 --plot dodge.png
    """
    if squads:
        if layer or plot is not None:
            raise TelosError("--squads takes neither --layer nor --plot", "leave them out")
        _run_squads(scene, activity or [], fights=fights, seed=seed, seconds=seconds, jobs=jobs, as_json=as_json)
        return
    if activity:
        raise TelosError("--activity is for --squads", "add --squads, or name a --layer")
    scene = scene or "skirmish"
    if plot is not None:
        from telos.worlds.plots import check_path

        check_path(plot, inputs=[scene])
    scores = _fight(scene, layer or [], fights=fights, seed=seed, seconds=seconds, jobs=jobs)
    setting = {"scene": scene, "seed": seed, "fights": fights, "seconds": seconds}
    if as_json:
        typer.echo(
            json.dumps({**setting, "simulated": True, "contests": [_figures(each) for each in scores]}, indent=2)
        )
    else:
        _print_scores(scores, f"{scene}, {fights} simulated fights a contest of at most {seconds:g} s, seed {seed}")
    if plot is not None:
        from telos.worlds.arena.tournament import save_plot

        save_plot(scores, plot, about=f"{scene}, {fights} fights a contest of at most {seconds:g} s, seed {seed}")
        typer.echo(f"drawn to {plot}", err=as_json)


def _run_squads(
    scene: str | None, activities: list[str], *, fights: int, seed: int, seconds: float, jobs: int, as_json: bool
) -> None:
    """Run both contests of squads, with a progress bar, and print their scores."""
    from telos.worlds.arena.scene import SQUAD_ACTIVITIES
    from telos.worlds.arena.squad_tournament import CONTEST_KINDS, SQUAD_SCENES, pool_scores, run_squad_tournament

    scenes, bar = SQUAD_SCENES if scene is None else (scene,), progress_bar("fighting")

    def progress(outcomes: "Iterable[SquadOutcome]") -> "Iterable[SquadOutcome]":
        return bar(outcomes, 3 * fights * len(scenes))

    scores = run_squad_tournament(
        scenes,
        CONTEST_KINDS,
        fights=fights,
        seed=seed,
        seconds=seconds,
        squads=activities or SQUAD_ACTIVITIES,
        jobs=jobs,
        progress=progress,
    )
    if len(scenes) > 1:
        scores += pool_scores(scores)
    if as_json:
        setting = {
            "scenes": list(scenes),
            "squads": activities or list(SQUAD_ACTIVITIES),
            "seed": seed,
            "fights": fights,
            "seconds": seconds,
            "simulated": True,
        }
        typer.echo(json.dumps({**setting, "contests": [each.to_dict() for each in scores]}, indent=2))
    else:
        title = f"{fights} simulated fights a contest and map of at most {seconds:g} s, seed {seed}"
        _print_squads(scores, title)


def _fight(
    scene: str, layers: list[str], *, fights: int, seed: int, seconds: float, jobs: int
) -> "tuple[ContestScore, ...]":
    """Run all fights, with a progress bar."""
    from telos.worlds.arena import tournament as arena
    from telos.worlds.arena.scene import load_scene
    from telos.worlds.arena.tournament import contests

    wanted, bar = contests(layers), progress_bar("fighting")

    def progress(outcomes: "Iterable[FightOutcome]") -> "Iterable[FightOutcome]":
        return bar(outcomes, fights * len(wanted))

    return arena.run_tournament(
        load_scene(scene), wanted, fights=fights, seed=seed, seconds=seconds, jobs=jobs, progress=progress
    )


def _figures(score: "ContestScore") -> dict[str, Any]:
    """Return the score of a contest as JSON data."""
    contest, (low, high), decisive = score.contest, score.interval, score.decisive_win_rate
    return {
        "contest": contest.name,
        "layer": contest.layer,
        **{
            role: {"team": team.name, "character": team.character, "squads": list(team.squads)}
            for role, team in (("having", contest.having), ("lacking", contest.lacking))
        },
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "fought_out": score.fought_out,
        "win_rate": round(score.win_rate, 4),
        "interval": [round(low, 4), round(high, 4)],
        "decisive_win_rate": None if decisive is None else round(decisive, 4),
        "mean_seconds": round(score.seconds, 2),
        "mean_health": {"having": round(score.health_having, 4), "lacking": round(score.health_lacking, 4)},
        "verdict": score.verdict,
    }


def _print_scores(scores: "Iterable[ContestScore]", title: str) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("contest", no_wrap=True)
    for heading in ("w-d-l", "ended", "win rate", "interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict")
    for each in scores:
        low, high = each.interval
        table.add_row(
            each.contest.name,
            f"{each.wins}-{each.draws}-{each.losses}",
            f"{each.fought_out}/{each.fights}",
            f"{each.win_rate:.2f}",
            f"{low:.2f}-{high:.2f}",
            f"[{_COLOURS[each.verdict]}]{each.verdict}[/]",
        )
    console = Console(highlight=False)
    console.print(title)
    console.print(table)
    console.print("w-d-l: won, drawn, lost by those who have it, with 95% interval of the win rate")
    console.print("ended: fought out, one side was gone before time was up")


def _print_squads(scores: "Iterable[SquadScore]", title: str) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("contest", no_wrap=True)
    for heading in ("w-d-l", "rate", "interval", "p", "won", "alive", "seconds"):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in scores:
        (low, high), led, unled = each.interval, each.led, each.unled
        p = "<.001" if each.p_value < 0.001 else f"{each.p_value:.3f}".lstrip("0")
        table.add_row(
            f"{each.kind}, {each.scene}",
            f"{each.wins}-{each.draws}-{each.losses}",
            f"{each.win_rate:.2f}",
            f"{low:.2f}-{high:.2f}",
            p,
            f"{led.won:.2f}/{unled.won:.2f}",
            f"{led.survivors:.1f}/{unled.survivors:.1f}",
            f"{led.seconds:.0f}/{unled.seconds:.0f}",
        )
    console = Console(highlight=False)
    console.print(title)
    console.print(table)
    console.print("w-d-l: led soldiers did better, equal, worse, with 95% interval of the rate, and p of a sign test")
    console.print("won, alive, seconds: led/unled; all opponents dead, soldiers left, mean duration")
