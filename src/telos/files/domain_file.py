"""Domain files to Domain."""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError

from telos.core.action import Action, SmartObject
from telos.core.conditions import Condition, Effect
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, FaultCode, KeyPath, TelosError, name_hint, nearest
from telos.core.expressions import And, Expression, Literal, names
from telos.core.goal import Goal
from telos.core.parser import parse_expression
from telos.core.values import ANY, KEYWORDS, VARIABLE_NAME, Kind, Variable
from telos.files import schema
from telos.files.schema import Finding
from telos.files.yaml import Document, read_text, read_yaml

# --- shape ------------------------------------------------------------------------------------------------------------
# The shape of a domain file: which keys stand where, and what kind of entry each is.
#
# The models are both the check and the source of the JSON Schema that editors complete from. What an entry *means*
# (whether a variable exists, whether types agree) is not their business.


MOST_ITEMS = 100  # conditions or effects in one list

# The marks that tell a union's branches apart, so that a mistake is told by one branch only.
_ONE, _LIST, _MAPPING = "‹one›", "‹list›", "‹mapping›"


def _branch(value: Any) -> str:
    return _MAPPING if isinstance(value, dict) else _one_or_list(value)


def _one_or_list(value: Any) -> str:
    return _LIST if isinstance(value, list) else _ONE


def _tidy(schema: dict[str, Any]) -> None:
    """Drop defaults that an editor would type in for the author and that say nothing, such as ``null``."""
    for entry in schema.get("properties", {}).values():
        if not isinstance(entry.get("default"), float):
            entry.pop("default", None)


class _Shape(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        json_schema_extra=_tidy,
        model_title_generator=lambda model: model.__name__.removesuffix("Shape"),
    )


_Labels: TypeAlias = Annotated[list[schema.Label], Field(min_length=1), Tag(_LIST)]
_Type: TypeAlias = Annotated[Annotated[schema.TypeWord, Tag(_ONE)] | _Labels, Discriminator(_one_or_list)]


class VariableShape(_Shape):
    """A variable with the value it starts with."""

    type: _Type
    """bool, int, number, a kind of handle, or a list of labels."""
    start: schema.StartValue = False
    """The value before anything has happened."""


_Variable: TypeAlias = Annotated[
    Annotated[schema.TypeWord, Tag(_ONE)] | _Labels | Annotated[VariableShape, Tag(_MAPPING)], Discriminator(_branch)
]
_Conditions: TypeAlias = Annotated[
    Annotated[schema.ConditionText, Tag(_ONE)]
    | Annotated[list[schema.ConditionText], Field(max_length=MOST_ITEMS), Tag(_LIST)],
    Discriminator(_one_or_list),
]
_Effects: TypeAlias = Annotated[
    Annotated[schema.EffectText, Tag(_ONE)]
    | Annotated[list[schema.EffectText], Field(max_length=MOST_ITEMS), Tag(_LIST)],
    Discriminator(_one_or_list),
]


class ActionShape(_Shape):
    """One thing a character can do."""

    preconditions: _Conditions = True
    """What must hold before: `weapon_loaded and ammo >= 1`, or a list that must all hold."""
    effects: _Effects = ""
    """What it sets: `ammo -= 1`, or a list. All effects read the state before and happen at once."""
    cost: schema.Cost = 1.0
    """How much a planner should avoid it: a number, or an expression such as `distance(at, place)`."""
    duration: schema.NonNegativeNumber = 0.0
    """How long it takes, in the game's unit of time."""
    changes: dict[str, schema.Number] | None = None
    """How much it raises or lowers each goal: `{eat: -2}`."""
    promises: dict[str, schema.Number] | None = None
    """Changes that arrive only through later actions: raw food promises to still hunger."""
    parameters: dict[schema.ParameterName, schema.HandleKind] | None = None
    """Handles that the goal or the next action fills in: `{place: node}`."""


class GoalShape(_Shape):
    """Something a character wants."""

    insistence: schema.NonNegativeNumber = 0.0
    """How badly it is wanted at the start."""
    drift: schema.Number = 0.0
    """How much insistence grows in a unit of time."""
    curve: schema.CurveName = "square"
    """How insistence turns into discontent."""
    weight: schema.NonNegativeNumber = 1.0
    """How much the discontent counts."""
    wants: _Conditions = True
    """What should hold: `target == dead`."""
    priority: schema.Number = 0.0
    """Which goal a planner serves first: the higher."""
    relevant: _Conditions = True
    """When the goal matters at all: `under_fire`."""


class ObjectShape(_Shape):
    """A thing in the world that posts actions while its own variables allow them."""

    variables: dict[schema.VariableName, _Variable] | None = None
    """The object's own variables; outside of it they are called `oven.contents`."""
    actions: dict[schema.ActionName, ActionShape | None] | None = None
    """What it offers; outside of it, `oven.cook`."""


class DomainShape(_Shape):
    """Everything a character can know, do and want."""

    domain: schema.DomainName
    """The name of the domain."""
    variables: dict[schema.VariableName, _Variable] | None = None
    """What a character keeps track of: `ammo: int`, `target: [alive, dead]`, `at: {type: node, start: gate}`."""
    handles: dict[schema.HandleKind, list[schema.HandleName]] | None = None
    """Names of the game's own things that expressions may use, by kind: `node: [gate, tower]`."""
    actions: dict[schema.ActionName, ActionShape | None] | None = None
    """What a character can do."""
    goals: dict[schema.GoalName, GoalShape | None] | None = None
    """What a character may want."""
    objects: dict[schema.ObjectName, ObjectShape | None] | None = None
    """Smart objects, which bring variables and actions of their own."""
    action_sets: dict[schema.SetName, list[schema.ActionMember]] | None = None
    """Who can do what: `rat: [goto]`."""
    goal_sets: dict[schema.SetName, list[schema.GoalMember]] | None = None
    """Who wants what."""


def schema_text() -> str:
    """Return the JSON Schema of a domain file."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **DomainShape.model_json_schema()}
    schema["title"] = "Telos domain file"
    return json.dumps(schema, indent=2, ensure_ascii=False)


def check_shape(data: Any) -> list[Finding]:
    """Return everything about ``data`` that a domain file cannot have."""
    try:
        DomainShape.model_validate(data)
    except ValidationError as error:
        return [_finding(each) for each in error.errors(include_url=False)]
    return []


def _finding(error: Any) -> Finding:
    path = tuple(part for part in error["loc"] if part not in (_ONE, _LIST, _MAPPING))
    kind, value = error["type"], error["input"]
    if kind == "extra_forbidden":
        return _unknown_key(path)
    if path and path[-1] == "[key]":
        message = f"{path[-2]!r} cannot be {error['ctx']['wanted']}"
        return Finding(
            Fault(message, suggestion=error["ctx"]["remedy"], path=path[:-1], code=FaultCode.BAD_NAME), at_key=True
        )
    entry = next((part for part in reversed(path) if isinstance(part, str)), "a domain file")
    if kind == "missing":
        remedy = "start with `domain: name`" if path == ("domain",) else "as in `{type: int, start: 3}`"
        return Finding(Fault(f"{entry!r} is missing", suggestion=remedy, path=path, code=FaultCode.MISSING_KEY))
    if kind == "too_long":
        message = f"{entry} holds more than {MOST_ITEMS} entries"
        return Finding(
            Fault(message, suggestion="join some with `and` or a comma", path=path, code=FaultCode.TOO_LARGE)
        )
    wanted, remedy = _wanted(error)
    return Finding(
        Fault(f"{entry} must be {wanted}, got {_shown(value)}", suggestion=remedy, path=path, code=FaultCode.WRONG_TYPE)
    )


def _wanted(error: Any) -> tuple[str, str]:
    match error["type"]:
        case "leaf":
            return error["ctx"]["wanted"], error["ctx"]["remedy"]
        case "list_type":
            return "a list", "as in `[first, second]`"
        case "too_short":
            return "a list of at least one label", "as in `[alive, dead]`"
        case _:
            return "a mapping", "write `name: value` lines below it"


def _unknown_key(path: KeyPath) -> Finding:
    known = _fields(path[:-1])
    meant = nearest(str(path[-1]), known)
    suggestion = name_hint(str(path[-1]), known)
    fault = Fault(f"unknown key {path[-1]!r}", suggestion=suggestion, path=path, code=FaultCode.UNKNOWN_KEY)
    return Finding(fault, at_key=True, meant=(*path[:-1], meant) if meant else None)


def _fields(path: KeyPath) -> list[str]:
    """Return the keys that the mapping at ``path`` may have."""
    section = path[-2] if len(path) > 1 else ""
    shapes: dict[str, type[BaseModel]] = {
        "variables": VariableShape,
        "actions": ActionShape,
        "goals": GoalShape,
        "objects": ObjectShape,
    }
    return list(shapes.get(str(section), DomainShape).model_fields)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else f"{value[:37]}...")
    if value == []:
        return "an empty list"
    return {list: "a list", dict: "a mapping", type(None): "nothing"}.get(type(value), repr(value))


# --- doubt ------------------------------------------------------------------------------------------------------------
# What a faulty file leaves open: which names might be defined by the entries that could not be read.
#
# An action that could not be read must not make a set complain that it is unknown, nor a variable with a bad type
# every
# condition that uses it. So whatever hangs on a faulty entry is not checked until the entry is mended.


_WORDS = re.compile(r"[A-Za-z_]\w*")


class Doubt:
    """Which entries are broken, and so which names a later check must not call unknown."""

    def __init__(self, data: Any, broken: Iterable[KeyPath]) -> None:
        self._data = data
        self._broken = set(broken)
        self._touched = {path[:length] for path in self._broken for length in range(len(path) + 1)}
        self._lost: set[str] = set()
        self._lost_things = {
            word for path in self._broken if _defines_object(path) for word in (path[1], *_WORDS.findall(str(path[1])))
        }
        self._any_name_may_be_lost = any(map(_defines_names, self._broken))
        self._declared = set(self.section("variables"))
        for kind in self.section("handles"):
            items = self.section("handles", kind, kind=list)
            self._declared.update(each for each in items if isinstance(each, str))
            self.lose(*(str(each) for i, each in enumerate(items) if self.is_broken("handles", kind, i)))
        for thing in self.section("objects"):
            self._declared.update(f"{thing}.{name}" for name in self.section("objects", thing, "variables"))

    def is_broken(self, *path: str | int) -> bool:
        """Whether the entry itself has a fault."""
        return path in self._broken

    def is_touched(self, *path: str | int) -> bool:
        """Whether the entry or anything in it has a fault."""
        return path in self._touched

    def section(self, *path: str | int, kind: type = dict) -> Any:
        """Return the mapping (or list) at ``path``; an empty one if there is none."""
        found: Any = self._data
        for part in path:
            found = found.get(part) if isinstance(found, dict) else None
        return found if isinstance(found, kind) else kind()

    def lose(self, *names: str) -> None:
        """Note names that the file means to define; a name that is none counts as the words in it."""
        for name in names:
            self._lost.update((name, *_WORDS.findall(name)))

    def unsure(self, owner: str = "", parameters: KeyPath = ()) -> Callable[[str], bool]:
        """Return the test for names that cannot be judged in an action (of ``owner``, with ``parameters`` there)."""
        own = self.section(*parameters) if parameters else {}
        broken = {name for name in own if self.is_touched(*parameters, name)}
        any_may_be_lost = self._any_name_may_be_lost or owner in self._lost_things
        any_may_be_lost |= bool(parameters) and self.is_broken(*parameters)

        def unsure(name: str) -> bool:
            long = f"{owner}.{name}"
            if name in self._lost or long in self._lost or name in broken:
                return True
            if name.partition(".")[0] in self._lost_things:
                return True
            return any_may_be_lost and not (name in self._declared or long in self._declared or name in own)

        return unsure

    def may_be_goal(self, name: str) -> bool:
        """Whether a goal that could not be made may have that name."""
        return self.is_broken("goals") or name in self.section("goals")

    def may_be_action(self, name: str) -> bool:
        """Whether an action that could not be made may have that name."""
        thing, _, own = name.partition(".")
        if self.is_broken("actions") or self.is_broken("objects") or name in self.section("actions"):
            return True
        lost = self.is_broken("objects", thing) or self.is_broken("objects", thing, "actions")
        return lost or own in self.section("objects", thing, "actions")


def _defines_names(path: KeyPath) -> bool:
    """Whether a broken entry may have held variables, objects or handles of any name."""
    match path:
        case () | ("variables" | "handles" | "objects",) | ("handles", _):
            return True
        case _:
            return False


def _defines_object(path: KeyPath) -> bool:
    """Whether a broken entry may have held an object, or variables of an object."""
    match path:
        case ("objects", _) | ("objects", _, "variables"):
            return True
        case _:
            return False


# --- variables --------------------------------------------------------------------------------------------------------
# Variables of a domain file.


# Words of other languages, which would otherwise pass for a kind of handle.
_FOREIGN = {"boolean": "bool", "integer": "int", "float": "number", "double": "number", "real": "number"}
_FOREIGN |= dict.fromkeys(("str", "string", "text", "enum"), "a list of labels, as in [alive, dead]")


def read_variable(doubt: Doubt, path: KeyPath) -> tuple[Variable | None, list[Fault]]:
    """Return the variable at ``path``, or None if its name or type are faulty, and the faults of its meaning."""
    name, body = str(path[-1]), doubt.section(*path[:-1])[path[-1]]
    said: Any = body.get("type") if isinstance(body, dict) else body
    type_path = (*path, "type")
    if doubt.is_broken(*path) or doubt.is_touched(*(type_path if isinstance(body, dict) else path)):
        return None, []
    if isinstance(said, str) and said in _FOREIGN and said not in doubt.section("handles"):
        return None, [
            Fault(
                f"unknown type {said!r}",
                suggestion=f"write {_FOREIGN[said]}",
                path=type_path,
                code=FaultCode.UNKNOWN_NAME,
            )
        ]
    try:
        variable = Variable(name, said)
    except TelosError as error:
        return None, [Fault(str(error), path=type_path)]
    start_path = (*path, "start")
    if not isinstance(body, dict) or "start" not in body or doubt.is_broken(*start_path):
        return variable, []
    return _started(variable, body["start"], start_path, doubt)


def _started(variable: Variable, start: Any, path: KeyPath, doubt: Doubt) -> tuple[Variable, list[Fault]]:
    kind = variable.type.handle
    if variable.type.kind is Kind.HANDLE:
        if start == "none":
            return variable, []
        known = [each for each in doubt.section("handles", kind, kind=list) if isinstance(each, str)]
        if start not in known and not doubt.is_touched("handles"):
            remedy = name_hint(str(start), known) or f"list it, as in `handles: {{{kind}: [{start}]}}`"
            return variable, [
                Fault(f"unknown {kind} {start!r}", suggestion=remedy, path=path, code=FaultCode.UNKNOWN_NAME)
            ]
    try:
        return Variable(variable.name, variable.type, start), []
    except TelosError as error:
        return variable, [
            Fault(
                str(error),
                suggestion=name_hint(str(start), variable.type.labels),
                path=path,
                code=FaultCode.UNKNOWN_NAME,
            )
        ]


# --- draft ------------------------------------------------------------------------------------------------------------
# A domain file's data to the parts of a domain, as far as they can be made.


Unsure: TypeAlias = Callable[[str], bool]
Made = TypeVar("Made")


class Draft:
    """The parts of a domain, the faults met on the way, and where in the file each part came from."""

    def __init__(self, data: Any, broken: Iterable[KeyPath]) -> None:
        self.faults: list[Fault] = []
        self._doubt = doubt = Doubt(data, broken)
        # From a path that the domain knows to the texts it was made of: where each starts, and its path in the file.
        self._origins: dict[KeyPath, list[tuple[int, KeyPath]]] = {}
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
            path: KeyPath = ("goals", name)
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

    def _made(self, path: KeyPath, make: Callable[[], Made]) -> Iterator[Made]:
        try:
            yield make()
        except TelosError as error:
            if not self._doubt.is_broken(*path):  # else its shape has been told already
                self.faults.append(Fault(str(error), path=path))

    def _given(self, path: KeyPath, *keys: str) -> dict[str, Any]:
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

    def _condition(self, path: KeyPath, said: Any, unsure: Unsure) -> Condition:
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

    def _effects(self, path: KeyPath, said: Any, unsure: Unsure) -> Iterator[Effect]:
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

    def _cost(self, path: KeyPath, said: Any, unsure: Unsure) -> Expression | float:
        if not isinstance(said, str):
            return float(said)
        expression = self._parsed(path, said)
        return 1.0 if expression is None or any(map(unsure, names(expression))) else expression

    def _parsed(self, path: KeyPath, text: str, start: int = 0) -> Expression | None:
        try:
            return parse_expression(" " * start + text)
        except DefinitionError as error:
            found = (replace(fault, text=text, path=path, offset=fault.offset - start) for fault in error.faults)
            self.faults += found
            return None

    def _texts(self, path: KeyPath, said: Any) -> Iterator[tuple[KeyPath, Any]]:
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


# --- load -------------------------------------------------------------------------------------------------------------
# Domain files: read, checked, and turned into domains.


# Entries whose value is an expression or a name; a fault in any other is about the key.
_IN_VALUE = frozenset({"preconditions", "effects", "cost", "wants", "relevant", "type", "start"})


def load(path: str | os.PathLike[str], *, functions: Mapping[str, Callable[..., Any]] | None = None) -> Domain:
    """Read the domain file at ``path``; ``functions`` are the game's own, which its expressions call.

    A bad file raises a ``DefinitionError`` that holds all its faults, each with line, column and remedy.
    """
    name = os.fspath(path)
    return loads(read_text(path), name=name, functions=functions)


def loads(text: str, *, name: str = "<text>", functions: Mapping[str, Callable[..., Any]] | None = None) -> Domain:
    r"""Read a domain from the text of a domain file; ``name`` stands for it in faults.

    >>> loads("domain: tiny\nvariables: {ammo: int}\nactions: {shoot: {preconditions: amo >= 1}}")
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: <text>:3:34: unknown variable 'amo' in `amo >= 1`; did you mean 'ammo'?
    """
    document = read_yaml(text, name)
    if document.data is None:
        raise DefinitionError(document.faults)
    faults = list(document.faults)
    broken = {fault.path for fault in faults if fault.path}
    # A shape that the YAML itself already spoilt (a tag, a key twice) is not told again.
    findings = [each for each in check_shape(document.data) if each.fault.path not in broken]
    faults += (document.located(each.fault, at_key=each.at_key) for each in findings)
    broken.update(each.fault.path for each in findings)
    broken.update(each.meant for each in findings if each.meant and each.meant not in document.places)
    draft = Draft(document.data, broken)
    faults += (_located(document, fault) for fault in draft.faults)
    domain = None
    try:
        domain = Domain(
            str(document.data["domain"]) if isinstance(document.data, dict) and "domain" in document.data else name,
            variables=draft.variables,
            actions=draft.actions,
            goals=draft.goals,
            objects=draft.objects,
            handles=draft.handles,
            action_sets=draft.action_sets,
            goal_sets=draft.goal_sets,
            functions=functions,
        )
    except DefinitionError as error:
        faults += (_located(document, draft.in_file(fault)) for fault in error.faults)
    if faults or domain is None:
        # An alias repeats what it points at, faults and all; one mistake is told once.
        told = {(each.line, each.column, each.message): each for each in faults}
        raise DefinitionError(sorted(told.values(), key=lambda fault: (fault.line, fault.column)))
    return domain


def _located(document: Document, fault: Fault) -> Fault:
    at_key = isinstance(fault.path[-1], str) and fault.path[-1] not in _IN_VALUE
    return document.located(fault, at_key=at_key)
