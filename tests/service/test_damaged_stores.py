"""A store is data from outside: what no service can have written is refused, for the player concerned alone."""

import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from starlette.testclient import TestClient

from service.test_app import event, service_of
from telos import TelosError
from telos.service import LivePlayers, ModelShelf, SqliteStore, create_app

Change = tuple[str, tuple[Any, ...]]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the database of a service that ended in order, with two players of three events each."""
    file = tmp_path_factory.mktemp("store") / "service.db"
    with TestClient(create_app(service_of(store=SqliteStore(file)))) as client:
        for time in range(3):
            for player in ("ann", "bob"):
                assert client.post(f"/v1/players/{player}/events", json=event(time)).status_code == 200
    return file.read_bytes()


def change_state(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], Change]:
    def changed(state: bytes) -> Change:
        data = json.loads(state)
        change(data)
        return "UPDATE snapshots SET state = ? WHERE player = 'ann'", (json.dumps(data).encode(),)

    return changed


def sql(*statements: str) -> Callable[[bytes], Change]:
    return lambda _: ("; ".join(statements), ())


DAMAGES: list[tuple[Callable[[bytes], Change], str]] = [
    (sql("UPDATE snapshots SET state = x'ff00' WHERE player = 'ann'"), "JSON is malformed"),
    (sql("UPDATE snapshots SET state = 'x' WHERE player = 'ann'"), "SnapshotRow: Expected `bytes`"),
    (sql("UPDATE snapshots SET seq = 'x' WHERE player = 'ann'"), "SnapshotRow: Expected `int`"),
    (sql("UPDATE snapshots SET seq = 2 WHERE player = 'ann'", "DELETE FROM events"), "3 events, and the last .* is 2"),
    (sql("UPDATE snapshots SET seq = -5 WHERE player = 'ann'"), "after event -5 comes event 1"),
    (sql("UPDATE snapshots SET version = 9 WHERE player = 'ann'"), "no version 9 of the model 'adventure'"),
    (
        sql("DELETE FROM snapshots", "DELETE FROM events WHERE player = 'ann' AND seq = 2"),
        "after event 1 comes event 3",
    ),
    (sql("DELETE FROM snapshots", "UPDATE events SET body = x'ff' WHERE player = 'ann'"), "JSON is malformed"),
    (sql("DELETE FROM snapshots", "UPDATE events SET time = 'x' WHERE player = 'ann'"), "EventRow: Expected `float`"),
    (sql("DELETE FROM heads WHERE player = 'ann'"), "0 events, and the last that is there is 3"),
    (change_state(lambda state: state.pop("reader")), "missing required field `reader`"),
    (change_state(lambda state: state.update(time="noon")), "got `str` - at `\\$.time`"),
    (change_state(lambda state: state.update(top="sleep")), "there is no goal 'sleep'"),
    (change_state(lambda state: state.update(recent=[1])), "at `\\$.recent\\[0\\]`"),
    (change_state(lambda state: state["reader"].update(chances=[5, -4, 0])), "chances\\[0\\] must be at most 1"),
    (change_state(lambda state: state.update(reader={})), "saved reader: player is missing"),
]


def spoil(file: Path, good: bytes, damage: Callable[[bytes], Change]) -> None:
    file.write_bytes(good)
    with sqlite3.connect(file) as database:
        (state,) = database.execute("SELECT state FROM snapshots WHERE player = 'ann'").fetchone()
        statements, values = damage(state)
        for statement in statements.split("; "):
            database.execute(statement, values)
    database.close()


@pytest.mark.parametrize(("damage", "words"), DAMAGES)
def test_a_damaged_player_is_refused_and_others_are_read(
    damage: Callable[[bytes], Change], words: str, good: bytes, tmp_path: Path
) -> None:
    spoil(tmp_path / "service.db", good, damage)
    with TestClient(create_app(service_of(store=SqliteStore(tmp_path / "service.db")))) as client:
        batch = {"seq": 1, "batch": [{"player": each, "events": [event(9)]} for each in ("ann", "zoe")]}
        with client.websocket_connect("/v1/stream") as socket:
            socket.send_json(batch)
            told = socket.receive_json()
        asked = client.get("/v1/players/ann")
        assert [each["player"] for each in told["beliefs"]] == ["zoe"]  # in the same batch
        assert told["problems"]["ann"]["type"] == "telos:internal"
        assert asked.status_code == 500
        for problem in (told["problems"]["ann"], asked.json()):
            assert problem["detail"].startswith("the store is damaged: ")
            assert re.search(words, problem["detail"])
        assert client.delete("/v1/players/ann").status_code == 200  # the remedy that is named
        assert client.post("/v1/players/ann/events", json=event()).json()["beliefs"][0]["seq"] == 1


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("UPDATE models SET text = x'ff'", "ModelRow: Expected `str`, got `bytes`"),
        ("UPDATE models SET version = 'x'", "ModelRow: Expected `int`, got `str`"),
        ("DROP TABLE models", None),  # it is made again
    ],
)
def test_a_damaged_model_is_refused_at_the_start(damage: str, words: str | None, good: bytes, tmp_path: Path) -> None:
    spoil(tmp_path / "service.db", good, sql(damage))
    store = SqliteStore(tmp_path / "service.db")
    if words is None:
        assert ModelShelf(store).names == ()
    else:
        with pytest.raises(TelosError, match=f"the store is damaged: {words}"):
            ModelShelf(store)
    store.close()


def test_a_spoilt_file_is_refused_or_answered(good: bytes, tmp_path: Path) -> None:
    rng, answers = Random(4), 0
    for number in range(40):
        data = bytearray(good)
        for _ in range(rng.choice((1, 30, 400))):
            data[rng.randrange(100, len(data))] = rng.randrange(256)
        file = tmp_path / f"{number}.db"
        file.write_bytes(data[: rng.randrange(len(data))] if number % 5 == 0 else data)
        try:
            service = service_of(store=SqliteStore(file))
        except TelosError:
            continue
        with TestClient(create_app(service)) as client:
            for player in ("ann", "bob"):
                told = client.get(f"/v1/players/{player}")
                answers += told.status_code == 200
                assert "the service has failed" not in told.text
                if told.status_code == 200:
                    assert sum(told.json()["goals"].values()) == pytest.approx(1)
    assert answers > 10


def test_a_damaged_player_does_not_keep_old_events_of_others(good: bytes, tmp_path: Path) -> None:
    file = tmp_path / "service.db"
    spoil(file, good, sql("DELETE FROM snapshots", "UPDATE events SET body = x'ff' WHERE player = 'ann'"))
    store = SqliteStore(file)
    players = LivePlayers(ModelShelf(store), store)
    assert not players.prune(10**12, limit=1)  # ann is the first
    assert players.prune(10**12, limit=2)
    assert not players.prune(10**12, limit=2)
    assert [len(store.load("adventure", each).events) for each in ("ann", "bob")] == [3, 0]
    store.close()
