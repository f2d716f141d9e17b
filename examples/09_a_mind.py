"""A mind and a body: what fails is remembered, and the next plan goes round a door that somebody holds."""

from pathlib import Path

import telos
from telos.agents import (
    DONE,
    RUNNING,
    Animate,
    Began,
    BodyState,
    Character,
    Fact,
    Mind,
    Performance,
    Performed,
    Progress,
    Status,
    StepFailed,
    WorkingMemory,
)
from telos.core import FrozenMap

scene = telos.load(Path(__file__).parent / "domains" / "held-door.yaml")
learned = {"open-door": "door_blocked", "kick-door": "kick_failed"}  # what the planner should know of a failure


class Body:
    """The world and the body in it: every step takes a second, and somebody leans against the door."""

    def __init__(self) -> None:
        self.doing, self.progress, self.cost, self.truth = "", DONE, 1.0, dict(scene.state())

    def enter(self, state: BodyState) -> None:
        self.doing, self.progress = state.animation if isinstance(state, Animate) else "", RUNNING

    def pass_a_second(self) -> None:
        if self.doing in learned:
            self.progress = Progress(Status.FAILED, "somebody holds the door")
        elif self.progress is RUNNING and self.doing != "idle":
            self.truth, self.progress = dict(scene.action(self.doing).result(scene.state(self.truth))), DONE

    def read(self, who: str, memory: WorkingMemory, now: float) -> list[Fact]:  # a body is its own first sensor
        return [Fact("self", who, now, attributes=FrozenMap(self.truth))]


def believe(memory: WorkingMemory, now: float) -> dict[str, object]:
    seen = {name: value for fact in memory.all_of("self", now) for name, value in fact.attributes.items()}
    return seen | {learned[fact.subject]: True for fact in memory.all_of("failure", now) if fact.subject in learned}


def tell(record: object) -> None:
    if isinstance(record, Began | StepFailed):
        why = f" fails, {record.reason}" if isinstance(record, StepFailed) else ""
        print(f"{record.time:g} s: {record.step}{why}")


soldier = Character("soldier", scene.goals, scene.actions, memory=FrozenMap({"failure": 30.0}))
moves = {action.name: Performed(Performance(Animate(action.name))) for action in scene.actions}
body = Body()
mind = Mind("ann", soldier, scene, body=body, believe=believe, procedures=moves, reflexes={"self": body}, trace=tell)
for second in range(5):
    mind.think(now=second)
    body.pass_a_second()

# → 1 s: open-door fails, somebody holds the door
# → 2 s: kick-door fails, somebody holds the door
# → 3 s: melee
