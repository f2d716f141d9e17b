"""Sections of PDDL text, parsed by the grammar of the ``pddl`` library.

The library's grammar is used, and not its data model: the model is case-sensitive, refuses two actions with one name
and requirements that were forgotten, all of which real benchmarks have, and it forgets lines and columns.
"""

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint, nearest
from telos.planning.pddl.source import Section, Source

if TYPE_CHECKING:
    from lark import Lark

RULES = {
    "domain": "domain_def",
    ":requirements": "requirements",
    ":types": "types",
    ":constants": "constants",
    ":predicates": "predicates",
    ":functions": "functions",
    ":action": "action_def",
    "problem": "problem_def",
    ":domain": "problem_domain",
    ":objects": "objects",
    ":init": "init",
    ":goal": "goal",
    ":metric": "metric_spec",
}
UNSUPPORTED = {
    ":durative-action": "durative actions are",
    ":durative-actions": "durative actions are",
    ":duration-inequalities": "durative actions are",
    ":continuous-effects": "continuous change is",
    ":derived": "derived predicates are",
    ":derived-predicates": "derived predicates are",
    ":constraints": "constraints on the whole plan are",
    ":preferences": "preferences are",
    ":timed-initial-literals": "timed initial literals are",
    ":object-fluents": "object fluents are",
    ":goal-utilities": "goal utilities are",
    ":time": "continuous change is",
    ":process": "processes are",
    ":event": "events are",
    ":task": "task networks are",
    ":method": "task networks are",
    ":htn": "task networks are",
    ":hierarchy": "task networks are",
    ":non-deterministic": "effects by chance are",
    ":probabilistic-effects": "effects by chance are",
}
READ = "STRIPS with types, constants, equality, negative preconditions and action costs is read"


def parse(section: Section, source: Source) -> Any:
    """Return the syntax tree of a section: a ``lark.Tree`` whose tokens count positions from the section's start."""
    parser = _parser()
    from lark.exceptions import UnexpectedInput

    try:
        return parser.parse(section.text, start=RULES[section.word])
    except UnexpectedInput as problem:
        raise DefinitionError([_fault(problem, section, source, parser)]) from None


@cache  # building the tables takes longer than parsing most files
def _parser() -> "Lark":
    try:
        from lark import Lark

        grammar = resources.files("pddl.parser").joinpath("grammar.lark").read_text(encoding="utf-8")
    except ImportError:
        raise TelosError(
            "reading PDDL needs the pddl library, which is not installed", 'run: pip install "telos[planning]"'
        ) from None
    return Lark(grammar, parser="lalr", start=list(RULES.values()))


def _fault(problem: Any, section: Section, source: Source, parser: "Lark") -> Fault:
    at = min(problem.pos_in_stream if problem.pos_in_stream is not None else len(section.text), len(section.text) - 1)
    word = word_at(section.text, at)
    if word in UNSUPPORTED:
        return unsupported(source, section.start + at, UNSUPPORTED[word])
    # `allowed` is what the lexer tried and `expected` what the parser would take; each error has one of them.
    wanted = getattr(problem, "allowed", None) or getattr(problem, "expected", None) or ()
    shown = {each.name: f"{each.pattern.value}" for each in parser.terminals if each.pattern.type == "str"}
    shown |= {"NAME": "a name", "NUMBER": "a number", "RPAR": ")", "LPAR": "("}
    words = sorted({shown.get(each, each.lower()) for each in wanted}, key=lambda each: (each.startswith(":"), each))
    likely = ", ".join(words[:8]) + (", …" if len(words) > 8 else "")
    is_meant = nearest(word, words) is not None
    suggestion = name_hint(word, words) if is_meant else f"here may stand: {likely}" if likely else ""
    return source.fault(section.start + at, f"unexpected {word!r}", suggestion, code=FaultCode.BAD_SYNTAX)


def word_at(text: str, at: int) -> str:
    """Return the bracket or the whole word that begins at ``at``."""
    if text[at] in "()":
        return text[at]
    end = at
    while end < len(text) and end < at + 40 and not text[end].isspace() and text[end] not in "();":
        end += 1
    return text[at:end] or text[at]


def unsupported(source: Source, offset: int, what: str) -> Fault:
    """Return the fault of a file that uses more of PDDL than is read; ``what`` is as in "derived predicates are"."""
    return source.fault(offset, f"{what} not supported", READ, code=FaultCode.UNSUPPORTED)
