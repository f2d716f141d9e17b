"""What a world offers the studio: `Stage` (the base class of all stages), `StudioWorld`, and the values they exchange.

Start with `Stage`: a world implements `step`, `backdrop`, `picture`, `hud` and `time`, and overrides what else applies
to it. `world` finds one of the built-in worlds by its name.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from telos.core.belief import Belief
from telos.core.errors import Fault, TelosError, name_hint
from telos.core.event import Event
from telos.core.values import FrozenMap, Value
from telos.files.reading import read_text
from telos.recognition.recognizer import Recognizer
from telos.studio.mind_view import MindView, intent_of
from telos.studio.plan_choice import PlanChoice, PlanningMoment, compare_plans
from telos.studio.worlds.shapes import Picture, Symbols
from telos.worlds.registry import WORLDS, known_world, load_object

_MAX_DIGITS = 6  # of a setting that is a number


@dataclass(frozen=True, slots=True)
class Inputs:
    """The input of one step: the keys that are held down, and the commands that were entered or clicked.

    ``held`` is the stage's own key names joined by ``+`` (``"up+swing"``, ``""``). Each of ``asked`` is a line: a
    command for the player (``"go forge"``) or a poke (``"poke lock-bathroom"``). A game is deterministic: the same
    settings and the same inputs reproduce it.
    """

    held: str = ""
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Happening:
    """An entry of the timeline. ``event`` is what the recognisers observe, if they observe it."""

    time: float
    who: str
    label: str  # a few words: "swings", "finds the chest"
    kind: str = "event"  # "event", "said", "goal" (one was achieved), "bad" (a death), "game" (a hint, an order),
    # "mind" (the cause of a change of goal), "plan" (only in the log); the log filters other words as well
    event: Event | None = None
    why: str = ""  # the cause, if the world knows it
    cue: str = ""  # of ``CUES``: what is heard and felt of it; empty: what ``KIND_CUES`` says of its kind


# What can be heard of a happening: sounds.js has a sound for each. At "hurt" and "death", which are the player's own,
# the picture flinches; what happens to others is "hit" and "kill".
CUES = ("swing", "shot", "hit", "kill", "hurt", "death", "find", "goal", "speech")
KIND_CUES = {"said": "speech", "goal": "goal", "bad": "hit"}


@dataclass(frozen=True, slots=True)
class Hud:
    """The text around the picture: the player's task, a message, and a few counts."""

    task: str = ""
    message: str = ""
    counts: tuple[tuple[str, str], ...] = ()  # ("score", "12")
    clock: str = ""
    over: str = ""  # why the game is over; empty while it runs
    banner: str = ""  # a few large words for a moment: a goal was reached


@dataclass(frozen=True, slots=True)
class Setting:
    """An option of a new game; the page shows a menu, a switch or a number field for it."""

    name: str
    title: str
    default: str
    options: tuple[str, ...] = ()  # empty: a whole number
    about: str = ""
    titles: Mapping[str, str] = FrozenMap()  # of options whose value is not what a menu should show

    def accepts(self, value: str) -> bool:
        """Return whether this can be its value."""
        if self.options:
            return value in self.options
        return value == self.default or (value.isascii() and value.isdecimal() and len(value) <= _MAX_DIGITS)

    def title_of(self, option: str) -> str:
        """Return an option as a menu shows it.

        >>> Setting("scene", "Scene", "flank", ("flank", "lights"), titles={"flank": "The flank"}).title_of("flank")
        'The flank'
        """
        return self.titles.get(option, option or "default")


@dataclass(frozen=True, slots=True)
class QuickStart:
    """A new game at one click, shown as a large button: the settings that it changes, and what it is called."""

    title: str  # "Fight"
    settings: Mapping[str, str]
    about: str = ""


@dataclass(frozen=True, slots=True)
class PlayerChoice:
    """Something that the player may do now: what the page shows, and the command that it sends."""

    title: str  # "Take the wood by the inn"
    command: str  # "take-wood"


@dataclass(frozen=True, slots=True)
class ClickTarget:
    """A thing or a place of the picture that the player may click or tap; its center and reach are in picture units.

    A click sends the command of the only choice, or opens a menu of several.
    """

    name: str  # "infirmary"; unique on its stage
    title: str  # "the infirmary"
    x: float
    y: float
    radius: float
    choices: tuple[PlayerChoice, ...]


@dataclass(frozen=True, slots=True)
class FormField:
    """A line of a form: its value now, and the choices; each has the command that writes it down."""

    title: str
    value: str
    choices: tuple[PlayerChoice, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """A paper to fill in, which the page shows as a dialog; ``submit`` hands it in, where that is possible now."""

    title: str  # "Worksheet"
    about: str
    fields: tuple[FormField, ...]
    submit: PlayerChoice | None = None


@dataclass(frozen=True, slots=True)
class Poke:
    """A change that an observer may make to the world; the page shows a button for it."""

    name: str  # "lock-bathroom"; the command is "poke lock-bathroom"
    title: str  # "Lock the bathroom"


@dataclass(frozen=True, slots=True)
class Model:
    """A file behind a game. ``make`` turns its text into a new recogniser, or raises with all faults.

    A file that does not define a recogniser (a character, for example) has no ``make``; its stage ``apply``s it.
    """

    name: str  # "ffbm"; unique on its stage
    title: str  # "FFBM"
    text: str
    file: str = ""  # the default file name for saving: "flairs.yaml"
    about: str = ""  # one plain sentence: what kind of recogniser it is; empty: what `glossary` says of its name
    language: str = "YAML"
    editable: bool = True
    make: Callable[[str], Recognizer] | None = None
    check: Callable[[str], Sequence[Fault]] | None = None  # all faults of a text, where ``make`` cannot report them


@dataclass(frozen=True, slots=True)
class Learned:
    """What a game has learned about its player: the name and the text of a model, and from how many lessons."""

    model: str
    text: str
    lessons: int


# The keys of the numbered choices below the picture, for the ``keys`` of a stage that has ``choices``.
CHOICE_KEYS: tuple[tuple[str, str, str], ...] = tuple(
    (f"Digit{number}", str(number), "the choice with that number, below the picture") for number in range(1, 10)
)


@lru_cache(maxsize=64)
def read_only_model(path: Path, title: str, name: str = "") -> Model:
    """Return a file of the package that a world is defined by, to be read; its name is the file's, if not given."""
    return Model(name or path.stem, title, read_text(path), file=path.name, editable=False)


class Stage(ABC):
    """A world that is played in the browser, one step at a time. A stage contains no web code.

    Subclasses set ``name``, ``title``, ``rate`` and ``size`` and implement the abstract members. Everything else has a
    default: the world has no recognisers, minds, pokes, commands or files.
    """

    name: str  # "adventure"
    title: str  # one line
    rate: float  # steps per second at speed 1
    size: tuple[float, float]  # of the picture
    unit: str = "s"  # of its time: "s", or "min" in a world with days
    symbols: Symbols = MappingProxyType({})
    keys: tuple[tuple[str, str, str], ...] = ()  # (browser key code, key name, description): ("ArrowUp", "up", "walk")
    watched: str | None = None  # the player whose events the recognisers observe
    needs_pad: bool = True  # whether a touch screen shows buttons for the keys; not where taps in the picture suffice
    is_played: bool = False  # whether a person plays: then the game waits while its player looks elsewhere
    quiet_after: float | None = None  # seconds without an event of the player after which no goal is headlined
    awaits: bool = False  # whether the game starts at the first key press or command of a person

    @abstractmethod
    def step(self, inputs: Inputs) -> Sequence[Happening]:
        """Advance by one step and return what happened.

        Raise a ``TelosError`` for an invalid input before anything has changed: the page shows the error to the player,
        and the step is repeated without the command.
        """

    @abstractmethod
    def backdrop(self) -> tuple[str, Picture]:
        """Return the static part of the picture, and a key that changes whenever it looks different."""

    @abstractmethod
    def picture(self) -> Picture:
        """Return the moving part of the picture."""

    @abstractmethod
    def hud(self) -> Hud:
        """Return the text around the picture."""

    @property
    @abstractmethod
    def time(self) -> float:
        """The world's time; it never decreases."""

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return False

    @property
    def truth(self) -> str | None:
        """The true goal of the watched player, if it is known."""
        return None

    @property
    def lesson(self) -> str | None:
        """The label that recognisers may train on now: the true goal during a training phase, otherwise None."""
        return None

    @property
    def learned(self) -> Learned | None:
        """What the game has learned about its player, to go on with in the next game; None if it does not learn."""
        return None

    @property
    def style(self) -> Belief | None:
        """How the player plays, as a belief over styles; None while too little was seen, or if no styles are known."""
        return None

    def models(self) -> Sequence[Model]:
        """Return the files behind the game; those with a ``make`` are the recognisers, in the order of the bars."""
        return ()

    def sources(self, who: str) -> Sequence[str]:
        """Return the models that define a character's mind: its own file, those it is ``like``, then the domain."""
        return ()

    @property
    def headline(self) -> str | None:
        """The recogniser whose belief is shown in the corner of the picture; None if there is none."""
        return next((model.name for model in self.models() if model.make is not None), None)

    def names(self) -> Mapping[str, str]:
        """Return a plain sentence for names of this world that ``glossary`` does not explain, or explains otherwise."""
        return {}

    def recap_words(self) -> Mapping[str, tuple[str, str]]:
        """Return for each goal the words for pursuing it and for achieving it, to remind a player who comes back."""
        return {}

    def apply(self, name: str, text: str) -> str:
        """Use a model's new text in the world itself (a companion's recogniser, a fighter's character).

        Return one line that says what has changed; the empty text if the world does not use this model.
        """
        return ""

    def bands(self) -> Mapping[str, str]:
        """Return the current label of each row of the timeline: a character's goal or action."""
        return {}

    def action_rows(self) -> Collection[str]:
        """Return the rows of ``bands`` that show actions, not goals: two actions in turn are no thrashing."""
        return ()

    def curves(self) -> Mapping[str, Mapping[str, float]]:
        """Return further curves for the timeline, as groups of values from 0 to 1: ``{"Ada": {"hunger": 0.4}}``."""
        return {}

    def facts(self) -> Mapping[str, Value]:
        """Return the values that a watchpoint may use, by name: ``{"monsters": 3, "Sam.goal": "cover"}``."""
        return {}

    def characters(self) -> Sequence[str]:
        """Return the characters whose minds can be inspected, in order."""
        return ()

    def mind(self, who: str) -> MindView | None:
        """Return a snapshot of a character's mind; None if there is no such character now."""
        return None

    def why_not(self, who: str, what: str) -> str:
        """Explain why a character does not pursue a goal or perform an action."""
        raise TelosError(f"there is no character {who!r} with a mind", name_hint(who, self.characters()))

    def planning(self, who: str) -> PlanningMoment | None:
        """Return what a character plans with now; None if it has no goals and actions that can be shown."""
        return None

    def plan_choice(self, who: str) -> PlanChoice:
        """Return a character's plan beside the best plans that it was preferred to."""
        moment = self.planning(who)
        if moment is None:
            raise TelosError(f"there is no plan of {who!r} to compare", name_hint(who, self.characters()))
        return compare_plans(who, moment)

    def intents(self) -> Mapping[str, tuple[str, str]]:
        """Return the goal and the action of each character with a mind, for watchpoints; by default from ``mind``."""
        views = {who: view for who in self.characters() if (view := self.mind(who)) is not None}
        return {who: intent_of(view) for who, view in views.items()}

    @property
    def backlog(self) -> int:
        """The number of steps to make at once: 1, but of a game that runs elsewhere, as many as have come."""
        return 1

    def pause(self, on: bool) -> None:  # noqa: B027  most games have nothing to do
        """Note that the game is to stand still, or to go on; a game that runs elsewhere is asked to."""

    def look_at(self, who: str) -> None:  # noqa: B027
        """Note which character is looked at; a game that runs elsewhere tells more of it."""

    def pokes(self) -> Sequence[Poke]:
        """Return the changes that an observer may make now."""
        return ()

    def commands(self) -> Sequence[str]:
        """Return the commands that the player may enter now (``go forge``); empty in worlds played by keys only."""
        return ()

    def targets(self) -> Sequence[ClickTarget]:
        """Return the things and places of the picture that the player may click now."""
        return ()

    def command_at(self, x: float, y: float) -> str | None:
        """Return the command of a click on the bare picture, in its units: to walk there. None: it means nothing."""
        return None

    def choices(self) -> Sequence[PlayerChoice]:
        """Return what the player may do here and now, as numbered buttons below the picture."""
        return ()

    def forms(self) -> Sequence[Form]:
        """Return the papers that the player may fill in."""
        return ()

    def invitations(self) -> Sequence[QuickStart]:
        """Return what the picture invites to: a large button for each, such as *Fight* on a fight that is watched."""
        return ()

    def recording(self) -> tuple[str, bytes] | None:
        """Return the game so far as a file that other Telos commands read: its name and its content."""
        return None


@dataclass(frozen=True, slots=True)
class StudioWorld:
    """An entry of the studio's list of worlds: names, settings, and a factory of stages."""

    name: str
    title: str
    about: str
    settings: tuple[Setting, ...]
    make: Callable[[int, Mapping[str, str]], Stage]  # from a seed and a complete set of settings
    starts: tuple[QuickStart, ...] = ()  # large buttons of the menu of a new game
    runs_here: bool = True  # False: it is only looked at, and runs elsewhere or is a recording
    steps: int | None = None  # of a recording

    @property
    def is_live(self) -> bool:
        """Whether it is a game that runs elsewhere, now."""
        return not self.runs_here and self.steps is None

    def complete_settings(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return all settings: the valid ones of ``given``, and defaults for the others."""
        settings = {}
        for setting in self.settings:
            value = given.get(setting.name, setting.default)
            settings[setting.name] = value if setting.accepts(value) else setting.default
        return settings

    def describe_faults(self, given: Mapping[str, str]) -> list[str]:
        """Return a line for each setting that does not exist here, or has a value that `complete_settings` replaces."""
        settings, lines = {setting.name: setting for setting in self.settings}, []
        for name, value in given.items():
            if name not in settings:
                lines.append(f"there is no setting {name[:40]!r}; {name_hint(name[:40], settings)}")
            elif not settings[name].accepts(value):
                setting = settings[name]
                hint = (
                    name_hint(value[:40], setting.options) if setting.options else "a whole number of up to six digits"
                )
                lines.append(f"{name} cannot be {value[:40]!r}; {hint}; it is {setting.default!r} here")
        return lines


_offered: dict[str, StudioWorld] = {}  # by `offer_world`


def offer_world(offered: StudioWorld) -> None:
    """Let this studio show a world of its own in place of the built-in ones: an attached game, or a recording."""
    _offered[offered.name] = offered


def world_names() -> tuple[str, ...]:
    """Return the worlds that this studio shows."""
    return tuple(_offered or WORLDS)


def known_name(name: str) -> str:
    """Return the name of a world that this studio shows, or raise a ``TelosError`` that suggests one."""
    return name if name in _offered else known_world(name)


def world(name: str) -> StudioWorld:
    """Return a world by its name; a built-in one is imported at its first use, to keep startup fast."""
    if name in _offered:
        return _offered[name]
    found: StudioWorld = load_object(WORLDS[known_world(name)].stage)
    return found
