"""The registry of worlds: every row resolves, and listing the worlds imports none of them."""

import subprocess
import sys

import pytest

from telos.core.errors import TelosError
from telos.worlds import WORLDS, known_world
from telos.worlds.registry import load_object

LIST_WORLDS = "import sys, telos.worlds; print(*sorted(m for m in sys.modules if m.startswith('telos.worlds')))"


@pytest.mark.parametrize("name", WORLDS)
def test_registry_row_names_objects_that_exist(name: str) -> None:
    entry = WORLDS[name]
    assert callable(load_object(entry.factory))
    assert entry.text_log is None or callable(load_object(entry.text_log))
    assert entry.description


@pytest.mark.parametrize("name", WORLDS)
def test_registry_row_names_a_studio_stage(name: str) -> None:
    assert load_object(WORLDS[name].stage) is not None


def test_registry_import_loads_no_world() -> None:
    listed = subprocess.run([sys.executable, "-c", LIST_WORLDS], capture_output=True, text=True, check=True)
    assert listed.stdout.split() == ["telos.worlds", "telos.worlds.registry"]


def test_registry_suggests_a_world_for_an_unknown_name() -> None:
    with pytest.raises(TelosError, match="island"):
        known_world("islnd")
