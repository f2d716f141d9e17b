"""``Member``: a character of a crowd, with its body and its mind."""

from dataclasses import dataclass

from telos.agents.body import Status
from telos.agents.character import Character
from telos.agents.embedding.actuator import BodyActuator
from telos.agents.embedding.body import Body
from telos.agents.embedding.senses import BodySensor, Senses
from telos.agents.explain import why, why_not
from telos.agents.memory import Fact
from telos.agents.mind import Mind
from telos.agents.mind_schedule import MindSchedule
from telos.core.values import FrozenMap, Value


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A character of a crowd: its body, its mind, and what both have to say."""

    name: str
    body: Body
    character: Character
    mind: Mind
    actuator: BodyActuator
    senses: Senses
    in_each_frame: FrozenMap[str, BodySensor]  # the sensors that are read in each frame
    schedule: MindSchedule

    @property
    def now(self) -> float:
        """The time of the crowd's last frame."""
        return self.schedule.now

    @property
    def goal(self) -> str | None:
        """The goal that is being pursued."""
        return self.mind.goal

    @property
    def plan(self) -> tuple[str, ...]:
        """The steps of the plan that are left, the present one first."""
        return self.mind.steps[self.mind.index :]

    def why(self) -> str:
        """Explain what the character does."""
        return why(self.mind)

    def why_not(self, name: str) -> str:
        """Explain why the character does not pursue a goal, or does not do an action."""
        return why_not(self.mind, name)

    # --- frames: called by the crowd ----------------------------------------------------------------------------------

    def act(self) -> None:
        """Let the body go on with its step for a frame; remember what a finished step has made of variables."""
        self.actuator.advance()
        execution = self.mind.execution
        if execution is None or not execution.begun or self.actuator.progress.status is not Status.DONE:
            return
        remembered = {effect.variable for effect in execution.step.effects} & {*self.body.remembers}
        if remembered:
            after = execution.step.result(execution.before or self.mind.state)
            for name in sorted(remembered):
                self._remember(name, after[name])

    def _remember(self, name: str, value: Value) -> None:
        """Remember what a step has made of a variable; one that is false again has nothing to be remembered of it."""
        self.mind.forget(name, self.now)
        if value is not False or self.mind.state.layout.variable(name).start is not False:
            self.mind.note(Fact(name, self.name, self.now, attributes=FrozenMap({"value": value})))

    def sense(self) -> bool:
        """Read the sensors that are read in each frame; return whether anything is new."""
        is_news = False
        for name, sensor in self.in_each_frame.items():
            is_news |= self.mind.sense(name, sensor, self.now)
        return is_news

    def settle(self) -> None:
        """Stop the body if the mind has given its step up."""
        execution = self.mind.execution
        if self.actuator.is_stepping and (execution is None or not execution.begun):
            self.actuator.stop()

    def report(self) -> None:
        """Report what the body has raised: to the log and ``why``, or to the caller in strict mode."""
        raised, self.actuator.error = self.actuator.error, None
        if raised is not None:
            self.mind.problems.note(*raised, self.now)
