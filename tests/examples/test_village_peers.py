"""The village with other minds: the same world and bodies, and the counts that the how-to shows."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def peers() -> Iterator[ModuleType]:
    before, known = list(sys.path), set(sys.modules)
    spec = importlib.util.spec_from_file_location("village_peers", BENCHMARKS / "village_peers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path[:] = before
    for name in {"village", "village_tree"} - known:
        sys.modules.pop(name, None)


def test_lines_of_code_are_neither_blank_nor_comments_nor_docstrings(peers: ModuleType) -> None:
    source = '"""A module."""\n\nx = 1  # one\n# none\n\ndef f():\n    """Say it."""\n    return (\n        2\n    )\n'
    assert peers.code_lines(source) == {3, 6, 8, 9, 10}


def test_names_are_what_is_used_of_a_library_or_defined_for_it(peers: ModuleType) -> None:
    source = "class Own(lib.Base):\n    kept = 1\n    def update(self): lib.run()\nclass Free:\n    def stop(self): 0\n"
    assert peers.used_names(source) == {"Base", "kept", "update", "run"}


def test_only_the_words_of_domain_files_count_as_keys(peers: ModuleType) -> None:
    keys = peers.keys_of(peers.VILLAGE / "village.yaml")
    assert {"variables", "effects", "wants", "priority"} < keys
    assert not keys & {"chop", "fed", "hunger"}


def test_a_village_of_trees_is_the_same_village(peers: ModuleType) -> None:
    pytest.importorskip("py_trees", reason="py_trees is not installed (the extra peers)")
    world = peers.make_tree_world()
    for _ in range(160):
        world.tick()
    people = world.people.values()
    assert len(people) == 20
    assert sum(each.axe for each in people) >= 3
    assert any(until > 0 for until in world.trees.values())
    assert type(world).tick is peers.World.tick
    assert {type(each) for each in people} == {sys.modules["village"].Villager}


def test_both_are_counted_and_live(peers: ModuleType) -> None:
    pytest.importorskip("py_trees", reason="py_trees is not installed (the extra peers)")
    figures = peers.measure(40)
    assert set(figures) == {"Telos", "py_trees"}
    assert figures["Telos"]["same_after_restore"]
    assert {"Crowd", "Body", "sense", "wants"} <= set(figures["Telos"]["concepts"])
    assert {"Selector", "Sequence", "Behaviour", "RUNNING", "update"} <= set(figures["py_trees"]["concepts"])
    assert 20 < figures["Telos"]["lines"] < figures["py_trees"]["lines"]
