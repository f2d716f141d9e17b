"""The client for Python: what is queued is delivered once and in order, whatever the network does; faults are told."""

import asyncio
import json
import shutil
import ssl
import subprocess
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.sync.server import ServerConnection, serve

from service.processes import running
from telos import TelosError
from telos.service import AsyncClient, Client
from telos.service.client import (
    ConnectionLost,
    EventRefused,
    EventsDropped,
    Outbox,
    PlayerBelief,
    ServiceProblem,
    SubscriptionRefused,
)


class SimpleService:
    """What a service does, in a few lines: it keeps each id once, in order, and refuses actions named ``bad``."""

    def __init__(self) -> None:
        self.kept: dict[str, list[str]] = {}

    def answer(self, text: str) -> str:
        message = json.loads(text)
        answer: dict[str, Any] = {"ack": message["seq"], "refused": [], "beliefs": []}
        for part in message.get("batch", []):
            mine = self.kept.setdefault(part["player"], [])
            for place, event in enumerate(part["events"]):
                if event["action"] == "bad":
                    problem = {"type": "telos:invalid", "status": 422, "detail": "bad"}
                    answer["refused"].append(
                        {"player": part["player"], "place": place, "problem": problem, "id": event["id"]}
                    )
                elif event["id"] not in mine:
                    mine.append(event["id"])
        return json.dumps(answer)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(["ann", "bob"]), st.sampled_from(["swing", "bad"])),
        st.tuples(st.sampled_from(["send", "arrive", "hear", "break", "busy"])),
    ),
    max_size=80,
)


@given(STEPS, st.integers(1, 12), st.integers(1, 3))
def test_every_event_counts_once_and_in_order(steps: list[tuple[str, ...]], capacity: int, window: int) -> None:
    outbox, service = Outbox(capacity=capacity, window=window, sender="me", clock=lambda: 0.0), SimpleService()
    taken: dict[str, list[str]] = {"ann": [], "bob": []}
    made = bad = dropped = 0
    outgoing: list[str] = []
    incoming: list[str] = []
    outbox.begin_connection()
    ending = [("break",)] + [("send",), ("arrive",), ("hear",)] * 60
    for step in steps + ending:
        if step[0] == "add":
            if outbox.add(step[1], step[2]):
                made += 1
                bad += step[2] == "bad"
                taken[step[1]] += [f"me-{made}"] if step[2] != "bad" else []
            else:
                dropped += 1
        elif step[0] == "send" and (message := outbox.next_message()) is not None:
            outgoing.append(message)
        elif step[0] == "arrive" and outgoing:
            incoming.append(service.answer(outgoing.pop(0)))
        elif step[0] == "hear" and incoming:
            assert outbox.hear(incoming.pop(0))
        elif step[0] == "busy" and outgoing:
            refusal = {"ack": json.loads(outgoing[0])["seq"], "problems": {"ann": {"status": 503, "detail": "full"}}}
            assert not outbox.hear(json.dumps(refusal))
        if step[0] in ("break", "busy"):
            outgoing.clear()
            incoming.clear()
            outbox.begin_connection()
        assert outbox.counts.waiting <= capacity
    assert {player: service.kept.get(player, []) for player in taken} == taken
    assert (outbox.counts.waiting, outbox.counts.refused, outbox.counts.dropped) == (0, bad, dropped)
    told = Counter(type(notice) for notice in outbox.take_notices())
    assert told[EventRefused] == bad
    assert told[EventsDropped] == (dropped > 0)


def belief(seq: int, player: str = "ann") -> dict[str, Any]:
    return {"player": player, "model": "farm", "seq": seq, "time": float(seq), "top": "a", "goals": {"a": 1.0}}


def test_an_answer_that_news_has_overtaken_is_not_the_newest_belief() -> None:
    outbox = Outbox(sender="me", clock=lambda: 0.0)
    outbox.begin_connection()
    outbox.add("ann", "swing")
    assert outbox.next_message() is not None
    outbox.hear(json.dumps({"news": [belief(8)]}))  # somebody else's event, read after ours
    outbox.hear(json.dumps({"ack": 1, "beliefs": [belief(7)]}))
    found = outbox.belief("ann")
    assert found is not None
    assert found.seq == 8
    outbox.add("ann", "swing")
    assert outbox.next_message() is not None
    outbox.hear(json.dumps({"ack": 2, "beliefs": [belief(1)]}))  # the player was forgotten, and begins anew
    assert outbox.belief("ann").seq == 1  # type: ignore[union-attr]
    assert [each.seq for each in outbox.take_notices() if isinstance(each, PlayerBelief)] == [1]


def test_a_clock_that_is_put_back_stands_still() -> None:
    times = iter([5.0, 3.0, 6.0])
    outbox = Outbox(sender="me", clock=lambda: next(times))
    for _ in range(3):
        outbox.add("ann", "swing")
    (message,) = [outbox.next_message()]
    assert message is not None
    assert [each["time"] for each in json.loads(message)["batch"][0]["events"]] == [5.0, 5.0, 6.0]


def test_messages_stay_within_the_limits_of_the_service() -> None:
    outbox = Outbox(sender="me", window=100)
    for _ in range(450):
        outbox.add("ann", "swing", {"text": "x" * 3000})
    messages = []
    while (message := outbox.next_message()) is not None:
        messages.append(message)
    assert max(map(len, messages)) < 300_000
    assert sum(len(json.loads(each)["batch"][0]["events"]) for each in messages) == 450


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("", "swing"), "player"),
        (("ann", ""), "action"),
        (("ann", "swing", {"map": {}}), "map"),
        (("ann", "swing", {"list": [1]}), "list"),
        (("ann", "swing", {"number": float("nan")}), "swing"),
        (("ann", "swing", {"long": "x" * 70_000}), "bytes"),
    ],
)
def test_events_that_no_service_could_read_are_errors_at_once(arguments: Any, word: str) -> None:
    outbox = Outbox()
    with pytest.raises(TelosError, match=word):
        outbox.add(*arguments)
    assert outbox.counts.taken == 0


@pytest.mark.parametrize(
    ("address", "options", "word"), [("localhost:8700", {}, "http://"), ("http://x", {"capacity": 0}, "capacity")]
)
def test_faulty_settings_are_errors_at_once(address: str, options: dict[str, Any], word: str) -> None:
    with pytest.raises(TelosError, match=word):
        AsyncClient(address, **options)


def test_a_closed_client_takes_nothing_and_ends_its_thread(tmp_path: Path) -> None:
    with running("--model", "adventure", errors=tmp_path / "errors") as service:
        before = threading.active_count()
        with Client(service.address) as client:
            assert client.send("ann", "swing", {"monsters": 2}, time=0.0)
        assert client.counts.acknowledged == 1
        assert not client.send("ann", "swing")
        assert client.close() == 0
        client.subscribe("ann")
        assert threading.active_count() <= before


@pytest.mark.skipif(shutil.which("openssl") is None, reason="certificates are made with openssl")
def test_clients_speak_tls_with_a_certificate_of_their_own(tmp_path: Path) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
               "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    trusting = ssl.create_default_context(cafile=str(certificate))
    options = ("--model", "adventure", "--certificate", certificate, "--key", key)
    with running(*options, errors=tmp_path / "errors") as service:

        async def play() -> Any:
            async with AsyncClient(service.address, ssl=trusting) as client:
                client.send("ann", "swing", {"monsters": 2}, time=0.0)
                async for notice in client.notices():
                    if isinstance(notice, PlayerBelief):
                        return notice, await client.player("ann")

        heard, known = asyncio.run(play())
        assert (heard.seq, heard.top, known["seq"]) == (1, "level", 1)
        with (
            Client(service.address, retry=(0.05, 0.1)) as stranger,
            pytest.raises(ServiceProblem, match="does not answer"),
        ):
            stranger.player("ann").result(20)


def test_too_many_subscriptions_are_a_notice(tmp_path: Path) -> None:
    with running("--model", "adventure", errors=tmp_path / "errors") as service, Client(service.address) as client:
        client.subscribe(*(f"player-{number}" for number in range(10_001)))
        client.send("ann", "swing", time=0.0)
        assert client.settle()
        refusals = [each for each in client.poll() if isinstance(each, SubscriptionRefused)]
        assert [each.problem["status"] for each in refusals] == [413] * len(refusals)
        assert refusals


@pytest.mark.parametrize("nonsense", ["hello", "[]", "{}", '{"ack": 1, "beliefs": [{"player": "ann"}]}', '{"news": 3}'])
def test_a_server_that_is_no_service_is_told_and_loses_nothing(nonsense: str) -> None:
    def answer(socket: ServerConnection) -> None:
        for _ in socket:
            socket.send(nonsense)

    with serve(answer, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{server.socket.getsockname()[1]}"
        with Client(address, retry=(0.01, 0.02)) as client:
            client.send("ann", "swing", time=0.0)
            lost: list[ConnectionLost] = []
            while not lost:
                lost += [each for each in client.poll() if isinstance(each, ConnectionLost)]
            assert "no service" in lost[0].reason
            assert client.close(0.0) == (0 if '"ack"' in nonsense else 1)
        server.shutdown()
        thread.join()
