"""Tournaments: teams with and without a layer of behaviour fight many seeded fights, and the score says what it does.

Every seed is fought twice, the second time with the teams in each other's place. So neither the map nor the objectives
nor the order in which people act favour anybody: a team against its equal wins exactly as often as it loses.
"""

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import groupby
from multiprocessing import get_context
from random import Random

from telos.core.errors import TelosError
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.scene import Scene
from telos.worlds.arena.tournament_contests import Contest, kinds
from telos.worlds.arena.tournament_score import Outcome, Score, score


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
