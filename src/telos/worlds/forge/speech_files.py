"""Files of utterances: what the player may say and what it may mean, in YAML, with every fault named by line."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from telos.core.binding import Scope, check
from telos.core.conditions import ALWAYS, Condition
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Path, name_hint
from telos.core.files.leaves import PositiveNumber
from telos.core.files.models import FileShape, name_leaf, text_leaf
from telos.core.files.sheet import Sheet, refuse
from telos.core.files.text import read_text
from telos.core.values import BOOL
from telos.worlds.forge.domain import DATA, the_domain
from telos.worlds.forge.duties import REQUESTS
from telos.worlds.forge.speech import ANY, Reading, Utterance

_Name: TypeAlias = Annotated[str, name_leaf("a name")]
_Text: TypeAlias = Annotated[str, text_leaf("a line of text")]


class ReadingShape(FileShape):
    """One thing that an utterance may mean."""

    means: _Name = Field(examples=["fire"])
    at: _Name = Field(default="", examples=["forge"])
    plan: _Name = ANY
    likely: PositiveNumber = 1.0
    condition: _Text = Field(default="", alias="if")
    """When it is to be thought of at all."""


class UtteranceShape(FileShape):
    """What is said, in one of several ways, and what it may mean."""

    says: list[_Text] = Field(examples=["[Help me!]"])
    readings: list[ReadingShape] = Field(examples=["[{means: fire}]"])


class UtterancesShape(FileShape):
    """A file of utterances."""

    utterances: dict[_Name, UtteranceShape] = Field(examples=["{help: {…}}"])


@cache  # it never changes, and every companion asks for it
def the_utterances() -> Mapping[str, Utterance]:
    """Return the utterances that come with the package, by name."""
    file = DATA / "utterances.yaml"
    return read_utterances(read_text(file), the_domain(), file=os.fspath(file))


def read_utterances(text: str, domain: Domain, *, file: str = "<text>") -> dict[str, Utterance]:
    """Read utterances from the text of their file; a bad one raises a ``DefinitionError`` that holds all its faults."""
    sheet = Sheet(text, file, UtterancesShape, "a file of utterances")
    if not sheet.faults:  # names are looked up only in a file whose shape is right
        for message, path, remedy in _faults(sheet.document.data["utterances"], domain):
            sheet.fault(message, path, remedy)
    if sheet.faults:
        refuse(sheet.faults)
    return {name: _utterance(name, each) for name, each in sheet.document.data["utterances"].items()}


def _utterance(name: str, said: Mapping[str, Any]) -> Utterance:
    readings = (
        Reading(
            means=each["means"],
            at=each.get("at"),
            plan=each.get("plan", ANY),
            likely=float(each.get("likely", 1.0)),
            condition=Condition.of(each["if"]) if "if" in each else ALWAYS,
        )
        for each in said["readings"]
    )
    return Utterance(name, tuple(said["says"]), tuple(readings))


def _faults(utterances: Mapping[str, Any], domain: Domain) -> Iterator[tuple[str, Path, str]]:
    plans = [ANY, *(goal.name for goal in domain.goals_of("player"))]
    told: dict[str, str] = {}
    for name, each in utterances.items():
        for i, text in enumerate(each["says"]):
            if told.setdefault(text, name) != name:
                yield f"{text!r} is said under {told[text]!r} too", ("utterances", name, "says", i), "keep one of them"
        if not each["readings"]:
            yield f"{name!r} means nothing", ("utterances", name, "readings"), "add a reading, as in `{means: fire}`"
        for i, reading in enumerate(each["readings"]):
            where: Path = ("utterances", name, "readings", i)
            for key, known in (("means", tuple(REQUESTS)), ("at", domain.handles["place"]), ("plan", plans)):
                if key in reading and reading[key] not in known:
                    yield f"unknown {key} {reading[key]!r}", (*where, key), name_hint(reading[key], known)
            if "if" in reading:
                yield from _condition_faults(reading["if"], (*where, "if"), domain)


def _condition_faults(said: str, path: Path, domain: Domain) -> Iterator[tuple[str, Path, str]]:
    try:
        faults = list(check(Condition.of(said).expression, Scope(domain.layout, {}), BOOL))
    except DefinitionError as error:
        faults = [replace(fault, path=path) for fault in error.faults]
    yield from ((fault.message, path, fault.suggestion) for fault in faults)
