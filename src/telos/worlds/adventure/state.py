"""The state of a game (``AdventureState``) and its goals: chests, the town, kills, and the phases that ask for them."""

from random import Random
from typing import TYPE_CHECKING

from telos.worlds.adventure.map import NO_KEYS, OPPOSITE, House, Keys, town_houses
from telos.worlds.adventure.rules import Phase, Rules

if TYPE_CHECKING:
    from telos.worlds.adventure.companion import Company
_EARNED_BY = {"kill": "kills", "chest": "town"}  # the phase condition that each earning belongs to


class SinceLastEvent:
    """What happened since the last event; the context of the next event reports it."""

    __slots__ = ("attacked", "chest_taken", "died", "goal", "killed", "nearer_town", "new_area")

    def __init__(self) -> None:
        self.goal: str | None = None
        self.chest_taken = self.killed = self.attacked = self.died = self.new_area = self.nearer_town = False


class AdventureState:
    """Everything that changes during a game. Only the area of the player is simulated."""

    __slots__ = (
        "area", "carrying", "chests", "company", "deaths", "directed", "facing", "fallen", "frame", "gem_xs", "gem_ys",
        "gems_held", "hearts", "hint_ends", "keys", "kills", "knock", "legs", "message", "noted", "noted_x", "noted_y",
        "number", "pay", "phase", "phase_deaths", "phase_kills", "pressed", "restart", "returning", "rng", "rules",
        "score", "shielded", "since", "still", "straight", "swinging", "trail", "visited", "x", "xs", "y", "ys",
    )  # fmt: skip

    def __init__(self, rules: Rules, *, directed: bool, number: int, seed: int) -> None:
        self.rules, self.directed, self.number = rules, directed, number
        self.rng = Random(seed)
        self.frame = 0
        self.noted = 0  # frame of the last event
        self.noted_x = self.noted_y = -1.0  # where the player was at it; -1 before the first
        self.area = rules.map.town
        self.x, self.y = rules.width / 2, rules.height / 2
        self.keys: Keys = NO_KEYS
        self.facing = self.straight = "down"  # the direction faced, and the last one that was not diagonal
        self.swinging = 0  # frames that the sword remains out
        self.xs: list[float] = []  # monsters: flat lists, because every frame iterates over them
        self.ys: list[float] = []
        self.legs: list[str] = []  # the axis along which each monster goes, if the rules let them go in legs
        self.returning: list[int] = []  # frames at which killed monsters come back, soonest first
        self.gem_xs: list[float] = []
        self.gem_ys: list[float] = []
        self.visited: set[int] = {self.area}
        self.chests: set[int] = set()  # the areas with a chest
        self.carrying = False
        self.gems_held = 0
        self.restart = (self.area, self.x, self.y)
        self.score = 0.0
        self.kills = self.deaths = 0
        self.phase = 0
        self.phase_kills = self.phase_deaths = 0
        self.message = ""
        self.hint_ends = 0  # the frame at which a hint is removed
        self.hearts = 1 if rules.hearts is None else rules.hearts.number
        self.still = 0  # frames for which the game still stands still, after a hit or in a fall
        self.fallen = False  # the player is dead and restarts when the game goes on
        self.knock = (0.0, 0.0)  # pixels per frame by which a hit throws the player back while the game stands still
        self.shielded = 0  # the frame until which nothing hurts the player
        self.pressed = False  # the sword key was pressed while the game stood still
        self.trail: dict[int, tuple[str, str]] = {}  # footprints: the edges between which they lead, "" for the middle
        self.pay: dict[str, float] = {}  # factors on what a kill, a gem or a chest earns; 1 if missing
        self.company: Company | None = None  # the characters with minds, if the rules have any
        self.since = SinceLastEvent()

    @property
    def task(self) -> Phase | None:
        """The current phase; None in free game and after the last one."""
        phases = self.rules.phases
        return phases[self.phase] if self.directed and self.phase < len(phases) else None

    def tell(self, message: str, frames: int = 0) -> None:
        """Show a message until the next one, or for so many frames."""
        self.message = message
        self.hint_ends = self.frame + frames if frames else 0

    @property
    def in_town(self) -> bool:
        """Whether the player is in town: in its area, or near the centre of it, as the rules say."""
        rules, reach = self.rules, self.rules.town_reach
        if self.area != rules.map.town or reach is None:
            return self.area == rules.map.town
        return abs(self.x - rules.width / 2) <= reach and abs(self.y - rules.height / 2) <= reach

    @property
    def is_safe(self) -> bool:
        """Whether the area is a town without monsters."""
        return self.rules.safe_town and self.area == self.rules.map.town

    @property
    def houses(self) -> tuple[House, ...]:
        """The solid houses of the area."""
        rules = self.rules
        if not rules.houses or self.area != rules.map.town:
            return ()
        exits = rules.map.exits[self.area]
        return town_houses(rules.width, rules.height, north="north" in exits, south="south" in exits)

    @property
    def sword_way(self) -> str:
        """The direction of a swing."""
        return self.facing if self.rules.sword.ways == 8 else self.straight


# --- goals and phases ---


def start_game(game: AdventureState) -> None:
    """Start a game: with the first phase, or with chests in free game."""
    if game.directed:
        _begin_phase(game)
    else:
        _hide_chests(game)


def take_chest(game: AdventureState) -> None:
    """Take the chest at the player's position."""
    game.chests.discard(game.area)
    game.carrying = game.since.chest_taken = True
    game.restart = (game.area, game.x, game.y)
    _achieve(game, "chest")


def may_take_chest(game: AdventureState) -> bool:
    """Whether a chest may be taken now: those that stay, only while a phase asks for one."""
    return not game.rules.chest.stay or game.task is None or game.task.until == "chest"


def visit_town(game: AdventureState) -> None:
    """Bank what the player carries; the town becomes the restart point, and all hearts come back."""
    rules = game.rules
    game.hearts = 1 if rules.hearts is None else rules.hearts.number
    game.restart = (rules.map.town, rules.width / 2, rules.height / 2)
    if not (game.carrying or game.gems_held):
        return
    gem, chest = rules.worth.gem * pay_factor(game, "gem"), rules.worth.chest * pay_factor(game, "chest")
    game.score += game.gems_held * gem + game.carrying * chest
    had_chest, game.carrying, game.gems_held = game.carrying, False, 0
    if had_chest:
        if not game.rules.chest.stay:
            game.chests.clear()
        if not game.directed:
            _hide_chests(game)
    _achieve(game, "town")


def pay_factor(game: AdventureState, what: str) -> float:
    """Return the factor on an earning: at least 1 for what the present phase asks for."""
    factor = game.pay.get(what, 1.0)
    is_asked_for = game.task is not None and game.task.until == _EARNED_BY.get(what)
    return max(1.0, factor) if is_asked_for else factor


def count_kill(game: AdventureState) -> None:
    """Count a monster that was hit by the sword."""
    game.kills += 1
    game.since.killed = game.since.attacked = True
    game.score += game.rules.worth.kill * pay_factor(game, "kill")
    game.phase_kills += 1
    if kills_to_achieve(game) == game.phase_kills:
        game.phase_kills = 0
        _achieve(game, "kills")


def kills_to_achieve(game: AdventureState) -> int | None:
    """Return the number of kills that achieve the goal: of the phase, or of the first such phase in free game."""
    if game.directed:
        return (game.task and game.task.kills) or None
    return next((phase.kills for phase in game.rules.phases if phase.kills), None)


def _achieve(game: AdventureState, what: str) -> None:
    game.since.goal = game.rules.goal_of(what)
    if game.task is not None and game.task.until == what:
        game.phase += 1
        _begin_phase(game)


def _begin_phase(game: AdventureState) -> None:
    game.phase_kills = game.phase_deaths = 0
    task = game.task
    game.tell(task.tip if task else "")
    if task is None:
        return
    if task.fresh:
        game.visited = {game.area}
    if task.until == "chest" and not (game.rules.chest.stay and game.chests):
        # Only now, so that the player does not carry one already when the phase asks for it.
        _hide_chests(game, within=task.within)
    lay_trail(game)


def lay_trail(game: AdventureState) -> None:
    """Lay the footprints of the phase: from town to the nearest chest, and back to them from the areas beside."""
    game.trail = {}
    if game.task is None or not game.task.footprints or not game.chests:
        return
    area_map = game.rules.map
    area, end = area_map.town, min(game.chests, key=lambda place: (area_map.distance[place] or 0, place))
    came = ""
    for edge in area_map.way(area, end):
        game.trail[area] = (came, edge)
        area, came = area_map.exits[area][edge], OPPOSITE[edge]
    game.trail[area] = (came, "")
    for on_trail in list(game.trail):
        for edge, beside in area_map.exits[on_trail].items():
            game.trail.setdefault(beside, ("", OPPOSITE[edge]))


def _hide_chests(game: AdventureState, *, within: int = 0) -> None:
    """Place chests at random, but not in the area of the player, and at most ``within`` screens from town."""
    chest, distance = game.rules.chest, game.rules.map.distance
    places = [place for place in game.rules.map.chest_places if place != game.area]
    if within:
        places = [place for place in places if (distance[place] or 0) <= within]
    if chest.number is not None:
        game.chests = set(game.rng.sample(places, min(chest.number, len(places))))
        return
    wanted = min(len(places), _chests_to_find(game))
    game.chests = set()
    while places and len(game.chests) < wanted:
        game.chests = {place for place in places if game.rng.random() < (chest.chance or 1.0)}


def _chests_to_find(game: AdventureState) -> int:
    """Return the least number of chests to draw: one, or one for each phase to come if they stay."""
    if not game.rules.chest.stay or not game.directed:
        return 1
    return max(1, sum(phase.until == "chest" for phase in game.rules.phases[game.phase :]))
