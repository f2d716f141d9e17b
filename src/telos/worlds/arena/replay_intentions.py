"""What everybody was after, as the records of a fight tell it: a replay has no minds to look into."""

from dataclasses import dataclass, replace

from telos.agents.records import Dropped, Finished, Idle, Planned
from telos.core.event import Event


@dataclass(frozen=True, slots=True)
class Intention:
    """A goal, the steps of the plan for it, and which of them is under way."""

    goal: str
    steps: tuple[str, ...]
    index: int = 0


class Intentions:
    """Follows a trace, and knows of everybody what the last plan was.

    >>> told = Intentions()
    >>> told.note(Planned(0.0, "Ann", "patrol", ("goto(p1)", "look-round"), 3.0, 4))
    >>> told.note(Finished(2.0, "Ann", "goto(p1)"))
    >>> told.minds["Ann"].steps[told.minds["Ann"].index]
    'look-round'
    """

    def __init__(self) -> None:
        self.minds: dict[str, Intention] = {}

    def note(self, record: object) -> None:
        """Take in one record."""
        match record:
            case Planned():
                self.minds[record.who] = Intention(record.goal, record.steps)
            case Finished() if record.who in self.minds:
                before = self.minds[record.who]
                self.minds[record.who] = replace(before, index=before.index + 1)
            case Idle() | Dropped():
                self.minds.pop(record.who, None)
            case Event(action="dead"):
                self.minds.pop(str(record.context["target"]), None)
            case _:
                pass
