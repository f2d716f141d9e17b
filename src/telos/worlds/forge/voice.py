"""What the companion says: lines as data, one for every goal that it takes up, and answers."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Annotated, TypeAlias

from pydantic import Field

from telos.core.domain import Domain
from telos.core.errors import FaultCode, name_hint
from telos.core.files.models import FileShape, name_leaf, text_leaf
from telos.core.files.sheet import Sheet, refuse
from telos.core.files.text import read_text
from telos.worlds.forge.domain import DATA, the_domain

WORDS = {  # for what may be asked for, and for the plans
    "fire": "the fire",
    "bellows": "the bellows",
    "hammer": "the hammer",
    "shoulder": "my shoulder",
    "apples": "the apples",
    "move": "that I should move",
    "key": "key",
    "force": "door itself",
    "spare": "spare",
}

_Name: TypeAlias = Annotated[str, name_leaf("the name of a goal")]
_Text: TypeAlias = Annotated[str, text_leaf("a line of text")]
_Lines: TypeAlias = list[_Text]


class LinesShape(FileShape):
    """A file of the companion's lines."""

    goals: dict[_Name, _Lines] = Field(examples=["{tend_fire: [I will see to the fire.]}"])
    change: _Lines = Field(examples=["[Oh.]"])
    unclear: _Lines = Field(examples=["[You mean {first}?]"])
    lost: _Lines = Field(examples=["[Pardon?]"])
    opened: _Lines = Field(examples=["[It is open!]"])


@dataclass(frozen=True, slots=True)
class Lines:
    """All that the companion can say."""

    goals: Mapping[str, Sequence[str]]
    change: Sequence[str]
    unclear: Sequence[str]
    lost: Sequence[str]
    opened: Sequence[str]


@cache  # it never changes, and every companion asks for it
def the_lines() -> Lines:
    """Return the lines that come with the package."""
    file = DATA / "lines.yaml"
    return read_lines(read_text(file), the_domain(), file=os.fspath(file))


def read_lines(text: str, domain: Domain, *, file: str = "<text>") -> Lines:
    """Read lines from the text of their file; a bad one raises a ``DefinitionError`` that holds all its faults."""
    sheet = Sheet(text, file, LinesShape, "a file of lines")
    known = [goal.name for goal in domain.goals_of("companion")]
    for path, lines in list(sheet.items("goals")):
        if path[-1] not in known:
            sheet.fault(
                f"the companion has no goal {path[-1]!r}",
                path,
                name_hint(str(path[-1]), known),
                at_key=True,
                code=FaultCode.UNKNOWN_NAME,
            )
        elif not lines:
            sheet.fault(
                f"nothing is said for {path[-1]!r}",
                path,
                "add a line, or leave the goal out",
                at_key=True,
                code=FaultCode.INCOMPLETE,
            )
    if sheet.faults:
        refuse(sheet.faults)
    return Lines(**sheet.document.data)


class Voice:
    """Says what is done, once for each thing that is taken up, and says so when the mind has changed.

    >>> voice = Voice(the_lines(), Random(1))
    >>> voice.takes_up("tend_fire", "key")
    'You want a key! I will see to the fire.'
    >>> voice.takes_up("tend_fire", "key") is None
    True
    >>> voice.takes_up("do_favour", "spare")
    'So you are not after the key any more. Her spare! She will want apples. I will get some.'
    """

    def __init__(self, lines: Lines, rng: Random) -> None:
        self._lines, self._rng = lines, rng
        self._last: str | None = None
        self._plan: str | None = None  # that was last helped with

    def takes_up(self, goal: str, plan: str | None) -> str | None:
        """Return what to say about a goal that serves a plan (None: it was asked for), if it needs saying."""
        if goal == self._last or goal not in self._lines.goals:
            return None
        said = self._rng.choice(self._lines.goals[goal])
        if plan is not None and self._plan not in (None, plan):
            said = f"{self._rng.choice(self._lines.change).format(was=WORDS[self._plan or ''], now=WORDS[plan])} {said}"
        self._last, self._plan = goal, plan or self._plan
        return said

    def asked_again(self) -> None:
        """Take note that something is asked for: it is answered, even if it is under way."""
        self._last = None

    def unclear(self, options: Sequence[str]) -> str:
        """Return how to ask what was meant."""
        if len(options) < 2:
            return self._rng.choice(self._lines.lost)
        return self._rng.choice(self._lines.unclear).format(first=WORDS[options[0]], second=WORDS[options[1]])

    def opened(self) -> str:
        """Return what to say of an open door."""
        return self._rng.choice(self._lines.opened)
