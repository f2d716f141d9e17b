"""Things in the world that offer actions while their own state allows them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from telos.core.action import Action
from telos.core.conditions import Condition
from telos.core.errors import TelosError, name_hint
from telos.core.expressions import rename
from telos.core.state import Layout, State
from telos.core.values import VARIABLE_NAME, Variable


@dataclass(frozen=True, slots=True, init=False)
class SmartObject:
    """An oven, a door, a kettle: it has variables of its own and posts the actions that its state allows.

    The object's actions speak of its variables by their short names; from outside they are ``oven.contents`` and
    ``oven.cook``, so that a house can have two ovens.

    >>> kettle = SmartObject(
    ...     "kettle",
    ...     variables=[Variable("hot", "bool")],
    ...     actions=[Action("boil", preconditions="not hot", effects="hot = true"),
    ...              Action("make-tea", preconditions="hot", effects="hot = false", changes={"thirst": -3})],
    ... )
    >>> state = kettle.state()
    >>> [action.name for action in kettle.posts(state)]
    ['kettle.boil']
    >>> [action.name for action in kettle.posts(kettle.action("boil").result(state))]
    ['kettle.make-tea']
    """

    name: str
    variables: tuple[Variable, ...]
    actions: tuple[Action, ...]

    def __init__(self, name: str, *, variables: Iterable[Variable] = (), actions: Iterable[Action] = ()) -> None:
        if not VARIABLE_NAME.match(name):
            raise TelosError(f"{name!r} cannot name an object", f"use letters, digits and _, as in {_as_word(name)!r}")
        own = tuple(variables)
        short = frozenset(variable.name for variable in own)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "variables", tuple(Variable(f"{name}.{v.name}", v.type, v.start) for v in own))
        object.__setattr__(self, "actions", tuple(_posted(action, name, short) for action in actions))

    def posts(self, state: State) -> tuple[Action, ...]:
        """Return the actions on offer in ``state``."""
        return tuple(action for action in self.actions if action.is_possible(state))

    def action(self, name: str) -> Action:
        """Return the action with that name, short or long."""
        for action in self.actions:
            if action.name in (name, f"{self.name}.{name}"):
                return action
        short = [action.name.removeprefix(f"{self.name}.") for action in self.actions]
        raise TelosError(f"{self.name!r} has no action {name!r}", name_hint(name, short))

    def state(self) -> State:
        """Return the state of the object alone, before anybody has touched it."""
        return Layout(self.variables).state()


def _posted(action: Action, owner: str, short: frozenset[str]) -> Action:
    def long(name: str) -> str:
        return f"{owner}.{name}" if name in short else name

    effects = [replace(each, variable=long(each.variable), value=rename(each.value, long)) for each in action.effects]
    return replace(
        action,
        name=f"{owner}.{action.name}",
        preconditions=Condition(rename(action.preconditions.expression, long)),
        effects=tuple(effects),
        cost=rename(action.cost, long),
        on=owner,
    )


def _as_word(name: str) -> str:
    word = "".join(character if character.isalnum() else "_" for character in name).strip("_")
    return word if VARIABLE_NAME.match(word) else "oven"
