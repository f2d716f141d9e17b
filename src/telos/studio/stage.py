"""Stage base class, World, inputs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Protocol

from telos.core.errors import Fault, TelosError, name_hint
from telos.core.event import Event
from telos.core.values import Value
from telos.recognition.recognizer import Recognizer
from telos.studio.mind_view import MindSheet
from telos.studio.worlds.shapes import Picture, Symbols

# --- stage ------------------------------------------------------------------------------------------------------------
# A world on stage: what every world offers the studio, so that one page, one timeline and one inspector serve all.


@dataclass(frozen=True, slots=True)
class Inputs:
    """What comes from outside in one step: the keys held down, and what was asked for by word or button.

    ``held`` is the keys joined by ``+`` in the stage's own names (``"up+swing"``, ``""``). Each of ``asked`` is a line:
    a command of the player (``"go forge"``), a poke (``"poke lock-bathroom"``). With the settings, the inputs of all
    steps fix everything: a stage that is given them again shows the same again.
    """

    held: str = ""
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Happening:
    """Something for the timeline. ``event`` is what recognisers are told of, if they are."""

    time: float
    who: str
    label: str  # a few words: "swings", "finds the chest"
    kind: str = "event"  # "event", "said", "goal" (one was achieved), "bad" (a death), "game" (a hint, an order)
    event: Event | None = None
    why: str = ""  # what brought it about, if the world knows


@dataclass(frozen=True, slots=True)
class Hud:
    """The lines around the picture: what the player is told to do, a message, and a few counts."""

    task: str = ""
    message: str = ""
    counts: tuple[tuple[str, str], ...] = ()  # ("score", "12")
    clock: str = ""
    over: str = ""  # why the game is over, if it is


@dataclass(frozen=True, slots=True)
class Setting:
    """A choice that a game is begun with; the page shows a menu, a switch or a number for it."""

    name: str
    title: str
    default: str
    options: tuple[str, ...] = ()  # empty: a whole number
    about: str = ""


@dataclass(frozen=True, slots=True)
class Poke:
    """Something that an onlooker may do to the world: a button."""

    name: str  # "lock-bathroom"; it is asked for as "poke lock-bathroom"
    title: str  # "Lock the bathroom"


@dataclass(frozen=True, slots=True)
class Model:
    """A file behind a game. ``make`` turns a text into a fresh recogniser, or raises with all faults.

    A file that is no recogniser (a character, say) has no ``make``, and is ``apply``-ed by its stage.
    """

    name: str  # "ffbm"; unique on its stage
    title: str  # "FFBM"
    text: str
    file: str = ""  # the name to save it under: "flairs.yaml"
    language: str = "YAML"
    editable: bool = True
    make: Callable[[str], Recognizer] | None = None
    check: Callable[[str], Sequence[Fault]] | None = None  # all faults of a text, if ``make`` is not the way to tell


class Stage(Protocol):
    """A world that is played in the browser, one step at a time. Nothing here knows of a browser."""

    name: str  # "adventure"
    title: str  # one line
    rate: float  # steps a second at speed 1
    unit: str  # of its time: "s", or "min" in a world that has days
    size: tuple[float, float]  # of the picture
    symbols: Symbols
    keys: tuple[
        tuple[str, str, str], ...
    ]  # (the browser's key code, the stage's name, words): ("ArrowUp", "up", "walk")
    watched: str | None  # the player whose events recognisers are told; None if nobody is read
    awaits: bool  # whether the game begins with the first key or command of a person, who may not be ready yet

    def step(self, inputs: Inputs) -> Sequence[Happening]:
        """Move on by one step; return what happened. What makes no sense is refused with a ``TelosError`` that is
        shown to the player, and the step goes on without it.
        """

    def backdrop(self) -> tuple[str, Picture]:
        """Return what stands still, and a key that is new whenever it looks different."""

    def picture(self) -> Picture:
        """Return what moves."""

    def hud(self) -> Hud:
        """Return the lines around the picture."""

    @property
    def time(self) -> float:
        """The world's time; it never runs backwards."""

    @property
    def over(self) -> bool:
        """Whether there is nothing left to play."""

    @property
    def truth(self) -> str | None:
        """The goal that the watched player has, if it is known."""

    @property
    def lesson(self) -> str | None:
        """The goal that recognisers may learn from now: the truth, while the game is in a training phase."""

    def models(self) -> Sequence[Model]:
        """Return the files behind the game; those with a ``make`` are the recognisers, in the order of the bars."""

    def apply(self, name: str, text: str) -> str:
        """Put a model into force in the world itself: a companion reads by it, fighters live by it. Return in a line
        what has changed, and the empty text if nothing in the world goes by it.
        """

    def bands(self) -> Mapping[str, str]:
        """Return for each row of the timeline what is shown in it now: who pursues which goal, does what."""

    def curves(self) -> Mapping[str, Mapping[str, float]]:
        """Return curves beside the beliefs, as groups of values between 0 and 1: ``{"Ada": {"hunger": 0.4}}``."""

    def facts(self) -> Mapping[str, Value]:
        """Return what a pause on a condition may ask about, by name: ``{"monsters": 3, "Sam.goal": "cover"}``."""

    def characters(self) -> Sequence[str]:
        """Return those whose minds can be looked into, in order."""

    def mind(self, who: str) -> MindSheet | None:
        """Return a mind on paper; None if there is nobody of that name, or nobody left."""

    def why_not(self, who: str, what: str) -> str:
        """Say why somebody does not pursue a goal, or does not do an action."""

    def pokes(self) -> Sequence[Poke]:
        """Return what an onlooker may do now."""

    def commands(self) -> Sequence[str]:
        """Return what the player may be told by word now: ``go forge``; empty where keys are all."""

    def recording(self) -> tuple[str, bytes] | None:
        """Return the game so far as a file that other commands of Telos read: its name, and what is in it."""


@dataclass(frozen=True, slots=True)
class World:
    """A world of the studio's list: how it is called, what can be set, and how a stage is made."""

    name: str
    title: str
    about: str
    settings: tuple[Setting, ...]
    make: Callable[[int, Mapping[str, str]], Stage]  # from a seed and the settings, all of them given

    def chosen(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return all settings: those given, where they make sense, and the others as they are by default."""
        chosen = {}
        for setting in self.settings:
            said = given.get(setting.name, setting.default)
            good = said in setting.options if setting.options else said.isdecimal() and len(said) <= 6
            chosen[setting.name] = said if good else setting.default
        return chosen


# --- quiet ------------------------------------------------------------------------------------------------------------
# A stage that offers little: worlds inherit it, and answer what concerns them.


class QuietStage:
    """Nobody is read, nobody has a mind, nothing can be poked: the answers of a world that has none."""

    symbols: Symbols = MappingProxyType({})
    keys: tuple[tuple[str, str, str], ...] = ()
    unit: str = "s"
    watched: str | None = None
    awaits: bool = False

    @property
    def over(self) -> bool:
        """Whether there is nothing left to play."""
        return False

    @property
    def truth(self) -> str | None:
        """The goal that the watched player has, if it is known."""
        return None

    @property
    def lesson(self) -> str | None:
        """The goal that recognisers may learn from now."""
        return None

    def models(self) -> Sequence[Model]:
        """Return the files behind the game."""
        return ()

    def apply(self, name: str, text: str) -> str:
        """Put a model into force in the world itself."""
        return ""

    def bands(self) -> Mapping[str, str]:
        """Return for each row of the timeline what is shown in it now."""
        return {}

    def curves(self) -> Mapping[str, Mapping[str, float]]:
        """Return curves beside the beliefs."""
        return {}

    def facts(self) -> Mapping[str, Value]:
        """Return what a pause on a condition may ask about."""
        return {}

    def characters(self) -> Sequence[str]:
        """Return those whose minds can be looked into."""
        return ()

    def mind(self, who: str) -> MindSheet | None:
        """Return a mind on paper."""
        return None

    def why_not(self, who: str, what: str) -> str:
        """Say why somebody does not pursue a goal, or does not do an action."""
        raise TelosError(f"nobody called {who!r} can be asked here")

    def pokes(self) -> Sequence[Poke]:
        """Return what an onlooker may do now."""
        return ()

    def commands(self) -> Sequence[str]:
        """Return what the player may be told by word now."""
        return ()

    def recording(self) -> tuple[str, bytes] | None:
        """Return the game so far as a file that other commands of Telos read."""
        return None


# --- worlds -----------------------------------------------------------------------------------------------------------
# The worlds of the studio, in the order of its tabs.


NAMES = ("adventure", "arena", "home", "forge", "island")


def world(name: str) -> World:
    """Return a world by its name; only then is it imported, so that the first page does not wait for all of them."""
    found: World = getattr(import_module(f"telos.studio.worlds.{known_world(name)}"), name.upper())
    return found


def known_world(name: str) -> str:
    """Return ``name`` if there is a world called so."""
    if name not in NAMES:
        raise TelosError(f"there is no world {name!r}", name_hint(name, NAMES))
    return name
