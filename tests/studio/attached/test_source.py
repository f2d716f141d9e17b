"""The studio fetches traces of games that run: of a Python game, and of a service that games of any engine tell."""

import json
import socket
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("msgspec", reason='the studio needs pip install "telos[studio]"')

import telos
from service.processes import running
from service.servers import free_port
from studio.attached.games import shop, until
from telos.studio.attached import LiveSource, TraceRecorder, attached_world, load_recording, parse_address
from telos.studio.attached.source import GameAddress, SourceNote
from telos.studio.session import Session


def notes(source: LiveSource) -> list[str]:
    found = [source.entry(number) for number in range(source.count)]
    return [entry.text for entry in found if isinstance(entry, SourceNote)]


def follow(session: Session, what: Any) -> Any:
    """Let a session take what comes until something is the case."""

    def is_met() -> Any:
        session.advance()
        return what()

    return until(is_met)


def play_until(crowd: telos.Crowd, source: LiveSource, what: Any) -> Any:
    """Run frames until something is the case."""

    def is_met() -> Any:
        crowd.tick(max(0.0, crowd.schedule.now) + 0.1)
        return what()

    return until(is_met)


def test_game_ends_starts_again_and_is_seen_again(tmp_path: Path) -> None:
    port = free_port()
    recorder = TraceRecorder(tmp_path / "both.jsonl")
    source = LiveSource(parse_address(f"{port}"), keep=recorder.write)
    session = Session(attached_world(source), 0)
    try:
        until(lambda: "no game answers" in source.status)
        for run in range(2):
            crowd = shop()
            with telos.studio.attach(crowd, name="shop", port=port, quiet=True):
                play_until(crowd, source, lambda run=run: len(notes(source)) > 2 * run)  # type: ignore[misc]
                play_until(crowd, source, lambda: session.advance() or session.minds() == ("Ann", "Bob"))
            until(lambda run=run: notes(source)[2 * run + 1 :])  # type: ignore[misc]
        follow(session, lambda: session.event_log.lines and "started again" in str(session.event_log.lines))
    finally:
        source.close()
        recorder.close()
    assert notes(source) == ["shop is there", "shop does not answer any more"] * 2
    texts = [line.text for line in session.event_log.lines if line.kind == "game"]
    assert "shop has started again" in texts
    assert texts.count("shop has ended") == 2
    assert load_recording(tmp_path / "both.jsonl").count > 2


def test_pause_reaches_game_and_character_that_is_looked_at() -> None:
    crowd = shop()
    with telos.studio.attach(crowd, quiet=True) as attached:
        source = LiveSource(parse_address(attached.address))
        session = Session(attached_world(source), 0)
        try:
            play_until(crowd, source, lambda: session.advance() or "Bob" in session.minds())
            session.mind("Bob")
            play_until(crowd, source, lambda: attached._outlet.looks_at == "Bob")
            session.pause(True)
            until(lambda: attached.paused)
            play_until(crowd, source, lambda: session.advance() or session.frame_data["hud"]["message"])
            session.pause(False)
            until(lambda: not attached.paused)
        finally:
            source.close()


def test_faulty_trace_is_told_and_does_not_spoil_others() -> None:
    crowd = shop()
    with telos.studio.attach(crowd, quiet=True) as attached:
        source = LiveSource(parse_address(attached.address))
        try:
            until(lambda: attached.is_watched)
            attached.draw("ways", [{"kind": "blob"}])
            play_until(crowd, source, lambda: any("is refused" in note for note in notes(source)))
            attached.draw("ways", [])
            play_until(crowd, source, lambda: len(source.traces()) > 1)
        finally:
            source.close()
    assert any("'blob'" in note and "channels" in note for note in notes(source))


def test_full_disk_ends_recording_and_not_looking(tmp_path: Path) -> None:
    def keep(trace: object) -> None:
        raise OSError("no space left")

    crowd = shop()
    with telos.studio.attach(crowd, quiet=True) as attached:
        source = LiveSource(parse_address(attached.address), keep=keep)
        try:
            play_until(crowd, source, lambda: len(source.traces()) > 2)
        finally:
            source.close()
    assert [note for note in notes(source) if "recorded" in note] == ["nothing more is recorded: no space left"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", "no attached game"),
        (b'HTTP/1.1 200 OK\r\ncontent-length: 16\r\n\r\n{"games": [{}]} ', "no attached game"),
        (b"HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n[]", "HTTP 404"),
        (b"SSH-2.0-OpenSSH\r\n", "no game answers"),
        (b"", "no game answers"),
    ],
    ids=str,
)
def test_what_is_no_game_is_told_and_tried_again(answer: bytes, words: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(20)
        source = LiveSource(parse_address(f"{listener.getsockname()[1]}"))
        try:
            for _ in range(2):  # it comes again
                connection, _ = listener.accept()
                with connection:
                    connection.recv(4_000)
                    connection.sendall(answer)
            until(lambda: words in source.status)
        finally:
            source.close()


@pytest.mark.parametrize("host", ["a..b", "no such host", "x" * 300])
def test_host_that_is_none_is_told(host: str) -> None:
    source = LiveSource(GameAddress(host, 8710))
    try:
        until(lambda: "no game answers" in source.status)
    finally:
        source.close()


def test_wrong_token_is_told(tmp_path: Path) -> None:
    with telos.studio.attach(shop(), quiet=True, token="0123456789abcdef") as attached:
        source = LiveSource(parse_address(attached.address), token="fedcba9876543210")
        try:
            until(lambda: "refuses the token" in source.status)
        finally:
            source.close()


def test_game_of_any_engine_is_seen_through_service(tmp_path: Path) -> None:
    with running(errors=tmp_path / "errors") as service:
        source = LiveSource(parse_address(service.address))
        session = Session(attached_world(source), 0)

        def post(**trace: Any) -> dict[str, Any]:
            request = Request(f"{service.address}/v1/traces", json.dumps({"game": "farm", **trace}).encode())
            with urlopen(request, timeout=10) as answer:
                found: dict[str, Any] = json.load(answer)
            return found

        try:
            until(lambda: "no game has sent" in source.status)
            post(minds=[{"name": "Ann", "goal": "eat", "x": 3, "y": 4}])  # without a time
            until(lambda: source.count and not source.status)
            until(lambda: post(values={"wolves": 1})["watched"])
            session.pause_when("time >= 0")
            follow(session, lambda: session.minds() == ("Ann",) and "wolves" in session.stage.facts())
            session.pause(True)
            until(lambda: post()["paused"])
            post(paused=True, end=True)
            until(lambda: source.status == "farm has ended")
        finally:
            source.close()
