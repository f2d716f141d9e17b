"""The domain of the scene, the village map, and the companion's goals: what they serve, answer and promise.

Players, companion and recogniser all use the one domain of ``forge.yaml``.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

from pydantic import Field

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import KeyPath, TelosError, name_hint
from telos.core.expressions import Literal
from telos.core.state import State
from telos.core.values import Value
from telos.files.definition import Definition, raise_faults
from telos.files.domain_file import load
from telos.files.reading import read_text
from telos.files.schema import FileModel, Number, name_type, text_type
from telos.worlds.routes import Routes

DATA = Path(__file__).parent / "data"
DOMAIN = DATA / "forge.yaml"
PLANS = ("key", "force", "spare")  # the player's goals: three ways through the door
TO = "to-"  # prefix of actions that lead to a place
ASK = "ask-"  # prefix of actions that ask the companion
# The plan that each goal serves which comes from recognition; the others are requests or courtesy.
SERVES = {"tend_fire": "key", "bring_hammer": "force", "lend_shoulder": "force", "do_favour": "spare"}
PLAN_OF = {"fire": "key", "bellows": "key", "hammer": "force", "shoulder": "force", "apples": "spare"}


# --- the village ---


@dataclass(frozen=True, slots=True, eq=False)
class Village:
    """The places of the village and the walking time between neighbours, in seconds.

    >>> street = {"inn": {"well": 5.0}, "well": {"inn": 5.0, "gate": 8.0}, "gate": {"well": 8.0}}
    >>> tiny = Village({"inn": (0, 0), "well": (3, 2), "gate": (3, 6)}, street)
    >>> tiny.route("inn", "gate"), tiny.walk("inn", "gate")
    (('well', 'gate'), 13.0)
    """

    places: Mapping[str, tuple[int, int]]
    ways: Mapping[str, Mapping[str, float]]
    drawing: tuple[str, ...] = ()
    _routes: Routes = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_routes", Routes(self.ways))

    def known(self, place: str) -> str:
        if place not in self.places:
            raise TelosError(f"there is no place {place!r} in the village", name_hint(place, self.places))
        return place

    def walk(self, start: str, to: str) -> float:
        """Return the duration of the shortest route in seconds."""
        return self._routes.distance(start, to)

    def route(self, start: str, to: str) -> tuple[str, ...]:
        """Return the places of the shortest route, the first one excluded."""
        found = self._routes.find(start, to)
        if found is None:
            raise TelosError(f"there is no way from {start!r} to {to!r} in the village")
        return found


# --- the domain and the village file ---


_Name: TypeAlias = Annotated[str, name_type("a name")]
_Text: TypeAlias = Annotated[str, text_type("a text")]


class VillageShape(FileModel):
    """Schema of a village file."""

    village: _Name = Field(examples=["forge"])
    """The name of the village."""
    places: dict[_Name, list[Number]] = Field(examples=["{inn: [4, 8]}"])
    """By name: the column and the line where it stands."""
    drawing: _Text = Field(examples=["|"])
    """The picture of the village, drawn below `drawing: |`."""


@cache  # constant; every game needs it
def load_forge_domain() -> Domain:
    """Return the domain of the scene.

    >>> [goal.name for goal in load_forge_domain().goals_of("player")]
    ['key', 'force', 'spare']
    """
    return load(DOMAIN)


@cache
def load_village() -> Village:
    """Return the village that comes with the package.

    >>> load_village().route("inn", "river"), load_village().walk("inn", "river")
    (('square', 'bridge', 'river'), 24.0)
    """
    return read_village(DATA / "village.yaml")


def read_village(path: str | os.PathLike[str]) -> Village:
    """Read a village file."""
    return parse_village(read_text(path), load_forge_domain(), file=os.fspath(path))


def parse_village(text: str, domain: Domain, *, file: str = "<text>") -> Village:
    """Parse the text of a village file; a ``DefinitionError`` holds all its faults."""
    definition = Definition(text, file, VillageShape, "a village file")
    model = definition.model
    if definition.faults or model is None:  # names are resolved only in a file of valid shape
        raise_faults(definition.faults)
    for message, path, remedy in _faults(model.places, domain.handles["place"]):
        definition.fault(message, path, remedy, at_key=True)
    definition.raise_if_faulty()
    places = {name: (int(spot[0]), int(spot[1])) for name, spot in model.places.items()}
    return Village(places, _ways(domain), tuple(model.drawing.rstrip("\n").split("\n")))


def seconds_of(action: Action) -> float:
    """Return the duration of an action, which is its cost."""
    assert isinstance(action.cost, Literal), f"{action.name}: the village runs by costs that are numbers"
    return float(action.cost.value)


def _ways(domain: Domain) -> dict[str, dict[str, float]]:
    """Return the walking time from each place to its neighbours, taken from the actions of the domain."""
    places = domain.handles["place"]
    ways: dict[str, dict[str, float]] = {name: {} for name in places}
    for to in places:
        action = domain.action(f"{TO}{to}")
        for start in places:
            if action.is_possible(domain.state({"at": start})):
                ways[start][to] = seconds_of(action)
    return ways


def _faults(drawn: Mapping[str, Sequence[float]], places: tuple[str, ...]) -> Iterator[tuple[str, KeyPath, str]]:
    for name, spot in drawn.items():
        if name not in places:
            yield f"there is no place {name!r}", ("places", name), name_hint(name, places)
        elif len(spot) != 2:
            yield f"{name!r} is drawn at {spot}", ("places", name), "give a column and a line, as in `[4, 8]`"
    for name in places:
        if name not in drawn:
            yield f"{name!r} is not drawn", ("places",), f"add it, as in `{name}: [4, 8]`"


# --- the companion's goals ---


class Request(NamedTuple):
    """Something the player may ask for: its name in the domain, the companion's goal, and the place to stay at.

    A request with a place lasts until the player has come there and left; the others end when the goal is reached.
    """

    asked: str
    goal: str
    stays: str | None = None


# Requests by meaning.
REQUESTS = {
    "fire": Request("for_fire", "make_fire", stays="forge"),
    "bellows": Request("for_bellows", "blow", stays="forge"),
    "hammer": Request("for_hammer", "get_hammer"),
    "shoulder": Request("for_shoulder", "push", stays="door"),
    "apples": Request("for_apples", "get_apples"),
    "move": Request("to_move", "move_over"),
}

# The promise that pursuing a goal makes; stepping aside is none.
PROMISES = {"tend_fire": "fire", "bring_hammer": "hammer", "lend_shoulder": "shoulder", "do_favour": "apples"} | {
    request.goal: means for means, request in REQUESTS.items() if means != "move"
}


# --- promises: the state to expect when the companion has done what it announced ---


def _fire(state: State) -> dict[str, Value]:
    return {"fire": "hot", "fuel": True, "bellows": True}


def _bellows(state: State) -> dict[str, Value]:
    return {"fire": "hot", "bellows": True} if state["fire"] != "out" else {}


def _hammer(state: State) -> dict[str, Value]:
    return {"tool": "at_door"} if state["tool"] == "in_shed" else {}


def _shoulder(state: State) -> dict[str, Value]:
    return {"shoulder": True}


def _apples(state: State) -> dict[str, Value]:
    # A basket in the player's own hands is given in any case.
    return {"owed": max(1 if state["hands"] == "apples" else 0, state["owed"] - 1) if state["owed"] else 0}


_EFFECTS: dict[str, Callable[[State], dict[str, Value]]] = {
    "fire": _fire,
    "bellows": _bellows,
    "hammer": _hammer,
    "shoulder": _shoulder,
    "apples": _apples,
}


def promised_changes(promise: str, state: State) -> dict[str, Value]:
    """Return the variables that change once a promise is kept.

    >>> from telos.worlds.forge.domain import load_forge_domain
    >>> promised_changes("apples", load_forge_domain().state({"owed": 2}))
    {'owed': 1}
    """
    return _EFFECTS[promise](state)
