"""Logs for models: ``open_model_log`` asks a log for what models read, and compares its words with theirs.

A model says which facts it reads, each with its type, and which actions there are. What a row says that a model cannot
take is a fault of the row. A model with an open vocabulary takes any action; then actions that it does not name, and
names that never occur in the log, are told at the end of the log, because one of them may be misspelt.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from telos.core.errors import TelosError, name_hint
from telos.core.values import Type, ValueKind
from telos.files.reading import FilePath
from telos.recognition.bulk.columns import ColumnNeeds
from telos.recognition.bulk.encoders import column_encoder, is_columnar
from telos.recognition.files.kinds import actions_named, has_concurrent_goals
from telos.recognition.files.load import context_read
from telos.recognition.files.schema import Kind
from telos.telemetry.canonical import Words
from telos.telemetry.columns import Columns
from telos.telemetry.event_log import Log, open_log
from telos.telemetry.report import LogReport
from telos.telemetry.sources.opening import SourceLike

MAX_NAMED = 5  # names that a note lists


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What models read of a log: facts by name, each with its type; those in ``optional`` may be missing."""

    context: Mapping[str, Kind]
    optional: frozenset[str]
    words: Words


def facts_of(models: Sequence[object], *, labelled: bool = False) -> ModelFacts:
    """Return what all of some models read; two models that read a fact as different types cannot share a log.

    If ``labelled``, the goal that a row says was pursued has to be one of the models'.
    """
    context: dict[str, Kind] = {}
    needed: set[str] = set()
    actions: list[tuple[str, ...]] = []
    achieved: list[tuple[str, ...]] = []
    least: dict[str, float] = {}
    for model in models:
        read = getattr(model, "model", model) if has_concurrent_goals(model) else model  # typed as what it is made of
        needs = column_encoder(read).needs if is_columnar(read) else _needs_of_events(model)
        for name, kind in needs.context.items():
            wanted = "bool" if name in needs.flags else kind_of_type(kind)
            if context.setdefault(name, wanted) != wanted:
                raise TelosError(
                    f"one model reads {name!r} as {_shown(context[name])}, another as {_shown(wanted)}",
                    "let both files say the same type, or use the models one by one",
                )
        needed |= needs.context.keys() - needs.optional
        actions += [needs.actions] if needs.actions else []
        achieved += [needs.achieved] if needs.achieved else []
        least |= {name: max(lowest, least.get(name, lowest)) for name, lowest in needs.measures.items()}
    goals = [tuple(getattr(model, "goals", ())) for model in models] if labelled else []
    several = any(map(has_concurrent_goals, models))
    words = Words(_common(actions), _common(achieved), _common(goals), several, least)
    return ModelFacts(context, frozenset(context.keys() - needed), words)


def _needs_of_events(model: Any) -> ColumnNeeds:
    """Return the needs of a model that is shown one event at a time: the entries that it reads, as text.

    A model may say that a log can lack some of them (``optional_context``).
    """
    optional = frozenset[str](getattr(model, "optional_context", ()))
    return ColumnNeeds(dict.fromkeys(sorted(context_read(model))), {}, optional=optional)


def _common(lists: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the words that all lists have, in the order of the first."""
    if not lists:
        return ()
    return tuple(word for word in lists[0] if all(word in each for each in lists[1:]))


def _shown(kind: Kind) -> str:
    return kind if isinstance(kind, str) else f"one of {', '.join(kind)}"


def kind_of_type(kind: Type | None) -> Kind:
    """Return a type as recogniser files and column files write it.

    >>> kind_of_type(Type.of("int")), kind_of_type(Type.of(["day", "night"])), kind_of_type(None)
    ('int', ('day', 'night'), 'text')
    """
    if kind is None:
        return "text"
    if kind.kind is ValueKind.ENUM:
        return kind.labels
    if kind.kind is ValueKind.HANDLE:
        return "edges" if kind.handle == "edges" else "text"
    return str(kind.kind.value)


def open_model_log(
    source: SourceLike,
    models: Sequence[object],
    columns: Columns | FilePath | None = None,
    *,
    labelled: bool = False,
    keep: Sequence[str] = (),
    **options: Any,
) -> Log:
    """Open a log for some models: what they read becomes its facts, typed; see ``open_log``.

    Rows with an action or a goal that a model does not know are bad; with ``labelled``, so are rows that say that a
    goal was pursued which is none of the models'.
    """
    facts = facts_of(models, labelled=labelled)
    kept = tuple(name for name in keep if name not in facts.context)
    log = open_log(
        source, columns, context=facts.context, optional=facts.optional, words=facts.words, keep=kept, **options
    )
    log.checks.append(lambda report: note_words(models, report))
    return log


def note_words(models: Sequence[object], report: LogReport) -> None:
    """Note the actions of a log that models with an open vocabulary do not name, and their names that never occur.

    Achieved goals that no model has are noted, too.
    """
    known = {goal for model in models for goal in getattr(model, "goals", ())}
    strange = [goal for goal in report.goals if goal not in known]
    if known and strange:
        rows = sum(report.goals[goal] for goal in strange)
        report.note(f"{rows:,} rows achieve goals that no model has: {', '.join(sorted(strange)[:MAX_NAMED])}")
    for model in models:
        named = actions_named(model)
        if named is None:
            continue
        who = f"{getattr(model, 'name', '') or 'the model'}"
        unnamed = [action for action in report.actions if action not in named]
        absent = [action for action in named if action not in report.actions]
        if unnamed and named:
            rows = sum(report.actions[action] for action in unnamed)
            report.note(
                f"{who} names {len(named)} action{'s' * (len(named) != 1)}; {rows:,} of {report.kept:,} rows "
                f"have another: {_listed(unnamed, report)}"
            )
        for action in absent[:MAX_NAMED]:
            hint = name_hint(action, unnamed or report.actions)
            report.note(f"{who} names the action {action!r}, which no row has; {hint}")


def _listed(actions: Sequence[str], report: LogReport) -> str:
    ordered = sorted(actions, key=lambda action: (-report.actions[action], action))
    named = ", ".join(f"{action} ({report.actions[action]:,})" for action in ordered[:MAX_NAMED])
    return f"{named} and {len(ordered) - MAX_NAMED} more" if len(ordered) > MAX_NAMED else named
