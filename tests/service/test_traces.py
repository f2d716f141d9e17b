"""Traces: what games send to the service, and what studios read; malformed ones are refused with their place."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("msgspec", reason='the service needs pip install "telos[service]"')
pytest.importorskip("starlette", reason='the service needs pip install "telos[service]"')

import msgspec
from starlette.testclient import TestClient

from telos.core.errors import TelosError
from telos.service import CharacterRoom, ModelShelf, Service, SqliteStore, Tokens, TraceBoard, create_app, load_tokens
from telos.service.messages import MSGPACK
from telos.service.traces import MAX_GAMES, MAX_KEPT
from telos.traces import (
    LOOKING_SECONDS,
    MAX_TRACE_BYTES,
    MAX_TRACES,
    GameTrace,
    MindTrace,
    TraceBatch,
    TraceState,
    decode_traces,
    encode_trace,
)

pytestmark = pytest.mark.filterwarnings("ignore:Using `httpx` with")  # the client that is installed serves as well


def service(tokens: Tokens | None = None) -> Service:
    store = SqliteStore(None)
    shelf = ModelShelf(store)
    return Service(shelf, store, CharacterRoom({}), shelf.load("adventure").name, tokens or Tokens())


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(create_app(service()), base_url="http://127.0.0.1") as opened:
        yield opened


ANN = {"name": "Ann", "goal": "eat", "x": 1, "goals": [{"name": "eat", "weight": 2}], "why": "hungry"}


def test_studio_that_comes_late_gets_sum_then_what_is_new(client: TestClient) -> None:
    client.post("/v1/traces", json={"game": "farm", "time": 1, "map": {"rows": ["..."]}, "minds": [ANN]})
    answer = client.post("/v1/traces", json={"game": "farm", "time": 2, "minds": [{"name": "Ann", "x": 2}]})
    assert answer.json() == {"seq": 2, "paused": False, "watched": False}
    first = client.get("/v1/traces/farm").json()
    (whole,) = first["traces"]
    assert whole["minds"][0] | {"goals": 0} == {**ANN, "x": 2.0, "goals": 0}
    assert whole["map"]["rows"] == ["..."]
    again = client.post("/v1/traces", json={"game": "farm", "time": 3, "gone": ["Ann"]})
    assert again.json()["watched"]
    news = client.get("/v1/traces/farm", params={"after": first["seq"]}).json()
    assert [trace["time"] for trace in news["traces"]] == [3.0]
    assert [each["name"] for each in client.get("/v1/traces").json()["games"]] == ["farm"]


def test_game_is_asked_to_pause_and_go_on(client: TestClient) -> None:
    client.post("/v1/traces", json={"game": "farm"})
    client.get("/v1/traces/farm")
    client.post("/v1/traces/farm/pause", json={"paused": True})
    assert client.post("/v1/traces", json={"game": "farm", "paused": True}).json()["paused"]
    assert client.get("/v1/traces/farm/pause").json()["paused"]
    client.post("/v1/traces/farm/pause", json={"paused": False})
    assert not client.get("/v1/traces/farm/pause").json()["paused"]


def test_pause_ends_when_studio_is_gone() -> None:
    now = [0.0]
    board = TraceBoard(clock=lambda: now[0])
    board.post([GameTrace("farm")])
    board.ask_pause("farm", True)
    assert board.answer("farm").paused
    now[0] = LOOKING_SECONDS + 1
    assert not board.answer("farm").paused
    batch = asyncio.run(board.read("farm", None, 0.0))
    assert not batch.paused


def test_waiting_studio_gets_next_trace() -> None:
    async def play() -> TraceBatch:
        board = TraceBoard()
        board.post([GameTrace("farm")])
        waiting = asyncio.create_task(board.read("farm", 1, 5.0))
        await asyncio.sleep(0)
        board.post([GameTrace("farm", time=7.0)])
        return await waiting

    assert [trace.time for trace in asyncio.run(play()).traces] == [7.0]


def test_slow_studio_is_told_how_many_traces_are_missing() -> None:
    board = TraceBoard()
    for _ in range(MAX_KEPT + 5):
        board.post([GameTrace("farm")])
    batch = asyncio.run(board.read("farm", 2, 0.0))
    assert batch.lost == 3
    assert batch.seq == 5 + 200  # the rest comes with the next answers


def test_board_drops_game_that_was_silent_longest() -> None:
    board = TraceBoard()
    for number in range(MAX_GAMES + 1):
        board.post([GameTrace(f"game {number}")])
    names = [each.name for each in board.games().games]
    assert len(names) == MAX_GAMES
    assert "game 0" not in names


MALFORMED = {
    "no JSON": (b"{", "truncated"),
    "deep": (b"[" * 200_000, "Expected"),
    "deep in a field": (b'{"map": ' + b"[" * 100_000, "Expected"),
    "unknown part": (b'{"mood": 1}', "unknown field `mood`"),
    "no name": (b'{"minds": [{"goal": "eat"}]}', "$.minds[0]"),
    "empty name": (b'{"minds": [{"name": ""}]}', "$.minds[0].name"),
    "long name": (b'{"minds": [{"name": "' + b"a" * 201 + b'"}]}', "length <= 200"),
    "control character": (b'{"minds": [{"name": "a\\u0007"}]}', "printable"),
    "slash in the name of a game": (b'{"game": "a/b"}', "no slash"),
    "huge number": (b'{"time": 1e999}', "out of range"),
    "far away": (b'{"minds": [{"name": "a", "x": 1e10}]}', "$.minds[0].x"),
    "text as number": (b'{"minds": [{"name": "a", "x": "1"}]}', "$.minds[0].x"),
    "no belief": (b'{"beliefs": [{"reader": "r", "goals": {"a": 0.5}}]}', "sum to 0.5"),
    "too sure": (b'{"beliefs": [{"reader": "r", "goals": {"a": 1.5}}]}', "<= 1"),
    "strange shape": (b'{"channels": {"paths": [{"kind": "blob"}]}}', "'blob'"),
    "strange category": (b'{"events": [{"text": "a", "category": "<b>"}]}', "$.events[0].category"),
    "value without a name": (b'{"values": {"a b": 1}}', "$.values"),
    "value of many parts": (b'{"values": {"a": [1]}}', "$.values"),
    "empty map": (b'{"map": {}}', "rows, or a width"),
    "large map": (msgspec.json.encode({"map": {"rows": ["." * 1_000] * 300}}), "250,000 cells"),
    "nothing": (b"[]", "no trace"),
    "too many at once": (b"[" + b",".join([b"{}"] * (MAX_TRACES + 1)) + b"]", "at most 1,000"),
    "too many minds": (msgspec.json.encode({"minds": [{"name": str(at)} for at in range(2_001)]}), "length <= 2000"),
}


@pytest.mark.parametrize(("body", "words"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_trace_is_problem_that_names_place(client: TestClient, body: bytes, words: str) -> None:
    answer = client.post("/v1/traces", content=body)
    problem = answer.json()
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["type"] == "telos:invalid"
    assert words in problem["detail"]
    assert client.get("/v1/traces").json() == {"games": []}  # nothing half-taken


def test_large_trace_is_refused_before_it_is_read(client: TestClient) -> None:
    answer = client.post("/v1/traces", content=b" " * (MAX_TRACE_BYTES + 1))
    assert (answer.status_code, answer.json()["type"]) == (413, "telos:too-large")


def test_packed_traces_have_no_infinite_numbers(client: TestClient) -> None:
    for x, status in ((1.0, 200), (float("nan"), 422), (float("inf"), 422)):
        body = msgspec.msgpack.encode({"game": "farm", "minds": [{"name": "Ann", "x": x}]})
        answer = client.post("/v1/traces", content=body, headers={"content-type": MSGPACK})
        assert answer.status_code == status


def test_unknown_game_and_faulty_numbers_are_problems(client: TestClient) -> None:
    client.post("/v1/traces", json={"game": "farm"})
    assert client.get("/v1/traces/form").status_code == 404
    assert client.get("/v1/traces/farm", params={"after": "-1"}).status_code == 422
    assert client.post("/v1/traces/farm/pause", json={"paused": 1}).status_code == 422


def test_tokens_guard_traces(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text("write 0123456789abcdef\nread fedcba9876543210\n")
    with TestClient(create_app(service(load_tokens(file))), base_url="http://127.0.0.1") as opened:
        writes, reads = ({"authorization": f"Bearer {each}"} for each in ("0123456789abcdef", "fedcba9876543210"))
        assert opened.post("/v1/traces", json={"game": "farm"}).status_code == 401
        assert opened.post("/v1/traces", json={"game": "farm"}, headers=writes).status_code == 200
        assert opened.get("/v1/traces/farm", headers=writes).status_code == 403
        assert opened.get("/v1/traces/farm", headers=reads).status_code == 200
        assert opened.post("/v1/traces/farm/pause", json={"paused": True}, headers=reads).status_code == 403


def test_example_of_documentation_is_taken(client: TestClient) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "attach-the-studio.md").read_text(encoding="utf-8")
    example = page.split("```json")[1].split("```")[0]
    assert client.post("/v1/traces", content=example.encode()).status_code == 200
    (trace,) = client.get("/v1/traces/farm").json()["traces"]
    assert trace["minds"][0]["plan"][1]["needs"][0]["text"] == "at == inn"
    assert set(trace["channels"]) == {"ways", "sight"}


def test_openapi_describes_traces(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    assert {"get", "post"} <= described["paths"]["/v1/traces"].keys()
    assert "GameTrace" in described["components"]["schemas"]


# --- the sum of traces ------------------------------------------------------------------------------------------------


NAMES = st.sampled_from(["Ann", "Bob", "Cid"])
PARTS = st.fixed_dictionaries(
    {"name": NAMES},
    optional={"x": st.floats(-9, 9), "goal": st.sampled_from(["", "eat"]), "why": st.text(max_size=3)},
)
TRACES = st.fixed_dictionaries(
    {"game": st.just("farm")},
    optional={
        "run": st.sampled_from(["one", "two"]),
        "minds": st.lists(PARTS, max_size=3),
        "gone": st.lists(NAMES, max_size=1),
        "values": st.dictionaries(st.sampled_from(["wood", "wolves"]), st.integers(0, 9), max_size=2),
        "paused": st.booleans(),
    },
)


@given(st.lists(TRACES, max_size=12))
def test_state_is_last_word_about_each_part(given: list[dict[str, Any]]) -> None:
    """The slow oracle: plain dictionaries that are updated, and emptied by another run."""
    minds, values, run = dict[str, dict[str, Any]](), dict[str, Any](), ""
    state = TraceState()
    for data in given:
        (trace,) = decode_traces(msgspec.json.encode(data))
        began_again = state.merge(trace)
        named = data.get("run", "")
        assert began_again == bool(run and named and named != run)
        if began_again:
            minds, values = {}, {}
        run = named or run
        for mind in data.get("minds", []):
            minds.setdefault(mind["name"], {}).update(mind)
        for name in data.get("gone", []):
            minds.pop(name, None)
        values |= data.get("values", {})
    assert {name: msgspec.to_builtins(mind) for name, mind in state.minds.items()} == minds
    assert state.values == values
    copy = TraceState()
    copy.merge(*decode_traces(encode_trace(state.snapshot())))
    assert copy.minds == state.minds
    assert copy.is_paused == state.is_paused


@given(st.binary(max_size=60))
def test_any_bytes_are_traces_or_one_error(data: bytes) -> None:
    for packed in (False, True):
        with suppress(TelosError):
            assert all(isinstance(each, GameTrace) for each in decode_traces(data, packed=packed))


def test_mind_of_trace_keeps_what_is_left_out() -> None:
    state = TraceState()
    state.merge(GameTrace(minds=[MindTrace("Ann", goal="eat", why="hungry")]))
    state.merge(GameTrace(minds=[MindTrace("Ann", goal="")]))
    assert (state.minds["Ann"].goal, state.minds["Ann"].why) == ("", "hungry")
