"""Recognisers and their models from files: ``recognizer`` for one player, ``load_model`` and ``save_model`` for models.

A model holds no belief; ``create_recognizer`` makes any number of recognisers from one. ``KINDS`` (kinds.py) says what
is done for each kind.
"""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, Unpack, overload

from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.files.reading import check_end_mark, normalize_line_ends, read_text
from telos.files.writing import add_end_mark, write_text
from telos.files.yaml import read_yaml
from telos.recognition.files.definition import RecognizerDefinition
from telos.recognition.files.kinds import KINDS, SHAPES, RecognizerKind, YamlModel, kind_of
from telos.recognition.files.writers import write_director
from telos.recognition.filtering import DEFAULT_HISTORY
from telos.recognition.recognizer import Recognizer

if TYPE_CHECKING:
    from telos.recognition.by_planning.model import PlanModelOptions
    from telos.recognition.by_planning.reader import PlanReader
    from telos.recognition.concurrent import ConcurrentGoalModel, ConcurrentLogicModel
    from telos.recognition.ensemble.model import EnsembleModel
    from telos.recognition.grammar.grammar import PlanGrammar
    from telos.recognition.markov_logic import MarkovLogicModel

RecognizerModel: TypeAlias = (
    "YamlModel | MarkovLogicModel | ConcurrentLogicModel | ConcurrentGoalModel | PlanGrammar | EnsembleModel"
)

_JSON_BEGIN = re.compile(r'\s*\{\s*"recognizer"\s*:\s*"([a-z-]+)"')
_DATA = Path(__file__).parents[1] / "data"


@overload
def recognizer(source: Domain, *, seed: int = ..., **options: Unpack["PlanModelOptions"]) -> "PlanReader": ...
@overload
def recognizer(source: str | os.PathLike[str], *, seed: int = ...) -> Recognizer: ...
def recognizer(
    source: str | os.PathLike[str] | Domain, *, seed: int = 0, **options: Unpack["PlanModelOptions"]
) -> Recognizer:
    """Return a recogniser for one player: from a file, by the name of a built-in model, or from a planning domain.

    ``seed`` is for models that start with a random goal. With a ``Domain``, the player is recognised by planning:
    ``goals`` are the goals that the player may have, ``start`` is the initial state, ``temperature`` is how much wasted
    cost makes a goal e times less likely, ``prior`` weighs the goals, and ``microseconds`` limits the time of an
    update; see ``PlanModel`` for the other options.

    >>> recognizer("flairs").goals
    ('level', 'explore', 'town')
    """
    if isinstance(source, Domain):
        from telos.recognition.by_planning.reader import PlanModel, PlanReader  # most recognisers need no planner

        return PlanReader(PlanModel(source, **options))
    if options:
        raise TelosError(f"{', '.join(options)}: only with a Domain", "a recogniser file states its own options")
    return create_recognizer(named_model(source), seed=seed)


def named_model(path_or_name: str | os.PathLike[str]) -> RecognizerModel:
    """Return the model in a file, or a built-in model by its name; an existing file takes precedence.

    A name that ends in ``.mln`` is a Markov logic model.
    """
    return _load_file(model_file(path_or_name))


def model_file(path_or_name: str | os.PathLike[str]) -> str:
    """Return the file of a model, or of a built-in model by its name; an existing file takes precedence."""
    name = os.fspath(path_or_name)
    suffixes = (".yaml", ".yml", ".json", *(kind.suffix for kind in KINDS.values() if kind.suffix))
    if is_file(name):
        return name
    built_in = built_in_file(name)
    if built_in is not None:
        return built_in
    if name.endswith(suffixes) or os.sep in name:
        return name  # reading it raises an error that says why it cannot be read
    hint = f"{name_hint(name, built_in_names())}, or name a .yaml, .mln or .json file"
    raise TelosError(f"no recogniser {name!r}", hint)


def is_file(name: str | os.PathLike[str]) -> bool:
    """Whether there is a regular file of this name."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # a name that is too long, or has a zero byte
        return False


def built_in_file(name: str) -> str | None:
    """Return the file of a built-in model by its name; None if there is none of that name."""
    return next((str(file) for file in _built_in_files() if name in (file.stem, file.name)), None)


def built_in_names() -> tuple[str, ...]:
    """Return the names of the built-in models."""
    return tuple(sorted(file.stem for file in _built_in_files()))


def create_recognizer(model: RecognizerModel, *, seed: int = 0, remembers: int = DEFAULT_HISTORY) -> Recognizer:
    """Return a recogniser that has observed nothing yet; any number of them may share one model."""
    return kind_of(model).create(model, seed, remembers)


def context_read(model: RecognizerModel) -> frozenset[str]:
    """Return the context entries that a model reads, so that a log without one of them can be refused.

    >>> sorted(context_read(named_model("flairs-fsm")))
    ['attacked', 'nearer_town', 'new_area']
    """
    return kind_of(model).context(model)


# --- recogniser files -------------------------------------------------------------------------------------------------


def load_model(path: str | os.PathLike[str]) -> YamlModel:
    """Read the recogniser file at ``path``.

    A bad file raises a ``DefinitionError`` that holds all its faults, each with line, column and remedy.
    """
    return loads_model(read_text(path), name=os.fspath(path))


def loads_model(text: str, *, name: str = "<text>") -> YamlModel:
    r"""Read a model from the text of a recogniser file; ``name`` stands for the file in faults.

    >>> loads_model("recognizer: fsm\ngoals: [a, b]\ncontext: {attacked: bool}\nrules: [{if: atacked, then: a}]")
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: <text>:4:14: unknown variable 'atacked'; did you mean 'attacked'?
    """
    check_end_mark(text, name)
    definition = RecognizerDefinition(text, name, SHAPES)
    build = next(kind.build for kind in KINDS.values() if kind.shape is definition.shape)
    assert build is not None
    model = build(definition)
    definition.raise_if_faulty()
    assert model is not None  # builders return None only after a fault
    return model


def save_model(model: YamlModel, path: str | os.PathLike[str]) -> None:
    """Write a model as a recogniser file; ``load_model`` reads it back as an equal model.

    The file is replaced in one step, and has an end mark, so that one that was cut short is refused. What could not be
    read back is not written.
    """
    text = format_model(model)
    try:
        loads_model(text)
    except TelosError as error:
        raise TelosError(f"{os.fspath(path)}: the model cannot be written as a file: {error}") from None
    write_text(path, text)


def format_model(model: YamlModel) -> str:
    """Return the text of the recogniser file of a model, with the end mark."""
    return add_end_mark("\n".join(model_lines(model)))


def model_lines(model: YamlModel) -> list[str]:
    """Return the lines of the recogniser file of a model, without the end mark."""
    write = kind_of(model).write
    if write is None:
        raise TelosError(f"{model!r} cannot be written as a recogniser file")
    return [*write(model), *write_director(model.director or ())]


def parse_model(text: str, *, name: str) -> RecognizerModel:
    """Read a model of any kind from the text of its file; the end of its ``name`` says of which kind it is.

    No other file is read, so that a text of somebody else shows nothing of this machine.
    """
    text = normalize_line_ends(text)
    for comment in ("#", "//"):
        check_end_mark(text, name, comment)
    kind = _kind_by_suffix(name) or _kind_by_text(text)
    if kind is None or kind.parse is None:
        return loads_model(text, name=name)
    model: RecognizerModel = kind.parse(text, name)
    return model


def _load_file(path: str) -> RecognizerModel:
    kind, text = _kind_by_suffix(path), ""
    if kind is None:
        text = read_text(path)
        kind = _kind_by_text(text)
    if kind is None or kind.load is None:
        return loads_model(text, name=path)
    model: RecognizerModel = kind.load(path)
    return model


def is_of_kind(path: str, kind: str) -> bool:
    """Whether the file at ``path`` says that it is of a kind with a format of its own; it is not loaded."""
    found = _kind_by_suffix(path) or _kind_by_text(read_text(path))
    return found is not None and found.name == kind


def _kind_by_suffix(name: str) -> RecognizerKind | None:
    return next((kind for kind in KINDS.values() if kind.suffix and name.endswith(kind.suffix)), None)


def _kind_by_text(text: str) -> RecognizerKind | None:
    return next((kind for kind in KINDS.values() if kind.load and not kind.suffix and _declares(text, kind)), None)


def _declares(text: str, kind: RecognizerKind) -> bool:
    if kind.name not in text:
        return False  # most files: they are not parsed twice
    begin = _JSON_BEGIN.match(text)
    if begin is not None:
        return begin[1] == kind.name  # an ensemble has megabytes of numbers, which YAML reads slowly
    data = read_yaml(text).data
    return isinstance(data, dict) and data.get("recognizer") == kind.name


def _built_in_files() -> list[Path]:
    """Return the files of the built-in models; formulas without learned weights are not among them."""
    return [*_DATA.glob("*.yaml"), *(_DATA / "trained").glob("*.mln")]
