"""The two readers of the player as files: the domain that everybody plans with, and a grammar written by hand."""

from collections.abc import Sequence

from telos.core.errors import DefinitionError, Fault, FaultCode
from telos.core.files.text import read_text
from telos.recognition.grammar.load import loads_grammar
from telos.recognition.grammar.reader import PlanGrammarReader
from telos.recognition.recognizer import Recognizer
from telos.studio.stage import Model
from telos.worlds.forge.domain import DATA, DOMAIN, PLANS
from telos.worlds.forge.forge import Forge
from telos.worlds.forge.readers import by_planning

PLANNING, GRAMMAR = "planning", "grammar"
_FILE = DATA / "grammar.yaml"


def models(mode: str, grammar: str | None = None) -> Sequence[Model]:
    """Return both readers, the one that the companion reads by first; ``grammar`` is the one in force, if not its own.

    >>> [model.name for model in models("parses")]
    ['grammar', 'planning']
    """
    has_friend = mode != "none"

    def plan_reader(text: str) -> Recognizer:
        return by_planning(Forge(companion=has_friend))

    planning = Model(PLANNING, "By planning", read_text(DOMAIN), DOMAIN.name, editable=False, make=plan_reader)
    text = read_text(_FILE) if grammar is None else grammar
    parsing = Model(GRAMMAR, "By grammar", text, _FILE.name, make=grammar_reader)
    return (parsing, planning) if mode == "parses" else (planning, parsing)


def grammar_reader(text: str) -> PlanGrammarReader:
    """Return a reader that parses by a grammar, which has to know all ways through the door, and no other."""
    grammar = loads_grammar(text, name=_FILE.name)
    reader = PlanGrammarReader(grammar)
    missing = [plan for plan in PLANS if plan not in reader.goals]
    strange = [goal for goal in reader.goals if goal not in PLANS]
    if missing or strange:
        wrong = f"{missing[0]!r} is missing" if missing else f"nobody here knows {strange[0]!r}"
        line = next((number for number, each in enumerate(text.splitlines(), 1) if each.startswith("goals")), 1)
        remedy = f"the goals of this grammar are {', '.join(PLANS)}"
        raise DefinitionError(
            [
                Fault(
                    wrong,
                    suggestion=remedy,
                    path=("goals",),
                    file=_FILE.name,
                    line=line,
                    column=1,
                    code=FaultCode.MISSING_KEY,
                )
            ]
        )
    return reader
