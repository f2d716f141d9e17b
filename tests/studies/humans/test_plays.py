"""Logs become sequences of events that hold nothing of what comes later, nor of what is hidden."""

from pathlib import Path

import pytest

from studies.humans.kitchen_logs import COOK_COLUMNS, CRAFT_COLUMNS, crafting, kitchen, saved
from telos.core.errors import TelosError
from telos.recognition.filtering import Reader
from telos.studies.humans import crafter, overcooked
from telos.studies.humans.logs import LabelledPlay, goals_of, groups_of, read_plays
from telos.studies.scoring import teach

HIDDEN = {"held", "event", "goal", "pair"}


def cooks(folder: Path, rows: list[dict[str, object]] | None = None) -> list[LabelledPlay]:
    return read_plays(saved(rows or kitchen(), COOK_COLUMNS, folder), overcooked.SOURCE)


def test_what_is_hidden_is_in_no_event(tmp_path: Path) -> None:
    for play in cooks(tmp_path):
        for row in play.rows:
            assert not HIDDEN & set(row.event.context)
            assert row.event.goal is None


def test_idle_rows_and_achieving_rows_are_seen_but_not_scored(tmp_path: Path) -> None:
    log = kitchen()
    plays = cooks(tmp_path, log)
    assert sum(len(play.rows) for play in plays) == len(log)
    expected = sum(row["action"] != "stay" and not row["event"] for row in log)
    assert sum(row.is_scored for play in plays for row in play.rows) == expected


def test_rows_after_the_last_goal_are_not_scored(tmp_path: Path) -> None:
    log = kitchen(pairs=1, rounds=2)
    log[-1] |= {"event": "", "goal": ""}
    last = cooks(tmp_path, log)[-1].rows[-1]
    assert last.truth is None
    assert not last.is_scored


def test_changing_the_future_never_changes_a_belief_of_the_past(tmp_path: Path) -> None:
    log = kitchen(pairs=2)
    plays = cooks(tmp_path / "as-it-was", log)
    model = overcooked.cook(goals_of(plays))
    teach(model, plays)
    cut = len(plays[0].rows) // 2
    changed = [dict(row) for row in log]
    for row in changed[cut : len(plays[0].rows)]:
        row |= {"action": "right", "x": 3, "facing_tile": "counter", "event": "", "goal": "pot_onion", "held": "dish"}
        row |= {"d_onions": 0, "d_pot": 9}
    assert _beliefs(model, cooks(tmp_path / "changed", changed)[0])[:cut] == _beliefs(model, plays[0])[:cut]


def test_labels_and_hidden_columns_never_change_a_belief(tmp_path: Path) -> None:
    log = kitchen(pairs=2)
    plays = cooks(tmp_path / "as-it-was", log)
    model = overcooked.cook(goals_of(plays))
    teach(model, plays)
    changed = [{**row, "event": "pot_onion", "goal": "get_onion", "held": "soup"} for row in log]
    for one, two in zip(plays, cooks(tmp_path / "changed", changed), strict=True):
        assert _beliefs(model, one) == _beliefs(model, two)


def _beliefs(model: overcooked.FeatureIOHMM, play: LabelledPlay) -> list[dict[str, float]]:
    reader = Reader(model)
    return [dict(reader.observe(row.event)) for row in play.rows]


def test_what_was_used_is_said_one_row_later(tmp_path: Path) -> None:
    rows = cooks(tmp_path)[0].rows
    used = [number for number, row in enumerate(rows) if row.event.action == "interact"][:-1]
    assert used
    assert {rows[number + 1].event.context["used"] for number in used} == {"onions", "pot"}
    assert all(rows[number].event.context["used"] is None for number in used)


def test_sequences_start_afresh(tmp_path: Path) -> None:
    plays = cooks(tmp_path)
    assert all(play.rows[-1].event.action == "interact" for play in plays)
    assert all(play.rows[0].event.context["used"] is None for play in plays)


def test_groups_are_pairs_for_cooks_and_players_for_crafters(tmp_path: Path) -> None:
    assert groups_of(cooks(tmp_path / "cooks")) == ("G0", "G1", "G2", "G3")
    folder = saved(crafting(players=2), CRAFT_COLUMNS, tmp_path / "crafters")
    assert groups_of(read_plays(folder, crafter.SOURCE)) == ("P0", "P1")


def test_a_crafter_is_seen_approaching_doing_and_having_achieved(tmp_path: Path) -> None:
    folder = saved(crafting(players=1, episodes=1), CRAFT_COLUMNS, tmp_path)
    rows = read_plays(folder, crafter.SOURCE)[0].rows
    assert [row.event.context["seen"] for row in rows[1:3]] == ["approach_tree", "approach_tree"]
    at = next(number for number, row in enumerate(rows) if row.event.context["seen"] == "do_tree")
    assert rows[at].event.context["achieved"] is None
    assert rows[at + 1].event.context["achieved"] == "collect_wood"
    assert rows[at + 1].event.context["done"] == ("collect_wood",)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda row: row.pop("facing"), "there is no column 'facing'"),
        (lambda row: row.update(x="here"), "events.csv.gz:2: column 'x': 'here' is not a whole number"),
        (lambda row: row.update(facing="north"), "'north' is not one of up, down, left, right"),
        (lambda row: row.update(step="soon"), "'soon' is not a time"),
    ],
)
def test_a_log_that_does_not_fit_its_columns_is_told_in_one_line(tmp_path: Path, spoil: object, said: str) -> None:
    log = kitchen(pairs=1, rounds=1)
    spoil(log[0])  # type: ignore[operator]
    columns = [name for name in COOK_COLUMNS if name in log[0]]
    with pytest.raises(TelosError, match=said) as caught:
        read_plays(saved([{k: row[k] for k in columns} for row in log], columns, tmp_path), overcooked.SOURCE)
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(TelosError, match=r"no such folder; name the one that holds events\.csv\.gz"):
        read_plays(tmp_path / "nowhere", overcooked.SOURCE)
    with pytest.raises(TelosError, match="no such file"):
        read_plays(tmp_path, overcooked.SOURCE)
