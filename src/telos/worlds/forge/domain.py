"""What comes with the world: the one domain that is planned with and read with, and the village that it describes."""

import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path as File
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import Path, name_hint
from telos.core.expressions import Literal
from telos.core.files.leaves import Number
from telos.core.files.load import load
from telos.core.files.models import FileShape, name_leaf, text_leaf
from telos.core.files.sheet import Sheet, refuse
from telos.core.files.text import read_text
from telos.worlds.forge.map import Village

DATA = File(__file__).parent / "data"
DOMAIN = DATA / "forge.yaml"
PLANS = ("key", "force", "spare")  # the ways through the door: the player's goals
TO = "to-"  # how the names of actions begin that lead to a place
ASK = "ask-"  # ... and of those that are done by asking the other one

_Name: TypeAlias = Annotated[str, name_leaf("a name")]
_Text: TypeAlias = Annotated[str, text_leaf("a text")]


class VillageShape(FileShape):
    """A file that says how a village is drawn."""

    village: _Name = Field(examples=["forge"])
    places: dict[_Name, list[Number]] = Field(examples=["{inn: [4, 8]}"])
    """By name: the column and the line where it stands."""
    drawing: _Text = Field(examples=["|"])


@cache  # it never changes, and every game asks for it
def the_domain() -> Domain:
    """Return the domain of the scene.

    >>> [goal.name for goal in the_domain().goals_of("player")]
    ['key', 'force', 'spare']
    """
    return load(DOMAIN)


@cache
def the_village() -> Village:
    """Return the village that comes with the package.

    >>> the_village().route("inn", "river"), the_village().walk("inn", "river")
    (('square', 'bridge', 'river'), 24.0)
    """
    file = DATA / "village.yaml"
    return read_village(read_text(file), the_domain(), file=os.fspath(file))


def read_village(text: str, domain: Domain, *, file: str = "<text>") -> Village:
    """Read how the places of a domain are drawn; a bad file raises a ``DefinitionError`` that holds all its faults."""
    sheet = Sheet(text, file, VillageShape, "a village file")
    if not sheet.faults:  # names are looked up only in a file whose shape is right
        for message, path, remedy in _faults(sheet.document.data, domain.handles["place"]):
            sheet.fault(message, path, remedy, at_key=True)
    if sheet.faults:
        refuse(sheet.faults)
    data = sheet.document.data
    places = {name: (int(spot[0]), int(spot[1])) for name, spot in data["places"].items()}
    return Village(places, _ways(domain), tuple(data["drawing"].rstrip("\n").split("\n")))


def seconds_of(action: Action) -> float:
    """Return how long an action takes: what it costs."""
    assert isinstance(action.cost, Literal), f"{action.name}: the village runs by costs that are numbers"
    return float(action.cost.value)


def _ways(domain: Domain) -> dict[str, dict[str, float]]:
    """Return how far it is from each place to those beside it, as the domain has it."""
    places = domain.handles["place"]
    ways: dict[str, dict[str, float]] = {name: {} for name in places}
    for to in places:
        action = domain.action(f"{TO}{to}")
        for start in places:
            if action.is_possible(domain.state({"at": start})):
                ways[start][to] = seconds_of(action)
    return ways


def _faults(data: Mapping[str, Any], places: tuple[str, ...]) -> Iterator[tuple[str, Path, str]]:
    for name, spot in data["places"].items():
        if name not in places:
            yield f"there is no place {name!r}", ("places", name), name_hint(name, places)
        elif len(spot) != 2:
            yield f"{name!r} is drawn at {spot}", ("places", name), "give a column and a line, as in `[4, 8]`"
    for name in places:
        if name not in data["places"]:
            yield f"{name!r} is not drawn", ("places",), f"add it, as in `{name}: [4, 8]`"
