"""What a faulty file leaves open: which names might be defined by the entries that could not be read.

An action that could not be read must not make a set complain that it is unknown, nor a variable with a bad type every
condition that uses it. So whatever hangs on a faulty entry is not checked until the entry is mended.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

from telos.core.errors import Path

_WORDS = re.compile(r"[A-Za-z_]\w*")


class Doubt:
    """Which entries are broken, and so which names a later check must not call unknown."""

    def __init__(self, data: Any, broken: Iterable[Path]) -> None:
        self._data = data
        self._broken = set(broken)
        self._touched = {path[:length] for path in self._broken for length in range(len(path) + 1)}
        self._lost: set[str] = set()
        self._lost_things = {
            word for path in self._broken if _defines_object(path) for word in (path[1], *_WORDS.findall(str(path[1])))
        }
        self._any_name_may_be_lost = any(map(_defines_names, self._broken))
        self._declared = set(self.section("variables"))
        for kind in self.section("handles"):
            items = self.section("handles", kind, kind=list)
            self._declared.update(each for each in items if isinstance(each, str))
            self.lose(*(str(each) for i, each in enumerate(items) if self.is_broken("handles", kind, i)))
        for thing in self.section("objects"):
            self._declared.update(f"{thing}.{name}" for name in self.section("objects", thing, "variables"))

    def is_broken(self, *path: str | int) -> bool:
        """Whether the entry itself has a fault."""
        return path in self._broken

    def is_touched(self, *path: str | int) -> bool:
        """Whether the entry or anything in it has a fault."""
        return path in self._touched

    def section(self, *path: str | int, kind: type = dict) -> Any:
        """Return the mapping (or list) at ``path``; an empty one if there is none."""
        found: Any = self._data
        for part in path:
            found = found.get(part) if isinstance(found, dict) else None
        return found if isinstance(found, kind) else kind()

    def lose(self, *names: str) -> None:
        """Note names that the file means to define; a name that is none counts as the words in it."""
        for name in names:
            self._lost.update((name, *_WORDS.findall(name)))

    def unsure(self, owner: str = "", parameters: Path = ()) -> Callable[[str], bool]:
        """Return the test for names that cannot be judged in an action (of ``owner``, with ``parameters`` there)."""
        own = self.section(*parameters) if parameters else {}
        broken = {name for name in own if self.is_touched(*parameters, name)}
        any_may_be_lost = self._any_name_may_be_lost or owner in self._lost_things
        any_may_be_lost |= bool(parameters) and self.is_broken(*parameters)

        def unsure(name: str) -> bool:
            long = f"{owner}.{name}"
            if name in self._lost or long in self._lost or name in broken:
                return True
            if name.partition(".")[0] in self._lost_things:
                return True
            return any_may_be_lost and not (name in self._declared or long in self._declared or name in own)

        return unsure

    def may_be_goal(self, name: str) -> bool:
        """Whether a goal that could not be made may have that name."""
        return self.is_broken("goals") or name in self.section("goals")

    def may_be_action(self, name: str) -> bool:
        """Whether an action that could not be made may have that name."""
        thing, _, own = name.partition(".")
        if self.is_broken("actions") or self.is_broken("objects") or name in self.section("actions"):
            return True
        lost = self.is_broken("objects", thing) or self.is_broken("objects", thing, "actions")
        return lost or own in self.section("objects", thing, "actions")


def _defines_names(path: Path) -> bool:
    """Whether a broken entry may have held variables, objects or handles of any name."""
    match path:
        case () | ("variables" | "handles" | "objects",) | ("handles", _):
            return True
        case _:
            return False


def _defines_object(path: Path) -> bool:
    """Whether a broken entry may have held an object, or variables of an object."""
    match path:
        case ("objects", _) | ("objects", _, "variables"):
            return True
        case _:
            return False
