"""Every client passes the shared test vectors against a real service, over a network that breaks."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clients.clients import driver_command, lacking, load_script

CLIENTS = ["python-sync", "python-async", "javascript", "csharp"]
runner = load_script("run")
SAMPLE = ("beliefs", "resume", "restart")  # of what the two clients for Python share, for the second
RUNS = [
    pytest.param(client, vector, marks=[pytest.mark.slow] if client == "python-async" and vector not in SAMPLE else [])
    for client in CLIENTS
    for vector in runner.NAMES
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    service = runner.Service(tmp_path_factory.mktemp("shared"), {})
    yield service
    service.kill()


@pytest.fixture(scope="module")
def command_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[str]]:
    commands: dict[str, list[str]] = {}

    def find(client: str) -> list[str]:
        if client not in commands:
            commands[client] = driver_command(client, tmp_path_factory.mktemp(client))
        return commands[client]

    return find


@pytest.mark.parametrize(("client", "vector"), RUNS)
def test_clients_pass_the_vectors(
    client: str, vector: str, shared: Any, command_of: Callable[[str], list[str]], tmp_path: Path
) -> None:
    if reason := lacking(client):
        pytest.skip(reason)
    runner.run_vector(command_of(client), vector, tmp_path, shared)


def rounded(text: str) -> Any:
    """Return JSON whose numbers are rounded to what the vectors promise."""
    return json.loads(text, parse_float=lambda number: round(float(number), 8))


def test_vectors_are_what_the_library_says() -> None:
    maker = load_script("make")
    assert sorted(maker.MAKERS) == runner.NAMES
    for name, make in maker.MAKERS.items():
        assert rounded((runner.VECTORS / f"{name}.json").read_text(encoding="utf-8")) == rounded(maker.to_text(make()))


@pytest.mark.parametrize(
    ("expected", "found", "word"),
    [
        ({"seq": 2}, {"seq": 3}, "answer.seq"),
        ({"goals": {"level": 0.5}}, {"goals": {"level": 0.5 + 2e-9}}, "goals.level"),
        ({"taken": 1}, {"taken": True}, "taken"),
        ({"belief": None}, {"belief": {}}, "belief"),
        ({"notices": [1]}, {"notices": []}, "list"),
        ({"detail": {"$contains": "fly"}}, {"detail": "swim"}, "fly"),
        ({"n": {"$at-least": 3}}, {"n": 2}, "3 or more"),
        ({"n": {"$includes": [1, 2]}}, {"n": [2, 1]}, "number 1"),
        ({"n": {"$sum": {"of": "count", "where": {"kind": "a"}, "is": 3}}}, {"n": [{"kind": "b", "count": 3}]}, "sums"),
        ({"settled": True}, {"error": "closed"}, "settled"),
    ],
)
def test_what_differs_from_a_vector_is_named(expected: Any, found: Any, word: str) -> None:
    assert word in runner.difference(expected, found)
