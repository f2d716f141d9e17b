"""What can be seen of the adventure at one moment: enough to draw it."""

from dataclasses import dataclass

from telos.worlds.adventure.play import Play
from telos.worlds.adventure.quests import kills_wanted
from telos.worlds.adventure.rules import FRAMES_A_SECOND

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class AdventureView:
    """One screen of the game, and the little map beside it. Points are middles, in pixels from the upper left corner.

    Sizes of bodies and the walls of the whole map do not change: they are in the world's ``rules``.
    """

    time: float  # seconds
    players: tuple[str, ...]
    frame: int
    width: int
    height: int
    area: str  # "3,2": column and row, from 1
    exits: tuple[str, ...]  # the edges without a wall
    x: float
    y: float
    facing: str
    moving: str  # a direction, or "stop"
    swinging: bool
    sword: str  # the way that a swing goes
    monsters: tuple[Point, ...]
    gems: tuple[Point, ...]
    chest: Point | None  # in this area
    town: Point | None  # in this area
    in_town: bool
    visited: tuple[str, ...]
    phase: int  # from 1; 0 in free play
    round: str
    instruction: str
    message: str
    truth: str | None
    kills_left: int | None
    score: float
    gems_held: int
    carrying: bool  # a chest
    kills: int
    deaths: int
    done: bool


def seen(play: Play, player: str) -> AdventureView:
    """Return what can be seen now."""
    rules, task = play.rules, play.task
    middle = (rules.width / 2, rules.height / 2)
    wanted = kills_wanted(play)
    return AdventureView(
        time=play.frame / FRAMES_A_SECOND,
        players=(player,),
        frame=play.frame,
        width=rules.width,
        height=rules.height,
        area=rules.map.name(play.area),
        exits=tuple(rules.map.exits[play.area]),
        x=play.x,
        y=play.y,
        facing=play.facing,
        moving=play.keys.direction,
        swinging=play.swinging > 0,
        sword=play.sword_way,
        monsters=tuple(zip(play.xs, play.ys, strict=True)),
        gems=tuple(zip(play.gem_xs, play.gem_ys, strict=True)),
        chest=middle if play.area in play.chests else None,
        town=middle if play.area == rules.map.town else None,
        in_town=play.in_town,
        visited=tuple(rules.map.name(area) for area in sorted(play.visited)),
        phase=min(play.phase + 1, len(rules.phases)) if play.directed else 0,
        round=task.round if task else "",
        instruction=task.say if task else "",
        message=play.message,
        truth=task.goal if task else None,
        kills_left=None if wanted is None else wanted - play.phase_kills,
        score=play.score,
        gems_held=play.gems_held,
        carrying=play.carrying,
        kills=play.kills,
        deaths=play.deaths,
        done=play.directed and task is None,
    )
