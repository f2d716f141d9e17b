"""Pause conditions over goals and actions of minds, in every world with minds: the words parse, and they trigger."""

import pytest

from telos.studio.session import Session
from telos.studio.stage import world
from telos.worlds.registry import WORLDS

SETTINGS = {"adventure": {"plays": "newcomer"}, "forge": {"play": "key"}}
MAX_STEPS = 900


def values_of(session: Session) -> dict[str, object]:
    return dict(session._values(()))


@pytest.mark.parametrize("name", WORLDS)
def test_goal_and_action_of_minds_pause_the_game(name: str) -> None:
    session = Session(world(name), 3, SETTINGS.get(name, {}))
    for _ in range(60):
        session.advance()
    rows = [row for row in values_of(session) if row.endswith((".goal", ".action"))]
    assert any(row.endswith(".goal") for row in rows), rows
    assert any(row.endswith(".action") for row in rows), rows
    before = {row: values_of(session)[row] for row in rows}
    probe, changed = Session(world(name), 3, SETTINGS.get(name, {})), ("", "")
    for step in range(MAX_STEPS):
        probe.advance()
        now = values_of(probe)
        new = [(row, str(now[row])) for row in rows if step > 60 and now.get(row) not in (before[row], "", None)]
        if new:
            changed = new[0]
            break
    row, value = changed
    assert row, "nothing changes in this game"
    session.pause_when(f"{row} == {value}")
    for _ in range(MAX_STEPS):
        session.advance()
        if session.stopped:
            break
    assert session.stopped.endswith(f"{row} == {value}")
    assert values_of(session)[row] == value
