"""Models of play styles and of the tutorial: made from simulated players, as the files of the package say."""

import pytest

from telos.recognition import IOHMM, StyleReader, loads_model, named_model
from telos.studies import style_models
from telos.studies.style_models import PRESETS, play_games, style_text, train_style
from telos.worlds.adventure.recognizer import STYLES


def test_a_trained_style_is_a_file_that_loads() -> None:
    games = play_games(PRESETS["bold"], "tested", 1)
    model = train_style("bold", games)
    again = loads_model(style_text("bold", model))
    assert isinstance(again, IOHMM)
    assert again.counts == model.counts
    assert sum(sum(row.values()) for row in again.counts.seen.values()) > 20


def test_styles_of_the_package_are_compared_although_their_outcomes_differ() -> None:
    models = {style: named_model(file) for style, file in STYLES.items()}
    reader = StyleReader(models)
    for event in play_games(PRESETS["cautious"], "tested", 1)[0].events:
        reader.observe(event)
    assert reader.belief.top == "cautious"
    assert "beside the player's own habits" in reader.why()


@pytest.mark.slow
def test_the_script_makes_the_files_of_the_package(tmp_path: object) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    style_models.main([str(folder)])
    for name in ("style-bold", "style-cautious", "wilds-learner"):
        made = (folder / f"{name}.yaml").read_text(encoding="utf-8")
        assert made == (style_models.DATA / f"{name}.yaml").read_text(encoding="utf-8"), name
