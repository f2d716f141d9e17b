"""A world of two rooms with a door and a window, just large enough for minds to be tested in."""

from dataclasses import dataclass, field
from pathlib import Path

import telos
from telos.agents.body import DONE, RUNNING, Animate, BodyState, Progress, Status, UseSmartObject
from telos.agents.character import Character
from telos.agents.memory import Fact, WorkingMemory
from telos.agents.mind import Mind
from telos.agents.procedure import Doer, Procedure
from telos.core.frozen import FrozenMap
from telos.core.trace import Trace, silent

DOMAIN = telos.load(Path(__file__).parents[2] / "examples/domains/held-door.yaml")
TAKES = {"open": 0.5, "kick": 0.8, "walk": 1.0, "dive": 0.7, "fire": 1.0, "strike": 0.4, "idle": 0.1}


@dataclass
class Yard:
    """The truth: what the door does is decided here, and not by anybody's plan."""

    held: bool = False  # somebody leans against the door
    place: str = "hall"
    door: str = "closed"
    near: bool = False
    target: str = "alive"
    loaded: bool = True
    time: float = 0.0
    doing: str = ""
    until: float = 0.0
    progress: Progress = DONE
    entered: list[BodyState] = field(default_factory=list)

    def enter(self, state: BodyState) -> None:
        self.entered.append(state)
        self.doing = state.use if isinstance(state, UseSmartObject) else getattr(state, "animation", "walk")
        self.until, self.progress = self.time + TAKES[self.doing], RUNNING

    def step(self, seconds: float = 0.1) -> None:
        self.time = round(self.time + seconds, 6)
        if self.progress is RUNNING and self.time >= self.until - 1e-9:
            self.progress = self._happens()

    def _happens(self) -> Progress:
        if self.doing in ("open", "kick") and self.held:
            return Progress(Status.FAILED, "the door holds")
        if self.doing in ("open", "kick"):
            self.door = "open"
        elif self.doing == "walk":
            self.place = "room"
        elif self.doing == "dive":
            self.place, self.near = "room", True
        elif self.doing in ("fire", "strike"):
            self.target = "dead"
        return DONE


class Eyes:
    """Everything that the body feels and sees."""

    cost = 1.0

    def __init__(self, yard: Yard) -> None:
        self.yard, self.readings = yard, 0

    def read(self, who: str, memory: WorkingMemory, now: float) -> list[Fact]:
        self.readings += 1
        yard = self.yard
        seen = {"place": yard.place, "door": yard.door, "next_to_enemy": yard.near, "target": yard.target}
        return [Fact("self", who, now, attributes=FrozenMap({**seen, "weapon_loaded": yard.loaded}))]


def believe(memory: WorkingMemory, now: float) -> dict[str, object]:
    seen = next(iter(memory.all_of("self", now)), None)
    failed = {fact.subject for fact in memory.all_of("failure", now)}
    return {
        **(dict(seen.attributes) if seen else {}),
        "door_blocked": "open-door" in failed,
        "kick_failed": "kick-door" in failed,
        "window_barred": "dive-through-window" in failed,
    }


class Does(Procedure):
    """Puts the body into one state, whatever the step."""

    def __init__(self, state: BodyState) -> None:
        self.state = state

    def activate(self, doer: Doer, step: telos.Action) -> BodyState:
        return self.state


PROCEDURES: dict[str, Procedure] = {
    "open-door": Does(UseSmartObject("door", "open")),
    "kick-door": Does(UseSmartObject("door", "kick")),
    "walk-in": Does(Animate("walk")),
    "dive-through-window": Does(UseSmartObject("window", "dive")),
    "shoot": Does(Animate("fire", "bert")),
    "melee": Does(Animate("strike", "bert")),
}
SOLDIER = Character("soldier", DOMAIN.goals, DOMAIN.actions, memory=FrozenMap({"failure": 20.0}))


def soldier(yard: Yard, *, trace: Trace = silent, procedures: dict[str, Procedure] | None = None) -> Mind:
    return Mind(
        "ann",
        SOLDIER,
        DOMAIN,
        body=yard,
        believe=believe,
        procedures=procedures or PROCEDURES,
        reflexes={"eyes": Eyes(yard)},
        trace=trace,
    )


def live(mind: Mind, yard: Yard, seconds: float) -> None:
    """Let time pass: the mind thinks, then the world moves."""
    for _ in range(round(seconds * 10)):
        mind.think(yard.time)
        yard.step()
