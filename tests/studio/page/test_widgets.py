"""Elements of the page: styles, scripts and events."""

import re
from pathlib import Path
from typing import Any

import pytest

from telos.studio.worlds.shapes import GOAL_PLACES, GOALS, ROLES

pytest.importorskip("nicegui", reason='the studio needs pip install "telos[studio]"')

from nicegui import Client, ui
from nicegui.events import GenericEventArguments

from telos.studio.page import widgets
from telos.studio.page.score_panel import TINT
from telos.studio.page.theme import theme_css
from telos.studio.page.widgets import BeliefBars, StageCanvas, Timeline

ASSETS = Path(widgets.__file__).with_name("assets")
SCRIPTS = sorted(ASSETS.glob("*.js"))


def told(args: Any) -> GenericEventArguments:
    return GenericEventArguments(sender=None, client=None, args=args)  # type: ignore[arg-type]


def test_palette_has_both_themes() -> None:
    light, dark = theme_css().split("body.body--dark {", 1)
    for role, (in_dark, in_light) in ROLES.items():
        assert f"--telos-{role}: {in_light};" in light
        assert f"--telos-{role}: {in_dark};" in dark
    for at, (in_dark, in_light) in enumerate(GOALS):
        assert f"--telos-goal{at}: {in_light};" in light
        assert f"--telos-goal{at}: {in_dark};" in dark


def luminance(colour: list[float]) -> float:
    """Return the relative luminance of a colour, as WCAG 2 defines it."""
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [0, 1])
@pytest.mark.parametrize("tint", ["good", "danger"])
def test_numbers_of_confusion_stand_out_from_fullest_cell(theme: int, tint: str) -> None:
    ink, panel, full = (
        [int(ROLES[role][theme][at : at + 2], 16) / 255 for at in (1, 3, 5)] for role in ("ink", "panel", tint)
    )
    cell = [TINT / 100 * one + (1 - TINT / 100) * two for one, two in zip(full, panel, strict=True)]
    pale, dark = sorted((luminance(ink), luminance(cell)), reverse=True)
    assert (pale + 0.05) / (dark + 0.05) >= 4.5


def test_style_uses_only_colours_of_palette() -> None:
    css = (ASSETS / "studio.css").read_text()
    used = set(re.findall(r"var\(--telos-(\w+)\)", css))
    assert used <= set(ROLES)
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b", css)


def test_goals_of_all_worlds_have_a_colour_of_the_palette() -> None:
    assert all(0 <= place < len(GOALS) for place in GOAL_PLACES.values())
    assert GOAL_PLACES["town"] == GOAL_PLACES["return"], "both are going home"
    assert len({GOAL_PLACES[goal] for goal in ("level", "explore", "town")}) == 3


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_import_only_existing_files(script: Path) -> None:
    for name in re.findall(r'from "([^"]+)"', script.read_text()):
        assert name.startswith(("./", "telos-studio/")), f"{name} is not ours"
        assert (ASSETS / name.split("/")[-1]).is_file()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_texts_are_inserted_as_text_only(script: Path) -> None:
    text = script.read_text()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|v-html|document\.write|\beval\(|new Function", text)


@pytest.mark.parametrize("file", [*SCRIPTS, ASSETS / "studio.css"], ids=lambda path: path.name)
def test_nothing_is_fetched_from_elsewhere(file: Path) -> None:
    urls = re.findall(
        r"(?:https?:)?//[\w.]+\.\w+[^\s\"']*", re.sub(r"^\s*//.*$|\s// .*$", "", file.read_text(), flags=re.M)
    )
    assert all(url.startswith("http://www.w3.org/") for url in urls)  # the name of SVG, which nobody fetches


def test_elements_find_scripts_and_link() -> None:
    with Client(ui.page("/somewhere")):
        stage, timeline, bars = StageCanvas("/link/abc"), Timeline(), BeliefBars()
    assert stage.props["link-url"] == "/link/abc"
    for element in (stage, timeline, bars):
        assert element.component is not None
        assert element.component.path.is_file()
        assert element.component.path.parent == ASSETS


def test_picked_character_is_passed_by_name_and_nonsense_is_not() -> None:
    heard: list[str] = []
    for args in ("Sam", 7, None, ["Sam"], {"who": "Sam"}, "x" * 1000):
        widgets._pass_name(told(args), heard.append)
    assert heard == ["Sam"]


def test_clicked_event_is_passed_by_number_and_nonsense_is_not() -> None:
    heard: list[int] = []
    for args in (3, 0, -1, True, 2.5, "3", None, [3]):
        widgets._pass_number(told(args), heard.append)
    assert heard == [3, 0]
