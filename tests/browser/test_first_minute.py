"""The first minute of the adventure in a real browser: a safe start, blows that are felt, sounds, and bubbles."""

from collections.abc import Callable
from math import dist
from random import Random
from typing import Any

import pytest

from browser.conftest import Studio, until
from browser.test_painter import Table, status, table
from browser.test_painter import frame as made_up
from telos.studio.worlds.shapes import place

Open = Callable[..., Any]

__all__ = ["table"]
_COUNT_VOICES = """() => {
  window.voices = 0;
  for (const Source of [OscillatorNode, AudioBufferSourceNode]) {
    const start = Source.prototype.start;
    Source.prototype.start = function (...when) { voices += 1; return start.apply(this, when); };
  }
}"""


def test_walks_from_town_are_survived_for_five_seconds(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?seed=9"))
    for seed, keys in ((1, ["ArrowLeft"]), (2, ["ArrowRight", "ArrowDown"]), (3, ["Space", "ArrowRight"])):
        page.evaluate(f"() => {{ window.old = link.url; telosGo('/adventure?rules=wilds&seed={seed}'); }}")
        until(page, "link.url !== old && link.frame")
        page.evaluate("link.send({do: 'speed', to: 8})")
        page.locator("canvas").first.focus()
        page.evaluate("() => { window.kept = []; link.on('frame', (f) => kept.push([f.t, f.hud.counts])); }")
        for key in keys:
            page.keyboard.down(key)
        until(page, "link.frame && link.frame.t >= 5")
        for key in keys:
            page.keyboard.up(key)
        counts = [dict(each) for time, each in page.evaluate("kept") if time <= 5]  # the game has run on since
        assert len(counts) > 5
        assert {each["deaths"] for each in counts} == {"0"}, (seed, keys)


def test_sound_is_off_until_switched_on_and_is_remembered(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?seed=1"))
    page.evaluate(_COUNT_VOICES)
    page.keyboard.press("Space")
    until(page, "link.frame.n > 20")
    assert page.evaluate("voices") == 0
    page.keyboard.press("m")
    page.get_by_role("button", name="Sound is on").wait_for()
    until(page, "voices > 0")
    page.evaluate("voices = 0")
    page.keyboard.press("Space")
    until(page, "voices > 0")
    page.reload()
    page.get_by_role("button", name="Sound is on").wait_for()
    page.get_by_role("button", name="Sound is on").click()
    page.get_by_role("button", name="Sound is off").wait_for()


def test_cues_are_heard_only_live_and_at_normal_speed(table: Table) -> None:
    table.page.evaluate(_COUNT_VOICES)
    table.page.evaluate("() => import('telos-studio/sounds.js').then(({ sounds }) => { sounds.toggle(); voices = 0; })")
    table.settle()
    table.page.evaluate("voices = 0")
    table.say(made_up(1, cues=["goal"], live=False), status(speed=4), made_up(2, cues=["goal"]), status(), made_up(3))
    assert table.page.evaluate("voices") == 0
    table.say(made_up(4, cues=["goal", "unknown"]))
    assert table.page.evaluate("voices") == 3


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_blow_is_seen_as_red_for_a_moment_if_motion_is_wanted(table: Table, motion: str) -> None:
    table.page.emulate_media(reduced_motion=motion)
    table.say(made_up(1))
    before = table.colour(20, 240)
    table.page.evaluate("""() => {
      window.seen = new Set();
      const canvas = document.querySelector("#stage canvas");
      const look = () => {
        seen.add(canvas.getContext("2d").getImageData(20, 240, 1, 1).data.slice(0, 3).join());
        requestAnimationFrame(look);
      };
      look();
    }""")
    table.say(made_up(2, cues=["hurt"]))
    table.page.wait_for_timeout(500)
    colours = table.page.evaluate("[...seen].map((each) => each.split(',').map(Number))")
    reds = [red for red, _, _ in colours]
    assert max(reds) - min(reds) > 20 if motion == "no-preference" else len(colours) == 1
    assert table.colour(20, 240) == before


def test_blinking_symbol_is_steady_if_motion_is_unwanted(table: Table) -> None:
    def colours() -> set[str]:
        found = set()
        for n in range(1, 10):
            table.say(made_up(n, place("hero", "box", 320, 240, tint="player", blink=True)))
            found.add(table.colour(320, 240))
        return found

    assert len(colours()) == 2
    table.page.emulate_media(reduced_motion="reduce")
    assert len(colours()) == 1


def test_bubble_stays_in_picture_and_off_player(table: Table) -> None:
    rng, covered = Random(1), []
    for _ in range(200):
        x, y = rng.uniform(12, 628), rng.uniform(12, 468)
        hero = rng.uniform(12, 628), rng.uniform(12, 468)
        if dist(hero, (x, y)) < 40:
            continue
        words = rng.choice(["Behind me!", "You want to see more. New ground lies north: I will wait there."])
        left, top, width, height = table.page.evaluate(_BUBBLE, [words, x, y, *hero])
        assert left >= 0
        assert top >= 0
        assert left + width <= 640
        assert top + height <= 480
        is_over = left < hero[0] + 12 and left + width > hero[0] - 12
        if is_over and top < hero[1] + 12 and top + height > hero[1] - 12:
            covered.append((x, y, hero))
    assert covered == []


_BUBBLE = """async ([words, x, y, heroX, heroY]) => {
  const { drawBubble } = await import("telos-studio/marks.js");
  const context = document.createElement("canvas").getContext("2d");
  const from = { x, y, head: y - 14, foot: y + 28, radius: 14 };
  const people = [{ x: heroX, y: heroY, radius: 14, tint: "player" }, { x, y, radius: 14, tint: "friend" }];
  const area = { x: 0, y: 0, width: 640, height: 480 };
  const box = drawBubble(context, { of: () => "#000" }, words, from, area, { taken: [], people, covers: [] });
  return [box.x, box.y, box.width, box.height];
}"""
