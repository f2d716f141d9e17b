"""A game under way: everything about it that changes."""

from random import Random
from typing import TYPE_CHECKING

from telos.worlds.adventure.directions import NO_KEYS, Keys
from telos.worlds.adventure.rules import Phase, Rules

if TYPE_CHECKING:
    from telos.worlds.adventure.company import Company


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
