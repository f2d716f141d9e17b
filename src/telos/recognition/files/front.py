"""Recognisers by name: a designer's file, a trained model, or one of those that come along."""

import os
from pathlib import Path
from random import Random

from telos.core.errors import TelosError, nearest
from telos.recognition.files.load import Model, load_model
from telos.recognition.files.machine import Machine
from telos.recognition.reader import REMEMBERED, Reader
from telos.recognition.recognizer import Recognizer

__all__ = ["Model", "built_in_names", "fresh", "named_model", "recognizer"]

_DATA = Path(__file__).parents[1] / "data"


def recognizer(path_or_name: str | os.PathLike[str], *, seed: int = 0) -> Recognizer:
    """Return a recogniser for one player, from a recogniser file or by the name of one that comes along.

    ``seed`` is for those that start with a guess.

    >>> recognizer("flairs").goals
    ('level', 'explore', 'town')
    """
    return fresh(named_model(path_or_name), seed=seed)


def named_model(path_or_name: str | os.PathLike[str]) -> Model:
    """Return the model in a file, or one that comes along; a file in the way of a name wins."""
    said = os.fspath(path_or_name)
    is_path = said.endswith((".yaml", ".yml")) or os.sep in said
    if Path(said).is_file():
        return load_model(said)
    name = said.removesuffix(".yaml")
    if name in built_in_names():
        return load_model(_DATA / f"{name}.yaml")
    if is_path:
        return load_model(said)  # which says why it cannot be read
    raise TelosError(f"no recogniser {said!r}; {nearest(said, built_in_names())}, or name a .yaml file")


def built_in_names() -> tuple[str, ...]:
    """Return the names of the recognisers that come along."""
    return tuple(sorted(file.stem for file in _DATA.glob("*.yaml")))


def fresh(model: Model, *, seed: int = 0, remembers: int = REMEMBERED) -> Recognizer:
    """Return a recogniser that has seen nothing yet; any number of them may share one model."""
    if isinstance(model, Machine):
        return model.recognizer(Random(seed))
    return Reader(model, remembers=remembers)
