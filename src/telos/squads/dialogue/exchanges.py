"""Exchanges: who says what on which occasion, and everything that can be wrong with that.

Start with `Lines` and `Exchange`.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from telos.core.conditions import ALWAYS, Condition
from telos.core.errors import (
    DefinitionError,
    Fault,
    FaultCode,
    KeyPath,
    Note,
    NoteCode,
    TelosError,
    name_hint,
    word_hint,
)
from telos.core.expressions import BUILT_IN, Arithmetic, Call, Literal, Scope, check_expression, to_text, walk
from telos.core.expressions.ranges import is_possible, ranges_of
from telos.core.state import Layout
from telos.core.values import BOOL, VARIABLE_NAME, FrozenMap
from telos.squads.dialogue.combat import COMBAT
from telos.squads.dialogue.vocabulary import SQUAD, DialogueVocabulary

PAUSE = 0.3  # seconds between the end of a line and the reply
COOLDOWN = 10.0  # seconds in which a squad does not repeat an exchange
_UNKNOWN = FaultCode.UNKNOWN_NAME
_SLOT = re.compile(r"\{([^{}]*)\}|([{}])")


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


class Lines:
    """Exchanges in order of priority, and the vocabulary that they speak; all faults are reported at once.

    >>> Lines([Exchange("status", "hit", {"hurt": "who"}, (Turn("hurt", ("I'm hit, {foe}!",)),))])
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: exchanges › status › lines › 0 › hurt › 0: unknown slot 'foe'; known: count, \
enemy, hurt, last_place, place
    """

    def __init__(self, exchanges: Iterable[Exchange], vocabulary: DialogueVocabulary = COMBAT) -> None:
        self.vocabulary = vocabulary
        self._exchanges: dict[str, Exchange] = {}
        faults: list[Fault] = []
        for exchange in exchanges:
            if exchange.name in self._exchanges:
                message = f"two exchanges have the name {exchange.name!r}"
                faults.append(Fault(message, suggestion="rename one", code=FaultCode.DUPLICATE))
            self._exchanges[exchange.name] = exchange
            faults += (fault.at("exchanges", exchange.name) for fault in exchange_faults(exchange, vocabulary))
        if faults:
            raise DefinitionError(faults)

    def layout(self, exchange: Exchange) -> Layout:
        """Return the variables that the conditions of an exchange may use."""
        return self.vocabulary.layout(exchange.on, tuple(exchange.roles))

    def __iter__(self) -> Iterator[Exchange]:
        return iter(self._exchanges.values())

    def __len__(self) -> int:
        return len(self._exchanges)

    def __getitem__(self, name: str) -> Exchange:
        if name not in self._exchanges:
            raise TelosError(f"unknown exchange {name!r}", name_hint(name, self._exchanges))
        return self._exchanges[name]


# --- faults of exchanges ----------------------------------------------------------------------------------------------


def find_slots(text: str) -> list[tuple[str, int]]:
    """Return the slots of a text with their offsets; an unmatched brace is a slot ``""``.

    >>> find_slots("{hurt}, status?")
    [('hurt', 0)]
    """
    return [(match[1] or "", match.start()) for match in _SLOT.finditer(text)]


def exchange_faults(exchange: Exchange, vocabulary: DialogueVocabulary) -> list[Fault]:
    """Return all faults of an exchange, each with its path in a file."""
    check = _ExchangeCheck(exchange, vocabulary)
    found = [*check.head(), *check.roles()]
    if not exchange.turns:
        found.append(
            Fault("the exchange has no lines", suggestion="add `lines:`", path=("lines",), code=FaultCode.EMPTY)
        )
    for key, turns in (("lines", exchange.turns), ("unanswered", exchange.unanswered)):
        for i, turn in enumerate(turns):
            hearer = exchange.addressee(i) if key == "lines" else addressed_role(turn)
            found += (fault.at(key, i) for fault in (*check.turn(turn), *check.muted(turn, hearer)))
    return found


def exchange_notes(lines: Lines, data: object) -> Iterator[Note]:
    """Yield notes on the conditions of a line file that can never hold."""
    for exchange in lines:
        ranges = ranges_of(lines.layout(exchange))
        conditions: list[tuple[KeyPath, Condition]] = [((), exchange.condition)]
        for key, turns in (("lines", exchange.turns), ("unanswered", exchange.unanswered)):
            conditions += [((key, i), turn.condition) for i, turn in enumerate(turns)]
        for path, condition in conditions:
            if not is_possible(condition.expression, ranges):
                message, remedy = f"`{condition}` can never hold", "change it, or leave out what it belongs to"
                place: KeyPath = ("exchanges", exchange.name, *path, "if")
                yield Note(message, suggestion=remedy, path=place, code=NoteCode.NEVER_TRUE)


class _ExchangeCheck:
    """Finds what is wrong with the parts of one exchange, in the vocabulary of its game."""

    def __init__(self, exchange: Exchange, vocabulary: DialogueVocabulary) -> None:
        self._exchange, self._vocabulary = exchange, vocabulary
        self._ways, self._slots = vocabulary.ways_on(exchange.on), vocabulary.slots_on(exchange.on)
        self._scope = Scope(vocabulary.layout(exchange.on, tuple(exchange.roles)))

    def head(self) -> Iterator[Fault]:
        """Yield what is wrong with the occasion, the chance, the cooldown and the condition."""
        exchange, occasions = self._exchange, self._vocabulary.occasions
        if exchange.on not in occasions:
            remedy = name_hint(exchange.on, occasions)
            message = f"unknown occasion {exchange.on!r}"
            yield Fault(message, suggestion=remedy, path=("on",), code=FaultCode.UNKNOWN_NAME)
        if not 0 < exchange.chance <= 1:
            message, remedy = f"a chance of {exchange.chance}", "give a number above 0, at most 1"
            yield Fault(message, suggestion=remedy, path=("chance",), code=FaultCode.NOT_A_PROBABILITY)
        if not (math.isfinite(exchange.cooldown) and exchange.cooldown >= 0):
            message, remedy = f"a cooldown of {exchange.cooldown}", "give seconds, zero or more"
            yield Fault(message, suggestion=remedy, path=("cooldown",), code=FaultCode.OUT_OF_RANGE)
        yield from self._condition(exchange.condition)

    def roles(self) -> Iterator[Fault]:
        """Yield what is wrong with the names of roles, and with the ways to find who takes them."""
        reserved = self._vocabulary.reserved | self._slots.keys() - self._ways.keys()
        for role, way in self._exchange.roles.items():
            if not VARIABLE_NAME.match(role) or role in reserved:
                remedy = f"use letters, digits and _, and none of {', '.join(sorted(reserved))}"
                message = f"{role!r} cannot be a role"
                yield Fault(message, suggestion=remedy, path=("roles", role), code=FaultCode.BAD_NAME)
            if way not in self._ways:
                message = f"unknown way {way!r} to find somebody for {role!r}"
                remedy = word_hint(way, self._ways)
                yield Fault(message, suggestion=remedy, path=("roles", role), code=FaultCode.UNKNOWN_NAME)

    def turn(self, turn: Turn) -> Iterator[Fault]:
        """Yield what is wrong with a turn."""
        roles = self._exchange.roles
        if turn.role not in roles:
            remedy = name_hint(turn.role, roles)
            message = f"unknown role {turn.role!r}"
            yield Fault(message, suggestion=remedy, path=(turn.role,), code=FaultCode.UNKNOWN_NAME)
        if turn.to and turn.to not in (SQUAD, *roles):
            remedy = name_hint(turn.to, (SQUAD, *roles))
            yield Fault(f"unknown role {turn.to!r}", suggestion=remedy, path=("to",), code=FaultCode.UNKNOWN_NAME)
        if turn.to == turn.role:
            message = f"{turn.role!r} speaks to itself"
            yield Fault(message, suggestion="name another role", path=("to",), code=FaultCode.CONFLICT)
        if not (math.isfinite(turn.after) and turn.after >= 0):
            message, remedy = f"a pause of {turn.after}", "give seconds, zero or more"
            yield Fault(message, suggestion=remedy, path=("after",), code=FaultCode.OUT_OF_RANGE)
        if not turn.variations:
            yield Fault("the turn has no text", suggestion="add a text", path=(turn.role,), code=FaultCode.EMPTY)
        yield from self._condition(turn.condition)
        for i, text in enumerate(turn.variations):
            yield from (fault.at(turn.role, i) for fault in self._text(text))

    def muted(self, turn: Turn, hearer: str) -> Iterator[Fault]:
        """Yield the fault of a turn in which somebody speaks, or is spoken to, who no longer can."""
        kind = self._vocabulary.occasions.get(self._exchange.on)
        if kind is None or not kind.mutes:
            return
        muted = {role for role, way in self._exchange.roles.items() if way == "who"}
        if turn.role in muted:
            message, remedy = f"{turn.role!r} is dead and cannot speak", "let another role say it"
            yield Fault(message, suggestion=remedy, path=(turn.role,), code=FaultCode.CONFLICT)
        elif hearer in muted:
            message, remedy = f"{turn.role!r} speaks to the dead", "write `to: squad`"
            yield Fault(message, suggestion=remedy, path=("to",), code=FaultCode.CONFLICT)

    def _text(self, text: str) -> Iterator[Fault]:
        if not text.strip():
            yield Fault("an empty line", suggestion="write what is said", code=FaultCode.EMPTY)
        on, allowed = self._exchange.on, {*self._exchange.roles, *self._slots}
        for slot, offset in find_slots(text):
            elsewhere = self._vocabulary.slots.get(slot)
            if slot in allowed or (elsewhere is not None and on not in self._vocabulary.occasions):
                continue
            if not slot:
                message, remedy, code = "an unmatched brace", "write `{slot}`", FaultCode.BAD_SYNTAX
            elif elsewhere is None:
                message, remedy, code = f"unknown slot {slot!r}", name_hint(slot, allowed), FaultCode.UNKNOWN_NAME
            else:
                message = f"the slot {slot!r} is unknown on {on!r}"
                remedy, code = f"it is known on {', '.join(sorted(elsewhere.occasions or ()))}", FaultCode.CONFLICT
            yield Fault(message, suggestion=remedy, offset=offset, code=code)

    def _condition(self, condition: Condition) -> Iterator[Fault]:
        for part in walk(condition.expression):
            match part:
                case Call(function) if function not in BUILT_IN:
                    message, remedy, code = f"unknown function {function!r}", name_hint(function, BUILT_IN), _UNKNOWN
                    yield Fault(message, suggestion=remedy, path=("if",), offset=part.column, code=code)
                case Arithmetic("/", _, right) if not (isinstance(right, Literal) and right.value):
                    message, remedy = (
                        f"{to_text(right)!r} may be zero",
                        "divide by a number, or multiply the other side",
                    )
                    code = FaultCode.OUT_OF_RANGE
                    yield Fault(message, suggestion=remedy, path=("if",), offset=right.column, code=code)
        yield from (fault.at("if") for fault in check_expression(condition.expression, self._scope, BOOL))
