"""The village shows itself to the studio: its map, the ways of the villagers, its wolves and values."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("msgspec", reason='the studio needs pip install "telos[studio]"')

from studio.attached.games import until
from telos.studio.attached import LiveSource, attached_world, parse_address
from telos.studio.session import Session

LIVE = Path(__file__).parents[2] / "examples" / "attached" / "live.py"


def test_village_shows_itself_to_studio() -> None:
    command = [sys.executable, str(LIVE), "60"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as game:
        assert game.stderr is not None
        source = LiveSource(parse_address(game.stderr.readline().split()[-1]))
        session = Session(attached_world(source), 0)
        try:

            def is_met() -> bool:
                session.advance()
                groups = {shape[1] for shape in session.frame_data["pic"] if shape[0] == "g"}
                return {"wolves", "ways"} <= groups and len(session.minds()) == 20

            until(is_met, seconds=60)
            facts = session.stage.facts()
            assert {"loaves", "fleeing"} <= facts.keys()
            assert any(view.goals for who in session.minds() if (view := session.mind(who)) is not None)
        finally:
            source.close()
            game.kill()
