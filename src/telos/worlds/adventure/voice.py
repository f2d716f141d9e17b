"""What the companion says when it takes up a goal: lines as data, now and then."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from telos.core.files.text import read_text
from telos.core.files.yaml_text import read_yaml
from telos.worlds.adventure.minds import MINDS
from telos.worlds.adventure.records import Said

PAUSE = 4.0  # seconds between one line and the next
AGAIN = 20.0  # ... and until the same is worth saying again, for each time that it was said
_MOST = 6  # times; from then on it is said as seldom as it gets
SHOWN = 4.0  # how long a line can be read


@cache
def the_lines() -> Mapping[str, tuple[str, ...]]:
    """Return what there is to say, by goal.

    >>> the_lines()["stay_near"][1]
    'Lead the way, I am with you.'
    """
    file = MINDS / "lines.yaml"
    return {goal: tuple(lines) for goal, lines in read_yaml(read_text(file), str(file)).data.items()}


class Voice:
    """Says one line for each goal that is taken up, in turn, unless it has just spoken or said the same.

    Who has heard a line often needs it seldom: the wait for the same goal grows with every time.

    >>> voice = Voice("Wren")
    >>> voice.takes_up("stay_near", "", now=0.0).text
    'I cannot tell what you are after. I will stay near.'
    >>> voice.takes_up("keep_off", "", now=1.0) is None, voice.takes_up("stay_near", "", now=9.0) is None
    (True, True)
    """

    def __init__(self, who: str) -> None:
        self.who = who
        self.lines: list[Said] = []
        self._times: dict[str, tuple[int, float]] = {}  # for each goal: how often, and when last

    def takes_up(self, goal: str, way: str, now: float) -> Said | None:
        """Return what is said about a goal, if anything; ``way`` is where it leads."""
        often, last = self._times.get(goal, (0, 0.0))
        if (self.lines and now - self.lines[-1].time < PAUSE) or now - last < AGAIN * min(often, _MOST):
            return None
        choices = the_lines()[goal]
        said = Said(now, self.who, choices[often % len(choices)].format(way=way))
        self._times[goal] = often + 1, now
        self.lines.append(said)
        return said

    def saying(self, now: float) -> str:
        """Return the line that is to be seen now."""
        return self.lines[-1].text if self.lines and now - self.lines[-1].time < SHOWN else ""

    def save(self) -> dict[str, Any]:
        """Return all that was said as plain data."""
        lines = [[each.time, each.text] for each in self.lines]
        return {"lines": lines, "times": {goal: list(each) for goal, each in self._times.items()}}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go on from what was saved."""
        self.lines = [Said(time, self.who, text) for time, text in saved["lines"]]
        self._times = {goal: (often, last) for goal, (often, last) in saved["times"].items()}
