"""The plot of a run, and paths that cannot be written."""

import sys
from pathlib import Path

import pytest

from telos.core.errors import TelosError
from telos.worlds.home.household import Household
from telos.worlds.home.plot import draw_plot, save_plot
from telos.worlds.plots import check_path


def a_day(people: int) -> list[object]:
    records: list[object] = []
    Household(people, seed=7, trace=records.append).live(minutes=1440)
    return records


def test_plot_has_a_row_per_person_with_motives_and_activities() -> None:
    pytest.importorskip("matplotlib")
    figure = draw_plot(a_day(2))
    assert [axes.get_ylabel() for axes in figure.axes] == ["Ada", "Ben"]
    assert all(len(axes.get_lines()) >= 6 for axes in figure.axes)


@pytest.mark.parametrize("name", ["day.png", "day.svg"])
def test_plot_is_written(tmp_path: Path, name: str) -> None:
    pytest.importorskip("matplotlib")
    save_plot(a_day(1), tmp_path / name)
    assert (tmp_path / name).stat().st_size > 1000


def test_unwritable_plot_path_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(TelosError, match=r"end the name with one of \.png, \.svg, \.pdf"):
        check_path(tmp_path / "day.doc")
    with pytest.raises(TelosError, match="there is no folder"):
        check_path(tmp_path / "nowhere" / "day.png")


def test_missing_matplotlib_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(TelosError, match=r'pip install "telos\[worlds\]"'):
        check_path(tmp_path / "day.png")


def test_plot_replaces_no_input_and_leaves_no_stump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    scene = tmp_path / "scene.yaml"
    scene.write_text("scene: mine", encoding="utf-8")
    link = tmp_path / "link.png"
    link.hardlink_to(scene)
    with pytest.raises(TelosError, match="this file is an input"):
        check_path(link, inputs=[scene])
    picture = tmp_path / "day.svg"
    picture.write_text("old", encoding="utf-8")

    def fail(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(TelosError, match=r"day\.svg: cannot be written: No space left on device"):
        save_plot(a_day(1), picture)
    assert picture.read_text(encoding="utf-8") == "old"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["day.svg", "link.png", "scene.yaml"]
