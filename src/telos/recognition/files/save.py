"""Models to recogniser files: readable, and read again they give an equal model."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from telos.core.conditions import Condition
from telos.core.errors import TelosError
from telos.core.values import Kind, Type
from telos.files.schema import parse_duration
from telos.files.yaml import parse_scalar
from telos.recognition.director import DirectorRule
from telos.recognition.ffbm import FFBM, ConstantT
from telos.recognition.files.load import ANY_EXIT, EXITS, FileModel
from telos.recognition.files.schema import CONTEXT_TYPES, format_chance, parse_updates
from telos.recognition.filtering import Clock
from telos.recognition.fsm import RANDOM_START, FSMModel
from telos.recognition.iohmm import IOHMM
from telos.recognition.observations import FLAIRS_SYMBOLS, HeadingObservation, ObservationModel, Symbols
from telos.recognition.transitions import Row, TransitionRules
from telos.recognition.vocabulary import ADVENTURE, Vocabulary

_PLAIN = re.compile(r"[A-Za-z][\w .<>=!()+*/-]*\Z", re.ASCII)
_TAKEN = frozenset({"yes", "no", "on", "off", "y", "n"})  # other versions of YAML read these as true and false


def save_model(model: FileModel, path: str | os.PathLike[str]) -> None:
    """Write a model as a recogniser file; ``load_model`` reads it back as an equal model."""
    text = format_model(model)
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise TelosError(f"{os.fspath(path)}: cannot be written: {error.strerror or error}") from None


def format_model(model: FileModel) -> str:
    """Return the text of the recogniser file that says what a model is."""
    match model:
        case FFBM():
            lines = _ffbm(model)
        case IOHMM():
            lines = _iohmm(model)
        case FSMModel():
            lines = _fsm(model)
    return "".join(f"{line}\n" for line in (*lines, *_director(model.director or ())))


def _ffbm(model: FFBM) -> Iterator[str]:
    yield from _head(model, "constant" if isinstance(model, ConstantT) else "ffbm")
    yield from _chances(model)
    if model.outcomes != FLAIRS_SYMBOLS:
        yield from _symbols("outcomes", model.outcomes)
    yield "observations:"
    for goal in model.goals:
        rules = model.observations[goal].rules
        if len(rules) == 1:
            yield f"  {_word(goal)}: {_look(rules[0][1])}"
            continue
        yield f"  {_word(goal)}:"
        for condition, look in rules:
            if condition is None:
                yield f"    - else: {_look(look)}"
            else:
                yield f"    - if: {_condition(condition)}"
                yield f"      then: {_look(look)}"


def _iohmm(model: IOHMM) -> Iterator[str]:
    yield from _head(model, "iohmm")
    yield from _chances(model)
    yield from _symbols("observations", model.symbols)
    pseudo = model.counts.pseudo
    values = {count for row in pseudo.values() for count in row.values()}
    if len(values) == 1:
        yield f"pseudo_counts: {_number(values.pop())}"
    else:
        yield from _table("pseudo_counts", pseudo)
    if model.discount != 1:
        yield f"discount: {_number(model.discount)}"
    yield from _table("counts", model.counts.seen)
    if model.learned is not None:
        yield "learned_transitions:"
        yield f"  strength: {_number(model.learned.strength)}"
        yield from (f"  {line}" for line in _table("counts", model.learned.seen))


def _fsm(model: FSMModel) -> Iterator[str]:
    yield from _head(model, "fsm")
    yield f"start: {_word(model.start or RANDOM_START)}"
    yield "rules:"
    for condition, goal in model.rules:
        yield f"  - if: {_condition(condition)}"
        yield f"    then: {_word(goal)}"


def _director(rules: Iterable[DirectorRule]) -> Iterator[str]:
    for number, rule in enumerate(rules):
        if not number:
            yield "director:"
        yield f"  - if: {_condition(rule.condition)}"
        if rule.until is not None:
            yield f"    until: {_condition(rule.until)}"
        if rule.hold:
            yield f"    for: {_period(rule.hold)}"
        if rule.pay:
            pay = ", ".join(f"{_word(what)}: {_number(factor)}" for what, factor in rule.pay.items())
            yield f"    pay: {{{pay}}}"
        if rule.say:
            yield f"    say: {_word(rule.say)}"
        if rule.again_after:
            yield f"    again after: {_period(rule.again_after)}"


def _head(model: FileModel, sort: str) -> Iterator[str]:
    yield f"recognizer: {sort}"
    if model.name:
        yield f"name: {_word(model.name)}"
    yield f"goals: {_list(model.goals)}"
    yield from _words(model.vocabulary)
    if not isinstance(model, FSMModel):
        yield f"clock: {_clock(model.clock)}"


def _words(words: Vocabulary) -> Iterator[str]:
    if words == ADVENTURE:
        return
    yield "context:" if words.context else "context: {}"
    for name, kind in words.context.items():
        yield f"  {name}: {_kind(name, kind)}"
    if words.actions:
        yield f"actions: {_list(words.actions)}"
    if words.moments:
        yield f"moments: {_list(words.moments)}"


def _kind(name: str, kind: Type) -> str:
    if kind.kind is Kind.ENUM:
        return _list(kind.labels)
    if str(kind) not in CONTEXT_TYPES:
        raise TelosError(
            f"context {name!r} is of kind {kind}, which no file can say", f"use one of {', '.join(CONTEXT_TYPES)}"
        )
    return str(kind)


def _clock(clock: Clock) -> str:
    every = "" if clock.every is None else f", every: {_period(clock.every)}"
    return f"{{on: {_list(clock.on)}{every}}}"


def _period(seconds: float) -> str:
    said = [f"{_number(seconds * 1000)} ms", f"{_number(seconds)} s"]
    exact = [each for each in (said if seconds < 1 else reversed(said)) if parse_duration(each) == seconds]
    return exact[0] if exact else _number(seconds)


def _chances(model: FFBM | IOHMM) -> Iterator[str]:
    if model.prior != (1.0 / len(model.goals),) * len(model.goals):
        yield f"prior: {_row(dict(zip(model.goals, model.prior, strict=True)))}"
    yield from _transitions(model.transitions)


def _transitions(rules: TransitionRules) -> Iterator[str]:
    yield "transitions:"
    if isinstance(rules.lasts, Mapping):
        spans = ", ".join(f"{_word(goal)}: {_updates(span)}" for goal, span in rules.lasts.items())
        yield f"  lasts: {{{spans}}}"
    elif rules.lasts is not None:
        yield f"  lasts: {_updates(rules.lasts)}"
    for goal, row in (rules.rows or {}).items():
        yield f"  {_word(f'from {goal}')}: {_row(row)}"
    if rules.cases:
        yield "  when:"
    for case in rules.cases:
        yield f"    - if: {_condition(case.condition)}"
        for goal, row in case.rows.items():
            yield f"      {_word(f'from {goal}')}: {_row(row)}"


def _updates(span: float) -> str:
    said = f"{_number(span)} updates"
    return said if parse_updates(said) == span else _number(span)


def _symbols(key: str, symbols: Symbols) -> Iterator[str]:
    yield f"{key}:"
    for name, condition in zip(symbols.names, symbols.conditions, strict=True):
        yield f"  {_word(name)}: {_condition(condition)}"


def _table(key: str, counts: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Yield a table of counts, a line for each goal; what was never seen is left out."""
    rows = {row: {name: count for name, count in found.items() if count} for row, found in counts.items()}
    yield f"{key}:" if any(rows.values()) else f"{key}: {{}}"
    for row, found in rows.items():
        if found:
            cells = ", ".join(f"{_word(name)}: {_number(count)}" for name, count in found.items())
            yield f"  {_word(row)}: {{{cells}}}"


def _look(look: ObservationModel) -> str:
    if isinstance(look, HeadingObservation):
        return f"towards {ANY_EXIT if look.exits == EXITS else look.exits}"
    others = {} if look.others is None else {"others": look.others}
    return _row({**look.outcomes, **others})


def _row(row: Row) -> str:
    said = (
        f"{_word(name)}: {chance if isinstance(chance, str) else format_chance(chance)}" for name, chance in row.items()
    )
    return f"{{{', '.join(said)}}}"


def _condition(condition: Condition) -> str:
    said = str(condition)
    return said if said in ("true", "false") else _word(said)


def _list(words: Iterable[str]) -> str:
    return f"[{', '.join(_word(word) for word in words)}]"


def _number(value: float) -> str:
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _word(text: str) -> str:
    """Return a text as YAML has it: bare where it can be."""
    is_bare = _PLAIN.match(text) and parse_scalar(text) == text and text.lower() not in _TAKEN and text == text.strip()
    return text if is_bare else json.dumps(text, ensure_ascii=False)
