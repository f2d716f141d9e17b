"""Tournaments: teams with and without a layer of behaviour fight many seeded fights.

Start with `tournament`, which returns the scores, and `contests`, which lists the pairs of teams. Every seed is fought
twice, the second time with the sides swapped, so neither the map, the objectives nor the update order favours a team:
a team against its equal wins exactly as often as it loses.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, pairwise
from pathlib import Path
from random import Random
from statistics import NormalDist, fmean
from typing import Any

from telos.agents.character import Character
from telos.core.errors import TelosError, name_hint
from telos.parallel import parallel_map
from telos.worlds.arena.ai.characters import load_arena_characters
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.scene import SQUAD_ACTIVITIES, Scene
from telos.worlds.plots import figure_class, save_figure

# --- contests ---


FULL = "soldier"  # the character with all layers
_LAYER = re.compile(r"layer-(\d+)-(.+)")


@dataclass(frozen=True, slots=True)
class Team:
    """The character of everybody on one side, and the squad behaviours and practices that lead them."""

    character: str
    squads: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the name for tables.

        >>> Team("soldier", squads=("get-to-cover", "search")).name
        'soldier + get-to-cover + search'
        """
        return " + ".join([self.character, *(["squads"] if self.squads == SQUAD_ACTIVITIES else self.squads)])


@dataclass(frozen=True, slots=True)
class Contest:
    """Two teams that differ in one layer."""

    name: str
    layer: str
    having: Team
    lacking: Team


@lru_cache(maxsize=1)
def tournament_characters() -> Mapping[str, Character]:
    """Return the characters that may fight: those of the package, and the soldier without each layer."""
    full = load_arena_characters()[FULL]
    return {
        **load_arena_characters(),
        **{_name_without(layer): _remove_layer(full, layer, *pair) for layer, pair in _layers().items()},
    }


def contests(layers: Iterable[str] = ()) -> tuple[Contest, ...]:
    """Return the contests about some layers, or about all of them.

    First each layer is added to those below it, without squads; then a soldier with all layers fights one without it.
    Squad behaviours and practices are added to soldiers one by one, and all together.
    """
    full = Team(FULL, SQUAD_ACTIVITIES)
    lowest = next(below for below, _ in _layers().values())
    made = [
        *(Contest(f"{layer} added", layer, Team(above), Team(below)) for layer, (below, above) in _layers().items()),
        *(Contest(f"{layer} kept", layer, full, Team(_name_without(layer), SQUAD_ACTIVITIES)) for layer in _layers()),
        *(Contest(f"{each} added", each, Team(FULL, (each,)), Team(FULL)) for each in SQUAD_ACTIVITIES),
        Contest("squads added", "squads", full, Team(FULL)),
        Contest("everything", "everything", full, Team(lowest)),
    ]
    known = dict.fromkeys(contest.layer for contest in made)
    wanted = list(layers) or list(known)
    for layer in wanted:
        if layer not in known:
            raise TelosError(f"unknown layer {layer!r}", name_hint(layer, known))
    return tuple(contest for contest in made if contest.layer in wanted)


def _layers() -> dict[str, tuple[str, str]]:
    """Return the characters below and above each layer but the first, lowest first."""
    found = [(int(match[1]), match[2], name) for name in load_arena_characters() if (match := _LAYER.fullmatch(name))]
    found.sort()
    return {layer: (below, above) for (_, _, below), (_, layer, above) in pairwise(found)}


def _name_without(layer: str) -> str:
    return f"{FULL} without {layer}"


def _remove_layer(full: Character, layer: str, below: str, above: str) -> Character:
    """Return a character without the goals and actions that a layer adds."""
    lower, upper = load_arena_characters()[below], load_arena_characters()[above]
    goals = {goal.name for goal in upper.goals} - {goal.name for goal in lower.goals}
    actions = {action.name for action in upper.actions} - {action.name for action in lower.actions}
    return replace(
        full,
        name=_name_without(layer),
        goals=tuple(goal for goal in full.goals if goal.name not in goals),
        actions=tuple(action for action in full.actions if action.name not in actions),
    )


# --- scores ---


@dataclass(frozen=True, slots=True)
class FightOutcome:
    """The result of one fight for the team that has the layer.

    ``points`` are 1 for a win, 0.5 for a draw, 0 for a loss; ``fought_out`` is false if time was up before one side was
    gone. ``health`` is the share of the initial health that is left, 0 to 1.
    """

    contest: Contest
    points: float
    fought_out: bool
    seconds: float
    health_having: float
    health_lacking: float


@dataclass(frozen=True, slots=True)
class ContestScore:
    """All fights of one contest, for the team that has the layer."""

    contest: Contest
    wins: int
    draws: int
    losses: int
    fought_out: int
    seconds: float  # mean duration of a fight
    health_having: float
    health_lacking: float

    @property
    def fights(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def win_rate(self) -> float:
        """Return the share of fights won; a draw is half a win."""
        return (self.wins + self.draws / 2) / self.fights

    @property
    def decisive_win_rate(self) -> float | None:
        """Return the share of wins among fights that were not drawn, or None if all were."""
        decisive = self.wins + self.losses
        return self.wins / decisive if decisive else None

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95% interval of the win rate; it is conservative where fights were drawn."""
        return wilson_interval(self.wins + self.draws / 2, self.fights)

    @property
    def verdict(self) -> str:
        """Return what the layer does, if the interval excludes chance."""
        low, high = self.interval
        if low > 0.5:
            return "pays"
        return "costs" if high < 0.5 else "no clear difference"


def summarize(outcomes: Iterable[FightOutcome]) -> ContestScore:
    """Return the score of the fights of one contest."""
    fought = list(outcomes)
    points = [each.points for each in fought]
    return ContestScore(
        fought[0].contest,
        wins=points.count(1.0),
        draws=points.count(0.5),
        losses=points.count(0.0),
        fought_out=sum(each.fought_out for each in fought),
        seconds=fmean(each.seconds for each in fought),
        health_having=fmean(each.health_having for each in fought),
        health_lacking=fmean(each.health_lacking for each in fought),
    )


def wilson_interval(successes: float, trials: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval for a share; it stays within 0 and 1.

    >>> [round(bound, 3) for bound in wilson_interval(8, 10)]
    [0.49, 0.943]
    """
    if trials < 1 or not 0 <= successes <= trials:
        raise TelosError(f"an interval needs 0 to n successes of n > 0 trials, got {successes!r} of {trials!r}")
    if not 0 < confidence < 1:
        raise TelosError(f"confidence lies between 0 and 1, got {confidence!r}")
    z, share = NormalDist().inv_cdf((1 + confidence) / 2), successes / trials
    middle = share + z * z / (2 * trials)
    reach = z * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    whole = 1 + z * z / trials
    return max(0.0, (middle - reach) / whole), min(1.0, (middle + reach) / whole)


# --- fights ---


@dataclass(frozen=True, slots=True)
class Fight:
    """One fight of a contest; ``swapped`` puts the team that has the layer on the other side."""

    contest: Contest
    seed: int
    swapped: bool


def run_tournament(
    scene: Scene,
    contests: Sequence[Contest],
    *,
    fights: int = 40,
    seed: int = 1,
    seconds: float = 90.0,
    jobs: int = 1,
    progress: Callable[[Iterable[FightOutcome]], Iterable[FightOutcome]] = iter,
) -> tuple[ContestScore, ...]:
    """Fight all contests and return their scores, which depend on ``seed`` but not on ``jobs``.

    ``progress`` wraps the iterator of outcomes, for example in a progress bar.
    """
    find_sides(scene)
    if jobs < 1:
        raise TelosError(f"a tournament needs at least 1 job, got {jobs}")
    outcomes = progress(_run_fights(scene, schedule(contests, fights=fights, seed=seed), seconds, jobs))
    # Grouped by position, since contests may be equal: fights are in the order of contests, equally many for each.
    grouped = groupby(enumerate(outcomes), key=lambda numbered: numbered[0] // fights)
    return tuple(summarize(outcome for _, outcome in group) for _, group in grouped)


def schedule(contests: Iterable[Contest], *, fights: int, seed: int) -> list[Fight]:
    """Return the fights of a tournament; every contest has the same seeds, each fought from both sides."""
    if fights < 2 or fights % 2:
        raise TelosError(f"every seed is fought from both sides, so fights must be even and at least 2, got {fights}")
    if seed < 0:
        raise TelosError(f"a seed must be a whole number, zero or more, got {seed}")
    rng = Random(seed)
    seeds = [rng.randrange(2**32) for _ in range(fights // 2)]
    return [Fight(contest, each, swapped) for contest in contests for each in seeds for swapped in (False, True)]


def find_sides(scene: Scene) -> tuple[str, str]:
    """Return the two sides of a scene that have minds; there must be exactly two."""
    sides = tuple(dict.fromkeys(member.side for member in scene.cast if member.script is None))
    if len(sides) != 2:
        listed = ", ".join(sides) or "none"
        raise TelosError(
            f"a tournament needs two sides with minds; scene {scene.name!r} has {listed}", "choose another scene"
        )
    return sides[0], sides[1]


def run_fight(scene: Scene, fight: Fight, *, seconds: float) -> FightOutcome:
    """Play one fight. If time is up, the side with more living fighters has won."""
    first, second = find_sides(scene)
    having, lacking = (second, first) if fight.swapped else (first, second)
    teams = {having: fight.contest.having, lacking: fight.contest.lacking}
    cast = tuple(
        replace(each, character=teams[each.side].character) if each.script is None else each for each in scene.cast
    )
    squads = {side: team.squads for side, team in teams.items()}
    battle = Battle(
        replace(scene, cast=cast, talk=False), seed=fight.seed, characters=tournament_characters(), squads=squads
    )
    for _ in battle.seconds(seconds):
        pass
    arena = battle.arena
    ahead = len(arena.living(having)) - len(arena.living(lacking))
    return FightOutcome(
        fight.contest,
        points=0.5 if ahead == 0 else float(ahead > 0),
        fought_out=arena.over,
        seconds=arena.time,
        health_having=side_health(battle, having),
        health_lacking=side_health(battle, lacking),
    )


def side_health(battle: Battle, side: str) -> float:
    """Return the share of a side's initial health that is left."""
    team = [fighter for fighter in battle.arena.fighters.values() if fighter.side == side]
    return sum(fighter.health for fighter in team if fighter.alive) / sum(fighter.healthy for fighter in team)


def _run_fights(scene: Scene, fights: Sequence[Fight], seconds: float, jobs: int) -> Iterator[FightOutcome]:
    """Yield the outcomes in the order of the fights."""
    if jobs == 1 or len(fights) < 2:
        yield from (run_fight(scene, fight, seconds=seconds) for fight in fights)
        return
    yield from parallel_map(_run_in_worker, fights, jobs=jobs, initializer=_init_worker, initargs=(scene, seconds))


# A worker receives the scene once, so that the caches of its map last.
_worker_scene: list[tuple[Scene, float]] = []


def _init_worker(scene: Scene, seconds: float) -> None:
    _worker_scene[:] = [(scene, seconds)]


def _run_in_worker(fight: Fight) -> FightOutcome:
    scene, seconds = _worker_scene[0]
    return run_fight(scene, fight, seconds=seconds)


# --- plot ---


_COLOURS = {"pays": "#3f9b5b", "costs": "#d1495b", "no clear difference": "#8a8d91"}


def save_plot(scores: Sequence[ContestScore], path: Path, *, about: str) -> None:
    """Draw scores into ``path``; its suffix determines the format."""
    save_figure(draw_plot(scores, about=about), path)


def draw_plot(scores: Sequence[ContestScore], *, about: str) -> Any:
    """Return a matplotlib figure with a row for each contest, the first on top."""
    figure = figure_class()(figsize=(9, 1.6 + 0.42 * len(scores)), dpi=120, layout="constrained")
    axes = figure.subplots()
    for row, each in enumerate(scores):
        colour, (low, high) = _COLOURS[each.verdict], each.interval
        axes.plot([low, high], [row, row], color=colour, linewidth=2, solid_capstyle="butt")
        axes.plot([each.win_rate], [row], "o", color=colour, markersize=6, clip_on=False)
        record = f"{each.wins}-{each.draws}-{each.losses}"
        axes.annotate(record, (1.02, row), xycoords=("axes fraction", "data"), va="center", fontsize=8)
    _format_axes(axes, scores)
    figure.suptitle(f"Simulated fights: what each layer is worth\n{about}", fontsize=11)
    return figure


def _format_axes(axes: Any, scores: Sequence[ContestScore]) -> None:
    labels = [f"{each.contest.name}\n{each.contest.having.name} against {each.contest.lacking.name}" for each in scores]
    axes.set_yticks(range(len(scores)), labels)
    axes.set_ylim(len(scores) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.axvline(0.5, color="#555555", linewidth=0.8, linestyle="--", zorder=0)
    axes.set_xlabel("win rate of the team that has the layer, with 95% interval; right: won-drawn-lost", fontsize=9)
    axes.tick_params(labelsize=8, length=2)
    axes.spines[["top", "right"]].set_visible(False)
