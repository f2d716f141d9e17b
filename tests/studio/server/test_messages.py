"""Messages of the browser, valid and malformed."""

import json
import random

import pytest

from studio.tiny import LINE
from telos.studio.server.game import MAX_CHARACTERS, handle_message
from telos.studio.session import Session


def said(session: Session, **message: object) -> str:
    return handle_message(session, json.dumps(message))


def test_each_message_has_its_effect() -> None:
    session = Session(LINE)
    assert said(session, do="held", keys="right") == ""
    assert said(session, do="pause", on=True) == ""
    assert said(session, do="step") == ""
    assert (session.stage.x, session.last, session.paused) == (1, 1, True)
    assert said(session, do="ask", text="poke jump") == ""
    assert said(session, do="step") == ""
    assert session.stage.x == 7
    assert said(session, do="speed", to=4) == ""
    assert session.speed == 4
    assert said(session, do="scrub", to=1) == ""
    assert session.shown == 1
    assert said(session, do="scrub", to=None) == ""
    assert said(session, do="pause", on=False) == ""
    assert (session.shown, session.paused) == (None, False)


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("NaN", "not JSON"),
        ("[1, 2]", '"do"'),
        ('{"do": 7}', '"do"'),
        ('{"do": "puase", "on": true}', "did you mean 'pause'?"),
        ('{"do": "pause", "on": 1}', '"on"'),
        ('{"do": "speed", "to": 1e6}', "0.25, 0.5, 1, 2, 4, 8"),
        ('{"do": "speed", "to": "2"}', '"to"'),
        ('{"do": "scrub", "to": true}', '"to"'),
        ('{"do": "held", "keys": null}', '"keys"'),
        ("x" * (MAX_CHARACTERS + 1), "at most 4096"),
        (b"\xff\xfe", "not JSON"),
    ],
)
def test_invalid_message_is_refused_without_effect(message: str | bytes, answer: str) -> None:
    session = Session(LINE)
    before = session.frame()
    assert answer in handle_message(session, message)
    assert session.frame() == before


def malformed(rng: random.Random) -> str | bytes:
    """Return a random message, usually malformed."""
    values: list[object] = [None, True, -1, 2**70, 1e308, "", "up" * 300, [], {}, [[[]]], {"a": {}}, "\0", "💥", 0.5]
    deeds = ["held", "ask", "pause", "step", "speed", "scrub", "apply", "__init__", "", "eval", None, 3]
    message = {
        rng.choice(["do", "keys", "to", "on", "text", "is"]): rng.choice(values) for _ in range(rng.randrange(4))
    }
    message["do"] = rng.choice(deeds)
    text = json.dumps(message)
    match rng.randrange(5):
        case 0:
            return text[: rng.randrange(len(text))]
        case 1:
            at = rng.randrange(len(text))
            return text[:at] + chr(rng.randrange(1, 0xD7FF)) + text[at + 1 :]
        case 2:
            return rng.randbytes(rng.randrange(60))
        case 3:
            return "[" * rng.randrange(1, 3000)
        case _:
            return text


def test_malformed_messages_neither_break_nor_steer_game() -> None:
    rng = random.Random(8)
    session = Session(LINE)
    for _ in range(5_000):
        answer = handle_message(session, malformed(rng))
        assert isinstance(answer, str)
        assert len(answer) < 300
        if rng.random() < 0.02:
            session.advance()
        session.pause(False)
    assert set("".join(entry.held for entry, _ in session.log.runs)) == set()  # no key of theirs means anything here
    assert session.first <= session.last
