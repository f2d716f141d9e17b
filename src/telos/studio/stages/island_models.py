"""The recogniser of the island: Markov logic, with weights from simulated players."""

from functools import lru_cache
from importlib.resources import files
from importlib.util import find_spec

from telos.core.errors import DefinitionError, Fault, FaultCode
from telos.recognition.files.front import fresh
from telos.recognition.recognizer import Recognizer
from telos.studio.stage import Model

FILE = "island.mln"


def island_models() -> tuple[Model, ...]:
    """Return the recogniser; none where NumPy is missing, which it needs."""
    if find_spec("numpy") is None:
        return ()
    return (Model("mln", "Markov logic", _text(), FILE, language="text", make=made),)


def made(text: str) -> Recognizer:
    """Make a recogniser from formulas, or raise with all their faults."""
    from telos.logic.syntax import parse_mln  # NumPy is an extra
    from telos.recognition.markov_logic import GOAL, MarkovLogicModel

    logic = parse_mln(text, FILE)
    if GOAL not in logic.predicates:
        fault = "no formula speaks of the predicate goal(time, goal!)"
        raise DefinitionError(
            [
                Fault(
                    fault,
                    suggestion="declare it, and say what speaks for goals",
                    file=FILE,
                    line=1,
                    code=FaultCode.INCOMPLETE,
                )
            ]
        )
    return fresh(MarkovLogicModel(logic, name="island"))


@lru_cache(maxsize=1)
def _text() -> str:
    return files("telos.recognition").joinpath("data", "trained", FILE).read_text(encoding="utf-8")
