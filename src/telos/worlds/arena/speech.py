"""Words that do something: a line is an action with preconditions and effects, and works only if somebody listens."""

from telos.agents.body import RUNNING, Progress, Status
from telos.agents.procedure import Doer, Performed
from telos.core.action import Action


class Told(Performed):
    """An order that is called out. It is done when what it asked for has come about, which takes the other a while."""

    def progress(self, doer: Doer, step: Action, body: Progress, now: float) -> Progress:
        """Wait until the effect is there; if nobody obeys before one has forgotten asking, it has failed."""
        if body.status is not Status.DONE or step.result(doer.state) == doer.state:
            return body
        if doer.memory.recall("told", step.name, now) is not None:
            return RUNNING
        return Progress(Status.FAILED, "nobody did it")


SPEECH: dict[str, type[Performed]] = {"tell-ally-to-open": Told}
