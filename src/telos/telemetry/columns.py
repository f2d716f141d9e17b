"""One column-mapping file format."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path as File
from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, Field, Tag

from telos.core.conditions import ALWAYS, Condition
from telos.core.errors import DefinitionError, FaultCode, KeyPath, TelosError, name_hint
from telos.core.expressions import Literal
from telos.core.parser import parse_expression
from telos.core.values import FrozenMap
from telos.files import schema
from telos.files.definition import Definition, raise_faults
from telos.files.schema import FieldType, FileModel, branch_tag, name_type, schema_text, text_type
from telos.files.yaml import read_text

# --- columns ----------------------------------------------------------------------------------------------------------
# Which column of an event table holds what, so that the log of any game can be made a corpus.


OWN = ("player", "session", "step", "action", "goal", "fold")  # what every corpus has, beside its features


@dataclass(frozen=True, slots=True)
class Columns:
    """Where a table holds the parts of a corpus. An empty name stands for a column that is not there.

    A goal is achieved by the rows for which ``when`` holds and whose ``achieved`` column names a goal; or else by the
    actions in ``goals``. A sequence is what one player did in one session, in the order of ``order`` (or else of the
    rows). ``features`` maps names to columns, ``bins`` maps features to the lower edges of their bins. Rows for which
    ``drop`` holds are left out of the corpus, and so are those with one of the ``drop_values`` of a column; but goals
    that they achieve count.
    """

    action: str
    achieved: str = ""
    when: Condition = ALWAYS
    goals: Mapping[str, str] = FrozenMap()
    player: str = ""
    session: str = ""
    order: str = ""
    sort: bool = False  # the rows may come in any order
    group: str = ""  # what folds keep together; the player, if left out
    features: Mapping[str, str] = FrozenMap()
    bins: Mapping[str, tuple[float, ...]] = FrozenMap()
    drop: Condition | None = None
    drop_values: Mapping[str, tuple[str, ...]] = FrozenMap()  # for values that no condition can spell, such as pick-up
    name: str = ""

    def __post_init__(self) -> None:
        for feature in self.features:
            if feature in OWN:
                raise TelosError(
                    f"a feature cannot be called {feature!r}, as every corpus has that", "give it another name"
                )

    @property
    def needed(self) -> tuple[str, ...]:
        """Return every column that a table must have, but for those that only conditions speak of."""
        parts = (self.player, self.session, self.order, self.action, self.achieved, self.group)
        return tuple(dict.fromkeys([*filter(None, parts), *self.features.values(), *self.drop_values]))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the columns that hold names, whatever they look like: player 007 is not player 7."""
        parts = (self.player, self.session, self.action, self.achieved, self.group)
        return tuple(dict.fromkeys(filter(None, parts)))


def usual_columns(table: Iterable[str]) -> Columns:
    """Return the columns of a table that calls them as Telos does; what is none of these is a feature.

    >>> usual_columns(["player", "time", "action", "loc", "goal"]).features
    {'loc': 'loc'}
    """
    names = list(table)
    achieved = next((name for name in ("achieved", "goal") if name in names), "")
    if "action" not in names or not achieved:
        missing = "action" if "action" not in names else "achieved"
        raise TelosError(f"there is no column {missing!r}", "write a file that says what the columns are: --columns")
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


# --- columns shape ----------------------------------------------------------------------------------------------------
# The shape of a corpus file: which keys stand where, and what kind of entry each is.


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


class CorpusShape(FileModel):
    """Which column of an event table holds what."""

    corpus: Annotated[str, name_type("the name of the corpus")] = Field(examples=["crafter"])
    """The name of the corpus."""
    action: _Column = Field(examples=["action"])
    """The column with what the player did."""
    achieved: Annotated[
        Annotated[_Column, Tag(_ONE)] | Annotated[AchievedShape, Tag(_MAPPING)],
        Discriminator(lambda value: _MAPPING if isinstance(value, dict) else _ONE),
    ] = Field(examples=["milestone"])
    """The column that names the goal achieved by an action, empty in all other rows; or `{when: …, goal: …}`."""
    player: _Column = ""
    """The column that tells players apart; one player if left out."""
    session: _Column = ""
    """The column that tells the sessions of a player apart; one session if left out."""
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


def corpus_schema() -> str:
    """Return the JSON Schema of a corpus file."""
    return schema_text(CorpusShape, "Telos corpus file")


# --- columns files ----------------------------------------------------------------------------------------------------
# Corpus files: which column of a table holds what, in YAML; read with every fault named by line.


BUILT_IN = File(__file__).with_name("data")


def built_in_columns() -> tuple[str, ...]:
    """Return the names of the corpus files that come along.

    >>> built_in_columns()
    ('crafter', 'island', 'overcooked', 'starcraft')
    """
    return tuple(sorted(file.stem for file in BUILT_IN.glob("*.yaml")))


def named_columns(name: str | os.PathLike[str]) -> Columns:
    """Return the columns of a corpus file, or of one that comes along, by its name."""
    said = os.fspath(name)
    if said in built_in_columns():
        return load_columns(BUILT_IN / f"{said}.yaml")
    if not File(said).suffix and not File(said).exists():
        raise TelosError(f"no corpus file {said!r}", name_hint(said, built_in_columns()))
    return load_columns(said)


def load_columns(path: str | os.PathLike[str]) -> Columns:
    """Read the corpus file at ``path``; a bad one raises a ``DefinitionError`` that holds all its faults."""
    return loads_columns(read_text(path), name=os.fspath(path))


def loads_columns(text: str, *, name: str = "<text>") -> Columns:
    """Read columns from the text of a corpus file; ``name`` stands for it in faults.

    >>> loads_columns("{corpus: mine, action: key, achieved: won, features: [d, d]}")
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: <text>:1:58: feature 'd' is listed twice; leave one out
    """
    sheet = Definition(text, name, CorpusShape, "a corpus file")
    parts = {"bins": _bins(sheet), "features": _features(sheet), **_achieved(sheet), **_order(sheet), **_drop(sheet)}
    if sheet.faults:
        raise_faults(sheet.faults)
    plain = {key: sheet.entry(key, default="") for key in ("action", "player", "session", "group")}
    return Columns(**plain, **parts, name=sheet.entry("corpus"))


def _drop(sheet: Definition) -> dict[str, Any]:
    said = sheet.entry("drop", default=False)
    if isinstance(said, dict):
        values = {
            name: (each,) if isinstance(each, str) else tuple(each)
            for name, each in said.items()
            if isinstance(each, str | list)
        }
        return {"drop_values": FrozenMap(values)}
    condition = _condition(sheet, ("drop",), default=False)
    return {"drop": None if condition.expression == Literal(False) else condition}


def _order(sheet: Definition) -> dict[str, Any]:
    said = sheet.entry("order", default="")
    if isinstance(said, dict):
        return {
            "order": sheet.entry("order", "column", default=""),
            "sort": sheet.entry("order", "sort", default=False),
        }
    return {"order": said}


def _achieved(sheet: Definition) -> dict[str, Any]:
    said = sheet.entry("achieved", default="")
    if not isinstance(said, dict):
        return {"achieved": said}
    when = _condition(sheet, ("achieved", "when"), default=True)
    goal, actions = sheet.entry("achieved", "goal", default=""), sheet.entry("achieved", "actions", default={})
    if bool(goal) == bool(actions) and not any(sheet.is_touched("achieved", key) for key in ("goal", "actions")):
        message = "both a column and actions name the goal" if goal else "nothing names the goal"
        sheet.fault(
            message,
            ("achieved",),
            "as in `{when: is_goal == 1, goal: milestone}` or `{actions: {talk: nurse}}`",
            code=FaultCode.CONFLICT,
        )
    return {
        "achieved": goal,
        "when": when,
        "goals": FrozenMap({str(action): str(name) for action, name in actions.items()}),
    }


def _features(sheet: Definition) -> FrozenMap[str, str]:
    found: dict[str, str] = {}
    for path, name, column in list(_listed(sheet)):
        if sheet.is_touched(*path):
            continue
        if name in OWN:
            sheet.fault(
                f"every corpus has a column {name!r} of its own",
                path,
                "rename it: `features: {name: column}`",
                code=FaultCode.DUPLICATE,
            )
        elif name in found:
            sheet.fault(f"feature {name!r} is listed twice", path, "leave one out", code=FaultCode.DUPLICATE)
        found[name] = column
    return FrozenMap(found)


def _listed(sheet: Definition) -> Iterator[tuple[KeyPath, str, str]]:
    """Yield the features that the file lists: where, under which name, and in which column."""
    said = sheet.entry("features", default=[])
    if isinstance(said, str):
        yield ("features",), said, said
    elif isinstance(said, dict):
        yield from ((("features", name), name, column) for name, column in said.items())
    else:
        yield from ((("features", i), column, column) for i, column in enumerate(said))


def _bins(sheet: Definition) -> FrozenMap[str, tuple[float, ...]]:
    features = [name for _, name, _ in _listed(sheet)]
    found = {}
    for path, edges in list(sheet.items("bins")):
        name = str(path[-1])
        if sheet.is_touched(*path):
            continue
        if name not in features and not sheet.is_touched("features"):
            sheet.fault(
                f"bins for {name!r}, which is no feature",
                path,
                name_hint(name, features),
                at_key=True,
                code=FaultCode.UNKNOWN_NAME,
            )
        elif not edges or any(low >= high for low, high in pairwise(edges)):
            sheet.fault(f"the edges of {name!r} must rise", path, "as in `[0, 1, 3, 8]`", code=FaultCode.OUT_OF_RANGE)
        found[name] = tuple(edges)
    return FrozenMap(found)


def _condition(sheet: Definition, path: KeyPath, *, default: bool) -> Condition:
    said = sheet.entry(*path, default=default)
    if isinstance(said, bool):
        return Condition(Literal(said))
    try:
        return Condition(parse_expression(said))
    except DefinitionError as error:
        sheet.faults += [sheet.document.locate(replace(fault, path=path)) for fault in error.faults]
        return ALWAYS
