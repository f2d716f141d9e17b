"""The studio end to end in a real browser: keys, timeline, editor and inspector."""

import re
from collections.abc import Callable
from typing import Any

from browser.conftest import Studio, frame, until

Open = Callable[..., Any]


def player(shown: dict[str, Any]) -> list[Any]:
    """Return where the player stands in a frame of the adventure."""
    (placed,) = [shape for shape in shown["pic"] if shape[0] == "s" and shape[1] == "hero"]
    return placed[3:5]


def begun(opened: Open, studio: Studio, query: str = "rules=flairs&seed=7") -> Any:
    """Open the adventure, and press the first key."""
    page = opened(studio.url(f"adventure?{query}"))
    page.keyboard.press("ArrowUp")
    until(page, "link.frame.n > 3")
    return page


def test_page_opens_with_game_and_waits_for_player(opened: Open, studio: Studio) -> None:
    page = opened(studio.address)
    assert page.title().startswith("Telos studio")
    shown = frame(page)
    assert shown["n"] == 0
    assert shown["hud"]["message"].startswith("Press a key to begin.")
    assert set(shown["beliefs"]) == {"ffbm", "iohmm", "constant", "fsm"}
    box = page.locator("canvas").first.bounding_box()
    assert box["width"] > 500
    assert box["height"] > 300
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")  # nothing is below the fold


def test_key_press_moves_player_and_release_stops_her(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("adventure?rules=flairs&seed=7"))
    x, y = player(frame(page))
    page.keyboard.down("ArrowRight")
    until(page, f"link.frame.pic.some(s => s[1] === 'hero' && s[3] > {x + 60})")
    page.keyboard.up("ArrowRight")
    until(page, "(f => f.n > (window.letGo ??= f.n) + 15)(link.frame)")  # frames, not seconds: machines may be slow
    shown = player(frame(page))
    assert shown[1] == y
    until(page, "(f => f.n > window.letGo + 25)(link.frame)")
    assert player(frame(page)) == shown


def test_beliefs_follow_player(opened: Open, studio: Studio) -> None:
    page = begun(opened, studio)
    believed = "f.beliefs.ffbm.level"
    page.evaluate(f"() => {{ window.most = 0; link.on('frame', f => {{ most = Math.max(most, {believed}) }}) }}")
    before = frame(page)["beliefs"]["ffbm"]["level"]
    for _ in range(60):  # swings, as many as it takes: each speaks for level, and standing there afterwards does not
        if page.evaluate("most") > before + 0.1:
            break
        page.keyboard.press("Space", delay=150)
        page.wait_for_timeout(100)
    assert page.evaluate("most") > before + 0.1
    page.keyboard.press("p")
    until(page, "link.status.paused")
    shown = frame(page)["beliefs"]["ffbm"]["level"]
    page.get_by_text(f"{100 * shown:.0f} %", exact=True).first.wait_for()


def test_past_shows_same_frame_as_live(opened: Open, studio: Studio) -> None:
    page = begun(opened, studio, "rules=wilds&plays=newcomer&seed=3")
    told = "JSON.stringify([f.pic, f.hud, f.beliefs])"
    page.evaluate(f"() => {{ window.kept = {{}}; link.on('frame', f => {{ if (f.live) kept[f.n] = {told} }}) }}")
    until(page, "Object.keys(kept).length > 40")
    kept = {int(number): text for number, text in page.evaluate("kept").items()}
    chosen = sorted(kept)[len(kept) // 2]
    page.evaluate(f"link.send({{do: 'scrub', to: {chosen}}})")
    until(page, f"link.frame.n === {chosen} && !link.frame.live && link.status.paused")
    again = page.evaluate(f"(f => {told})(link.frame)")
    assert again == kept[chosen]
    page.keyboard.press("Escape")
    until(page, "link.frame.live")


def test_drag_on_timeline_goes_back(opened: Open, studio: Studio) -> None:
    page = begun(opened, studio, "rules=wilds&plays=newcomer&seed=3")
    until(page, "link.frame.n > 120", seconds=20)
    box = page.get_by_role("slider").bounding_box()
    page.mouse.move(box["x"] + 130, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 118, box["y"] + 40, steps=4)
    page.mouse.up()
    until(page, "link.status.shown !== null && link.frame.n === link.status.shown && link.frame.n < 110")


def test_link_to_moment_shows_that_moment(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("arena?seed=3&at=25"))
    until(page, "link.status.paused && link.frame.n === 25")
    other = opened(studio.url("arena?seed=3&at=25"))
    until(other, "link.frame.n === 25")
    assert frame(other)["pic"] == frame(page)["pic"]


def test_click_on_soldier_opens_mind_inspector(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("arena?seed=3&at=30"))
    until(page, "link.frame.n === 30")
    soldier = next(shape for shape in frame(page)["pic"] if shape[0] == "s" and "pick" in shape[7])
    width, height = page.evaluate("link.hello.size")
    box = page.locator("canvas").first.bounding_box()
    scale = min(box["width"] / width, box["height"] / height)
    left, top = box["x"] + (box["width"] - width * scale) / 2, box["y"] + (box["height"] - height * scale) / 2
    page.mouse.click(left + soldier[3] * scale, top + soldier[4] * scale)
    page.get_by_text(re.compile(rf"^{soldier[7]['pick']}, soldier of ")).wait_for()
    page.get_by_text("kill_enemy").first.wait_for(state="attached")


def test_faulty_model_is_marked_and_game_keeps_old_one(opened: Open, studio: Studio) -> None:
    page = begun(opened, studio, "rules=flairs&plays=newcomer&seed=7")
    page.keyboard.press("3")
    editor = page.locator(".cm-content")
    editor.wait_for()
    editor.click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("gaols: 1\n")
    page.get_by_text(re.compile("gaols")).nth(1).wait_for()
    assert "1" in page.locator(".telos-fault").first.inner_text()
    before = frame(page)["n"]
    until(page, f"link.frame.n > {before + 20}")
    assert page.get_by_role("button", name=re.compile("^Apply")).is_disabled()


def test_applied_model_changes_bars(opened: Open, studio: Studio) -> None:
    page = begun(opened, studio)
    page.keyboard.press("Space", delay=100)
    page.keyboard.press("p")
    until(page, "link.status.paused")
    before = frame(page)["beliefs"]["ffbm"]
    page.keyboard.press("3")
    editor = page.locator(".cm-content")
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(
        "recognizer: fsm\ngoals: [level, explore, town]\nstart: town\nrules: [{if: moved, then: town}]\n"
    )
    apply = page.get_by_role("button", name=re.compile("^Apply"))
    page.wait_for_function("button => !button.disabled", arg=apply.element_handle())
    apply.click()
    until(page, "link.frame.beliefs.ffbm.town === 1")
    assert before["town"] < 1


def test_timeline_uses_time_unit_of_world(opened: Open, studio: Studio) -> None:
    page = opened(studio.url("home?seed=3&at=30"))
    until(page, "link.frame.n === 30")
    said = page.evaluate("() => import('telos-studio/hud.js').then(({clock}) => [450, 1740].map(clock))")
    assert said == ["7:30", "day 2, 5:00"]
    page.evaluate("link.send({do: 'scrub', to: 20})")
    page.get_by_text("looking back: day 1, 07:20").wait_for()
    page = opened(studio.url("forge?play=you&seed=3"))
    until(page, "link.frame.n > 8")  # nobody does anything, so no belief changes: half a second a frame all the same
    assert page.evaluate("link.series.timeOf(6)") == 3.0
