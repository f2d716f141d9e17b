"""The village's peer: behaviour trees of py_trees for the bodies of examples/village, in the same world.

The world, the bodies and what their actions do are the example's own; only the minds are other ones. What a plan finds
by itself (an axe before a tree, gold before bread, the market after the tree) is written out as branches, and
priorities that grow are tests. A failure is kept in mind for as long as a crowd keeps it.
"""

import inspect
import math
from collections.abc import Callable, Generator
from importlib import import_module
from typing import Any

import telos

py_trees: Any = import_module("py_trees")
Status: Any = py_trees.common.Status
FORGET = 20.0  # seconds, as long as a crowd remembers a failure


class TreeMind:
    """What the nodes of one tree share: the body, what it senses in this frame, and what has failed lately."""

    def __init__(self, body: Any) -> None:
        self.body, self.now = body, 0.0
        self.sees: dict[str, Any] = {}
        self.failed: dict[str, float] = {}  # when, by action

    def has_failed(self, action: str) -> bool:
        return self.now < self.failed.get(action, -math.inf) + FORGET


class If(py_trees.behaviour.Behaviour):  # type: ignore[misc]
    """A condition over what is sensed."""

    def __init__(self, name: str, mind: TreeMind, test: Callable[[dict[str, Any]], bool]) -> None:
        super().__init__(name)
        self.mind, self.test = mind, test

    def update(self) -> Any:
        return Status.SUCCESS if self.test(self.mind.sees) else Status.FAILURE


class Do(py_trees.behaviour.Behaviour):  # type: ignore[misc]
    """An action of the body: a method, a generator or an object with ``begin`` and ``progress``."""

    def __init__(self, action: str, mind: TreeMind, target: Callable[[dict[str, Any]], Any] | None = None) -> None:
        super().__init__(action)
        self.mind, self.target = mind, target
        self.step: Any = None

    def initialise(self) -> None:
        self.step = None

    def update(self) -> Any:
        if self.mind.has_failed(self.name):
            return Status.FAILURE
        try:
            done = self.go_on() if self.step is not None else self.start()
        except telos.Failed:
            self.mind.failed[self.name] = self.mind.now
            return Status.FAILURE
        return Status.SUCCESS if done else Status.RUNNING

    def start(self) -> bool:
        body, now, action = self.mind.body, self.mind.now, getattr(self.mind.body, self.name)
        if inspect.isclass(action):
            self.step = action()
            self.step.begin(body, now)
            return False
        self.step = action(self.target(self.mind.sees)) if self.target is not None else action()
        return self.step is None or self.go_on()

    def go_on(self) -> bool:
        if isinstance(self.step, Generator):
            return next(self.step, self) is self
        return bool(self.step.progress(self.mind.body, self.mind.now))

    def terminate(self, new_status: Any) -> None:
        if new_status == Status.INVALID and isinstance(self.step, Generator):
            self.step.close()


def make_tree(mind: TreeMind) -> Any:
    """Return the root of a villager's tree."""

    def sequence(name: str, *children: Any) -> Any:
        made = py_trees.composites.Sequence(name, memory=True)  # a sleeper sleeps on when he is less tired
        made.add_children(children)
        return made

    def selector(name: str, *children: Any, memory: bool = True) -> Any:
        made = py_trees.composites.Selector(name, memory=memory)
        made.add_children(children)
        return made

    def check(name: str, test: Callable[[dict[str, Any]], bool]) -> Any:
        return If(name, mind, test)

    def go(place: str) -> Any:
        return Do("goto", mind, lambda sees: sees.get(place, place))

    def get_axe() -> Any:
        buy = sequence("buy an axe", check("3 gold", lambda sees: sees["gold"] >= 3), go("smithy"), Do("buy_axe", mind))
        return selector("an axe", check("has an axe", lambda sees: sees["axe"]), buy)

    def sell_wood() -> Any:
        return sequence("sell wood", go("market"), Do("sell", mind))

    def earn() -> Any:
        stored = sequence("sell what there is", check("wood", lambda sees: sees["wood"] >= 1), sell_wood())
        tree = check("a tree", lambda sees: sees["tree"] is not None)
        return selector("earn", stored, sequence("fell", get_axe(), tree, go("tree"), Do("chop", mind), sell_wood()))

    def eat() -> Any:
        has_gold = selector("2 gold", check("has 2 gold", lambda sees: sees["gold"] >= 2), earn())
        has_not_failed = check("not sold out", lambda sees: not mind.has_failed("buy_bread"))
        buy = sequence("buy bread", has_not_failed, has_gold, go("bakery"), Do("buy_bread", mind))
        bread = selector("bread", check("has bread", lambda sees: sees["bread"] >= 1), buy)
        return sequence("to eat", bread, Do("eat", mind))

    hungrier = check("hungrier than tired", lambda sees: sees["hunger"] > max(40, sees["tired"]))
    return selector(
        "villager",
        sequence("safe", check("a wolf", lambda sees: sees["wolf_near"]), go("home"), Do("hide", mind)),
        sequence("fed first", hungrier, eat()),
        sequence("rested", check("tired", lambda sees: sees["tired"] > 40), go("home"), Do("sleep", mind)),
        sequence("fed", check("hungry", lambda sees: sees["hunger"] > 40), eat()),
        sequence("thrifty", check("poor", lambda sees: sees["gold"] < 8), earn()),
        memory=False,  # what is more urgent interrupts
    )


class TreeCrowd:
    """Ticks the trees of all villagers; what is in progress is not saved: py_trees has no words for that."""

    def __init__(self, people: dict[str, Any]) -> None:
        self.minds = {name: TreeMind(body) for name, body in people.items()}
        self.trees = {name: make_tree(mind) for name, mind in self.minds.items()}

    def tick(self, now: float, microseconds: float | None = None) -> None:
        """Let everybody sense, and tick each tree once; there is nothing that could be put off."""
        for name, mind in self.minds.items():
            mind.now, mind.sees = now, mind.body.sense(now)
            self.trees[name].tick_once()

    def why(self, name: str) -> str:
        """Return the tree with the status of its nodes."""
        return str(py_trees.display.unicode_tree(self.trees[name], show_status=True))

    def save(self) -> dict[str, Any]:
        return {
            name: {"failed": mind.failed, "body": {each: getattr(mind.body, each) for each in mind.body.saves}}
            for name, mind in self.minds.items()
        }

    def restore(self, saved: dict[str, Any]) -> None:
        """Put bodies back and begin all trees anew."""
        for name, told in saved.items():
            mind = self.minds[name]
            mind.failed = dict(told["failed"])
            for each, value in told["body"].items():
                setattr(mind.body, each, tuple(value) if each == "cell" else value)
            self.trees[name].stop(Status.INVALID)
