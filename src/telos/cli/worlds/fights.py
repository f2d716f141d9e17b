"""``telos watch orders`` and ``telos watch goals``: what orders change in fights, and how steady goals are."""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import TYPE_CHECKING, Annotated

import typer

from telos.cli.common import MAX_COUNT, MAX_SECONDS, in_range, progress_bar, seed_option

if TYPE_CHECKING:
    from rich.table import Table

    from telos.worlds.arena.counterfactuals import Conduct, OrderEffect, OrderMoment, OrderSummary
    from telos.worlds.arena.scene import Scene

SAMPLE = 4  # behaviours weighed of each of several fights, as forks cost time
SceneName = Annotated[str, typer.Option("--scene", help="The scene to fight in, by its name or its file.")]
Limit = Annotated[
    float | None,
    typer.Option(
        "--seconds",
        help="Stop after so many seconds.",
        show_default="as the scene says",
        callback=in_range(0, MAX_SECONDS, is_open=True),
    ),
]


def orders(
    scene: SceneName = "skirmish",
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
    seconds: Limit = None,
    sample: Annotated[
        int | None,
        typer.Option(
            help="Weigh so many behaviours of each fight, drawn by its seed.",
            show_default=f"all of one fight, {SAMPLE} of each of several",
            callback=in_range(1, MAX_COUNT),
        ),
    ] = None,
    seed: Annotated[int, seed_option("One seed determines the first fight.")] = 7,
    as_json: Annotated[bool, typer.Option("--json", help="Print all figures as one JSON object.")] = False,
) -> None:
    """Weigh the orders of a fight: what members would have done without them, and what that would have changed.

    Just before each squad behaviour, the fight is forked: with the orders, without one of them, and without any. Of
    several fights only the means are printed, by behaviour and order, and by situation.

    Examples: telos watch orders --scene flank; telos watch orders --fights 10 --seconds 60 --json
    """
    from telos.worlds.arena.counterfactuals import summarize_orders, summarize_situations
    from telos.worlds.arena.scene import load_scene

    most = SAMPLE if sample is None and fights > 1 else sample
    weighed = _weigh(load_scene(scene), range(seed, seed + fights), most, seconds, forks=forks, horizon=horizon)
    effects = list(chain.from_iterable(weighed))
    summaries, situations = summarize_orders(effects), summarize_situations(effects)
    if as_json:
        setting = {"scene": scene, "seed": seed, "fights": fights, "forks": forks, "horizon": horizon, "sample": most}
        told = {
            "simulated": True,
            "orders": [each.to_dict() for each in effects],
            "means": [each.to_dict() for each in summaries],
            "situations": [each.to_dict() for each in situations],
        }
        typer.echo(json.dumps({**setting, **told}, indent=2))
        return
    title = f"means over orders, each of {forks} forks of {horizon:g} s, with 95% intervals"
    if fights == 1:
        _print_fight(effects, f"{scene}, seed {seed}")
    else:
        title = f"{scene}, {fights} fights, seeds from {seed} on; simulated. {title}"
    if not effects:
        typer.echo("no squad has begun a behaviour: let the fights last longer, or take a scene with squads")
        return
    _print_summaries(summaries, title)
    if fights > 1:
        _print_situations(situations)
    typer.echo("net: damage dealt minus taken by the side, expected; more is better. in the open, bursts: the member's")


def _weigh(
    scene: "Scene", seeds: Sequence[int], most: int | None, seconds: float | None, *, forks: int, horizon: float
) -> "Iterator[Iterable[OrderEffect]]":
    """Yield the effects of the orders of each behaviour; the bar counts fights, or the behaviours of a single one."""
    from telos.worlds.arena.counterfactuals import sample_moments, weigh_moment

    single = len(seeds) == 1
    for number in seeds if single else progress_bar(f"{len(seeds)} fights")(seeds, len(seeds)):
        moments: Iterable[OrderMoment] = sample_moments(scene, seed=number, most=most, seconds=seconds)
        if single:
            moments = progress_bar(f"weighing seed {number}")(moments, len(list(moments)))
        for each in moments:
            yield weigh_moment(scene, each, seed=number, forks=forks, horizon=horizon)


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


def _print_summaries(summaries: "Iterable[OrderSummary]", title: str) -> None:
    table = _new_table(["behaviour", "order"], ["n", "net", "in the open, s", "bursts"])
    for each in summaries:
        pairs = ((each.mean.net, "net"), (each.mean.exposed, "exposed"), (each.mean.bursts, "bursts"))
        cells = (_format_mean(mean, each.margin[key]) for mean, key in pairs)
        table.add_row(each.behaviour, each.task, str(each.orders), *cells)
    _print_table(table, title)


def _print_situations(summaries: "Iterable[OrderSummary]") -> None:
    table = _new_table(["behaviour", "order", "situation"], ["n", "net"])
    for each in summaries:
        net = _format_mean(each.mean.net, each.margin["net"])
        table.add_row(each.behaviour, each.task, each.situation, str(each.orders), net)
    _print_table(table, "the same by situation; each order counts for three")


def _new_table(words: list[str], numbers: list[str]) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in words:
        table.add_column(heading, no_wrap=True)
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _print_table(table: "Table", title: str) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    console.print(f"\n{title}")
    console.print(table)


def _format_mean(mean: float, margin: float) -> str:
    return f"{mean:+.1f}" if math.isinf(margin) else f"{mean:+.1f} ± {margin:.1f}"


# --- goals ---


def goals(
    scene: SceneName = "skirmish",
    fights: Annotated[
        int, typer.Option(help="Fights, with seeds from --seed on.", callback=in_range(1, MAX_COUNT))
    ] = 20,
    seconds: Limit = None,
    seed: Annotated[int, seed_option("One seed determines the first fight.")] = 7,
    as_json: Annotated[bool, typer.Option("--json", help="Print all figures as one JSON object.")] = False,
) -> None:
    """Measure how often fighters change their goals while they know of an enemy, and how often back and forth.

    A fighter who ducks and goes on is back within a second, with something finished; one who wavers, with nothing.

    Examples: telos watch goals; telos watch goals --scene quarry --fights 100 --json
    """
    from telos.worlds.arena.goal_changes import measure_goal_changes, summarize_goal_changes
    from telos.worlds.arena.scene import load_scene

    measured = measure_goal_changes(load_scene(scene), range(seed, seed + fights), seconds=seconds)
    found = summarize_goal_changes(progress_bar("fighting")(measured, fights))
    if as_json:
        setting = {"scene": scene, "seed": seed, "seconds": seconds, "simulated": True}
        typer.echo(json.dumps({**setting, **found.to_dict()}, indent=2))
        return
    typer.echo(
        f"{scene}, {found.fights} simulated fights, seeds from {seed} on: {found.seconds:,.0f} seconds of fighters who "
        "know of an enemy"
    )
    typer.echo(f"goal changes per second:    {_format_rate(found.changes, found.changes_margin)}")
    typer.echo(f"back within a second:       {_format_rate(found.returns, found.returns_margin)}")
    typer.echo(f"  with nothing finished:    {_format_rate(found.flips, found.flips_margin)}")
    typer.echo(f"time spent thrashing:       {found.thrashing:.1%}")
    for pair, count in found.pairs:
        typer.echo(f"  {count:5d} times  {pair}")


def _format_rate(rate: float, margin: float) -> str:
    return f"{rate:.3f}" if math.isinf(margin) else f"{rate:.3f} ± {margin:.3f}"
