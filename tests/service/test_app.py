"""The application over HTTP and WebSocket: answers, problems, scopes, limits, streams and subscriptions."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

import telos
from telos.service import (
    CharacterRoom,
    Limits,
    ModelShelf,
    Pages,
    Service,
    ServiceError,
    SqliteStore,
    Tokens,
    create_app,
    load_tokens,
)

SOLDIER = """
domain: soldier
variables: {loaded: bool, ammo: int, target: [alive, dead]}
actions:
  attack: {preconditions: loaded and target == alive, effects: target = dead}
  reload: {preconditions: ammo >= 1, effects: [loaded = true, ammo -= 1]}
goals: {kill: {wants: target == dead, priority: 10}}
"""
WRITE, READ, ADMIN = "write-token-1234567", "read-token-12345678", "admin-token-1234567"


def service_of(
    *, tokens: Tokens | None = None, limits: Limits | None = None, store: SqliteStore | None = None
) -> Service:
    found = store or SqliteStore(None)
    shelf = ModelShelf(found)
    shelf.load("adventure")
    rooms = CharacterRoom({"soldier": telos.loads(SOLDIER)})
    return Service(shelf, found, rooms, "adventure", tokens or Tokens(), limits or Limits())


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(create_app(service_of())) as made:
        yield made


def event(time: float = 0.0, **more: Any) -> dict[str, Any]:
    return {"action": "swing", "context": {"monsters": 2, "cause": "input"}, "time": time, **more}


def problem(answer: Any, status: int, word: str) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = answer.json()
    assert found["status"] == status
    assert word in found["detail"] + found.get("remedy", ""), found
    return found


# --- players ----------------------------------------------------------------------------------------------------------


def test_events_are_answered_with_the_belief_after_each(client: TestClient) -> None:
    reader = telos.recognizer("adventure")
    expected = [dict(reader.observe(telos.Event("swing", event()["context"], time=float(t)))) for t in range(3)]
    one = client.post("/v1/players/ann/events", json=event(0)).json()
    two = client.post("/v1/players/ann/events", json=[event(1), event(2)]).json()
    assert [each["goals"] for each in one["beliefs"] + two["beliefs"]] == expected
    known = client.get("/v1/players/ann").json()
    assert (known["seq"], known["top"], known["goals"]) == (3, "level", expected[-1])
    assert known["since"] == 0.0
    assert any("swing" in line for line in known["why"])


def test_a_player_is_forgotten_on_request(client: TestClient) -> None:
    client.post("/v1/players/ann/events", json=[event(0), event(1)])
    assert client.delete("/v1/players/ann").json() == {"player": "ann", "events": 2}
    problem(client.get("/v1/players/ann"), 404, "ann")


def test_message_pack_says_the_same_as_json(client: TestClient) -> None:
    said = client.post("/v1/players/ann/events", json=event()).json()
    headers = {"content-type": "application/msgpack", "accept": "application/msgpack"}
    packed = client.post("/v1/players/bob/events", content=msgspec.msgpack.encode(event()), headers=headers)
    assert packed.headers["content-type"] == "application/msgpack"
    read = msgspec.msgpack.decode(packed.content)
    assert read["beliefs"][0]["goals"] == said["beliefs"][0]["goals"]


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        (b"{", 422, "truncated"),
        (b'"swing"', 422, "str"),
        (b'{"action": 3}', 422, "$.action"),
        (b'{"action": ""}', 422, "action"),
        (b'{"action": "swing", "goals": "x"}', 422, "goals"),
        (b'[{"action": "swing"}, {"context": {}}]', 422, "action"),
        (b'{"action": "swing", "time": 1e999}', 422, "range"),
        (b'{"action": "fly"}', 422, "fly"),
        (b'{"action": "swing", "context": {"monsters": "many"}}', 422, "monsters"),
        (b"[" * 100_000, 422, ""),
        (b"\xff\xfe", 422, ""),
        (b"", 422, ""),
        (b"[" + b",".join([b'{"action":"swing"}'] * 10_001) + b"]", 413, "10,001"),
    ],
)
def test_bad_events_are_problems_that_name_their_fault(client: TestClient, body: bytes, status: int, word: str) -> None:
    problem(client.post("/v1/players/ann/events", content=body), status, word)
    problem(client.get("/v1/players/ann"), 404, "ann")


def test_events_before_a_fault_are_kept_and_counted(client: TestClient) -> None:
    found = problem(client.post("/v1/players/ann/events", json=[event(2), event(1)]), 422, "event 1")
    assert found["accepted"] == 1
    assert len(found["beliefs"]) == 1
    assert client.get("/v1/players/ann").json()["seq"] == 1


def test_names_and_models_that_are_not_known_are_named(client: TestClient) -> None:
    problem(client.post("/v1/players/ann/events?model=adventur", json=event()), 404, "'adventure'")
    problem(client.post(f"/v1/players/{'x' * 300}/events", json=event()), 422, "player")
    problem(client.get("/v1/player"), 404, "openapi")
    problem(client.put("/v1/players/ann"), 405, "PUT")


# --- characters and models --------------------------------------------------------------------------------------------


def test_plans_and_choices_are_those_of_the_library(client: TestClient) -> None:
    plan = client.post("/v1/plan", json={"state": {"ammo": 3}, "goal": "kill"}).json()
    assert [step["action"] for step in plan["steps"]] == ["reload", "attack"]
    none = client.post("/v1/plan", json={"state": {"ammo": 0}, "goal": "kill", "domain": "soldier"}).json()
    assert not none["found"]
    assert "ammo >= 1" in " ".join(none["why"])
    asked = {
        "actions": [
            {"name": "soda", "changes": {"eat": -2, "bathroom": 2}}, {"name": "visit", "changes": {"bathroom": -4}},
        ],
        "goals": [{"name": "eat", "insistence": 4}, {"name": "bathroom", "insistence": 3}],
    }  # fmt: skip
    choice = client.post("/v1/choose", json=asked).json()
    assert (choice["action"], choice["value"]) == ("visit", 16.0)
    problem(client.post("/v1/plan", json={"goal": "kil"}), 422, "kill")
    problem(client.post("/v1/plan", json={"domain": "sodier"}), 404, "soldier")
    problem(client.post("/v1/choose", json={"actions": [{"name": "a", "price": 1}], "goals": []}), 422, "price")


def test_models_are_listed_swapped_and_refused(client: TestClient) -> None:
    client.post("/v1/players/ann/events", json=event())
    before = client.get("/v1/players/ann").json()["goals"]
    assert client.get("/v1/models").json()["models"][0] | {"goals": []} == {
        "name": "adventure", "version": 1, "goals": [], "default": True,
    }  # fmt: skip
    found = problem(
        client.put("/v1/models/adventure", content="recognizer: ffbm\ngoals: [a, b]"), 422, "adventure.yaml:"
    )
    assert "observations" in found["detail"]
    model = Path(telos.recognition.__file__).parent / "data" / "adventure.yaml"
    put = client.put("/v1/models/adventure", content=model.read_text(encoding="utf-8").replace("0.8", "0.7"))
    assert put.json()["version"] == 2
    assert client.get("/v1/players/ann").json()["goals"] == before


def test_the_service_describes_and_measures_itself(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    assert "post" in described["paths"]["/v1/players/{player}/events"]
    assert "EventMessage" in described["components"]["schemas"]
    assert "/v1/stream" in client.get("/").text
    client.post("/v1/players/ann/events", json=[event(), event()])
    figures = client.get("/metrics").text
    assert 'telos_events_total{model="adventure"} 2.0' in figures
    assert "telos_open_players 1.0" in figures
    assert client.get("/healthz").json()["status"] == "ok"


# --- access and limits ------------------------------------------------------------------------------------------------


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[TestClient]:
    file = tmp_path / "tokens"
    file.write_text(f"write {WRITE}  # a game\nread {READ}\n\nadmin {ADMIN}\n", encoding="utf-8")
    with TestClient(create_app(service_of(tokens=load_tokens(file)))) as made:
        yield made


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_tokens_allow_what_their_scopes_say(guarded: TestClient) -> None:
    path = "/v1/players/ann/events"
    problem(guarded.post(path, json=event()), 401, "Bearer")
    problem(guarded.post(path, json=event(), headers=bearer("x" * 20)), 401, "unknown")
    problem(guarded.post(path, json=event(), headers=bearer(READ)), 403, "write")
    assert guarded.post(path, json=event(), headers=bearer(WRITE)).status_code == 200
    problem(guarded.get("/v1/players/ann", headers=bearer(WRITE)), 403, "read")
    problem(guarded.delete("/v1/players/ann", headers=bearer(READ)), 403, "admin")
    assert guarded.delete("/v1/players/ann", headers=bearer(ADMIN)).status_code == 200
    assert guarded.get("/healthz").status_code == 200


def test_faulty_token_files_name_every_line(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text("write,reed abcdefghijklmnopqrst\nread short\nadmin\n", encoding="utf-8")
    with pytest.raises(telos.TelosError, match=r"(?s):1: .*'reed'.*:2: .*guess.*:3: "):
        load_tokens(file)


def test_bodies_and_rates_have_limits() -> None:
    with TestClient(create_app(service_of(limits=Limits(body_bytes=1000)))) as client:
        problem(client.post("/v1/players/ann/events", content=b" " * 1001), 413, "1,000")
    with TestClient(create_app(service_of(limits=Limits(rate=2)))) as client:
        answers = [client.get("/v1/models").status_code for _ in range(20)]
        assert answers[:4] == [200] * 4
        assert 429 in answers


def test_pages_of_other_origins_are_not_admitted() -> None:
    service = service_of()
    with TestClient(create_app(service)) as client:
        answer = client.get("/v1/models", headers={"origin": "https://elsewhere.example"})
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers
        sent = client.post("/v1/players/ann/events", json=event(0), headers={"origin": "https://elsewhere.example"})
        assert (sent.status_code, sent.json()["detail"]) == (403, "this origin is not allowed")
        assert client.get("/v1/players/ann").status_code == 404, "a page elsewhere has written nothing"
        assert client.get("/v1/models", headers={"origin": "http://testserver"}).status_code == 200
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect("/v1/stream", headers={"origin": "https://elsewhere.example"}) as socket,
        ):
            socket.receive_text()
    service = service_of()
    service.pages = Pages(("https://game.example",))
    with TestClient(create_app(service)) as client:
        answer = client.get("/v1/models", headers={"origin": "https://game.example"})
        assert answer.headers["access-control-allow-origin"] == "https://game.example"


def test_a_domain_that_was_made_to_lead_to_this_machine_is_not_admitted() -> None:
    def asked(address: str) -> Any:
        service = service_of()
        service.pages = Pages(hosts=frozenset({"localhost", "127.0.0.1", "::1"}))
        with TestClient(create_app(service), base_url=address) as client:
            return client.get("/v1/models")

    answer = asked("http://elsewhere.example:8700")
    assert (answer.status_code, answer.json()["detail"]) == (403, "this service is not at 'elsewhere.example'")
    for name in ("localhost", "127.0.0.1", "[::1]"):
        assert asked(f"http://{name}:8700").status_code == 200


def test_a_host_that_is_no_address_is_refused() -> None:
    with pytest.raises(ServiceError, match="this service is not at ''"):
        Pages(hosts=frozenset({"localhost"})).check({"host": "[x"})


# --- streams ----------------------------------------------------------------------------------------------------------


def test_a_stream_answers_in_order_with_the_numbers_of_messages(client: TestClient) -> None:
    with client.websocket_connect("/v1/stream") as socket:
        for number in range(20):
            socket.send_text(json.dumps({"seq": number, "player": "ann", "events": [event(number)]}))
        answers = [json.loads(socket.receive_text()) for _ in range(20)]
    assert [each["ack"] for each in answers] == list(range(20))
    assert [each["beliefs"][0]["seq"] for each in answers] == list(range(1, 21))
    assert client.get("/v1/players/ann").json()["goals"] == answers[-1]["beliefs"][0]["goals"]


def test_a_stream_takes_many_players_and_tells_their_problems_apart(client: TestClient) -> None:
    batch = [{"player": "ann", "events": [event(0), event(1)]}, {"player": "bob", "events": [event(5), event(1)]}]
    with client.websocket_connect("/v1/stream") as socket:
        socket.send_text(json.dumps({"seq": 7, "batch": batch, "quiet": True}))
        answer = json.loads(socket.receive_text())
        assert [(each["player"], each["seq"]) for each in answer["beliefs"]] == [("ann", 2), ("bob", 1)]
        assert answer["problems"]["bob"]["accepted"] == 1
        for faulty in ('{"seq": 1, "events": [{"action": "swing"}]}', "{", '{"seq": "x"}', '{"seq": 2, "model": "no"}'):
            socket.send_text(faulty)
            assert json.loads(socket.receive_text())["problems"][""]["status"] in (404, 422)
        socket.send_text(json.dumps({"seq": 9, "player": "ann", "events": [event(2)]}))
        assert json.loads(socket.receive_text())["ack"] == 9


def test_a_stream_of_message_pack_answers_in_it(client: TestClient) -> None:
    with client.websocket_connect("/v1/stream", subprotocols=["telos.msgpack"]) as socket:
        socket.send_bytes(msgspec.msgpack.encode({"seq": 1, "player": "ann", "events": [event()]}))
        answer = msgspec.msgpack.decode(socket.receive_bytes())
    assert (answer["ack"], answer["beliefs"][0]["top"]) == (1, "level")


def test_subscribers_hear_about_their_players_only(client: TestClient) -> None:
    with client.websocket_connect("/v1/stream") as socket:
        socket.send_text(json.dumps({"seq": 1, "subscribe": ["ann"]}))
        assert json.loads(socket.receive_text())["ack"] == 1
        client.post("/v1/players/bob/events", json=event())
        client.post("/v1/players/ann/events", json=event())
        news = json.loads(socket.receive_text())["news"]
        assert [each["player"] for each in news] == ["ann"]
        socket.send_text(json.dumps({"seq": 2, "unsubscribe": ["ann"], "subscribe": ["*"]}))
        assert json.loads(socket.receive_text())["ack"] == 2
        client.post("/v1/players/bob/events", json=event(1))
        assert [each["player"] for each in json.loads(socket.receive_text())["news"]] == ["bob"]


def test_streams_need_tokens_too(guarded: TestClient) -> None:
    with pytest.raises(WebSocketDisconnect) as caught, guarded.websocket_connect("/v1/stream") as socket:
        socket.receive_text()
    assert caught.value.code == 4401
    with guarded.websocket_connect("/v1/stream", subprotocols=["telos.json", f"telos.bearer.{WRITE}"]) as socket:
        socket.send_text(json.dumps({"seq": 1, "player": "ann", "events": [event()]}))
        assert json.loads(socket.receive_text())["ack"] == 1
        socket.send_text(json.dumps({"seq": 2, "subscribe": ["ann"]}))
        assert json.loads(socket.receive_text())["problems"][""]["status"] == 403


@pytest.mark.parametrize("place", ["/etc/hostname", "../secret.txt", "secret.txt"])
def test_a_model_that_was_sent_reads_no_file_of_this_machine(
    client: TestClient, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.txt").write_text("password(hunter2)\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    told = client.put("/v1/models/spy?file=spy.mln", content=f'#include "{place}"\ngoal(time, goal!)\n'.encode())
    problem(told, 422, "spy.mln:1:10: this text cannot include files")
    assert "hunter2" not in told.text


@pytest.mark.parametrize("file", ["%00.yaml", "..%0a", "x" * 300 + ".yaml", "%1b.yaml", "/"])
def test_odd_file_names_of_models_are_refused(client: TestClient, file: str) -> None:
    model = b"recognizer: fsm\ngoals: [a, b]\ncontext: {hit: bool}\nrules: [{if: hit, then: a}]"
    told = client.put(f"/v1/models/m?file={file}", content=model)
    problem(told, 422, "file must be 1 to 200 printable characters")
    assert client.put(f"/v1/models/{'é' * 190}", content=model).status_code == 200  # it is never the name of a file


def test_numbers_that_overflow_are_no_choice(client: TestClient) -> None:
    asked = {"actions": [{"name": "a", "changes": {"eat": 1e308}}], "goals": [{"name": "eat", "insistence": 1e308}]}
    problem(client.post("/v1/choose", json=asked), 422, "no finite number")


def test_a_goal_of_an_event_is_a_name(client: TestClient) -> None:
    told = client.post("/v1/players/ann/events", json=event(goal="x" * 300))
    problem(told, 422, "goal must be 1 to 200")
