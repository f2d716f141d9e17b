"""Hands: what is wanted of them comes late, sometimes wrong, and one key after the other."""

import math
from random import Random
from typing import NamedTuple

from telos.studies.players.presets import Limits
from telos.worlds.adventure.directions import DIRECTIONS, PARTS, STOP, VECTORS, Keys, keys_text
from telos.worlds.adventure.rules import FRAMES_A_SECOND

_SECTOR = 45.0  # degrees between one direction and the next


class Wish(NamedTuple):
    """What the hands shall do: hold a direction, or tap it, and swing the sword or not."""

    direction: str = STOP
    swing: bool = False
    tap: bool = False  # only to turn: let go at once


class Hands:
    """Holds keys. What is wanted of them happens a reaction time later, and meanwhile more may be asked of them.

    >>> hands = Hands(Random(1))
    >>> calm = Limits(*[0.1, 0.0] + [0.0] * 13)
    >>> hands.want(Wish("up"), calm)
    >>> [hands.keys() for _ in range(4)]
    ['', '', 'up', 'up']
    """

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._held = Keys()
        self._queue: list[tuple[int, Keys]] = []  # what will be held from which frame on, soonest first
        self._frame = 0
        self._free_at = 0
        self.responses = self.slips = 0  # what they did so far, and how often it was something else than wanted

    @property
    def are_free(self) -> bool:
        """Whether a new wish would be taken in."""
        return self._frame >= self._free_at

    @property
    def bound_for(self) -> str:
        """Return the direction that will be held when all that was asked is done."""
        return self._queue[-1][1].direction if self._queue else self._held.direction

    def path(self, ahead: float) -> tuple[float, float]:
        """Return how far one will get in so many frames, in steps across and down: one knows what the hands will do."""
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
        return keys_text(self._held)

    def want(self, wish: Wish, limits: Limits, *, halts: bool = False) -> None:
        """Take in a wish, unless it is under way already; ``halts``: let go of all keys before a turn."""
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
            if wish.tap and direction != STOP:  # turn, let go, and strike where one stands
                due, direction = self._then(due, Keys(direction), limits.tap / 2), STOP
            due = self._then(due, Keys(direction, swing=True), limits.tap)
            self._queue.append((due, Keys(direction)))
        elif wish.tap:
            due = self._then(due, Keys(direction), limits.tap)
            self._queue.append((due, Keys()))
        else:
            self._queue.append((due, Keys(direction)))

    def _then(self, due: int, keys: Keys, seconds: float) -> int:
        """Hold keys for a while, and return when that is over."""
        self._queue.append((due, keys))
        return due + frames(seconds)

    def _reaction(self, limits: Limits) -> float:
        return limits.reaction * math.exp(self._rng.gauss(0.0, limits.reaction_spread))

    def _aimed(self, direction: str, limits: Limits) -> str:
        """Return the direction that is really pressed."""
        if direction == STOP or not limits.aim:
            return direction
        off = round(self._rng.gauss(0.0, limits.aim) / _SECTOR)
        return DIRECTIONS[(DIRECTIONS.index(direction) + off) % len(DIRECTIONS)]


def frames(seconds: float) -> int:
    """Return how many frames a time is, at least one.

    >>> frames(0.1), frames(0.0)
    (3, 1)
    """
    return max(1, round(seconds * FRAMES_A_SECOND))


def _rolled(before: str, after: str) -> tuple[str, ...]:
    """Return what is held for a moment on the way: of the two keys of a diagonal, one is first and one is last."""
    old, new = PARTS[before], PARTS[after]
    if len(new) == 2 and len(old) != 1:
        return (next((part for part in new if part in old), new[0]),) if old != new else ()
    if len(new) == 2 and old[0] not in new:
        return (new[0],)
    if len(old) == 2 and not new:
        return (old[0],)
    return ()
