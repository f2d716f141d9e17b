"""Line files: what is said on which occasion, by whom; and the occasions and variables of a game of one's own.

Start with `load_lines`. The models say which keys a file may have; `_LinesReader` turns a validated file into `Lines`.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import ConfigDict, Discriminator, Field, Tag

from telos.core.conditions import ALWAYS, Condition
from telos.core.errors import DefinitionError, Fault, FaultCode, KeyPath, TelosError, word_hint
from telos.core.expressions import Literal, parse_expression
from telos.core.values import KEYWORDS, FrozenMap, Type
from telos.files import schema
from telos.files.definition import Definition, raise_faults
from telos.files.reading import read_text
from telos.files.schema import (
    Duration,
    FieldType,
    FileModel,
    branch_tag,
    name_type,
    parse_duration,
    schema_text,
    text_type,
)
from telos.squads.dialogue.combat import COMBAT
from telos.squads.dialogue.exchanges import COOLDOWN, PAUSE, Exchange, Lines, Turn, exchange_faults
from telos.squads.dialogue.vocabulary import (
    GENERAL,
    SPEAKER,
    SQUAD,
    TEXT,
    TURN_KEYS,
    DialogueVocabulary,
    OccasionKind,
)

BUILT_IN_LINES = Path(__file__).with_name("lines.yaml")
RESERVED = frozenset({SQUAD, *TURN_KEYS, *KEYWORDS})  # never names of roles, whatever the vocabulary
VARIABLE_TYPES = ("bool", "int", "number")
ABOUT_TYPES = (*VARIABLE_TYPES, TEXT, SPEAKER)


# --- the shape of a line file -----------------------------------------------------------------------------------------

_ONE, _LIST = branch_tag("one"), branch_tag("list")


def _one_or_list(value: Any) -> str:
    return _LIST if isinstance(value, list) else _ONE


def _is_chance(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1


def _word_type(wanted: str, words: Mapping[str, Any] | tuple[str, ...]) -> FieldType:
    # Any text is accepted here: the loader reports unknown words. Editors use the examples for completion.
    return FieldType(wanted, lambda value: isinstance(value, str), {"type": "string", "examples": list(words)})


def _role_leaf() -> FieldType:
    pattern = f"(?!(?:{'|'.join(sorted(RESERVED))})$)[A-Za-z][A-Za-z0-9_]*"
    remedy = f"use letters, digits and _, and none of {', '.join(sorted(RESERVED))}"
    # Wrapped in allOf as for other names: a bare pattern would allow every other key.
    schema = {"type": "string", "allOf": [{"pattern": f"^{pattern}$"}]}
    return FieldType("the name of a role", lambda value: bool(re.fullmatch(pattern, str(value))), schema, remedy)


ExchangeName: TypeAlias = Annotated[str, name_type("the name of an exchange")]
RoleName: TypeAlias = Annotated[str, _role_leaf()]
_Occasion: TypeAlias = Annotated[str, _word_type("an occasion such as hit", COMBAT.occasions)]
_Way: TypeAlias = Annotated[str, _word_type("a way to find somebody, such as who or comrade", COMBAT.ways)]
_Flag: TypeAlias = Annotated[
    bool, FieldType("true or false", lambda value: isinstance(value, bool), {"type": "boolean"})
]
_Chance: TypeAlias = Annotated[
    float, FieldType("a number above 0, at most 1", _is_chance, {"type": "number", "exclusiveMinimum": 0, "maximum": 1})
]
_Text: TypeAlias = Annotated[str, text_type("what is said, or a list of variations of it", "put it in quotes")]
_Variations: TypeAlias = Annotated[
    Annotated[_Text, Tag(_ONE)] | Annotated[list[_Text], Tag(_LIST)], Discriminator(_one_or_list)
]
_VariableType: TypeAlias = Annotated[
    Annotated[str, _word_type("bool, int, number or a list of labels", VARIABLE_TYPES), Tag(_ONE)]
    | Annotated[list[schema.Label], Field(min_length=1), Tag(_LIST)],
    Discriminator(_one_or_list),
]
_AboutType: TypeAlias = Annotated[
    Annotated[str, _word_type("speaker, text, bool, int, number or a list of labels", ABOUT_TYPES), Tag(_ONE)]
    | Annotated[list[schema.Label], Field(min_length=1), Tag(_LIST)],
    Discriminator(_one_or_list),
]


class TurnShape(FileModel):
    """One line: `role: [variations]`, and when it is said."""

    model_config = ConfigDict(extra="allow")  # the name of the role is a key
    __pydantic_extra__: dict[str, _Variations]

    if_: schema.ConditionText = Field(default=True, alias="if")
    """When it is said; otherwise the turn is skipped: `hurt_health < 40`."""
    to: Annotated[str, text_type("a role, or squad")] = ""
    """Who is spoken to: a role, or `squad`. If left out, the one who spoke before, or else who speaks next."""
    after: Duration = PAUSE
    """The pause before it, once the line before has ended."""


class ExchangeShape(FileModel):
    """Turns that belong together, and the occasion for them."""

    on: _Occasion = Field(examples=["hit"])
    """What must have happened."""
    roles: dict[RoleName, _Way] = Field(examples=["{hurt: who, asker: comrade}"])
    """Who takes part, and how each is found: `{hurt: who, asker: comrade}`."""
    if_: schema.ConditionText = Field(default=True, alias="if")
    """When it fits: `hurt_health > 0 and comrades >= 1`."""
    cooldown: Duration = COOLDOWN
    """For how long a squad does not repeat it."""
    chance: _Chance = 1.0
    """How often it is taken when it fits, 0 to 1."""
    lines: list[TurnShape] = Field(examples=["[{asker: Status?}]"])
    """The turns, in order."""
    unanswered: list[TurnShape] = Field(default_factory=list)
    """What is said instead of the rest if the next to speak has died."""


class OccasionShape(FileModel):
    """A kind of occasion of a game of one's own."""

    text: Annotated[str, text_type("what happened, after a name")] = ""
    """What happened, after the name of the one it happened to: `sold something`."""
    about: dict[schema.VariableName, _AboutType] = Field(default_factory=dict)
    """What the game tells of it: `{buyer: speaker, price: int, goods: text}`."""
    urgent: _Flag = False
    """Whether it interrupts other talk."""
    again_after: Duration = Field(default=0.0, alias="again after")
    """For how long it is not talked about again for the same person: `8 s`."""


class LinesShape(FileModel):
    """Everything that a side has to say, the most important first."""

    exchanges: dict[ExchangeName, ExchangeShape] = Field(examples=["{status: {on: hit, …}}"])
    """Exchanges by name; of those that fit, the first listed is taken."""
    occasions: dict[schema.VariableName, OccasionShape] = Field(default_factory=dict)
    """What may happen in this game, in place of what happens in combat: `{sold: {about: {price: int}}}`."""
    variables: dict[schema.VariableName, _VariableType] = Field(default_factory=dict)
    """What the game gives with every tick: `{customers: int, raining: bool}`."""
    role_variables: dict[schema.VariableName, _VariableType] = Field(default_factory=dict)
    """Attributes of the speakers, used as in `seller_mood`: `{mood: int}`."""


def lines_schema() -> str:
    """Return the JSON Schema of a line file."""
    return schema_text(LinesShape, "Telos lines file")


# --- loading ----------------------------------------------------------------------------------------------------------


def load_lines(path: str | os.PathLike[str], *, vocabulary: DialogueVocabulary | None = None) -> Lines:
    """Load a line file; ``vocabulary`` is what it may speak of besides what it declares.

    Without one, a file that declares occasions starts from what every game has, and any other from combat. A
    ``DefinitionError`` holds all faults of an invalid file, each with line, column and remedy.
    """
    return parse_lines(read_text(path), name=os.fspath(path), vocabulary=vocabulary)


@lru_cache(maxsize=1)
def builtin_lines() -> Lines:
    """Load the combat lines of the package."""
    return load_lines(BUILT_IN_LINES)


def parse_lines(text: str, *, name: str = "<text>", vocabulary: DialogueVocabulary | None = None) -> Lines:
    r"""Read lines from the text of a file; ``name`` is its name in faults.

    >>> parse_lines("exchanges: {ouch: {on: hti, roles: {hurt: who}, lines: [{hurt: Ouch!}]}}")
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: <text>:1:24: unknown occasion 'hti'; did you mean 'hit'?
    """
    definition = Definition(text, name, LinesShape, "a file of lines")
    if definition.model is None:
        raise_faults(definition.faults)
    reader = _LinesReader(definition, definition.model, vocabulary)
    exchanges = [reader.exchange(*each) for each in definition.model.exchanges.items()]
    if definition.entry("exchanges") == {}:
        message, remedy = "the file has no exchanges", "add one, as in `status: {on: hit, …}`"
        definition.fault(message, ("exchanges",), remedy, at_key=True, code=FaultCode.EMPTY)
    definition.raise_if_faulty()
    return Lines(exchanges, reader.vocabulary)


class _LinesReader:
    """Turns the model of a line file into a vocabulary and exchanges, and adds their faults to the definition."""

    def __init__(
        self, definition: Definition[LinesShape], model: LinesShape, vocabulary: DialogueVocabulary | None
    ) -> None:
        self._definition = definition
        base = vocabulary or (GENERAL if model.occasions else COMBAT)
        self._declared_on = {*base.variables, *base.role_variables, *base.slots}
        self.vocabulary = base.extended(
            {name: self._occasion(name, written) for name, written in model.occasions.items()},
            self._types("variables", model.variables),
            self._types("role_variables", model.role_variables),
        )

    # --- what the file declares ---

    def _occasion(self, name: str, written: OccasionShape) -> OccasionKind:
        about = self._read_types(("occasions", name, "about"), written.about, ABOUT_TYPES)
        text = written.text or name.replace("_", " ")
        settled = parse_duration(written.again_after) or 0.0
        return OccasionKind(text, FrozenMap(about), is_urgent=written.urgent, settled=settled)

    def _types(self, key: str, written: Mapping[str, str | list[str]]) -> dict[str, Type]:
        return self._read_types((key,), written, VARIABLE_TYPES)

    def _read_types(
        self, path: KeyPath, written: Mapping[str, str | list[str]], words: tuple[str, ...]
    ) -> dict[str, Type]:
        found: dict[str, Type] = {}
        for name, kind in written.items():
            where = (*path, name)
            if name in self._declared_on:
                message, remedy = f"{name!r} has a meaning of its own here", "choose another name"
                self._definition.fault(message, where, remedy, at_key=True, code=FaultCode.DUPLICATE)
            elif isinstance(kind, str) and kind not in words:
                remedy = f"{word_hint(kind, words)}, or a list of labels"
                self._definition.fault(f"unknown type {kind!r}", where, remedy, code=FaultCode.UNKNOWN_NAME)
            else:
                found[name] = self._type(where, kind)
        return found

    def _type(self, path: KeyPath, kind: str | list[str]) -> Type:
        try:
            return Type.of(kind)
        except TelosError as error:
            self._definition.fault(error.message, path, error.remedy)
            return Type.of("bool")

    # --- exchanges ---

    def exchange(self, name: str, written: ExchangeShape) -> Exchange:
        """Return an exchange as far as it is valid, and add its faults to the definition."""
        path: KeyPath = ("exchanges", name)
        turns, unanswered = (
            list(self._turns((*path, key), items))
            for key, items in (("lines", written.lines), ("unanswered", written.unanswered))
        )
        exchange = Exchange(
            name,
            written.on,
            written.roles,
            tuple(turn for _, turn in turns),
            self._condition((*path, "if"), written.if_),
            parse_duration(written.cooldown) or 0.0,
            written.chance,
            tuple(turn for _, turn in unanswered),
        )
        # Faults in what the file declares, in roles or in the occasion would cause others wherever these are used.
        declared = [("occasions",), ("variables",), ("role_variables",), (*path, "on"), (*path, "roles")]
        if not any(self._definition.is_touched(*each) for each in declared):
            places = {"lines": [place for place, _ in turns], "unanswered": [place for place, _ in unanswered]}
            for fault in exchange_faults(exchange, self.vocabulary):
                self._add(replace(fault, path=(*path, *_in_file(fault.path, places))))
        return exchange

    def _turns(self, path: KeyPath, written: list[TurnShape]) -> Iterator[tuple[int, Turn]]:
        """Yield the turns of a list, each with its place in the file; one without a role keeps its place."""
        for where, turn in self._definition.items_at(path, written):
            place, said = int(where[-1]), dict(turn.model_extra or {})
            for role in self._definition.entry(*where, default={}).keys() - said.keys() - TURN_KEYS:
                said[role] = "…"  # stands in for a faulty text, so that the rest of the turn is checked
            if len(said) != 1:
                if not self._definition.is_touched(*where):
                    message = "the turn has several roles" if said else "the turn has no role"
                    remedy = "a turn has one role, as in `- asker: Status?`"
                    self._definition.fault(message, where, remedy, code=FaultCode.WRONG_COUNT)
                yield place, Turn("", ())
                continue
            ((role, texts),) = said.items()
            variations = (texts,) if isinstance(texts, str) else self._variations((*where, role), texts)
            condition = self._condition((*where, "if"), turn.if_)
            yield place, Turn(role, variations, turn.to, condition, parse_duration(turn.after) or 0.0)

    def _variations(self, path: KeyPath, written: list[str]) -> tuple[str, ...]:
        """Return the variations of a text; ``…`` stands in for a faulty one, so that the others keep their place."""
        placed = {int(where[-1]): text for where, text in self._definition.items_at(path, written)}
        return tuple(placed.get(i, "…") for i in range(max(placed, default=-1) + 1))

    def _condition(self, path: KeyPath, written: str | bool) -> Condition:
        if isinstance(written, bool):
            return ALWAYS if written else Condition(Literal(False))
        try:
            return Condition(parse_expression(written))
        except DefinitionError as error:
            for fault in error.faults:
                self._add(replace(fault, path=path))
            return ALWAYS

    def _add(self, fault: Fault) -> None:
        """Add a fault at its position, unless its entry has one; about the role of a turn, that is its key."""
        if self._definition.is_touched(*fault.path):
            return
        *around, last = fault.path
        if fault.path not in self._definition.document.positions and isinstance(last, int):
            fault = replace(fault, path=tuple(around))  # a single text instead of a list has no index
        at_key = isinstance(last, str) and last not in TURN_KEYS and isinstance(around[-1], int)
        self._definition.faults.append(self._definition.document.locate(fault, at_key=at_key))


def _in_file(path: KeyPath, places: Mapping[str, list[int]]) -> KeyPath:
    """Return the path of a fault with the place of its turn in the file; the model leaves faulty turns out."""
    if len(path) > 1 and path[0] in places and isinstance(path[1], int):
        return (path[0], places[str(path[0])][path[1]], *path[2:])
    return path
