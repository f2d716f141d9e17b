"""Thrashing: the rule against a plain reading of it, and where a session reports it."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from studio.tiny import LINE, Line
from telos.core.errors import TelosError
from telos.studio.session import Session
from telos.studio.worlds.home import HOME
from telos.thrashing import CHANGES, SECONDS, Thrashing, find_thrashing

LABELS = st.lists(st.sampled_from(["cover", "attack", "patrol", ""]), min_size=1, max_size=60)


def to_row(labels: list[str]) -> list[tuple[int, str]]:
    """Return the changes of a label that is given for each frame."""
    return [(at, label) for at, label in enumerate(labels) if at == 0 or labels[at - 1] != label]


def oracle(labels: list[str], frame: int, rate: float) -> Thrashing | None:
    """Walk back frame by frame, as long as it is in the window and only the last two goals occur."""
    known = labels[: frame + 1]
    goals = list(dict.fromkeys(reversed(known)))[:2]
    changes = 0
    for at in range(len(known) - 1, 0, -1):
        if at <= frame - SECONDS * rate or known[at - 1] not in goals:
            break
        changes += known[at] != known[at - 1]
    is_so = len(goals) == 2 and "" not in goals and changes >= CHANGES
    return Thrashing((min(goals), max(goals)), changes) if is_so else None


@given(LABELS, st.integers(0, 70), st.sampled_from([1.0, 4.0, 10.0, 30.0]))
@example(["cover", "attack"] * 5, 9, 10.0)
@example(["cover", "attack"] * 5 + ["attack"] * 20, 27, 10.0)
def test_rule_agrees_with_plain_reading(labels: list[str], frame: int, rate: float) -> None:
    assert find_thrashing(to_row(labels), frame, rate) == oracle(labels, frame, rate)


@pytest.mark.parametrize(
    "labels",
    [
        ["cover"] * 40,
        ["cover", "attack", "patrol"] * 10,  # changes often, but not back and forth
        (["cover"] * 9 + ["attack"] * 9) * 4,  # back and forth, but slowly
        ["cover", "attack", "cover", "attack"],  # three changes
    ],
)
def test_rule_is_silent_about_other_changes(labels: list[str]) -> None:
    assert find_thrashing(to_row(labels), len(labels) - 1, rate=10) is None


class Wavering(Line):
    """A walker who changes the goal at every second step for a while."""

    def bands(self) -> Mapping[str, str]:
        is_wavering = 10 <= self.steps < 30
        return {"walker": "east" if is_wavering and self.steps % 4 < 2 else "west"}


class Busy(Wavering):
    """The same walker, whose row shows actions."""

    def action_rows(self) -> Sequence[str]:
        return ("walker",)


def session(stage: type[Line] = Wavering) -> Session:
    world = LINE.__class__("line", "A line", "for tests", LINE.settings, stage)
    return Session(world, 1)


def advance(game: Session, steps: int) -> None:
    for _ in range(steps):
        game.advance()


def test_session_flags_thrashing_in_frame_log_and_history() -> None:
    game = session()
    advance(game, 25)
    assert game.frame_data["thrashing"] == {"walker": "east ↔ west"}
    assert game.thrashing()["walker"].startswith("thrashing: east ↔ west, ")
    advance(game, 35)
    assert game.frame_data["thrashing"] == {} == game.thrashing()
    lines = [line for line in game.event_log.lines if line.kind == "thrashing"]
    assert [line.text.split(":")[0] for line in lines] == ["thrashing", "no longer thrashing"]
    marks = game.history()["thrashing"]["walker"]
    assert [label for _, label in marks] == ["", "east ↔ west", ""]
    game.scrub(lines[0].frame)
    assert "walker" in game.thrashing()
    game.scrub(lines[0].frame - 1)
    assert game.thrashing() == {}


def test_pause_condition_stops_when_thrashing_begins() -> None:
    game = session()
    game.pause_when("walker.thrashing")
    while not game.paused:
        game.advance()
    assert game.event_log.lines[-1].kind == "thrashing"
    assert game.event_log.lines[-1].frame == game.last


def test_two_actions_in_turn_are_no_thrashing() -> None:
    game = session(Busy)
    advance(game, 60)
    assert game.history()["thrashing"] == {}
    with pytest.raises(TelosError, match=r"walker\.thrashing"):
        game.pause_when("walker.thrashing")


def test_cooks_of_home_are_not_flagged() -> None:
    game = Session(HOME, 7)
    advance(game, 100)  # a cook stops for a minute between the steps of a meal
    row = game.history()["bands"]["Dan"]
    assert any(find_thrashing(row, frame, game.stage.rate) for frame in range(100)), "by the rule for goals"
    assert game.history()["thrashing"] == {}
