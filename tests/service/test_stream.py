"""Streams under limits, scopes and failures: order is kept, faults are named, and nothing is taken in without bound."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from service.test_app import ADMIN, READ, WRITE, event, service_of
from telos import TelosError
from telos.service import EventMessage, EventRow, Limits, SnapshotRow, SqliteStore, Submission, create_app, load_tokens


def say(socket: Any, **message: Any) -> dict[str, Any]:
    socket.send_text(json.dumps(message))
    found: dict[str, Any] = json.loads(socket.receive_text())
    return found


def test_a_stream_that_skips_names_faulty_events_and_reads_the_others() -> None:
    events = [event(1, id="a"), {**event(2, id="b"), "action": "fly"}, event(0, id="c"), event(3, id="d")]
    with TestClient(create_app(service_of())) as client, client.websocket_connect("/v1/stream") as socket:
        answer = say(socket, seq=1, player="ann", events=events, skip=True, quiet=True)
        assert [(each["place"], each["id"]) for each in answer["refused"]] == [(1, "b"), (2, "c")]
        assert "fly" in answer["refused"][0]["problem"]["detail"]
        assert "backwards" in answer["refused"][1]["problem"]["detail"]
        assert [each["seq"] for each in answer["beliefs"]] == [2]
        again = say(socket, seq=2, player="ann", events=events[:1], skip=True, quiet=True)
        assert again["beliefs"][0]["repeated"]


def test_scopes_hold_inside_streams(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"write {WRITE}\nread {READ}\nadmin {ADMIN}\n", encoding="utf-8")
    with TestClient(create_app(service_of(tokens=load_tokens(file)))) as client:
        with client.websocket_connect("/v1/stream", subprotocols=[f"telos.bearer.{READ}", "telos.json"]) as socket:
            assert say(socket, seq=1, subscribe=["ann"]) == {"ack": 1}
            assert say(socket, seq=2, player="ann", events=[event()])["problems"][""]["status"] == 403
        with client.websocket_connect("/v1/stream", headers={"authorization": f"Bearer {ADMIN}"}) as socket:
            assert say(socket, seq=1, player="ann", events=[event()], subscribe=["bob"])["ack"] == 1


def test_refused_streams_are_closed_with_a_code_that_pages_see() -> None:
    with TestClient(create_app(service_of())) as client:
        headers = {"origin": "https://elsewhere.example"}
        with client.websocket_connect("/v1/stream", headers=headers) as socket:
            with pytest.raises(WebSocketDisconnect) as caught:
                socket.receive_text()
            assert (caught.value.code, "--origin" in caught.value.reason) == (4403, True)


def test_rates_hold_inside_streams_and_for_guessed_tokens(tmp_path: Path) -> None:
    service = service_of(limits=Limits(rate=2))
    now = [0.0]
    service.rate.clock = lambda: now[0]
    with TestClient(create_app(service)) as client, client.websocket_connect("/v1/stream") as socket:
        for number in range(4):  # the burst is four, and connecting was one of them
            socket.send_text(json.dumps({"seq": number, "player": "ann", "events": [event(number)]}))
        assert [json.loads(socket.receive_text())["ack"] for _ in range(3)] == [0, 1, 2]
        now[0] += 1.0
        assert json.loads(socket.receive_text())["ack"] == 3
    file = tmp_path / "tokens"
    file.write_text(f"write {WRITE}\n", encoding="utf-8")
    with TestClient(create_app(service_of(tokens=load_tokens(file), limits=Limits(rate=2)))) as client:
        headers = {"authorization": f"Bearer {'x' * 20}"}
        answers = [client.get("/v1/models", headers=headers).status_code for _ in range(8)]
        assert (answers[0], answers[-1]) == (401, 429)


def hear_refusals(socket: Any, count: int) -> None:
    for _ in range(count):
        assert json.loads(socket.receive_text())["problems"]["ann"]["status"] == 503


class FullStore(SqliteStore):
    """A store whose disk is full once."""

    fails = False

    def append(self, events: Sequence[EventRow], snapshots: Sequence[SnapshotRow] = ()) -> None:
        """Fail if told to, and be well again."""
        if self.fails:
            self.fails = False
            raise TelosError("database or disk is full", "free some space")
        super().append(events, snapshots)


def test_events_behind_those_that_were_not_kept_are_not_kept_either() -> None:
    store = FullStore(None)
    service = service_of(store=store)
    with TestClient(create_app(service)) as client, client.websocket_connect("/v1/stream") as socket:
        assert say(socket, seq=0, player="ann", events=[event(0)])["ack"] == 0
        store.fails = True
        for number in (1, 2, 3):
            socket.send_text(json.dumps({"seq": number, "player": "ann", "events": [event(number)]}))
        assert "full" in json.loads(socket.receive_text())["problems"]["ann"]["detail"]
        with pytest.raises(WebSocketDisconnect) as caught:
            hear_refusals(socket, 3)
        assert caught.value.code == 1013
        assert client.get("/v1/players/ann").json()["seq"] == 1
        with client.websocket_connect("/v1/stream") as again:
            events = [event(number) for number in (1, 2, 3)]
            assert say(again, seq=1, player="ann", events=events)["beliefs"][-1]["seq"] == 4


def test_a_reader_that_is_too_slow_slows_its_sender_down() -> None:
    async def flood() -> int:
        service = service_of(limits=Limits(body_bytes=20_000))
        committer, taken = service.committer, 0
        original = committer.enqueue

        def count(*arguments: Any) -> Any:
            nonlocal taken
            taken += 1
            return original(*arguments)

        committer.enqueue = count  # type: ignore[method-assign]
        app = create_app(service)
        message = json.dumps({"player": "ann", "events": [event()] * 50})

        async def receive() -> dict[str, Any]:
            return {"type": "websocket.receive", "text": message}

        async def send(said: dict[str, Any]) -> None:
            if said["type"] == "websocket.send":
                await asyncio.sleep(3600)  # the client does not read

        scope = {"type": "websocket", "path": "/v1/stream", "headers": [], "subprotocols": [], "query_string": b""}
        async with app.router.lifespan_context(app):
            inbox = iter([{"type": "websocket.connect"}])

            async def messages() -> Any:
                await asyncio.sleep(0)
                return next(inbox, None) or await receive()

            stream = asyncio.create_task(app(scope, messages, send))
            for _ in range(3000):  # a busy machine takes its time to fill what may wait
                if taken * len(message) >= 20_000:
                    break
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.3)  # time enough to take too much
            stream.cancel()
            await asyncio.wait([stream])
        return taken * len(message)

    assert 20_000 <= asyncio.run(flood()) <= 30_000


def test_a_defect_that_one_event_meets_harms_no_other_sender(monkeypatch: pytest.MonkeyPatch) -> None:
    service = service_of()
    players = service.committer.players
    original = players.submit

    def submit(submissions: Sequence[Submission]) -> Any:
        if any(each.player == "poison" for each in submissions):
            raise ZeroDivisionError
        return original(submissions)

    monkeypatch.setattr(players, "submit", submit)

    async def both() -> list[Any]:
        service.committer.start()
        found = await asyncio.gather(
            *(service.submit(Submission("adventure", name, [EventMessage("swing")])) for name in ("poison", "ann"))
        )
        await service.committer.stop()
        return found

    poison, ann = asyncio.run(both())
    assert (poison.error.code, ann.error, ann.added) == ("internal", None, 1)
