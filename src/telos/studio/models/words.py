"""The words of one model file: its goals, what its game tells, and where each may stand."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from telos.core.errors import TelosError
from telos.core.files.yaml_text import read_yaml
from telos.core.values import Kind, Type
from telos.recognition.director_rules import EARNED
from telos.recognition.sharing import OTHERS
from telos.recognition.symbols import ELEVEN
from telos.recognition.vocabulary import ADVENTURE
from telos.studio.models.cursor import Way

_GOALS = re.compile(r"^goals:\s*\[([^\]\n]*)", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z][\w.-]*")


@dataclass(frozen=True, slots=True)
class Words:
    """What a file declares, as far as it can be read, on top of what the adventure has."""

    given: Mapping[str, Any] = field(default_factory=dict)  # the file, without the line that is being written
    goals: tuple[str, ...] = ()
    context: Mapping[str, Type] = field(default_factory=dict)
    actions: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()  # names from outside of the file

    @property
    def exits(self) -> tuple[str, ...]:
        """Return what `towards` may be followed by."""
        edges = [name for name, kind in self.context.items() if kind.handle == "edges"]
        return tuple("any_exit" if name == "exits" else name for name in edges)

    def labels(self, variable: str) -> tuple[str, ...]:
        """Return what a variable may be compared with, if that is known."""
        if variable == "action":
            return self.actions
        if variable == "goal":
            return self.goals
        return self.context[variable].labels if variable in self.context else ()

    def variables(self, way: Way) -> Iterator[tuple[str, str]]:
        """Yield what a condition may speak of, and what kind of value that has."""
        if "director" in way:
            yield from ((goal, "how likely this goal is, 0 to 1") for goal in self.goals)
        else:
            yield "action", "what the player did"
            yield "goal", "the goal that was just achieved"
        for name, kind in self.context.items():
            yield name, kind.handle if kind.kind is Kind.HANDLE else str(kind)

    def keys_at(self, way: Way) -> Iterator[tuple[str, str]]:
        """Yield the names that are the keys of a mapping whose keys a schema does not know."""
        last = str(way[-1]) if way else ""
        sort = self.given.get("recognizer")
        if last in ("then", "else") or (len(way) == 2 and way[0] == "observations" and sort != "iohmm"):
            yield from ((name, "seen") for name in self.outcomes)
            yield OTHERS, "all the others"
        elif last in ("prior", "lasts") or last.startswith("from "):
            yield from ((goal, "a goal") for goal in self.goals)
            if last != "lasts":
                yield OTHERS, "all the others"
        elif last in ("counts", "pseudo_counts", "priorities") or (last == "observations" and sort != "iohmm"):
            yield from ((goal, "a goal") for goal in (*self.goals, *(self.others if last == "priorities" else ())))
        elif len(way) == 2 and way[0] in ("counts", "pseudo_counts"):
            yield from ((name, "seen") for name in _names(self.given.get("observations")))
        elif last == "pay":
            yield from ((name, "what is earned") for name in EARNED)

    def values_at(self, way: Way) -> Iterator[tuple[str, str]]:
        """Yield the names that may be the value of an entry that a schema takes for any text."""
        keys = tuple(part for part in way if isinstance(part, str))
        match keys:
            case ("clock", "on"):
                yield from ((label, "a cause") for label in self.labels("cause"))
            case ("moments",):
                yield from ((name, str(kind)) for name, kind in self.context.items() if kind.kind is Kind.BOOL)
            case ("start",):
                yield from ((goal, "a goal") for goal in (*self.goals, "random"))
            case ("rules", "then"):
                yield from ((goal, "a goal") for goal in self.goals)
            case ("goals" | "actions" | "sensors" | "like",) | ("add" | "drop", _):
                yield from ((name, "") for name in self.others)


def words_of(text: str, line: int, others: Iterable[str] = ()) -> Words:
    """Return the words of a file in which a line is being written."""
    given = _given(text, line)
    goals = _names(given.get("goals"))
    if not goals and (written := _GOALS.search(text)):
        goals = tuple(_NAME.findall(written[1]))
    context, actions = _context(given.get("context", "adventure")), _names(given.get("actions"))
    usual = ADVENTURE.actions if given.get("context", "adventure") == "adventure" else ()
    outcomes = _names(given.get("outcomes")) or ELEVEN.names
    return Words(given, goals, context, actions or usual, outcomes, tuple(others))


def _given(text: str, line: int) -> Mapping[str, Any]:
    """Return what can be read of a file: all of it, or all but the line that is being written."""
    lines = text.split("\n")
    for tried in (text, "\n".join([*lines[: line - 1], "", *lines[line:]]), "\n".join(lines[: line - 1])):
        data = read_yaml(tried).data
        if isinstance(data, Mapping):
            return data
    return {}


def _context(said: Any) -> dict[str, Type]:
    if not isinstance(said, Mapping):
        return dict(ADVENTURE.context)
    types = {}
    for name, kind in said.items():
        try:
            types[str(name)] = Type.of(kind)
        except (TelosError, TypeError):  # it is being written
            continue
    return types


def _names(said: Any) -> tuple[str, ...]:
    """Return the names in a list, or the keys of a mapping."""
    has_names = isinstance(said, list | tuple | Mapping)
    return tuple(each for each in said if isinstance(each, str)) if has_names else ()
