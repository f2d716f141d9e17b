"""Line files: what is said on which occasion, by whom; read from YAML with all faults reported.

Start with `load_lines`, `Lines` and `Exchange`. The tables at the top hold the words that authors may use.
"""

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import ConfigDict, Discriminator, Field, Tag

from telos.core.binding import BUILT_IN, Scope, check_expression
from telos.core.conditions import ALWAYS, Condition
from telos.core.errors import DefinitionError, Fault, FaultCode, KeyPath, TelosError, name_hint
from telos.core.expressions import Arithmetic, Call, Literal, walk
from telos.core.expressions import to_text as text_of
from telos.core.parser import parse_expression
from telos.core.state import Layout
from telos.core.values import BOOL, INT, KEYWORDS, NUMBER, VARIABLE_NAME, FrozenMap, Type, Variable
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
from telos.squads.dialogue.occasions import OCCASIONS

BUILT_IN_LINES = Path(__file__).with_name("lines.yaml")
PAUSE = 0.3  # seconds between the end of a line and the reply
COOLDOWN = 10.0  # seconds in which a squad does not repeat an exchange

# --- vocabulary ---


SQUAD = "squad"  # the hearer of a turn that is not a role
TURN_KEYS = frozenset({"if", "to", "after"})  # keys of a turn beside its role
# Ways to cast a role.
CASTING: dict[str, str] = {
    "who": "the one it happened to",
    "leader": "the highest in rank of the squad",
    "comrade": "the nearest comrade within earshot",
    "target": "the one that the occasion names as its target",
    "mover": "the first whose order is to go somewhere",
    "suppressor": "the first whose order is to suppress",
}
BEHAVIOURS = Type.of(["idle", "get_to_cover", "advance_cover", "orderly_advance", "search", "other"])
# Variables of conditions: of the squad, and of every role by its name, as in `hurt_health`.
SQUAD_VARIABLES: dict[str, tuple[Type, str]] = {
    "comrades": (INT, "how many of the side who can speak are within earshot of the one it happened to"),
    "squad_size": (INT, "how many of the squad are alive"),
    "enemies": (INT, "how many enemies the squad knows of"),
    "enemy_seen": (BOOL, "whether anybody of the squad sees an enemy"),
    "seconds_since_seen": (NUMBER, "since the squad's last news of an enemy; 999 if nobody remembers one"),
    "distance": (NUMBER, "metres from the one it happened to to the nearest enemy that he knows of; 999 if none"),
    "behaviour": (BEHAVIOURS, "the squad behaviour that the occasion is about: idle, get_to_cover, …, other"),
}
ROLE_VARIABLES: dict[str, tuple[Type, str]] = {
    "health": (NUMBER, "0 to 100"),
    "rank": (INT, "a higher one leads"),
    "under_fire": (BOOL, "whether he is being shot at"),
    "sees_enemy": (BOOL, "whether he sees an enemy right now"),
    "knows_enemy": (BOOL, "whether he remembers where an enemy was"),
    "enemies": (INT, "how many enemies he knows of"),
    "knows_cover": (BOOL, "whether he knows cover that protects"),
    "away": (NUMBER, "metres from the one it happened to"),
}
_ANY = frozenset(OCCASIONS)
# Slots of texts, beside the names of roles: the occasions on which they are known, and their values.
SLOTS: dict[str, tuple[frozenset[str], str]] = {
    "enemy": (_ANY, "the enemy that the speaker knows of"),
    "count": (_ANY, "how many enemies the speaker knows of, in words"),
    "place": (_ANY, "where the grenade, room or door is; on other occasions, where the speaker sees an enemy"),
    "last_place": (_ANY, "where the speaker last knew an enemy to be"),
    "behaviour": (frozenset({"ordered", "fulfilled", "refused"}), "the squad behaviour, in words"),
    "room": (frozenset({"cleared", "searching"}), "the room's name"),
    "door": (frozenset({"blocked"}), "the door's name"),
    "why": (frozenset({"refused"}), "the reason that was given"),
}
RESERVED = frozenset({SQUAD, *TURN_KEYS, *SLOTS, *KEYWORDS})  # not allowed as names of roles
_SLOT = re.compile(r"\{([^{}]*)\}|([{}])")


@lru_cache(maxsize=512)  # conditions are compiled once per layout, and files have few sets of roles
def make_layout(roles: tuple[str, ...]) -> Layout:
    """Return the variables that conditions may use, given the roles."""
    own = {f"{role}_{name}": kind for role in roles for name, (kind, _) in ROLE_VARIABLES.items()}
    common = {name: kind for name, (kind, _) in SQUAD_VARIABLES.items()}
    return Layout([Variable(name, kind) for name, kind in {**common, **own}.items()])


def find_slots(text: str) -> list[tuple[str, int]]:
    """Return the slots of a text with their offsets; an unmatched brace is a slot ``""``.

    >>> find_slots("{hurt}, status?")
    [('hurt', 0)]
    """
    return [(match[1] or "", match.start()) for match in _SLOT.finditer(text)]


# --- exchanges ---


@dataclass(frozen=True, slots=True)
class Turn:
    """What one role says to another (to the whole squad if ``to`` is empty): one of several variations."""

    role: str
    variations: tuple[str, ...]
    to: str = ""
    condition: Condition = ALWAYS
    after: float = PAUSE


@dataclass(frozen=True, slots=True)
class Exchange:
    """Turns that belong together, the occasion for them, and how their roles are cast.

    Successive turns of one role are alternatives: the first that fits is spoken. ``unanswered`` replaces the remaining
    turns when the next speaker or hearer can no longer speak.
    """

    name: str
    on: str
    roles: Mapping[str, str]
    turns: tuple[Turn, ...]
    condition: Condition = ALWAYS
    cooldown: float = COOLDOWN
    chance: float = 1.0
    unanswered: tuple[Turn, ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "roles", FrozenMap(self.roles))

    @property
    def layout(self) -> Layout:
        """Return the variables that its conditions may use."""
        return make_layout(tuple(self.roles))

    def addressee(self, index: int) -> str:
        """Return the role that a turn is said to: as stated, or the previous speaker, or the next one."""
        turn = self.turns[index]
        if turn.to:
            return addressed_role(turn)
        before = (each.role for each in reversed(self.turns[:index]) if each.role != turn.role)
        after = (each.role for each in self.turns[index + 1 :] if each.role != turn.role)
        return next(before, next(after, ""))

    @property
    def voices(self) -> frozenset[str]:
        """Return the roles that must be able to speak and hear."""
        hearers = map(self.addressee, range(len(self.turns)))
        return frozenset({turn.role for turn in self.turns} | {role for role in hearers if role})


def addressed_role(turn: Turn) -> str:
    """Return the role that a turn names as its hearer; empty for the whole squad."""
    return "" if turn.to == SQUAD else turn.to


# --- faults of exchanges ---


def exchange_faults(exchange: Exchange) -> list[Fault]:
    """Return all faults of an exchange, each with its path in a file."""
    found = [*_head_faults(exchange), *_role_faults(exchange)]
    if not exchange.turns:
        found.append(
            Fault("the exchange has no lines", suggestion="add `lines:`", path=("lines",), code=FaultCode.EMPTY)
        )
    for key, turns in (("lines", exchange.turns), ("unanswered", exchange.unanswered)):
        for i, turn in enumerate(turns):
            found += (fault.at(key, i) for fault in _turn_faults(exchange, turn))
            hearer = exchange.addressee(i) if key == "lines" else addressed_role(turn)
            found += (fault.at(key, i) for fault in _dead_faults(exchange, turn, hearer))
    return found


def _head_faults(exchange: Exchange) -> Iterator[Fault]:
    if exchange.on not in OCCASIONS:
        yield Fault(
            f"unknown occasion {exchange.on!r}",
            suggestion=name_hint(exchange.on, OCCASIONS),
            path=("on",),
            code=FaultCode.UNKNOWN_NAME,
        )
    if not 0 < exchange.chance <= 1:
        remedy = "give a number above 0, at most 1"
        yield Fault(
            f"a chance of {exchange.chance}", suggestion=remedy, path=("chance",), code=FaultCode.NOT_A_PROBABILITY
        )
    if not (math.isfinite(exchange.cooldown) and exchange.cooldown >= 0):
        remedy = "give seconds, zero or more"
        yield Fault(
            f"a cooldown of {exchange.cooldown}", suggestion=remedy, path=("cooldown",), code=FaultCode.OUT_OF_RANGE
        )
    yield from _condition_faults(exchange, exchange.condition)


def _role_faults(exchange: Exchange) -> Iterator[Fault]:
    for role, way in exchange.roles.items():
        path: KeyPath = ("roles", role)
        if not VARIABLE_NAME.match(role) or role in RESERVED:
            remedy = f"use letters, digits and _, and none of {', '.join(sorted(RESERVED))}"
            yield Fault(f"{role!r} cannot be a role", suggestion=remedy, path=path, code=FaultCode.BAD_NAME)
        if way not in CASTING:
            remedy = name_hint(way, CASTING)
            yield Fault(
                f"unknown way {way!r} to find somebody for {role!r}",
                suggestion=remedy,
                path=path,
                code=FaultCode.UNKNOWN_NAME,
            )


def _turn_faults(exchange: Exchange, turn: Turn) -> Iterator[Fault]:
    if turn.role not in exchange.roles:
        yield Fault(
            f"unknown role {turn.role!r}",
            suggestion=name_hint(turn.role, exchange.roles),
            path=(turn.role,),
            code=FaultCode.UNKNOWN_NAME,
        )
    if turn.to and turn.to not in (SQUAD, *exchange.roles):
        remedy = name_hint(turn.to, (SQUAD, *exchange.roles))
        yield Fault(f"unknown role {turn.to!r}", suggestion=remedy, path=("to",), code=FaultCode.UNKNOWN_NAME)
    if turn.to == turn.role:
        yield Fault(
            f"{turn.role!r} speaks to itself",
            suggestion="name another role",
            path=("to",),
            code=FaultCode.CONFLICT,
        )
    if not (math.isfinite(turn.after) and turn.after >= 0):
        yield Fault(
            f"a pause of {turn.after}",
            suggestion="give seconds, zero or more",
            path=("after",),
            code=FaultCode.OUT_OF_RANGE,
        )
    if not turn.variations:
        yield Fault("the turn has no text", suggestion="add a text", path=(turn.role,), code=FaultCode.EMPTY)
    yield from _condition_faults(exchange, turn.condition)
    for i, text in enumerate(turn.variations):
        yield from (fault.at(turn.role, i) for fault in _text_faults(exchange, text))


def _text_faults(exchange: Exchange, text: str) -> Iterator[Fault]:
    if not text.strip():
        yield Fault("an empty line", suggestion="write what is said", code=FaultCode.EMPTY)
    allowed = {*exchange.roles, *(slot for slot, (on, _) in SLOTS.items() if exchange.on in on)}
    for slot, offset in find_slots(text):
        if slot in SLOTS and slot not in allowed and exchange.on in OCCASIONS:
            remedy = f"it is known on {', '.join(sorted(SLOTS[slot][0]))}"
            yield Fault(
                f"the slot {slot!r} is unknown on {exchange.on!r}",
                suggestion=remedy,
                offset=offset,
                code=FaultCode.CONFLICT,
            )
        elif slot not in allowed and slot not in SLOTS:
            if slot:
                message, remedy, code = f"unknown slot {slot!r}", name_hint(slot, allowed), FaultCode.UNKNOWN_NAME
            else:
                message, remedy, code = "an unmatched brace", "write `{slot}`", FaultCode.BAD_SYNTAX
            yield Fault(message, suggestion=remedy, offset=offset, code=code)


def _condition_faults(exchange: Exchange, condition: Condition) -> Iterator[Fault]:
    for part in walk(condition.expression):
        match part:
            case Call(function) if function not in BUILT_IN:
                remedy = name_hint(function, BUILT_IN)
                yield Fault(
                    f"unknown function {function!r}",
                    suggestion=remedy,
                    path=("if",),
                    offset=part.column,
                    code=FaultCode.UNKNOWN_NAME,
                )
            case Arithmetic("/", _, right) if not (isinstance(right, Literal) and right.value):
                remedy = "divide by a number, or multiply the other side"
                yield Fault(
                    f"{text_of(right)!r} may be zero",
                    suggestion=remedy,
                    path=("if",),
                    offset=right.column,
                    code=FaultCode.OUT_OF_RANGE,
                )
    yield from (fault.at("if") for fault in check_expression(condition.expression, Scope(exchange.layout), BOOL))


def _dead_faults(exchange: Exchange, turn: Turn, hearer: str) -> Iterator[Fault]:
    """Yield faults of turns in which the dead speak or are spoken to."""
    if exchange.on != "down":
        return
    fallen = {role for role, way in exchange.roles.items() if way == "who"}
    if turn.role in fallen:
        yield Fault(
            f"{turn.role!r} is dead and cannot speak",
            suggestion="let another role say it",
            path=(turn.role,),
            code=FaultCode.CONFLICT,
        )
    elif hearer in fallen:
        yield Fault(
            f"{turn.role!r} speaks to the dead",
            suggestion="write `to: squad`",
            path=("to",),
            code=FaultCode.CONFLICT,
        )


class Lines:
    """Exchanges in order of priority, checked as a whole; all faults are reported at once.

    >>> Lines([Exchange("status", "hit", {"hurt": "who"}, (Turn("hurt", ("I'm hit, {foe}!",)),))])
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: exchanges › status › lines › 0 › hurt › 0: unknown slot 'foe'; known: count, \
enemy, hurt, last_place, place
    """

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        self._exchanges: dict[str, Exchange] = {}
        faults: list[Fault] = []
        for exchange in exchanges:
            if exchange.name in self._exchanges:
                faults.append(
                    Fault(
                        f"two exchanges have the name {exchange.name!r}",
                        suggestion="rename one",
                        code=FaultCode.DUPLICATE,
                    )
                )
            self._exchanges[exchange.name] = exchange
            faults += (fault.at("exchanges", exchange.name) for fault in exchange_faults(exchange))
        if faults:
            raise DefinitionError(faults)

    def __iter__(self) -> Iterator[Exchange]:
        return iter(self._exchanges.values())

    def __len__(self) -> int:
        return len(self._exchanges)

    def __getitem__(self, name: str) -> Exchange:
        if name not in self._exchanges:
            raise TelosError(f"unknown exchange {name!r}", name_hint(name, self._exchanges))
        return self._exchanges[name]


# --- file model ---


_ONE, _LIST = branch_tag("one"), branch_tag("list")


def _is_chance(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1


def _word_type(wanted: str, words: dict[str, str]) -> FieldType:
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
_Occasion: TypeAlias = Annotated[str, _word_type("an occasion such as hit", OCCASIONS)]
_Casting: TypeAlias = Annotated[str, _word_type("a way to find somebody, such as who or comrade", CASTING)]
_Chance: TypeAlias = Annotated[
    float, FieldType("a number above 0, at most 1", _is_chance, {"type": "number", "exclusiveMinimum": 0, "maximum": 1})
]
_Text: TypeAlias = Annotated[str, text_type("what is said, or a list of variations of it", "put it in quotes")]
_Variations: TypeAlias = Annotated[
    Annotated[_Text, Tag(_ONE)] | Annotated[list[_Text], Tag(_LIST)],
    Discriminator(lambda value: _LIST if isinstance(value, list) else _ONE),
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
    roles: dict[RoleName, _Casting] = Field(examples=["{hurt: who, asker: comrade}"])
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


class LinesShape(FileModel):
    """Everything that a side has to say, the most important first."""

    exchanges: dict[ExchangeName, ExchangeShape] = Field(examples=["{status: {on: hit, …}}"])
    """Exchanges by name; of those that fit, the first listed is taken."""


def lines_schema() -> str:
    """Return the JSON Schema of a line file."""
    return schema_text(LinesShape, "Telos lines file")


# --- reading line files ---


def load_lines(path: str | os.PathLike[str]) -> Lines:
    """Load a line file.

    A ``DefinitionError`` holds all faults of an invalid file, each with line, column and remedy.
    """
    return parse_lines(read_text(path), name=os.fspath(path))


@lru_cache(maxsize=1)
def builtin_lines() -> Lines:
    """Load the combat lines of the package."""
    return load_lines(BUILT_IN_LINES)


def parse_lines(text: str, *, name: str = "<text>") -> Lines:
    r"""Read lines from the text of a file; ``name`` is its name in faults.

    >>> parse_lines("exchanges: {ouch: {on: hti, roles: {hurt: who}, lines: [{hurt: Ouch!}]}}")
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: <text>:1:24: unknown occasion 'hti'; did you mean 'hit'?
    """
    sheet = Definition(text, name, LinesShape, "a file of lines")
    exchanges = [_exchange(sheet, path) for path, _ in sheet.items("exchanges")]
    if sheet.entry("exchanges") == {}:
        sheet.fault(
            "the file has no exchanges",
            ("exchanges",),
            "add one, as in `status: {on: hit, …}`",
            at_key=True,
            code=FaultCode.EMPTY,
        )
    if sheet.faults:
        raise_faults(sheet.faults)
    return Lines(exchanges)


def _exchange(sheet: Definition, path: KeyPath) -> Exchange:
    """Return the exchange as far as it is valid, and add its faults to the definition."""
    exchange = Exchange(
        name=str(path[-1]),
        on=sheet.entry(*path, "on", default=""),
        roles={str(where[-1]): way for where, way in sheet.items(*path, "roles")},
        turns=tuple(_turns(sheet, (*path, "lines"))),
        condition=_condition(sheet, (*path, "if")),
        cooldown=_seconds(sheet.entry(*path, "cooldown", default=COOLDOWN)),
        chance=sheet.entry(*path, "chance", default=1.0),
        unanswered=tuple(_turns(sheet, (*path, "unanswered"))),
    )
    # Invalid roles or occasions must not cause follow-on faults about their uses.
    if not any(sheet.is_touched(*path, key) for key in ("on", "roles")):
        faults = (fault.at(*path) for fault in exchange_faults(exchange))
        for fault in [each for each in faults if not sheet.is_touched(*each.path)]:
            _add_fault(sheet, fault)
    return exchange


def _turns(sheet: Definition, path: KeyPath) -> Iterator[Turn]:
    for i in range(len(sheet.entry(*path, default=()))):
        where = (*path, i)
        roles = [key for key in sheet.entry(*where, default={}) if key not in TURN_KEYS]
        if len(roles) != 1:
            if not sheet.is_touched(*where):
                message = "the turn has several roles" if roles else "the turn has no role"
                sheet.fault(message, where, "a turn has one role, as in `- asker: Status?`", code=FaultCode.WRONG_COUNT)
            yield Turn("", ())  # keeps the indices of the others
            continue
        yield Turn(
            role=roles[0],
            variations=tuple(_texts(sheet, (*where, roles[0]))),
            to=sheet.entry(*where, "to", default=""),
            condition=_condition(sheet, (*where, "if")),
            after=_seconds(sheet.entry(*where, "after", default=PAUSE)),
        )


def _texts(sheet: Definition, path: KeyPath) -> list[str]:
    said = sheet.entry(*path, default=[])
    # Invalid items were reported already; a placeholder keeps fault indices aligned.
    return [each if isinstance(each, str) else "…" for each in ([said] if isinstance(said, str) else said)]


def _seconds(value: Any) -> float:
    return parse_duration(value) or 0.0


def _condition(sheet: Definition, path: KeyPath) -> Condition:
    said = sheet.entry(*path, default=True)
    if isinstance(said, bool):
        return ALWAYS if said else Condition(Literal(False))
    try:
        return Condition(parse_expression(said))
    except DefinitionError as error:
        for fault in error.faults:
            _add_fault(sheet, replace(fault, path=path))
        return ALWAYS


def _add_fault(sheet: Definition, fault: Fault) -> None:
    """Add a fault at its position: in a text, or at the role of a turn, which is a key chosen by the author."""
    *around, last = fault.path
    if fault.path not in sheet.document.positions and isinstance(last, int):
        fault = replace(fault, path=tuple(around))  # a single text instead of a list has no index
    at_key = isinstance(last, str) and last not in TURN_KEYS and isinstance(around[-1], int)
    sheet.faults.append(sheet.document.locate(fault, at_key=at_key))
