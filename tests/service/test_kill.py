"""Kills: whatever was acknowledged is there after a restart, once, and beliefs are those of an uninterrupted run."""

import json
from collections import Counter
from pathlib import Path
from random import Random
from urllib.request import urlopen

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import telos
from service.processes import RunningService, event, running

PLAYERS = ("ann", "bob", "cat")


def send_until_killed(service: RunningService, sent: Counter[str], kill_after: int) -> Counter[str]:
    """Send events with ids, many before the first answer; kill the service, and return what was acknowledged."""
    acknowledged = Counter(sent)
    with connect(service.stream_address) as stream:
        for number in range(60):
            player = PLAYERS[number % len(PLAYERS)]
            mine = [{**event(sent[player] + i), "id": f"{player}-{sent[player] + i}"} for i in range(5)]
            stream.send(json.dumps({"seq": number, "player": player, "events": mine, "quiet": True}))
            sent[player] += 5
        try:
            for answered in range(60):
                if answered == kill_after:
                    service.kill()
                answer = json.loads(stream.recv())
                assert not answer.get("problems"), answer
                (belief,) = answer["beliefs"]
                acknowledged[belief["player"]] = belief["seq"]
        except ConnectionClosed:
            pass
    if service.process.poll() is None:
        service.kill()
    return acknowledged


@pytest.mark.parametrize("rounds", [3, pytest.param(100, marks=pytest.mark.slow)])
def test_what_was_acknowledged_survives_every_kill(rounds: int, tmp_path: Path) -> None:
    rng, kept = Random(rounds), Counter[str]()
    options = ("--model", "adventure", "--data", tmp_path / "data")
    for _ in range(rounds):
        service = RunningService(*options, errors=tmp_path / "errors")
        acknowledged = send_until_killed(service, Counter(kept), rng.randrange(60))
        with running(*options, errors=tmp_path / "errors") as again:
            for player in PLAYERS:
                if not acknowledged[player]:
                    continue
                with urlopen(f"{again.address}/v1/players/{player}", timeout=20) as answer:
                    known = json.load(answer)
                assert known["seq"] >= acknowledged[player]
                reader = telos.recognizer("adventure")
                for number in range(known["seq"]):
                    each = event(number)
                    reader.observe(telos.Event(each["action"], each["context"], time=each["time"]))
                assert known["goals"] == dict(reader.belief)
                kept[player] = known["seq"]


def test_events_sent_again_after_a_kill_count_once(tmp_path: Path) -> None:
    options = ("--model", "adventure", "--data", tmp_path / "data")
    service = RunningService(*options, errors=tmp_path / "errors")
    send_until_killed(service, Counter(), kill_after=20)
    with running(*options, errors=tmp_path / "errors") as again:
        everything = [{**event(i), "id": f"ann-{i}"} for i in range(100)]
        with connect(again.stream_address) as stream:
            stream.send(json.dumps({"seq": 1, "player": "ann", "events": everything}))
            answer = json.loads(stream.recv())
        assert not answer.get("problems"), answer
        assert answer["beliefs"][-1]["seq"] == 100
