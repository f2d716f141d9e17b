"""Domain, village map, what each goal serves and promises."""

import heapq
import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path as File
from typing import Annotated, Any, NamedTuple, TypeAlias

from pydantic import Field

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import KeyPath, TelosError, name_hint
from telos.core.expressions import Literal
from telos.core.state import State
from telos.core.values import Value
from telos.files.definition import Definition, raise_faults
from telos.files.domain_file import load
from telos.files.schema import FileModel, Number, name_type, text_type
from telos.files.yaml import read_text

# --- map --------------------------------------------------------------------------------------------------------------
# The map of the village: places, the ways between them, and how long they take to walk.


@dataclass(frozen=True, slots=True, eq=False)
class Village:
    """Where places are drawn, and the seconds from each to those beside it. Routes are found once and kept.

    >>> street = {"inn": {"well": 5.0}, "well": {"inn": 5.0, "gate": 8.0}, "gate": {"well": 8.0}}
    >>> tiny = Village({"inn": (0, 0), "well": (3, 2), "gate": (3, 6)}, street)
    >>> tiny.route("inn", "gate"), tiny.walk("inn", "gate")
    (('well', 'gate'), 13.0)
    """

    places: Mapping[str, tuple[int, int]]
    ways: Mapping[str, Mapping[str, float]]
    drawing: tuple[str, ...] = ()
    _from: dict[str, tuple[dict[str, float], dict[str, str]]] = field(default_factory=dict)

    def known(self, place: str) -> str:
        """Return ``place`` if there is one called so."""
        if place not in self.places:
            raise TelosError(f"there is no place {place!r} in the village", name_hint(place, self.places))
        return place

    def walk(self, start: str, to: str) -> float:
        """Return the seconds of the shortest route."""
        return self._routes(start)[0][to]

    def route(self, start: str, to: str) -> tuple[str, ...]:
        """Return the places of the shortest route, without the one it starts from."""
        came = self._routes(start)[1]
        back: list[str] = []
        while to != start:
            back.append(to)
            to = came[to]
        return tuple(reversed(back))

    def _routes(self, start: str) -> tuple[dict[str, float], dict[str, str]]:
        if start not in self._from:
            self._from[start] = self._search(start)
        return self._from[start]

    def _search(self, start: str) -> tuple[dict[str, float], dict[str, str]]:
        far, came = {start: 0.0}, dict[str, str]()
        queue = [(0.0, start)]
        while queue:
            seconds, here = heapq.heappop(queue)
            if seconds > far[here]:
                continue  # a shorter way was found after this entry was queued
            for to, more in self.ways[here].items():
                if seconds + more < far.get(to, math.inf):
                    far[to], came[to] = seconds + more, here
                    heapq.heappush(queue, (far[to], to))
        return far, came


# --- domain -----------------------------------------------------------------------------------------------------------
# What comes with the world: the one domain that is planned with and read with, and the village that it describes.


DATA = File(__file__).parent / "data"
DOMAIN = DATA / "forge.yaml"
PLANS = ("key", "force", "spare")  # the ways through the door: the player's goals
TO = "to-"  # how the names of actions begin that lead to a place
ASK = "ask-"  # ... and of those that are done by asking the other one

_Name: TypeAlias = Annotated[str, name_type("a name")]
_Text: TypeAlias = Annotated[str, text_type("a text")]


class VillageShape(FileModel):
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
    sheet = Definition(text, file, VillageShape, "a village file")
    if not sheet.faults:  # names are looked up only in a file whose shape is right
        for message, path, remedy in _faults(sheet.document.data, domain.handles["place"]):
            sheet.fault(message, path, remedy, at_key=True)
    if sheet.faults:
        raise_faults(sheet.faults)
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


def _faults(data: Mapping[str, Any], places: tuple[str, ...]) -> Iterator[tuple[str, KeyPath, str]]:
    for name, spot in data["places"].items():
        if name not in places:
            yield f"there is no place {name!r}", ("places", name), name_hint(name, places)
        elif len(spot) != 2:
            yield f"{name!r} is drawn at {spot}", ("places", name), "give a column and a line, as in `[4, 8]`"
    for name in places:
        if name not in data["places"]:
            yield f"{name!r} is not drawn", ("places",), f"add it, as in `{name}: [4, 8]`"


# --- duties -----------------------------------------------------------------------------------------------------------
# What the companion's goals are good for: the plan that each serves, what others may count on, and requests.


class Request(NamedTuple):
    """Something that may be asked for: its name in the domain, the goal that answers it, and where it is a stay.

    A fire and a shoulder are wanted until the player has come there and left; a basket is brought, and that is that.
    """

    asked: str
    goal: str
    stays: str | None = None


# Which plan each goal serves that comes from reading; the others are asked for, or manners.
SERVES = {"tend_fire": "key", "bring_hammer": "force", "lend_shoulder": "force", "do_favour": "spare"}

# By what the player may mean.
REQUESTS = {
    "fire": Request("for_fire", "make_fire", stays="forge"),
    "bellows": Request("for_bellows", "blow", stays="forge"),
    "hammer": Request("for_hammer", "get_hammer"),
    "shoulder": Request("for_shoulder", "push", stays="door"),
    "apples": Request("for_apples", "get_apples"),
    "move": Request("to_move", "move_over"),
}

# What is promised by taking up a goal; getting out of the way is nothing to count on.
PROMISES = {"tend_fire": "fire", "bring_hammer": "hammer", "lend_shoulder": "shoulder", "do_favour": "apples"} | {
    request.goal: means for means, request in REQUESTS.items() if means != "move"
}

# The plan that a promise is part of.
PLAN_OF = {"fire": "key", "bellows": "key", "hammer": "force", "shoulder": "force", "apples": "spare"}


# --- promises ---------------------------------------------------------------------------------------------------------
# What others may count on: how things will stand when the companion has done what it says it will.


def _fire(state: State) -> dict[str, Value]:
    return {"fire": "hot", "fuel": True, "bellows": True}


def _bellows(state: State) -> dict[str, Value]:
    return {"fire": "hot", "bellows": True} if state["fire"] != "out" else {}


def _hammer(state: State) -> dict[str, Value]:
    return {"tool": "at_door"} if state["tool"] == "in_shed" else {}


def _shoulder(state: State) -> dict[str, Value]:
    return {"shoulder": True}


def _apples(state: State) -> dict[str, Value]:
    # A basket that one has in one's own hands is given all the same.
    return {"owed": max(1 if state["hands"] == "apples" else 0, state["owed"] - 1) if state["owed"] else 0}


_EFFECTS: dict[str, Callable[[State], dict[str, Value]]] = {
    "fire": _fire,
    "bellows": _bellows,
    "hammer": _hammer,
    "shoulder": _shoulder,
    "apples": _apples,
}


def counting_on(promise: str, state: State) -> dict[str, Value]:
    """Return what will be different once a promise is kept.

    >>> from telos.worlds.forge.domain import the_domain
    >>> counting_on("apples", the_domain().state({"owed": 2}))
    {'owed': 1}
    """
    return _EFFECTS[promise](state)
