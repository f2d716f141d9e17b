"""``telos watch orders``: what each order of a fight changed, told by forks of the same fight without it."""

import json
import math
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from telos.cli.common import MAX_COUNT, MAX_SECONDS, in_range, progress_bar, seed_option

if TYPE_CHECKING:
    from telos.worlds.arena.counterfactuals import Conduct, OrderEffect, OrderSummary
    from telos.worlds.arena.scene import Scene


def orders(
    scene: Annotated[str, typer.Option(help="The scene to fight in, by its name or its file.")] = "skirmish",
    fights: Annotated[
        int, typer.Option(help="Fights, with seeds from --seed on.", callback=in_range(1, MAX_COUNT))
    ] = 1,
    forks: Annotated[
        int, typer.Option(help="Continuations with other dice for each order.", callback=in_range(1, MAX_COUNT))
    ] = 2,
    horizon: Annotated[
        float,
        typer.Option(help="Seconds that a fork goes on.", callback=in_range(0, MAX_SECONDS, is_open=True)),
    ] = 8.0,
    seconds: Annotated[
        float | None,
        typer.Option(
            help="Stop after so many seconds.",
            show_default="as the scene says",
            callback=in_range(0, MAX_SECONDS, is_open=True),
        ),
    ] = None,
    seed: Annotated[int, seed_option("One seed determines the first fight.")] = 7,
    as_json: Annotated[bool, typer.Option("--json", help="Print all figures as one JSON object.")] = False,
) -> None:
    """Weigh the orders of a fight: what members would have done without them, and what that would have changed.

    Just before each squad behaviour, the fight is forked: with the orders, without one of them, and without any.

    Examples: telos watch orders --scene flank; telos watch orders --fights 10 --seconds 60 --json
    """
    from telos.worlds.arena.counterfactuals import summarize_orders
    from telos.worlds.arena.scene import load_scene

    loaded, effects = load_scene(scene), []
    for number in range(seed, seed + fights):
        found = list(_weigh(loaded, number, seconds, forks, horizon))
        effects += found
        if not as_json:
            _print_fight(found, f"{scene}, seed {number}")
    summaries = summarize_orders(effects)
    if as_json:
        setting = {
            "scene": scene,
            "seed": seed,
            "fights": fights,
            "forks": forks,
            "horizon": horizon,
            "simulated": True,
        }
        told = {"orders": [each.to_dict() for each in effects], "means": [each.to_dict() for each in summaries]}
        typer.echo(json.dumps({**setting, **told}, indent=2))
    else:
        _print_summaries(summaries, forks, horizon)


def _weigh(scene: "Scene", seed: int, seconds: float | None, forks: int, horizon: float) -> "Iterator[OrderEffect]":
    """Yield the effects of a fight, with a progress bar over its seconds."""
    from telos.worlds.arena.counterfactuals import find_order_moments, weigh_moment

    limit = scene.seconds if seconds is None else seconds
    moments = find_order_moments(scene, seed=seed, seconds=limit)
    times = iter(progress_bar(f"weighing seed {seed}")(range(round(limit)), round(limit)))
    passed = 0
    for moment in moments:
        while passed < min(moment.time, round(limit) - 1):
            passed += 1
            next(times, None)
        yield from weigh_moment(scene, moment, seed=seed, forks=forks, horizon=horizon)
    for _ in times:
        pass


def _print_fight(effects: "Iterable[OrderEffect]", title: str) -> None:
    typer.echo(f"{title}: simulated; with the order, compared with the same fight without it")
    for (time, squad, behaviour, why), group in groupby(
        effects, lambda each: (each.time, each.squad, each.behaviour, each.why)
    ):
        typer.echo(f"{time:5.1f}  {squad}  {behaviour}: {why}")
        for each in group:
            name = "all orders" if each.member == "everybody" else f"{each.member}: {each.order}"
            instead = f"; without it: {', '.join(each.instead)}" if each.instead else ""
            typer.echo(f"       {name}{instead}")
            typer.echo(f"         {_describe(each.effect)}")


def _describe(effect: "Conduct") -> str:
    """Return an effect in words, dealt and taken apart.

    >>> from telos.worlds.arena.counterfactuals import Conduct
    >>> _describe(Conduct(dealt=2.0, taken=-5.25, exposed=0.5, bursts=-1.0))
    'net +7.2 damage points (dealt +2.0, taken -5.2), in the open +0.5 s, bursts -1.0'
    """
    points = f"net {effect.net:+.1f} damage points (dealt {effect.dealt:+.1f}, taken {effect.taken:+.1f})"
    return f"{points}, in the open {effect.exposed:+.1f} s, bursts {effect.bursts:+.1f}"


def _print_summaries(summaries: "Iterable[OrderSummary]", forks: int, horizon: float) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("behaviour", "order"):
        table.add_column(heading, no_wrap=True)
    for heading in ("n", "net", "in the open, s", "bursts"):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in summaries:
        pairs = ((each.mean.net, "net"), (each.mean.exposed, "exposed"), (each.mean.bursts, "bursts"))
        cells = (_format_mean(mean, each.margin[key]) for mean, key in pairs)
        table.add_row(each.behaviour, each.task, str(each.orders), *cells)
    console = Console(highlight=False)
    console.print(f"\nmeans over orders, each of {forks} forks of {horizon:g} s, with 95% intervals")
    console.print(table)
    console.print(
        "net: damage dealt minus taken by the side, expected; more is better. in the open, bursts: the member's"
    )


def _format_mean(mean: float, margin: float) -> str:
    return f"{mean:+.1f}" if math.isinf(margin) else f"{mean:+.1f} ± {margin:.1f}"
