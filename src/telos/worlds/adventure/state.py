"""Mutable game state, quests."""

from random import Random
from typing import TYPE_CHECKING

from telos.worlds.adventure.map import NO_KEYS, Keys
from telos.worlds.adventure.rules import Phase, Rules

if TYPE_CHECKING:
    from telos.worlds.adventure.adventure import Company


# --- play -------------------------------------------------------------------------------------------------------------
# A game under way: everything about it that changes.


class Since:
    """What happened since the last event: contexts of events tell it."""

    __slots__ = ("attacked", "chest_taken", "died", "goal", "killed", "nearer_town", "new_area")

    def __init__(self) -> None:
        self.goal: str | None = None
        self.chest_taken = self.killed = self.attacked = self.died = self.new_area = self.nearer_town = False


class Play:
    """Where everybody is, what was found and what was told. Only the area that the player is in is alive."""

    __slots__ = (
        "area", "carrying", "chests", "company", "deaths", "directed", "facing", "frame", "gem_xs", "gem_ys",
        "gems_held", "hint_ends", "keys", "kills", "message", "noted", "number", "pay", "phase", "phase_deaths",
        "phase_kills", "restart", "returning", "rng", "rules", "score", "since", "straight", "swinging", "visited", "x",
        "xs", "y", "ys",
    )  # fmt: skip

    def __init__(self, rules: Rules, *, directed: bool, number: int, seed: int) -> None:
        self.rules, self.directed, self.number = rules, directed, number
        self.rng = Random(seed)
        self.frame = 0
        self.noted = 0  # the frame of the last event
        self.area = rules.map.town
        self.x, self.y = rules.width / 2, rules.height / 2
        self.keys: Keys = NO_KEYS
        self.facing = self.straight = "down"  # the way faced, and the last straight one
        self.swinging = 0  # frames that the sword is still out
        self.xs: list[float] = []  # monsters: flat lists, as they are walked through every frame
        self.ys: list[float] = []
        self.returning: list[int] = []  # the frames at which killed monsters come back, soonest first
        self.gem_xs: list[float] = []
        self.gem_ys: list[float] = []
        self.visited: set[int] = {self.area}
        self.chests: set[int] = set()  # the areas that hold one
        self.carrying = False
        self.gems_held = 0
        self.restart = (self.area, self.x, self.y)
        self.score = 0.0
        self.kills = self.deaths = 0
        self.phase = 0
        self.phase_kills = self.phase_deaths = 0
        self.message = ""
        self.hint_ends = 0  # the frame at which the message is taken away, if it is a hint
        self.pay: dict[str, float] = {}  # what a kill, a gem or a chest counts by now; 1 for what is left out
        self.company: Company | None = None  # those with minds, if there are any
        self.since = Since()

    @property
    def task(self) -> Phase | None:
        """Return the phase that the player is in; None in free play, and when all is done."""
        phases = self.rules.phases
        return phases[self.phase] if self.directed and self.phase < len(phases) else None

    def tell(self, message: str, frames: int = 0) -> None:
        """Show a line at the bottom of the screen: until there is another, or for so many frames."""
        self.message = message
        self.hint_ends = self.frame + frames if frames else 0

    @property
    def in_town(self) -> bool:
        """Whether the player is in town: in its area, or near the middle of it."""
        rules, reach = self.rules, self.rules.town_reach
        if self.area != rules.map.town or reach is None:
            return self.area == rules.map.town
        return abs(self.x - rules.width / 2) <= reach and abs(self.y - rules.height / 2) <= reach

    @property
    def sword_way(self) -> str:
        """Return the way that the sword goes."""
        return self.facing if self.rules.sword.ways == 8 else self.straight


# --- quests -----------------------------------------------------------------------------------------------------------
# What there is to achieve: chests, the town, kills; and the phases in which one of them is asked for.


_EARNED_BY = {"kill": "kills", "chest": "town"}  # what a phase asks for when it asks for something that is paid


def begin(play: Play) -> None:
    """Start a game: the first phase, or chests for whoever plays freely."""
    if play.directed:
        _begin_phase(play)
    else:
        _hide_chests(play)


def find_chest(play: Play) -> None:
    """Take the chest that the player stands on."""
    play.chests.discard(play.area)
    play.carrying = play.since.chest_taken = True
    play.restart = (play.area, play.x, play.y)
    _achieve(play, "chest")


def visit_town(play: Play) -> None:
    """Bank what the player brings; from here they start again if they die."""
    rules = play.rules
    play.restart = (rules.map.town, rules.width / 2, rules.height / 2)
    if not (play.carrying or play.gems_held):
        return
    gem, chest = rules.worth.gem * paid(play, "gem"), rules.worth.chest * paid(play, "chest")
    play.score += play.gems_held * gem + play.carrying * chest
    had_chest, play.carrying, play.gems_held = play.carrying, False, 0
    if had_chest:
        play.chests.clear()
        if not play.directed:
            _hide_chests(play)
    _achieve(play, "town")


def paid(play: Play, what: str) -> float:
    """Return what a kill, a gem or a chest counts by now: never by less than 1 if the game itself asks for it."""
    factor = play.pay.get(what, 1.0)
    is_asked_for = play.task is not None and play.task.until == _EARNED_BY.get(what)
    return max(1.0, factor) if is_asked_for else factor


def count_kill(play: Play) -> None:
    """Count a monster that the sword has hit."""
    play.kills += 1
    play.since.killed = play.since.attacked = True
    play.score += play.rules.worth.kill * paid(play, "kill")
    play.phase_kills += 1
    if kills_wanted(play) == play.phase_kills:
        play.phase_kills = 0
        _achieve(play, "kills")


def kills_wanted(play: Play) -> int | None:
    """Return how many kills make the goal: those of the phase, in free play those of the first phase with any."""
    if play.directed:
        return (play.task and play.task.kills) or None
    return next((phase.kills for phase in play.rules.phases if phase.kills), None)


def _achieve(play: Play, what: str) -> None:
    play.since.goal = play.rules.goal_of(what)
    if play.task is not None and play.task.until == what:
        play.phase += 1
        _begin_phase(play)


def _begin_phase(play: Play) -> None:
    play.phase_kills = play.phase_deaths = 0
    task = play.task
    play.tell(task.tip if task else "")
    if task is None:
        return
    if task.fresh:
        play.visited = {play.area}
    if task.until == "chest":
        # Only now, so that nobody carries one already when they are told to find one.
        _hide_chests(play)


def _hide_chests(play: Play) -> None:
    """Put chests into places by chance, but never at the player's feet."""
    chest = play.rules.chest
    places = [place for place in play.rules.map.chest_places if place != play.area]
    if chest.number is not None:
        play.chests = set(play.rng.sample(places, min(chest.number, len(places))))
        return
    play.chests = set()
    while places and not play.chests:
        play.chests = {place for place in places if play.rng.random() < (chest.chance or 1.0)}
