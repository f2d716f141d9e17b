"""The recognisers of a game, side by side: each is told the same, and any can be exchanged while the game runs."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from time import perf_counter
from typing import NamedTuple

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.recognition.reader import Trainable
from telos.recognition.recognizer import Recognizer
from telos.studio.stage import Model


class Seen(NamedTuple):
    """Something that the recognisers were told: with the goal of the player then, and the one to be learned from."""

    event: Event
    truth: str | None
    lesson: str | None
    number: int  # of the happening that it was


class Panel:
    """One recogniser for each model that makes one. All that they were told is kept, so that it can be told again."""

    def __init__(self, models: Sequence[Model], *, clock: Callable[[], float] = perf_counter) -> None:
        self._models = {model.name: model for model in models if model.make is not None}
        self._clock = clock
        self.names = tuple(self._models)
        self.titles = {name: model.title for name, model in self._models.items()}
        self.texts = {name: model.text for name, model in self._models.items()}
        self.readers = {name: self._made(name, model.text) for name, model in self._models.items()}
        self.beliefs = {name: reader.belief for name, reader in self.readers.items()}
        self.updates = dict.fromkeys(self.names, 0)
        self.seconds = dict.fromkeys(self.names, 0.0)  # that reading has taken
        self.seen: list[Seen] = []
        self.faults: dict[str, str] = {}  # what a model said that could not read an event

    @property
    def goals(self) -> tuple[str, ...]:
        """Return all goals, in the order in which the recognisers name them."""
        return tuple(dict.fromkeys(goal for reader in self.readers.values() for goal in reader.goals))

    @property
    def per_second(self) -> dict[str, float]:
        """Return how many updates a second each recogniser would manage."""
        return {name: self.updates[name] / spent if spent else 0.0 for name, spent in self.seconds.items()}

    def tell(self, seen: Seen) -> None:
        """Let everybody read an event, and learn from it where that is allowed; who cannot keeps its belief."""
        self.seen.append(seen)
        for name, reader in self.readers.items():
            before = self._clock()
            try:
                self.beliefs[name] = _read(reader, seen)
            except Exception as error:  # a model is edited while it is in force, and must not end the game over that
                self.faults[name] = told(error)
            self.seconds[name] += self._clock() - before
            self.updates[name] += 1

    def rerun(self, name: str, text: str | None = None, *, upto: int | None = None) -> tuple[Recognizer, list[Belief]]:
        """Return a fresh recogniser that was told what was seen (the first ``upto`` of it), and each of its beliefs.

        ``text`` is another model than the one in force.
        """
        reader = self._made(name, self.texts[self.known(name)] if text is None else text)
        beliefs = []
        for seen in self.seen[:upto]:
            with suppress(Exception):  # as it was when it was told the first time
                _read(reader, seen)
            beliefs.append(reader.belief)
        return reader, beliefs

    def put(self, name: str, text: str, reader: Recognizer) -> None:
        """Put another model into force, with its recogniser that was told what was seen so far."""
        self.readers[name], self.texts[name], self.beliefs[name] = reader, text, reader.belief
        self.updates[name], self.seconds[name] = 0, 0.0
        self.faults.pop(name, None)

    def known(self, name: str) -> str:
        """Return the name of a recogniser, if it is one."""
        if name not in self._models:
            raise TelosError(f"there is no recogniser {name!r} here", name_hint(name, self._models))
        return name

    def _made(self, name: str, text: str) -> Recognizer:
        make = self._models[self.known(name)].make
        assert make is not None  # those without are not among the models
        return make(text)


def told(error: Exception) -> str:
    """Return what went wrong in words; what nobody foresaw is told with its sort.

    >>> told(TelosError("there is no goal 'twon'")), told(KeyError("twon"))
    ("there is no goal 'twon'", "KeyError: 'twon'")
    """
    return str(error) if isinstance(error, TelosError) else f"{type(error).__name__}: {error}"


def _read(reader: Recognizer, seen: Seen) -> Belief:
    belief = reader.observe(seen.event)
    if seen.lesson is not None and isinstance(getattr(reader, "model", None), Trainable):
        reader.learn(seen.event, seen.lesson)  # type: ignore[attr-defined]  # a reader of a model that learns
    return belief
