"""The text log: lines of happenings and of minds, filters, windows, search, and export."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.tiny import ALWAYS_WEST, LINE
from telos.core.errors import TelosError
from telos.studio.event_log import DETAIL, EventLog, EventLogLine, LogFilter, LogQuery, to_json_lines, to_text
from telos.studio.recording import BandChange, TimelineEntry
from telos.studio.session import Session
from telos.studio.stage import Happening

LINES = st.lists(
    st.tuples(st.sampled_from(["Ann", "Bob", "Cal"]), st.sampled_from([*DETAIL, "mine"]), st.sampled_from("abcd")),
    max_size=60,
)
FILTERS = st.builds(
    LogFilter,
    st.frozensets(st.sampled_from(["Ann", "Bob", "Zoe"]), max_size=2),
    st.frozensets(st.sampled_from([*DETAIL, "mine"]), max_size=3),
    st.integers(1, 3),
)


def log_of(lines: list[tuple[str, str, str]]) -> EventLog:
    log = EventLog()
    for at, (who, kind, text) in enumerate(lines):
        log.add(at // 2, at / 10, who, kind, text)
    return log


def shown(log: EventLog, chosen: LogFilter) -> list[EventLogLine]:
    """Return the lines that a filter shows, by its description."""
    return [
        line
        for line in log.lines
        if (line.who in chosen.who or not chosen.who)
        and line.kind not in chosen.hidden
        and DETAIL.get(line.kind, 2) <= chosen.detail
    ]


@given(LINES, LINES, FILTERS, st.integers(0, 70), st.integers(0, 20))
def test_window_has_rows_of_filter(
    lines: list[tuple[str, str, str]], more: list[tuple[str, str, str]], chosen: LogFilter, start: int, count: int
) -> None:
    log = log_of(lines)
    log.answer(LogQuery(chosen, start=0))
    for at, (who, kind, text) in enumerate(more):  # the log grows while the same filter is asked for
        log.add(len(lines) // 2 + at, 9.0, who, kind, text)
    expected = shown(log, chosen)
    answer = log.answer(LogQuery(chosen, start=start, count=count))
    assert answer["total"] == len(expected)
    first = answer["start"]
    assert first == max(0, min(start, len(expected) - count))
    assert answer["rows"] == [line.to_row() for line in expected[first : first + count]]


@given(LINES, FILTERS, st.integers(0, 40))
def test_moment_is_last_row_up_to_its_frame(lines: list[tuple[str, str, str]], chosen: LogFilter, frame: int) -> None:
    log = log_of(lines)
    answer = log.answer(LogQuery(chosen, frame=frame, count=7))
    expected = [at for at, line in enumerate(shown(log, chosen)) if line.frame <= frame]
    assert answer["at"] == (expected[-1] if expected else -1)
    if expected:
        assert answer["start"] <= answer["at"] < answer["start"] + 7


@given(LINES, FILTERS, st.sampled_from(["a", "B", "ann", "z"]), st.integers(0, 60), st.sampled_from([1, -1]))
def test_search_goes_round_the_matches(
    lines: list[tuple[str, str, str]], chosen: LogFilter, text: str, near: int, way: int
) -> None:
    log = log_of(lines)
    answer = log.answer(LogQuery(chosen, find=text, near=near, way=way))
    rows = shown(log, chosen)
    matches = [at for at, line in enumerate(rows) if text.lower() in line.text or text.lower() in line.who.lower()]
    assert answer["matches"] == len(matches)
    if matches:
        ahead = [at for at in matches if (at > near if way > 0 else at < near)]
        expected = (ahead or matches)[0 if way > 0 else -1]
        assert answer["row"] == expected
        assert answer["found"] == rows[expected].to_row()
    else:
        assert "row" not in answer


def test_long_log_sends_only_its_window() -> None:
    log = log_of([("Ann", "event", f"walks {at}") for at in range(100_000)])
    answer = log.answer(LogQuery(frame=30_000, count=10_000, find="walks 9999", near=0))
    assert (answer["total"], answer["matches"]) == (100_000, 11)
    assert len(answer["rows"]) == 10_000  # `from_mapping` bounds what a browser may ask for
    assert LogQuery.from_mapping({"count": "99999"}).count == 200


def test_change_of_mind_has_its_cause() -> None:
    log = EventLog()
    entries = [
        TimelineEntry(0, 3, Happening(0.3, "Cal", "takes up attack", "mind", why="enemy seen")),
        TimelineEntry(1, 3, Happening(0.3, "Dee", "“Go!”", "said", why="an order")),
        TimelineEntry(2, 3, Happening(0.3, "Eve", "", "event")),
    ]
    log.add_frame(3, 0.3, entries, [BandChange("Cal", "cover", "attack"), BandChange("Dee", "", "dead")])
    assert [(line.who, line.kind, line.text, line.why) for line in log.lines] == [
        ("Dee", "said", "“Go!”", "an order"),
        ("Cal", "mind", "cover → attack (enemy seen)", "takes up attack: enemy seen"),
        ("Dee", "mind", "nothing → dead", ""),
    ]
    assert log.answer(LogQuery(line=1))["line"] == {"line": log.lines[1].to_row(), "why": log.lines[1].why, "row": 1}
    hidden = LogFilter(hidden=frozenset({"mind"}))
    assert log.answer(LogQuery(hidden, line=1))["line"]["row"] is None
    assert log.line_of(1) == 0
    assert log.line_of(2) is None


def test_session_logs_happenings_and_models() -> None:
    game = Session(LINE)
    game.hold("left")
    for _ in range(3):
        game.advance()
    game.apply("last", ALWAYS_WEST)
    told = [(line.frame, line.who, line.kind, line.text) for line in game.event_log.lines]
    assert told[:2] == [(1, "walker", "event", "goes left"), (1, "walker", "mind", "east → west")]
    assert told[-1] == (3, "last", "game", "uses another model from here on")


@pytest.mark.parametrize("wrong", [{"start": "-1"}, {"frame": "x"}, {"detail": "1e3"}, {"count": "9" * 40}])
def test_query_with_bad_number_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(TelosError, match=next(iter(wrong))):
        LogQuery.from_mapping(wrong)


def test_export_has_lines_of_filter() -> None:
    log = log_of([("Ann", "said", "go"), ("Bob", "event", "runs"), ("Ann", "plan", "walk, sit")])
    chosen = list(log.selected(LogFilter(who=frozenset({"Ann"}), detail=3)))
    assert [json.loads(line)["text"] for line in to_json_lines(chosen).splitlines()] == ["go", "walk, sit"]
    assert [line.split()[1] for line in to_text(chosen).decode().splitlines()] == ["Ann", "Ann"]
