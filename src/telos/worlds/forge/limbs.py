"""The companion's body as its mind knows it: a state becomes a command, and the person's status what it feels."""

from telos.agents.body import DONE, RUNNING, Animate, BodyState, Goto, Progress, Status
from telos.agents.procedure import Doer, Procedure
from telos.core.action import Action
from telos.worlds.forge.domain import TO
from telos.worlds.forge.forge import COMPANION, Forge


class Doing(Procedure):
    """Walks for the actions that lead somewhere, and plays the others."""

    def activate(self, doer: Doer, step: Action) -> BodyState:
        """Return the state that the body enters for the step."""
        return Goto(step.name.removeprefix(TO)) if step.name.startswith(TO) else Animate(step.name)


class Limbs:
    """Turns what a mind wants of its body into the next command for the companion."""

    def __init__(self, world: Forge) -> None:
        self._world = world
        self._commands: list[str] = []  # to be given one after the other
        self._is_resting = True

    def enter(self, state: BodyState) -> None:
        """Leave whatever it was doing for ``state``."""
        person = self._world.people[COMPANION]
        self._is_resting = isinstance(state, Animate) and state.animation == "idle"
        if isinstance(state, Goto):
            self._commands = [f"go {state.place}"]
        elif isinstance(state, Animate) and not self._is_resting:
            back = [f"go {person.place}"] if person.is_walking else []  # who has just set out turns round first
            self._commands = [*back, state.animation]
        # Nothing to do is no reason to leave a post: who has lit the fire stays at the bellows.

    @property
    def progress(self) -> Progress:
        """Return how the last state entered is going."""
        person = self._world.people[COMPANION]
        if self._is_resting:
            return DONE
        if self._commands or person.status == "running":
            return RUNNING
        return DONE if person.status == "done" else Progress(Status.FAILED, person.reason or "it was left")

    def take(self) -> str | None:
        """Return the command to give now, if there is one and the body is free for it."""
        is_deed = bool(self._commands) and not self._commands[0].startswith("go ")
        if not self._commands or (is_deed and self._world.people[COMPANION].is_walking):
            return None
        return self._commands.pop(0)
