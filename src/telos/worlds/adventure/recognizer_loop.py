"""Reading the player inside the game: the model in force, its belief, its director, and all events so far."""

import os
from collections.abc import Iterable
from pathlib import Path

import telos.recognition
from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.files.yaml import read_text
from telos.recognition.director import ADVENTURE_EARNINGS, Advice, create_director
from telos.recognition.files.load import create_recognizer, loads_model

_READERS = Path(telos.recognition.__path__[0]) / "data"


def reader_names() -> tuple[str, ...]:
    """Return the recognisers that a companion may read by: those that come along as files in YAML.

    >>> "flairs" in reader_names()
    True
    """
    return tuple(sorted(file.stem for file in _READERS.glob("*.yaml")))


def model_text(source: str | os.PathLike[str]) -> str:
    """Return the text of a recogniser file: of one that comes along, or at a path; a text of several lines is one.

    >>> model_text("flairs").splitlines()[1]
    'recognizer: ffbm'
    """
    said = os.fspath(source)
    if "\n" in said:
        return said
    if said in reader_names():
        return read_text(_READERS / f"{said}.yaml")
    if Path(said).name == said and not Path(said).suffix:
        raise TelosError(
            f"no recogniser {said!r} comes along", f"{name_hint(said, reader_names())}, or name a .yaml file"
        )
    return read_text(said)


class Reading:
    """What one model makes of one player. It is a function of the model, the seed and the events: nothing else."""

    def __init__(self, text: str, *, seed: int, heard: Iterable[Event] = ()) -> None:
        model = loads_model(text, name="model")
        for what in (what for rule in model.director or () for what in rule.pay):
            if what not in ADVENTURE_EARNINGS:  # files for other games may pay for other things
                raise TelosError(f"nothing is earned by {what!r} here", name_hint(what, ADVENTURE_EARNINGS))
        self.text, self.seed = text, seed
        self.recognizer, self.director = create_recognizer(model, seed=seed), create_director(model)
        self.heard: list[Event] = []
        self.fault = ""  # what the model made of the last event, if it could make nothing of it
        for event in heard:
            self.hear(event)

    @property
    def belief(self) -> Belief:
        """The belief now."""
        return self.recognizer.belief

    @property
    def pay(self) -> dict[str, float]:
        """What the director has earnings count by now; 1 for what is left out."""
        return {} if self.director is None else dict(self.director.pay)

    def hear(self, event: Event) -> Advice | None:
        """Take in what the player did; return what the director advises, if that is new.

        A designer's condition may divide by zero at one event of a thousand: the game goes on, with the belief it had.
        """
        self.heard.append(event)
        self.fault = ""
        try:
            belief = self.recognizer.observe(event)
            return None if self.director is None else self.director.advise(event, belief)
        except TelosError as error:
            self.fault = str(error)
            return None
