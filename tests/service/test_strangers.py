"""What strangers send: malformed messages, odd names, wrong numbers; each is answered, and harms nothing beside it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

import msgspec
import pytest
from starlette.testclient import TestClient

from service.processes import running
from service.test_app import event, problem, service_of
from service.test_stream import say
from telos.service import create_app


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(create_app(service_of())) as made:
        yield made


MALFORMED: list[Any] = [
    {"action": ""},
    {"action": "swing", "context": {"map": {}}, "id": "b"},
    7,
    {"action": "swing", "tim": 1},
]


def test_malformed_events_of_a_stream_that_skips_harm_no_others(client: TestClient) -> None:
    events = [event(0, id="a"), *MALFORMED, {**event(1, id="c"), "action": "fly"}, event(2, id="d")]
    with client.websocket_connect("/v1/stream") as socket:
        answer = say(socket, seq=41, player="ann", events=events, skip=True, quiet=True)
        places = {each["place"]: each.get("id") for each in answer["refused"]}
        assert (answer["ack"], places) == (41, {1: None, 2: "b", 3: None, 4: None, 5: "c"})
        assert [each["seq"] for each in answer["beliefs"]] == [2]
        batch = [{"player": "bob", "events": [7, event(0)]}, {"player": "cid", "events": [event(0), event(1), {}]}]
        answer = say(socket, seq=42, batch=batch, skip=True, quiet=True)
        assert [(each["player"], each["place"]) for each in answer["refused"]] == [("bob", 0), ("cid", 2)]
        assert [(each["player"], each["seq"]) for each in answer["beliefs"]] == [("bob", 1), ("cid", 2)]


def test_malformed_events_in_message_pack_are_left_out_too(client: TestClient) -> None:
    with client.websocket_connect("/v1/stream", subprotocols=["telos.msgpack"]) as socket:
        message = {"seq": 5, "player": "ann", "events": [event(0), *MALFORMED, event(1)], "skip": True, "quiet": True}
        socket.send_bytes(msgspec.msgpack.encode(message))
        answer = msgspec.msgpack.decode(socket.receive_bytes())
    assert ([each["place"] for each in answer["refused"]], answer["beliefs"][0]["seq"]) == ([1, 2, 3, 4], 2)


def test_malformed_events_of_other_streams_refuse_the_message_by_its_number(client: TestClient) -> None:
    with client.websocket_connect("/v1/stream") as socket:
        for number, faulty in enumerate(MALFORMED, start=1):
            answer = say(socket, seq=number, player="ann", events=[event(0), faulty])
            assert answer["ack"] == number
            assert "$.events[1]" in answer["problems"][""]["detail"]
        assert say(socket, seq=8, player=3)["ack"] == 8
    problem(client.get("/v1/players/ann"), 404, "ann")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"seq": 1.5}', '"x"', "[" * 100_000, "\N{SNOWMAN}", '{"seq": 1}}']
)
def test_what_is_no_message_is_answered_and_the_stream_goes_on(client: TestClient, text: str) -> None:
    with client.websocket_connect("/v1/stream") as socket:
        socket.send_text(text)
        assert json.loads(socket.receive_text())["problems"][""]["status"] == 422
        assert say(socket, seq=2, player="ann", events=[event()])["beliefs"][0]["seq"] == 1


ODD_NAMES = ["a/b", "a/events", "a%2Fb", "a?b", "a#b", "\u00e4\u0308 \u96ea", "\U0001f469\u200d\U0001f680"]
ODD_NAMES += ["\u0645\u06cc\u200c\u062e", "'; --"]


@pytest.mark.parametrize("name", ["", " ", "*", ".", "..", "a\0b", "\u202eann", "\u200d", "x" * 201])
def test_names_that_nobody_could_show_or_ask_for_are_refused(client: TestClient, name: str) -> None:
    with client.websocket_connect("/v1/stream") as socket:
        answer = say(socket, seq=1, player=name, events=[event()])
        assert answer["problems"][name]["status"] == 422


def test_players_with_odd_names_can_be_asked_for_and_forgotten(tmp_path: Path) -> None:
    with running("--model", "adventure", errors=tmp_path / "errors") as service:

        def ask(path: str, method: str = "GET", body: Any = None) -> Any:
            data = None if body is None else json.dumps(body).encode()
            with urlopen(Request(f"{service.address}/v1/players/{path}", data, method=method), timeout=20) as answer:
                return json.load(answer)

        for name in ODD_NAMES:
            path = quote(name, safe="")
            assert ask(f"{path}/events", "POST", event())["beliefs"][0]["seq"] == 1
            assert ask(path)["player"] == name
        for name in ODD_NAMES:
            assert ask(quote(name, safe=""), "DELETE") == {"player": name, "events": 1}


def test_problems_do_not_repeat_all_that_was_sent(client: TestClient) -> None:
    long = {"action": "swing", "k" * 1_000_000: 1}
    answer = client.post("/v1/players/ann/events", json=long)
    assert "kkk" in problem(answer, 422, "kkk")["detail"]
    assert len(answer.content) < 20_000
    problem(client.post("/v1/players/ann/events", json=event(goal="x" * 300)), 422, "goal")


def test_two_senders_of_one_player_are_read_in_the_order_of_arrival(client: TestClient) -> None:
    with client.websocket_connect("/v1/stream") as one, client.websocket_connect("/v1/stream") as two:
        assert say(one, seq=1, player="ann", events=[event(0, id="a"), event(5, id="b")])["beliefs"][-1]["seq"] == 2
        late = say(two, seq=1, player="ann", events=[event(3, id="c"), event(5, id="b"), event(6, id="d")], skip=True)
        assert "backwards" in late["refused"][0]["problem"]["detail"]
        assert [(each["seq"], each.get("repeated", False)) for each in late["beliefs"]] == [(2, True), (3, False)]
        assert say(one, seq=2, player="ann", events=[{"action": "swing"}])["beliefs"][0]["time"] == 6.0


def test_a_batch_of_the_largest_size_is_taken_and_a_larger_one_refused(client: TestClient) -> None:
    events = [event(float(number)) for number in range(10_000)]
    with client.websocket_connect("/v1/stream") as socket:
        assert say(socket, seq=1, player="ann", events=events, quiet=True)["beliefs"][0]["seq"] == 10_000
        answer = say(socket, seq=2, batch=[{"player": "bob", "events": events}, {"player": "cid", "events": [event()]}])
        assert "10,001" in answer["problems"][""]["detail"]


def test_parts_without_events_open_no_player_and_are_counted(client: TestClient) -> None:
    def parts(count: int) -> list[dict[str, Any]]:
        return [{"player": f"p{number}", "events": []} for number in range(count)]

    with client.websocket_connect("/v1/stream") as socket:
        assert say(socket, seq=1, batch=parts(1000), quiet=True) == {"ack": 1}
        assert "10,001" in say(socket, seq=2, batch=parts(10_001))["problems"][""]["detail"]
    assert client.post("/v1/players/ann/events", json=[]).json() == {"beliefs": []}
    assert "telos_open_players 0.0" in client.get("/metrics").text


def test_questions_that_would_take_minutes_are_refused(client: TestClient) -> None:
    problem(client.post("/v1/plan", json={"goal": ["kill"] * 101}), 413, "101")
    asked = {"actions": [{"name": f"a{i}"} for i in range(1001)], "goals": [{"name": f"g{i}"} for i in range(100)]}
    problem(client.post("/v1/choose", json=asked), 413, "1,001")
    problem(
        client.post("/v1/choose", json={"actions": [{"name": "a"}] * 10_001, "goals": [{"name": "g"}]}), 413, "10,001"
    )


@pytest.mark.parametrize("file", ["..", "a%00.yaml", "y" * 5000 + ".yaml", "%E9%9B%AA" * 100 + ".yaml", "/"])
def test_models_with_impossible_file_names_are_problems(client: TestClient, file: str) -> None:
    problem(client.put(f"/v1/models/x?file={file}", content=b"recognizer: fsm"), 422, "")
