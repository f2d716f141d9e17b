"""How a simulated player acts: delayed and imprecise input, fighting, and lapses."""

import math
from random import Random
from typing import NamedTuple

from telos.studies.players.navigation import NOTICE, Foe, Scene, eighth, quarter
from telos.studies.players.presets import Limits
from telos.worlds.adventure.map import DIRECTIONS, PARTS, STOP, VECTORS, Keys, format_keys
from telos.worlds.adventure.rules import FRAMES_A_SECOND
from telos.worlds.adventure.views import AdventureView

# --- delayed input ----------------------------------------------------------------------------------------------------


_SECTOR = 45.0  # degrees between one direction and the next


class Wish(NamedTuple):
    """A desired input: hold or tap a direction, with or without a sword swing."""

    direction: str = STOP
    swing: bool = False
    tap: bool = False  # only to turn: let go at once


class DelayedInput:
    """Holds keys; a desired input takes effect a reaction time later, and more can be queued meanwhile.

    >>> hands = DelayedInput(Random(1))
    >>> calm = Limits(*[0.1, 0.0] + [0.0] * 13)
    >>> hands.want(Wish("up"), calm)
    >>> [hands.keys() for _ in range(4)]
    ['', '', 'up', 'up']
    """

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._held = Keys()
        self._queue: list[tuple[int, Keys]] = []  # (frame, keys held from it on), soonest first
        self._frame = 0
        self._free_at = 0
        self.responses = self.slips = 0  # counts of responses, and of wrong ones

    @property
    def are_free(self) -> bool:
        """Whether a new input would be accepted."""
        return self._frame >= self._free_at

    @property
    def bound_for(self) -> str:
        """Return the direction held after all queued inputs."""
        return self._queue[-1][1].direction if self._queue else self._held.direction

    def path(self, ahead: float) -> tuple[float, float]:
        """Return the movement over the next ``ahead`` frames by the queued inputs, in steps across and down."""
        across = down = 0.0
        now, end, direction = float(self._frame), self._frame + ahead, self._held.direction
        for due, keys in (*self._queue, (math.inf, self._held)):
            right, below = VECTORS[direction]
            frames_held = max(0.0, min(float(due), end) - now)
            across, down = across + right * frames_held, down + below * frames_held
            now, direction = max(now, min(float(due), end)), keys.direction
        return across, down

    def keys(self) -> str:
        """Return the input of the next frame."""
        self._frame += 1
        while self._queue and self._queue[0][0] <= self._frame:
            self._held = self._queue.pop(0)[1]
        return format_keys(self._held)

    def want(self, wish: Wish, limits: Limits, *, halts: bool = False) -> None:
        """Queue an input unless it is under way already; ``halts`` releases all keys before a turn."""
        before = self.bound_for
        if wish.direction == before and not wish.swing:
            return
        direction = self._aimed(wish.direction, limits)
        self.responses += 1
        self.slips += direction != wish.direction
        self._free_at = self._frame + frames(limits.refractory)
        due = max(self._frame + frames(self._reaction(limits)), self._queue[-1][0] + 1 if self._queue else 0)
        if halts and STOP not in (before, direction) and before != direction:
            due = self._then(due, Keys(), limits.tap)
            before = STOP
        for part in _rolled(before, direction):
            due = self._then(due, Keys(part), self._rng.expovariate(1 / limits.rollover) if limits.rollover else 0.0)
        if wish.swing:
            if wish.tap and direction != STOP:  # turn, release, and strike without moving
                due, direction = self._then(due, Keys(direction), limits.tap / 2), STOP
            due = self._then(due, Keys(direction, swing=True), limits.tap)
            self._queue.append((due, Keys(direction)))
        elif wish.tap:
            due = self._then(due, Keys(direction), limits.tap)
            self._queue.append((due, Keys()))
        else:
            self._queue.append((due, Keys(direction)))

    def _then(self, due: int, keys: Keys, seconds: float) -> int:
        """Queue keys for some seconds and return the frame at which they end."""
        self._queue.append((due, keys))
        return due + frames(seconds)

    def _reaction(self, limits: Limits) -> float:
        return limits.reaction * math.exp(self._rng.gauss(0.0, limits.reaction_spread))

    def _aimed(self, direction: str, limits: Limits) -> str:
        """Return the direction actually pressed, with aiming error."""
        if direction == STOP or not limits.aim:
            return direction
        off = round(self._rng.gauss(0.0, limits.aim) / _SECTOR)
        return DIRECTIONS[(DIRECTIONS.index(direction) + off) % len(DIRECTIONS)]


def frames(seconds: float) -> int:
    """Return a time in frames, at least one.

    >>> frames(0.1), frames(0.0)
    (3, 1)
    """
    return max(1, round(seconds * FRAMES_A_SECOND))


def _rolled(before: str, after: str) -> tuple[str, ...]:
    """Return the intermediate keys of a change: the two keys of a diagonal are not pressed at the same time."""
    old, new = PARTS[before], PARTS[after]
    if len(new) == 2 and len(old) != 1:
        return (next((part for part in new if part in old), new[0]),) if old != new else ()
    if len(new) == 2 and old[0] not in new:
        return (new[0],)
    if len(old) == 2 and not new:
        return (old[0],)
    return ()


# --- fighting one monster ---------------------------------------------------------------------------------------------


STRIKE = 68.0  # pixels ahead within which a swing that starts now hits
_ON_THE_RUN = 105.0  # the same while walking: both approach during the swing
_HALT = 140.0  # pixels; a player who stands to fight stops at this distance
_LANE = 20.0  # pixels beside the line of the sword, a little less than it is wide
_EARLY = 105.0  # pixels; so far ahead there is time to turn first and swing later


class Stance(NamedTuple):
    """How the player fights at the moment."""

    stands: bool  # stops to swing
    waits: bool  # lets the monster come
    four_ways: bool  # the sword does not go along diagonals


def fence(foe: Foe, sword: str, stance: Stance) -> Wish | None:
    """Return the input to fight a monster; None if it cannot be hit from here and the player should retreat.

    >>> stance = Stance(stands=True, waits=True, four_ways=True)
    >>> fence(Foe(60, 60, 5), "right", stance)
    Wish(direction='stop', swing=True, tap=True)
    >>> fence(Foe(150, 150, 5), "up", stance)
    Wish(direction='right', swing=False, tap=True)
    """
    way = quarter(foe.across, foe.down) if stance.four_ways else eighth(foe.across, foe.down)
    right, below = VECTORS[way]
    along, beside = foe.across * right + foe.down * below, foe.across * below - foe.down * right
    # It approaches in a straight line, so its offset from the sword line shrinks with its distance.
    if abs(beside) * min(1.0, STRIKE / max(along, 1.0)) > _LANE:
        return _line_up(foe, way) if along > _EARLY else None
    if along <= (STRIKE if stance.stands else _ON_THE_RUN):
        return Wish(STOP if stance.stands and sword == way else way, swing=True, tap=stance.stands)
    if not stance.stands or (along > _HALT and not stance.waits):
        return Wish(way)
    return Wish(way, tap=True) if sword != way and along > _EARLY else Wish()


def stand(foe: Foe, sword: str, *, four_ways: bool) -> Wish:
    """Return the input to fight a monster without a step: turn to it while it is far, swing when it is in reach.

    >>> stand(Foe(60, 60, 5), "right", four_ways=True), stand(Foe(60, 40, 45), "right", four_ways=True)
    (Wish(direction='stop', swing=True, tap=True), Wish(direction='stop', swing=False, tap=False))
    """
    wish = fence(foe, sword, Stance(stands=True, waits=True, four_ways=four_ways))
    return wish if wish is not None and (wish.swing or wish.tap) else Wish()


def _line_up(foe: Foe, way: str) -> Wish:
    """Step sideways until the monster is in line with the sword."""
    if way in ("left", "right"):
        return Wish("down" if foe.down > 0 else "up")
    return Wish("right" if foe.across > 0 else "left")


# --- lapses: pauses, panic, wandering ---------------------------------------------------------------------------------


LOOK = 2  # frames from one look at the screen to the next
EVERY = LOOK / FRAMES_A_SECOND
_CLOSE = 70.0  # pixels; a monster that near can frighten
_THOUGHT = 0.6  # seconds, the mean of a moment of thought
_SCUFFLE = 2.0  # seconds
STROLL = (0.5, 2.5)  # seconds in one direction, for who wanders
_STUCK = 25.0  # seconds on one spot
_SPOT = 60.0  # pixels


class Lapses:
    """Involuntary behaviour of a player, and how long it lasts."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._wish, self._until, self._scuffle_until = Wish(), 0.0, 0.0
        self._is_fright = False
        self._spot, self._spot_since = (0.0, 0.0, ""), 0.0
        self.rescues = 0  # how often a random walk was needed to leave a spot

    def pause(self, now: float, seconds: float) -> None:
        """Release all keys for a while, ``seconds`` on average: to think, to read, or after dying."""
        self._wish, self._is_fright, self._until = Wish(), False, now + self._rng.expovariate(1 / seconds)

    def is_in_a_scuffle(self, now: float) -> bool:
        """Whether the player fights nearby monsters although the goal is another one."""
        return now < self._scuffle_until

    def wish(self, view: AdventureView, scene: Scene, limits: Limits, every: float) -> Wish | None:
        """Return an involuntary input, or None; the method is called once every ``every`` seconds."""
        if view.time < self._until and (self._is_fright or scene.nearest > STRIKE):
            return self._wish
        self._until = view.time
        rng = self._rng
        if scene.nearest < _CLOSE and rng.random() < limits.panic * every:
            self._is_fright = True
            self._stray(view.time, rng.uniform(0.2, 0.6), swing=rng.random() < 0.5)
        elif scene.nearest > NOTICE and rng.random() < limits.wandering * every:
            self._is_fright = False
            self._stray(view.time, rng.uniform(*STROLL))
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
        """Whether the player has long been on one spot without fighting; counted in ``rescues``."""
        x, y, area = self._spot
        is_elsewhere = area != view.area or abs(x - view.x) + abs(y - view.y) > _SPOT
        if is_elsewhere or view.kills_left is not None or not view.instruction:
            self._spot, self._spot_since = (view.x, view.y, view.area), view.time
        elif view.time - self._spot_since > _STUCK:
            self._spot_since = view.time
            self.rescues += 1
            return True
        return False
