"""Stretches of goals against a slow and obvious oracle, and their tables with figures worked out by hand."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos import TelosError
from telos.telemetry.analytics import Stretches, StretchRules, analyse, find_stretches, goal_page

GOALS = ("fish", "sell", "dig")
RULES = StretchRules(gap=100.0, unsure=0.5, where="area", segment="level")

rows_of_players = st.lists(
    st.tuples(
        st.sampled_from(["ann", "bob", "cat"]),
        st.sampled_from([1.0, 7.0, 99.0, 101.0, 700_000.0]),  # seconds since the player's last event
        st.sampled_from(GOALS),
        st.sampled_from([0.4, 0.5, 0.9]),
        st.sampled_from([None, None, *GOALS]),
        st.sampled_from([None, "beach", "market"]),
        st.sampled_from([None, "s1", "s2"]),
    ),
    max_size=40,
)


def readings(drawn: list[tuple[Any, ...]]) -> pl.DataFrame:
    now: dict[str, float] = {}
    rows = []
    for player, pause, goal, certainty, achieved, area, session in drawn:
        now[player] = now.get(player, 0.0) + pause
        rows.append((player, now[player], goal, certainty, achieved, area, session, "new"))
    names = ["player", "time", "read", "certainty", "achieved", "area", "session", "level"]
    strings = {name: pl.String for name in names if name not in ("time", "certainty")}
    frame = pl.DataFrame(rows, schema=names, orient="row", schema_overrides=strings)
    return frame.with_columns(pl.col("time", "certainty").cast(pl.Float64)).sort("player", "time", maintain_order=True)


def slow_stretches(frame: pl.DataFrame, rules: StretchRules) -> list[tuple[Any, ...]]:
    """Walk over the events one by one: (player, begin, seconds, events, goal, achieved, end, place)."""
    events = frame.rows(named=True)
    sittings: list[list[dict[str, Any]]] = []
    for before, event in zip([None, *events], events, strict=False):
        same = before is not None and all(before[name] == event[name] for name in ("player", "session"))
        if not same or event["time"] - before["time"] > rules.gap:  # type: ignore[index]
            sittings.append([])
        sittings[-1].append({**event, "goal": event["read"] if event["certainty"] >= rules.unsure else None})
    found = []
    for sitting in sittings:
        runs: list[list[int]] = []
        for number, event in enumerate(sitting):
            if not runs or sitting[runs[-1][-1]]["goal"] != event["goal"]:
                runs.append([])
            runs[-1].append(number)
        goals = [sitting[run[0]]["goal"] for run in runs]
        for place, run in enumerate(runs):
            goal, last = goals[place], run[-1]
            until = sitting[min(last + 1, len(sitting) - 1)]["time"]
            reported = {sitting[number]["achieved"] for number in range(run[0], min(last + 2, len(sitting)))}
            after = next((each for each in goals[place + 1 :] if each is not None), None)
            end = None if goal is None else "left" if after is None else "resumed" if after == goal else "changed"
            begin = sitting[run[0]]["time"]
            achieved = goal is not None and goal in reported
            found.append(
                (sitting[0]["player"], begin, until - begin, len(run), goal, achieved, end, sitting[last]["area"])
            )
    return found


@given(rows_of_players)
@settings(max_examples=150)
def test_stretches_equal_those_of_a_walk_over_events(drawn: list[tuple[Any, ...]]) -> None:
    frame = readings(drawn)
    found = find_stretches(frame, RULES).stretches
    columns = ["player", "begin", "seconds", "events", "goal", "achieved", "end", "place"]
    for row, expected in zip(found.select(columns).rows(), slow_stretches(frame, RULES), strict=True):
        assert row[:2] == expected[:2]
        assert row[2] == pytest.approx(expected[2])
        assert row[3:] == expected[3:]


@given(rows_of_players)
@settings(max_examples=60)
def test_stretches_of_players_apart_add_up_to_those_together(drawn: list[tuple[Any, ...]]) -> None:
    frame = readings(
        [*drawn, ("ann", 1.0, "fish", 0.9, None, "beach", None), ("bob", 1.0, "dig", 0.9, None, None, None)]
    )
    apart = [find_stretches(each, RULES) for each in frame.partition_by("player", maintain_order=True)]
    summed: Stretches = apart[0]
    for each in apart[1:]:
        summed = summed + each
    whole, parts = analyse(find_stretches(frame, RULES), GOALS, RULES), analyse(summed, GOALS, RULES)
    left, right = whole.as_object(), parts.as_object()
    assert left.pop("overview") == pytest.approx(right.pop("overview"))
    for name in left:
        assert left[name] == pytest.approx(right[name]) if name == "findings" else len(left[name]) == len(right[name])
    assert whole.places.sort("place").rows() == parts.places.sort("place").rows()


def worked_example() -> pl.DataFrame:
    """Ann fishes 90 s, catches, sells 30 s and leaves; a day later she digs 50 s and leaves, unclear for 10 s."""
    day = 86_400.0
    return pl.DataFrame(
        {
            "player": ["ann"] * 7,
            "time": [0.0, 60.0, 90.0, 120.0, day, day + 50, day + 60],
            "read": ["fish", "fish", "sell", "sell", "dig", "dig", "dig"],
            "certainty": [0.9, 0.9, 0.9, 0.9, 0.9, 0.4, 0.9],
            "achieved": [None, None, "fish", None, None, None, None],
            "area": ["beach", "beach", "market", "market", "hill", "hill", "hill"],
        }
    )


def test_time_flow_and_places_have_the_figures_worked_by_hand() -> None:
    rules = StretchRules(where="area")
    found = analyse(find_stretches(worked_example(), rules), GOALS, rules)
    assert found.overview["sessions"] == 2
    assert found.overview["unsure"] == pytest.approx(10 / 180)
    shares = dict(found.time.select("goal", "share").rows())
    assert shares == pytest.approx({"fish": 90 / 180, "sell": 30 / 180, "dig": 50 / 180})
    assert dict(found.time.select("goal", "achieved").rows()) == {"fish": 1.0, "sell": 0.0, "dig": 0.0}
    assert set(found.flow.select("source", "target", "count").rows()) == {
        ("begins to play", "fish", 1), ("begins to play", "dig", 1), ("fish", "sell", 1), ("sell", "leaves", 1),
        ("dig", "leaves", 1),
    }  # fmt: skip
    places = {row["place"]: row for row in found.places.rows(named=True)}
    assert (places["beach"]["exits"], places["market"]["exits"], places["hill"]["exits"]) == (0, 1, 1)
    assert places["hill"]["share"] == pytest.approx(60 / 180)
    assert places["hill"]["exit_ratio"] == pytest.approx(0.5 / (60 / 180))


def test_shares_by_segment_are_means_over_players() -> None:
    rows = [
        (f"p{n}", t, "fish" if t < 30 + 10 * n else "sell", 1.0, "new") for n in range(5) for t in range(0, 101, 10)
    ]
    frame = pl.DataFrame(rows, schema=["player", "time", "read", "certainty", "level"], orient="row")
    rules = StretchRules(segment="level")
    found = analyse(find_stretches(frame, rules), GOALS, rules).segments
    row = found.filter(pl.col("goal") == "fish").row(0, named=True)
    shares = [0.3, 0.4, 0.5, 0.6, 0.7]
    deviation = (sum((each - 0.5) ** 2 for each in shares) / 4) ** 0.5
    assert row["share"] == pytest.approx(0.5)
    assert row["high"] - row["share"] == pytest.approx(1.959964 * deviation / 5**0.5)


def test_sessions_to_look_at_are_the_most_surprising_and_stuck() -> None:
    rows = []
    for player, length, surprise in (("ann", 60.0, 0.0), ("bob", 60.0, 0.4), ("cat", 600.0, 0.1)):
        rows += [(player, 0.0, "dig", 1.0, surprise, None), (player, length, "dig", 1.0, surprise, None)]
    names = ["player", "time", "read", "certainty", "surprise", "achieved"]
    frame = pl.DataFrame(rows, schema=names, orient="row", schema_overrides={"achieved": pl.String})
    found = analyse(find_stretches(frame), GOALS)
    assert found.most_surprising()["player"].to_list() == ["bob", "cat"]
    assert found.most_stuck().select("player", "stuck", "stuck_in").rows() == [("cat", 10.0, "dig")]


def test_page_shows_every_goal_escapes_names_and_needs_no_network() -> None:
    frame = worked_example().with_columns(player=pl.lit("<ann> & co"))
    rules = StretchRules(where="area")
    page = goal_page(
        analyse(find_stretches(frame, rules), GOALS, rules), log="a<b.csv", model="m.yaml", player="<ann> & co"
    )
    assert "<ann>" not in page
    assert "&lt;ann&gt; &amp; co" in page
    assert all(goal in page for goal in GOALS)
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "<script" not in page


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda frame: frame.drop("read"), "'read'"),
        (lambda frame: frame.rename({"area": "region"}), "'area'"),
        (lambda frame: frame.clear(), "no readings"),
    ],
)
def test_faulty_readings_are_refused_by_name(change: Any, word: str) -> None:
    with pytest.raises(TelosError, match=word):
        analyse(find_stretches(change(worked_example()), StretchRules(where="area")), GOALS)


@pytest.mark.parametrize("faulty", [{"gap": 0.0}, {"gap": float("nan")}, {"unsure": 1.5}])
def test_rules_out_of_range_are_refused(faulty: dict[str, float]) -> None:
    with pytest.raises(TelosError, match=r"gap|unsure"):
        StretchRules(**faulty)  # type: ignore[arg-type]


def test_story_of_an_unknown_player_names_the_nearest() -> None:
    found = analyse(find_stretches(worked_example()), GOALS)
    with pytest.raises(TelosError, match="ann"):
        found.story("anne")
