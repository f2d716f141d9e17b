"""The trace of a household in words: one line for each thing worth telling."""

from telos.worlds.home.extras import GATHER
from telos.worlds.home.records import Accident, Began, Chose, Delivered, Poked


class Log:
    """Turns records into lines. It remembers what each person is up to, so as not to say it twice.

    >>> log = Log()
    >>> log.line(Delivered(1800, 2, "06:00", food=18))
    'day 2 06:00  the grocer fills the fridge (18 portions)'
    """

    def __init__(self) -> None:
        self.why: dict[str, str] = {}  # the last reason of each person
        self._last: dict[str, str] = {}

    def line(self, record: object) -> str | None:
        """Return the line for ``record``, or None if it brings nothing new."""
        match record:
            case Delivered():
                return f"day {record.day} {record.clock}  the grocer fills the fridge ({record.food} portions)"
            case Accident():
                return f"day {record.day} {record.clock}  {record.person:<5} could not hold it any longer"
            case Poked():
                return f"day {record.day} {record.clock}  {record.words}"
            case Chose():
                self.why[record.person] = record.why
            case Began() if self._last.get(record.person) != record.action:
                self.why[record.person] = why_unchosen(record.action)
            case _:
                return None
        if self._last.get(record.person) == record.action and record.activity == "idle":
            return None
        self._last[record.person] = record.action
        return f"day {record.day} {record.clock}  {record.person:<5} {record.words} — {self.why[record.person]}"


def why_unchosen(action: str) -> str:
    """Say why somebody does what they have not chosen themselves: it is a conversation, an alarm, or a command.

    >>> why_unchosen("Ben.chat"), why_unchosen("gather")
    ('Ben came to talk', 'the alarm rings')
    """
    thing, _, deed = action.partition(".")
    if thing == GATHER.action.name:
        return "the alarm rings"
    return f"{thing} came to talk" if deed == "chat" else "told to"
