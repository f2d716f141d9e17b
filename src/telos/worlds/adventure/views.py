"""What is visible of the adventure at one moment: all that is needed to draw it."""

from dataclasses import dataclass

from telos.worlds.adventure.companion import Companion
from telos.worlds.adventure.monsters import Beast
from telos.worlds.adventure.rules import FRAMES_A_SECOND
from telos.worlds.adventure.state import AdventureState, kills_to_achieve

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class BeastView:
    """A monster with a mind."""

    name: str  # "hunter-1"; valid while the player stays in the area
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
    goal: str | None  # pursued, or already satisfied while it waits
    doing: str  # "following", "closing in", "striking", "scouting", "leading home" or "waiting"
    says: str  # the line shown now
    reading: str | None  # the goal it ascribes to the player; None if unsure


@dataclass(frozen=True, slots=True)
class AdventureView:
    """One screen and the map. Points are centres, in pixels from the upper left corner.

    Sizes of bodies and the walls of the map are constant: they are in the world's ``rules``.
    """

    time: float  # seconds
    players: tuple[str, ...]
    frame: int
    width: int
    height: int
    area: str  # "3,2": column and row, from 1
    exits: tuple[str, ...]  # open edges
    x: float
    y: float
    facing: str
    moving: str  # a direction, or "stop"
    swinging: bool
    sword: str  # the direction of a swing
    monsters: tuple[Point, ...]
    gems: tuple[Point, ...]
    chest: Point | None  # in this area
    town: Point | None  # in this area
    in_town: bool
    visited: tuple[str, ...]
    phase: int  # from 1; 0 in free game
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
    hearts: int = 1
    most_hearts: int = 1  # 1: one touch kills
    still: bool = False  # the game stands still for a moment, after a hit or in a fall
    fallen: bool = False
    shielded: bool = False  # nothing hurts the player now
    safe: bool = False  # no monster comes to this area
    trail: tuple[str, str] | None = None  # footprints: the edges between which they lead, "" for the middle
    beasts: tuple[BeastView, ...] = ()  # the monsters in the same order, if they have minds
    companion: CompanionView | None = None  # None if there is none in this area


def to_adventure_view(game: AdventureState, player: str) -> AdventureView:
    """Return the visible state of a game."""
    rules, task = game.rules, game.task
    middle = (rules.width / 2, rules.height / 2)
    wanted = kills_to_achieve(game)
    return AdventureView(
        time=game.frame / FRAMES_A_SECOND,
        players=(player,),
        frame=game.frame,
        width=rules.width,
        height=rules.height,
        area=rules.map.name(game.area),
        exits=tuple(rules.map.exits[game.area]),
        x=game.x,
        y=game.y,
        facing=game.facing,
        moving=game.keys.direction,
        swinging=game.swinging > 0,
        sword=game.sword_way,
        monsters=tuple(zip(game.xs, game.ys, strict=True)),
        gems=tuple(zip(game.gem_xs, game.gem_ys, strict=True)),
        chest=middle if game.area in game.chests else None,
        town=middle if game.area == rules.map.town else None,
        in_town=game.in_town,
        visited=tuple(rules.map.name(area) for area in sorted(game.visited)),
        phase=min(game.phase + 1, len(rules.phases)) if game.directed else 0,
        round=task.round if task else "",
        instruction=task.say if task else "",
        message=game.message,
        truth=task.goal if task else None,
        kills_left=None if wanted is None else wanted - game.phase_kills,
        score=game.score,
        gems_held=game.gems_held,
        carrying=game.carrying,
        kills=game.kills,
        deaths=game.deaths,
        done=game.directed and task is None,
        hearts=game.hearts,
        most_hearts=1 if rules.hearts is None else rules.hearts.number,
        still=game.still > 0,
        fallen=game.fallen,
        shielded=game.frame < game.shielded,
        safe=game.is_safe,
        trail=game.trail.get(game.area),
        beasts=() if game.company is None else tuple(map(_beast, game.company.beasts)),
        companion=None if game.company is None else _companion(game.company.companion, game.frame),
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
