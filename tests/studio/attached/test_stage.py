"""The studio's side: traces become pictures, minds, beliefs, squads, a log and conditions to pause on."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("msgspec", reason='the studio needs pip install "telos[studio]"')

from hypothesis import given, settings
from hypothesis import strategies as st

from telos.checks import check_stage
from telos.core.errors import DefinitionError, TelosError
from telos.studio.attached import AttachedStage, TraceRecorder, TraceSource, attached_world, load_recording
from telos.studio.attached.compare import ComparedStage, compared_world
from telos.studio.attached.drawing import Frame
from telos.studio.attached.recording import RecordedSource, format_recording, is_recording
from telos.studio.attached.source import MAX_KEPT, SourceNote, parse_address
from telos.studio.session import Session
from telos.studio.stage import Inputs
from telos.traces import GameTrace, MapTrace, decode_traces


class Told(TraceSource):
    """A game that is told by a test."""

    is_live = True

    def __init__(self, *traces: Mapping[str, Any]) -> None:
        super().__init__("farm")
        self.asked: list[bool] = []
        self.tell(*traces)

    def tell(self, *traces: Mapping[str, Any]) -> None:
        for each in traces:
            (trace,) = decode_traces(json.dumps({"game": "farm", **each}).encode())
            self.add(trace)

    def ask_pause(self, on: bool) -> None:
        self.asked.append(on)


ANN = {
    "name": "Ann", "x": 1, "y": 2, "goal": "eat", "action": "goto(inn)", "about": "baker",
    "goals": [{"name": "eat", "weight": 7, "why": "hungry"}, {"name": "sleep", "relevant": False, "why": "not tired"}],
    "plan": [{"name": "goto(inn)", "state": "now", "effects": ["at = inn"]},
             {"name": "order", "needs": [{"text": "at == inn"}], "cost": 2}],
    "facts": [{"kind": "inn", "subject": "north", "text": "open", "age": 3, "confidence": 0.5}],
    "actions": ["goto", "order", "sing"], "why": "Ann pursues eat.", "why_not": {"sing": "nobody listens"},
}  # fmt: skip


def playing(source: Told) -> Session:
    return Session(attached_world(source), 0)


def take(session: Session) -> None:
    """Take all that has come; an advance does so only as far as time allows."""
    session.advance()
    while session.stage.backlog:
        session.advance()


def labels(session: Session, kind: str = "") -> list[str]:
    return [line.text for line in session.event_log.lines if kind in ("", line.kind)]


def test_mind_has_goals_plan_memory_why_and_why_not() -> None:
    session = playing(Told({"time": 1, "minds": [ANN], "squads": [
        {"name": "red", "members": ["Ann"], "behaviour": "search", "orders": {"Ann": "search the inn"}}]}))  # fmt: skip
    take(session)
    view = session.mind("Ann")
    assert view is not None
    assert [(goal.name, goal.pursued, goal.relevant) for goal in view.goals] == [
        ("eat", True, True), ("sleep", False, False),
    ]  # fmt: skip
    assert [step.state for step in view.plan] == ["now", "next"]
    assert (view.facts[0].confidence, view.facts[0].text) == (0.5, "open")
    assert (view.about, view.orders) == ("baker, squad red", ("search the inn",))
    assert session.why_not("Ann", "eat") == "Ann pursues eat."
    assert session.why_not("Ann", "sing") == "nobody listens"
    assert session.why_not("Ann", "sleep") == "not tired"
    with pytest.raises(TelosError, match="has not told why"):
        session.why_not("Ann", "order")
    with pytest.raises(TelosError, match="no character 'Anne'"):
        session.why_not("Anne", "eat")


def test_little_is_enough_for_mind() -> None:
    session = playing(Told({"minds": [{"name": "Bob", "goal": "dig", "action": "dig(hole)"}]}))
    take(session)
    view = session.mind("Bob")
    assert view is not None
    assert view.doing == "dig(hole), for dig"
    assert [goal.name for goal in view.goals if goal.pursued] == ["dig"]
    assert [step.name for step in view.plan] == ["dig(hole)"]


def test_each_trace_is_frame_and_past_can_be_shown() -> None:
    source = Told(*({"time": at / 10, "minds": [{"name": "Ann", "x": at, "goal": "eat"}]} for at in range(5)))
    session = playing(source)
    take(session)
    assert session.last == 5  # all that has come
    take(session)
    assert session.last == 5  # and nothing has come since
    session.scrub(2)
    frame = json.loads(session.frame())
    assert frame["t"] == pytest.approx(0.1)
    source.tell({"time": 2, "minds": [{"name": "Ann", "goal": "sleep"}]})
    assert not session.follows
    session.scrub(None)
    assert session.follows
    assert not session.paused  # the game has gone on meanwhile
    take(session)
    assert session.frame_data["bands"] == {"Ann": "sleep"}


def test_log_has_categories_of_game_and_changes_of_goals() -> None:
    source = Told(
        {"time": 1, "minds": [{"name": "Ann", "goal": "eat"}]},
        {"time": 2, "minds": [{"name": "Ann", "goal": "sleep"}],
         "events": [{"text": "chooses sleep", "who": "Ann", "category": "mind", "why": "tired", "time": 1.9},
                    {"text": "a wolf howls", "category": "weather"}],
         "lines": [{"who": "Ann", "text": "Good night"}]},
    )  # fmt: skip
    session = playing(source)
    take(session)
    assert labels(session, "weather") == ["a wolf howls"]
    assert labels(session, "said") == ["Good night"]
    assert labels(session, "mind") == ["eat → sleep (tired)"]
    assert "says" in json.dumps(session.frame_data["pic"])


def test_minds_without_row_in_timeline_are_logged_too() -> None:
    names = [f"mind {at}" for at in range(60)]
    source = Told({"minds": [{"name": name, "goal": "eat"} for name in names]})
    source.tell({"minds": [{"name": names[-1], "goal": "sleep"}]})
    session = playing(source)
    take(session)
    assert len(session.frame_data["bands"]) < len(names)
    assert labels(session, "mind") == ["eat → sleep"]


def test_squads_are_told_as_they_form_and_change() -> None:
    squad = {"name": "red", "members": ["Ann", "Bob"]}
    session = playing(Told({"squads": [squad]}, {"squads": [{**squad, "behaviour": "search"}]}, {"squads": []}))
    take(session)
    assert labels(session, "squad") == ["Ann, Bob stay together", "search", "is dissolved"]


def test_beliefs_come_with_reasons_and_can_be_looked_back_at() -> None:
    def belief(rest: float, event: str, why: str) -> dict[str, Any]:
        return {"reader": "ann", "goals": {"rest": rest, "work": 1 - rest}, "event": event, "why": [why]}

    source = Told({"time": 1, "beliefs": [belief(0.5, "", "nothing yet")]})
    source.tell({"time": 2, "beliefs": [belief(0.25, "hammer", "a hammer")]}, {"time": 3, "minds": [ANN]})
    session = playing(source)
    assert session.recognizers.names == ()
    take(session)
    assert session.recognizers.names == ("ann",)  # heard of meanwhile
    assert session.recognizers.beliefs["ann"].top == "work"
    first, second = (each.number for each in session.happenings if each.happening.event is not None)
    assert [line.words for line in session.explain(first, "ann")][-1] == "nothing yet"
    assert [line.words for line in session.explain(second, "ann")][-1] == "a hammer"
    session.scrub(1)
    assert json.loads(session.frame())["beliefs"] == {"ann": {"rest": 0.5, "work": 0.5}}


# --- pausing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "condition", ["Ann.goal == sleep", "wolves >= 2", "ann.work >= 0.7", "Ann.action == goto and wolves == 2"]
)
def test_game_is_asked_to_pause_on_condition(condition: str) -> None:
    told = {"reader": "ann", "goals": {"rest": 0.5, "work": 0.5}}
    source = Told({"time": 1, "minds": [ANN], "values": {"wolves": 0}, "beliefs": [told]})
    session = playing(source)
    take(session)
    session.pause_when(condition)
    source.tell({"time": 2})
    take(session)
    assert source.asked == []
    source.tell(
        {"time": 3, "values": {"wolves": 2}, "beliefs": [{**told, "goals": {"rest": 0.2, "work": 0.8}}],
         "minds": [{"name": "Ann", "goal": "sleep" if "sleep" in condition else "eat"}]}
    )  # fmt: skip
    take(session)
    assert source.asked == [True]
    assert condition in session.stopped
    session.pause(False)
    assert source.asked == [True, False]


def test_paused_game_that_goes_on_telling_is_still_followed() -> None:
    source = Told({"time": 1, "minds": [ANN]})
    session = playing(source)
    take(session)
    session.pause(True)
    assert source.asked == [True]
    source.tell({"time": 1, "paused": True, "minds": [{"name": "Ann", "why": "more about her"}]})
    assert session.follows
    take(session)
    assert session.frame_data["hud"]["message"] == "the game stands still"
    view = session.mind("Ann")
    assert view is not None
    assert view.why == "more about her"


def test_looking_back_asks_game_for_nothing() -> None:
    source = Told({"time": 1}, {"time": 2})
    session = playing(source)
    take(session)
    session.scrub(1)
    assert session.paused
    assert source.asked == []


# --- ends and restarts ------------------------------------------------------------------------------------------------


def test_game_that_ends_and_starts_again_is_shown_as_such() -> None:
    source = Told({"run": "one", "time": 50, "minds": [ANN]}, {"run": "one", "time": 51, "end": True})
    source.add(SourceNote("farm does not answer any more"))
    source.tell({"run": "two", "time": 0, "minds": [{"name": "Bob"}]}, {"run": "two", "time": 5})
    session = playing(source)
    take(session)
    assert labels(session, "game")[-3:] == [
        "farm has ended", "farm does not answer any more", "farm has started again",
    ]  # fmt: skip
    assert session.stage.characters() == ("Bob",)
    assert session.stage.time == 56.0  # the timeline goes on
    assert session.frame_data["hud"]["clock"] == "0:05.0"  # the game's own clock has begun anew


def test_page_that_comes_late_has_whole_timeline() -> None:
    source = Told(*({"time": at, "minds": [{"name": "Ann", "x": at}]} for at in range(20)))
    first = playing(source)
    take(first)
    late = playing(source)
    while late.last < first.last:
        late.advance()
    assert late.frame_data["pic"] == first.frame_data["pic"]


def test_oldest_traces_of_long_game_are_added_up() -> None:
    source = Told({"time": 0, "minds": [ANN], "values": {"wolves": 3}})
    for at in range(MAX_KEPT + 10):
        source.add(GameTrace("farm", time=float(at)))
    assert source.dropped == MAX_KEPT // 2
    stage = AttachedStage(source)
    assert stage.state.minds["Ann"].goal == "eat"
    assert stage.facts()["wolves"] == 3.0
    assert stage.backlog == source.count - source.dropped


# --- pictures ---------------------------------------------------------------------------------------------------------


SHAPES = [
    {"kind": "path", "points": [[0, 0], [3, 1]]}, {"kind": "line", "points": [[0, 0], [1, 1]]},
    {"kind": "circle", "x": 1, "y": 1}, {"kind": "rect", "x": 1, "y": 1, "colour": "gold"},
    {"kind": "text", "text": "here"}, {"kind": "sight", "x": 1, "y": 1, "angle": 1, "radius": 3},
    {"kind": "score", "x": 2, "y": 2, "value": 0.7}, {"kind": "score", "value": 0.2, "colour": "no such colour"},
]  # fmt: skip


def test_stage_keeps_promises_of_stages() -> None:
    traces = [{"time": at / 10, "minds": [{**ANN, "x": at, "angle": at}], "channels": {"paths": SHAPES}}
              for at in range(40)]  # fmt: skip
    check_stage(attached_world(Told({"map": {"rows": ["..~#", "bt=."], "legend": {"b": "bakery"}}}, *traces)))
    check_stage(attached_world(Told(*traces)))
    check_stage(attached_world(Told({"minds": [{"name": f"mind {at}"} for at in range(30)]})))  # without places


def test_map_of_other_size_changes_picture() -> None:
    source = Told({"map": {"width": 10, "height": 10}})
    session = playing(source)
    take(session)
    key, size = session.frame_data["key"], session.stage.size
    source.tell({"map": {"width": 20, "height": 10}})
    take(session)
    assert session.frame_data["key"] != key
    assert session.stage.size != size


@given(st.lists(st.tuples(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4)), max_size=6))
def test_frame_without_map_holds_all_points(points: list[tuple[float, float]]) -> None:
    frame = Frame.around(points)
    width, height = frame.size
    for x, y in points:
        left, top = frame.point(x, y)
        assert -1e-6 <= left <= width
        assert -1e-6 <= top <= height


def test_frame_of_map_fits_picture() -> None:
    frame = Frame.of_map(MapTrace(width=100, height=4))
    assert frame.point(100, 4)[0] == pytest.approx(frame.size[0])
    assert frame.point(100, 4)[1] <= frame.size[1]


# --- recordings -------------------------------------------------------------------------------------------------------


def recorded(*traces: Mapping[str, Any]) -> RecordedSource:
    return RecordedSource("farm", Told(*traces).traces())


def test_recording_is_played_as_it_was_seen(tmp_path: Path) -> None:
    source = Told({"run": "one", "time": 1, "minds": [ANN]}, {"run": "one", "time": 2, "values": {"wolves": 2}})
    recorder = TraceRecorder(tmp_path / "game.jsonl")
    for trace in source.traces():
        recorder.write(trace)
    assert not (tmp_path / "game.jsonl").exists()  # not before it is whole
    assert recorder.close() == 2
    assert is_recording(tmp_path / "game.jsonl")
    read = load_recording(tmp_path / "game.jsonl")
    assert read.traces() == source.traces()
    session = Session(attached_world(read, steps=read.count, rate=read.rate), 0)
    live = playing(source)
    take(live)
    while session.is_scripted:
        session.advance()
    assert session.frame_data["pic"] == live.frame_data["pic"]
    assert session.paused
    assert session.stopped == "the recording ends here"


def test_recording_is_that_of_page(tmp_path: Path) -> None:
    session = playing(Told({"time": 1, "minds": [ANN]}))
    take(session)
    found = session.stage.recording()
    assert found is not None
    (tmp_path / found[0]).write_bytes(found[1])
    assert load_recording(tmp_path / found[0]).count == 1


def damaged() -> dict[str, tuple[bytes, str, int]]:
    whole = format_recording(Told({"time": 1, "minds": [ANN]}, {"time": 2}).traces())
    lines = whole.splitlines(keepends=True)
    return {
        "cut": (b"".join(lines[:2]), "cut short", 2),
        "cut in a line": (b"".join(lines)[: -len(lines[-1]) - 5], "truncated", 3),
        "one lost": (b"".join([lines[0], lines[1], lines[3]]), "cut short", 3),
        "more after the end": (whole + lines[1], "after the end", 5),
        "another kind": (b'{"recording": "telos studio game", "version": 1, "game": "x"}\n', "not 'telos traces'", 1),
        "later version": (whole.replace(b'"version":1', b'"version":2'), "version 2", 1),
        "no header": (lines[1], "not the header", 1),
        "empty": (b"", "not the header", 1),
        "binary": (b"\x00\xff" * 40, "not the header", 1),
        "faulty trace": (whole.replace(b'"goal":"eat"', b'"goal":[1]'), "$.minds[0].goal", 2),
    }


@pytest.mark.parametrize(("data", "words", "line"), damaged().values(), ids=damaged())
def test_damaged_recording_is_refused_in_one_line(tmp_path: Path, data: bytes, words: str, line: int) -> None:
    file = tmp_path / "game.jsonl"
    file.write_bytes(data)
    with pytest.raises(DefinitionError) as raised:
        load_recording(file)
    (fault,) = raised.value.faults
    assert words in fault.message
    assert (fault.file, fault.line) == (str(file), line)
    assert fault.suggestion


@settings(max_examples=40)
@given(cut=st.integers(0, 10_000))
def test_recording_cut_anywhere_is_refused(cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    whole = format_recording(Told({"time": 1, "minds": [ANN]}, {"time": 2}).traces())
    file = tmp_path_factory.getbasetemp() / "cut.jsonl"
    file.write_bytes(whole[: cut % (len(whole) - 1)])
    with pytest.raises(DefinitionError):
        load_recording(file)


# --- two recordings ---------------------------------------------------------------------------------------------------


def test_two_recordings_go_on_together_and_tell_where_they_part() -> None:
    one = recorded(*({"time": 10 + at / 10, "minds": [{"name": "Ann", "goal": "eat", "x": 1, "y": 1}]}
                     for at in range(20)))  # fmt: skip
    other = recorded(*({"time": at / 5, "minds": [{"name": "Ann", "goal": "eat" if at < 5 else "sleep"}]}
                       for at in range(10)))  # fmt: skip
    world = compared_world(one, other)
    session = Session(world, 0)
    while session.is_scripted:
        session.advance()
    assert labels(session, "differs") == ["A: eat, B: sleep"]
    (line,) = (line for line in session.event_log.lines if line.kind == "differs")
    assert line.time == pytest.approx(1.0)  # after the start of each
    assert session.frame_data["bands"] == {"A.Ann": "eat", "B.Ann": "sleep"}
    assert session.minds() == ("A.Ann", "B.Ann")
    view = session.mind("B.Ann")
    assert view is not None
    assert view.who == "B.Ann"
    assert session.mind("C.Ann") is None
    with pytest.raises(TelosError, match="no character"):
        session.why_not("Ann", "eat")


def test_beliefs_of_two_recordings_stand_side_by_side() -> None:
    def belief(rest: float) -> dict[str, Any]:
        return {"time": rest * 10, "beliefs": [{"reader": "ann", "goals": {"rest": rest, "work": 1 - rest}}]}

    session = Session(compared_world(recorded(belief(0.0), belief(0.25)), recorded(belief(0.1), belief(1.0))), 0)
    while session.is_scripted:
        session.advance()
    assert session.recognizers.names == ("A.ann", "B.ann")
    assert {name: belief["rest"] for name, belief in session.recognizers.beliefs.items()} == {
        "A.ann": 0.25,
        "B.ann": 1.0,
    }
    first = session.recognizers.rerun("B.ann")[1]
    assert {round(belief["rest"], 2) for belief in first} == {0.1, 1.0}


def test_comparison_keeps_promises_of_stages() -> None:
    one = recorded({"time": 0, "minds": [ANN], "map": {"rows": ["....", "...."]}, "channels": {"paths": SHAPES}})
    other = recorded({"time": 0, "minds": [ANN, {"name": "Bob"}]}, {"time": 3, "gone": ["Ann"]})
    check_stage(compared_world(one, other))
    stage = ComparedStage(one, other)
    for _ in range(40):
        stage.step(Inputs())
    assert list(stage.characters()) == ["A.Ann", "B.Bob"]
    assert stage.facts()["differ"] == 0


# --- addresses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("8710", "127.0.0.1:8710"),
        ("localhost:9000", "localhost:9000"),
        ("http://127.0.0.1:8700/village", "127.0.0.1:8700/village"),
        ("http://127.0.0.1", "127.0.0.1:8710"),
    ],
)
def test_addresses_are_parsed(text: str, found: str) -> None:
    assert str(parse_address(text)) == found


@pytest.mark.parametrize(
    "text", ["", "ftp://x", "http://", "localhost:99999", "http://a:b:c", "127.0.0.1:8710?token=x"]
)
def test_faulty_addresses_are_refused(text: str) -> None:
    with pytest.raises(TelosError) as raised:
        parse_address(text)
    assert raised.value.remedy
