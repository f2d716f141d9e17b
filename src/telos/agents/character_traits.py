"""What a character file changes of the character that it is like. Only names here; the domain has the things."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from telos.core.domain import Domain
from telos.core.errors import FaultCode, Path, name_hint
from telos.core.files.sheet import Sheet
from telos.core.files.times import seconds_of

_LISTS = ("goals", "actions")
_MAPS: dict[str, Callable[[Any], Any]] = {
    "sensors": seconds_of,
    "memory": seconds_of,
    "body": lambda value: tuple(value) if isinstance(value, list) else value,
    "priorities": float,
}
EVERYTHING = frozenset({*_LISTS, *_MAPS})


@dataclass(frozen=True, slots=True)
class Traits:
    """What a character has, by name. ``unsure`` are the sections in which some file has a fault."""

    name: str = ""
    about: str = ""
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: dict.fromkeys(_LISTS, ()))
    maps: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {section: {} for section in _MAPS})
    unsure: frozenset[str] = frozenset()


class Vocabulary:
    """The names that character files may use: those of a domain, and of the sensors and body keys that are known."""

    def __init__(self, domain: Domain, sensors: Collection[str] | None, body: Collection[str] | None) -> None:
        goals = [goal.name for goal in domain.goals]
        self._names = {"goals": goals, "actions": [action.name for action in domain.all_actions]}
        self._sets = {"goals": domain.goal_sets, "actions": domain.action_sets}
        self._keys = {"sensors": sensors, "body": body, "priorities": goals}

    def members(self, sheet: Sheet, section: str, *path: str) -> list[tuple[Path, tuple[str, ...]]]:
        """Return the goals (or actions) that each entry of a list stands for; unknown entries are faults."""
        word, names, sets = section[:-1], self._names[section], self._sets[section]
        found: list[tuple[Path, tuple[str, ...]]] = []
        for where, name in list(sheet.items(*path)):
            if name in names and name in sets:
                remedy = "rename one of them in the domain"
                sheet.fault(f"{name!r} is both {_a(word)} and {_a(word)} set", where, remedy, code=FaultCode.DUPLICATE)
            elif name in names or name in sets:
                found.append((where, sets.get(name, (name,))))
            else:
                sheet.fault(
                    f"unknown {word} or {word} set {name!r}",
                    where,
                    name_hint(name, [*names, *sets]),
                    code=FaultCode.UNKNOWN_NAME,
                )
        return found

    def entries(self, sheet: Sheet, section: str, *path: str) -> dict[str, Any]:
        """Return the entries of a mapping, read; unknown keys are faults."""
        known, found = self._keys.get(section), {}
        for where, value in list(sheet.items(*path)):
            key = str(where[-1])
            if known is not None and key not in known:
                word = {"sensors": "sensor", "body": "body key", "priorities": "goal"}[section]
                sheet.fault(
                    f"unknown {word} {key!r}", where, name_hint(key, known), at_key=True, code=FaultCode.UNKNOWN_NAME
                )
            else:
                found[key] = _MAPS[section](value)
        return found


def changed(parent: Traits, sheet: Sheet, words: Vocabulary) -> Traits:
    """Return what ``parent`` has with the changes that a file makes; what cannot be is added to the file's faults."""
    lists = {section: _list(parent, sheet, words, section) for section in _LISTS}
    maps = {section: dict(parent.maps[section]) | words.entries(sheet, section, section) for section in _MAPS}
    maps["sensors"] |= words.entries(sheet, "sensors", "add", "sensors")
    for where, name in list(sheet.items("drop", "sensors")):
        if maps["sensors"].pop(name, None) is None and _is_sure(parent, sheet, "sensors"):
            sheet.fault(
                f"there is no sensor {name!r} to drop",
                where,
                name_hint(name, maps["sensors"]),
                code=FaultCode.UNKNOWN_NAME,
            )
    for where, _ in list(sheet.items("priorities")):
        if where[-1] not in lists["goals"] and _is_sure(parent, sheet, "goals"):
            message = f"a priority of {where[-1]!r}, which is not a goal of this character"
            sheet.fault(
                message,
                where,
                "add it to the goals, or leave the priority out",
                at_key=True,
                code=FaultCode.UNKNOWN_NAME,
            )
    unsure = {section for section in EVERYTHING if not _is_sure(parent, sheet, section, "drop")}
    return Traits(
        sheet.entry("character", default=""), sheet.entry("about", default=""), lists, maps, frozenset(unsure)
    )


def _list(parent: Traits, sheet: Sheet, words: Vocabulary, section: str) -> tuple[str, ...]:
    given = words.members(sheet, section, section)
    kept = {name: None for _, names in given for name in names}
    if sheet.entry(section) is None:
        kept = dict.fromkeys(parent.lists[section])
    kept |= {name: None for _, names in words.members(sheet, section, "add", section) for name in names}
    for where, names in words.members(sheet, section, "drop", section):
        left = {name: None for name in kept if name not in names}
        if len(left) == len(kept) and _is_sure(parent, sheet, section):
            said = sheet.entry(*where)
            sheet.fault(f"there is no {said!r} to drop", where, name_hint(said, kept), code=FaultCode.UNKNOWN_NAME)
        kept = left
    return tuple(kept)


def _is_sure(parent: Traits, sheet: Sheet, section: str, *also: str) -> bool:
    """Whether nothing about a section is in doubt, so that one may say what it does not have."""
    faulty = sheet.is_touched(section) or any(sheet.is_touched(key, section) for key in ("add", *also))
    return not faulty and section not in parent.unsure


def _a(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"
