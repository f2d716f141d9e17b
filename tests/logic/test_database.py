"""Databases: from text, from rows and from arrays, and back to text."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from telos.core.errors import DefinitionError, FaultCode, TelosError
from telos.logic.database import Database, database_from_arrays, database_from_rows, select_worlds
from telos.logic.syntax import format_db, load_db, parse_db, parse_mln

MODEL = parse_mln("""
goal = {Cook, Nurse}
time = {0,...,3}
action(time, action)
goal(time, goal!)
Rain
fluent meet(person, person)
holds(fluent, time)
""")
TYPES = {"action": ("time", "action"), "goal": ("time", "goal")}


def said(database: Database, part: str, predicate: str, types: tuple[str, ...]) -> set[tuple[str, ...]]:
    facts = getattr(database, part)[predicate]
    names = [[database.constants[kind][code] for kind, code in zip(types, row, strict=True)] for row in facts.arguments]
    return {(database.worlds[world], *row) for world, row in zip(facts.world, names, strict=True)}


def test_facts_are_codes_with_numbers_first() -> None:
    database = parse_db("action(10, Talk)\naction(9, Eat) // late\n!goal(9, Cook)\nRain\naction(9,Eat)", MODEL)
    assert database.constants["time"] == ("0", "1", "2", "3", "9", "10")
    assert database.constants["action"] == ("Talk", "Eat")
    assert database.true["action"].arguments.tolist() == [[5, 0], [4, 1]], "a fact said twice counts once"
    assert said(database, "false", "goal", TYPES["goal"]) == {("world", "9", "Cook")}
    assert database.true["Rain"].arguments.shape == (1, 0)
    assert database.present["time"].tolist() == [[0, 4], [0, 5]]
    assert database.present["goal"].tolist() == [[0, 0]], "what only the model names is not present"


def test_functions_are_rows_of_arguments_and_result() -> None:
    database = parse_db("Meet_1 = meet(ID1, ID2)\nholds(Meet_1, 2)", MODEL)
    assert said(database, "functions", "meet", ("person", "person", "fluent")) == {("world", "ID1", "ID2", "Meet_1")}
    assert database.present["person"].tolist() == [[0, 0], [0, 1]]


def test_listed_constants_are_present_without_facts() -> None:
    database = parse_db("person = {Anna, Bob}\nRain", MODEL)
    assert database.constants["person"] == ("Anna", "Bob")
    assert database.present["person"].tolist() == [[0, 0], [0, 1]]


def test_quoted_names_may_contain_any_sign() -> None:
    database = parse_db("action(1, \"Talk, (loudly)\")\n!action(1, 'Eat')", MODEL)
    assert said(database, "true", "action", TYPES["action"]) == {("world", "1", "Talk, (loudly)")}
    assert said(database, "false", "action", TYPES["action"]) == {("world", "1", "Eat")}


def test_files_and_dashes_separate_worlds(tmp_path: Path) -> None:
    (tmp_path / "ann.db").write_text("action(1, Eat)\n---\naction(2, Eat)\n---\n", encoding="utf-8")
    (tmp_path / "bob.db.gz").write_bytes(gzip.compress(b"action(3, Eat)\r\n"))
    database = load_db([tmp_path / "ann.db", tmp_path / "bob.db.gz"], MODEL)
    assert database.worlds == ("ann:1", "ann:2", "bob")
    assert database.true["action"].world.tolist() == [0, 1, 2]
    assert database.present["time"].tolist() == [[0, 1], [1, 2], [2, 3]]


def test_empty_text_is_one_world_without_facts() -> None:
    database = parse_db("// nothing\n", MODEL)
    assert database.worlds == ("world",)
    assert not database.true
    assert database.present["goal"].shape == (0, 2)


@pytest.mark.parametrize(
    ("line", "column", "code", "word", "remedy"),
    [
        ("actoin(1, Eat)", 1, FaultCode.UNKNOWN_NAME, "'actoin'", "did you mean 'action'?"),
        ("!actoin(1, 'Eat')", 1, FaultCode.UNKNOWN_NAME, "'actoin'", "did you mean 'action'?"),
        ("action(1)", 1, FaultCode.WRONG_COUNT, "takes 2", "declared as action(time, action)"),
        ("goal(1, Nrse)", 9, FaultCode.UNKNOWN_NAME, "'Nrse'", "did you mean 'Nurse'?"),
        ("goal(Monday, Nurse)", 6, FaultCode.UNKNOWN_NAME, "'Monday'", "known: 0, 1, 2, 3"),
        ("goal = {Nurse, Cok}", 16, FaultCode.UNKNOWN_NAME, "'Cok'", "did you mean 'Cook'?"),
        ("0.9 Rain", 1, FaultCode.UNSUPPORTED, "weighted", "model"),
        ("?action(1, Eat)", 1, FaultCode.UNSUPPORTED, "'?'", "query"),
        ("M = met(A, B)", 5, FaultCode.UNKNOWN_NAME, "'met'", "did you mean 'meet'?"),
        ("M = meet(A)", 5, FaultCode.WRONG_COUNT, "takes 2", "declared as meet(person, person)"),
        ("action(1, Eat", 7, FaultCode.BAD_SYNTAX, "parentheses", "for example"),
        ("action(1, Eat Talk)", 11, FaultCode.BAD_SYNTAX, "argument", "quotes"),
        ("!Rain", 2, FaultCode.INVALID, "Rain", "leave out one of them"),
    ],
)
def test_bad_fact_has_place_code_and_remedy(line: str, column: int, code: FaultCode, word: str, remedy: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        parse_db(f"Rain\n{line}\n", MODEL, "bad.db")
    (fault,) = caught.value.faults
    assert fault.code is code
    assert word in fault.message
    assert remedy in fault.suggestion
    assert (fault.file, fault.line, fault.column) == ("bad.db", 2, column)


def test_all_bad_facts_are_reported_together() -> None:
    with pytest.raises(DefinitionError) as caught:
        parse_db("a(1)\nRain\nb(2)\n", MODEL)
    assert [fault.line for fault in caught.value.faults] == [1, 3]


def test_load_db_requires_a_file() -> None:
    with pytest.raises(TelosError, match="name at least one"):
        load_db([], MODEL)


def test_worlds_of_the_same_name_are_numbered(tmp_path: Path) -> None:
    for day in ("monday", "tuesday"):
        (tmp_path / day).mkdir()
        (tmp_path / day / "ann.db").write_text("Rain\n", encoding="utf-8")
    database = load_db([tmp_path / "monday" / "ann.db", tmp_path / "tuesday" / "ann.db"], MODEL)
    assert database.worlds == ("ann", "ann#2")


def test_database_from_rows() -> None:
    database = database_from_rows({"action": [(1, "Eat")]}, types=TYPES, false={"goal": [(0, "Cook")]}, world="Ann")
    assert said(database, "true", "action", TYPES["action"]) == {("Ann", "1", "Eat")}
    assert database.present["time"].tolist() == [[0, 0], [0, 1]]
    with pytest.raises(TelosError, match="unknown predicate 'act'"):
        database_from_rows({"act": [(1, "Eat")]}, types=TYPES)
    with pytest.raises(TelosError, match="takes 2 arguments"):
        database_from_rows({"action": [(1,)]}, types=TYPES)


def test_database_from_arrays_equals_the_rows() -> None:
    rng = np.random.default_rng(1)
    names = {"time": [str(n) for n in (5, 3, 10, 0)], "action": ["Eat", "Talk", "Rest"]}
    world = rng.integers(0, 3, 40)
    codes = np.column_stack((rng.integers(0, 4, 40), rng.integers(0, 3, 40)))
    database = database_from_arrays(["a", "b", "c"], names, {"action": (world, codes)}, types=TYPES)
    assert database.constants["time"] == ("0", "3", "5", "10")
    rows = {
        ("abc"[at], names["time"][time], names["action"][action])
        for at, (time, action) in zip(world, codes, strict=True)
    }
    assert said(database, "true", "action", TYPES["action"]) == rows
    present = {(database.worlds[at], database.constants["time"][code]) for at, code in database.present["time"]}
    assert present == {(at, time) for at, time, _ in rows}
    assert database.present["time"].tolist() == sorted(database.present["time"].tolist())


@pytest.mark.parametrize(
    ("world", "codes", "message"),
    [
        ([0, 2], [[0, 0], [0, 0]], "world 2"),
        ([0], [[0, 9]], "code 9"),
        ([0], [[0]], "takes 2 arguments"),
    ],
)
def test_database_from_arrays_rejects_bad_indices(world: list[int], codes: list[list[int]], message: str) -> None:
    facts = {"action": (np.array(world), np.array(codes))}
    with pytest.raises(TelosError, match=message):
        database_from_arrays(["a", "b"], {"time": ["0"], "action": ["Eat"]}, facts, types=TYPES)


def test_select_worlds_in_any_order() -> None:
    database = parse_db("action(1, Eat)\n---\naction(2, Talk)\n---\naction(3, Eat)\n!Rain", MODEL)
    some = select_worlds(database, [2, 0])
    assert some.worlds == ("world:3", "world:1")
    assert said(some, "true", "action", TYPES["action"]) == {("world:1", "1", "Eat"), ("world:3", "3", "Eat")}
    assert some.false["Rain"].world.tolist() == [0]
    assert some.present["time"].tolist() == [[0, 3], [1, 1]]
    with pytest.raises(TelosError, match="twice"):
        select_worlds(database, [0, 0])


def test_database_text_round_trip() -> None:
    text = (
        '// world:1\nperson = {Zoe}\naction(1,Eat)\n!Rain\nMeet_1 = meet(ID1,ID2)\n---\n// world:2\naction(2,"a b")\n'
    )
    assert format_db(parse_db(text, MODEL), MODEL) == text
