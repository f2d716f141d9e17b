"""Every world replays exactly from its log, and inspection changes nothing."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.studio.recording import parse_game_log
from telos.studio.session import Session
from telos.studio.stage import world
from telos.worlds.registry import WORLDS

LONGEST = 25  # steps between two acts: what is told below must stay cheap
acts = st.lists(
    st.tuples(st.sampled_from(["hold", "ask", "apply", "scrub", "look"]), st.integers(0, 99), st.integers(0, LONGEST)),
    max_size=6,
)
choices = st.integers(0, 99)


def chosen(name: str, number: int) -> dict[str, str]:
    """Return settings of a world, chosen by a number."""
    found = {}
    for setting in world(name).settings:
        if setting.options:
            number, at = divmod(number * 7 + 3, len(setting.options))
            found[setting.name] = setting.options[at]
    return found


def act(session: Session, deed: str, number: int, *, is_looked_at: bool) -> None:
    """Do something that a page may do."""
    stage = session.stage
    match deed:
        case "hold":
            names = sorted({name for _, name, _ in stage.keys})
            session.hold("+".join(name for at, name in enumerate(names) if number >> at & 1))
        case "ask":
            offered = [*(f"poke {poke.name}" for poke in stage.pokes()), *stage.commands(), "dance"]
            session.ask(offered[number % len(offered)])
        case "apply":
            models = [model for model in stage.models() if model.editable]
            if models:
                model = models[number % len(models)]
                text = session.recognizers.texts.get(model.name, model.text)
                session.apply(model.name, f"{text}\n# {number}\n" if model.language == "YAML" else text)
        case "scrub" | "look" if is_looked_at:
            session.scrub(number if deed == "scrub" else None)
            looked_at(session)


def looked_at(session: Session) -> None:
    """Look at all there is to see."""
    session.frame()
    session.history()
    session.recording()
    session.stage.recording()
    session._values(())
    for who in session.minds():
        mind_view = session.mind(who)
        if mind_view is not None:
            for what in [*mind_view.actions, *(goal.name for goal in mind_view.goals)][:4]:
                with suppress(TelosError):
                    session.why_not(who, what)
    if session.happenings:
        for reader in (None, *session.recognizers.names):
            session.why(len(session.happenings) - 1, reader)


def played(name: str, seed: int, number: int, acts: list[tuple[str, int, int]], *, is_looked_at: bool) -> Session:
    session = Session(world(name), seed, chosen(name, number))
    for deed, which, steps in acts:
        act(session, deed, which, is_looked_at=is_looked_at)
        for _ in range(steps):
            session.advance()
    return session


def told(session: Session) -> dict[str, Any]:
    """Return everything that a page shows of a game."""
    frames = []
    for number in range(session.first, session.last + 1):
        session.scrub(number)
        frames.append({**json.loads(session.frame()), "live": None})
    score = {name: dict(counts) for name, counts in session.scoreboard.confusion.items()}
    return {"frames": frames, "history": session.history(), "score": score, "log": session.log.to_bytes()}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name == "island" else []) for name in WORLDS]
)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(seed=choices, number=choices, acts=acts)
def test_replay_from_log_is_exact_and_inspection_changes_nothing(
    name: str, seed: int, number: int, acts: list[tuple[str, int, int]]
) -> None:
    alone = told(played(name, seed, number, acts, is_looked_at=False))
    assert told(played(name, seed, number, acts, is_looked_at=True)) == alone
    log = parse_game_log(alone["log"])
    again = Session(world(log.world), log.seed, log.settings, script=log.entries())
    while again.is_scripted:
        again.advance()
    assert told(again) == alone
