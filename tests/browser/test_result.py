"""The guess and the result in a real browser: the corner's words while one explores, and the card at the end."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browser.conftest import Studio, until
from studio.worlds.test_believed import SEEDS, play_intent

Open = Callable[..., Any]


def test_corner_reads_walk_to_new_places_as_exploring(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?seed=7&goals=free"))
    assert page.inner_text(".telos-corner-headline") == "unsure"
    page.keyboard.down("ArrowRight")
    until(page, "link.frame.beliefs.ffbm.explore > 0.7", seconds=60)
    page.wait_for_function("document.querySelector('.telos-corner-headline').dataset.goal === 'explore'")
    page.keyboard.up("ArrowRight")
    assert page.inner_text(".telos-corner-headline") == "explore"


def test_card_shows_who_read_right_and_looks_back(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?seed=4&plays=newcomer&goals=directed&at=9000"))
    until(page, "link.frame.hud.over", seconds=90)
    card = page.locator(".telos-result-card")
    card.wait_for()
    shares = [int(each.split()[0]) for each in page.locator(".telos-result-share").all_inner_texts()]
    assert shares == sorted(shares, reverse=True)
    assert page.locator(".telos-result-reader").first.inner_text().startswith("FFBM")
    assert "sure that you want to fight" in card.inner_text()
    page.get_by_role("button", name="Look back").click()
    until(page, "link.frame.live === false")
    assert card.is_hidden()
    page.evaluate("link.send({ do: 'scrub', to: null })")
    card.wait_for()
    page.keyboard.press("Escape")
    card.wait_for(state="hidden")
    assert page.locator(".telos-hud-over").is_hidden()


def corner_after(opened: Open, studio: Studio, file: Path, intent: str, seed: int) -> tuple[str, float]:
    """Replay a scripted player's game; return the goal in the corner and its chance, just before the end."""
    session, _ = play_intent(intent, seed)
    file.write_bytes(session.recording()[1])
    page = opened(studio.url("adventure"))
    page.get_by_role("button", name="Recordings").click()
    page.locator('input[type="file"]').set_input_files(str(file))
    until(page, f"link.status.replay?.steps === {session.last}", seconds=60)
    page.evaluate(f"link.send({{ do: 'seek', to: {session.last - 1} }})")  # a player who arrives is in town at the last
    until(page, f"link.frame?.n >= {session.last - 2}", seconds=60)
    page.wait_for_timeout(1500)  # the bars are damped
    goal = page.locator(".telos-corner-headline").get_attribute("data-goal")
    chance = page.evaluate(f"link.frame.beliefs.ffbm[{goal!r}] ?? 0")
    page.close()
    return goal or "unsure", chance


def test_corner_names_goal_of_scripted_player(opened: Open, studio: Studio, tmp_path: Path) -> None:
    goal, chance = corner_after(opened, studio, tmp_path / "game.jsonl", "level", SEEDS[0])
    assert goal == "level"
    assert chance > 0.7


@pytest.mark.slow
@pytest.mark.parametrize("intent", ["level", "explore", "town"])
def test_corner_is_right_in_8_of_10_tries(intent: str, opened: Open, studio: Studio, tmp_path: Path) -> None:
    found = [corner_after(opened, studio, tmp_path / f"{seed}.jsonl", intent, seed) for seed in SEEDS]
    assert sum(goal == intent and chance > 0.7 for goal, chance in found) >= 8
