"""``telos study readers``: what it reports, that it is reproducible, and that the studio shows the best reader."""

from pathlib import Path

import pytest

from telos.core.errors import TelosError
from telos.studies.readers import GIVEN, PEOPLE, PLAIN, Play, compare_readers, read_play, readers_result, run_study
from telos.studio.worlds.adventure.stage import HEADLINES
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.recognizer import READERS
from telos.worlds.adventure.recording import write_recording

RULES = ("wilds", "flairs", "aiide")


@pytest.mark.parametrize("rules", RULES)
def test_headline_is_best_reader_of_small_study(rules: str) -> None:
    done = compare_readers(plays=2, games=1, seed=3, rules=[rules])
    assert done.best(rules) == HEADLINES[rules]


@pytest.mark.slow
def test_headlines_are_best_readers_of_quick_study() -> None:
    result = run_study(plays=5, games=2, seed=1)
    assert dict(result.data["best"]) == HEADLINES


def test_result_has_figures_of_every_reader_and_kind() -> None:
    done = compare_readers(plays=1, games=1, rules=["flairs"])
    data = readers_result(done).data
    assert data["simulated"]
    assert set(data["rules"]["flairs"]) == set(READERS["flairs"])
    for reader in data["rules"]["flairs"].values():
        assert reader[GIVEN]["n"] == 2
        assert reader[PLAIN]["n"] == 3
        low, high = reader[PLAIN]["right_ci"]
        assert 0 <= low <= reader[PLAIN]["right"] <= high <= 1
        assert reader[PLAIN]["log_loss"] > 0


def test_play_is_read_the_same_way_twice() -> None:
    play = Play("wilds", PLAIN, "level", 0, 1)
    first, second = read_play(play), read_play(play)
    assert first is not None
    assert second is not None
    assert first.figures == second.figures


def test_recordings_of_people_are_a_kind_of_their_own(tmp_path: Path) -> None:
    game = Adventure("flairs", seed=5)
    for keys in ("up", "right", "swing", "down") * 4:
        for _ in range(10):
            game.step({game.player: keys})
    write_recording(game.recording(), tmp_path / "ann.jsonl")
    done = compare_readers([tmp_path], plays=1, games=1, rules=["flairs"])
    assert done.kinds("flairs") == (GIVEN, PLAIN, PEOPLE)
    assert len(done.of("flairs", PEOPLE, "ffbm")) == 1
    assert readers_result(done).data["human"]


def test_study_refuses_bad_numbers_and_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(TelosError, match="seed"):
        compare_readers(seed=-1)
    with pytest.raises(TelosError, match="recording"):
        compare_readers([tmp_path], plays=1, games=1)
