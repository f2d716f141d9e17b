"""A domain file's data to the parts of a domain, as far as they can be made."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias, TypeVar

from telos.core.action import Action
from telos.core.conditions import Condition, Effect
from telos.core.errors import DefinitionError, Fault, Path, TelosError
from telos.core.expressions import And, Expression, Literal, names
from telos.core.files.doubt import Doubt
from telos.core.files.variables import read_variable
from telos.core.goal import Goal
from telos.core.parser import parse_expression
from telos.core.smart_object import SmartObject
from telos.core.values import ANY, KEYWORDS, VARIABLE_NAME, Variable

Unsure: TypeAlias = Callable[[str], bool]
Made = TypeVar("Made")


class Draft:
    """The parts of a domain, the faults met on the way, and where in the file each part came from."""

    def __init__(self, data: Any, broken: Iterable[Path]) -> None:
        self.faults: list[Fault] = []
        self._doubt = doubt = Doubt(data, broken)
        # From a path that the domain knows to the texts it was made of: where each starts, and its path in the file.
        self._origins: dict[Path, list[tuple[int, Path]]] = {}
        # All variables come first: an action may speak of any object's.
        self.variables = list(self._variables("variables"))
        things = {name: list(self._variables("objects", name, "variables")) for name in doubt.section("objects")}
        self.handles = {kind: list(self._good_items("handles", kind)) for kind in doubt.section("handles")}
        self.goals = list(self._goals())
        self._goal_names = {goal.name for goal in self.goals}
        self.actions = list(self._actions("actions"))
        self.objects = [each for name, own in things.items() for each in self._object(name, own)]
        self.action_sets = self._sets("action_sets", self._action_names(), doubt.may_be_action)
        self.goal_sets = self._sets("goal_sets", self._goal_names, doubt.may_be_goal)

    def in_file(self, fault: Fault) -> Fault:
        """Return a fault that the domain found with the path and offset that it has in the file."""
        path = fault.path
        if path[:1] == ("variables",) and "." in str(path[1]):
            path = ("objects", *str(path[1]).replace(".", ".variables.", 1).split("."), *path[2:])
        for start, origin in reversed(self._origins.get(path, [])):
            if start <= fault.offset:
                return replace(fault, path=origin, offset=fault.offset - start)
        return replace(fault, path=path)

    def _variables(self, *section: str) -> Iterator[Variable]:
        for name in self._doubt.section(*section):
            variable, faults = read_variable(self._doubt, (*section, name))
            self.faults += faults
            if variable is None:
                self._doubt.lose(name if len(section) == 1 else f"{section[1]}.{name}")
                if not VARIABLE_NAME.match(name) or name in KEYWORDS:
                    continue
                variable = Variable(name, ANY)  # never used, but there to be suggested
            yield variable

    def _goals(self) -> Iterator[Goal]:
        for name in self._doubt.section("goals"):
            path: Path = ("goals", name)
            given = self._given(path, "insistence", "drift", "curve", "weight", "priority")
            for key, said in self._given(path, "wants", "relevant").items():
                given[key] = self._condition((*path, key), said, self._doubt.unsure())
            yield from self._made(path, partial(Goal, name, **given))

    def _actions(self, *section: str) -> Iterator[Action]:
        for name in self._doubt.section(*section):
            path = (*section, name)
            unsure = self._doubt.unsure(section[1] if len(section) > 1 else "", (*path, "parameters"))
            given = self._given(path, "duration")
            for key, said in self._given(path, "preconditions").items():
                given[key] = self._condition((*path, key), said, unsure)
            for key, said in self._given(path, "effects").items():
                given[key] = tuple(self._effects((*path, key), said, unsure))
            for key, said in self._given(path, "cost").items():
                given[key] = self._cost((*path, key), said, unsure)
            for key in ("changes", "promises"):
                given[key] = {goal: by for goal, by in self._good_entries(*path, key) if self._can_judge_goal(goal)}
            given["parameters"] = dict(self._good_entries(*path, "parameters"))
            yield from self._made(path, partial(Action, name, **given))

    def _object(self, name: str, variables: list[Variable]) -> Iterator[SmartObject]:
        actions = list(self._actions("objects", name, "actions"))
        yield from self._made(("objects", name), partial(SmartObject, name, variables=variables, actions=actions))

    def _made(self, path: Path, make: Callable[[], Made]) -> Iterator[Made]:
        try:
            yield make()
        except TelosError as error:
            if not self._doubt.is_broken(*path):  # else its shape has been told already
                self.faults.append(Fault(str(error), path=path))

    def _given(self, path: Path, *keys: str) -> dict[str, Any]:
        """Return the entries of a body that are there and have the right shape."""
        body = self._doubt.section(*path)
        return {key: body[key] for key in keys if key in body and not self._doubt.is_broken(*path, key)}

    def _good_entries(self, *path: str | int) -> Iterator[tuple[str, Any]]:
        for name, value in self._doubt.section(*path).items():
            if not self._doubt.is_touched(*path, name):
                yield name, value

    def _good_items(self, *path: str | int) -> Iterator[Any]:
        for i, item in enumerate(self._doubt.section(*path, kind=list)):
            if not self._doubt.is_touched(*path, i):
                yield item

    def _can_judge_goal(self, name: str) -> bool:
        return name in self._goal_names or not self._doubt.may_be_goal(name)

    def _action_names(self) -> set[str]:
        posted = [action for thing in self.objects for action in thing.actions]
        return {action.name for action in [*self.actions, *posted]}

    def _sets(self, section: str, made: set[str], may_be: Unsure) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for key in self._doubt.section(section):
            members = found[key] = []
            for i, name in enumerate(self._doubt.section(section, key, kind=list)):
                if not self._doubt.is_broken(section, key, i) and (name in made or not may_be(name)):
                    self._origins[section, key, len(members)] = [(0, (section, key, i))]
                    members.append(name)
        return found

    def _condition(self, path: Path, said: Any, unsure: Unsure) -> Condition:
        """Read a condition, without the parts that hang on faulty entries.

        The items of a list are read as if they stood in one text, so that an offset tells which item it is in.
        """
        parts: list[Expression] = []
        start = 0
        for where, text in self._texts(path, said):
            if isinstance(text, bool):
                parts.append(Literal(text))
                continue
            self._origins.setdefault(path, []).append((start, where))
            expression = self._parsed(where, text, start)
            if expression is not None:
                # One `and` at a time, so that a part with nothing wrong around it is still checked.
                each = expression.parts if isinstance(expression, And) else (expression,)
                parts += (part for part in each if not any(map(unsure, names(part))))
            start += len(text) + 1
        return Condition(parts[0] if len(parts) == 1 else And(tuple(parts))) if parts else Condition()

    def _effects(self, path: Path, said: Any, unsure: Unsure) -> Iterator[Effect]:
        count = 0
        for where, text in self._texts(path, said):
            try:
                effects = Effect.all_of(text)
            except DefinitionError as error:
                self.faults += (replace(fault, path=where) for fault in error.faults)
                continue
            for effect in effects:
                if not any(map(unsure, {effect.variable, *names(effect.value)})):
                    self._origins[*path, count] = [(0, where)]
                    count += 1
                    yield effect

    def _cost(self, path: Path, said: Any, unsure: Unsure) -> Expression | float:
        if not isinstance(said, str):
            return float(said)
        expression = self._parsed(path, said)
        return 1.0 if expression is None or any(map(unsure, names(expression))) else expression

    def _parsed(self, path: Path, text: str, start: int = 0) -> Expression | None:
        try:
            return parse_expression(" " * start + text)
        except DefinitionError as error:
            found = (replace(fault, text=text, path=path, offset=fault.offset - start) for fault in error.faults)
            self.faults += found
            return None

    def _texts(self, path: Path, said: Any) -> Iterator[tuple[Path, Any]]:
        """Yield the texts of an entry that is one text or a list of them, each with its path."""
        if not isinstance(said, list):
            yield path, said
            return
        opening = [str(each).count("(") - str(each).count(")") for each in said]
        cut = 0  # `[ammo = min(ammo, 3)]`: YAML cuts at the comma, and the first piece alone is told
        for i, each in enumerate(said):
            if i < cut or self._doubt.is_broken(*path, i):
                continue
            if opening[i] > 0:
                cut = next((j + 1 for j in range(i + 1, len(said)) if opening[j] < 0), 0)
            yield (*path, i), each
