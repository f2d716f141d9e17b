"""The table of recogniser kinds: for each, its schema and how its models are built, written and used.

Loading, saving, the JSON Schema and the commands all read ``KINDS``; a new kind is one more row. Kinds with a format of
their own (plan grammars, Markov logic) are imported when they are first used.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_
from random import Random
from typing import Any, TypeAlias

from pydantic import TypeAdapter

from telos.core.conditions import Condition
from telos.core.errors import TelosError
from telos.core.expressions import Expression, names_in
from telos.core.state import Layout
from telos.recognition.ffbm import FFBM
from telos.recognition.files.builders import build_constant, build_ffbm, build_fsm, build_iohmm
from telos.recognition.files.definition import RecognizerDefinition
from telos.recognition.files.schema import ConstantShape, FfbmShape, FsmShape, IohmmShape, RecognizerShape
from telos.recognition.files.writers import write_constant, write_ffbm, write_fsm, write_iohmm
from telos.recognition.filtering import Reader
from telos.recognition.fsm import FSMModel
from telos.recognition.iohmm import IOHMM
from telos.recognition.recognizer import Recognizer
from telos.recognition.vocabulary import named_actions, resolve_labels

YamlModel: TypeAlias = FFBM | IOHMM | FSMModel  # the models that a recogniser file holds


@dataclass(frozen=True, slots=True)
class RecognizerKind:
    """One kind of recogniser, by the word that stands after ``recognizer:`` in its files.

    ``model`` is the dotted name of the class of its models, ``create`` makes a recogniser for one player from a model,
    a seed and the number of updates to remember, and ``context`` returns the context entries that a model reads. A kind
    of recogniser file has a schema (``shape``), a builder (``build``) and a writer (``write``). A kind with another
    format has ``load``, which reads the file at a path, and ``parse``, which reads the text of a file with that name;
    ``suffix`` is how the names of its files end, if they differ.
    """

    name: str
    model: str
    create: Callable[[Any, int, int], Recognizer]
    context: Callable[[Any], frozenset[str]]
    shape: type[RecognizerShape] | None = None
    build: Callable[[RecognizerDefinition], YamlModel | None] | None = None
    write: Callable[[Any], Iterator[str]] | None = None
    load: Callable[[str], Any] | None = None
    parse: Callable[[str, str], Any] | None = None
    suffix: str = ""


def kind_of(model: object) -> RecognizerKind:
    """Return the kind of a model."""
    for each in type(model).__mro__:
        kind = _BY_MODEL.get(f"{each.__module__}.{each.__qualname__}")
        if kind is not None:
            return kind
    raise TelosError(f"{model!r} is not a model of a recogniser", f"use one of {', '.join(_BY_MODEL)}")


def has_concurrent_goals(model: object) -> bool:
    """Whether the goals of a model do not exclude one another, so that its beliefs need not sum to 1."""
    return bool(getattr(type(model), "is_concurrent", False))


def recognizer_schema() -> str:
    """Return the JSON Schema of a recogniser file."""
    adapter: TypeAdapter[Any] = TypeAdapter(reduce(or_, SHAPES.values()))
    found = {"$schema": "https://json-schema.org/draft/2020-12/schema", **adapter.json_schema()}
    found["title"] = "Telos recogniser file"
    return json.dumps(found, indent=2, ensure_ascii=False)


# --- functions of the table -------------------------------------------------------------------------------------------


def _create_reader(model: FFBM | IOHMM, seed: int, history: int) -> Recognizer:
    return Reader(model, remembers=history)


def _create_fsm(model: FSMModel, seed: int, history: int) -> Recognizer:
    return model.recognizer(Random(seed))


def _create_grammar_reader(model: Any, seed: int, history: int) -> Recognizer:
    from telos.recognition.grammar.reader import PlanGrammarReader

    return PlanGrammarReader(model)


def _create_logic_reader(model: Any, seed: int, history: int) -> Recognizer:
    from telos.recognition.markov_logic import MarkovLogicReader

    return MarkovLogicReader(model)


def _create_concurrent_logic_reader(model: Any, seed: int, history: int) -> Recognizer:
    from telos.recognition.concurrent import ConcurrentLogicReader

    return ConcurrentLogicReader(model)


def _create_concurrent_reader(model: Any, seed: int, history: int) -> Recognizer:
    from telos.recognition.concurrent import ConcurrentReader

    return ConcurrentReader(model)


def _concurrent_context(model: Any) -> frozenset[str]:
    return kind_of(model.model).context(model.model)


def _load_concurrent(path: str) -> Any:
    from telos.recognition.files.concurrent import load_concurrent

    return load_concurrent(path)


def _parse_concurrent(text: str, name: str) -> Any:
    from telos.recognition.files.concurrent import parse_concurrent

    return parse_concurrent(text, name=name)


def _load_grammar(path: str) -> Any:
    from telos.recognition.grammar.files import load_grammar

    return load_grammar(path)


def _parse_grammar(text: str, name: str) -> Any:
    from telos.recognition.grammar.files import loads_grammar

    return loads_grammar(text, name=name)


def _load_logic(path: str) -> Any:
    from telos.recognition.markov_logic import load_logic_model

    return load_logic_model(path)


def _parse_logic(text: str, name: str) -> Any:
    from telos.recognition.markov_logic import parse_logic_model

    return parse_logic_model(text, name=name)


def _create_ensemble_reader(model: Any, seed: int, history: int) -> Recognizer:
    from telos.recognition.ensemble.model import EnsembleReader

    return EnsembleReader(model)


def _load_ensemble(path: str) -> Any:
    from telos.recognition.ensemble.files import load_ensemble

    return load_ensemble(path)


def _parse_ensemble(text: str, name: str) -> Any:
    from telos.recognition.ensemble.files import parse_ensemble

    return parse_ensemble(text, name)


def event_conditions(model: YamlModel) -> list[Condition]:
    """Return the conditions by which a model reads events."""
    if isinstance(model, FSMModel):
        return [condition for condition, _ in model.rules]
    cases = [case.condition for case in model.transitions.cases]
    if isinstance(model, IOHMM):
        return [*cases, *model.symbols.conditions, *model.measures.conditions]
    rules = model.observations.values()
    observed = [condition for each in rules for condition in each.conditions]
    return [*cases, *model.outcomes.conditions, *observed, *model.measures.conditions]


def actions_named(model: object) -> tuple[str, ...] | None:
    """Return the actions that the conditions of a model name; None if it lists its actions, or has no conditions."""
    if not isinstance(model, YamlModel) or model.vocabulary.actions:
        return None
    return tuple(named_actions(_resolved(model)))


def _resolved(model: YamlModel) -> list[Expression]:
    layout = Layout(model.vocabulary.variables(model.goals))
    return [resolve_labels(condition.expression, layout) for condition in event_conditions(model)]


def _context_read(model: YamlModel) -> frozenset[str]:
    rules = model.observations.values() if isinstance(model, FFBM) else ()
    entries = frozenset(entry for each in rules for entry in each.entries)
    if isinstance(model, FFBM | IOHMM):
        entries |= frozenset(model.measures.entries)
    return entries.union(*map(names_in, _resolved(model))) & frozenset(model.vocabulary.context)


def _own_context(model: Any) -> frozenset[str]:
    found: frozenset[str] = model.context
    return found


KINDS: dict[str, RecognizerKind] = {
    kind.name: kind
    for kind in (
        RecognizerKind(
            "ffbm",
            "telos.recognition.ffbm.FFBM",
            _create_reader,
            _context_read,
            FfbmShape,
            build_ffbm,
            write_ffbm,
        ),
        RecognizerKind(
            "constant",
            "telos.recognition.ffbm.ConstantT",
            _create_reader,
            _context_read,
            ConstantShape,
            build_constant,
            write_constant,
        ),
        RecognizerKind(
            "iohmm",
            "telos.recognition.iohmm.IOHMM",
            _create_reader,
            _context_read,
            IohmmShape,
            build_iohmm,
            write_iohmm,
        ),
        RecognizerKind(
            "fsm",
            "telos.recognition.fsm.FSMModel",
            _create_fsm,
            _context_read,
            FsmShape,
            build_fsm,
            write_fsm,
        ),
        RecognizerKind(
            "grammar",
            "telos.recognition.grammar.grammar.PlanGrammar",
            _create_grammar_reader,
            _own_context,
            load=_load_grammar,
            parse=_parse_grammar,
        ),
        RecognizerKind(
            "markov-logic",
            "telos.recognition.markov_logic.MarkovLogicModel",
            _create_logic_reader,
            _own_context,
            load=_load_logic,
            parse=_parse_logic,
            suffix=".mln",
        ),
        RecognizerKind(
            "ensemble",
            "telos.recognition.ensemble.model.EnsembleModel",
            _create_ensemble_reader,
            _own_context,
            load=_load_ensemble,
            parse=_parse_ensemble,
        ),
        RecognizerKind(
            "markov-logic-concurrent",  # the same files, without `!` in goal(time, goal)
            "telos.recognition.concurrent.logic.ConcurrentLogicModel",
            _create_concurrent_logic_reader,
            _own_context,
        ),
        RecognizerKind(
            "concurrent",
            "telos.recognition.concurrent.chains.ConcurrentGoalModel",
            _create_concurrent_reader,
            _concurrent_context,
            load=_load_concurrent,
            parse=_parse_concurrent,
        ),
    )
}
SHAPES: dict[str, type[RecognizerShape]] = {name: kind.shape for name, kind in KINDS.items() if kind.shape}
_BY_MODEL = {kind.model: kind for kind in KINDS.values()}
