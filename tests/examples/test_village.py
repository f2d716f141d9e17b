"""The village of the examples: it lives, is saved and restored exactly, can be drawn, and is as short as promised."""

import importlib.util
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

VILLAGE = Path(__file__).parents[2] / "examples" / "village"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, VILLAGE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def village() -> Iterator[ModuleType]:
    yield load("village")
    sys.modules.pop("village", None)


@pytest.fixture(scope="module")
def lived(village: ModuleType) -> tuple[Any, str]:
    """Return a village after 160 frames, and what it saved after 80."""
    world = village.World()
    for _ in range(80):
        world.tick()
    saved = json.dumps(world.save())
    for _ in range(80):
        world.tick()
    return world, saved


def test_villagers_get_axes_and_fell_trees(lived: tuple[Any, str]) -> None:
    people = lived[0].people.values()
    assert len(people) == 20
    assert sum(each.axe for each in people) >= 3
    assert any(until > 0 for until in lived[0].trees.values())
    assert not [problem for name in lived[0].crowd for problem in lived[0].crowd[name].mind.problems]


def test_a_village_goes_on_exactly_where_it_was_saved(village: ModuleType, lived: tuple[Any, str]) -> None:
    world, saved = lived
    again = village.World()
    again.restore(json.loads(saved))
    for _ in range(80):
        again.tick()
    assert json.dumps(again.save()) == json.dumps(world.save())


def test_the_village_is_shown_in_a_window(village: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "SDL_VIDEODRIVER", "dummy")
    pygame = pytest.importorskip("pygame")
    window = load("window")
    world, frames = village.World(), []

    def tick(microseconds: float | None = None) -> None:
        frames.append(pygame.display.get_surface().get_at((3, 3)))
        keys = {1: pygame.K_s, 2: pygame.K_l}
        if len(frames) in keys:
            pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=keys[len(frames)]))
        if len(frames) == 3:
            pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=(0, 0), button=1))
            pygame.event.post(pygame.event.Event(pygame.QUIT))

    monkeypatch.setattr(world, "tick", tick)
    window.show(world)
    assert len(frames) == 3
    assert frames[0] != frames[1]  # black before the first frame, grass after it


def test_the_village_takes_less_than_250_lines() -> None:
    files = [*VILLAGE.glob("*.py"), *VILLAGE.glob("*.yaml")]
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files) < 250
