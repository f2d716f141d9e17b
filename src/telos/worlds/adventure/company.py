"""Those with minds in the area that the player is in: its monsters, and the companion."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from telos.agents.mind import Mind
from telos.core.trace import Trace, silent
from telos.worlds.adventure.beast import Beast
from telos.worlds.adventure.beast_senses import BLADE
from telos.worlds.adventure.companion import Companion
from telos.worlds.adventure.minds import COMPANION
from telos.worlds.adventure.play import Play

CROWD = 16  # of more monsters than these, the others walk through each other: every pair is looked at in every frame


class Company:
    """Who is there, beside the flat lists of the game: ``beasts[i]`` stands at ``xs[i]``, ``ys[i]``."""

    def __init__(self, play: Play, *, trace: Trace = silent) -> None:
        self._play, self.trace = play, trace
        self.beasts: list[Beast] = []
        self._number = 0  # monsters that have appeared since the player came
        rules = play.rules.companion
        self.companion = None if rules is None else Companion(play, rules, trace=trace)

    @property
    def minds(self) -> dict[str, Mind]:
        """Return the minds that there are, by name; the companion's first."""
        minds = {} if self.companion is None else {COMPANION: self.companion.mind}
        return minds | {beast.name: beast.mind for beast in self.beasts}

    def settle(self) -> None:
        """Give minds to the monsters of an area that the player has just come to."""
        self.beasts, self._number = [], 0
        for x, y in zip(self._play.xs, self._play.ys, strict=True):
            self.join(x, y)

    def join(self, x: float, y: float) -> None:
        """Give a mind to a monster that has just appeared."""
        kinds = self._play.rules.monsters.kinds
        kind = kinds[self._number % len(kinds)]
        self._number += 1
        self.beasts.append(Beast(self._play, kind, self._number, x, y, trace=self.trace))

    def lose(self, i: int) -> None:
        """Let a monster go that was killed."""
        beast = self.beasts.pop(i)
        if self.companion is not None:
            self.companion.mind.memory.forget("monster", beast.name)

    def come_along(self, x: float, y: float) -> None:
        """Let the companion follow the player, who left the last area at ``x``, ``y``."""
        if self.companion is not None:
            square = (self.companion.x - x) ** 2 + (self.companion.y - y) ** 2
            self.companion.come_along(square**0.5)

    def alarm(self) -> None:
        """Let those near a sword that is being swung think about it at once."""
        play = self._play
        for beast in self.beasts:
            if (beast.x - play.x) ** 2 + (beast.y - play.y) ** 2 <= BLADE * BLADE:
                beast.next_thought = play.frame

    def live(self) -> None:
        """Let everybody think and move for one frame."""
        play = self._play
        frame, xs, ys = play.frame, play.xs, play.ys
        for beast in self.beasts:
            beast.live(frame)
        self._make_room()
        for i, beast in enumerate(self.beasts):
            xs[i], ys[i] = beast.x, beast.y
        if self.companion is not None:
            self.companion.live(frame)

    def _make_room(self) -> None:
        """Push monsters apart that stand on each other: all who hunt would be one monster to look at."""
        size = self._play.rules.monsters.size
        for one, other in combinations(self.beasts[:CROWD], 2):
            across, down = other.x - one.x, other.y - one.y
            if -size < across < size and -size < down < size:
                push = 0.5 if across >= 0 else -0.5, 0.5 if down >= 0 else -0.5
                one.shift(-push[0], -push[1])
                other.shift(*push)

    def is_harmless(self, i: int) -> bool:
        """Whether a monster is stunned: its touch does nothing then."""
        return self.beasts[i].stunned > 0

    def save(self) -> dict[str, Any]:
        """Return all that changes as plain data."""
        companion = None if self.companion is None else self.companion.save()
        return {"number": self._number, "beasts": [beast.save() for beast in self.beasts], "companion": companion}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go on from what was saved; the monsters of the game are those of the company."""
        play = self._play
        self._number = saved["number"]
        self.beasts = [Beast.restored(play, each, trace=self.trace) for each in saved["beasts"]]
        play.xs, play.ys = [beast.x for beast in self.beasts], [beast.y for beast in self.beasts]
        if self.companion is not None:
            self.companion.restore(saved["companion"])
