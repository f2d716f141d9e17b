"""Corpora from event tables: labels, removal, the tail, folds, and tables that no corpus can be made of."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from telemetry.slow_loop import by_hand
from telos.core.conditions import Condition
from telos.core.errors import TelosError
from telos.telemetry.columns import Columns, usual_columns
from telos.telemetry.corpus import assign_folds, prepare

COLUMNS = Columns(
    action="action", achieved="won", player="player", session="session", drop=Condition.of("action == noop")
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "player": st.sampled_from(["ann", "bo", "cy"]),
            "session": st.sampled_from(["1", "2"]),
            "action": st.sampled_from(["walk", "talk", "noop"]),
            "won": st.sampled_from([None, None, None, "", "nurse", "cook"]),
        }
    ),
    max_size=40,
)


def table(*rows: tuple[Any, ...], names: str = "player action won") -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=names.split(), orient="row")


def one_session(**parts: Any) -> Columns:
    return replace(Columns(action="action", achieved="won", player="player"), **parts)


def refusal(rows: pl.DataFrame, columns: Columns, **options: Any) -> str:
    with pytest.raises(TelosError) as caught:
        prepare(rows, columns, **options)
    assert ("\n" in str(caught.value)) == ("rows are bad" in str(caught.value))
    return str(caught.value)


WALK = table(
    ("ann", "walk", None),
    ("bo", "walk", None),
    ("ann", "talk", "nurse"),
    ("bo", "eat", None),
    ("ann", "walk", None),
    ("bo", "test", "food"),
    ("bo", "test", "diagnosis"),
    ("bo", "walk", None),
)


def test_actions_get_the_next_goal_without_tail_and_achieving_actions() -> None:
    corpus = prepare(WALK, one_session(), folds=2)
    kept = corpus.frame.select("player", "session", "step", "action", "goal").rows()
    assert kept == [("ann", "", 0, "walk", "nurse"), ("bo", "", 0, "walk", "food"), ("bo", "", 1, "eat", "food")]
    assert corpus.frame.columns == ["player", "session", "step", "action", "goal", "fold"]


def test_the_figures_are_those_of_tables_3_and_4() -> None:
    figures = prepare(WALK, one_session(), folds=2).statistics()
    assert (figures.players, figures.actions, figures.achieved, figures.actions_per_goal) == (2, 3, 3, 1.0)
    assert figures.goals == {"diagnosis": 1, "food": 1, "nurse": 1}
    assert figures.rows == {"food": 2, "nurse": 1}
    assert figures.types == {"walk": 2, "eat": 1}
    assert sorted(figures.folds) == [1, 2]
    lines = list(figures.lines())
    assert lines[3].split() == ["Average", "number", "of", "player", "actions", "per", "goal", "1.0"]
    assert "food              1  33.3%        2  66.7%" in lines


@settings(max_examples=200, deadline=None)
@given(ROWS)
def test_preparing_is_what_a_loop_over_the_rows_does(rows: list[dict[str, Any]]) -> None:
    expected = by_hand(rows)
    assume(expected)
    corpus = prepare(pl.DataFrame(rows), COLUMNS, folds=0)
    assert sorted(corpus.frame.select("player", "session", "step", "action", "goal").rows()) == sorted(expected)
    figures = corpus.statistics()
    assert figures.goals == Counter(row["won"] for row in rows if row["won"])
    assert figures.rows == Counter(goal for *_, goal in expected)
    assert figures.sequences == len({row[:2] for row in expected})


@settings(max_examples=50, deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_rows_in_any_order_give_the_same_corpus_when_they_are_sorted(rows: list[dict[str, Any]], rng: Random) -> None:
    assume(by_hand(rows))
    timed = [{**row, "time": place} for place, row in enumerate(rows)]
    columns = replace(COLUMNS, order="time", sort=True)
    mixed = rng.sample(timed, len(timed))
    one, two = (prepare(pl.DataFrame(each), columns, folds=0).frame for each in (timed, mixed))
    keys = ["player", "session", "step"]
    assert one.sort(keys).equals(two.sort(keys))


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(st.text("abcdef", min_size=1, max_size=4), st.integers(1, 100), min_size=2, max_size=40),
    st.integers(2, 10),
    st.integers(0, 5),
)
def test_folds_are_balanced_and_none_is_empty(sizes: dict[str, int], folds: int, seed: int) -> None:
    folds = min(folds, len(sizes))
    found = assign_folds(sizes, folds, Random(seed))
    weights = [sum(sizes[group] for group in sizes if found[group] == fold) for fold in range(folds)]
    assert found.keys() == sizes.keys()
    assert min(weights) > 0
    assert max(weights) - min(weights) <= max(sizes.values())  # what the lightest fold was given last tells them apart
    assert found == assign_folds(sizes, folds, Random(seed))


def test_another_seed_gives_other_folds() -> None:
    sizes = {f"p{i}": 10 + i for i in range(30)}
    together = {frozenset(g for g in sizes if assign_folds(sizes, 3, Random(seed))[g] == 0) for seed in range(10)}
    assert len(together) > 5


def test_who_played_together_is_never_split() -> None:
    rows = [(f"{pair}{seat}", pair, "walk", goal) for pair in "abcdef" for seat in "12" for goal in (None, "nurse")]
    columns = one_session(group="pair")
    frame = prepare(table(*rows, names="player pair action won"), columns, folds=3).frame
    by_pair = frame.group_by(pl.col("player").str.head(1)).agg(pl.col("fold").n_unique())
    assert by_pair["fold"].to_list() == [1] * 6
    assert frame["fold"].n_unique() == 3


def test_a_split_holds_a_fold_out_with_its_goals() -> None:
    corpus = prepare(WALK, one_session(), folds=2)
    train, test = corpus.split(corpus.frame.filter(player="bo")["fold"][0])
    assert train.frame["player"].to_list() == ["ann"]
    assert test.achieved["goal"].to_list() == ["food", "diagnosis"]


def test_a_dropped_row_still_achieves_its_goal() -> None:
    rows = table(("ann", "walk", None), ("ann", "noop", None), ("ann", "noop", "wake"), ("ann", "walk", None))
    frame = prepare(rows, replace(one_session(), drop=COLUMNS.drop), folds=0).frame
    assert frame.select("action", "goal").rows() == [("walk", "wake")]


def test_goals_can_be_flagged_or_named_by_actions() -> None:
    rows = table(("ann", "walk", "food", 0), ("ann", "walk", "food", 1), names="player action what is_goal")
    flagged = Columns(action="action", player="player", achieved="what", when=Condition.of("is_goal == 1"))
    assert prepare(rows, flagged, folds=0).frame["goal"].to_list() == ["food"]
    by_action = Columns(action="action", player="player", goals={"talk": "nurse"})
    assert prepare(WALK, by_action, folds=0).frame["goal"].to_list() == ["nurse"]


def test_numbers_fall_into_named_bins() -> None:
    near = [-1, 0, 1, 2, 3, 7, 8, 100, None, 0]
    rows = pl.DataFrame({"action": ["walk"] * 10, "d": near, "won": [None] * 9 + ["nurse"]})
    columns = Columns(action="action", achieved="won", features={"near": "d"}, bins={"near": (0, 1, 3, 8)})
    assert prepare(rows, columns, folds=0).frame["near"].to_list() == (
        ["<0", "0", "1-2", "1-2", "3-7", "3-7", "8+", "8+", None]
    )
    halves = rows.with_columns(pl.col("d") / 2)
    binned = prepare(halves, columns, folds=0).frame["near"].to_list()
    assert binned == ["<0", "0-1", "0-1", "1-3", "1-3", "3-8", "3-8", "8+", None]


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("action == noop", ["walk", "eat", "walk"]),
        ("action != walk", ["walk", "walk"]),
        ("not (action == walk or action == eat)", ["walk", "eat", "walk"]),
        ("n > 2", ["walk", "noop"]),
        ("n >= 2 and flag", ["walk", "noop", "walk"]),
        ("n * 2 - 1 == 5", ["walk", "noop", "walk"]),
        ("text == 7", ["noop", "eat", "walk"]),
        ("flag == false", ["eat"]),
        ("text == none", ["walk", "eat"]),
        ("other == action", ["noop", "eat", "walk"]),
    ],
)
def test_rows_are_dropped_by_a_condition_over_columns(said: str, left: list[str]) -> None:
    rows = table(
        ("walk", 1, False, "7", "walk", None),
        ("noop", 2, False, "", "a", None),
        ("eat", 3, True, "x", "a", None),
        ("walk", 4, False, None, "b", None),
        ("win", 0, False, "", "b", "nurse"),
        names="action n flag text other won",
    )
    columns = Columns(action="action", achieved="won", drop=Condition.of(said))
    assert prepare(rows, columns, folds=0).frame["action"].to_list() == left


def test_a_table_that_calls_its_columns_as_telos_does_needs_no_description() -> None:
    rows = table(
        ("ann", 0.0, "walk", "camp", None), ("ann", 1.0, "talk", "camp", "nurse"), names="player time action loc goal"
    )
    frame = prepare(rows, usual_columns(rows.columns), folds=0).frame
    assert frame.rows() == [("ann", "", 0, "walk", "camp", "nurse", 0)]
    with pytest.raises(TelosError, match=r"no column 'action'.*--columns"):
        usual_columns(["player", "goal"])


def test_dates_written_as_text_are_in_order() -> None:
    stamps = ["2012-05-03T09:59:59Z", "2012-05-03T10:00:00Z", "2012-05-03T09:00:00Z"]
    rows = pl.DataFrame({"action": ["a", "b", "c"], "at": stamps, "won": [None, "nurse", None]})
    columns = Columns(action="action", achieved="won", order="at")
    assert "row 3: at runs backwards for player 'player', to 2012-05-03T09:00:00Z" in refusal(rows, columns, folds=0)
    assert prepare(rows[:2], columns, folds=0).frame.height == 1


# What no corpus can be made of


def test_one_player_makes_no_folds() -> None:
    said = refusal(WALK.filter(player="ann"), one_session())
    assert said == (
        "no folds with one player or group ('ann'): nobody is left to test on; record more, or ask for 0 folds"
    )
    assert "10 folds need as many players or groups, and there are 2" in refusal(WALK, one_session())
    assert "at least 2, or 0 for none, got 1" in refusal(WALK, one_session(), folds=1)


def test_a_log_without_goals_is_refused() -> None:
    assert "no action achieves a goal: column 'won'" in refusal(WALK.filter(pl.col("won").is_null()), one_session())
    nothing = WALK.with_columns(won=pl.lit(None))
    assert "no action achieves a goal" in refusal(nothing, one_session())
    assert "column 'won' may hold labels, not achievements" in refusal(
        WALK.with_columns(won=pl.lit("x")), one_session()
    )


def test_a_missing_column_is_told_with_the_nearest_name() -> None:
    assert refusal(WALK, one_session(player="plyer")) == (
        "the table: there is no column 'plyer'; did you mean 'player'?"
    )
    assert "no column; did you mean 'action'?" in refusal(WALK, one_session(drop=Condition.of("actoin == noop")))


def test_late_rows_and_bad_times_are_told_with_their_row_or_put_in_order() -> None:
    rows = WALK.with_columns(time=pl.Series([0, 0, 1, 5, 2, 4, 6, 7]))
    said = refusal(rows, one_session(order="time"))
    assert "late: 1 row" in said
    assert "row 6: time runs backwards for player 'bo', to 4" in said
    assert "--sort" in said
    assert prepare(rows, one_session(order="time", sort=True), folds=0).frame.height == 3
    assert prepare(rows, one_session(order="time"), folds=0, sort=True).frame.height == 3
    unknown = WALK.with_columns(time=pl.Series(["0", "0", "1", "soon", "2", "4", "6", "7"]))
    assert "row 4: time says 'soon'" in refusal(unknown, one_session(order="time"))


def test_bad_rows_are_told_together_or_skipped_and_counted() -> None:
    rows = table(("ann", "a", None), (None, "b", "x"), ("ann", "", None), ("ann", "c", "x"))
    said = refusal(rows, one_session())
    assert "2 of 4 rows are bad" in said
    assert "row 2: player says None" in said
    assert "row 3: action says ''" in said
    corpus = prepare(rows, one_session(), folds=0, skip_bad=True)
    assert corpus.frame["action"].to_list() == ["a"]
    assert corpus.report is not None
    assert corpus.report.bad_rows == 2


def test_duplicates_are_counted_and_dropped_on_demand() -> None:
    rows = table(
        *[("ann", "a", 1, None)] * 2, ("ann", "a", 2, None), ("ann", "c", 3, "x"), names="player action time won"
    )
    for drop, left in ((False, 3), (True, 2)):
        corpus = prepare(rows, one_session(order="time"), folds=0, drop_duplicates=drop)
        assert corpus.frame.height == left
        assert corpus.report is not None
        assert corpus.report.duplicates == 1


def test_frames_of_any_kind_give_the_same_corpus() -> None:
    expected = prepare(WALK, one_session(), folds=2).frame
    for rows in (WALK.lazy(), WALK.to_arrow(), WALK.to_pandas(), WALK.to_dict(as_series=False)):
        assert prepare(rows, one_session(), folds=2).frame.equals(expected)


def test_numbers_in_text_files_are_numbers_and_names_stay_names(tmp_path: Path) -> None:
    lines = ["player,action,n,x,flag,code,won", "7,a,1,1.5,true,007,", "7,b,2,,False,8,", "7,c,,,,,x"]
    (tmp_path / "log.csv").write_text("\n".join(lines))
    columns = one_session(features={name: name for name in ("n", "x", "flag", "code")})
    frame = prepare(tmp_path / "log.csv", columns, folds=0).frame
    assert frame.select("player", "n", "x", "flag", "code").rows() == [
        ("7", 1, 1.5, True, "007"),
        ("7", 2, None, False, "8"),
    ]


def test_a_goal_column_without_names_is_refused() -> None:
    flags = WALK.with_columns(won=pl.col("won").is_not_null().cast(pl.Int64))
    said = refusal(flags, one_session())
    assert said.startswith(
        "column 'won' holds Int64, and goals have names; if it is a flag, write `achieved: {when: won =="
    )
    assert "holds List(String)" in refusal(WALK.with_columns(won=pl.concat_list("won")), one_session())


def test_lists_are_no_names() -> None:
    rows = WALK.with_columns(pair=pl.concat_list("player"))
    assert refusal(rows, one_session(player="pair")).startswith("column 'pair' holds List(String), and names are text")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("pair == ann", "column 'pair' holds List(String), which no condition can compare"),
        ("day > 3", "column 'day' holds Date"),
        ("player < ann", "`player < ann`: labels have no order"),
        ("far(n, 1) > 2", "`far(n, 1)` is no number"),
        ("n + 1", "`n + 1` is not true or false"),
        ("hidden", "there is no column 'hidden'"),
        ("hidden > 3", "`hidden > 3` names no column"),
    ],
)
def test_conditions_that_mean_nothing_are_refused(said: str, message: str) -> None:
    rows = WALK.with_columns(pair=pl.concat_list("player"), day=pl.date(2020, 1, 1), n=pl.lit(1))
    assert refusal(rows, one_session(drop=Condition.of(said))).startswith(message)


def test_two_columns_of_numbers_are_compared_as_numbers() -> None:
    rows = table(("a", 9, 10.0, None), ("b", 10, 10.0, None), ("c", 10, 9.0, "x"), names="action n m won")
    for said, left in (("n < m", ["b"]), ("n == m", ["a"])):
        columns = Columns(action="action", achieved="won", drop=Condition.of(said))
        assert prepare(rows, columns, folds=0).frame["action"].to_list() == left


def test_a_player_in_two_groups_is_refused() -> None:
    rows = WALK.with_columns(team=pl.Series(list("abaccccc")))
    assert "player 'bo' is in 2 groups" in refusal(rows, one_session(group="team"), folds=2)


def test_bins_are_for_numbers() -> None:
    columns = one_session(features={"deed": "action"}, bins={"deed": (0, 1)})
    assert "bins are for numbers, and column 'action' holds String" in refusal(WALK, columns)


def test_an_empty_table_is_refused() -> None:
    assert "the log is empty" in refusal(WALK.head(0), one_session())
    assert "no columns" in refusal(pl.DataFrame(), one_session())


def test_a_feature_cannot_take_the_name_of_a_column_that_every_corpus_has() -> None:
    with pytest.raises(TelosError, match="cannot be called 'goal'"):
        one_session(features={"goal": "won"})
