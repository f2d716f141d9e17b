"""The player's hands in the village: keys and words become one command a step."""

import math
from collections import deque
from collections.abc import Sequence

from telos.core.errors import TelosError
from telos.studio.drawing.forge_map import at
from telos.studio.stage import Inputs
from telos.worlds.forge.commands import GO, SAY, WAIT, deeds_of
from telos.worlds.forge.forge import PLAYER
from telos.worlds.forge.scene import Scene
from telos.worlds.forge.speech import utterance_of
from telos.worlds.forge.speech_files import the_utterances

_VECTORS = {"up": (0.0, -1.0), "down": (0.0, 1.0), "left": (-1.0, 0.0), "right": (1.0, 0.0)}
ARROWS = {"up": "↑", "down": "↓", "left": "←", "right": "→"}
KEYS = (
    ("ArrowUp", "up", "walk up the map"),
    ("ArrowDown", "down", "walk down"),
    ("ArrowLeft", "left", "walk left"),
    ("ArrowRight", "right", "walk right"),
    *((f"Digit{number}", str(number), f"do the thing with number {number}") for number in range(1, 10)),
)
_TOWARDS = 0.35  # the least cosine between an arrow and a way that it may mean
_MOST_WAITING = 20  # commands


class Hands:
    """Turns inputs into commands. A key counts when it goes down; an arrow that stays down leads on at each place."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._deeds = deeds_of(scene.world.domain, PLAYER)
        self._held: frozenset[str] = frozenset()
        self._waiting: deque[str] = deque(maxlen=_MOST_WAITING)

    def command(self, inputs: Inputs) -> str | None:
        """Return what the player does in this step, if it is anything new; words go before keys."""
        asked = [self._meant(line) for line in inputs.asked]
        if asked and not self._waiting:
            self._scene.world.check({PLAYER: asked[0]})
        self._waiting.extend(asked)
        held = frozenset(inputs.held.split("+")) - {""}
        pressed, self._held = held - self._held, held
        while self._waiting:
            command = self._waiting.popleft()
            if self._makes_sense(command):
                return command
        return self._by_key(pressed, held)

    def _meant(self, line: str) -> str:
        """Return a line as a command: what the companion would understand is said to it."""
        said = line.strip()
        verb = said.partition(" ")[0]
        if verb in (GO, SAY) or said == WAIT or said in self._deeds:
            return said
        if said.replace(" ", "-") in self._deeds:
            return said.replace(" ", "-")
        if utterance_of(said, the_utterances().values()) is not None:
            return f"{SAY} {said}"
        raise TelosError(
            f"cannot {said!r} here", f"`go PLACE`, `say WORDS`, or one of {', '.join(self.deeds()) or WAIT}"
        )

    def _makes_sense(self, command: str) -> bool:
        """Whether a command that had to wait for its turn can still be carried out."""
        try:
            self._scene.world.check({PLAYER: command})
        except TelosError:
            return False
        return True

    def _by_key(self, pressed: frozenset[str], held: frozenset[str]) -> str | None:
        deeds = self.deeds()
        for number, name in enumerate(deeds[:9], 1):
            if str(number) in pressed:
                return name
        person = self._scene.world.people[PLAYER]
        is_free = not person.is_walking and person.deed is None
        if pressed & _VECTORS.keys() or (is_free and held & _VECTORS.keys()):
            to = self.way(held & _VECTORS.keys())
            return None if to is None else f"{GO} {to}"
        return None

    def deeds(self) -> list[str]:
        """Return what the player's hands can do now, in the order of the number keys."""
        if self._scene.world.people[PLAYER].is_walking:
            return []
        state = self._scene.world.state_of(PLAYER)
        return [name for name, action in self._deeds.items() if action.is_possible(state)]

    def way(self, arrows: frozenset[str]) -> str | None:
        """Return the place beside the present one, or the next one, that lies in the direction of some arrows."""
        right = sum(_VECTORS[arrow][0] for arrow in arrows)
        down = sum(_VECTORS[arrow][1] for arrow in arrows)
        if not (right or down):
            return None
        village, here = self._scene.world.village, self._scene.world.people[PLAYER].heading
        x, y = at(*village.places[here])
        best: tuple[float, str] | None = None
        for name in village.ways[here]:
            u, v = at(*village.places[name])
            cosine = ((u - x) * right + (v - y) * down) / math.hypot(u - x, v - y) / math.hypot(right, down)
            if cosine >= _TOWARDS and (best is None or cosine > best[0]):
                best = cosine, name
        return None if best is None else best[1]

    def ways(self) -> dict[str, str]:
        """Return which place each arrow leads to, for a player who stands somewhere with nothing to do."""
        person = self._scene.world.people[PLAYER]
        if person.is_walking or person.deed is not None:
            return {}
        found = {arrow: self.way(frozenset({arrow})) for arrow in ARROWS}
        return {arrow: name for arrow, name in found.items() if name is not None}

    def commands(self) -> Sequence[str]:
        """Return what may be told to the player now: places, deeds, and words."""
        here = self._scene.world.people[PLAYER].heading
        near = [f"{GO} {name}" for name in self._scene.world.village.ways[here]]
        far = [f"{GO} {name}" for name in self._scene.world.village.places if name != here]
        friend = self._scene.companion is not None
        words = [f"{SAY} {each.says[0]}" for each in the_utterances().values()] if friend else []
        return list(dict.fromkeys([*self.deeds(), *near, *far, *words]))
