"""Finding the way: which exit, where to cross the edge, and the way there past monsters."""

from random import Random

from telos.studies.players.mental_map import MentalMap, beyond
from telos.studies.players.perception import Scene
from telos.studies.players.presets import Limits
from telos.studies.players.steering import Screen, Way, around, toward
from telos.studies.players.style import PLAIN, Style
from telos.worlds.adventure.views import AdventureView, Point

_SLACK = 10.0  # pixels; nearer than this is there
_HUG = 30.0  # pixels from the wall: as near as one walks along it
_OUT = 30.0  # pixels beyond the edge: where one heads for when leaving a screen
_WARY = 80.0  # pixels; from so far beyond one's distance on, monsters are watched while walking


def keeps(habits: Style) -> float:
    """Return how near to a monster one likes to come, in pixels; touching one is about 30."""
    return 45.0 + 60.0 * habits.distance


class Wayfinder:
    """Where one is going on this screen; a choice stays until the screen or the intention changes."""

    def __init__(self, map_: MentalMap, rng: Random) -> None:
        self.map, self._rng = map_, rng
        self._area, self._came_from = "", ""
        self._step, self._exit = "", ""
        self._target: Point | None = None

    def enter(self, view: AdventureView) -> None:
        """Take in a new screen."""
        behind = [edge for edge in view.exits if beyond(view.area, edge) == self._area]
        self._area, self._came_from = view.area, behind[0] if behind else ""
        self._target = None
        self.map.see(view.area, view.exits, view.time, chest=view.chest is not None)
        if view.town is not None:
            self.map.town = view.area

    def go(self, step: str, view: AdventureView, scene: Scene, limits: Limits, habits: Style, now: str) -> Way:
        """Return the way for a step that leads somewhere, and how good it is; ``now`` is the way that one goes."""
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
        if step == "take-unsearched-exit":
            exits = self.map.unsearched_exits(area, view.exits, now)
        elif step == "go-back-to-a-fork":
            exits = self.map.way_to_unsearched(area, now)[:1]
        elif step == "follow-the-way-home":
            exits = self.map.way_home(area, now)[:1]
        elif step == "head-for-home":
            exits = self.map.felt_way_home(area, view.exits)
        # Without any idea, anywhere but back; back only out of a dead end.
        return exits or tuple(edge for edge in view.exits if edge != self._came_from) or view.exits


def crossing(view: AdventureView, edge: str, edges: float) -> Point:
    """Return where to cross an edge: straight ahead, nearer to the next wall, or nearer to the middle, by habit."""
    pull = (edges - PLAIN) / PLAIN

    def lane(here: float, size: float) -> float:
        side = _HUG if here < size / 2 else size - _HUG
        return here + (side - here) * pull if pull > 0 else here + (here - size / 2) * pull

    if edge in ("north", "south"):
        return lane(view.x, view.width), -_OUT if edge == "north" else view.height + _OUT
    return -_OUT if edge == "west" else view.width + _OUT, lane(view.y, view.height)
