"""What a simulated player sees, remembers of the map, and how it steers and finds its way."""

import math
from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import NamedTuple

from telos.agents.memory import Fact, WorkingMemory
from telos.core.values import FrozenMap
from telos.studies.players.presets import PLAIN, Limits, Style
from telos.worlds.adventure.map import DIRECTIONS, EDGES, PARTS, STOP, STRAIGHT, VECTORS, AreaMap
from telos.worlds.adventure.views import AdventureView, Point

# --- the screen, predicted for the moment of reaction -----------------------------------------------------------------


OWN_SPEED, THEIR_SPEED = 8.0, 4.0  # pixels per frame; players learn both within seconds
NOTICE = 145.0  # pixels; every kind of monster notices a nearer player, and players expect it a little earlier

_TOGETHER = 50.0  # pixels; a monster at most this much farther away arrives at the same time
_ASIDE = 0.5  # the cosine of 60 degrees


class Foe(NamedTuple):
    """A monster's predicted position relative to the player."""

    away: float
    across: float
    down: float


class Scene(NamedTuple):
    """Predicted positions of the player and the monsters, the nearest monster first."""

    x: float
    y: float
    foes: tuple[Foe, ...]

    @property
    def nearest(self) -> float:
        """Return the distance to the nearest monster."""
        return self.foes[0].away if self.foes else math.inf

    @property
    def is_crowded(self) -> bool:
        """Whether a second monster comes at the same time, from another side."""
        first = self.foes[0]
        return any(
            foe.away < min(NOTICE, first.away + _TOGETHER)
            and foe.across * first.across + foe.down * first.down < _ASIDE * foe.away * first.away
            for foe in self.foes[1:4]
        )


def look_ahead(view: AdventureView, path: tuple[float, float], lead: float, *, roamers: bool) -> Scene:
    """Predict the scene in ``lead`` frames, after the player has moved ``path`` steps across and down.

    ``roamers`` approach from anywhere; other monsters move only when the player is near.
    """
    x = min(view.width - 10.0, max(10.0, view.x + path[0] * OWN_SPEED))
    y = min(view.height - 10.0, max(10.0, view.y + path[1] * OWN_SPEED))
    foes = []
    for mx, my in view.monsters:
        across, below = mx - x, my - y
        away = math.sqrt(across * across + below * below)
        if away > 0 and (roamers or away < NOTICE):
            share = max(0.0, 1.0 - THEIR_SPEED * lead / away)
            away, across, below = away * share, across * share, below * share
        foes.append(Foe(away, across, below))
    foes.sort()
    return Scene(x, y, tuple(foes))


# --- the remembered map, which fades ----------------------------------------------------------------------------------


_SHIFTS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
_CARELESS = 0.3  # memory strength after the worst look; the best is 1


def beyond(area: str, edge: str) -> str:
    """Return the area behind an edge.

    >>> beyond("3,2", "north")
    '3,1'
    """
    column, row = map(int, area.split(","))
    across, down = _SHIFTS[edge]
    return f"{column + across},{row + down}"


class MentalMap:
    """Memory of screens, which fades; the strength of each memory is random.

    >>> known = MentalMap(60.0, Random(1))
    >>> known.see("2,2", ("east",), 0.0)
    >>> known.see("3,2", ("west", "south"), 2.0)
    >>> known.way_to_unsearched("2,2", 3.0), known.way_to_unsearched("2,2", 99.0)
    (('east', 'south'), ())
    """

    def __init__(self, fades: float, rng: Random) -> None:
        self._memory = WorkingMemory({"way": fades, "searched": fades, "chest": fades})
        self._rng = rng
        self._maze: Mapping[str, tuple[str, ...]] = {}  # exits by area, known by heart
        self._places: frozenset[str] | None = None  # the only areas where a chest may be, if that is known
        self.has_bearings = True  # whether the direction of the town is felt
        self.town: str | None = None

    def learn_maze(self, maze: AreaMap) -> None:
        """Learn every wall and all places of chests by heart; only which of them were searched still fades."""
        self._maze = {maze.name(area): tuple(maze.exits[area]) for area in maze.reachable}
        self._places = frozenset(maze.name(area) for area in maze.chest_places)
        self.town = maze.name(maze.town)

    def note_taken(self, area: str) -> None:
        """Remember that the chest of an area is gone."""
        self._memory.forget("chest", area)

    def see(self, area: str, exits: Iterable[str], now: float, *, chest: bool = False) -> None:
        """Remember a screen on entering it."""
        care = self._rng.uniform(_CARELESS, 1.0)
        self._memory.note(Fact("way", area, now, care, FrozenMap({"exits": tuple(exits)})))
        self._memory.note(Fact("searched", area, now, care))
        self._memory.forget("chest", area)
        if chest:
            self._memory.note(Fact("chest", area, now))

    def search_again(self, area: str, now: float) -> None:
        """Mark every screen but this one as unsearched; the ways between screens stay known."""
        for kind in ("searched", "chest"):
            for fact in self._memory.all_of(kind, now):
                self._memory.forget(kind, fact.subject)
        self._memory.note(Fact("searched", area, now))

    def unsearched_exits(self, area: str, exits: Iterable[str], now: float) -> tuple[str, ...]:
        """Return the exits of this screen that lead where a chest was seen; if none was, where one may be."""
        behind = {edge: beyond(area, edge) for edge in exits}
        chests = {fact.subject for fact in self._memory.all_of("chest", now)} - {area}
        seen = tuple(edge for edge, each in behind.items() if each in chests)
        return seen or tuple(edge for edge, each in behind.items() if not self._is_searched(each, now))

    def way_to_unsearched(self, area: str, now: float) -> tuple[str, ...]:
        """Return the edges to cross to a chest that was seen, or to the nearest screen that was not searched."""
        chests = {fact.subject for fact in self._memory.all_of("chest", now)} - {area}
        to_chest = self._way(area, chests.__contains__, now) if chests else ()
        return to_chest or self._way(area, lambda behind: not self._is_searched(behind, now), now)

    def way_home(self, area: str, now: float) -> tuple[str, ...]:
        """Return the remembered way to town."""
        return self._way(area, lambda behind: behind == self.town, now)

    def felt_way_home(self, area: str, exits: Iterable[str]) -> tuple[str, ...]:
        """Return the exits that point to where the town must be, as the crow flies."""
        if self.town is None or not self.has_bearings:
            return ()
        column, row = map(int, area.split(","))
        to_column, to_row = map(int, self.town.split(","))
        right = {"north": to_row < row, "south": to_row > row, "east": to_column > column, "west": to_column < column}
        return tuple(edge for edge in exits if right[edge])

    def _is_searched(self, area: str, now: float) -> bool:
        if self._places is not None and area not in self._places:
            return True  # there is nothing to search
        return self._memory.recall("searched", area, now) is not None

    def _remembered_exits(self, area: str, now: float) -> tuple[str, ...]:
        fact = self._memory.recall("way", area, now)
        return fact["exits"] if fact else ()

    def _way(self, start: str, is_end: Callable[[str], bool], now: float) -> tuple[str, ...]:
        """Return the way to the nearest area that is an end, breadth first over remembered screens; () for none."""
        ways: dict[str, tuple[str, ...]] = {start: ()}
        queue = [start]
        for area in queue:  # grows while it is walked
            for edge in self._maze.get(area) or self._remembered_exits(area, now):
                behind = beyond(area, edge)
                if behind in ways:
                    continue
                ways[behind] = (*ways[area], edge)
                if is_end(behind):
                    return ways[behind]
                queue.append(behind)
        return ()


# --- steering: to a point, around monsters (called often: plain arithmetic) -------------------------------------------


_AHEAD = (3.0, 8.0, 14.0)  # frames ahead at which a way is evaluated
_TOUCH = 48.0  # pixels; nearer than this is dead, or nearly
_WALL = 3.0  # penalty for a wall or the wrong exit; turning back costs 2
_CUNNING = 0.8  # share of the monsters' speed that counts, as they head for the present position
_STEADY = 0.3  # bonus for the present direction, against dithering
_MANY = 6  # monsters that a player can track


class Screen(NamedTuple):
    """The bounds of movement: size of the screen, and the edges that the player intends to cross."""

    width: float
    height: float
    edges: tuple[str, ...] = ()


def eighth(across: float, down: float) -> str:
    """Return the direction nearest to a vector.

    >>> eighth(10, -1), eighth(5, 5)
    ('right', 'down_right')
    """
    turn = round(math.atan2(across, -down) / (math.pi / 4))
    return DIRECTIONS[turn % len(DIRECTIONS)]


def quarter(across: float, down: float) -> str:
    """Return the straight direction nearest to a vector.

    >>> quarter(10, -9)
    'right'
    """
    if abs(across) >= abs(down):
        return "right" if across >= 0 else "left"
    return "down" if down >= 0 else "up"


def toward(across: float, down: float, *, diagonals: float, slack: float, now: str = STOP) -> str:
    """Return the direction to a point: diagonal by habit, else along an axis, preferably the same as before.

    >>> toward(100, 60, diagonals=0.9, slack=8), toward(100, 60, diagonals=0.1, slack=8)
    ('down_right', 'right')
    >>> toward(3, 2, diagonals=1, slack=8)
    'stop'
    """
    far, near = max(abs(across), abs(down)), min(abs(across), abs(down))
    if far <= slack:
        return STOP
    if near > slack and near > far * (1.0 - diagonals):
        return eighth(math.copysign(1, across), math.copysign(1, down))
    if now in STRAIGHT and near > slack:
        right, below = VECTORS[now]
        if across * right + down * below > slack:
            return now
    return quarter(across, down)


class Way(NamedTuple):
    """A direction, and how good it is: 1 leads straight there at no risk, far below zero leads into a monster."""

    direction: str
    worth: float


def around(scene: Scene, wanted: tuple[float, float], keep: float, screen: Screen, now: str = STOP) -> Way:
    """Return the way that leads best in the wanted direction without coming nearer to a monster than ``keep``."""
    length = math.sqrt(wanted[0] ** 2 + wanted[1] ** 2) or 1.0
    near = [(foe.across, foe.down) for foe in scene.foes[:_MANY] if foe.away < keep + 130]
    best = Way(STOP, -math.inf)
    for direction in DIRECTIONS:
        right, down = VECTORS[direction]
        worth = (right * wanted[0] + down * wanted[1]) / length + (_STEADY if direction == now else 0.0)
        worth -= _blocked(scene, direction, screen)
        if worth > best.worth:
            worth -= _risk(right, down, near, keep)
        if worth > best.worth:
            best = Way(direction, worth)
    return best


def _risk(right: float, down: float, near: list[tuple[float, float]], keep: float) -> float:
    """Return the risk of a direction over the next frames, with approaching monsters."""
    risk = 0.0
    for across, below in near:
        closest = keep
        for ahead in _AHEAD:
            x, y = right * OWN_SPEED * ahead, down * OWN_SPEED * ahead
            away = math.sqrt((across - x) ** 2 + (below - y) ** 2) - _CUNNING * THEIR_SPEED * ahead
            closest = min(closest, away)
        risk += (3.0 if closest < _TOUCH else 0.0) + (keep - closest) / keep
    return risk


def _blocked(scene: Scene, direction: str, screen: Screen) -> float:
    right, down = VECTORS[direction]
    reach = OWN_SPEED * _AHEAD[1]
    x, y = scene.x + right * reach, scene.y + down * reach
    beyond = {"left": x < 0, "right": x > screen.width, "up": y < 0, "down": y > screen.height}
    return sum(_WALL for part in PARTS[direction] if beyond[part] and EDGES[part] not in screen.edges)


# --- wayfinding: which exit, and where to cross the edge --------------------------------------------------------------


_SLACK = 10.0  # pixels; within this the destination is reached
_HUG = 30.0  # pixels; least distance when walking along a wall
_OUT = 30.0  # pixels beyond the edge: the target when leaving a screen
_WARY = 80.0  # pixels beyond the kept distance within which monsters are avoided while walking


def keeps(habits: Style) -> float:
    """Return the preferred minimum distance to monsters in pixels; contact is at about 30."""
    return 45.0 + 60.0 * habits.distance


class Wayfinder:
    """The destination on this screen; a choice stays until the screen or the intention changes."""

    def __init__(self, map_: MentalMap, rng: Random) -> None:
        self.map, self._rng = map_, rng
        self._area, self._came_from = "", ""
        self._step, self._exit = "", ""
        self._target: Point | None = None

    def enter(self, view: AdventureView) -> None:
        """Reset the choice and remember the new screen."""
        behind = [edge for edge in view.exits if beyond(view.area, edge) == self._area]
        self._area, self._came_from = view.area, behind[0] if behind else ""
        self._target = None
        self.map.see(view.area, view.exits, view.time, chest=view.chest is not None)
        if view.town is not None:
            self.map.town = view.area

    def go(self, step: str, view: AdventureView, scene: Scene, limits: Limits, habits: Style, now: str) -> Way:
        """Return the direction for a step with a destination, and its value; ``now`` is the present direction."""
        if step != self._step or self._target is None or step == "pick-up-gem":
            self._step, self._target = step, self._destination(step, view, limits, habits)
        across, down = self._target[0] - scene.x, self._target[1] - scene.y
        if scene.nearest < keeps(habits) + _WARY:
            screen = Screen(view.width, view.height, (self._exit,) if self._exit else ())
            return around(scene, (across, down), keeps(habits), screen, now)
        return Way(toward(across, down, diagonals=habits.diagonals, slack=_SLACK, now=now), 1.0)

    def _destination(self, step: str, view: AdventureView, limits: Limits, habits: Style) -> Point:
        self._exit = ""
        if step == "step-onto-chest" and view.chest:
            return view.chest
        if step == "step-into-town" and view.town:
            return view.town
        if step == "pick-up-gem" and view.gems:
            return min(view.gems, key=lambda gem: abs(gem[0] - view.x) + abs(gem[1] - view.y))
        wrong = self._rng.random() < limits.wrong_turns
        self._exit = self._rng.choice(view.exits if wrong else self._right_exits(step, view))
        return crossing(view, self._exit, habits.edges)

    def _right_exits(self, step: str, view: AdventureView) -> tuple[str, ...]:
        area, now = view.area, view.time
        exits: tuple[str, ...] = ()
        if step == "take-unsearched-exit" and view.trail is not None and is_on_trail(view):
            exits = view.trail[1:]
        elif step == "take-unsearched-exit":
            exits = self.map.unsearched_exits(area, view.exits, now)
        elif step == "go-back-to-a-fork":
            exits = self.map.way_to_unsearched(area, now)[:1]
        elif step == "follow-the-way-home":
            exits = self.map.way_home(area, now)[:1]
        elif step == "head-for-home":
            exits = self.map.felt_way_home(area, view.exits)
        # Without information, take any exit but the last; go back only out of a dead end.
        return exits or tuple(edge for edge in view.exits if edge != self._came_from) or view.exits


def is_on_trail(view: AdventureView) -> bool:
    """Whether footprints lead to an exit of this screen."""
    return view.trail is not None and view.trail[1] != ""


def crossing(view: AdventureView, edge: str, edges: float) -> Point:
    """Return where to cross an edge: straight ahead, nearer to the next wall, or nearer to the middle, by habit."""
    pull = (edges - PLAIN) / PLAIN

    def lane(here: float, size: float) -> float:
        side = _HUG if here < size / 2 else size - _HUG
        return here + (side - here) * pull if pull > 0 else here + (here - size / 2) * pull

    if edge in ("north", "south"):
        return lane(view.x, view.width), -_OUT if edge == "north" else view.height + _OUT
    return -_OUT if edge == "west" else view.width + _OUT, lane(view.y, view.height)
