"""What is wrong with an exchange, told before anybody speaks."""

import math
from collections.abc import Iterator

from telos.core.binding import BUILT_IN, Scope, check
from telos.core.conditions import Condition
from telos.core.errors import Fault, FaultCode, Path, name_hint
from telos.core.expressions import Arithmetic, Call, Literal, walk
from telos.core.expressions import text as text_of
from telos.core.values import BOOL, VARIABLE_NAME
from telos.squads.lines_exchange import Exchange, Turn, spoken_to
from telos.squads.lines_words import CASTING, RESERVED, SLOTS, SQUAD, slots_of
from telos.squads.utterances import OCCASIONS


def exchange_faults(exchange: Exchange) -> list[Fault]:
    """Return everything wrong with an exchange, each with the path that it has in a file."""
    found = [*_head_faults(exchange), *_role_faults(exchange)]
    if not exchange.turns:
        found.append(Fault("nobody says anything", suggestion="add `lines:`", path=("lines",), code=FaultCode.EMPTY))
    for key, turns in (("lines", exchange.turns), ("unanswered", exchange.unanswered)):
        for i, turn in enumerate(turns):
            found += (fault.at(key, i) for fault in _turn_faults(exchange, turn))
            hearer = exchange.addressee(i) if key == "lines" else spoken_to(turn)
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
        path: Path = ("roles", role)
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
            f"{turn.role!r} would speak to himself",
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
        yield Fault("there is nothing to say", suggestion="add a text", path=(turn.role,), code=FaultCode.EMPTY)
    yield from _condition_faults(exchange, turn.condition)
    for i, text in enumerate(turn.variations):
        yield from (fault.at(turn.role, i) for fault in _text_faults(exchange, text))


def _text_faults(exchange: Exchange, text: str) -> Iterator[Fault]:
    if not text.strip():
        yield Fault("an empty line", suggestion="write what is said", code=FaultCode.EMPTY)
    allowed = {*exchange.roles, *(slot for slot, (on, _) in SLOTS.items() if exchange.on in on)}
    for slot, offset in slots_of(text):
        if slot in SLOTS and slot not in allowed and exchange.on in OCCASIONS:
            remedy = f"it is known on {', '.join(sorted(SLOTS[slot][0]))}"
            yield Fault(
                f"nobody knows {slot!r} on {exchange.on!r}", suggestion=remedy, offset=offset, code=FaultCode.CONFLICT
            )
        elif slot not in allowed and slot not in SLOTS:
            message = f"unknown slot {slot!r}" if slot else "a brace that stands alone"
            yield Fault(
                message,
                suggestion=name_hint(slot, allowed) if slot else "write `{slot}`",
                offset=offset,
                code=FaultCode.UNKNOWN_NAME,
            )


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
    yield from (fault.at("if") for fault in check(condition.expression, Scope(exchange.layout), BOOL))


def _dead_faults(exchange: Exchange, turn: Turn, hearer: str) -> Iterator[Fault]:
    """Yield what would make a dead man speak or be spoken to."""
    if exchange.on != "down":
        return
    fallen = {role for role, way in exchange.roles.items() if way == "who"}
    if turn.role in fallen:
        yield Fault(
            f"{turn.role!r} is the one who died",
            suggestion="let another role say it",
            path=(turn.role,),
            code=FaultCode.CONFLICT,
        )
    elif hearer in fallen:
        yield Fault(
            f"{turn.role!r} would speak to the dead",
            suggestion="write `to: squad`",
            path=("to",),
            code=FaultCode.CONFLICT,
        )
