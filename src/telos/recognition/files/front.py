"""Recognisers by name: a designer's file, a trained model, or one of those that come along."""

import os
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Unpack, overload

from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.core.files.text import read_text
from telos.recognition.ffbm import FFBM
from telos.recognition.files.load import Model, loads_model
from telos.recognition.files.machine import Machine
from telos.recognition.iohmm import IOHMM
from telos.recognition.reader import REMEMBERED, Reader
from telos.recognition.recognizer import Recognizer

if TYPE_CHECKING:
    from telos.recognition.by_planning import Options, PlanReader

__all__ = ["Model", "built_in_names", "fresh", "named_model", "recognizer"]

_DATA = Path(__file__).parents[1] / "data"


@overload
def recognizer(source: Domain, *, seed: int = ..., **options: Unpack["Options"]) -> "PlanReader": ...
@overload
def recognizer(source: str | os.PathLike[str], *, seed: int = ...) -> Recognizer: ...
def recognizer(source: str | os.PathLike[str] | Domain, *, seed: int = 0, **options: Unpack["Options"]) -> Recognizer:
    """Return a recogniser for one player: from a file, by the name of one that comes along, or from a domain.

    ``seed`` is for those that start with a guess. A ``Domain`` is read with by planning: ``goals`` are those that the
    player may have, ``start`` is where she starts, ``temperature`` how much cost she may waste before a goal becomes e
    times less likely, ``prior`` what is thought of each goal before, and ``microseconds`` what an update may take; see
    ``PlanModel`` for the other options.

    >>> recognizer("flairs").goals
    ('level', 'explore', 'town')
    """
    if isinstance(source, Domain):
        from telos.recognition.by_planning import PlanModel, PlanReader  # most readers need no planner

        return PlanReader(PlanModel(source, **options))
    if options:
        raise TelosError(f"{', '.join(options)}: for a Domain that is read with", "a recogniser file says its own")
    return fresh(named_model(source), seed=seed)


def named_model(path_or_name: str | os.PathLike[str]) -> Model:
    """Return the model in a file, or one that comes along; a file in the way of a name wins.

    A name that ends in ``.mln`` is a Markov logic model.
    """
    said = os.fspath(path_or_name)
    is_path = said.endswith((".yaml", ".yml", ".mln")) or os.sep in said
    if Path(said).is_file():
        return _loaded(said)
    built_in = next((file for file in _built_in() if said in (file.stem, file.name)), None)
    if built_in is not None:
        return _loaded(built_in)
    if is_path:
        return _loaded(said)  # which says why it cannot be read
    raise TelosError(f"no recogniser {said!r}", f"{name_hint(said, built_in_names())}, or name a .yaml or .mln file")


def _loaded(path: str | os.PathLike[str]) -> Model:
    if os.fspath(path).endswith(".mln"):
        from telos.recognition.files.logic import load_logic_model  # it needs NumPy, which is an extra

        return load_logic_model(path)
    text = read_text(path)
    if "grammar" in text:
        from telos.recognition.grammar.load import is_grammar, loads_grammar  # most files are none

        if is_grammar(text):
            return loads_grammar(text, name=os.fspath(path))
    return loads_model(text, name=os.fspath(path))


def built_in_names() -> tuple[str, ...]:
    """Return the names of the recognisers that come along."""
    return tuple(sorted(file.stem for file in _built_in()))


def _built_in() -> list[Path]:
    """Return the files of ready recognisers; the formulas beside them have no weights before they are learned."""
    return [*_DATA.glob("*.yaml"), *(_DATA / "trained").glob("*.mln")]


def fresh(model: Model, *, seed: int = 0, remembers: int = REMEMBERED) -> Recognizer:
    """Return a recogniser that has seen nothing yet; any number of them may share one model."""
    if isinstance(model, Machine):
        return model.recognizer(Random(seed))
    if isinstance(model, FFBM | IOHMM):
        return Reader(model, remembers=remembers)
    from telos.recognition.grammar.plan_grammar import PlanGrammar

    if isinstance(model, PlanGrammar):
        from telos.recognition.grammar.reader import PlanGrammarReader

        return PlanGrammarReader(model)
    from telos.recognition.markov_logic import MarkovLogicReader  # it needs NumPy, which is an extra

    return MarkovLogicReader(model)
