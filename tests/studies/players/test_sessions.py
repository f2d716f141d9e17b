"""Sessions replay, tell their phases, and go through event logs unchanged."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from telos.core.errors import TelosError
from telos.studies.players import EXPERIMENTER, Player, Session, play, read_sessions, session_of, write_sessions
from telos.telemetry.logs import read_log
from telos.worlds.adventure.adventure import Adventure, replay
from telos.worlds.adventure.recording import Recording, read_recording, write_recording


@pytest.fixture(scope="module")
def session() -> Session:
    return play(Adventure("aiide", seed=4, player="ann"), Player(4, EXPERIMENTER), name="1")


def recorded(session: Session) -> Recording:
    assert session.recording is not None
    return session.recording


def test_a_recorded_session_replays_to_the_same_events(session: Session) -> None:
    assert tuple(replay(recorded(session))) == session.events


def test_a_recording_becomes_the_same_session_again(session: Session, tmp_path: Path) -> None:
    write_recording(recorded(session), tmp_path / "ann.jsonl")
    again = session_of(read_recording(tmp_path / "ann.jsonl"), name="1")
    assert again.human
    assert replace(again, human=False) == session


def test_phases_follow_one_another_and_hold_their_goals(session: Session) -> None:
    assert [(phase.goal, phase.round) for phase in session.phases] == [
        (goal, round_) for round_ in ("training", "test") for goal in ("level", "explore", "return")
    ]
    assert session.is_done
    assert all(phase.is_done for phase in session.phases)
    assert all(one.end == two.start for one, two in pairwise(session.phases))
    assert sum(phase.frames for phase in session.phases) == recorded(session).frames
    for phase in session.phases:
        assert set(session.truths[phase.start : phase.end]) == {phase.goal}


def test_a_session_that_is_cut_short_says_so() -> None:
    short = play(Adventure("flairs", seed=1), Player(1), max_frames=60)
    assert not short.is_done
    assert [(phase.goal, phase.frames, phase.is_done) for phase in short.phases] == [("explore", 60, False)]


def test_a_session_without_a_frame_is_empty() -> None:
    nothing = play(Adventure("flairs", seed=1), Player(1), max_frames=0)
    assert (nothing.events, nothing.player) == ((), "")


def test_in_free_play_nobody_knows_the_truth() -> None:
    free = play(Adventure("flairs", directed=False, seed=1), Player(1), max_frames=300)
    assert free.events
    assert set(free.truths) == {None}


def test_logs_keep_sessions_apart_and_lose_no_event(session: Session, tmp_path: Path) -> None:
    other = play(Adventure("flairs", seed=5, player="bob"), Player(5), max_frames=300, name="2")
    person = replace(other, human=True, name="3")
    write_sessions([session, other, person], tmp_path / "log.jsonl")
    again = read_sessions(tmp_path / "log.jsonl")
    assert [(each.player, each.name, each.human) for each in again] == [
        ("ann", "1", False), ("bob", "2", False), ("bob", "3", True),
    ]  # fmt: skip
    for mine, read in zip([session, other, person], again, strict=True):
        assert (read.events, read.truths) == (mine.events, mine.truths)


def test_recognisers_read_the_logs_of_simulated_players(session: Session, tmp_path: Path) -> None:
    write_sessions([session], tmp_path / "log.jsonl")
    rows = list(read_log(tmp_path / "log.jsonl"))
    assert tuple(row.event for row in rows) == session.events
    assert tuple(row.truth for row in rows) == session.truths
    assert {row.sequence for row in rows} == {("ann", "1")}


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "7",
        "[" * 99_999,
        "1" * 5000,
        '{"time": 1.0}',
        '{"action": "up", "time": "soon"}',
        '{"action": 3, "time": 0}',
        '{"action": "up", "time": 0, "player": ["p1"]}',
        '{"action": "up", "time": 0, "session": {}}',
        '{"action": "up", "time": 0, "truth": 3}',
        '{"action": "up", "time": 0, "human": "yes"}',
    ],
)
def test_a_bad_line_is_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f'{{"action": "up", "time": 0.5}}\n\n{line}\n', encoding="utf-8")
    with pytest.raises(TelosError, match=r"log\.jsonl:3: "):
        read_sessions(path)
