"""The scene: the village with a player, simulated or commanded, and the companion, step by step."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap
from telos.worlds.forge.companion import READERS, ForgeCompanion, predict_action
from telos.worlds.forge.domain import PLANS
from telos.worlds.forge.forge import COMPANION, PLAYER, STEP, Forge
from telos.worlds.forge.player import PlayerLimits, SimulatedPlayer
from telos.worlds.forge.trace import DoorOpened, ForgeAction, ForgeSpeech, ForgeStarted
from telos.worlds.forge.views import ForgeView

COMPANIONS = (*READERS, "waits", "none")
MAX_SECONDS = 900.0  # seconds until the scene ends without success
SECONDS_AFTER = 1.5  # seconds shown after the door is open


@dataclass(frozen=True, slots=True)
class ForgeSceneView:
    """The village, the player's plan, and the companion's belief, goal, plan and understanding."""

    village: ForgeView
    plan: str | None
    steps: tuple[str, ...]
    belief: FrozenMap[str, float]
    reading: str | None
    expects: tuple[str, float] | None  # the predicted next action and its probability
    goal: str | None
    todo: tuple[str, ...]
    heard: FrozenMap[str, float]  # the possible meanings of the last utterance
    said: tuple[tuple[float, str, str], ...]

    @property
    def time(self) -> float:
        return self.village.time

    @property
    def players(self) -> tuple[str, ...]:
        return (PLAYER,)

    @classmethod
    def create(
        cls,
        world: Forge,
        companion: ForgeCompanion | None,
        player: SimulatedPlayer | None,
        said: tuple[tuple[float, str, str], ...],
    ) -> "ForgeSceneView":
        """Return the view of a scene."""
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
            expects=None if companion is None else predict_action(companion.reader),
            goal=None if mind is None else mind.goal,
            todo=() if mind is None else mind.steps[mind.index :],
            heard=heard,
            said=said[-4:],
        )


class ForgeScene:
    """A world in which only the player is commanded; the companion acts by itself.

    ``plan`` is the simulated player's; None: only commands move the player. A simulated player follows a command like
    any other and continues from there.

    >>> scene = ForgeScene(plan="force", companion="waits", seed=3)
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
        limits: PlayerLimits | None = None,
        trace: Trace = silent,
    ) -> None:
        self.plan = _known("plan", plan, PLANS) if plan is not None else None
        self.mode = _known("companion", companion, COMPANIONS)
        self.limits, self.trace = limits, trace
        self.world = Forge(companion=companion != "none")
        self.reset(seed)

    @property
    def pace(self) -> float:
        """The seconds per step."""
        return STEP

    def reset(self, seed: int) -> None:
        """Start again; the seed determines the player's limits and all random choices."""
        self.world.reset(seed)
        self.seed = seed
        self.companion, self.player = self._companion(), self._player()
        self.said: list[tuple[float, str, str]] = []
        self._has_started = False

    def _companion(self) -> ForgeCompanion | None:
        if self.mode == "none":
            return None
        reader = READERS[self.mode](self.world) if self.mode in READERS else None
        return ForgeCompanion(self.world, reader, Random(f"companion {self.seed}"), trace=self._record)

    def _player(self) -> SimulatedPlayer | None:
        if self.plan is None:
            return None
        drawn = PlayerLimits.draw(self.plan, Random(f"limits {self.seed}"))
        rng = Random(f"player {self.seed}")
        return SimulatedPlayer(self.world, self.plan, self.limits or drawn, rng, trace=self._record)

    @property
    def events(self) -> tuple[Event, ...]:
        """The events of the last step, oldest first."""
        return self.world.events

    @property
    def is_over(self) -> bool:
        """Whether the door is open or the time is up."""
        return self.world.is_over or self.world.time >= MAX_SECONDS

    def step(self, commands: Mapping[str, str]) -> None:
        """Let everybody decide, the player as commanded, and advance by half a second."""
        for name in commands:
            if name != PLAYER:
                raise TelosError(f"{name!r} cannot be commanded here", name_hint(name, [PLAYER]))
        self.world.check(commands)  # before anybody has decided
        self._start()
        now, given = self.world.time, dict(commands)
        if not given and self.player is not None:
            decided = self.player.decide(now)
            given = {} if decided is None else {PLAYER: decided}
        if self.companion is not None:
            command = self.companion.think(now)
            given |= {} if command is None else {COMPANION: command}
        self.world.step(given)
        self._publish()

    def moments(self, longest: float = MAX_SECONDS) -> Iterator[ForgeSceneView]:
        """Play until the door is open and the companion has commented on it; yield the view after every step."""
        while not self.is_over and self.world.time < longest:
            self.step({})
            yield self.view()
        for _ in range(round(SECONDS_AFTER / STEP) if self.companion is not None else 0):
            self.step({})
            yield self.view()

    def view(self) -> ForgeSceneView:
        """Return the visible state, minds included."""
        return ForgeSceneView.create(self.world, self.companion, self.player, tuple(self.said))

    def _start(self) -> None:
        if not self._has_started:
            self._has_started = True
            self._record(ForgeStarted(0.0, "forge", self.seed, self.plan, self.mode))

    def _publish(self) -> None:
        """Publish the events of the step to the trace, the companion and the player."""
        for event in self.world.events:
            self._emit(event)
        if self.companion is not None:
            self.companion.watch(self.world.events)
            if self.player is not None:
                self.player.count_on(self.companion.promise, self.world.time)

    def _emit(self, event: Event) -> None:
        if event.action == "say":
            text = str(event.context["text"])
            self.said.append((event.time, event.player, text))
            self._record(ForgeSpeech(event.time, event.player, text))
        elif event.goal is not None:
            asked = 0 if self.player is None else self.player.asked
            self._record(DoorOpened(event.time, event.player, event.goal, asked))
        else:
            self._record(ForgeAction(event.time, event.player, event.action, str(event.context.get("at", ""))))

    def _record(self, record: object) -> None:
        self.trace(record)  # looked up each time: a spectator may come later


def _known(what: str, name: str, among: tuple[str, ...]) -> str:
    if name not in among:
        raise TelosError(f"there is no {what} {name!r}", name_hint(name, among))
    return name
