"""The elements of the page: their style, their scripts, and what they make of events that a page sends."""

import re
from pathlib import Path
from typing import Any

import pytest

from telos.studio.worlds.shapes import GOALS, ROLES

pytest.importorskip("nicegui", reason='the studio needs pip install "telos[studio]"')

from nicegui import Client, ui
from nicegui.events import GenericEventArguments

from telos.studio.page import widgets
from telos.studio.page.widgets import BeliefBars, StageCanvas, Timeline, theme_css

ASSETS = Path(widgets.__file__).with_name("assets")
SCRIPTS = sorted(ASSETS.glob("*.js"))


def told(args: Any) -> GenericEventArguments:
    return GenericEventArguments(sender=None, client=None, args=args)  # type: ignore[arg-type]


def test_the_palette_is_there_for_both_themes() -> None:
    light, dark = theme_css().split("body.body--dark {", 1)
    for role, (in_dark, in_light) in ROLES.items():
        assert f"--telos-{role}: {in_light};" in light
        assert f"--telos-{role}: {in_dark};" in dark
    for at, (in_dark, in_light) in enumerate(GOALS):
        assert f"--telos-goal{at}: {in_light};" in light
        assert f"--telos-goal{at}: {in_dark};" in dark


def test_the_style_uses_no_colour_that_is_not_in_the_palette() -> None:
    css = (ASSETS / "studio.css").read_text()
    used = set(re.findall(r"var\(--telos-(\w+)\)", css))
    assert used <= set(ROLES)
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b", css)


def test_the_scripts_know_as_many_goal_colours_as_the_palette_has() -> None:
    assert f"GOAL_COLOURS = {len(GOALS)};" in (ASSETS / "meters.js").read_text()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_imports_only_what_is_there(script: Path) -> None:
    for name in re.findall(r'from "([^"]+)"', script.read_text()):
        assert name.startswith(("./", "telos-studio/")), f"{name} is not ours"
        assert (ASSETS / name.split("/")[-1]).is_file()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_words_only_ever_go_onto_the_page_as_text(script: Path) -> None:
    text = script.read_text()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|v-html|document\.write|\beval\(|new Function", text)


@pytest.mark.parametrize("file", [*SCRIPTS, ASSETS / "studio.css"], ids=lambda path: path.name)
def test_nothing_is_fetched_from_elsewhere(file: Path) -> None:
    urls = re.findall(
        r"(?:https?:)?//[\w.]+\.\w+[^\s\"']*", re.sub(r"^\s*//.*$|\s// .*$", "", file.read_text(), flags=re.M)
    )
    assert all(url.startswith("http://www.w3.org/") for url in urls)  # the name of SVG, which nobody fetches


def test_elements_find_their_scripts_and_know_their_link() -> None:
    with Client(ui.page("/somewhere")):
        stage, timeline, bars = StageCanvas("/link/abc"), Timeline(), BeliefBars()
    assert stage.props["link-url"] == "/link/abc"
    for element in (stage, timeline, bars):
        assert element.component is not None
        assert element.component.path.is_file()
        assert element.component.path.parent == ASSETS


def test_a_picked_character_is_heard_by_name_and_nonsense_is_not() -> None:
    heard: list[str] = []
    for args in ("Sam", 7, None, ["Sam"], {"who": "Sam"}, "x" * 1000):
        widgets._pass_name(told(args), heard.append)
    assert heard == ["Sam"]


def test_a_clicked_event_is_heard_by_number_and_nonsense_is_not() -> None:
    heard: list[int] = []
    for args in (3, 0, -1, True, 2.5, "3", None, [3]):
        widgets._pass_number(told(args), heard.append)
    assert heard == [3, 0]
