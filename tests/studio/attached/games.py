"""A game small enough to compute by hand: bakers who bake bread, and a reader of the player."""

import json
import time
from collections.abc import Callable
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import telos
from telos.studio.attached import Attachment
from telos.studio.attached.outlet import find_token

SHOP = """
domain: shop
variables: {bread: int, hungry: bool}
actions:
  bake: {effects: bread += 1}
  eat: {preconditions: bread >= 1, effects: [hungry = false, bread -= 1]}
goals:
  stock: {wants: bread >= 3, priority: 5}
  fed: {wants: not hungry, priority: 9, relevant: hungry}
"""
READER = """
recognizer: fsm
goals: [rest, work]
start: rest
rules:
  - {if: hammered, then: work}
  - {if: slept, then: rest}
"""


class Baker(telos.Body):
    """Stands in a cell, and bakes for two seconds at a time."""

    def __init__(self, cell: tuple[int, int]) -> None:
        self.cell, self.bread, self.hungry = cell, 0, False

    def sense(self, now: float) -> dict[str, Any]:
        return {"bread": self.bread, "hungry": self.hungry}

    def bake(self) -> Any:
        yield from telos.wait(2)
        self.bread += 1

    def eat(self) -> None:
        self.bread, self.hungry = self.bread - 1, False


def shop(*names: str) -> telos.Crowd:
    """Return a crowd of bakers in a row."""
    crowd = telos.Crowd(telos.loads(SHOP))
    for x, name in enumerate(names or ("Ann", "Bob")):
        crowd.add(name, Baker((x, 2)))
    return crowd


def reader() -> Any:
    """Return a reader of the player."""
    from telos.recognition.files.load import create_recognizer, loads_model

    return create_recognizer(loads_model(READER))


def ask(attached: Attachment, path: str, body: dict[str, Any] | None = None, *, token: str | None = None) -> Any:
    """Ask an attached game as a studio does."""
    known = find_token(int(attached.address.rpartition(":")[2])) if token is None else token
    data = None if body is None else json.dumps(body).encode()
    request = Request(attached.address + path, data, {"authorization": f"Bearer {known}"})
    try:
        with urlopen(request, timeout=10) as answer:
            return json.load(answer)
    except HTTPError as error:
        with error:
            return json.load(error)


def until(is_met: Callable[[], Any], *, seconds: float = 20.0) -> Any:
    """Wait until something is the case."""
    end = time.monotonic() + seconds
    while not (found := is_met()):
        assert time.monotonic() < end, "it has not happened"
        time.sleep(0.01)
    return found
