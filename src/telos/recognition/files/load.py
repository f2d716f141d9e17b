"""Recogniser files: read, checked, and turned into models."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from telos.core.errors import FaultCode, Path
from telos.core.files.sheet import refuse
from telos.core.files.text import read_text
from telos.recognition.constant import ConstantT
from telos.recognition.ffbm import FFBM
from telos.recognition.files.directing import read_director
from telos.recognition.files.goal_changes import read_prior, read_transitions
from telos.recognition.files.looks import read_counts, read_looks, read_symbols
from telos.recognition.files.machine import RANDOM, Machine
from telos.recognition.files.page import Page
from telos.recognition.files.shape import ConstantShape, FfbmShape, FsmShape, IohmmShape, RecognizerShape
from telos.recognition.iohmm import IOHMM
from telos.recognition.learned import LearnedTransitions, row_name
from telos.recognition.symbols import ELEVEN, NINE
from telos.recognition.transitions import TransitionRules

if TYPE_CHECKING:
    from telos.recognition.grammar.plan_grammar import PlanGrammar
    from telos.recognition.markov_logic import MarkovLogicModel  # NumPy is an extra

FileModel: TypeAlias = FFBM | IOHMM | Machine  # what a recogniser file holds
Model: TypeAlias = "FFBM | IOHMM | Machine | MarkovLogicModel | PlanGrammar"


def load_model(path: str | os.PathLike[str]) -> FileModel:
    """Read the recogniser file at ``path``.

    A bad file raises a ``DefinitionError`` that holds all its faults, each with line, column and remedy.
    """
    return loads_model(read_text(path), name=os.fspath(path))


def loads_model(text: str, *, name: str = "<text>") -> FileModel:
    r"""Read a model from the text of a recogniser file; ``name`` stands for it in faults.

    >>> loads_model("recognizer: fsm\ngoals: [level, town]\nrules: [{if: atacked, then: level}]")
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: <text>:3:14: unknown variable 'atacked'; did you mean 'attacked'?
    """
    page = Page(text, name)
    model = _READERS[page.shape](page)
    if page.sheet.faults:
        refuse(page.sheet.faults)
    assert model is not None  # it is made where there are no faults
    return model


def _ffbm(page: Page) -> FFBM | None:
    outcomes = read_symbols(page, "outcomes", ELEVEN)
    transitions, observations = read_transitions(page), read_looks(page, outcomes)
    prior, clock, director = read_prior(page), page.clock(), read_director(page)
    if page.sheet.faults:
        return None
    sort = ConstantT if page.shape is ConstantShape else FFBM
    made: FFBM | None = page.made(
        ("recognizer",),
        lambda: sort(
            page.goals,
            transitions=transitions,
            observations=observations,
            prior=prior,
            clock=clock,
            outcomes=outcomes,
            vocabulary=page.words,
            name=page.sheet.entry("name", default=""),
            director=director,
        ),
        None,
    )
    return made


def _iohmm(page: Page) -> IOHMM | None:
    symbols = read_symbols(page, "observations", NINE)
    transitions, prior, clock = read_transitions(page), read_prior(page), page.clock()
    counts = _counts(page, ("counts",), symbols.names)
    pseudo = page.sheet.entry("pseudo_counts", default=1.0)
    if isinstance(pseudo, dict):
        pseudo = _counts(page, ("pseudo_counts",), symbols.names)
    learned, director = _learned(page, transitions), read_director(page)
    if page.sheet.faults:
        return None
    made: IOHMM | None = page.made(
        ("recognizer",),
        lambda: IOHMM(
            page.goals,
            symbols=symbols,
            transitions=transitions,
            counts=counts,
            pseudo_counts=pseudo,
            discount=page.sheet.entry("discount", default=1.0),
            learned=learned,
            prior=prior,
            clock=clock,
            vocabulary=page.words,
            name=page.sheet.entry("name", default=""),
            director=director,
        ),
        None,
    )
    return made


def _counts(page: Page, path: Path, names: tuple[str, ...]) -> dict[str, dict[str, float]]:
    if page.sheet.is_touched("goals") or page.sheet.is_touched("observations"):
        return {}  # their names are not known
    return read_counts(page, path, page.goals, names)


def _learned(page: Page, rules: TransitionRules) -> LearnedTransitions | None:
    path: Path = ("learned_transitions",)
    if page.sheet.entry(*path) is None or page.sheet.is_touched("goals") or page.sheet.is_touched("transitions"):
        return None
    cases = [tuple(page.goals), *(case.sources(page.goals) for case in rules.cases)]
    rows = tuple(row_name(number, goal) for number, sources in enumerate(cases) for goal in sources)
    counts = read_counts(page, (*path, "counts"), rows, page.goals)
    return LearnedTransitions(page.sheet.entry(*path, "strength", default=10.0), seen=counts)


def _fsm(page: Page) -> Machine | None:
    rules = []
    for i in range(len(page.sheet.entry("rules", default=()))):
        path: Path = ("rules", i)
        condition, goal = page.condition((*path, "if")), page.sheet.entry(*path, "then")
        if goal is not None and page.is_goal((*path, "then"), goal, at_key=False):
            rules.append((condition, goal))
    if page.sheet.entry("rules") == []:
        page.sheet.fault(
            "there are no rules",
            ("rules",),
            "add one, as in `{if: attacked, then: level}`",
            at_key=True,
            code=FaultCode.EMPTY,
        )
    start = page.sheet.entry("start", default=RANDOM)
    if start != RANDOM:
        page.is_goal(("start",), start, at_key=False)
    director = read_director(page)
    if page.sheet.faults:
        return None
    first = None if start == RANDOM else start
    return Machine(page.goals, tuple(rules), first, page.words, page.sheet.entry("name", default=""), director)


_READERS: dict[type[RecognizerShape], Callable[[Page], FileModel | None]] = {
    FfbmShape: _ffbm,
    ConstantShape: _ffbm,
    IohmmShape: _iohmm,
    FsmShape: _fsm,
}
