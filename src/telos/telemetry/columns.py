"""Column files: which column of an event table holds what, so that the log of any game can be read.

One format and one class, ``Columns``, for all that is done with a log: ``telos corpus``, ``train``, ``evaluate`` and
``recognize``. A file starts with ``columns: NAME``; the older form ``corpus: NAME`` has the same keys, and needs
``achieved``. Start with ``load_columns`` and ``named_columns``.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, Field, Tag

from telos.core.conditions import ALWAYS, Condition
from telos.core.errors import DefinitionError, FaultCode, KeyPath, TelosError, name_hint
from telos.core.expressions import Expression, Literal, names_in, parse_expression
from telos.core.values import FrozenMap
from telos.files import schema
from telos.files.definition import Definition, raise_faults
from telos.files.reading import read_text
from telos.files.schema import (
    FieldType,
    FileModel,
    PositiveDuration,
    branch_tag,
    name_type,
    parse_duration,
    schema_text,
    text_type,
)
from telos.files.yaml import read_yaml
from telos.recognition.files.schema import Kind, KindShape, read_kind

BUILT_IN = Path(__file__).with_name("data")
OWN = ("player", "session", "step", "action", "goal", "fold")  # the columns of every corpus, beside its features
KEEP, DROP = "keep", "drop"  # what is done with duplicates


@dataclass(frozen=True, slots=True)
class ContextColumn:
    """Where a fact of the game is: in a column, or computed from columns by ``value``; and its type.

    ``params.x`` is the entry ``x`` of the column ``params``: of a struct, or of text that holds a JSON object.
    """

    column: str = ""
    kind: Kind = "text"
    value: Expression | None = None

    @property
    def columns(self) -> frozenset[str]:
        """Return the names that may be columns: a name in an expression may also be a label."""
        return frozenset({self.column}) if self.value is None else names_in(self.value)


@dataclass(frozen=True, slots=True)
class Columns:
    """Where a table holds the parts of events and corpora. An empty name means that there is no such column.

    A goal is achieved by the rows for which ``when`` holds and whose ``achieved`` column names a goal; or else by the
    actions in ``goals``. A sequence is what one player did in one session, in the order of ``order`` (or else of the
    rows).

    Events: ``context`` maps names to columns and types; ``actions`` renames actions, ``goal_names`` goals; a unit of
    ``time`` is ``unit`` seconds; ``facts`` is a column of objects whose entries are facts; ``delimiter`` separates the
    cells of CSV, and is found in the first line if left out; ``duplicates`` says whether a row that stands twice is
    kept or dropped. Corpora: ``features`` maps names to columns, ``bins`` maps features to the lower edges of their
    bins. Rows for which ``drop`` holds are left out, and so are those with one of the ``drop_values`` of a column, but
    goals that they achieve count.
    """

    action: str
    time: str = ""
    unit: float = 1.0
    player: str = ""
    session: str = ""
    achieved: str = ""
    when: Condition = ALWAYS
    goals: Mapping[str, str] = FrozenMap()
    truth: str = ""  # the goal that was pursued
    context: Mapping[str, ContextColumn] = FrozenMap()
    actions: Mapping[str, str] = FrozenMap()
    order: str = ""
    sort: bool = False  # the rows may come in any order
    group: str = ""  # what folds keep together; the player, if left out
    features: Mapping[str, str] = FrozenMap()
    bins: Mapping[str, tuple[float, ...]] = FrozenMap()
    drop: Condition | None = None
    drop_values: Mapping[str, tuple[str, ...]] = (
        FrozenMap()
    )  # for values that a condition cannot express, such as pick-up
    name: str = ""
    delimiter: str = ""
    duplicates: str = KEEP
    facts: str = ""
    goal_names: Mapping[str, str] = FrozenMap()

    def __post_init__(self) -> None:
        for feature in self.features:
            if feature in OWN:
                raise TelosError(
                    f"a feature cannot be called {feature!r}, as every corpus has that", "give it another name"
                )

    @property
    def time_column(self) -> str:
        """Return the time column, or else the order column."""
        return self.time or self.order

    @property
    def event_columns(self) -> tuple[str, ...]:
        """Return every column that a table must have to be read as events."""
        parts = (self.time_column, self.action, self.player, self.session, self.achieved, self.truth)
        return tuple(dict.fromkeys([*filter(None, parts), *(each.column for each in self.context.values())]))

    @property
    def corpus_columns(self) -> tuple[str, ...]:
        """Return every column that a table must have to become a corpus, except those only conditions mention."""
        parts = (self.player, self.session, self.order, self.action, self.achieved, self.group)
        return tuple(dict.fromkeys([*filter(None, parts), *self.features.values(), *self.drop_values]))

    @property
    def name_columns(self) -> tuple[str, ...]:
        """Return the columns that hold names even if they look like numbers: player 007 is not player 7."""
        parts = (self.player, self.session, self.action, self.achieved, self.group)
        return tuple(dict.fromkeys(filter(None, parts)))


def usual_columns(table: Iterable[str]) -> Columns:
    """Return the columns of a table that uses Telos' own names; every other column is a feature.

    >>> usual_columns(["player", "time", "action", "loc", "goal"]).features
    {'loc': 'loc'}
    """
    names = list(table)
    achieved = next((name for name in ("achieved", "goal") if name in names), "")
    if "action" not in names or not achieved:
        missing = "action" if "action" not in names else "achieved"
        raise TelosError(
            f"there is no column {missing!r}",
            "write a file that says what the columns are, for --columns; telos columns guess LOG proposes one",
        )
    order = next((name for name in ("step", "time") if name in names), "")
    known = {"player", "session", "step", "time", "action", "fold", "goal", "achieved", "truth", "human"}
    return Columns(
        action="action",
        achieved=achieved,
        player="player" if "player" in names else "",
        session="session" if "session" in names else "",
        order=order,
        features=FrozenMap({name: name for name in names if name not in known}),
    )


def built_in_columns() -> tuple[str, ...]:
    """Return the names of the column files of the package.

    >>> built_in_columns()[:4]
    ('crafter', 'gameanalytics', 'island', 'opengamedata')
    """
    return tuple(sorted(file.stem for file in BUILT_IN.glob("*.yaml")))


def named_columns(name: str | os.PathLike[str]) -> Columns:
    """Return the columns of a file, or of one of the package by its name."""
    return load_columns(columns_file(name))


def columns_file(name: str | os.PathLike[str]) -> str:
    """Return the path of a column file, or of one of the package by its name."""
    place = os.fspath(name)
    if place in built_in_columns():
        return str(BUILT_IN / f"{place}.yaml")
    if not Path(place).suffix and not os.path.exists(place):
        raise TelosError(f"no column file {place!r}", name_hint(place, built_in_columns()))
    return place


def load_columns(path: str | os.PathLike[str]) -> Columns:
    """Read the column file at ``path``; a bad one raises a ``DefinitionError`` that holds all its faults."""
    return loads_columns(read_text(path), name=os.fspath(path))


# --- the file format --------------------------------------------------------------------------------------------------

_ONE, _LIST, _MAPPING = branch_tag("one"), branch_tag("list"), branch_tag("mapping")
_Column: TypeAlias = Annotated[str, text_type("the name of a column")]
_Goal: TypeAlias = Annotated[str, text_type("the name of a goal")]
_Flag: TypeAlias = Annotated[
    bool, FieldType("true or false", lambda value: isinstance(value, bool), {"type": "boolean"}, "as in `sort: true`")
]
_Cell: TypeAlias = Annotated[str, text_type("what a cell holds, as text", "put it in quotes")]
_Values: TypeAlias = Annotated[
    Annotated[_Cell, Tag(_ONE)] | Annotated[list[_Cell], Tag(_LIST)],
    Discriminator(lambda value: _LIST if isinstance(value, list) else _ONE),
]


def _branch(value: object) -> str:
    if isinstance(value, dict):
        return _MAPPING
    return _LIST if isinstance(value, list) else _ONE


class OrderShape(FileModel):
    """A column to sort by."""

    column: _Column = Field(examples=["time"])
    """The column: a number, a date or a time."""
    sort: _Flag = False
    """Whether the rows may come in any order; if not, a time that runs backwards is a fault of the log."""


class AchievedShape(FileModel):
    """Which rows achieve a goal, and which goal it is."""

    goal: _Column = ""
    """The column that names the goal."""
    when: schema.ConditionText = True
    """Only rows for which this holds achieve it: `is_goal == 1`."""
    actions: dict[str, _Goal] = Field(default_factory=dict)
    """Or: the actions that achieve goals, and which: `{talk_to_nurse: nurse}`."""


class TimeShape(FileModel):
    """A column of time in another unit than seconds."""

    column: _Column = Field(examples=["step"])
    """The column."""
    unit: PositiveDuration = 1.0
    """The duration of one unit: `150 ms`."""


_Time: TypeAlias = Annotated[
    Annotated[_Column, Tag(_ONE)] | Annotated[TimeShape, Tag(_MAPPING)],
    Discriminator(lambda value: _MAPPING if isinstance(value, dict) else _ONE),
]


class EntryShape(FileModel):
    """A fact of the game whose column has another name, or that is computed."""

    column: _Column = ""
    """The column, or an entry of one: `params.near_water`."""
    value: schema.ConditionText = Field(default="", examples=["hp / max_hp < 0.3"])
    """Or an expression over columns: `hp / max_hp < 0.3`."""
    type: KindShape = Field(examples=["int"])
    """bool, int, number, text, or a list of labels."""


_Entry: TypeAlias = Annotated[
    Annotated[KindShape, Tag(_ONE)] | Annotated[EntryShape, Tag(_MAPPING)],
    Discriminator(lambda value: _MAPPING if isinstance(value, dict) else _ONE),
]


_Achieved: TypeAlias = Annotated[
    Annotated[_Column, Tag(_ONE)] | Annotated[AchievedShape, Tag(_MAPPING)],
    Discriminator(lambda value: _MAPPING if isinstance(value, dict) else _ONE),
]


class _EventTableShape(FileModel):
    """The keys that all column files share."""

    preset: Annotated[str, text_type("the name of a preset")] = ""
    """The layout of a known source, `opengamedata`, which the other keys change."""
    action: _Column = Field(default="", examples=["action"])
    """The column with what the player did."""
    player: _Column = ""
    """The column that tells players apart; one player if left out."""
    session: _Column = ""
    """The column that tells the sessions of a player apart; one session if left out."""
    truth: _Column = ""
    """The column with the goal that the player pursued, where it is known."""
    context: dict[schema.VariableName, _Entry] = Field(default_factory=dict)
    """What the game knew, each with its type: `{d_pot: int}`, or `{near: {column: d_pot, type: int}}`."""
    facts: _Column = ""
    """The column of objects whose entries are facts that models read: `params`, so that `near` is `params.near`."""
    actions: dict[str, _Column] = Field(default_factory=dict)
    """What the recogniser calls an action of the log: `{interact: swing}`; others keep their names."""
    goals: dict[str, schema.GoalName] = Field(default_factory=dict)
    """What the recogniser calls a goal of the log: `{feed the hens: feed_hens}`; others keep their names."""
    order: Annotated[
        Annotated[_Column, Tag(_ONE)] | Annotated[OrderShape, Tag(_MAPPING)],
        Discriminator(lambda value: _MAPPING if isinstance(value, dict) else _ONE),
    ] = ""
    """The column that never runs backwards within a session; the order of the rows if left out."""
    group: _Column = ""
    """The column of what belongs into one fold, such as a pair of players; the player if left out."""
    features: Annotated[
        Annotated[_Column, Tag(_ONE)]
        | Annotated[list[_Column], Tag(_LIST)]
        | Annotated[dict[schema.VariableName, _Column], Tag(_MAPPING)],
        Discriminator(_branch),
    ] = Field(default_factory=list)
    """The columns to keep, as a list, or `{name: column}` to rename them."""
    bins: dict[str, list[schema.Number]] = Field(default_factory=dict)
    """Features in bins, by their lower edges: `{distance: [0, 1, 3, 8]}` gives 0, 1-2, 3-7 and 8+."""
    drop: Annotated[
        Annotated[schema.ConditionText, Tag(_ONE)] | Annotated[dict[str, _Values], Tag(_MAPPING)],
        Discriminator(lambda value: _MAPPING if isinstance(value, dict) else _ONE),
    ] = False
    """Rows to leave out: `action == noop`, or `{action: [noop, look-around]}`. Goals that they achieve count."""
    duplicates: Annotated[
        str, FieldType("keep or drop", lambda value: value in (KEEP, DROP), {"enum": [KEEP, DROP]}, "as in `drop`")
    ] = KEEP
    """What is done with a row that stands twice: `keep` or `drop`. They are counted in any case."""
    delimiter: Annotated[
        str,
        FieldType(
            "one character",
            lambda value: isinstance(value, str) and len(value) == 1 and value not in '"\r\n',
            {"type": "string", "minLength": 1, "maxLength": 1},
            "as in `delimiter: ;`",
        ),
    ] = ""
    """What separates the cells of CSV; found in the first line if left out."""


class _CorpusKey(FileModel):
    corpus: Annotated[str, name_type("the name of the corpus")] = Field(examples=["crafter"])
    """The name of the corpus."""


class CorpusShape(_EventTableShape, _CorpusKey):
    """Which column of an event table holds what, for a corpus."""

    action: _Column = Field(examples=["action"])
    """The column with what the player did."""
    achieved: _Achieved = Field(examples=["milestone"])
    """The column that names the goal achieved by an action, empty in all other rows; or `{when: …, goal: …}`."""
    time: _Time = ""
    """The column with the time in seconds, or `{column: step, unit: 150 ms}`; the order if left out."""


class _LogKey(FileModel):
    columns: Annotated[str, name_type("the name of the log")] = Field(examples=["overcooked"])
    """The name of the log."""


class ColumnsShape(_EventTableShape, _LogKey):
    """Which column of an event table holds what, for a log of events."""

    time: _Time = Field(default="", examples=["time"])
    """The column with the time in seconds or as in 2026-03-01T12:00:00Z, or `{column: step, unit: 150 ms}`."""
    goal: _Column = ""
    """The column with the goal that was achieved, if any."""
    achieved: _Achieved = ""
    """The same, or which rows achieve a goal: `{when: …, goal: …}`."""


def corpus_schema() -> str:
    """Return the JSON Schema of a column file that starts with ``corpus``."""
    return schema_text(CorpusShape, "Telos corpus file")


def log_schema() -> str:
    """Return the JSON Schema of a column file that starts with ``columns``."""
    return schema_text(ColumnsShape, "Telos column file")


# --- reading files ----------------------------------------------------------------------------------------------------


def loads_columns(text: str, *, name: str = "<text>") -> Columns:
    """Read columns from the text of a column file; ``name`` stands for it in faults.

    >>> loads_columns("{columns: kitchen, time: {column: step, unit: 150 ms}, action: key}").unit
    0.15
    >>> loads_columns("{corpus: mine, action: key, achieved: won, features: [d, d]}")
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: <text>:1:58: feature 'd' is listed twice; leave one out
    """
    written = read_yaml(text, name).data
    is_log = isinstance(written, dict) and "corpus" not in written and not {"columns", "time"}.isdisjoint(written)
    shape, what = (ColumnsShape, "a column file") if is_log else (CorpusShape, "a corpus file")
    definition: Definition[ColumnsShape | CorpusShape] = Definition(text, name, shape, what)
    entries = definition.model
    if entries is None:
        raise_faults(definition.faults)
    if not (entries.action or entries.preset or definition.is_broken("action")):
        definition.fault("'action' is missing", (), "as in `action: action`", code=FaultCode.MISSING_KEY)
    base = _read_preset(definition, entries)
    parts = {
        "bins": _read_bins(definition, entries),
        "features": _read_features(definition, entries),
        "context": FrozenMap({**base.context, **_read_context(definition, entries)}),
        "actions": FrozenMap({**base.actions, **entries.actions}),
        "goal_names": FrozenMap({**base.goal_names, **entries.goals}),
        **_read_achieved(definition, entries),
        **_read_order(entries),
        **_read_drop(definition, entries),
        **_read_time(entries),
    }
    definition.raise_if_faulty()
    plain = ("action", "player", "session", "group", "truth", "delimiter", "duplicates", "facts")
    given = {key: value for key, value in parts.items() if _is_given(key, entries)}
    given |= {key: getattr(entries, key) for key in plain if key in entries.model_fields_set}
    name = entries.columns if isinstance(entries, ColumnsShape) else entries.corpus
    found = replace(base, **given, name=name)
    if not is_log:
        return found
    facts = {entry: each.column for entry, each in found.context.items() if entry not in OWN and each.column}
    return replace(found, order=found.order or found.time, features=found.features or FrozenMap(facts))


# The keys of a file that set an attribute of ``Columns``, where they have other names.
_KEYS_OF = {
    "unit": ("time",),
    "sort": ("order",),
    "when": ("achieved",),
    "goals": ("achieved",),  # of actions; the key `goals` renames
    "achieved": ("achieved", "goal"),
    "drop_values": ("drop",),
    "goal_names": ("goals",),
}


def _is_given(attribute: str, entries: ColumnsShape | CorpusShape) -> bool:
    return not entries.model_fields_set.isdisjoint(_KEYS_OF.get(attribute, (attribute,)))


def _read_preset(definition: Definition, entries: ColumnsShape | CorpusShape) -> Columns:
    if not entries.preset:
        return Columns(action=entries.action)
    if entries.preset not in built_in_columns():
        hint = name_hint(entries.preset, built_in_columns())
        definition.fault(f"unknown preset {entries.preset!r}", ("preset",), hint, code=FaultCode.UNKNOWN_NAME)
        return Columns(action=entries.action)
    return named_columns(entries.preset)


def _read_time(entries: ColumnsShape | CorpusShape) -> dict[str, Any]:
    if isinstance(entries.time, TimeShape):
        return {"time": entries.time.column, "unit": parse_duration(entries.time.unit)}
    return {"time": entries.time}


def _read_drop(definition: Definition, entries: ColumnsShape | CorpusShape) -> dict[str, Any]:
    if isinstance(entries.drop, dict):
        values = {name: (each,) if isinstance(each, str) else tuple(each) for name, each in entries.drop.items()}
        return {"drop_values": FrozenMap(values)}
    condition = _read_condition(definition, ("drop",), entries.drop)
    return {"drop": None if condition.expression == Literal(False) else condition}


def _read_order(entries: ColumnsShape | CorpusShape) -> dict[str, Any]:
    if isinstance(entries.order, OrderShape):
        return {"order": entries.order.column, "sort": entries.order.sort}
    return {"order": entries.order}


def _read_achieved(definition: Definition, entries: ColumnsShape | CorpusShape) -> dict[str, Any]:
    given, goal = entries.achieved, entries.goal if isinstance(entries, ColumnsShape) else ""
    if not isinstance(given, AchievedShape):
        return {"achieved": given or goal}
    if not given.model_fields_set and not definition.is_touched("achieved"):  # `achieved: {}`
        return {"achieved": goal}
    when = _read_condition(definition, ("achieved", "when"), given.when)
    if bool(given.goal) == bool(given.actions) and not any(
        definition.is_touched("achieved", key) for key in ("goal", "actions")
    ):
        message = "both a column and actions name the goal" if given.goal else "nothing names the goal"
        definition.fault(
            message,
            ("achieved",),
            "as in `{when: is_goal == 1, goal: milestone}` or `{actions: {talk: nurse}}`",
            code=FaultCode.CONFLICT,
        )
    return {"achieved": given.goal, "when": when, "goals": FrozenMap(given.actions)}


def _read_features(definition: Definition, entries: ColumnsShape | CorpusShape) -> FrozenMap[str, str]:
    found: dict[str, str] = {}
    for path, name, column in list(_listed_features(definition, entries)):
        if definition.is_touched(*path):
            continue
        if name in OWN:
            definition.fault(
                f"every corpus has a column {name!r} of its own",
                path,
                "rename it: `features: {name: column}`",
                code=FaultCode.DUPLICATE,
            )
        elif name in found:
            definition.fault(f"feature {name!r} is listed twice", path, "leave one out", code=FaultCode.DUPLICATE)
        found[name] = column
    return FrozenMap(found)


def _listed_features(definition: Definition, entries: ColumnsShape | CorpusShape) -> Iterator[tuple[KeyPath, str, str]]:
    """Yield the path, the name and the column of each feature in the file."""
    given, path = entries.features, ("features",)
    if isinstance(given, str):
        yield path, given, given
    elif isinstance(given, dict):
        yield from (((*path, name), name, column) for name, column in given.items())
    else:
        yield from ((where, column, column) for where, column in definition.items_at(path, given))


def _read_bins(definition: Definition, entries: ColumnsShape | CorpusShape) -> FrozenMap[str, tuple[float, ...]]:
    features = [name for _, name, _ in _listed_features(definition, entries)]
    found = {}
    for name, edges in entries.bins.items():
        path = ("bins", name)
        if definition.is_touched(*path):
            continue
        if name not in features and not definition.is_touched("features"):
            definition.fault(
                f"bins for {name!r}, which is no feature",
                path,
                name_hint(name, features),
                at_key=True,
                code=FaultCode.UNKNOWN_NAME,
            )
        elif not edges or any(low >= high for low, high in pairwise(edges)):
            definition.fault(
                f"the edges of {name!r} must rise", path, "as in `[0, 1, 3, 8]`", code=FaultCode.OUT_OF_RANGE
            )
        found[name] = tuple(edges)
    return FrozenMap(found)


def _read_condition(definition: Definition, path: KeyPath, given: str | bool) -> Condition:
    if isinstance(given, bool):
        return Condition(Literal(given))
    if definition.is_touched(*path):
        return ALWAYS
    try:
        return Condition(parse_expression(given))
    except DefinitionError as error:
        definition.faults += [definition.document.locate(replace(fault, path=path)) for fault in error.faults]
        return ALWAYS


# --- facts of the game ------------------------------------------------------------------------------------------------


def _read_context(definition: Definition, entries: ColumnsShape | CorpusShape) -> FrozenMap[str, ContextColumn]:
    found = {}
    for name, entry in entries.context.items():
        path: KeyPath = ("context", name)
        if definition.is_touched(*path):
            continue
        if isinstance(entry, EntryShape):
            found[name] = _read_entry(definition, path, name, entry)
        else:
            found[name] = ContextColumn(name, read_kind(definition, path, entry))
    return FrozenMap(found)


def _read_entry(definition: Definition, path: KeyPath, name: str, entry: EntryShape) -> ContextColumn:
    kind = read_kind(definition, (*path, "type"), entry.type)
    if not entry.value:
        return ContextColumn(entry.column or name, kind)
    if entry.column:
        definition.fault(
            "both a column and an expression give the value", path, "leave one out", code=FaultCode.CONFLICT
        )
    elif kind not in ("bool", "int", "number"):
        definition.fault(
            "an expression gives a number, or true or false",
            (*path, "type"),
            "as in `type: number`",
            code=FaultCode.WRONG_TYPE,
        )
    return ContextColumn(kind=kind, value=_read_condition(definition, (*path, "value"), entry.value).expression)
