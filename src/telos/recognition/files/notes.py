"""What the author of a recogniser should know: rules that never hold, events that are no outcome."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from telos.core.conditions import ALWAYS, Condition
from telos.core.errors import KeyPath, Note, NoteCode
from telos.core.expressions import Expression
from telos.core.expressions.ranges import Range, Ranges, is_certain, is_possible, narrow
from telos.core.state import Layout
from telos.files.schema import unit_notes
from telos.recognition.director import director_layout
from telos.recognition.ffbm import FFBM
from telos.recognition.files.coverage import OTHER, event_layout, event_ranges, find_uncovered_event
from telos.recognition.files.kinds import SHAPES, YamlModel
from telos.recognition.fsm import FSMModel
from telos.recognition.observations import Symbols
from telos.recognition.vocabulary import resolve_labels


def recognizer_notes(model: YamlModel, data: Mapping[str, Any]) -> Iterator[Note]:
    """Yield the notes on a recogniser; ``data`` is what its file says."""
    yield from unit_notes(SHAPES[data["recognizer"]], data)
    yield from _director_notes(model)
    if isinstance(model, FSMModel):
        located = [(("rules", i, "if"), condition) for i, (condition, _) in enumerate(model.rules)]
        yield from _rule_notes(model, located)
        return
    yield from _prior_notes(model, data)
    cases = [(("transitions", "when", i, "if"), case.condition) for i, case in enumerate(model.transitions.cases)]
    yield from _rule_notes(model, cases)
    if isinstance(model, FFBM):
        yield from _look_notes(model)
        yield from _outcome_notes(model, data, "outcomes", model.outcomes)
    else:
        yield from _outcome_notes(model, data, "observations", model.symbols)


# --- rules that never hold --------------------------------------------------------------------------------------------


def _rule_notes(model: YamlModel, rules: Iterable[tuple[KeyPath, Condition]]) -> Iterator[Note]:
    """Yield notes on rules of which the first that holds is taken."""
    layout, every = event_layout(model.vocabulary, model.goals), event_ranges(model.vocabulary, model.goals)
    left: Ranges | None = every
    for path, condition in rules:
        if condition == ALWAYS:
            return
        expression = resolve_labels(condition.expression, layout)
        if not is_possible(expression, every):
            yield _never(condition, path)
        elif left is None or not is_possible(expression, left):
            yield Note(
                f"whenever `{condition}` holds, a rule before it does",
                suggestion="move it up, or leave it out",
                path=path,
                code=NoteCode.NEVER_TRUE,
            )
        left = None if left is None else narrow(expression, left, wanted=False)


def _never(condition: Condition, path: KeyPath) -> Note:
    remedy = "change it, or leave the rule out"
    return Note(f"`{condition}` can never hold", suggestion=remedy, path=path, code=NoteCode.NEVER_TRUE)


def _look_notes(model: FFBM) -> Iterator[Note]:
    for goal, look in model.observations.items():
        rules = [
            (("observations", goal, i, "if"), condition)
            for i, (condition, _) in enumerate(look.rules)
            if condition is not None
        ]
        yield from _rule_notes(model, rules)


# --- the director -----------------------------------------------------------------------------------------------------


def _director_notes(model: YamlModel) -> Iterator[Note]:
    """Yield notes on thresholds that no chance reaches, or that every chance does."""
    layout = director_layout(model.vocabulary, model.goals)
    ranges = {**event_ranges(model.vocabulary, model.goals), **_chances(layout, model)}
    for number, rule in enumerate(model.director or ()):
        for key, condition in (("if", rule.condition), ("until", rule.until)):
            if condition is None or condition == ALWAYS:
                continue
            expression, path = resolve_labels(condition.expression, layout), ("director", number, key)
            code = _verdict(expression, ranges)
            if code is not None:
                word = "never" if code is NoteCode.NEVER_TRUE else "always"
                remedy = "a chance runs from 0 to 1: write 0.8 for 80 %" if _is_about_chances(condition, model) else ""
                yield Note(f"`{condition}` {word} holds", suggestion=remedy or "change it", path=path, code=code)


def _chances(layout: Layout, model: YamlModel) -> dict[str, Range]:
    known = {*model.vocabulary.context, "action", "goal"}
    return {goal: Range(0, 1) for goal in model.goals if goal in layout.slots and goal not in known}


def _verdict(expression: Expression, ranges: Ranges) -> NoteCode | None:
    if not is_possible(expression, ranges):
        return NoteCode.NEVER_TRUE
    return NoteCode.ALWAYS_TRUE if is_certain(expression, ranges) else None


def _is_about_chances(condition: Condition, model: YamlModel) -> bool:
    return any(goal in str(condition) for goal in model.goals)


# --- priors and outcomes ----------------------------------------------------------------------------------------------


def _prior_notes(model: YamlModel, data: Mapping[str, Any]) -> Iterator[Note]:
    written = data.get("prior")
    if not written or "others" in written:
        return
    for goal in model.goals:
        if goal not in written:
            yield Note(
                f"the prior leaves out {goal!r}: it has no chance at first",
                suggestion=f"add `{goal}: 0` if that is meant, or `others: shared`",
                path=("prior",),
                code=NoteCode.ZERO_PRIOR,
            )


def _outcome_notes(model: YamlModel, data: Mapping[str, Any], key: str, symbols: Symbols) -> Iterator[Note]:
    if not data.get(key):
        return  # those of the adventure
    named = zip(symbols.names, symbols.conditions, strict=True)
    yield from _rule_notes(model, [((key, name), condition) for name, condition in named])
    event = find_uncovered_event(symbols.conditions, model.vocabulary, model.goals)
    if event is not None:
        yield Note(
            f"an event with {_describe(event)} is none of these, and reading it fails",
            suggestion="end with `other: true`",
            path=(key,),
            code=NoteCode.NO_CATCH_ALL,
        )


def _describe(event: Mapping[str, Any]) -> str:
    said = {name: str(value).lower() if isinstance(value, bool) else value for name, value in event.items()}
    parts = [f"{OTHER} as {name}" if value == OTHER else f"{name} {value}" for name, value in said.items()]
    return " and ".join(parts) or "any action"
