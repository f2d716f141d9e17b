"""What can be seen of the adventure at one moment: enough to draw it."""

from dataclasses import dataclass

from telos.worlds.adventure.companion import Companion
from telos.worlds.adventure.monsters import Beast
from telos.worlds.adventure.rules import FRAMES_A_SECOND
from telos.worlds.adventure.state import Play, kills_wanted

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class BeastView:
    """A monster that has a mind."""

    name: str  # "hunter-1": its own for as long as the player stays in the area
    kind: str  # "hunter", "guard" or "stalker"
    x: float
    y: float
    goal: str | None
    doing: str  # "chasing", "lurking", "pouncing", "giving way", "going back", "prowling", "resting" or "stunned"


@dataclass(frozen=True, slots=True)
class CompanionView:
    """The companion."""

    name: str
    x: float
    y: float
    facing: str
    goal: str | None  # that it pursues, or that holds while it waits
    doing: str  # "following", "closing in", "striking", "scouting", "leading home" or "waiting"
    says: str  # what it has just said, for a few seconds
    reading: str | None  # what it takes the player to be after; None if it cannot tell


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
    beasts: tuple[BeastView, ...] = ()  # the monsters again, in the same order, if they have minds
    companion: CompanionView | None = None  # if there is one, and it is in this area


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
        beasts=() if play.company is None else tuple(map(_beast, play.company.beasts)),
        companion=None if play.company is None else _companion(play.company.companion, play.frame),
    )


def _beast(beast: Beast) -> BeastView:
    goal, doing = (None, "stunned") if beast.stunned else (beast.mind.goal, beast.doing)
    return BeastView(beast.name, beast.kind, beast.x, beast.y, goal, doing)


def _companion(companion: Companion | None, frame: int) -> CompanionView | None:
    if companion is None or companion.late:
        return None
    return CompanionView(
        name=companion.rules.name,
        x=companion.x,
        y=companion.y,
        facing=companion.facing,
        goal=companion.goal,
        doing=companion.doing,
        says=companion.voice.saying(frame / FRAMES_A_SECOND),
        reading=companion.reading,
    )
