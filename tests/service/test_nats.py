"""NATS JetStream in and out: kills of the service lose and repeat no event, and order is kept."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import msgspec
import nats
import pytest
from nats.js.client import JetStreamContext

import telos
from service.processes import RunningService, event, running
from service.servers import lacks_postgres, nats_server, postgres_server, program

pytestmark = pytest.mark.skipif(program("nats-server") is None, reason="nats-server is not installed (Debian)")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with nats_server() as found:
        yield found


@asynccontextmanager
async def jetstream_of(address: str) -> AsyncIterator[JetStreamContext]:
    client = await nats.connect(address)
    try:
        yield client.jetstream()
    finally:
        await client.close()


async def publish(jetstream: JetStreamContext, name: str, players: list[str], numbers: range) -> None:
    for number in numbers:
        for player in players:
            data = json.dumps({"player": player, "events": [event(number)]}).encode()
            await jetstream.publish(f"{name}.events.{player}", data)


def known(service: RunningService, player: str) -> tuple[int, dict[str, float]]:
    try:
        with urlopen(f"{service.address}/v1/players/{player}", timeout=20) as answer:
            found = json.load(answer)
    except HTTPError:
        return 0, {}
    return found["seq"], found["goals"]


async def await_events(service: RunningService, player: str, count: int) -> dict[str, float]:
    for _ in range(600):
        seq, goals = await asyncio.to_thread(known, service, player)
        if seq >= count:
            assert seq == count
            return goals
        await asyncio.sleep(0.05)
    pytest.fail(f"{player} has {seq} events of {count}")


def expected(count: int) -> dict[str, float]:
    reader = telos.recognizer("adventure")
    for each in map(event, range(count)):
        reader.observe(telos.Event(each["action"], each["context"], time=each["time"]))
    return dict(reader.belief)


async def everything(jetstream: JetStreamContext, subject: str, stream: str, count: int) -> list[Any]:
    """Return all messages of a subject, of which there should be so many, and no more."""
    subscription = await jetstream.subscribe(subject, stream=stream, ordered_consumer=True)
    found = [json.loads((await subscription.next_msg(timeout=20)).data) for _ in range(count)]
    with pytest.raises(nats.errors.TimeoutError):
        await subscription.next_msg(timeout=0.3)
    await subscription.unsubscribe()
    return found


@pytest.mark.parametrize("rounds", [2, pytest.param(30, marks=pytest.mark.slow)])
def test_kills_lose_and_repeat_no_event_from_nats(rounds: int, address: str, tmp_path: Path) -> None:
    name, players, rng = f"kills{rounds}", ["ann", "bob", "cat"], Random(rounds)
    options = ("--model", "adventure", "--data", tmp_path / "data", "--nats", address, "--nats-name", name)

    async def kills() -> None:
        sent = 0
        service = await asyncio.to_thread(lambda: RunningService(*options, errors=tmp_path / "errors"))
        async with jetstream_of(address) as jetstream:
            for _ in range(rounds):
                sending = asyncio.create_task(publish(jetstream, name, players, range(sent, sent + 40)))
                await asyncio.sleep(rng.random() * 0.15)
                await asyncio.to_thread(service.kill)
                await sending
                sent += 40
                service = await asyncio.to_thread(lambda: RunningService(*options, errors=tmp_path / "errors"))
            for player in players:
                assert await await_events(service, player, sent) == expected(sent)
            told = await everything(jetstream, f"{name}.beliefs", f"{name.upper()}_BELIEFS", sent * len(players))
        last = {each["beliefs"][0]["player"]: each["beliefs"][0] for each in told}
        assert [last[player]["goals"] for player in players] == [expected(sent)] * len(players)
        assert [each["message"] for each in told] == sorted({each["message"] for each in told})
        await asyncio.to_thread(service.stop)

    asyncio.run(kills())


def test_events_count_once_by_id_and_problems_are_published(address: str, tmp_path: Path) -> None:
    options = ("--model", "adventure", "--nats", address, "--nats-name", "ids")

    async def send() -> None:
        async with jetstream_of(address) as jetstream:
            good = {"player": "ann", "events": [{**event(1), "id": "one"}]}
            for data in (good, good, {"batch": [{"player": "ann", "events": [event(5), {"action": "fly"}, event(0)]}]}):
                await jetstream.publish("ids.events", json.dumps(data).encode())
            for faulty in (b"{", b'{"events": [{"action": "swing"}]}', b'{"player": "ann", "model": "adventur"}'):
                await jetstream.publish("ids.events", faulty)
            packed = msgspec.msgpack.encode({"player": "ann", "events": [event(8)]})
            await jetstream.publish("ids.events", packed, headers={"Content-Type": "application/msgpack"})
            problems = await everything(jetstream, "ids.problems", "IDS_BELIEFS", 5)
            await await_events(service, "ann", 3)
        assert [(each["message"], each.get("place")) for each in problems] == [
            (3, 1), (3, 2), (4, None), (5, None), (6, None),
        ]  # fmt: skip
        words = ("fly", "backwards", "truncated", "without a player", "adventur")
        assert all(word in each["problem"]["detail"] for word, each in zip(words, problems, strict=True))

    with running(*options, errors=tmp_path / "errors") as service:
        asyncio.run(send())


@pytest.mark.slow
@pytest.mark.skipif(bool(lacks_postgres()), reason=lacks_postgres() or "")
def test_one_process_of_a_cluster_reads_and_another_takes_over(address: str, tmp_path: Path) -> None:
    async def take_over() -> None:
        async with jetstream_of(address) as jetstream:
            await publish(jetstream, "both", players, range(20))
            for player in players:
                await await_events(services[0], player, 20)
            leader = min(services, key=lambda each: "telos_forwarded_total 0.0" in figures(each))
            await asyncio.to_thread(leader.kill)
            rest = next(each for each in services if each is not leader)
            await publish(jetstream, "both", players, range(20, 40))
            for player in players:
                assert await await_events(rest, player, 40) == expected(40)

    players = [f"player-{number}" for number in range(6)]
    with postgres_server() as server:
        options = ("--model", "adventure", "--store", server.url, "--nats", address, "--nats-name", "both")
        services = [RunningService(*options, errors=tmp_path / "errors") for _ in range(2)]
        try:
            asyncio.run(take_over())
        finally:
            for service in services:
                if service.process.poll() is None:
                    service.stop()


def figures(service: RunningService) -> str:
    with urlopen(f"{service.address}/metrics", timeout=20) as answer:
        found: str = answer.read().decode()
        return found
