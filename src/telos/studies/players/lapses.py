"""Lapses: moments in which a player does not do what they mean to: in thought, in fright, or for no reason at all."""

from random import Random

from telos.studies.players.fencing import STRIKE
from telos.studies.players.hands import Wish
from telos.studies.players.perception import NOTICE, Scene
from telos.studies.players.presets import Limits
from telos.worlds.adventure.directions import DIRECTIONS
from telos.worlds.adventure.rules import FRAMES_A_SECOND
from telos.worlds.adventure.views import AdventureView

LOOK = 2  # frames from one look at the screen to the next
EVERY = LOOK / FRAMES_A_SECOND
_CLOSE = 70.0  # pixels; a monster that near can frighten
_THOUGHT = 0.6  # seconds, the mean of a moment of thought
_SCUFFLE = 2.0  # seconds
_STUCK = 25.0  # seconds on one spot
_SPOT = 60.0  # pixels


class Lapses:
    """What comes over a player, and for how long."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._wish, self._until, self._scuffle_until = Wish(), 0.0, 0.0
        self._is_fright = False
        self._spot, self._spot_since = (0.0, 0.0, ""), 0.0
        self.rescues = 0  # how often only a random walk got somebody off a spot

    def pause(self, now: float, seconds: float) -> None:
        """Let go of everything for a while, ``seconds`` on average: to think, to read, or because one has just died."""
        self._wish, self._is_fright, self._until = Wish(), False, now + self._rng.expovariate(1 / seconds)

    def is_in_a_scuffle(self, now: float) -> bool:
        """Whether one is in the mood to fight whatever is near, though something else was wanted."""
        return now < self._scuffle_until

    def wish(self, view: AdventureView, scene: Scene, limits: Limits, every: float) -> Wish | None:
        """Return what is done instead of what was meant, None if nothing; it is asked ``every`` so many seconds."""
        if view.time < self._until and (self._is_fright or scene.nearest > STRIKE):
            return self._wish
        self._until = view.time
        rng = self._rng
        if scene.nearest < _CLOSE and rng.random() < limits.panic * every:
            self._is_fright = True
            self._stray(view.time, rng.uniform(0.2, 0.6), swing=rng.random() < 0.5)
        elif scene.nearest > NOTICE and rng.random() < limits.wandering * every:
            self._is_fright = False
            self._stray(view.time, rng.uniform(0.5, 2.5))
        elif scene.nearest > NOTICE and rng.random() < limits.pauses * every:
            self.pause(view.time, _THOUGHT)
        elif self._is_stuck(view):
            self._is_fright = False
            self._stray(view.time, 1.5)
        if rng.random() < limits.scuffles * every:
            self._scuffle_until = view.time + _SCUFFLE
        return self._wish if view.time < self._until else None

    def _stray(self, now: float, seconds: float, *, swing: bool = False) -> None:
        self._wish, self._until = Wish(self._rng.choice(DIRECTIONS), swing=swing), now + seconds

    def _is_stuck(self, view: AdventureView) -> bool:
        """Whether one has been on the same spot for long without fighting there: the last resort, see ``rescues``."""
        x, y, area = self._spot
        is_elsewhere = area != view.area or abs(x - view.x) + abs(y - view.y) > _SPOT
        if is_elsewhere or view.kills_left is not None or not view.instruction:
            self._spot, self._spot_since = (view.x, view.y, view.area), view.time
        elif view.time - self._spot_since > _STUCK:
            self._spot_since = view.time
            self.rescues += 1
            return True
        return False
