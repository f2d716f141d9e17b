"""What others may count on: how things will stand when the companion has done what it says it will."""

from collections.abc import Callable

from telos.core.state import State
from telos.core.values import Value


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
