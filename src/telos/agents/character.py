"""``Character``: what a kind of character wants, can do, senses and remembers; and character files.

A character file may start from another (``like``) and state only its changes: ``Traits`` are the names that result,
``load_character`` and ``characters_in`` read files, ``characters_from`` reads texts.
"""

import math
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeAlias

from pydantic import Discriminator, Field, Tag

from telos.agents.deliberation import HYSTERESIS
from telos.core.action import Action
from telos.core.domain import Domain, priority_faults
from telos.core.errors import DefinitionError, Fault, FaultCode, KeyPath, TelosError, name_hint
from telos.core.expressions import Expression, Literal, Scope, check_expression, parse_expression
from telos.core.goal import Goal, parse_priority
from telos.core.values import NUMBER, FrozenMap, Value
from telos.files import schema
from telos.files.definition import Definition, raise_faults
from telos.files.reading import read_text
from telos.files.schema import (
    Duration,
    FieldType,
    FileModel,
    Hint,
    PositiveDuration,
    branch_tag,
    name_type,
    parse_duration,
    schema_text,
    text_type,
)


@dataclass(frozen=True, slots=True)
class Character:
    """One kind of character. Times are in seconds.

    ``sensors`` maps each sensor to its polling period, ``memory`` each kind of fact to the time in which it fades, and
    ``body`` holds values for the world. ``hysteresis`` is the share by which a goal must exceed the current one to
    interrupt it, where their priorities vary. ``commitment`` is the time for which a step that has begun is carried on
    although its goal has become irrelevant or holds already; goals of higher priority interrupt it at once.
    """

    name: str
    goals: tuple[Goal, ...] = ()
    actions: tuple[Action, ...] = ()
    sensors: FrozenMap[str, float] = field(default_factory=FrozenMap)
    memory: FrozenMap[str, float] = field(default_factory=FrozenMap)
    body: FrozenMap[str, Value] = field(default_factory=FrozenMap)
    about: str = ""
    hysteresis: float = HYSTERESIS
    commitment: float = 0.0


CharacterName: TypeAlias = Annotated[str, name_type("the name of a character")]
GoalOrSet: TypeAlias = Annotated[str, text_type("the name of a goal or of a goal set")]
ActionOrSet: TypeAlias = Annotated[str, text_type("the name of an action or of an action set")]
SensorName: TypeAlias = Annotated[str, name_type("the name of a sensor")]
FactKind: TypeAlias = Annotated[str, name_type("a kind of fact")]
BodyKey: TypeAlias = Annotated[str, name_type("what a body has")]
Remark: TypeAlias = Annotated[str, text_type("a line about it")]
_OWN_WEIGHTS = "a goal's own weight stands under `priorities: {cover: 99}`"
_OWN_COSTS = "an action's own cost stands under `costs: {reload: 3}`"
GoalNames: TypeAlias = Annotated[
    list[GoalOrSet], Hint(f"as in `[cover, alert]`; {_OWN_WEIGHTS}", wanted="a list of goals and goal sets")
]
ActionNames: TypeAlias = Annotated[
    list[ActionOrSet], Hint(f"as in `[reload, weapons]`; {_OWN_COSTS}", wanted="a list of actions and action sets")
]
_Like: TypeAlias = Annotated[str, text_type("the name or the file of another character")]

_ONE, _LIST = branch_tag("one"), branch_tag("list")
_Scalar: TypeAlias = Annotated[
    bool | float | str,
    FieldType(
        "true, false, a number or a word, or a list of them",
        lambda value: isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)),
        {"type": ["boolean", "number", "string"]},
    ),
]
BodyValue: TypeAlias = Annotated[
    Annotated[_Scalar, Tag(_ONE)] | Annotated[list[_Scalar], Tag(_LIST)],
    Discriminator(lambda value: _LIST if isinstance(value, list) else _ONE),
]


_LEFT_OUT: Any = None  # the default of a field that may be left out, but not written as null


class NeedShape(FileModel):
    """How a character feels a need, in place of what the domain says."""

    insistence: schema.NonNegativeNumber = _LEFT_OUT
    """How badly it is wanted at the start."""
    drift: schema.Number = _LEFT_OUT
    """How much insistence grows in a second."""
    curve: schema.CurveName = _LEFT_OUT
    """How insistence turns into discontent."""
    weight: schema.NonNegativeNumber = _LEFT_OUT
    """How much the discontent counts."""


class AddShape(FileModel):
    """What comes on top of what `like` gave."""

    goals: GoalNames = Field(default_factory=list)
    """Goals or goal sets."""
    actions: ActionNames = Field(default_factory=list)
    """Actions or action sets."""
    sensors: dict[SensorName, Duration] = Field(default_factory=dict)
    """Sensors, and how often each is polled."""


class DropShape(FileModel):
    """What is left out of what `like` gave."""

    goals: GoalNames = Field(default_factory=list)
    """Goals or goal sets."""
    actions: ActionNames = Field(default_factory=list)
    """Actions or action sets."""
    sensors: list[SensorName] = Field(default_factory=list)
    """Sensors."""


class CharacterShape(FileModel):
    """One kind of character."""

    character: CharacterName = Field(examples=["drone"])
    """The name of this kind of character."""
    about: Remark = ""
    """A line on what it is."""
    like: _Like = ""
    """Another character, whose file stands in the same folder (or a path); this one has all that it has."""
    goals: GoalNames = Field(default_factory=list)
    """What it wants: goals and goal sets of the domain. They take the place of those of `like`."""
    actions: ActionNames = Field(default_factory=list)
    """What it can do: actions and action sets of the domain. They take the place of those of `like`."""
    sensors: dict[SensorName, Duration] = Field(default_factory=dict)
    """How often each sensor is polled: `{sight: 0.2 s, hearing: 500 ms}`; 0: whenever it thinks."""
    memory: dict[FactKind, PositiveDuration] = Field(default_factory=dict)
    """How long each kind of fact takes to fade: `{enemy: 12 s}`; others stay."""
    body: dict[BodyKey, BodyValue] = Field(default_factory=dict)
    """What the world wants to know of its body: `{speed: 5, weapon: rifle}`."""
    priorities: dict[schema.GoalName, schema.Priority] = Field(default_factory=dict)
    """Its own priority of a goal, in place of the domain's: `{dodge: 25, eat: hunger * 3}`."""
    needs: dict[schema.GoalName, NeedShape] = Field(default_factory=dict)
    """How it feels a need, in place of what the domain says: `{eat: {insistence: 2, drift: 0.1}}`."""
    hysteresis: schema.NonNegativeNumber = _LEFT_OUT
    """The share by which a goal must exceed the current one to interrupt it where priorities vary; 0.1 if left out."""
    commitment: Duration = _LEFT_OUT
    """For how long a step that has begun is carried on although its goal does not matter any more; 0 if left out."""
    costs: dict[schema.ActionName, schema.Cost] = Field(default_factory=dict)
    """Its own cost of an action, in place of the domain's: `{reload: 3}`."""
    add: AddShape = Field(default_factory=AddShape)
    """What it has on top of what `like` gave."""
    drop: DropShape = Field(default_factory=DropShape)
    """What it does not have of what `like` gave."""


def character_schema() -> str:
    """Return the JSON Schema of a character file."""
    return schema_text(CharacterShape, "Telos character file")


_LISTS = ("goals", "actions")
_MAPS: dict[str, Callable[[Any], Any]] = {
    "sensors": parse_duration,
    "memory": parse_duration,
    "body": lambda value: tuple(value) if isinstance(value, list) else value,
    "priorities": lambda value: parse_priority("priority", value),
    "needs": lambda value: {key: each for key, each in value.model_dump().items() if each is not None},
    "costs": lambda value: parse_expression(value) if isinstance(value, str) else Literal(float(value)),
}
_WORDS = {"sensors": "sensor", "body": "body key", "priorities": "goal", "needs": "goal", "costs": "action"}
EVERYTHING = frozenset({*_LISTS, *_MAPS})


@dataclass(frozen=True, slots=True)
class Traits:
    """The names that a character consists of. ``unsure`` are the sections in which some file has a fault."""

    name: str = ""
    about: str = ""
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: dict.fromkeys(_LISTS, ()))
    maps: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {section: {} for section in _MAPS})
    hysteresis: float = HYSTERESIS
    commitment: float = 0.0
    unsure: frozenset[str] = frozenset()


class CharacterVocabulary:
    """The names that character files may use: those of a domain, and of the sensors and body keys that are known."""

    def __init__(self, domain: Domain, sensors: Collection[str] | None, body: Collection[str] | None) -> None:
        goals = [goal.name for goal in domain.goals]
        self._names = {"goals": goals, "actions": [action.name for action in domain.all_actions]}
        sets = {name: tuple(action.name for action in domain.actions_of(name)) for name in domain.action_sets}
        self._sets = {"goals": domain.goal_sets, "actions": {**domain.template_actions, **sets}}
        self._keys = {"sensors": sensors, "body": body, "costs": self._names["actions"]}
        self._keys |= {"priorities": goals, "needs": goals}
        self._domain = domain

    def members(
        self, definition: Definition, section: str, path: KeyPath, written: Sequence[str]
    ) -> list[tuple[KeyPath, str, tuple[str, ...]]]:
        """Return the entries of the list at ``path``, each with the goals (or actions) that it stands for.

        Unknown entries are faults.
        """
        word, names, sets = section[:-1], self._names[section], self._sets[section]
        found: list[tuple[KeyPath, str, tuple[str, ...]]] = []
        for where, name in definition.items_at(path, written):
            if not definition.is_usable(*where):
                continue
            if name in names and name in sets:
                remedy = "rename one of them in the domain"
                definition.fault(
                    f"{name!r} is both {_a(word)} and {_a(word)} set", where, remedy, code=FaultCode.DUPLICATE
                )
            elif name in names or name in sets:
                found.append((where, name, sets.get(name, (name,))))
            else:
                definition.fault(
                    f"unknown {word} or {word} set {name!r}",
                    where,
                    name_hint(name, [*names, *sets]),
                    code=FaultCode.UNKNOWN_NAME,
                )
        return found

    def entries(
        self, definition: Definition, section: str, path: KeyPath, written: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the entries of the mapping at ``path``, read; unknown keys are faults."""
        known, found = self._keys.get(section), {}
        for key, value in written.items():
            where = (*path, key)
            if not definition.is_usable(*where):
                continue
            if known is not None and key not in known:
                word = _WORDS[section]
                definition.fault(
                    f"unknown {word} {key!r}", where, name_hint(key, known), at_key=True, code=FaultCode.UNKNOWN_NAME
                )
            elif section not in ("priorities", "costs") or self._check_number(definition, where, key, value):
                found[key] = _MAPS[section](value)
        return found

    def _check_number(self, definition: Definition, where: KeyPath, key: str, written: float | str) -> bool:
        """Add the faults of a cost or a priority to the definition; return whether there are none."""
        is_cost = where[0] == "costs"
        scope = Scope(self._domain.layout, self._domain.action(key).parameters if is_cost else {})
        try:
            expression = parse_expression(written) if isinstance(written, str) else Literal(float(written))
            faults = check_expression(expression, scope, NUMBER)
            faults += [] if is_cost else priority_faults(expression)
        except DefinitionError as error:
            faults = list(error.faults)
        except TelosError as error:
            faults = [Fault(error.message, suggestion=error.remedy)]
        for fault in faults:
            definition.fault(fault.message, where, fault.suggestion, code=fault.code)
        return not faults


def apply_changes(
    parent: Traits, definition: Definition, changes: CharacterShape, words: CharacterVocabulary
) -> Traits:
    """Return the traits of ``parent`` with the changes of a file; impossible changes are added to its faults."""
    lists = {section: _list(parent, definition, changes, words, section) for section in _LISTS}
    maps = {
        section: dict(parent.maps[section]) | words.entries(definition, section, (section,), getattr(changes, section))
        for section in _MAPS
    }
    maps["sensors"] |= words.entries(definition, "sensors", ("add", "sensors"), changes.add.sensors)
    for where, name in definition.items_at(("drop", "sensors"), changes.drop.sensors):
        if not definition.is_usable(*where):
            continue
        if maps["sensors"].pop(name, None) is None and _is_sure(parent, definition, "sensors"):
            definition.fault(
                f"there is no sensor {name!r} to drop",
                where,
                name_hint(name, maps["sensors"]),
                code=FaultCode.UNKNOWN_NAME,
            )
    for section, goal in [
        *(("priorities", each) for each in changes.priorities),
        *(("needs", each) for each in changes.needs),
    ]:
        where = (section, goal)
        if definition.is_usable(*where) and goal not in lists["goals"] and _is_sure(parent, definition, "goals"):
            word = "priority" if section == "priorities" else "need"
            definition.fault(
                f"a {word} of {goal!r}, which is not a goal of this character",
                where,
                f"add it to the goals, or leave the {word} out",
                at_key=True,
                code=FaultCode.UNKNOWN_NAME,
            )
    for action in changes.costs:
        where = ("costs", action)
        if definition.is_usable(*where) and action not in lists["actions"] and _is_sure(parent, definition, "actions"):
            message = f"a cost of {action!r}, which is not an action of this character"
            remedy = "add it to the actions, or leave the cost out"
            definition.fault(message, where, remedy, at_key=True, code=FaultCode.UNKNOWN_NAME)
    unsure = {section for section in EVERYTHING if not _is_sure(parent, definition, section, "drop")}
    name = "" if definition.is_broken("character") else changes.character  # the model has an example then
    hysteresis = parent.hysteresis if changes.hysteresis is None else changes.hysteresis
    commitment = parent.commitment if changes.commitment is None else parse_duration(changes.commitment) or 0.0
    return Traits(name, changes.about, lists, maps, hysteresis, commitment, frozenset(unsure))


def _list(
    parent: Traits, definition: Definition, changes: CharacterShape, words: CharacterVocabulary, section: str
) -> tuple[str, ...]:
    given = words.members(definition, section, (section,), getattr(changes, section))
    kept = {name: None for _, _, names in given for name in names}
    if section not in changes.model_fields_set or definition.is_broken(section):
        kept = dict.fromkeys(parent.lists[section])
    added = words.members(definition, section, ("add", section), getattr(changes.add, section))
    kept |= {name: None for _, _, names in added for name in names}
    dropped = words.members(definition, section, ("drop", section), getattr(changes.drop, section))
    for where, said, names in dropped:
        left = {name: None for name in kept if name not in names}
        if len(left) == len(kept) and _is_sure(parent, definition, section):
            definition.fault(f"there is no {said!r} to drop", where, name_hint(said, kept), code=FaultCode.UNKNOWN_NAME)
        kept = left
    return tuple(kept)


def _is_sure(parent: Traits, definition: Definition, section: str, *also: str) -> bool:
    """Whether no fault hides entries of a section, so that missing ones can be reported."""
    faulty = definition.is_touched(section) or any(definition.is_touched(key, section) for key in ("add", *also))
    return not faulty and section not in parent.unsure


def _a(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def load_character(
    path: str | os.PathLike[str],
    domain: Domain,
    *,
    sensors: Collection[str] | None = None,
    body: Collection[str] | None = None,
    check: Callable[[str, Definition], None] = lambda name, definition: None,
) -> Character:
    """Read the character file at ``path``, whose goals and actions are those of ``domain``.

    ``sensors`` and ``body`` are the sensors and the keys of a body that the world knows; None leaves them unchecked.
    A bad file raises a ``DefinitionError`` that holds all its faults, and those of the characters that it is like.
    ``check`` may add faults of its own to the definition of each of them, by the name of its file.
    """
    reader = _CharacterReader(
        CharacterVocabulary(domain, sensors, body), _Files(), lambda file, definition: check(file.stem, definition)
    )
    traits = reader.read(Path(path))
    reader.raise_faults()
    return _character(traits, domain)


def characters_in(
    folder: str | os.PathLike[str],
    domain: Domain,
    *,
    sensors: Collection[str] | None = None,
    body: Collection[str] | None = None,
) -> dict[str, Character]:
    """Read all character files of a folder, by name; the faults of all files are reported together."""
    reader = _CharacterReader(CharacterVocabulary(domain, sensors, body), _Files())
    read = {file: reader.read(file) for file in sorted(Path(folder).glob("*.yaml"))}
    for file, traits in read.items():
        # Others find a character by its file: `like` does, and so does the cast of a scene.
        if traits.name and traits.name != file.stem:
            message = f"the character is called {traits.name!r}, and its file {file.name}"
            reader.faults.append(
                Fault(message, suggestion="rename one of them", file=os.fspath(file), code=FaultCode.CONFLICT)
            )
    reader.raise_faults()
    return {traits.name: _character(traits, domain) for traits in read.values()}


def characters_from(
    texts: Mapping[str, str],
    domain: Domain,
    *,
    sensors: Collection[str] | None = None,
    body: Collection[str] | None = None,
    check: Callable[[str, Definition], None] = lambda name, definition: None,
) -> dict[str, Character]:
    """Read characters from texts, by the names that they are known by; ``like`` names another of them, never a file.

    ``check`` may add faults of its own to the definition of a character of that name.
    """
    reader = _CharacterReader(
        CharacterVocabulary(domain, sensors, body), _Texts(texts), lambda file, definition: check(file.stem, definition)
    )
    read = {name: reader.read(Path(f"{name}.yaml")) for name in texts}
    reader.raise_faults()
    return {name: _character(traits, domain) for name, traits in read.items()}


class _Source(Protocol):
    """Where character files are found."""

    def text(self, file: Path) -> str:
        """Return the text of ``file``."""

    def find(self, like: str, file: Path) -> Path | None:
        """Return the file of the character that ``file`` is like; None if there is none."""

    def remedy(self, like: str, file: Path) -> str:
        """Return a suggestion for an unknown name."""


class _Files:
    """Characters on disk: one is found by its name in the same folder, or by a path from there."""

    def text(self, file: Path) -> str:
        return read_text(file)

    def find(self, like: str, file: Path) -> Path | None:
        found = file.parent / (f"{like}.yaml" if _is_name(like) else like)
        return found if os.path.isfile(found) else None  # False for a name that no file can have

    def remedy(self, like: str, file: Path) -> str:
        if not _is_name(like):
            return "a path starts at the folder of this file"
        return name_hint(like, [each.stem for each in file.parent.glob("*.yaml") if each != file])


class _Texts:
    """Characters in memory, each under a name."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._names = tuple(texts)
        self._texts = {Path(f"{name}.yaml"): text for name, text in texts.items()}

    def text(self, file: Path) -> str:
        return self._texts[file]

    def find(self, like: str, file: Path) -> Path | None:
        return Path(f"{like}.yaml") if like in self._names else None

    def remedy(self, like: str, file: Path) -> str:
        return name_hint(like, self._names)


def _is_name(like: str) -> bool:
    return "/" not in like and not like.endswith(".yaml")


class _CharacterReader:
    """Reads characters and the ones that they are like, each file once, and collects all faults."""

    def __init__(
        self,
        words: CharacterVocabulary,
        source: _Source,
        check: Callable[[Path, Definition], None] = lambda file, definition: None,
    ) -> None:
        self.faults: list[Fault] = []
        self._words, self._source, self._check = words, source, check
        self._read: dict[Path, Traits] = {}

    def raise_faults(self) -> None:
        """Raise all faults, if there are any."""
        if self.faults:
            raise_faults(self.faults)

    def read(self, file: Path, likes: tuple[Path, ...] = ()) -> Traits:
        """Return the traits of the character in ``file``; ``likes`` are the files that led here."""
        path = _absolute(file)
        if path not in self._read:
            self._read[path] = self._read_file(file, (*likes, path))
        return self._read[path]

    def _read_file(self, file: Path, likes: tuple[Path, ...]) -> Traits:
        try:
            definition = Definition(self._source.text(file), os.fspath(file), CharacterShape, "a character file")
        except DefinitionError as error:
            self.faults += error.faults
            return Traits(unsure=EVERYTHING)
        traits, changes = Traits(unsure=EVERYTHING), definition.model
        if changes is not None:
            traits = apply_changes(
                self._parent(definition, changes.like, file, likes), definition, changes, self._words
            )
        self._check(file, definition)
        self.faults += definition.faults
        return traits

    def _parent(self, definition: Definition, like: str, file: Path, likes: tuple[Path, ...]) -> Traits:
        if not like:
            return Traits(unsure=EVERYTHING if definition.is_touched("like") else frozenset())
        parent = self._source.find(like, file)
        if parent is None:
            definition.fault(
                f"unknown character {like!r}", ("like",), self._source.remedy(like, file), code=FaultCode.UNKNOWN_NAME
            )
        elif _absolute(parent) in likes:
            circle = " is like ".join(each.stem for each in (*likes[likes.index(_absolute(parent)) :], parent))
            definition.fault(f"a circle: {circle}", ("like",), "leave one `like` out", code=FaultCode.CIRCULAR)
        else:
            return self.read(parent, likes)
        return Traits(unsure=EVERYTHING)


def _absolute(file: Path) -> Path:
    return Path(os.path.abspath(file))


def _character(traits: Traits, domain: Domain) -> Character:
    own, needs, costs = traits.maps["priorities"], traits.maps["needs"], traits.maps["costs"]
    goals = [domain.goal(name) for name in traits.lists["goals"]]
    return Character(
        traits.name,
        goals=tuple(
            replace(goal, priority=own.get(goal.name, goal.priority), **needs.get(goal.name, {})) for goal in goals
        ),
        actions=tuple(_with_cost(domain.action(name), costs.get(name)) for name in traits.lists["actions"]),
        sensors=FrozenMap(traits.maps["sensors"]),
        memory=FrozenMap(traits.maps["memory"]),
        body=FrozenMap(traits.maps["body"]),
        about=traits.about,
        hysteresis=traits.hysteresis,
        commitment=traits.commitment,
    )


def _with_cost(action: Action, cost: Expression | None) -> Action:
    return action if cost is None else replace(action, cost=cost)
