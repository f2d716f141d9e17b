"""The tape: every frame that was shown, so that one can go back to it."""

import zlib
from collections import deque

_BLOCK = 64  # frames that are packed together: neighbours are so alike that a block takes little more than two of them
MOST_FRAMES = 36_000  # twenty minutes of the adventure, about ten megabytes


class Tape:
    """Frames by number, from 0 on; the oldest are let go when there are too many.

    >>> tape = Tape(most=100)
    >>> for number in range(300):
    ...     tape.add(str(number).encode())
    >>> tape.first, tape.last, tape.frame(250)
    (192, 299, b'250')
    """

    def __init__(self, most: int = MOST_FRAMES) -> None:
        self._packed: deque[bytes] = deque(maxlen=max(1, most // _BLOCK))
        self._packed_away = 0  # blocks that were let go
        self._open: list[bytes] = []
        self._unpacked: tuple[int, list[bytes]] | None = None  # the block that was looked at last

    @property
    def first(self) -> int:
        """Return the number of the oldest frame that is kept."""
        return self._packed_away * _BLOCK

    @property
    def last(self) -> int:
        """Return the number of the newest frame; -1 on an empty tape."""
        return (self._packed_away + len(self._packed)) * _BLOCK + len(self._open) - 1

    def add(self, frame: bytes) -> None:
        """Keep one more frame."""
        self._open.append(frame)
        if len(self._open) == _BLOCK:
            self._packed_away += len(self._packed) == self._packed.maxlen
            self._packed.append(zlib.compress(b"\0".join(self._open), 1))  # no JSON has a zero byte in it
            self._open = []

    def frame(self, number: int) -> bytes:
        """Return a frame; the nearest one that is kept, if it is not."""
        number = min(max(number, self.first), self.last)
        block, at = divmod(number, _BLOCK)
        kept = block - self._packed_away
        if kept == len(self._packed):
            return self._open[at]
        if self._unpacked is None or self._unpacked[0] != block:
            self._unpacked = block, zlib.decompress(self._packed[kept]).split(b"\0")
        return self._unpacked[1][at]
