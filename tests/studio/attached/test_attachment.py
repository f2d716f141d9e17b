"""The game's side: one line attaches it, nobody looking on changes nothing, and no studio can hold it up."""

import os
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

import telos
from studio.attached.games import Baker, ask, reader, shop, until
from telos.agents import WorkingMemory
from telos.core.errors import TelosError
from telos.squads import Coordinator
from telos.studio.attached import Attachment
from telos.studio.attached import outlet as outlet_module
from telos.studio.attached.observing import CrowdReader, describe_record, find_place
from telos.studio.attached.outlet import find_token, token_folder
from telos.traces import TraceState, decode_traces


class Looker:
    """A studio without a page: it asks for traces, and adds them up."""

    def __init__(self, attached: Attachment) -> None:
        self.attached, self.state, self.traces = attached, TraceState(), list[Any]()
        self.seq: int | None = None

    def look(self, who: str = "") -> dict[str, Any]:
        after = "" if self.seq is None else f"&after={self.seq}"
        batch: dict[str, Any] = ask(self.attached, f"/v1/traces/game?wait=0&looks={who}{after}")
        self.seq = batch["seq"]
        for data in batch["traces"]:
            (trace,) = decode_traces(telos_json(data))
            self.state.merge(trace)
            self.traces.append(trace)
        return batch


def telos_json(data: object) -> bytes:
    import json

    return json.dumps(data).encode()


@pytest.fixture
def crowd() -> telos.Crowd:
    return shop()


@pytest.fixture
def attached(crowd: telos.Crowd) -> Iterator[Attachment]:
    with telos.studio.attach(crowd, quiet=True) as found:
        yield found


def tick(crowd: telos.Crowd, times: int = 12, *, begin: float = 0.0) -> None:
    """Run frames for long enough that at least one trace is due."""
    for number in range(times):
        crowd.tick(begin + number * 0.5)
        time.sleep(0.02)


def test_studio_is_reached_after_import_of_telos() -> None:
    code = (
        "import sys, telos; assert 'telos.studio' not in sys.modules; telos.studio.attach; "
        "print(sorted({'nicegui', 'msgspec', 'orjson', 'fastapi', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"  # a game needs nothing that the studio needs


def test_nothing_is_noted_while_nobody_looks_on(crowd: telos.Crowd, attached: Attachment) -> None:
    attached.log("a wolf")
    attached.say("Ann", "Hello!")
    tick(crowd)
    assert ask(attached, "/v1/traces")["games"][0]["seq"] == 0
    assert crowd["Ann"].mind.observer is None


def test_minds_are_seen_with_goals_plan_memory_and_reasons(crowd: telos.Crowd, attached: Attachment) -> None:
    looker = Looker(attached)
    looker.look()
    tick(crowd)
    looker.look()
    ann, bob = looker.state.minds["Ann"], looker.state.minds["Bob"]
    assert (ann.goal, ann.action, ann.x, ann.y, bob.x) == ("stock", "bake", 0.0, 2.0, 1.0)
    assert {goal.name: goal.pursued for goal in ann.goals} == {"stock": True, "fed": False}
    assert {step.name for step in ann.plan} == {"bake"}
    assert any("bread" in fact.text for fact in ann.facts)
    assert ann.why.startswith("Ann pursues stock")
    assert "hungry" in ann.why_not["fed"]
    assert ann.why_not["eat"].startswith("eat: ")
    chosen = [event for trace in looker.traces for event in trace.events if event.category == "mind"]
    assert {event.text for event in chosen} <= {"chooses stock"}


def test_decisions_are_entries_of_log_with_their_reasons(crowd: telos.Crowd, attached: Attachment) -> None:
    looker = Looker(attached)
    looker.look()
    tick(crowd, 6)
    crowd["Ann"].body.hungry = True
    crowd["Ann"].body.bread = 1
    tick(crowd, 12, begin=3.0)
    looker.look()
    events = [event for trace in looker.traces for event in trace.events if event.who == "Ann"]
    assert ("mind", "chooses fed") in {(event.category, event.text) for event in events}
    chose = next(event for event in events if event.text == "chooses fed")
    assert "hungry" in chose.why
    assert chose.time is not None


def test_game_tells_log_lines_shapes_values_and_squads(crowd: telos.Crowd, attached: Attachment) -> None:
    attached.draw("paths", [{"kind": "path", "points": [[0, 0], [1, 1]]}])  # before anybody looks on
    looker = Looker(attached)
    looker.look()
    tick(crowd, 3)
    attached.log("the oven is hot", who="oven", category="heat", why="somebody bakes")
    attached.say("Ann", "Bread!")
    attached.draw("paths", [{"kind": "path", "points": [[0, 0], [2, 2]]}])
    attached.set_values(heat=230, door="open")
    attached.set_squads([{"name": "bakers", "members": ["Ann", "Bob"], "behaviour": "bake"}])
    tick(crowd, begin=2.0)
    looker.look()
    events = [event for trace in looker.traces for event in trace.events]
    assert [(event.who, event.why) for event in events if event.category == "heat"] == [("oven", "somebody bakes")]
    assert [line.text for trace in looker.traces for line in trace.lines] == ["Bread!"]
    assert looker.state.channels["paths"][0].points[-1] == (2.0, 2.0)
    assert looker.state.values == {"heat": 230.0, "door": "open"}
    assert looker.state.squads[0].members == ["Ann", "Bob"]


def test_map_of_rows_comes_first(crowd: telos.Crowd) -> None:
    with telos.studio.attach(crowd, map="..~\n.t~", quiet=True) as attached:
        looker = Looker(attached)
        looker.look()
        tick(crowd)
        looker.look()
    assert looker.state.map is not None
    assert (looker.state.map.rows, looker.state.map.size) == (["..~", ".t~"], (3.0, 2.0))


def test_members_come_and_go(crowd: telos.Crowd, attached: Attachment) -> None:
    looker = Looker(attached)
    looker.look()
    tick(crowd)
    crowd.remove("Bob")
    crowd.add("Cid", Baker((5, 5)))
    tick(crowd, begin=10.0)
    looker.look()
    assert set(looker.state.minds) == {"Ann", "Cid"}


def test_second_studio_gets_everything(crowd: telos.Crowd, attached: Attachment) -> None:
    Looker(attached).look()
    tick(crowd)
    late = Looker(attached)
    late.look()
    tick(crowd, begin=8.0)
    late.look()
    assert late.state.minds["Bob"].goal == (crowd["Bob"].goal or "")
    assert late.state.minds["Bob"].goals


# --- pausing ----------------------------------------------------------------------------------------------------------


def test_tick_honours_pause_and_resume(crowd: telos.Crowd, attached: Attachment) -> None:
    looker = Looker(attached)
    looker.look()
    tick(crowd)
    ask(attached, "/v1/traces/game/pause", {"paused": True})
    bread = crowd["Ann"].body.bread
    assert attached.paused
    tick(crowd, 40, begin=50.0)
    assert crowd["Ann"].body.bread == bread
    looker.look()
    assert looker.state.is_paused
    ask(attached, "/v1/traces/game/pause", {"paused": False})
    tick(crowd, 40, begin=50.0)
    assert crowd["Ann"].body.bread > bread
    looker.look()
    assert not looker.state.is_paused


def test_wait_returns_when_studio_is_gone(
    crowd: telos.Crowd, attached: Attachment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlet_module, "LOOKING_SECONDS", 0.3)
    Looker(attached).look()
    ask(attached, "/v1/traces/game/pause", {"paused": True})
    assert attached.paused
    attached.wait()  # the studio asks for nothing any more: it has died
    assert not attached.paused
    tick(crowd, 10)
    assert not attached.is_watched
    assert crowd["Ann"].mind.observer is None  # and nothing is noted any more


# --- studios that are slow, hang, or are no studios -------------------------------------------------------------------


def test_studio_that_hangs_never_blocks_game(crowd: telos.Crowd, attached: Attachment) -> None:
    port = int(attached.address.rpartition(":")[2])
    request = f"GET /v1/traces/game?wait=5 HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {find_token(port)}\r\n"
    hung = []
    for ending in (b"", b"\r\n", b"\r\n"):  # one stops in the middle of its request, others never read
        hung.append(socket.create_connection(("127.0.0.1", port), timeout=10))
        hung[-1].sendall(request.encode() + ending)
    until(lambda: attached.is_watched)
    for number in range(300):  # would never return if the game waited for anybody
        crowd.tick(number * 0.1)
    for each in hung:
        each.close()


def test_studio_that_is_late_is_told_what_it_missed(crowd: telos.Crowd, attached: Attachment) -> None:
    looker = Looker(attached)
    looker.look()
    for number in range(700):
        attached._outlet.put({"game": "game", "time": float(number)})
    batch = looker.look()
    assert (batch["lost"], len(batch["traces"]), batch["seq"]) == (100, 600, 700)


def test_only_token_of_user_admits(attached: Attachment) -> None:
    for path, body in (
        ("/v1/traces", None),
        ("/v1/traces/game?wait=0", None),
        ("/v1/traces/game/pause", {"paused": True}),
    ):
        assert ask(attached, path, body, token="0123456789abcdef")["status"] == 401
    assert not attached.paused
    assert not attached.is_watched


@pytest.mark.skipif(os.name != "posix", reason="permissions of files are those of POSIX")
def test_token_is_in_private_file_that_goes_with_game(crowd: telos.Crowd) -> None:
    attached = telos.studio.attach(crowd, quiet=True)
    file = token_folder() / attached.address.rpartition(":")[2]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    attached.close()
    assert not file.exists()


def test_pages_of_other_sites_are_refused(attached: Attachment) -> None:
    port = int(attached.address.rpartition(":")[2])
    for header in ("host: evil.example", "host: localhost\r\norigin: http://evil.example"):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            client.sendall(
                f"GET /v1/traces HTTP/1.1\r\n{header}\r\nauthorization: Bearer {find_token(port)}\r\n\r\n".encode()
            )
            assert b" 403 " in client.recv(200)


def test_odd_requests_are_problem_documents(attached: Attachment) -> None:
    assert ask(attached, "/v1/else")["type"] == "telos:not-found"
    assert ask(attached, "/v1/traces/game/pause", {"paused": 1})["type"] == "telos:invalid"
    assert ask(attached, "/v1/traces/game/pause", {"paused": "x" * 2_000})["type"] == "telos:too-large"


# --- readers, squads, faults ------------------------------------------------------------------------------------------


def test_reader_tells_belief_after_each_event_with_reasons() -> None:
    found = reader()
    with telos.studio.attach(found, quiet=True) as attached:
        looker = Looker(attached)
        looker.look()
        attached.look(0.0)
        found.observe(telos.Event("work", {"hammered": True, "slept": False}, player="you", time=3.0))
        time.sleep(0.12)
        attached.look(3.0)
        looker.look()
    told = [belief for trace in looker.traces for belief in trace.beliefs]
    assert [(each.player, each.event, max(each.goals, key=each.goals.__getitem__)) for each in told] == [
        ("", "", "rest"), ("you", "work", "work"),
    ]  # fmt: skip
    assert "observe" not in vars(found)  # as it was


def test_several_parts_are_attached_by_name(crowd: telos.Crowd) -> None:
    parts = {"village": crowd, "ann": reader(), "red": Coordinator("red")}
    with telos.studio.attach(parts, quiet=True) as attached:
        looker = Looker(attached)
        looker.look()
        tick(crowd)
        looker.look()
    assert set(looker.state.beliefs) == {"ann"}
    assert set(looker.state.minds) == {"Ann", "Bob"}


def test_squads_of_coordinator_are_told_with_orders() -> None:
    @dataclass
    class Guard:
        name: str
        position: tuple[float, float]
        side: str = "red"
        rank: int = 1
        alive: bool = True
        room: str = "yard"
        memory: WorkingMemory = field(default_factory=WorkingMemory)

    guards = [Guard("Ann", (0.0, 0.0)), Guard("Bob", (1.0, 0.0))]
    red = Coordinator("red")
    with telos.studio.attach({"red": red}, quiet=True) as attached:
        looker = Looker(attached)
        looker.look()
        red.tick(guards, 0.0)
        attached.look(0.0)
        looker.look()
        (squad,) = looker.state.squads
        assert sorted(squad.members) == ["Ann", "Bob"]
        guards[0].alive = guards[1].alive = False
        red.tick(guards, 5.0)
        time.sleep(0.12)
        attached.look(5.0)
        looker.look()
    assert looker.state.squads == []


@pytest.mark.parametrize(
    ("part", "options", "words"),
    [
        pytest.param(object(), {}, "cannot be attached", id="no-game"),
        (Baker, {}, "cannot be attached"),
        ({}, {}, "nothing to attach"),
        (None, {"name": "a/b"}, "not a name"),
        (None, {"name": ""}, "not a name"),
        (None, {"token": "short"}, "can be guessed"),
        (None, {"port": 70_000}, "a port is from 0"),
    ],
    ids=str,
)
def test_faults_name_value_and_remedy(part: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(TelosError, match=words) as raised:
        telos.studio.attach(shop() if part is None else part, quiet=True, **options)
    assert raised.value.remedy


def test_function_of_game_that_raises_does_not_stop_game(crowd: telos.Crowd) -> None:
    with telos.studio.attach(crowd, where=lambda body: body.cell, quiet=True) as attached:
        looker = Looker(attached)
        looker.look()
        crowd["Ann"].mind.character = None  # type: ignore[assignment]  # its view cannot be made any more
        for number in range(12):
            attached.end_frame(float(number))
            time.sleep(0.02)
        looker.look()
    assert "AttributeError" in looker.state.minds["Ann"].why
    assert looker.state.minds["Bob"].goals


def test_crowd_is_attached_once(crowd: telos.Crowd, attached: Attachment) -> None:
    with pytest.raises(TelosError, match="attached already"):
        telos.studio.attach(crowd, quiet=True)


def test_numbers_that_are_not_finite_are_left_open(crowd: telos.Crowd, attached: Attachment) -> None:
    looker = Looker(attached)
    looker.look()
    attached.set_values(heat=float("nan"), wolves=2)
    tick(crowd)
    batch = ask(attached, "/v1/traces/game?wait=0&after=0")
    assert {"heat": None, "wolves": 2} in [trace.get("values") for trace in batch["traces"]]


def test_end_of_game_is_told(crowd: telos.Crowd) -> None:
    attached = telos.studio.attach(crowd, quiet=True)
    looker = Looker(attached)
    looker.look()
    tick(crowd, 3)
    outlet = attached._outlet
    attached.close()
    assert outlet.answer(0, 0.0, "")["traces"][-1]["end"]
    assert crowd.observer is None


def test_place_is_found_or_nothing() -> None:
    class Point:
        x, y = 3, 4.5

    class Strange:
        position = ("a", 1)
        cell = (float("nan"), 1)

    assert find_place(Point()) == (3, 4.5)
    assert find_place(Strange()) is None


def test_records_that_are_no_decisions_are_left_out() -> None:
    assert describe_record(object()) is None


def test_every_mind_is_viewed_in_its_turn_however_small_the_budget() -> None:
    names = [f"mind {number}" for number in range(20)]
    reader = CrowdReader(crowd := shop(*names))
    crowd.tick(0.0)
    viewed = [
        mind["name"]
        for _ in range(20)
        for mind in reader.minds(0.0, seconds=1e-9, looks_at="")
        if "goals" in mind  # the others have only their place and goal
    ]
    assert sorted(viewed) == sorted(names)


def test_mind_with_another_plan_comes_before_others() -> None:
    names = [f"mind {number}" for number in range(6)]
    reader = CrowdReader(crowd := shop(*names))
    crowd.tick(0.0)
    for _ in names:
        reader.minds(0.0, seconds=1e-9, looks_at="")
    crowd["mind 4"].mind.execution = None
    (mind,) = reader.minds(0.0, seconds=1e-9, looks_at="")
    assert (mind["name"], mind["goal"], "goals" in mind) == ("mind 4", "", True)
