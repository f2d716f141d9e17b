"""Island files: the map and the mystery in YAML, read and checked."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path as File
from typing import Any, TypeAlias

from telos.core.errors import FaultCode, Path, name_hint
from telos.core.files.sheet import Sheet, refuse
from telos.core.files.text import read_text
from telos.worlds.island.map import IslandMap, Place
from telos.worlds.island.story import (
    ACTIONS,
    GOALS,
    MOVE,
    Disease,
    Lesson,
    Person,
    Question,
    Reading,
    Story,
    TalkGoal,
    Thing,
    Topic,
)
from telos.worlds.island.story_shape import StoryShape

DATA = File(__file__).parent / "data"
_Stranger: TypeAlias = tuple[str, str, Path, list[str]]
_WAY = re.compile(r"(\S+) - (\S+?)(?: \((\S+)\))?")


@cache  # it never changes, and every game asks for it
def the_story() -> Story:
    """Return the island that comes with the package.

    >>> len(the_story().map.places), len({place.area for place in the_story().map.places.values()})
    (39, 7)
    """
    file = DATA / "island.yaml"
    return read_story(read_text(file), file=os.fspath(file))


def read_story(text: str, *, file: str = "<text>") -> Story:
    """Read an island from the text of its file; a bad one raises a ``DefinitionError`` that holds all its faults."""
    sheet = Sheet(text, file, StoryShape, "an island file")
    if not sheet.faults:  # names are looked up only in a file whose shape is right
        for what, name, path, known in _strangers(sheet.document.data):
            message, remedy = f"there is no {what} {name!r}", name_hint(name, known)
            sheet.fault(message, path, remedy, at_key=path[-1] == name, code=FaultCode.UNKNOWN_NAME)
    if sheet.faults:
        refuse(sheet.faults)
    return _story(sheet.document.data)


def _strangers(data: Mapping[str, Any]) -> Iterator[_Stranger]:
    """Yield every unknown name: what it should name, the name, its path, and the known names."""
    places = [place for area in data["areas"].values() for place in area]
    for number, said in enumerate(data["ways"]):
        found = _WAY.fullmatch(said)
        ends = found.groups()[:2] if found else (said,)
        yield from _unknown("place", [(("ways", number), end) for end in ends], places)
    spots: list[tuple[Path, str]] = [((key,), data[key]) for key in ("start", "tester", "worksheet")]
    for section in ("things", "people", "books", "posters"):
        spots += [((section, name, "at"), entry["at"]) for name, entry in data[section].items()]
    spots += [(("containers", name), place) for name, place in data["containers"].items()]
    yield from _unknown("place", [*spots, (("slide", "at"), data["slide"]["at"])], places)
    inside = [(("things", name, "in"), each["in"]) for name, each in data["things"].items() if "in" in each]
    yield from _unknown("container", inside, list(data["containers"]))
    yield from _unknown("action", [(("seconds", name), name) for name in data["seconds"]], [*ACTIONS])
    yield from _unknown("goal", [(("goals", name), name) for name in data["goals"]], [*GOALS])
    people = [
        (("goals", name, "of", i), who) for name, goal in data["goals"].items() for i, who in enumerate(goal["of"])
    ]
    yield from _unknown("person", people, list(data["people"]))
    yield from _unknown("disease", [(("truth", "disease"), data["truth"]["disease"])], list(data["diseases"]))


def _unknown(what: str, named: Sequence[tuple[Path, str]], known: list[str]) -> Iterator[_Stranger]:
    return ((what, name, path, known) for path, name in named if name not in known)


def _story(data: Mapping[str, Any]) -> Story:
    return Story(
        name=data["island"],
        map=_map(data),
        drawing=tuple(data["drawing"].rstrip("\n").split("\n")),
        start=data["start"],
        hour=float(data["hour"]),
        pace=float(data["pace"]),
        tests=data["tests"],
        things={
            name: Thing(name, each["at"], each.get("food"), each.get("in")) for name, each in data["things"].items()
        },
        containers=data["containers"],
        people={name: _person(name, each) for name, each in data["people"].items()},
        books=_readings(data["books"]),
        posters=_readings(data["posters"]),
        questions={
            name: Question(name, each["about"], tuple(each["choices"]), each["right"])
            for name, each in data["questions"].items()
        },
        diseases={
            name: Disease(name, each["agent"], each["treatment"], frozenset(each["symptoms"]))
            for name, each in data["diseases"].items()
        },
        truth=data["truth"],
        tester=data["tester"],
        slide_at=data["slide"]["at"],
        slide_from=data["slide"]["from"],
        slide_label=data["slide"]["label"],
        desk=data["worksheet"],
        goals=tuple(TalkGoal(name, tuple(each["of"]), each["topic"]) for name, each in data["goals"].items()),
        seconds={action: float(data["seconds"].get(action, 0.0)) for action in ACTIONS if action != MOVE},
    )


def _map(data: Mapping[str, Any]) -> IslandMap:
    places = [Place(name, area, *spot) for area, inside in data["areas"].items() for name, spot in inside.items()]
    found = [_WAY.fullmatch(said) for said in data["ways"]]
    links = [(each[1], each[2], each[3]) for each in found if each is not None]
    return IslandMap.of(places, links, metres=float(data["metres"]))


def _person(name: str, entry: Mapping[str, Any]) -> Person:
    topics = {topic: Topic(each["lines"], _lessons(each)) for topic, each in entry["topics"].items()}
    return Person(name, entry["at"], topics)


def _readings(entries: Mapping[str, Any]) -> dict[str, Reading]:
    return {name: Reading(name, each["at"], _lessons(each)) for name, each in entries.items()}


def _lessons(entry: Mapping[str, Any]) -> tuple[Lesson, ...]:
    return tuple(Lesson(*said.split()) for said in entry.get("tells", ()))
