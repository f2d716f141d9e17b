"""The recogniser inside the game: the model in use, its belief, its director, and all events so far."""

import os
from collections.abc import Iterable, Mapping
from itertools import zip_longest
from pathlib import Path

import telos.recognition
from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.files.reading import read_text
from telos.recognition.director import ADVENTURE_EARNINGS, ALL_EARNINGS, Advice, create_director
from telos.recognition.ffbm import FFBM
from telos.recognition.files.load import create_recognizer, format_model, loads_model, named_model
from telos.recognition.filtering import Reader, Trainable
from telos.recognition.iohmm import IOHMM
from telos.recognition.player_models import StyleReader
from telos.recognition.recognizer import GoalModel

_READERS = Path(telos.recognition.__path__[0]) / "data"

# Models that read speed, heading and distance: to play with, apart from those that studies compare.
MEASURING: Mapping[str, str] = {"tutorial": "flairs-continuous", "flairs": "flairs-continuous"}

# Models of how people play the wilds, by the name of the style; `python -m telos.studies.style_models` makes the first
# two from simulated players.
STYLES: Mapping[str, str] = {
    "bold": "style-bold",
    "cautious": "style-cautious",
    "pacifist": "style-pacifist",
}

# Those of the rules under which the companion learns; the first one is trained during the game.
LEARNING: Mapping[str, Mapping[str, str]] = {"tutorial": {"iohmm": "wilds-learner", "ffbm": "wilds"}}

# The recognisers that ship for each rule set, by kind. The first is the one by which a companion reads.
READERS: Mapping[str, Mapping[str, str]] = {
    "wilds": {"ffbm": "wilds", "iohmm": "flairs-iohmm", "constant": "flairs-constant", "fsm": "flairs-fsm"},
    "flairs": {
        "ffbm": "flairs",
        "iohmm": "flairs-iohmm",
        "constant": "flairs-constant",
        "fsm": "flairs-fsm",
        "live": "flairs-live",
    },
    "aiide": {
        "ffbm": "aiide-ffbm",
        "iohmm": "aiide-iohmm",
        "constant": "aiide-constant",
        "fsm": "aiide-fsm",
        "live": "aiide-live",
    },
}


def reader_names() -> tuple[str, ...]:
    """Return the names of the recognisers that come with the package as YAML files.

    >>> "flairs" in reader_names()
    True
    """
    return tuple(sorted(file.stem for file in _READERS.glob("*.yaml")))


def load_model_text(source: str | os.PathLike[str]) -> str:
    """Return the text of a recogniser file, by name or path; a text of several lines is returned as it is.

    >>> load_model_text("flairs").splitlines()[1]
    'recognizer: ffbm'
    """
    said = os.fspath(source)
    if "\n" in said:
        return said
    if said in reader_names():
        return read_text(_READERS / f"{said}.yaml")
    if Path(said).name == said and not Path(said).suffix:
        raise TelosError(
            f"the package has no recogniser {said!r}", f"{name_hint(said, reader_names())}, or name a .yaml file"
        )
    return read_text(said)


def is_trainable(name: str) -> bool:
    """Whether a recogniser of the package learns from events whose goal is known.

    >>> is_trainable("wilds-learner"), is_trainable("wilds")
    (True, False)
    """
    return isinstance(named_model(name), Trainable)


class GameRecognizer:
    """The recogniser of one player inside the game, with its director; determined by model, seed, events and lessons.

    A lesson is the goal that the game had given when the player did what an event says. A model that learns is trained
    on it after it has read the event, so that no belief knows the answer beforehand.
    """

    def __init__(
        self, text: str, *, seed: int, heard: Iterable[Event] = (), lessons: Iterable[str | None] = ()
    ) -> None:
        model = loads_model(text, name="model")
        for what in (what for rule in model.director or () for what in rule.pay):
            if what not in (*ADVENTURE_EARNINGS, ALL_EARNINGS):  # files for other games may name other earnings
                raise TelosError(f"nothing is earned by {what!r} here", name_hint(what, ADVENTURE_EARNINGS))
        self.text, self.seed = text, seed
        self.recognizer = create_recognizer(model, seed=seed)
        self.director = create_director(model, earnings=ADVENTURE_EARNINGS)
        self.heard: list[Event] = []
        self.lessons: list[str | None] = []  # one for each event
        self.fault = ""  # why the model failed on the last event, if it did
        for event, lesson in zip_longest(heard, lessons):
            self.observe(event, lesson)

    @property
    def belief(self) -> Belief:
        return self.recognizer.belief

    @property
    def pay(self) -> dict[str, float]:
        """The director's factors on earnings; 1 if missing."""
        return {} if self.director is None else dict(self.director.pay)

    @property
    def learned(self) -> int:
        """The number of lessons that the model has had, in this game and before it was made."""
        model = getattr(self.recognizer, "model", None)
        if not isinstance(model, IOHMM):
            return 0
        return round(sum(count for row in model.counts.seen.values() for count in row.values()))

    def model_text(self) -> str:
        """Return the recogniser file of the model with what it has learned."""
        model = getattr(self.recognizer, "model", None)
        return format_model(model) if isinstance(model, IOHMM) and any(self.lessons) else self.text

    def observe(self, event: Event, lesson: str | None = None) -> Advice | None:
        """Observe an event and return new advice of the director, if any; learn from it if its goal is known.

        A condition of the model may fail on one event (a division by zero); the game goes on with the old belief.
        """
        self.heard.append(event)
        self.lessons.append(lesson)
        self.fault = ""
        try:
            belief = self.recognizer.observe(event)
            if lesson is not None and isinstance(self.recognizer, Reader) and lesson in self.recognizer.goals:
                self._learn(self.recognizer, event, lesson)
            return None if self.director is None else self.director.advise(event, belief)
        except TelosError as error:
            self.fault = str(error)
            return None

    @staticmethod
    def _learn(reader: Reader, event: Event, lesson: str) -> None:
        if isinstance(reader.model, Trainable):
            reader.learn(event, lesson)


def load_styles() -> dict[str, GoalModel]:
    """Return the models of the styles, by name."""
    found = {style: named_model(file) for style, file in STYLES.items()}
    return {style: model for style, model in found.items() if isinstance(model, FFBM | IOHMM)}


def create_style_reader(rules: str) -> StyleReader | None:
    """Return a reader of how somebody plays: a belief over the styles of a rule set; None if there are none.

    >>> reader = create_style_reader("wilds")
    >>> reader.goals if reader else ()
    ('bold', 'cautious', 'pacifist')
    """
    if rules not in ("wilds", "tutorial"):
        return None
    return StyleReader(load_styles())
