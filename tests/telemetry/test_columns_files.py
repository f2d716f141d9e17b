"""Corpus files: good ones, bad ones with every fault named, and those that come along for logs of people."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import telos.telemetry.columns as shape
from mutations import mutated
from telos.core.conditions import Condition
from telos.core.errors import DefinitionError, Fault, TelosError
from telos.files.schema import check_model
from telos.files.yaml import read_yaml
from telos.telemetry.columns import BUILT_IN, Columns, built_in_columns, load_columns, loads_columns, named_columns
from telos.telemetry.corpus import prepare
from telos.telemetry.logs import read_log

COMMITTED = Path(shape.__file__).with_name("columns.schema.json")
VALIDATOR = jsonschema.Draft202012Validator(json.loads(shape.corpus_schema()))
LOG_VALIDATOR = jsonschema.Draft202012Validator(json.loads(shape.log_schema()))

FULL = """\
corpus: kitchen
player: who
session: trial
order: {column: t, sort: true}
action: key
achieved: {when: is_goal == 1, goal: event}
group: pair
features: {near: d_pot, held: held}
bins: {near: [0, 1, 3, 8]}
drop: key == stay
"""
BAD = """\
corpus: kitchen
plyer: who
order: {column: t, sort: often}
action: 3
achieved: {when: is_goal = 1, actions: {talk: nurse}, goal: event}
features: [held, goal, held, d_pot]
bins: {held: [3, 1], d_pto: [0, 1], d_pot: [near]}
drop: key ==
"""


def faults(text: str) -> list[str]:
    with pytest.raises(DefinitionError) as caught:
        loads_columns(text, name="C")
    return [str(fault) for fault in caught.value.faults]


def test_a_file_says_what_the_columns_are() -> None:
    assert loads_columns(FULL) == Columns(
        action="key",
        achieved="event",
        when=Condition.of("is_goal == 1"),
        player="who",
        session="trial",
        order="t",
        sort=True,
        group="pair",
        features={"near": "d_pot", "held": "held"},
        bins={"near": (0, 1, 3, 8)},
        drop=Condition.of("key == stay"),
        name="kitchen",
    )


def test_a_short_file_will_do() -> None:
    short = loads_columns("{corpus: mine, action: key, achieved: won}")
    assert short == Columns(action="key", achieved="won", name="mine")
    by_action = loads_columns("{corpus: mine, action: key, achieved: {actions: {talk: nurse}}, features: loc}")
    assert dict(by_action.goals) == {"talk": "nurse"}
    assert dict(by_action.features) == {"loc": "loc"}


def test_values_to_drop_can_be_listed() -> None:
    listed = loads_columns("{corpus: mine, action: a, achieved: won, drop: {a: [pick-up, stand still], b: x}}")
    assert dict(listed.drop_values) == {"a": ("pick-up", "stand still"), "b": ("x",)}
    rows = pl.DataFrame(
        {"a": ["go", "pick-up", "stand still", "go", "w"], "b": list("abcxy"), "won": [None] * 4 + ["g"]}
    )
    assert prepare(rows, listed, folds=0).frame["action"].to_list() == ["go"]
    assert faults("{corpus: mine, action: a, achieved: w, drop: {a: 3}}") == [
        "C:1:50: a must be what a cell holds, as text, got 3; put it in quotes"
    ]


def test_every_fault_is_told_with_its_line_and_column() -> None:
    assert faults(BAD) == [
        "C:2:1: unknown key 'plyer'; did you mean 'player'?",
        "C:3:26: sort must be true or false, got 'often'; as in `sort: true`",
        "C:4:9: action must be the name of a column, got 3",
        "C:5:11: both a column and actions name the goal; as in `{when: is_goal == 1, goal: milestone}` or "
        "`{actions: {talk: nurse}}`",
        "C:5:26: '=' sets a value in `is_goal = 1`; use '==' to compare",
        "C:6:18: every corpus has a column 'goal' of its own; rename it: `features: {name: column}`",
        "C:6:24: feature 'held' is listed twice; leave one out",
        "C:7:14: the edges of 'held' must rise; as in `[0, 1, 3, 8]`",
        "C:7:22: bins for 'd_pto', which is no feature; did you mean 'd_pot'?",
        "C:7:45: d_pot must be a number, got 'near'",
        "C:8:13: expected a value but found nothing more in `key ==`",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "start with `corpus:`"),
        ("corpus: mine", "'action' is missing"),
        ("{corpus: mine, action: a}", "'achieved' is missing"),
        ("{corpus: mine, action: a, achieved: {when: a == b}}", "nothing names the goal"),
        ("[a]", "must be a mapping"),
    ],
)
def test_what_is_not_enough_is_told(text: str, said: str) -> None:
    assert any(said in fault for fault in faults(text)), faults(text)


def test_a_corpus_file_is_found_by_its_name_or_its_path(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(FULL)
    assert named_columns(tmp_path / "mine.yaml").name == "kitchen"
    assert named_columns("starcraft").group == "group"
    with pytest.raises(TelosError, match="no column file 'crafted'; did you mean 'crafter'"):
        named_columns("crafted")
    with pytest.raises(TelosError, match=r"nowhere\.yaml"):
        load_columns(tmp_path / "nowhere.yaml")


# The logs of people, each with a few rows as its log has them: `goal` is the label that its makers give.

CRAFTER = [
    ("P1", "P1-0", 1, "noop", "", "collect_wood"),
    ("P1", "P1-0", 2, "do", "", "collect_wood"),
    ("P1", "P1-0", 3, "do", "collect_wood", "collect_wood"),
    ("P1", "P1-0", 4, "sleep", "", "wake_up"),
    ("P1", "P1-0", 5, "noop", "wake_up", "wake_up"),
    ("P1", "P1-0", 6, "do", "", None),
    ("P1", "P1-1", 1, "do", "", "eat_cow"),
    ("P1", "P1-1", 2, "do", "eat_cow", "eat_cow"),
]


def with_features(frame: pl.DataFrame, columns: Columns) -> pl.DataFrame:
    return frame.with_columns(pl.lit(1).alias(name) for name in columns.features.values() if name not in frame.columns)


@pytest.mark.parametrize(
    ("name", "names", "keep"),
    [
        ("crafter", ["player", "episode", "step", "action", "unlock", "goal"], {"noop": "noop"}),
        ("overcooked", ["player", "trial", "step", "action", "event", "goal"], {"noop": "stay"}),
        ("starcraft", ["player", "game", "step", "action", "milestone", "goal"], {}),
    ],
)
def test_our_labels_are_those_of_the_logs_of_people(name: str, names: list[str], keep: dict[str, str]) -> None:
    columns = named_columns(name)
    frame = pl.DataFrame(CRAFTER, schema=names, orient="row").with_columns(pl.col("action").replace(keep))
    if columns.group:
        frame = frame.with_columns(pl.lit("G1").alias(columns.group))
    corpus = prepare(with_features(frame, columns), columns, folds=0)
    idle = pl.col("action").is_in(["noop", "stay"]) if keep else pl.lit(False)
    theirs = frame.filter((pl.col(columns.achieved) == "") & pl.col("goal").is_not_null() & ~idle)
    assert corpus.frame["goal"].to_list() == theirs["goal"].to_list()
    assert corpus.statistics().achieved == 3


@pytest.mark.parametrize("name", built_in_columns())
def test_the_files_that_come_along_are_good_and_fit_the_schema(name: str) -> None:
    assert named_columns(name).name == name
    data = read_yaml((BUILT_IN / f"{name}.yaml").read_text(encoding="utf-8")).data
    assert (VALIDATOR if "corpus" in data else LOG_VALIDATOR).is_valid(data)


# The schema


def test_the_committed_schema_is_the_generated_one() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == shape.corpus_schema() + "\n", "make it anew from corpus_schema()"
    log = COMMITTED.with_name("log.schema.json").read_text(encoding="utf-8")
    assert log == shape.log_schema() + "\n", "make it anew from log_schema()"


SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.5, "text", "", "a == b", "a-b"]))
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(st.sampled_from("ab"), SCALARS, max_size=2))
KEYS = st.sampled_from(["player", "order", "achieved", "when", "goal", "actions", "two words", "bins", "sort"])
MUTATED = mutated(st.just(read_yaml(FULL).data), values=VALUES, keys=KEYS)


@settings(max_examples=200, deadline=None)
@given(MUTATED)
def test_the_schema_and_the_loader_agree_on_shapes(data: Any) -> None:
    findings = check_model(shape.CorpusShape, data, "a corpus file")
    assert VALIDATOR.is_valid(data) == (not findings)
    assert not [each for each in findings if "‹" in each.fault.message or "Input should" in each.fault.message]


@settings(max_examples=200, deadline=None)
@given(MUTATED)
def test_a_mutated_file_is_read_or_refused_with_places(data: Any) -> None:
    found: tuple[Fault, ...] = ()
    try:
        loads_columns(json.dumps(data, indent=1))
    except DefinitionError as error:
        found = error.faults
    assert all(fault.line and fault.column for fault in found)


def test_one_file_serves_events_and_corpora() -> None:
    text = "{columns: kitchen, time: step, action: key, goal: event, player: who, context: {near: int}}"
    columns = loads_columns(text)
    assert columns.event_columns == ("step", "key", "who", "event", "near")
    assert columns.corpus_columns == ("who", "step", "key", "event", "near")
    table = pl.DataFrame({"step": [0, 1, 2], "key": ["a", "b", "a"], "who": ["x", "x", "x"], "near": [1, 2, 3]})
    corpus = prepare(table.with_columns(event=pl.Series([None, "soup", None])), columns, folds=0)
    assert corpus.frame.select("action", "near", "goal").row(0) == ("a", 1, "soup")


def test_corpus_file_describes_events_too(tmp_path: Path) -> None:
    columns = loads_columns("{corpus: mine, action: key, achieved: won, order: t, context: {near: int}}")
    (tmp_path / "log.csv").write_text("t,key,won,near\n3,go,home,4\n", encoding="utf-8")
    (row,) = read_log(tmp_path / "log.csv", columns=columns)
    assert (row.event.time, row.event.action, row.event.goal) == (3.0, "go", "home")
    assert row.event.context == {"near": 4}


def test_many_repeated_features_are_reported_in_linear_time() -> None:
    text = "corpus: mine\naction: key\nachieved: won\nfeatures:\n" + "  - same\n" * 20_000
    with pytest.raises(DefinitionError) as caught:
        loads_columns(text)
    assert len(caught.value.faults) == 19_999
