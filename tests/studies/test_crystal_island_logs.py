"""Logs of goals: what is labelled, what is left out, and that no fact looks ahead."""

import gzip
from pathlib import Path

import polars as pl
import pytest

from studies.markov_logs import log_of, small_log, table
from telos.core.errors import TelosError
from telos.studies.crystal_island.logs import (
    IDLE,
    THINGS,
    GoalLog,
    PredicateFacts,
    crafter_log,
    find_logs,
    human_log,
    starcraft_log,
    with_past,
)

CRAFTED = ("collect_wood", "place_table", "eat_cow")


def facts(log: GoalLog, name: str) -> list[list[str]]:
    """Return the facts of a predicate, row by row."""
    each: PredicateFacts = log.evidence[name]
    found: list[list[str]] = [[] for _ in log.truth]
    for row, code in zip(each.row.tolist(), each.code.tolist(), strict=True):
        found[row].append(each.names[code])
    return found


def test_achieving_actions_and_what_comes_after_the_last_goal_are_left_out() -> None:
    rows, log = table(3), small_log(3)
    assert len(log.truth) == rows.height - rows["achieved"].drop_nulls().len() - 3
    assert "achieve" not in log.evidence["action"].names
    assert log.pursuits == 15


def test_rows_know_what_was_achieved_before_them_and_nothing_else() -> None:
    rows = pl.DataFrame(
        {
            "player": ["a"] * 5 + ["b"] * 2,
            "action": list("vwxyzvw"),
            "achieved": [None, "g", None, "h", None, None, "g"],
        }
    )
    told = with_past(rows, "achieved", ["player"], (0, 2))
    assert told["last"].to_list() == [None, None, "g", "g", "h", None, None]
    assert told["done"].to_list() == ["", "", "g", "g", "g h", "", ""]
    assert told["since"].to_list() == ["0", "0", "0", "0", "0", "0", "0"]


def test_nobody_is_in_two_folds() -> None:
    log = small_log(9, 3)
    for fold in range(3):
        train, test = log.split(fold)
        assert not {log.groups[each] for each in train} & {log.groups[each] for each in test}
        assert sorted((*train, *test)) == list(range(len(log.groups)))


@pytest.mark.parametrize(("players", "folds", "said"), [(1, 2, "one player"), (3, 5, "5 folds"), (3, 1, "at least 2")])
def test_folds_that_cannot_be_made_are_refused(players: int, folds: int, said: str) -> None:
    with pytest.raises(TelosError, match=said):
        small_log(players, folds)


def test_a_log_without_goals_is_refused() -> None:
    with pytest.raises(TelosError, match="no action achieves a goal"):
        log_of(table(3).with_columns(pl.lit(None, pl.String).alias("achieved")), 3)


def crafter_rows(lives: int = 3) -> pl.DataFrame:
    """Return the play of three players, a few lives each, in which everything changes all the time."""
    rows = []
    for player in ("A", "B", "C"):
        for life in range(lives):
            done: list[str] = []
            for step in range(1, 25):
                near = {f"d_{thing}": (step * (at + 2) + life) % 7 - 1 for at, thing in enumerate(THINGS)}
                unlock = CRAFTED[len(done)] if step % 8 == 0 and len(done) < 3 else ""
                action = (IDLE, "move_left", "do", "move_up")[(step + life) % 4]
                row: dict[str, str | int] = {
                    "player": player,
                    "group": "adult",
                    "phase": "main",
                    "episode": f"{player}{life}",
                    "step": step,
                }
                row |= {"action": action, "facing_tile": ("tree", "cow", "grass")[step % 3], **near}
                row |= {"wood": len(done), "stone": 0, "sapling": 0, "coal": 0, "iron": 0}
                rows.append({**row, "n_unlocked": len(done), "unlock": unlock})
                done += [unlock] if unlock else []
    return pl.DataFrame(rows)


def written(rows: pl.DataFrame, folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "events.csv.gz"
    with gzip.open(path, "wb") as file:
        file.write(rows.write_csv().encode())
    return path


def test_no_fact_of_a_crafter_player_looks_ahead(tmp_path: Path) -> None:
    rows = crafter_rows()
    whole = crafter_log(written(rows, tmp_path / "whole"), folds=3, seed=1)
    cut = rows.filter((pl.col("player") != "A") | (pl.col("episode") != "A2") | (pl.col("step") <= 8))
    short = crafter_log(written(cut, tmp_path / "short"), folds=3, seed=1)
    left, third = int(short.start[3]), int(whole.start[3])  # where the third life ends, cut short and whole
    assert left < third
    kept = [*range(left), *range(third, len(whole.truth))]
    for name in whole.evidence:
        told = facts(whole, name)
        assert [told[row] for row in kept] == facts(short, name), name


def test_ticks_without_a_key_are_no_rows(tmp_path: Path) -> None:
    log = crafter_log(written(crafter_rows(), tmp_path / "log"), folds=3, seed=1)
    assert IDLE not in log.evidence["action"].names
    assert {"do_tree", "do_cow", "do_grass"} & set(log.evidence["action"].names)


def test_habits_are_those_of_earlier_lives(tmp_path: Path) -> None:
    log = crafter_log(written(crafter_rows(2), tmp_path / "log"), folds=3, seed=1)
    habits = facts(log, "habit")
    first, second = habits[log.start[0] : log.start[1]], habits[log.start[1] : log.start[2]]
    assert all(not each for each in first)
    assert {each[0] for each in second} == set(CRAFTED)


def starcraft_rows() -> pl.DataFrame:
    """Return four games in which a base and then a lair or a factory is built."""
    rows = []
    for game in range(4):
        race, tech = ("Zerg", "lair") if game % 2 else ("Terran", "factory")
        for step in range(12):
            milestone = {5: "expand", 10: tech}.get(step, "")
            order = f"Build{milestone}" if milestone else ("MorphDrone", "TrainSCV", "Attack")[step % 3]
            row: dict[str, str | int] = {
                "group": f"G{game}",
                "game": f"W{game}",
                "player": f"U{game}",
                "race": race,
                "opp_race": "Zerg",
            }
            row |= {"t": 30 * step, "action": order, "kind": "unit", "done": "", "milestone": milestone}
            rows.append(row)
    return pl.DataFrame(rows)


def test_goals_of_another_race_and_those_achieved_are_barred(tmp_path: Path) -> None:
    log = starcraft_log(written(starcraft_rows(), tmp_path / "log"), folds=2, seed=1)
    barred = facts(log, "barred")
    assert log.goals == ("Terran_expand", "Terran_factory", "Zerg_expand", "Zerg_lair")
    assert barred[0] == ["Zerg_expand", "Zerg_lair"]
    assert barred[log.start[1] - 1] == ["Terran_expand", "Zerg_expand", "Zerg_lair"]
    assert all(log.goals[goal] not in each for goal, each in zip(log.truth, barred, strict=True))


def test_orders_are_counted_up_to_now(tmp_path: Path) -> None:
    log = starcraft_log(written(starcraft_rows(), tmp_path / "log"), folds=2, seed=1)
    assert facts(log, "ordered")[:4] == [
        ["MorphDrone_1"],
        ["MorphDrone_1", "TrainSCV_1"],
        ["MorphDrone_1", "TrainSCV_1", "Attack_1"],
        ["MorphDrone_2", "TrainSCV_1", "Attack_1"],
    ]
    assert facts(log, "lately")[5] == ["MorphDrone_1"]  # the first order after the milestone


def test_a_folder_of_logs_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    one, two = written(crafter_rows(), tmp_path / "b"), written(starcraft_rows(), tmp_path / "a")
    assert find_logs(tmp_path) == {"starcraft": two, "crafter": one}
    assert find_logs(tmp_path / "b") == {"crafter": one}


def test_a_folder_without_a_log_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TelosError, match=r"events\.csv\.gz"):
        find_logs(tmp_path)
    with pytest.raises(TelosError, match="no such folder"):
        find_logs(tmp_path / "nowhere")
    written(pl.DataFrame({"player": ["a"], "action": ["b"]}), tmp_path)
    with pytest.raises(TelosError, match="no log of crafter or starcraft"):
        find_logs(tmp_path)


def test_a_table_that_breaks_its_promise_is_refused_by_name(tmp_path: Path) -> None:
    path = written(crafter_rows().with_columns(pl.lit("far").alias("d_tree")), tmp_path / "log")
    with pytest.raises(TelosError, match=r"events\.csv\.gz: not the table"):
        human_log("crafter", path, folds=2, seed=1)
