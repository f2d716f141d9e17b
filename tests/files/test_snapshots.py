"""Snapshots are checked whole: types, numbers, keys and the format, with the place of the fault."""

import copy
from collections import OrderedDict, deque
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from pydantic import Field

from telos.core.errors import TelosError
from telos.core.values import FrozenMap
from telos.files import (
    SNAPSHOT_FORMAT,
    Chances,
    Count,
    Finite,
    Items,
    NonNegative,
    PlainValue,
    Row,
    SavedTree,
    SavedValue,
    SnapshotModel,
    SnapshotPart,
    check_known,
    check_length,
    read_snapshot,
    snapshot_error,
    unchanged_on_error,
)


class GateSnapshot(SnapshotPart):
    counted: Finite | None


class KeptSnapshot(SnapshotModel):
    chances: Chances
    updates: Count = 0
    spent: NonNegative = 0.0
    is_known: bool = False
    gate: GateSnapshot | None = None
    moments: Items[Row[tuple[Finite, str, Items[Finite]]]] = Field(default_factory=list)
    facts: dict[str, Finite] = Field(default_factory=dict)
    amount: Finite | str = 0.0
    values: Items[PlainValue] = Field(default_factory=list)


GOOD: dict[str, Any] = {"chances": [0.25, 0.75]}


def _deep() -> list[Any]:
    nested: list[Any] = []
    for _ in range(10_000):
        nested = [nested]
    return nested


def _loop() -> list[Any]:
    nested: list[Any] = []
    nested.append(nested)
    return nested


def _refusal(saved: object) -> TelosError:
    with pytest.raises(TelosError) as caught:
        read_snapshot(KeptSnapshot, saved, of="reader")
    assert "reader" in caught.value.message
    assert caught.value.remedy
    assert len(str(caught.value)) < 400
    assert "pydantic" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("saved", [None, 1, "text", b"bytes", [], [GOOD], (GOOD,), {1: 2}, {None: GOOD}, object(), {}])
def test_snapshot_of_another_type_is_refused(saved: object) -> None:
    _refusal(saved)


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ({"chances": [float("nan"), 1]}, "chances[0]"),
        ({"chances": [1, float("inf")]}, "chances[1]"),
        ({"chances": [5, -4, 0]}, "chances[0]"),
        ({"chances": [0.5, 0.6]}, "sum to 1.1"),
        ({"chances": []}, "sum to 0"),
        ({"chances": [True, False]}, "chances[0]"),
        ({"chances": ["1", 0]}, "chances[0]"),
        ({"chances": [10**400, 0]}, "chances[0]"),
        ({"chances": {0: 1}}, "chances"),
        ({"chances": iter([1.0])}, "chances"),
        ({"chances": _deep()}, "chances[0]"),
        ({"updates": True}, "updates"),
        ({"updates": 1.0}, "updates"),
        ({"updates": -1}, "updates"),
        ({"updates": 10**400}, "updates"),
        ({"spent": -0.5}, "spent"),
        ({"is_known": 1}, "is_known"),
        ({"gate": {}}, "gate.counted"),
        ({"gate": []}, "gate"),
        ({"gate": {"counted": 1, "more": 2}}, "gate.more"),
        ({"moments": [[1, "a", []], [1, 2, []]]}, "moments[1][1]"),
        ({"moments": [[1, "a"]]}, "moments[0]"),
        ({"moments": [[1, "a", [], 4]]}, "moments[0]"),
        ({"facts": {1: 2}}, "facts"),
        ({"facts": {"a b": "x"}}, "facts['a b']"),
        ({"amount": None}, "amount"),
        ({"amount": True}, "amount"),
        ({"values": [{}]}, "values[0]"),
        ({"values": [0, float("nan")]}, "values[1]"),
        ({"values": [10**400]}, "values[0]"),
        ({"values": _deep()}, "values[0]"),
        ({"values": _loop()}, "values[0]"),
        ({"values": [object()]}, "values[0]"),
        ({"chnces": [1]}, "chances"),
        ({"format": "1"}, "format"),
        ({"format": 0}, "format"),
        ({1: 1}, "keys"),
    ],
)
def test_faults_name_their_place_in_the_snapshot(entry: dict[Any, Any], path: str) -> None:
    assert path in str(_refusal({**GOOD, **entry}))


def test_cyclic_snapshot_is_refused() -> None:
    saved: dict[str, Any] = {}
    saved.update(chances=saved, gate=saved, facts=saved)
    _refusal(saved)


@pytest.mark.parametrize("newer", [SNAPSHOT_FORMAT + 1, 10**400])
def test_newer_format_is_refused_as_a_whole(newer: int) -> None:
    refusal = _refusal({"format": newer, "something": "else"})
    assert "format" in refusal.message
    assert "version" in refusal.remedy


@pytest.mark.parametrize("saved", [GOOD, {**GOOD, "format": 1}, MappingProxyType(GOOD), OrderedDict(GOOD)])
def test_good_snapshot_is_read_with_and_without_a_format(saved: Any) -> None:
    read = read_snapshot(KeptSnapshot, saved, of="reader")
    assert (read.chances, read.format) == ([0.25, 0.75], 1)


def test_reading_leaves_the_snapshot_alone() -> None:
    saved = {**GOOD, "chances": [0.5, 0.5000005], "values": [[1, [2]]], "moments": [(1, "a", (2,))], "facts": {"a": 1}}
    before = copy.deepcopy(saved)
    read = read_snapshot(KeptSnapshot, saved, of="reader")
    read.moments[0][2].append(3.0)
    read.facts["b"] = 1.0
    assert saved == before


def test_chances_are_exact_or_scaled() -> None:
    exact = [0.1] * 10
    assert read_snapshot(KeptSnapshot, {"chances": exact}, of="reader").chances == exact
    assert sum(read_snapshot(KeptSnapshot, {"chances": [0.5, 0.5000005]}, of="reader").chances) == pytest.approx(
        1.0, abs=1e-12
    )


def test_values_are_plain_data_with_lists_as_tuples() -> None:
    read = read_snapshot(KeptSnapshot, {**GOOD, "values": [1, True, None, "a", [1, [2.5]]]}, of="reader")
    assert read.values == [1, True, None, "a", (1, (2.5,))]
    assert read.values[1] is True
    with pytest.raises(TelosError, match=r"values\[0\] must be plain data"):
        read_snapshot(KeptSnapshot, {**GOOD, "values": [{"a": 1}]}, of="reader")


def test_saved_values_have_mappings_only_where_they_are_saved_plain() -> None:
    class Kept(SnapshotModel):
        value: SavedValue = None
        tree: SavedTree = None

    assert read_snapshot(Kept, {"tree": {"a": [{"b": 1}]}}, of="event").tree == FrozenMap({"a": (FrozenMap({"b": 1}),)})
    with pytest.raises(TelosError, match="value must be plain data"):
        read_snapshot(Kept, {"value": {"a": 1}}, of="event")
    with pytest.raises(TelosError, match=r"tree must be a mapping with texts as keys"):
        read_snapshot(Kept, {"tree": {1: 1}}, of="event")


def test_large_snapshot_reports_only_its_first_fault() -> None:
    saved = {**GOOD, "moments": [[float(number), "x", [0.1] * 5] for number in range(20_000)]}
    assert len(read_snapshot(KeptSnapshot, saved, of="reader").moments) == 20_000
    assert "moments[0]" in _refusal({**saved, "moments": ["x"] * 200_000}).message


def test_checks_of_lengths_and_names() -> None:
    check_length("reader", "chances", [1], 1)
    check_known("reader", ("taught",), "level", ["level"])
    with pytest.raises(TelosError, match=r"chances .*2.*1"):
        check_length("reader", "chances", [1], 2)
    with pytest.raises(TelosError, match=r"goals\[0\].*levl.*did you mean 'level'"):
        check_known("reader", ("goals", 0), "levl", ["level"])
    assert isinstance(snapshot_error("reader", (), "is too old"), TelosError)


class _Slotted:
    __slots__ = ("late", "time")

    def __init__(self) -> None:
        self.time = 1.0


def test_everything_named_is_set_back_on_an_error() -> None:
    plain, slotted = SimpleNamespace(time=1.0), _Slotted()
    containers: tuple[Any, ...] = ([1], {1: 2}, {1}, deque([1], maxlen=3))
    before = copy.deepcopy(containers)

    def change() -> None:
        plain.time, plain.more, slotted.time, slotted.late = 2.0, 1, 2.0, 1
        containers[0].append(2)
        containers[1].update({3: 4})
        containers[2].add(2)
        containers[3].append(2)
        raise KeyError

    with pytest.raises(KeyError), unchanged_on_error(plain, slotted, *containers):
        change()
    assert vars(plain) == {"time": 1.0}
    assert slotted.time == 1.0
    assert not hasattr(slotted, "late")
    assert containers == before


def test_nothing_is_set_back_without_an_error() -> None:
    part = SimpleNamespace(time=1.0)
    with unchanged_on_error(part):
        part.time = 2.0
    assert part.time == 2.0
