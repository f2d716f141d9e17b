"""Scene loop and views."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap
from telos.worlds.forge.companion import READERS, Companion, foreseen
from telos.worlds.forge.domain import PLANS
from telos.worlds.forge.forge import COMPANION, PLAYER, STEP, Forge
from telos.worlds.forge.player import Limits, SimulatedPlayer
from telos.worlds.forge.trace import Did, Opened, Said, Started
from telos.worlds.forge.views import ForgeView

# --- scene view -------------------------------------------------------------------------------------------------------
# What can be seen of the scene: the village, and what goes on in the heads of the two.


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


# --- scene ------------------------------------------------------------------------------------------------------------
# The scene: the village with a player, simulated or commanded, and the companion, who acts by itself.


COMPANIONS = (*READERS, "waits", "none")
LONGEST = 900.0  # seconds; a door that is shut by then stays shut

AFTER = 1.5  # seconds that are looked on when the door is open


class Scene:
    """One evening at the locked door. It is a world of its own, in which the player alone is commanded.

    ``plan`` is the simulated player's; with None nobody moves the player but the commands. A command to a simulated
    player is obeyed like any other, and the player goes on from there.

    >>> scene = Scene(plan="force", companion="waits", seed=3)
    >>> for _ in scene.moments():
    ...     pass
    >>> scene.view().village.opened
    'by_force'
    """

    def __init__(
        self,
        plan: str | None = None,
        companion: str = "reads",
        *,
        seed: int = 0,
        limits: Limits | None = None,
        trace: Trace = silent,
    ) -> None:
        self.plan = _known("plan", plan, PLANS) if plan is not None else None
        self.mode = _known("companion", companion, COMPANIONS)
        self.limits, self.trace = limits, trace
        self.world = Forge(companion=companion != "none")
        self.reset(seed)

    @property
    def pace(self) -> float:
        """Return the seconds of a step."""
        return STEP

    def reset(self, seed: int) -> None:
        """Start afresh; one seed fixes the player's limits, and all that is left to chance."""
        self.world.reset(seed)
        self.seed = seed
        self.companion, self.player = self._companion(), self._player()
        self.said: list[tuple[float, str, str]] = []
        self._is_begun = False

    def _companion(self) -> Companion | None:
        if self.mode == "none":
            return None
        reader = READERS[self.mode](self.world) if self.mode in READERS else None
        return Companion(self.world, reader, Random(f"companion {self.seed}"), trace=self._note)

    def _player(self) -> SimulatedPlayer | None:
        if self.plan is None:
            return None
        drawn = Limits.drawn(self.plan, Random(f"limits {self.seed}"))
        rng = Random(f"player {self.seed}")
        return SimulatedPlayer(self.world, self.plan, self.limits or drawn, rng, trace=self._note)

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened in the last step, oldest first."""
        return self.world.events

    @property
    def is_over(self) -> bool:
        """Whether the door is open, or it has become too late for that."""
        return self.world.is_over or self.world.time >= LONGEST

    def step(self, commands: Mapping[str, str]) -> None:
        """Let everybody decide, the player as commanded, and half a second pass."""
        for name in commands:
            if name != PLAYER:
                raise TelosError(f"{name!r} cannot be commanded here", name_hint(name, [PLAYER]))
        self.world.check(commands)  # nobody thinks about a moment that does not come
        self._begin()
        now, given = self.world.time, dict(commands)
        if not given and self.player is not None:
            decided = self.player.decide(now)
            given = {} if decided is None else {PLAYER: decided}
        if self.companion is not None:
            command = self.companion.think(now)
            given |= {} if command is None else {COMPANION: command}
        self.world.step(given)
        self._take_in()

    def moments(self, longest: float = LONGEST) -> Iterator[SceneView]:
        """Play until the door is open and a word was said about it; yield the view after every step."""
        while not self.is_over and self.world.time < longest:
            self.step({})
            yield self.view()
        for _ in range(round(AFTER / STEP) if self.companion is not None else 0):
            self.step({})
            yield self.view()

    def view(self) -> SceneView:
        """Return what can be seen now, of heads too."""
        return SceneView.of(self.world, self.companion, self.player, tuple(self.said))

    def _begin(self) -> None:
        if not self._is_begun:
            self._is_begun = True
            self._note(Started(0.0, "forge", self.seed, self.plan, self.mode))

    def _take_in(self) -> None:
        """Tell what happened, and let everybody hear and see it."""
        for event in self.world.events:
            self._tell(event)
        if self.companion is not None:
            self.companion.watch(self.world.events)
            if self.player is not None:
                self.player.count_on(self.companion.promise, self.world.time)

    def _tell(self, event: Event) -> None:
        if event.action == "say":
            text = str(event.context["text"])
            self.said.append((event.time, event.player, text))
            self._note(Said(event.time, event.player, text))
        elif event.goal is not None:
            asked = 0 if self.player is None else self.player.asked
            self._note(Opened(event.time, event.player, event.goal, asked))
        else:
            self._note(Did(event.time, event.player, event.action, str(event.context.get("at", ""))))

    def _note(self, record: object) -> None:
        self.trace(record)  # looked up each time: whoever watches may come later


def _known(what: str, name: str, among: tuple[str, ...]) -> str:
    if name not in among:
        raise TelosError(f"there is no {what} {name!r}", name_hint(name, among))
    return name
