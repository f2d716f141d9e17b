"""Several processes with one PostgreSQL: players move with their beliefs, and kills lose and repeat nothing."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import telos
from service.processes import RunningService, event, running
from service.servers import PostgresServer, lacks_postgres, postgres_server
from service.test_players import live_belief, players_of, random_event
from telos.service import EventMessage, PostgresStore, StoreConflict, Submission

pytestmark = pytest.mark.skipif(bool(lacks_postgres()), reason=lacks_postgres() or "")


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with postgres_server() as found:
        yield found


@pytest.fixture
def stores(server: PostgresServer) -> Iterator[list[PostgresStore]]:
    with ExitStack() as stack:
        found = [PostgresStore(server.url) for _ in range(3)]
        for each in found:
            stack.callback(each.close)
        yield found


names = map("player-{}".format, range(10**6))  # no two tests share one


@pytest.mark.parametrize("every", [2, 500])
def test_players_carry_their_beliefs_from_process_to_process(stores: list[PostgresStore], every: int) -> None:
    processes = [players_of(each, snapshot_every=every) for each in stores]

    @settings(max_examples=8)
    @given(seed=st.integers(0, 10**9))
    def moves(seed: int) -> None:
        rng, name = Random(seed), next(names)
        sent: list[EventMessage] = []
        for at in range(25):
            players, what = rng.choice(processes), rng.random()
            if what < 0.05:
                players.forget(name)
                sent = []
            elif what < 0.1:
                players.prune(6.0)
            elif what < 0.2:
                players.close()
            elif what < 0.4 and sent:
                answer = players.answer("adventure", name)
                assert (answer.seq, answer.goals) == (len(sent), live_belief(sent))
            else:
                moment = float(at) if sent else 0.0
                new = [random_event(rng, moment, f"{at}-{i}") for i in range(rng.randrange(1, 3))]
                (outcome,) = players.submit([Submission("adventure", name, [*sent[-1:], *new])])
                sent += new
                assert (outcome.error, outcome.added) == (None, len(new))
                assert outcome.beliefs[-1].goals == live_belief(sent)

    moves()


def test_models_of_two_processes_get_numbers_of_their_own(stores: list[PostgresStore]) -> None:
    one, two = players_of(stores[0]), players_of(stores[1])
    text = one.shelf.current("adventure").text
    assert one.shelf.put("brawl", "brawl.yaml", text + "# one").version == 1
    assert two.shelf.put("brawl", "brawl.yaml", text + "# two").version == 2
    with pytest.raises(StoreConflict):
        stores[2].add_model(stores[0].models()[-1])


def test_a_server_that_crashes_is_told_and_found_again(stores: list[PostgresStore], server: PostgresServer) -> None:
    players, rng, name = players_of(stores[0]), Random(7), next(names)
    events = [random_event(rng, float(time), f"id-{time}") for time in range(6)]
    players.submit([Submission("adventure", name, events[:3])])
    server.kill()
    with pytest.raises(telos.TelosError, match=r"127\.0\.0\.1"):
        players.submit([Submission("adventure", name, events[3:])])
    server.start()
    (outcome,) = players.submit([Submission("adventure", name, events)])
    assert (outcome.added, outcome.beliefs[-1].goals) == (3, live_belief(events))


# --- processes --------------------------------------------------------------------------------------------------------


def ask(address: str, path: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(f"{address}{path}", data), timeout=20) as answer:
        return json.load(answer)


def expected(count: int) -> dict[str, float]:
    reader = telos.recognizer("adventure")
    for each in map(event, range(count)):
        reader.observe(telos.Event(each["action"], each["context"], time=each["time"]))
    return dict(reader.belief)


def test_any_process_answers_for_every_player_and_tells_of_all(server: PostgresServer, tmp_path: Path) -> None:
    options = ("--model", "adventure", "--store", server.url)
    players, rng = [next(names) for _ in range(12)], Random(8)
    with ExitStack() as stack:
        services = [stack.enter_context(running(*options, errors=tmp_path / "errors")) for _ in range(3)]
        await_others(services)
        listener = stack.enter_context(connect(services[0].stream_address))
        listener.send(json.dumps({"seq": 1, "subscribe": players}))
        assert json.loads(listener.recv(20))["ack"] == 1
        for number in range(10):
            for player in players:  # a load balancer that knows nothing
                answer = ask(rng.choice(services).address, f"/v1/players/{player}/events", event(number))
                assert answer["beliefs"][0]["seq"] == number + 1
        for player in players:
            known = ask(rng.choice(services).address, f"/v1/players/{player}")
            assert (known["seq"], known["goals"]) == (10, expected(10))
        heard: dict[str, int] = {}
        while heard != dict.fromkeys(players, 10):
            heard |= {each["player"]: each["seq"] for each in json.loads(listener.recv(20))["news"]}
        figures = [urlopen(f"{each.address}/metrics", timeout=20).read().decode() for each in services]
        assert all("telos_forwarded_total 0.0" not in each for each in figures)
        request = Request(f"{services[0].address}/v1/players/{players[0]}", method="DELETE")
        assert json.load(urlopen(request, timeout=20))["events"] == 10
        for service in services:
            with pytest.raises(HTTPError, match="404"):
                ask(service.address, f"/v1/players/{players[0]}")


def await_others(services: list[RunningService]) -> None:
    """Wait until all processes have heard of each other."""
    time.sleep(1.2)


@pytest.mark.parametrize("rounds", [3, pytest.param(30, marks=pytest.mark.slow)])
def test_kills_of_processes_lose_and_repeat_no_event(rounds: int, server: PostgresServer, tmp_path: Path) -> None:
    options = ("--model", "adventure", "--store", server.url)
    rng, players = Random(rounds), [next(names) for _ in range(4)]
    kept, services = Counter[str](), []
    with ExitStack() as stack:
        services = [RunningService(*options, errors=tmp_path / "errors") for _ in range(3)]
        stack.callback(lambda: [each.kill() for each in services if each.process.poll() is None])
        await_others(services)
        for round_number in range(rounds):
            if round_number:  # players move to other processes, while nothing is known of what became of their events
                services.append(RunningService(*options, errors=tmp_path / "errors"))
            victim = services.pop(rng.randrange(2))
            send_until_killed(victim, rng, players, kept)
            for player in players:
                known = rng.choice(services)
                count = kept[player] + 25
                everything = [{**event(i), "id": f"{player}-{i}"} for i in range(kept[player], count)]
                answer = ask(known.address, f"/v1/players/{player}/events", everything)
                assert answer["beliefs"][-1]["seq"] == count
                assert answer["beliefs"][-1]["goals"] == expected(count)
                kept[player] = count


def send_until_killed(victim: RunningService, rng: Random, players: list[str], kept: Counter[str]) -> None:
    """Send every player's next 25 events over one process, and kill it meanwhile; check what it acknowledged."""
    last = rng.randrange(len(players) * 5)
    with connect(victim.stream_address) as stream:
        for number in range(5):
            for player in players:
                first = kept[player] + number * 5
                mine = [{**event(i), "id": f"{player}-{i}"} for i in range(first, first + 5)]
                stream.send(json.dumps({"seq": first + 5, "player": player, "events": mine, "quiet": True}))
        try:
            for answered in range(len(players) * 5):
                if answered == last:
                    victim.kill()
                answer = json.loads(stream.recv(20))
                assert answer["ack"] == answer["beliefs"][0]["seq"], answer
        except ConnectionClosed:
            pass
    if victim.process.poll() is None:
        victim.kill()
