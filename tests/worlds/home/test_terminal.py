"""The terminal picture fits and shows everybody."""

import pytest
from rich.console import Console

from telos.worlds.home.household import Household
from telos.worlds.home.terminal import HomeScreen


def picture(width: int, height: int, people: int, minutes: int = 400) -> list[str]:
    household = Household(people, seed=7)
    screen = HomeScreen(household.home, title="home · seed 7")
    household.trace = screen.note
    household.live(minutes=minutes)
    console = Console(width=width, height=height, force_terminal=True, color_system=None)
    with console.capture() as captured:
        console.print(screen.frame(household.view))
    return captured.get().splitlines()


@pytest.mark.parametrize("people", range(1, 7))
@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 30), (200, 60), (40, 10)])
def test_picture_fits_the_terminal(width: int, height: int, people: int) -> None:
    lines = picture(width, height, people)
    assert len(lines) < max(height, 18)
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 30)])
def test_picture_shows_everybody_with_action_and_reason(width: int, height: int) -> None:
    text = "\n".join(picture(width, height, people=6))
    for name in ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn"):
        assert name in text
    assert "→" in text
    assert "day 1  13:40" in text


def test_picture_joins_walls_and_leaves_doors_open() -> None:
    lines = picture(100, 30, people=1)
    assert lines[1].startswith("┌───────────┬────────────────────┬───────────┐")
    assert lines[7].startswith("├────── ────┴────── ─────────────┴─── ───────┤")
    assert lines[15].startswith("└──────────┴────────────────┴────────────────┘")
    for room in ("kitchen", "living room", "bedroom", "hall", "bathroom", "study", "guest room"):
        assert any(room in line for line in lines)
