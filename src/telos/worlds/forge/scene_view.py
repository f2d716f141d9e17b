"""What can be seen of the scene: the village, and what goes on in the heads of the two."""

from dataclasses import dataclass

from telos.core.frozen import FrozenMap
from telos.worlds.forge.companion import Companion
from telos.worlds.forge.forge import PLAYER, Forge
from telos.worlds.forge.player import SimulatedPlayer
from telos.worlds.forge.readers import foreseen
from telos.worlds.forge.views import ForgeView


@dataclass(frozen=True, slots=True)
class SceneView:
    """The village; the player's plan; the companion's belief, reading, goal and steps; and what was said last."""

    village: ForgeView
    plan: str | None
    steps: tuple[str, ...]
    belief: FrozenMap[str, float]
    reading: str | None
    expects: tuple[str, float] | None  # what the player will do next, and how likely that is, if it can tell
    goal: str | None
    todo: tuple[str, ...]
    heard: FrozenMap[str, float]  # what the last utterance may have meant
    said: tuple[tuple[float, str, str], ...]

    @property
    def time(self) -> float:
        """The moment, in seconds."""
        return self.village.time

    @property
    def players(self) -> tuple[str, ...]:
        """Who may be commanded."""
        return (PLAYER,)

    @classmethod
    def of(
        cls,
        world: Forge,
        companion: Companion | None,
        player: SimulatedPlayer | None,
        said: tuple[tuple[float, str, str], ...],
    ) -> "SceneView":
        """Look at everybody."""
        belief: FrozenMap[str, float] = FrozenMap()
        heard: FrozenMap[str, float] = FrozenMap()
        if companion is not None and companion.reader is not None:
            belief = FrozenMap(companion.reader.belief)
        if companion is not None and companion.heard is not None:
            heard = FrozenMap({each.means: each.chance for each in companion.heard.options})
        mind = None if companion is None else companion.mind
        return cls(
            village=world.view(),
            plan=None if player is None else player.plan,
            steps=() if player is None else player.steps,
            belief=belief,
            reading=None if companion is None else companion.reading,
            expects=None if companion is None else foreseen(companion.reader),
            goal=None if mind is None else mind.goal,
            todo=() if mind is None else mind.steps[mind.index :],
            heard=heard,
            said=said[-4:],
        )
