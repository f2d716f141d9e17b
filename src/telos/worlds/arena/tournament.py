"""Contests, scores, plot."""

import math
import re
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, pairwise
from multiprocessing import get_context
from pathlib import Path
from random import Random
from statistics import NormalDist, fmean
from typing import Any

from telos.agents.character import Character
from telos.core.errors import TelosError, name_hint
from telos.squads.behaviours import ALL
from telos.worlds.arena.ai.characters import characters
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.scene import Scene
from telos.worlds.plots import figure_class

# --- tournament contests ----------------------------------------------------------------------------------------------
# The contests of a tournament: for every layer of behaviour, a team that has it against one that does not.


FULL = "soldier"  # who has all the layers
_LAYER = re.compile(r"layer-(\d+)-(.+)")
_BEHAVIOURS = tuple(behaviour.name for behaviour in ALL)


@dataclass(frozen=True, slots=True)
class Team:
    """What everybody on one side is like, and the squad behaviours that lead them."""

    character: str
    squads: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return how a table calls it.

        >>> Team("soldier", squads=("get-to-cover", "search")).name
        'soldier + get-to-cover + search'
        """
        return " + ".join([self.character, *(["squads"] if self.squads == _BEHAVIOURS else self.squads)])


@dataclass(frozen=True, slots=True)
class Contest:
    """Two teams that differ in one layer."""

    name: str
    layer: str
    having: Team
    lacking: Team


@lru_cache(maxsize=1)
def kinds() -> Mapping[str, Character]:
    """Return the characters that may fight: those of the package, and the soldier without each layer."""
    full = characters()[FULL]
    return {**characters(), **{_without(layer): _stripped(full, layer, *pair) for layer, pair in _ladder().items()}}


def contests(layers: Iterable[str] = ()) -> tuple[Contest, ...]:
    """Return the contests about some layers, or about all of them.

    First each layer is added to those below it, without squads; then a soldier who has them all keeps it, against one
    who lost it. Squad behaviours are added to soldiers one by one, and all together.
    """
    full = Team(FULL, _BEHAVIOURS)
    lowest = next(below for below, _ in _ladder().values())
    made = [
        *(Contest(f"{layer} added", layer, Team(above), Team(below)) for layer, (below, above) in _ladder().items()),
        *(Contest(f"{layer} kept", layer, full, Team(_without(layer), _BEHAVIOURS)) for layer in _ladder()),
        *(Contest(f"{each} added", each, Team(FULL, (each,)), Team(FULL)) for each in _BEHAVIOURS),
        Contest("squads added", "squads", full, Team(FULL)),
        Contest("everything", "everything", full, Team(lowest)),
    ]
    known = dict.fromkeys(contest.layer for contest in made)
    wanted = list(layers) or list(known)
    for layer in wanted:
        if layer not in known:
            raise TelosError(f"there is no layer {layer!r}", name_hint(layer, known))
    return tuple(contest for contest in made if contest.layer in wanted)


def _ladder() -> dict[str, tuple[str, str]]:
    """Return for each layer but the first the characters below and above it, the lowest first."""
    found = [(int(match[1]), match[2], name) for name in characters() if (match := _LAYER.fullmatch(name))]
    found.sort()
    return {layer: (below, above) for (_, _, below), (_, layer, above) in pairwise(found)}


def _without(layer: str) -> str:
    return f"{FULL} without {layer}"


def _stripped(full: Character, layer: str, below: str, above: str) -> Character:
    """Return a character without the goals and actions that a layer adds to the one below it."""
    lower, upper = characters()[below], characters()[above]
    goals = {goal.name for goal in upper.goals} - {goal.name for goal in lower.goals}
    actions = {action.name for action in upper.actions} - {action.name for action in lower.actions}
    return replace(
        full,
        name=_without(layer),
        goals=tuple(goal for goal in full.goals if goal.name not in goals),
        actions=tuple(action for action in full.actions if action.name not in actions),
    )


# --- tournament score -------------------------------------------------------------------------------------------------
# The score of a contest: how often a team won, and how sure one can be of that.


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one fight ended for the team that has the layer.

    ``points`` are 1 for a win, 0.5 for a draw, 0 for a loss; ``fought_out`` is false where time was up before one
    side was gone. ``health`` is what is left of that with which a team began, 0 to 1.
    """

    contest: Contest
    points: float
    fought_out: bool
    seconds: float
    health_having: float
    health_lacking: float


@dataclass(frozen=True, slots=True)
class Score:
    """All fights of one contest, seen from the team that has the layer."""

    contest: Contest
    wins: int
    draws: int
    losses: int
    fought_out: int
    seconds: float  # of a fight, on average
    health_having: float
    health_lacking: float

    @property
    def fights(self) -> int:
        """Return how many fights there were."""
        return self.wins + self.draws + self.losses

    @property
    def win_rate(self) -> float:
        """Return the share of fights won; a draw is half a win."""
        return (self.wins + self.draws / 2) / self.fights

    @property
    def decisive_win_rate(self) -> float | None:
        """Return the share of fights won of those that somebody won, or None if nobody won any."""
        decisive = self.wins + self.losses
        return self.wins / decisive if decisive else None

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95% interval of the win rate; where fights were drawn it is wider than need be."""
        return wilson(self.wins + self.draws / 2, self.fights)

    @property
    def verdict(self) -> str:
        """Say what the layer does, if the interval leaves no room for chance."""
        low, high = self.interval
        if low > 0.5:
            return "pays"
        return "costs" if high < 0.5 else "no clear difference"


def score(outcomes: Iterable[Outcome]) -> Score:
    """Add up the fights of one contest."""
    fought = list(outcomes)
    points = [each.points for each in fought]
    return Score(
        fought[0].contest,
        wins=points.count(1.0),
        draws=points.count(0.5),
        losses=points.count(0.0),
        fought_out=sum(each.fought_out for each in fought),
        seconds=fmean(each.seconds for each in fought),
        health_having=fmean(each.health_having for each in fought),
        health_lacking=fmean(each.health_lacking for each in fought),
    )


def wilson(successes: float, trials: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval for a share; unlike the simplest one it stays within 0 and 1.

    >>> [round(bound, 3) for bound in wilson(8, 10)]
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


# --- tournament -------------------------------------------------------------------------------------------------------
# Tournaments: teams with and without a layer of behaviour fight many seeded fights, and the score says what it does.
#
# Every seed is fought twice, the second time with the teams in each other's place. So neither the map nor the
# objectives
# nor the order in which people act favour anybody: a team against its equal wins exactly as often as it loses.


@dataclass(frozen=True, slots=True)
class Fight:
    """One fight of a contest; ``swapped`` puts the team that has the layer in the place of the other."""

    contest: Contest
    seed: int
    swapped: bool


def tournament(
    scene: Scene,
    contests: Sequence[Contest],
    *,
    fights: int = 40,
    seed: int = 1,
    seconds: float = 90.0,
    jobs: int = 1,
    watched: Callable[[Iterable[Outcome]], Iterable[Outcome]] = iter,
) -> tuple[Score, ...]:
    """Fight all contests and return their scores, which ``seed`` fixes however many ``jobs`` share the work.

    ``watched`` is handed the outcomes as they come, to pass them on: a place for a progress bar.
    """
    sides_of(scene)
    if jobs < 1:
        raise TelosError(f"a tournament needs at least 1 job, got {jobs}")
    outcomes = watched(_outcomes(scene, schedule(contests, fights=fights, seed=seed), seconds, jobs))
    # By place, as contests may be equal: fights come in the order of their contests, and each has as many.
    grouped = groupby(enumerate(outcomes), key=lambda numbered: numbered[0] // fights)
    return tuple(score(outcome for _, outcome in group) for _, group in grouped)


def schedule(contests: Iterable[Contest], *, fights: int, seed: int) -> list[Fight]:
    """Return the fights of a tournament; every contest is fought with the same seeds, each from both sides."""
    if fights < 2 or fights % 2:
        raise TelosError(f"every seed is fought from both sides, so fights must be even and at least 2, got {fights}")
    if seed < 0:
        raise TelosError(f"a seed is a whole number, zero or more, got {seed}")
    rng = Random(seed)
    seeds = [rng.randrange(2**32) for _ in range(fights // 2)]
    return [Fight(contest, each, swapped) for contest in contests for each in seeds for swapped in (False, True)]


def sides_of(scene: Scene) -> tuple[str, str]:
    """Return the two sides of a scene that have minds; there must be just two."""
    sides = tuple(dict.fromkeys(member.side for member in scene.cast if member.script is None))
    if len(sides) != 2:
        told = ", ".join(sides) or "none"
        raise TelosError(
            f"a tournament needs two sides that think, and scene {scene.name!r} has {told}", "take another"
        )
    return sides[0], sides[1]


def fought(scene: Scene, fight: Fight, *, seconds: float) -> Outcome:
    """Let one fight be fought. If time is up, the side with more people standing has won."""
    first, second = sides_of(scene)
    having, lacking = (second, first) if fight.swapped else (first, second)
    teams = {having: fight.contest.having, lacking: fight.contest.lacking}
    cast = tuple(
        replace(each, character=teams[each.side].character) if each.script is None else each for each in scene.cast
    )
    squads = {side: team.squads for side, team in teams.items()}
    battle = Battle(replace(scene, cast=cast, talk=False), seed=fight.seed, kinds=kinds(), squads=squads)
    for _ in battle.seconds(seconds):
        pass
    arena = battle.arena
    ahead = len(arena.living(having)) - len(arena.living(lacking))
    return Outcome(
        fight.contest,
        points=0.5 if ahead == 0 else float(ahead > 0),
        fought_out=arena.over,
        seconds=arena.time,
        health_having=_health(battle, having),
        health_lacking=_health(battle, lacking),
    )


def _health(battle: Battle, side: str) -> float:
    team = [fighter for fighter in battle.arena.fighters.values() if fighter.side == side]
    return sum(fighter.health for fighter in team if fighter.alive) / sum(fighter.healthy for fighter in team)


def _outcomes(scene: Scene, fights: Sequence[Fight], seconds: float, jobs: int) -> Iterator[Outcome]:
    """Yield the outcomes in the order of the fights, whoever is done first."""
    if jobs == 1:
        yield from (fought(scene, fight, seconds=seconds) for fight in fights)
        return
    # Started afresh, not forked: a progress bar has threads, and a fork in the middle of one may hang.
    context = get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_enter, initargs=(scene, seconds)) as pool:
        try:
            yield from pool.map(_fought_here, fights)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # whoever stops early need not wait for the rest


# A worker is given the scene once: what is found out about a map is kept as long as the map is.
_ring: list[tuple[Scene, float]] = []


def _enter(scene: Scene, seconds: float) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who waits
    _ring[:] = [(scene, seconds)]


def _fought_here(fight: Fight) -> Outcome:
    scene, seconds = _ring[0]
    return fought(scene, fight, seconds=seconds)


# --- tournament plot --------------------------------------------------------------------------------------------------
# A tournament in one picture: the win rate of each contest with its interval, beside the line of no difference.


_COLOURS = {"pays": "#3f9b5b", "costs": "#d1495b", "no clear difference": "#8a8d91"}


def save(scores: Sequence[Score], path: Path, *, about: str) -> None:
    """Draw scores into ``path``; the ending of its name says the format."""
    figure = draw(scores, about=about)
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise TelosError(f"cannot write the plot to {str(path)!r}: {error}") from error


def draw(scores: Sequence[Score], *, about: str) -> Any:
    """Return a matplotlib figure with a row for each contest, the first on top."""
    figure = figure_class()(figsize=(9, 1.6 + 0.42 * len(scores)), dpi=120, layout="constrained")
    axes = figure.subplots()
    for row, each in enumerate(scores):
        colour, (low, high) = _COLOURS[each.verdict], each.interval
        axes.plot([low, high], [row, row], color=colour, linewidth=2, solid_capstyle="butt")
        axes.plot([each.win_rate], [row], "o", color=colour, markersize=6, clip_on=False)
        record = f"{each.wins}-{each.draws}-{each.losses}"
        axes.annotate(record, (1.02, row), xycoords=("axes fraction", "data"), va="center", fontsize=8)
    _dress(axes, scores)
    figure.suptitle(f"Simulated fights: what each layer is worth\n{about}", fontsize=11)
    return figure


def _dress(axes: Any, scores: Sequence[Score]) -> None:
    labels = [f"{each.contest.name}\n{each.contest.having.name} against {each.contest.lacking.name}" for each in scores]
    axes.set_yticks(range(len(scores)), labels)
    axes.set_ylim(len(scores) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.axvline(0.5, color="#555555", linewidth=0.8, linestyle="--", zorder=0)
    axes.set_xlabel("win rate of the team that has the layer, with 95% interval; right: won-drawn-lost", fontsize=9)
    axes.tick_params(labelsize=8, length=2)
    axes.spines[["top", "right"]].set_visible(False)
