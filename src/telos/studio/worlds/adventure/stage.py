"""The adventure in the studio: `AdventureStage`, with the player at the keyboard or a simulated player.

The game is the engine that the studies use. Below the stage: its models and recordings.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from importlib.resources import files

from telos.core.belief import Belief
from telos.core.errors import TelosError
from telos.core.trace import Trace
from telos.core.values import Value
from telos.recognition.files.load import create_recognizer, loads_model
from telos.recognition.recognizer import Recognizer
from telos.studio.mind_view import MindView
from telos.studio.plan_choice import PlanningMoment, build_planning_moment
from telos.studio.recording import MAX_BYTES, MAX_LINES, MAX_MODELS, MAX_SEED, AppliedModel, GameLog, LogEntry
from telos.studio.stage import Happening, Hud, Inputs, Learned, Model, Setting, Stage, StudioWorld, read_only_model
from telos.studio.worlds.adventure.drawing import AdventureDrawing
from telos.studio.worlds.adventure.effects import Effects
from telos.studio.worlds.adventure.hud import (
    KEYS,
    build_hud,
    describe_banner,
    describe_death,
    describe_hardness,
    find_changes,
    to_happening,
)
from telos.studio.worlds.adventure.minds import (
    PRESETS,
    PlayerSlot,
    TraceListener,
    company_bands,
    company_curves,
    company_facts,
    company_mind,
    company_why_not,
)
from telos.studio.worlds.shapes import Picture
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.recognizer import LEARNING, MEASURING, READERS, create_style_reader
from telos.worlds.adventure.recording import Recording, loads_recording, recording_text
from telos.worlds.adventure.rules import FRAMES_A_SECOND, Rules
from telos.worlds.adventure.rules_file import COMPANION, MINDS, load_rules

FFBM = "ffbm"  # the model that the companion and the director use
_TITLES = {
    FFBM: "FFBM",
    "iohmm": "IOHMM",
    "constant": "constant T",
    "fsm": "FSM",
    "live": "live model",
    "measures": "measures",
}
# The best reader of each rule set by `telos study readers`; tests/studies/test_readers.py compares them.
HEADLINES = {"wilds": FFBM, "tutorial": "iohmm", "flairs": "live", "aiide": "live"}
READERS_OF = {**READERS, **LEARNING}
RULES = tuple(READERS_OF)
RULE_TITLES = {
    "wilds": "The wilds: our game, with a companion",
    "tutorial": "The tutorial: the wilds, and the companion learns how you play",
    "flairs": "Rules of the first paper (FLAIRS)",
    "aiide": "Rules of the second paper (AIIDE)",
}
MAX_RECORDED_FRAMES = 2 * 60 * 60 * 30  # two hours; a line of a file can claim any number of frames
MONSTERS = ("", "3", "5", "8", "15")  # per area; "": as the rules say
RECAP_WORDS = {
    "explore": ("looking for a treasure chest", "finding a chest"),
    "level": ("fighting monsters", "winning your fights"),
    "town": ("on your way home to town", "coming home"),
    "return": ("on your way home to town", "coming home"),
}
YOU = "you"
PLAYER_TITLES = {YOU: "You", "newcomer": "A simulated newcomer", "experienced": "A simulated expert"}
STYLE_ROW = "plays like"
_MIN_STYLE_UPDATES = 40  # before the game says how somebody plays
_NOTICE_FRAMES = 5 * FRAMES_A_SECOND  # that a notice is shown
_BANNER_FRAMES = 5 * FRAMES_A_SECOND // 2
_MESSAGE_FRAMES = 20 * FRAMES_A_SECOND  # that a message of the game is shown: it hides part of the ground


class AdventureStage(Stage):
    """One game of the adventure. Everything visible comes from one view per frame."""

    name = "adventure"
    title = "Adventure: a sword, monsters, a chest somewhere, and what you are after"
    rate = float(FRAMES_A_SECOND)
    quiet_after = 8.0
    keys: tuple[tuple[str, str, str], ...] = (
        ("ArrowUp", "up", "walk up"),
        ("ArrowDown", "down", "walk down"),
        ("ArrowLeft", "left", "walk left"),
        ("ArrowRight", "right", "walk right"),
        ("KeyW", "up", "walk up"),
        ("KeyS", "down", "walk down"),
        ("KeyA", "left", "walk left"),
        ("KeyD", "right", "walk right"),
        ("Space", "swing", "swing the sword"),
        ("KeyX", "swing", "swing the sword"),
    )

    def __init__(self, seed: int, settings: Mapping[str, str]) -> None:
        self._listener = TraceListener()
        self.game = _create_game(seed, settings, self._listener)
        rules = self.game.rules
        self.watched: str | None = self.game.player
        self.is_played = self.awaits = settings["plays"] == YOU
        self.keys = type(self).keys if self.is_played else ()
        self.size: tuple[float, float] = (rules.width, rules.height)
        self._rules = settings["rules"]
        self._slot = PlayerSlot(settings["plays"], seed, rules)
        self._drawing, self._effects = AdventureDrawing(rules), Effects(rules.death.fall)
        self.symbols = self._drawing.symbols
        self._styles = create_style_reader(self._rules)
        self._view = self.game.view()
        self._hardness = describe_hardness(rules)
        self._notice, self._notice_until = "", 0
        self._banner, self._banner_until = "", 0
        self._message_since = 0

    # --- playing ------------------------------------------------------------------------------------------------------

    def step(self, inputs: Inputs) -> Sequence[Happening]:
        """Play one frame."""
        if inputs.asked:
            raise TelosError(f"there is no command {inputs.asked[0]!r}", "walk with the arrow keys, swing with space")
        before, game = self._view, self.game
        game.step({game.player: self._slot.held(inputs.held, before)})
        self._view = after = game.view()
        self._effects.update(before, after)
        if self._styles is not None:
            for event in game.events:
                self._styles.observe(event)
        happened = [to_happening(event, directed=game.directed) for event in game.events]
        happened += find_changes(before, after)
        happened += self._listener.take(game)
        if after.deaths != before.deaths:
            notice = f"{describe_death(before, game.restarts_in)} {self._hardness}".rstrip()
            self._notice, self._notice_until = notice, after.frame + _NOTICE_FRAMES
        if banner := describe_banner(before, after):
            self._banner, self._banner_until = banner, after.frame + _BANNER_FRAMES
        if after.message != before.message:
            self._message_since = after.frame
        return happened

    @property
    def time(self) -> float:
        return self._view.time

    @property
    def over(self) -> bool:
        """Whether all phases of a directed game are finished."""
        return self._view.done

    @property
    def truth(self) -> str | None:
        """The goal that the game has given; in free play that of a simulated player."""
        return self._view.truth if self.game.directed else self._slot.goal

    @property
    def lesson(self) -> str | None:
        """The given goal, during a training round, or while the companion learns."""
        return self._view.truth if self._view.round == "training" else self.game.lesson

    @property
    def learned(self) -> Learned | None:
        """What the companion has learned about the player, if it learns."""
        companion, reading = self.game.rules.companion, self.game.reading
        if companion is None or not companion.learns or reading is None:
            return None
        return Learned(_companion_model(self.game.rules), reading.model_text(), reading.learned)

    # --- looking ------------------------------------------------------------------------------------------------------

    def backdrop(self) -> tuple[str, Picture]:
        """Return the ground of the current area."""
        return self._drawing.backdrop(self._view)

    def picture(self) -> Picture:
        """Return the hero, monsters, companion and effects."""
        return self._drawing.picture(self._view, self._effects)

    def hud(self) -> Hud:
        """Return the task, the score and the current message."""
        pays = self.game.pay.get("kill", 1.0)
        banner = self._banner if self._view.frame < self._banner_until else ""
        return build_hud(
            self._view,
            len(self.game.rules.phases),
            message=self._message(),
            banner=banner,
            pays=pays,
            lessons=None if self.learned is None else self.learned.lessons,
        )

    def _message(self) -> str:
        """Return the text to show now: a notice, a message of the game, or at first how hard it is and the keys."""
        view = self._view
        if view.frame < self._notice_until:
            return self._notice
        is_start = view.frame < _MESSAGE_FRAMES
        said = view.message if view.frame - self._message_since < _MESSAGE_FRAMES else ""
        said = said or (KEYS if self.awaits and is_start else "")
        return f"{self._hardness} {said}".strip() if is_start else said

    def bands(self) -> Mapping[str, str]:
        """Return the companion's goal, and the current step of a simulated player."""
        company = company_bands(self.game, self._view)
        return company if self._slot.player is None else {**company, "player": self._slot.step}

    def action_rows(self) -> Sequence[str]:
        """Return the row of a simulated player, whose steps alternate in a fight: to approach and to strike."""
        return ("player",)

    def curves(self) -> Mapping[str, Mapping[str, float]]:
        """Return the current pay, where the game adapts it, and how the player plays."""
        style = self.style
        return {**company_curves(self.game), **({} if style is None else {STYLE_ROW: style})}

    @property
    def style(self) -> Belief | None:
        """How the player plays, once enough was seen."""
        styles = self._styles
        is_known = styles is not None and max(each.updates for each in styles.readers.values()) >= _MIN_STYLE_UPDATES
        return styles.belief if styles is not None and is_known else None

    def facts(self) -> Mapping[str, Value]:
        """Return the state of the game and of the companion."""
        view = self._view
        return {
            "area": view.area,
            "monsters": len(view.monsters),
            "gems": view.gems_held,
            "in_town": view.in_town,
            "carrying": view.carrying,
            "score": view.score,
            "kills": view.kills,
            "deaths": view.deaths,
            "phase": view.phase,
            "round": view.round,
            "visited": len(view.visited),
            "moving": view.moving,
            "x": view.x,
            "y": view.y,
            **company_facts(self.game, view),
        }

    # --- minds and models ---------------------------------------------------------------------------------------------

    def models(self) -> Sequence[Model]:
        """Return the recognisers of the rule set, its rules, and the domains of the minds if it has any."""
        learned, found = self.learned, [*adventure_models(self._rules), *rule_models(self._rules)]
        if learned is not None:
            about = f"{learned.lessons} lessons: what you did while the game said what the goal was."
            title = f"What {self.game.rules.companion.name if self.game.rules.companion else ''} has learned of you"
            found.append(Model("learned", title, learned.text, "learned.yaml", about, editable=False))
        return tuple(found)

    def sources(self, who: str) -> Sequence[str]:
        """Return the domain of the companion or of a monster."""
        if who not in self.game.minds:
            return ()
        return ("companion",) if who == COMPANION else ("beasts",)

    @property
    def headline(self) -> str | None:
        """The recogniser that was right most often about the players of ``telos study readers``."""
        return HEADLINES[self._rules]

    def recap_words(self) -> Mapping[str, tuple[str, str]]:
        """Return the words that remind a player who comes back of what they were doing."""
        return RECAP_WORDS

    def apply(self, name: str, text: str) -> str:
        """Use a new FFBM for the companion and the director, if the rules have a companion."""
        companion = self.game.rules.companion
        if companion is None or name != _companion_model(self.game.rules):
            return ""
        self.game.use(text)
        return f"{companion.name} uses the new model now, and the game adapts by its rules."

    def characters(self) -> Sequence[str]:
        """Return the companion, the monsters of the area, and a simulated player."""
        return *self.game.minds, *(() if self._slot.player is None else (self.game.player,))

    def mind(self, who: str) -> MindView | None:
        """Return the mind of a monster, the companion or a simulated player."""
        if who == self.game.player:
            return self._slot.mind(self._view)
        return company_mind(self.game, self._view, who)

    def why_not(self, who: str, what: str) -> str:
        """Explain why a character does not pursue a goal or perform an action."""
        if who == self.game.player:
            return self._slot.why_not(what)
        return company_why_not(self.game, who, what)

    def planning(self, who: str) -> PlanningMoment | None:
        """Return what the companion or a monster plans with now."""
        mind = self.game.minds.get(who)
        return None if mind is None else build_planning_moment(mind)

    def recording(self) -> tuple[str, bytes] | None:
        """Return the recording that ``telos study played`` reads."""
        return to_file(replace(self.game.recording(), simulated=not self.awaits))


def _create_game(seed: int, settings: Mapping[str, str], trace: Trace) -> Adventure:
    rules, monsters = settings["rules"], settings["monsters"]
    return Adventure(
        rules,
        directed=settings["goals"] == "directed",
        monsters=int(monsters) if monsters else None,
        seed=seed,
        model=companion_text(rules),
        trace=trace,
    )


ADVENTURE = StudioWorld(
    "adventure",
    "Adventure",
    "Find the chest, bring it home, fight monsters; recognisers watch and infer your goal.",
    (
        Setting(
            "rules",
            "Rules",
            RULES[0],
            RULES,
            "The wilds has a companion, and adapts to you. The papers' games are as hard as they were.",
            RULE_TITLES,
        ),
        Setting(
            "goals",
            "Goals",
            "directed",
            ("directed", "free"),
            "",
            {"directed": "Given, one after the other", "free": "Free play: do as you like"},
        ),
        Setting("monsters", "Monsters in an area", "", MONSTERS, "", {"": "As the rules say"}),
        Setting("plays", "Who plays", YOU, (YOU, *PRESETS), "", PLAYER_TITLES),
    ),
    AdventureStage,
)


# --- models -----------------------------------------------------------------------------------------------------------


def adventure_models(rules: str) -> tuple[Model, ...]:
    """Return the recognisers of a rule set.

    >>> [model.file for model in adventure_models("wilds")]
    ['wilds.yaml', 'flairs-iohmm.yaml', 'flairs-constant.yaml', 'flairs-fsm.yaml']
    """
    measuring = {"measures": MEASURING[rules]} if rules in MEASURING else {}
    return tuple(
        Model(name, _TITLES[name], _model_text(file), f"{file}.yaml", make=partial(_make_recognizer, f"{file}.yaml"))
        for name, file in {**READERS_OF[rules], **measuring}.items()
    )


def rule_models(rules: str) -> tuple[Model, ...]:
    """Return the files that define the game of a rule set, to be read.

    >>> [model.file for model in rule_models("wilds")]
    ['wilds.yaml', 'beasts.yaml', 'companion.yaml', 'lines.yaml']
    """
    rule_file = read_only_model(MINDS.parent / f"{rules}.yaml", "The rules", "rules")
    if load_rules(rules).companion is None:
        return (rule_file,)
    minds = (("beasts", "Minds of the monsters"), ("companion", "Mind of the companion"), ("lines", "Its lines"))
    return (rule_file, *(read_only_model(MINDS / f"{name}.yaml", title) for name, title in minds))


def _companion_model(rules: Rules) -> str:
    """Return the name of the model by which the companion reads the player."""
    return "iohmm" if rules.companion is not None and rules.companion.learns else FFBM


def companion_text(rules: str) -> str | None:
    """Return the text of the model by which the companion of a rule set reads; None without a companion."""
    loaded = load_rules(rules)
    return None if loaded.companion is None else _model_text(READERS_OF[rules][_companion_model(loaded)])


def ffbm_text(rules: str) -> str:
    """Return the text of the FFBM of a rule set."""
    return _model_text(READERS_OF[rules][FFBM])


def _make_recognizer(file: str, text: str) -> Recognizer:
    """Make a new recogniser: one that learns must not share state with other games."""
    return create_recognizer(loads_model(text, name=file))


@lru_cache(maxsize=16)
def _model_text(file: str) -> str:
    return files("telos.recognition").joinpath("data", f"{file}.yaml").read_text(encoding="utf-8")


# --- recordings -------------------------------------------------------------------------------------------------------


def to_file(recording: Recording) -> tuple[str, bytes]:
    """Return a recording as a file: its name and its content."""
    return f"adventure-{recording.rules}-seed{recording.seed}.jsonl", recording_text(recording).encode()


def from_recording(data: bytes) -> GameLog:
    """Return the log that replays an uploaded recording, or raise with what is wrong.

    A recording names its rules; only built-in rules are accepted, as other names would be paths of this machine.
    """
    if len(data) > MAX_BYTES:
        raise TelosError(f"the recording has {len(data)} bytes", f"upload one of at most {MAX_BYTES}")
    if data.count(b"\n") > MAX_LINES:
        raise TelosError(f"the recording has more than {MAX_LINES} lines", "upload a shorter one")
    try:
        recording = loads_recording(data.decode())
    except UnicodeDecodeError:
        raise TelosError("the recording is not UTF-8 text", "download one from the studio") from None
    if len(recording.models) > MAX_MODELS:  # each is run on all earlier events
        raise TelosError(
            f"the recording applies {len(recording.models)} models", f"upload one with at most {MAX_MODELS}"
        )
    if recording.rules not in RULES:
        raise TelosError(f"the recording has the rules {recording.rules!r}", f"the studio has {', '.join(RULES)}")
    if recording.fingerprint not in ("", load_rules(recording.rules).fingerprint):
        raise TelosError(f"the rules {recording.rules!r} have changed since this recording", "record it again")
    monsters = "" if recording.monsters is None else str(recording.monsters)
    if monsters not in MONSTERS:
        raise TelosError(f"the recording has {monsters} monsters", f"the studio has {', '.join(MONSTERS[1:])}")
    if not 0 <= recording.seed < MAX_SEED or recording.frames > MAX_RECORDED_FRAMES:
        raise TelosError(f"the seed {recording.seed} or the {recording.frames} frames of the recording are too large")
    goals = "directed" if recording.directed else "free"
    settings = {"rules": recording.rules, "goals": goals, "monsters": monsters, "plays": "you"}
    runs = list(_to_runs(recording))
    return GameLog("adventure", recording.seed, settings, runs, recording.frames)


def _to_runs(recording: Recording) -> Iterator[tuple[LogEntry, int]]:
    """Yield the inputs with the models between them, without the model that the stage starts with."""
    frame, models = 0, [each for each in recording.models if each != (0, ffbm_text(recording.rules))]
    for held, frames in recording.inputs:
        end = frame + frames
        while models and models[0][0] < end:
            at, text = models.pop(0)
            if at > frame:
                yield Inputs(held), at - frame
            frame = max(frame, at)
            yield AppliedModel(FFBM, text), 1
        yield Inputs(held), end - frame
        frame = end
