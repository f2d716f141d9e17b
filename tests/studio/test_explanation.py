"""Explanations as data: net evidence by cause, in plain words, for the recognisers of every world."""

import math
import re

import pytest

from telos.core.event import Event
from telos.recognition.files.load import create_recognizer, named_model
from telos.recognition.filtering import Reader
from telos.recognition.recognizer import CHANGED, EARLIER
from telos.studio.explanation import explain
from telos.studio.glossary import SEEN
from telos.studio.session import Session
from telos.studio.stage import world
from telos.worlds.adventure.recognizer import READERS

TECHNICAL = re.compile(r"\(t|_|[a-z]\d|wasted|log-odds")


def test_net_evidence_by_cause_sums_to_the_total() -> None:
    reader = create_recognizer(named_model("wilds"))
    assert isinstance(reader, Reader)
    for number, action in enumerate(["swing", "right", "swing", "stop", "swing", "left"] * 3):
        reader.observe(Event(action, {"monsters": 3, "monster_near": True}, time=float(number)))
    why = reader.why()
    assert math.isclose(sum(each.log_odds or 0.0 for each in why.reasons), why.total, abs_tol=1e-9)
    causes = [each.cause for each in why.reasons]
    assert len(causes) == len(set(causes)), "each cause once, whatever cancels out"
    assert {EARLIER, CHANGED} <= set(causes)
    sizes = [abs(each.log_odds or 0.0) for each in why.reasons]
    assert sizes == sorted(sizes, reverse=True)
    assert next(each.times for each in why.reasons if each.cause == "swing") == 5


@pytest.mark.parametrize("name", sorted({file for files in READERS.values() for file in files.values()}))
def test_everything_that_models_see_has_plain_words(name: str) -> None:
    model = named_model(name)
    symbols = getattr(model, "outcomes", None) or getattr(model, "symbols", None)
    assert set(getattr(symbols, "names", ())) <= set(SEEN)


@pytest.mark.parametrize(("name", "settings"), [("forge", {"plays": "mind"}), ("island", {}), ("adventure", {})])
def test_explanations_of_a_game_are_in_plain_words(name: str, settings: dict[str, str]) -> None:
    session = Session(world(name), 3, settings)
    for step in range(240):
        if session.stage.keys:
            session.hold(["right", "swing", "up", ""][step // 20 % 4])
        session.advance()
    for reader in session.recognizers.names:
        lines = explain(session.recognizers.readers[reader], session.recognizers.beliefs[reader])
        assert len(lines) >= 2
        for line in lines:
            assert not TECHNICAL.search(line.words), line.words
