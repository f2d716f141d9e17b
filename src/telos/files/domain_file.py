"""Domain files: YAML text to `Domain`, with every fault located.

Start with `load` and `loads`. The models (`DomainShape` and its parts) say which keys a file may have and what their
defaults are; they validate a file and are the source of the JSON Schema. `DomainBuilder` turns a validated file into
the parts of a domain.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import ConfigDict, Discriminator, Field, Tag

from telos.core.action import Action, SmartObject
from telos.core.conditions import Condition, Effect
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, FaultCode, KeyPath, TelosError, name_hint
from telos.core.expressions import And, Expression, Literal, names_in, parse_expression
from telos.core.goal import Goal
from telos.core.template import ObjectTemplate
from telos.core.values import ANY, KEYWORDS, VARIABLE_NAME, ValueKind, Variable
from telos.files import schema
from telos.files.definition import Definition, raise_faults
from telos.files.reading import read_text
from telos.files.schema import FileModel, Finding, Hint, branch_tag, check_model
from telos.files.yaml import Document

MAX_ITEMS = 100  # conditions or effects in one list

_WHAT = "a domain file"
_LEFT_OUT: Any = None  # the default of a field that may be left out, but not written as null
# Entries whose value is an expression or a name; a fault in any other is about the key.
_IN_VALUE = frozenset({"preconditions", "effects", "cost", "wants", "relevant", "priority", "type", "start"})
# Type names of other languages, which would otherwise pass for a kind of handle.
_FOREIGN_TYPES = {"boolean": "bool", "integer": "int", "float": "number", "double": "number", "real": "number"}
_FOREIGN_TYPES |= dict.fromkeys(("str", "string", "text", "enum"), "a list of labels, as in [alive, dead]")
_TEMPLATE_KEYS = frozenset({"parameters", "instances", "slots"})  # of an object that stands for many
_WORDS = re.compile(r"[A-Za-z_]\w*")


# --- the shape of a domain file ---------------------------------------------------------------------------------------

_ONE, _LIST, _MAPPING = map(branch_tag, ("one", "list", "mapping"))


def _one_or_list(value: Any) -> str:
    return _LIST if isinstance(value, list) else _ONE


def _one_list_or_mapping(value: Any) -> str:
    return _MAPPING if isinstance(value, dict) else _one_or_list(value)


def _keep_numeric_defaults(schema: dict[str, Any]) -> None:
    for entry in schema.get("properties", {}).values():
        if not isinstance(entry.get("default"), float):
            entry.pop("default", None)


class _Shape(FileModel):
    model_config = ConfigDict(json_schema_extra=_keep_numeric_defaults)


_Labels: TypeAlias = Annotated[
    list[schema.Label],
    Field(min_length=1),
    Tag(_LIST),
    Hint("as in `[alive, dead]`", wanted="a list of at least one label"),
]
_Type: TypeAlias = Annotated[Annotated[schema.TypeWord, Tag(_ONE)] | _Labels, Discriminator(_one_or_list)]


class VariableShape(_Shape):
    """A variable with the value it starts with."""

    type: Annotated[_Type, Hint("as in `{type: int, start: 3}`")]
    """bool, int, number, a kind of handle, or a list of labels."""
    start: schema.StartValue = _LEFT_OUT
    """The value before anything has happened."""


_Variable: TypeAlias = Annotated[
    Annotated[schema.TypeWord, Tag(_ONE)] | _Labels | Annotated[VariableShape, Tag(_MAPPING)],
    Discriminator(_one_list_or_mapping),
]
_JOIN_SOME = Hint("join some with `and` or a comma")
_Conditions: TypeAlias = Annotated[
    Annotated[schema.ConditionText, Tag(_ONE)]
    | Annotated[
        list[schema.ConditionText],
        Field(max_length=MAX_ITEMS),
        Tag(_LIST),
        _JOIN_SOME,
    ],
    Discriminator(_one_or_list),
]
_Effects: TypeAlias = Annotated[
    Annotated[schema.EffectText, Tag(_ONE)]
    | Annotated[
        list[schema.EffectText],
        Field(max_length=MAX_ITEMS),
        Tag(_LIST),
        _JOIN_SOME,
    ],
    Discriminator(_one_or_list),
]


class ActionShape(_Shape):
    """One thing a character can do."""

    preconditions: _Conditions = True
    """What must hold before: `weapon_loaded and ammo >= 1`, or a list that must all hold."""
    effects: _Effects = Field(default_factory=list)
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
    wants: _Conditions = _LEFT_OUT
    """What should hold: `target == dead`."""
    priority: schema.Priority = 0.0
    """Which goal a planner serves first, the higher: a number, or an expression over variables (`hunger * 2`)."""
    relevant: _Conditions = True
    """When the goal matters at all: `under_fire`."""


def _list_or_mapping(value: Any) -> str:
    return _MAPPING if isinstance(value, dict) else _LIST


_Instance: TypeAlias = Annotated[
    Annotated[schema.HandleName, Tag(_ONE)] | Annotated[dict[schema.ParameterName, schema.HandleName], Tag(_MAPPING)],
    Discriminator(lambda value: _MAPPING if isinstance(value, dict) else _ONE),
]
_Instances: TypeAlias = Annotated[
    Annotated[list[schema.HandleName], Tag(_LIST), Hint("as in `[hill, grove]`", wanted="a list of handles")]
    | Annotated[dict[schema.ObjectName, _Instance], Tag(_MAPPING)],
    Discriminator(_list_or_mapping),
]


class ObjectShape(_Shape):
    """A thing in the world that posts actions while its own variables allow them; or many things of one kind."""

    variables: dict[schema.VariableName, _Variable] | None = None
    """The object's own variables; outside of it they are called `oven.contents`."""
    actions: dict[schema.ActionName, ActionShape | None] | None = None
    """What it offers; outside of it, `oven.cook`."""
    parameters: dict[schema.ParameterName, schema.HandleKind] | None = None
    """Handles that differ between many things of this kind: `{place: node}`."""
    instances: _Instances | None = None
    """The things: `{oak: hill, elm: grove}`, or only the handles, `[hill, grove]`: `tree_1` and `tree_2`."""
    slots: schema.SlotCount = 0
    """How many more things of this kind, met in the running game, a mind can plan with at once."""


class DomainShape(_Shape):
    """Everything a character can know, do and want."""

    domain: Annotated[schema.DomainName, Hint("start with `domain: name`", example="name")]
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
    return schema.schema_text(DomainShape, "Telos domain file")


def check_shape(data: Any) -> list[Finding]:
    """Return everything about ``data`` that a domain file cannot have."""
    return check_model(DomainShape, data, _WHAT)


# --- loading ----------------------------------------------------------------------------------------------------------


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
    definition = Definition(text, name, DomainShape, _WHAT)
    if definition.model is None:
        raise_faults(definition.faults)
    builder = DomainBuilder(definition, definition.model)
    faults = [*definition.faults, *(_located(definition.document, fault) for fault in builder.faults)]
    try:
        domain = builder.build(functions)
    except DefinitionError as error:
        faults += (_located(definition.document, builder.in_file(fault)) for fault in error.faults)
        raise_faults(faults)
    if faults:
        raise_faults(faults)
    return domain


def _located(document: Document, fault: Fault) -> Fault:
    at_key = isinstance(fault.path[-1], str) and fault.path[-1] not in _IN_VALUE
    return document.locate(fault, at_key=at_key)


NameTest: TypeAlias = Callable[[str], bool]
Part = TypeVar("Part")


class DomainBuilder:
    """Makes the parts of a domain from a validated file; collects faults, and where in the file each part came from."""

    def __init__(self, definition: Definition[DomainShape], model: DomainShape) -> None:
        self.faults: list[Fault] = []
        self._name = model.domain
        self._definition = definition
        self._suppressed = suppressed = SuppressedNames(definition)
        # From a path in the domain to the texts of that part: the offset of each text, and its path in the file.
        self._origins: dict[KeyPath, list[tuple[int, KeyPath]]] = {}
        # All variables come first, because an action may refer to the variables of any object.
        self.variables = list(self._variables(("variables",), model.variables or {}))
        objects = {name: (model.objects or {}).get(name) or ObjectShape() for name in suppressed.section("objects")}
        owned = {
            name: list(self._variables(("objects", name, "variables"), body.variables or {}))
            for name, body in objects.items()
        }
        self.handles = model.handles or {}
        self.goals = list(self._goals(model.goals or {}))
        self._goal_names = {goal.name for goal in self.goals}
        self.actions = list(self._actions(("actions",), model.actions or {}))
        self.objects = [each for name, body in objects.items() for each in self._object(name, owned[name], body)]
        self.action_sets = self._sets("action_sets", model.action_sets, self._action_names(), suppressed.may_be_action)
        self.goal_sets = self._sets("goal_sets", model.goal_sets, self._goal_names, suppressed.may_be_goal)

    def build(self, functions: Mapping[str, Callable[..., Any]] | None) -> Domain:
        """Return the domain, or raise the faults that only the whole has."""
        return Domain(
            self._name,
            variables=self.variables,
            actions=self.actions,
            goals=self.goals,
            objects=self.objects,
            handles=self.handles,
            action_sets=self.action_sets,
            goal_sets=self.goal_sets,
            functions=functions,
        )

    def in_file(self, fault: Fault) -> Fault:
        """Return a fault of the domain with the path and offset that it has in the file."""
        path = fault.path
        if path[:1] == ("variables",) and "." in str(path[1]):
            path = ("objects", *str(path[1]).replace(".", ".variables.", 1).split("."), *path[2:])
        for start, origin in reversed(self._origins.get(path, [])):
            if start <= fault.offset:
                return replace(fault, path=origin, offset=fault.offset - start)
        return replace(fault, path=path)

    # --- variables ---

    def _variables(self, section: KeyPath, given: Mapping[str, Any]) -> Iterator[Variable]:
        for name in self._suppressed.section(*section):
            path = (*section, name)
            variable = self._variable(path, given[name]) if name in given else None
            if variable is None:
                self._suppressed.add(name if len(section) == 1 else f"{section[1]}.{name}")
                if not VARIABLE_NAME.match(name) or name in KEYWORDS:
                    continue
                variable = Variable(name, ANY)  # never used, but known to suggestions
            yield variable

    def _variable(self, path: KeyPath, body: VariableShape | str | list[str]) -> Variable | None:
        """Return the variable at ``path``, or None if its name or type is faulty."""
        if not isinstance(body, VariableShape):
            body = VariableShape.model_construct(type=body)
            type_path = path
        else:
            type_path = (*path, "type")
        if self._definition.is_broken(*path) or self._suppressed.is_touched(*type_path):
            return None
        written = body.type
        if (
            isinstance(written, str)
            and written in _FOREIGN_TYPES
            and written not in self._suppressed.section("handles")
        ):
            remedy = f"write {_FOREIGN_TYPES[written]}"
            self._fault(f"unknown type {written!r}", (*path, "type"), remedy, code=FaultCode.UNKNOWN_NAME)
            return None
        try:
            variable = Variable(str(path[-1]), written)
        except TelosError as error:
            self._fault(error.message, (*path, "type"), error.remedy)
            return None
        return variable if body.start is None else self._with_start(variable, body.start, (*path, "start"))

    def _with_start(self, variable: Variable, start: Any, path: KeyPath) -> Variable:
        kind = variable.type.handle
        if variable.type.kind is ValueKind.HANDLE:
            if start == "none":
                return variable
            known = [each for each in self._suppressed.section("handles", kind, kind=list) if isinstance(each, str)]
            if start not in known and not self._suppressed.is_touched("handles"):
                remedy = name_hint(str(start), known) or f"list it, as in `handles: {{{kind}: [{start}]}}`"
                self._fault(f"unknown {kind} {start!r}", path, remedy, code=FaultCode.UNKNOWN_NAME)
                return variable
        try:
            return Variable(variable.name, variable.type, start)
        except TelosError as error:
            remedy = error.remedy or name_hint(str(start), variable.type.labels)
            self._fault(error.message, path, remedy, code=FaultCode.UNKNOWN_NAME)
            return variable

    # --- goals, actions, objects, sets ---

    def _goals(self, given: Mapping[str, GoalShape | None]) -> Iterator[Goal]:
        can_skip = self._suppressed.test()
        for name in self._suppressed.section("goals"):
            path: KeyPath = ("goals", name)
            body = given.get(name) or GoalShape()  # one with a fault is still known to suggestions
            make = partial(
                Goal,
                name,
                body.insistence,
                drift=body.drift,
                curve=body.curve,
                weight=body.weight,
                wants=None if body.wants is None else self._condition((*path, "wants"), body.wants, can_skip),
                priority=self._number((*path, "priority"), body.priority, can_skip, 0.0),
                relevant=self._condition((*path, "relevant"), body.relevant, can_skip),
            )
            yield from self._build(path, make)

    def _actions(self, section: KeyPath, given: Mapping[str, ActionShape | None]) -> Iterator[Action]:
        owner = str(section[1]) if len(section) > 1 else ""
        for name in self._suppressed.section(*section):
            path = (*section, name)
            body = given.get(name) or ActionShape()
            can_skip = self._suppressed.test(owner, (*path, "parameters"))
            make = partial(
                Action,
                name,
                preconditions=self._condition((*path, "preconditions"), body.preconditions, can_skip),
                effects=tuple(self._effects((*path, "effects"), body.effects, can_skip)),
                cost=self._number((*path, "cost"), body.cost, can_skip, 1.0),
                duration=body.duration,
                changes=self._known_goals(body.changes),
                promises=self._known_goals(body.promises),
                parameters={
                    each: kind
                    for each, kind in (body.parameters or {}).items()
                    if not self._definition.is_broken(*path, "parameters", each)
                },
            )
            yield from self._build(path, make)

    def _known_goals(self, given: Mapping[str, float] | None) -> dict[str, float]:
        """Return the changes without those of goals that have faults themselves."""
        return {
            goal: change
            for goal, change in (given or {}).items()
            if goal in self._goal_names or not self._suppressed.may_be_goal(goal)
        }

    def _object(
        self, name: str, variables: list[Variable], body: ObjectShape
    ) -> Iterator[SmartObject | ObjectTemplate]:
        path: KeyPath = ("objects", name)
        own = list(self._actions((*path, "actions"), body.actions or {}))
        if not _TEMPLATE_KEYS & body.model_fields_set:
            yield from self._build(path, partial(SmartObject, name, variables=variables, actions=own))
        elif not any(self._suppressed.is_touched(*path, key) for key in _TEMPLATE_KEYS):
            instances = self._instances(name, body.instances or {}, tuple(body.parameters or {}))
            if instances is not None:
                make = partial(ObjectTemplate, name, variables=variables, actions=own, instances=instances)
                yield from self._build(path, partial(make, parameters=body.parameters, slots=body.slots))

    def _instances(self, name: str, written: Any, parameters: tuple[str, ...]) -> dict[str, dict[str, str]] | None:
        """Return the parameters of each instance, or None if there are faults.

        Where there is one parameter, its value may stand alone; in a list, names are made of numbers.
        """
        path: KeyPath = ("objects", name, "instances")
        found: dict[str, dict[str, str]] = {}
        count = len(self.faults)
        entries = [(f"{name}_{place + 1}", place, each) for place, each in enumerate(written)]
        if isinstance(written, dict):
            entries = [(instance, instance, each) for instance, each in written.items()]
        for instance, key, each in entries:
            if isinstance(each, str) and len(parameters) != 1:
                wanted = ", ".join(f"{parameter}: …" for parameter in parameters)
                message, remedy = f"{name!r} has {len(parameters)} parameters", f"write `{instance}: {{{wanted}}}`"
                self._fault(message, (*path, key), remedy, code=FaultCode.WRONG_COUNT)
                return None
            found[instance] = {parameters[0]: each} if isinstance(each, str) else dict(each)
            self._check_instance(instance, found[instance], (*path, key), parameters)
        return found if len(self.faults) == count else None

    def _check_instance(
        self, instance: str, given: Mapping[str, str], path: KeyPath, parameters: tuple[str, ...]
    ) -> None:
        unknown = [each for each in given if each not in parameters]
        for each in unknown:
            remedy = name_hint(each, parameters) or "declare it under `parameters`"
            self._fault(f"unknown parameter {each!r}", (*path, each), remedy, code=FaultCode.UNKNOWN_KEY)
        for each in parameters:
            if each not in given and not unknown:  # else it is probably the one that is misspelt
                remedy = f"give {instance!r} one, as in `{each}: …`"
                self._fault(f"{each!r} is missing", path, remedy, code=FaultCode.MISSING_KEY)

    def _build(self, path: KeyPath, make: Callable[[], Part]) -> Iterator[Part]:
        try:
            yield make()
        except TelosError as error:
            if not self._definition.is_broken(*path):  # else the name was reported already
                self._fault(error.message, path, error.remedy)

    def _action_names(self) -> set[str]:
        names = {action.name for action in self.actions}
        for each in self.objects:
            if isinstance(each, SmartObject):
                names |= {action.name for action in each.actions}
            else:
                names |= {f"{owner}.{action.name}" for owner in (each.name, *each.names) for action in each.actions}
        return names

    def _sets(
        self, section: str, given: Mapping[str, list[str]] | None, known: set[str], may_exist: NameTest
    ) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for key, written in (given or {}).items():
            members = found[key] = []
            for path, name in self._definition.items_at((section, key), written):
                if name in known or not may_exist(name):
                    self._origins[section, key, len(members)] = [(0, path)]
                    members.append(name)
        return found

    # --- expressions ---

    def _condition(self, path: KeyPath, written: Any, can_skip: NameTest) -> Condition:
        """Parse a condition, without the parts that depend on faulty entries.

        The items of a list are parsed as if they stood in one text, so that an offset identifies the item.
        """
        parts: list[Expression] = []
        start = 0
        for where, text in self._texts(path, written):
            if isinstance(text, bool):
                parts.append(Literal(text))
                continue
            self._origins.setdefault(path, []).append((start, where))
            expression = self._parse(where, text, start)
            if expression is not None:
                # One `and` at a time, so that a part without faulty names is still checked.
                each = expression.parts if isinstance(expression, And) else (expression,)
                parts += (part for part in each if not any(map(can_skip, names_in(part))))
            start += len(text) + 1
        return Condition(parts[0] if len(parts) == 1 else And(tuple(parts))) if parts else Condition()

    def _effects(self, path: KeyPath, written: Any, can_skip: NameTest) -> Iterator[Effect]:
        count = 0
        for where, text in self._texts(path, written):
            try:
                effects = Effect.all_of(text)
            except DefinitionError as error:
                self.faults += (replace(fault, path=where) for fault in error.faults)
                continue
            for effect in effects:
                if not any(map(can_skip, {effect.variable, *names_in(effect.value)})):
                    self._origins[*path, count] = [(0, where)]
                    count += 1
                    yield effect

    def _number(self, path: KeyPath, written: float | str, can_skip: NameTest, default: float) -> Expression | float:
        """Return a number or an expression; ``default`` if it has a fault or depends on faulty entries."""
        if not isinstance(written, str):
            return float(written)
        expression = self._parse(path, written)
        return default if expression is None or any(map(can_skip, names_in(expression))) else expression

    def _parse(self, path: KeyPath, text: str, start: int = 0) -> Expression | None:
        try:
            return parse_expression(" " * start + text)
        except DefinitionError as error:
            found = (replace(fault, text=text, path=path, offset=fault.offset - start) for fault in error.faults)
            self.faults += found
            return None

    def _texts(self, path: KeyPath, written: Any) -> Iterator[tuple[KeyPath, Any]]:
        """Yield the texts of an entry that is one text or a list of them, each with its path."""
        if not isinstance(written, list):
            yield path, written
            return
        if self._definition.is_broken(*path):
            return
        opening = [str(each).count("(") - str(each).count(")") for each in written]
        cut = 0  # `[ammo = min(ammo, 3)]`: YAML cuts at the comma, and only the first piece is reported
        for i, (where, each) in enumerate(self._definition.items_at(path, written)):
            if i < cut:
                continue
            if opening[i] > 0:
                cut = next((j + 1 for j in range(i + 1, len(written)) if opening[j] < 0), 0)
            yield where, each

    def _fault(self, message: str, path: KeyPath, suggestion: str = "", *, code: FaultCode = FaultCode.INVALID) -> None:
        self.faults.append(Fault(message, suggestion=suggestion, path=path, code=code))


class SuppressedNames:
    """Names that faulty entries may define; used to suppress follow-on faults.

    An action with a fault must not make a set report it as unknown, nor a variable with a bad type every condition that
    uses it. So an expression with a suppressed name is not checked until the faulty entry is mended.
    """

    def __init__(self, definition: Definition[DomainShape]) -> None:
        self._data, self._broken = definition.document.data, definition.broken
        self._touched = {path[:length] for path in self._broken for length in range(len(path) + 1)}
        self._names: set[str] = set()
        self._objects = {
            word
            for path in self._broken
            if _may_define_object(path)
            for word in (path[1], *_WORDS.findall(str(path[1])))
        }
        for thing in {path[1] for path in self._broken if path[:1] == ("objects",) and _TEMPLATE_KEYS & {*path[2:3]}}:
            self._objects.update(map(str, self.section("objects", thing, "instances")))
            count = len(self.section("objects", thing, "instances", kind=list))
            self._objects.update(f"{thing}_{number}" for number in range(1, count + 1))
        self._any_name = any(map(_may_define_any_name, self._broken))
        self._declared = set(self.section("variables"))
        for kind in self.section("handles"):
            items = self.section("handles", kind, kind=list)
            self._declared.update(each for each in items if isinstance(each, str))
            self.add(*(str(each) for i, each in enumerate(items) if ("handles", kind, i) in self._broken))
        for thing in self.section("objects"):
            self._declared.update(f"{thing}.{name}" for name in self.section("objects", thing, "variables"))

    def section(self, *path: str | int, kind: type = dict) -> Any:
        """Return the mapping (or list) at ``path`` as it is written, with faulty entries; empty if there is none."""
        found: Any = self._data
        for part in path:
            found = found.get(part) if isinstance(found, dict) else None
        return found if isinstance(found, kind) else kind()

    def is_touched(self, *path: str | int) -> bool:
        """Whether the entry or anything in it has a fault."""
        return path in self._touched

    def add(self, *names: str) -> None:
        """Suppress names; one that is not a valid name suppresses the words in it."""
        for name in names:
            self._names.update((name, *_WORDS.findall(name)))

    def test(self, owner: str = "", parameters: KeyPath = ()) -> NameTest:
        """Return the test for suppressed names in an action (of the object ``owner``, with ``parameters`` there)."""
        own = self.section(*parameters) if parameters else {}
        faulty = {name for name in own if self.is_touched(*parameters, name)}
        any_name = self._any_name or owner in self._objects
        any_name |= bool(parameters) and parameters in self._broken

        def contains(name: str) -> bool:
            full = f"{owner}.{name}"
            if name in self._names or full in self._names or name in faulty:
                return True
            if name.partition(".")[0] in self._objects:
                return True
            return any_name and not (name in self._declared or full in self._declared or name in own)

        return contains

    def may_be_goal(self, name: str) -> bool:
        """Whether a goal with a fault may have that name."""
        return ("goals",) in self._broken or name in self.section("goals")

    def may_be_action(self, name: str) -> bool:
        """Whether an action with a fault may have that name."""
        thing, _, own = name.partition(".")
        if ("actions",) in self._broken or ("objects",) in self._broken or name in self.section("actions"):
            return True
        if ("objects", thing) in self._broken or ("objects", thing, "actions") in self._broken:
            return True
        return own in self.section("objects", thing, "actions")


def _may_define_any_name(path: KeyPath) -> bool:
    """Whether a faulty entry may have held variables, objects or handles of any name."""
    match path:
        case () | ("variables" | "handles" | "objects",) | ("handles", _):
            return True
        case _:
            return False


def _may_define_object(path: KeyPath) -> bool:
    """Whether a faulty entry may have held an object, or variables of an object."""
    match path:
        case ("objects", _) | ("objects", _, "variables"):
            return True
        case _:
            return False
