"""The trace of a household in words: one line for each thing worth telling."""

from telos.worlds.home.records import Began, Chose, Delivered


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
            case Chose():
                self.why[record.person] = record.why
            case Began() if self._last.get(record.person) != record.action:
                # They have not chosen it themselves, so it is a conversation.
                self.why[record.person] = f"{record.action.partition('.')[0]} came to talk"
            case _:
                return None
        if self._last.get(record.person) == record.action and record.activity == "idle":
            return None
        self._last[record.person] = record.action
        return f"day {record.day} {record.clock}  {record.person:<5} {record.words} — {self.why[record.person]}"
