"""Toy worlds for minds: two rooms with a door and a window, and a camp with many people in it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import telos
from telos.agents.body import DONE, RUNNING, Actor, Animate, BodyState, Procedure, Progress, Status, UseSmartObject
from telos.agents.character import Character
from telos.agents.memory import Fact, WorkingMemory
from telos.agents.mind import Mind
from telos.agents.mind_schedule import MindSchedule
from telos.agents.sensors import SensorSchedule
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap
from telos.planning.planner import Planner
from telos.planning.scheduler import Scheduler

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
        if self.progress == RUNNING and self.time >= self.until - 1e-9:
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

    def activate(self, doer: Actor, step: telos.Action) -> BodyState:
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


# --- a camp: many minds, long searches, and chance ----------------------------------------------------------------

SECONDS = {"gather": 0.4, "chop": 0.6, "light": 0.3, "hide": 0.5, "rest": 0.7, "idle": 0.1}


def camp_domain(path_is_clear: Callable[[], bool] = lambda: True) -> telos.Domain:
    """A fire takes five pieces of wood of whatever kind: the estimate knows nothing of a sum, so searches are long."""
    return telos.Domain(
        "camp",
        variables=[
            telos.Variable("twigs", "int"),
            telos.Variable("logs", "int"),
            telos.Variable("lit", "bool"),
            telos.Variable("bell", "bool"),
            telos.Variable("hidden", "bool"),
            telos.Variable("rested", "bool"),
        ],
        actions=[
            telos.Action("gather", effects="twigs += 1"),
            telos.Action("chop", preconditions="path_is_clear()", effects="logs += 1", cost=0.9),
            telos.Action("light", preconditions="twigs + logs == 5", effects="lit = true"),
            telos.Action("hide", effects="hidden = true"),
            telos.Action("rest", effects="rested = true"),
        ],
        goals=[
            telos.Goal("shelter", wants="hidden", relevant="bell", priority=5),
            telos.Goal("warmth", wants="lit", priority=2),
            telos.Goal("sleep", wants="rested", priority=1),
        ],
        functions={"path_is_clear": path_is_clear},
    )


@dataclass
class Camper:
    """The body of one of them."""

    camp: "Camp"
    twigs: int = 0
    logs: int = 0
    lit: bool = False
    hidden: bool = False
    rested: bool = False
    doing: str = ""
    until: float = 0.0
    status: str = "done"
    reason: str = ""

    @property
    def progress(self) -> Progress:
        return Progress(Status(self.status), self.reason)

    def enter(self, state: BodyState) -> None:
        assert isinstance(state, Animate)
        self.doing, self.until = state.animation, self.camp.time + SECONDS[state.animation]
        self.status, self.reason = "running", ""

    def finish(self, rng: Random) -> None:
        if self.doing == "chop" and rng.random() < 0.3:
            self.status, self.reason = "failed", "the axe slips"
            return
        self.status = "done"
        match self.doing:
            case "gather":
                self.twigs += 1
            case "chop":
                self.logs += 1
            case "light":
                self.lit, self.twigs, self.logs = True, 0, 0
            case "hide":
                self.hidden = True
            case "rest":
                self.rested = True


CAMPER = ("twigs", "logs", "lit", "hidden", "rested", "doing", "until", "status", "reason")


class Camp:
    """The truth about a camp. One seed decides when the bell rings, when fires go out, and whose axe slips."""

    cost = 1.0  # it is the campers' eyes, too, and their readings are counted

    def __init__(self, size: int, seed: int, *, fog: float = 0.0) -> None:
        self.rng, self.frame, self.readings, self.clear = Random(seed), 0, 0, True
        self.fog = fog  # how likely it is in a frame that the path is clear no longer, or again
        self.campers = {f"camper-{number}": Camper(self) for number in range(size)}

    @property
    def time(self) -> float:
        return self.frame / 10

    def path_is_clear(self) -> bool:
        return self.clear

    def read(self, who: str, memory: WorkingMemory, now: float) -> list[Fact]:
        self.readings += 1
        return self.felt(who, now)

    def felt(self, who: str, now: float) -> list[Fact]:
        me = self.campers[who]
        return [Fact("self", who, now, attributes=FrozenMap({name: getattr(me, name) for name in CAMPER[:5]}))]

    def step(self, crowd: MindSchedule) -> None:
        self.frame += 1
        self.clear ^= self.rng.random() < self.fog
        for name, camper in self.campers.items():
            if camper.status == "running" and self.time >= camper.until - 1e-9:
                camper.finish(self.rng)
            camper.lit &= self.rng.random() > 0.02
            camper.rested &= self.rng.random() > 0.02
            if self.rng.random() < 0.02:
                camper.hidden = False
                crowd.stimulate(name, Fact("bell", "tower", self.time))

    def save(self) -> dict[str, Any]:
        version, numbers, gauss = self.rng.getstate()
        campers = {name: [getattr(each, field) for field in CAMPER] for name, each in self.campers.items()}
        return {"rng": [version, list(numbers), gauss], "frame": self.frame, "clear": self.clear, "campers": campers}

    def restore(self, saved: Mapping[str, Any]) -> None:
        version, numbers, gauss = saved["rng"]
        self.rng.setstate((version, tuple(numbers), gauss))
        self.frame, self.clear = saved["frame"], saved["clear"]
        for name, values in saved["campers"].items():
            for field_name, value in zip(CAMPER, values, strict=True):
                setattr(self.campers[name], field_name, value)


class Feeling:
    """What campers know of themselves whenever they think."""

    cost = 0.0

    def __init__(self, camp: Camp) -> None:
        self.camp = camp

    def read(self, who: str, memory: WorkingMemory, now: float) -> list[Fact]:
        return self.camp.felt(who, now)


def believe_camp(memory: WorkingMemory, now: float) -> dict[str, object]:
    seen = next(iter(memory.all_of("self", now)), None)
    return {**(dict(seen.attributes) if seen else {}), "bell": memory.recall("bell", "tower", now) is not None}


def camp_crowd(
    camp: Camp, *, expansions: int = 20_000, budget: float = 1_000.0, trace: Trace = silent, patience: float = math.inf
) -> MindSchedule:
    """Give everybody in a camp a mind."""
    domain = camp_domain(camp.path_is_clear)
    kind = Character(
        "camper",
        domain.goals,
        domain.actions,
        sensors=FrozenMap({"eyes": 0.25}),
        memory=FrozenMap({"bell": 4.0, "failure": 3.0}),
    )
    scheduler = Scheduler(Planner(domain), clock=None)
    crowd = MindSchedule(SensorSchedule({"eyes": camp}, budget=budget), scheduler, expansions=expansions)
    for number, (name, body) in enumerate(camp.campers.items()):
        mind = Mind(
            name,
            kind,
            domain,
            body=body,
            believe=believe_camp,
            procedures={action.name: Does(Animate(action.name)) for action in domain.actions},
            reflexes={"feeling": Feeling(camp)},
            scheduler=scheduler,
            number=number,
            patience=patience,
            trace=trace,
        )
        crowd.join(mind, camp.time)
    return crowd


def pass_frames(camp: Camp, crowd: MindSchedule, frames: int) -> list[int]:
    """Let time pass in a camp; return how many minds thought in each frame."""
    thought = []
    for _ in range(frames):
        thought.append(crowd.tick(camp.time))
        camp.step(crowd)
    return thought
