"""Models as recogniser files: one writer per kind yields the lines; reading them back gives an equal model."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from telos.core.conditions import Condition
from telos.core.errors import TelosError
from telos.core.expressions import Expression, to_text
from telos.core.values import Type, ValueKind
from telos.files.schema import parse_duration
from telos.files.yaml import parse_scalar
from telos.recognition.director import ALL_EARNINGS, DirectorRule
from telos.recognition.ffbm import FFBM
from telos.recognition.files.measures import density_numbers
from telos.recognition.files.schema import (
    ADVENTURE_WORD,
    ANY_EXIT,
    CONTEXT_TYPES,
    EXITS,
    OPEN_WORD,
    format_chance,
    parse_updates,
)
from telos.recognition.filtering import Clock
from telos.recognition.fsm import RANDOM_START, FSMModel
from telos.recognition.iohmm import IOHMM
from telos.recognition.measures import FAMILIES, Measures
from telos.recognition.observations import FLAIRS_SYMBOLS, HeadingObservation, ObservationModel, Symbols
from telos.recognition.transitions import Row, TransitionRules
from telos.recognition.vocabulary import ADVENTURE, Vocabulary

_PLAIN = re.compile(r"[A-Za-z][\w .<>=!()+*/-]*\Z", re.ASCII)
_RESERVED = frozenset({"yes", "no", "on", "off", "y", "n"})  # other versions of YAML read these as true and false


def write_ffbm(model: FFBM) -> Iterator[str]:
    return _write_ffbm(model, "ffbm")


def write_constant(model: FFBM) -> Iterator[str]:
    return _write_ffbm(model, "constant")


def _write_ffbm(model: FFBM, kind: str) -> Iterator[str]:
    yield from _head(model, kind)
    yield from _chances(model)
    if model.outcomes != FLAIRS_SYMBOLS or model.vocabulary != ADVENTURE:
        yield from _symbols("outcomes", model.outcomes)
    yield "observations:"
    for goal in model.goals:
        rules = model.observations[goal].rules
        if len(rules) == 1:
            yield f"  {_word(goal)}: {_observation(rules[0][1])}"
            continue
        yield f"  {_word(goal)}:"
        for condition, observation in rules:
            if condition is None:
                yield f"    - else: {_observation(observation)}"
            else:
                yield f"    - if: {_condition(condition)}"
                yield f"      then: {_observation(observation)}"
    yield from _measures(model.measures, is_trained=False)


def write_iohmm(model: IOHMM) -> Iterator[str]:
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
    yield from _measures(model.measures, is_trained=True)
    if model.learned is not None:
        yield "learned_transitions:"
        yield f"  strength: {_number(model.learned.strength)}"
        yield from (f"  {line}" for line in _table("counts", model.learned.seen))


def write_fsm(model: FSMModel) -> Iterator[str]:
    yield from _head(model, "fsm")
    yield f"start: {_word(model.start or RANDOM_START)}"
    yield "rules:"
    for condition, goal in model.rules:
        yield f"  - if: {_condition(condition)}"
        yield f"    then: {_word(goal)}"


def write_director(rules: Iterable[DirectorRule]) -> Iterator[str]:
    for number, rule in enumerate(rules):
        if not number:
            yield "director:"
        yield f"  - if: {_condition(rule.condition)}"
        if rule.until is not None:
            yield f"    until: {_condition(rule.until)}"
        if rule.hold:
            yield f"    for: {_period(rule.hold)}"
        if rule.pay.keys() == {ALL_EARNINGS}:
            yield f"    pay: {_factor(rule.pay[ALL_EARNINGS])}"
        elif rule.pay:
            pay = ", ".join(f"{_word(what)}: {_factor(factor)}" for what, factor in rule.pay.items())
            yield f"    pay: {{{pay}}}"
        if rule.say:
            yield f"    say: {_word(rule.say)}"
        if rule.again_after:
            yield f"    again after: {_period(rule.again_after)}"


def _factor(factor: float | Expression) -> str:
    return _number(factor) if isinstance(factor, float) else _word(to_text(factor))


def _head(model: FFBM | IOHMM | FSMModel, kind: str) -> Iterator[str]:
    yield f"recognizer: {kind}"
    if model.name:
        yield f"name: {_word(model.name)}"
    yield f"goals: {_list(model.goals)}"
    yield from _words(model.vocabulary)
    if not isinstance(model, FSMModel) and not (model.vocabulary.is_open and "cause" not in model.vocabulary.context):
        yield f"clock: {_clock(model.clock)}"


def _words(words: Vocabulary) -> Iterator[str]:
    if words == ADVENTURE:
        yield f"vocabulary: {ADVENTURE_WORD}"
        return
    if words.is_open:
        yield f"vocabulary: {OPEN_WORD}"
    yield "context:" if words.context else "context: {}"
    for name, kind in words.context.items():
        yield f"  {name}: {_kind(name, kind)}"
    if words.actions:
        yield f"actions: {_list(words.actions)}"
    if words.moments:
        yield f"moments: {_list(words.moments)}"


def _kind(name: str, kind: Type) -> str:
    if kind.kind is ValueKind.ENUM:
        return _list(kind.labels)
    if str(kind) not in CONTEXT_TYPES:
        raise TelosError(
            f"context {name!r} has the type {kind}, which a file cannot state", f"use one of {', '.join(CONTEXT_TYPES)}"
        )
    return str(kind)


def _clock(clock: Clock) -> str:
    every = "" if clock.every is None else f", every: {_period(clock.every)}"
    return f"{{on: {_list(clock.on)}{every}}}"


def _period(seconds: float) -> str:
    text = [f"{_number(seconds * 1000)} ms", f"{_number(seconds)} s"]
    exact = [each for each in (text if seconds < 1 else reversed(text)) if parse_duration(each) == seconds]
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
    text = f"{_number(span)} updates"
    return text if parse_updates(text) == span else _number(span)


def _symbols(key: str, symbols: Symbols) -> Iterator[str]:
    yield f"{key}:"
    for name, condition in zip(symbols.names, symbols.conditions, strict=True):
        yield f"  {_word(name)}: {_condition(condition)}"


def _table(key: str, counts: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Yield a table of counts, one line per row; zeros are left out."""
    rows = {row: {name: count for name, count in found.items() if count} for row, found in counts.items()}
    yield f"{key}:" if any(rows.values()) else f"{key}: {{}}"
    for row, found in rows.items():
        if found:
            cells = ", ".join(f"{_word(name)}: {_number(count)}" for name, count in found.items())
            yield f"  {_word(row)}: {{{cells}}}"


def _observation(model: ObservationModel) -> str:
    if isinstance(model, HeadingObservation):
        return f"towards {ANY_EXIT if model.exits == EXITS else model.exits}"
    others = {} if model.others is None else {"others": model.others}
    return _row({**model.outcomes, **others})


def _measures(measures: Measures, *, is_trained: bool) -> Iterator[str]:
    if measures:
        yield "measures:"
    for measure in measures.all:
        yield f"  {_word(measure.name)}:"
        yield f"    distribution: {measure.family}"
        if measure.unit:
            yield f"    unit: {_word(measure.unit)}"
        yield f"    resolution: {_number(measure.resolution)}"
        if measure.condition is not None:
            yield f"    if: {_condition(measure.condition)}"
        yield "    goals:"
        for goal in measures.goals:
            numbers = [f"{name}: {_number(value)}" for name, value in density_numbers(measure, goal).items()]
            around = [f"around: {_word(measure.around[goal])}"] if goal in measure.around else []
            yield f"      {_word(goal)}: {{{', '.join([*numbers, *around])}}}"
        if not is_trained:
            continue
        yield f"    strength: {_number(measure.strength)}"
        seen = measures.seen.get(measure.name, {})
        names = ("weight", *FAMILIES[measure.family].NUMBERS)
        rows = {goal: dict(zip(names, sums, strict=True)) for goal, sums in seen.items()}
        if rows:
            yield from (f"    {line}" for line in _table("seen", rows))


def _row(row: Row) -> str:
    text = (
        f"{_word(name)}: {chance if isinstance(chance, str) else format_chance(chance)}" for name, chance in row.items()
    )
    return f"{{{', '.join(text)}}}"


def _condition(condition: Condition) -> str:
    text = str(condition)
    return text if text in ("true", "false") else _word(text)


def _list(words: Iterable[str]) -> str:
    return f"[{', '.join(_word(word) for word in words)}]"


def _number(value: float) -> str:
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _word(text: str) -> str:
    """Return a text as a YAML scalar, quoted only if it must be."""
    is_bare = (
        _PLAIN.match(text) and parse_scalar(text) == text and text.lower() not in _RESERVED and text == text.strip()
    )
    return text if is_bare else json.dumps(text, ensure_ascii=False)
