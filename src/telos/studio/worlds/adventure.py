"""The adventure in the studio: `AdventureStage`, with the player at the keyboard or a simulated player.

The game is the engine that the studies use. Below the stage: events and HUD, minds, models, recordings.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from importlib.resources import files

from telos.agents.explain import why_not
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.trace import Trace
from telos.core.values import Value
from telos.recognition.files.load import create_recognizer, loads_model
from telos.recognition.recognizer import Recognizer
from telos.studies.players import EXPERIENCED, NOVICE, Player
from telos.studio.mind_view import GoalLine, MindView, StepLine, build_mind_view
from telos.studio.recording import MAX_BYTES, MAX_LINES, MAX_MODELS, MAX_SEED, AppliedModel, GameLog, LogEntry
from telos.studio.stage import Happening, Hud, Inputs, Model, Setting, Stage, StudioWorld
from telos.studio.worlds.adventure_drawing import AdventureDrawing, FlashEffects
from telos.studio.worlds.shapes import Picture
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.events import Adapted, CompanionLine
from telos.worlds.adventure.map import PARTS
from telos.worlds.adventure.recording import Recording, loads_recording, recording_text
from telos.worlds.adventure.rules import FRAMES_A_SECOND, Rules
from telos.worlds.adventure.rules_file import COMPANION, load_rules
from telos.worlds.adventure.views import AdventureView

FFBM = "ffbm"  # the model that the companion and the director use
_KINDS = ((FFBM, "FFBM"), ("iohmm", "IOHMM"), ("constant", "constant T"), ("fsm", "FSM"))
_FILES = {  # of each rule set, in the order of the kinds
    "wilds": ("wilds", "flairs-iohmm", "flairs-constant", "flairs-fsm"),
    "flairs": ("flairs", "flairs-iohmm", "flairs-constant", "flairs-fsm"),
    "aiide": ("aiide-ffbm", "aiide-iohmm", "aiide-constant", "aiide-fsm"),
}
HEADLINES = {"wilds": "iohmm", "flairs": "iohmm", "aiide": "iohmm"}  # by `telos study readers`
RULES = tuple(_FILES)
RULE_TITLES = {
    "wilds": "The wilds: our game, with a companion",
    "flairs": "Rules of the first paper (FLAIRS)",
    "aiide": "Rules of the second paper (AIIDE)",
}
MAX_RECORDED_FRAMES = 2 * 60 * 60 * 30  # two hours; a line of a file can claim any number of frames
MONSTERS = ("", "3", "5", "8", "15")  # per area; "": as the rules say
YOU = "you"
PRESETS = {"newcomer": NOVICE, "experienced": EXPERIENCED}
PLAYER_TITLES = {YOU: "You", "newcomer": "A simulated newcomer", "experienced": "A simulated expert"}
FREE = "Free play: do as you like"
KEYS = "Arrow keys or WASD walk, space swings the sword. Walk off an open edge to reach the next area."
_NEXT = "Under New game: goals of your own, or the rules aiide, with training and test."
# How each kind of monster catches the player: a hint for the next attempt.
_CAUGHT = {
    "hunter": "A hunter ran you down",
    "guard": "A guard caught you near its post",
    "stalker": "A stalker came from behind: it keeps off while you face it",
}
_WALKS = {way: f"walks {' and '.join(parts)}" for way, parts in PARTS.items() if parts}
_NOTICE_FRAMES = 5 * FRAMES_A_SECOND  # that a notice is shown
_MESSAGE_FRAMES = 20 * FRAMES_A_SECOND  # that a message of the game is shown: it hides part of the ground


class AdventureStage(Stage):
    """One game of the adventure. Everything visible comes from one view per frame."""

    name = "adventure"
    title = "Adventure: a sword, monsters, a chest somewhere, and what you are after"
    rate = float(FRAMES_A_SECOND)
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
        self.awaits = settings["plays"] == "you"
        self.size: tuple[float, float] = (rules.width, rules.height)
        self._rules = settings["rules"]
        self._slot = PlayerSlot(settings["plays"], seed, rules)
        self._drawing, self._flashes = AdventureDrawing(rules), FlashEffects()
        self.symbols = self._drawing.symbols
        self._view = self.game.view()
        self._notice, self._notice_until = "", 0
        self._message_since = 0

    # --- playing ------------------------------------------------------------------------------------------------------

    def step(self, inputs: Inputs) -> Sequence[Happening]:
        """Play one frame."""
        if inputs.asked:
            raise TelosError(f"there is no command {inputs.asked[0]!r}", "walk with the arrow keys, swing with space")
        before, game = self._view, self.game
        game.step({game.player: self._slot.held(inputs.held, before)})
        self._view = after = game.view()
        self._flashes.update(before, after)
        happened = [to_happening(event, directed=game.directed) for event in game.events]
        happened += find_changes(before, after)
        happened += self._listener.take(game)
        if after.deaths != before.deaths:
            self._notice, self._notice_until = describe_death(before, game.restarts_in), after.frame + _NOTICE_FRAMES
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
        """The given goal, during a training round."""
        return self._view.truth if self._view.round == "training" else None

    # --- looking ------------------------------------------------------------------------------------------------------

    def backdrop(self) -> tuple[str, Picture]:
        """Return the ground of the current area."""
        return self._drawing.backdrop(self._view)

    def picture(self) -> Picture:
        """Return the hero, monsters, companion and effects."""
        return self._drawing.picture(self._view, self._flashes)

    def hud(self) -> Hud:
        """Return the task, the score and the current message."""
        pays = self.game.pay.get("kill", 1.0)
        return build_hud(self._view, len(self.game.rules.phases), message=self._message(), pays=pays)

    def _message(self) -> str:
        """Return the text to show now: a notice, a message of the game, or at first the keys."""
        view = self._view
        if view.frame < self._notice_until:
            return self._notice
        if view.frame - self._message_since >= _MESSAGE_FRAMES:
            return ""
        return view.message or (KEYS if self.awaits and view.frame < _MESSAGE_FRAMES else "")

    def bands(self) -> Mapping[str, str]:
        """Return the companion's goal, and the current step of a simulated player."""
        company = company_bands(self.game, self._view)
        return company if self._slot.player is None else {**company, "player": self._slot.step}

    def curves(self) -> Mapping[str, Mapping[str, float]]:
        """Return the current pay, where the game adapts it."""
        return company_curves(self.game)

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
        """Return the recognisers of the rule set."""
        return adventure_models(self._rules)

    @property
    def headline(self) -> str | None:
        """The recogniser that was right most often about the players of ``telos study readers``."""
        return HEADLINES[self._rules]

    def apply(self, name: str, text: str) -> str:
        """Use a new FFBM for the companion and the director, if the rules have a companion."""
        companion = self.game.rules.companion
        if name != FFBM or companion is None:
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
        model=ffbm_text(rules) if load_rules(rules).companion is not None else None,
        trace=trace,
    )


ADVENTURE = StudioWorld(
    "adventure",
    "Adventure",
    "Find the chest, bring it home, fight monsters; four recognisers watch and infer your goal.",
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


# --- events and HUD ---------------------------------------------------------------------------------------------------


def describe_event(event: Event) -> str:
    """Describe an event in a few words; return the empty text for a tick.

    >>> describe_event(Event("up_left", {"cause": "input"}))
    'walks up and left'
    >>> describe_event(Event("left", {"cause": "area", "area": "3,2"}))
    'enters 3,2'
    """
    cause = event.context.get("cause")
    if cause == "tick":
        return ""
    if cause == "area":
        return f"enters {event.context['area']}"
    return "swings" if event.action == "swing" else _WALKS.get(event.action, "stops")


def to_happening(event: Event, *, directed: bool) -> Happening:
    """Return an event as a happening; only in free play does an event show an achieved goal (others have phases)."""
    if event.goal is not None and not directed:
        return Happening(event.time, event.player, f"achieves {event.goal}", "goal", event)
    return Happening(event.time, event.player, describe_event(event), event=event)


def find_changes(before: AdventureView, after: AdventureView) -> Iterator[Happening]:
    """Yield what changed from one view to the next: kills, treasure, deaths, phases."""
    (who,), time = after.players, after.time
    died = after.deaths > before.deaths
    if after.kills > before.kills:
        yield Happening(time, who, "kills a monster")
    if after.carrying and not before.carrying:
        yield Happening(time, who, "takes the chest")
    if before.carrying and not after.carrying and not died:
        yield Happening(time, who, "brings the chest to town")
    if before.gems_held and not after.gems_held and not died:
        yield Happening(time, who, f"brings {format_gems(before.gems_held)} to town")
    if died:
        yield Happening(time, who, "dies", "bad", why=f"A {find_killer(before)} touched the player in {before.area}.")
    if (before.phase, before.done) != (after.phase, after.done):
        yield Happening(time, who, f"achieves {before.truth}", "goal")
        yield Happening(time, "game", after.instruction or "all goals are reached", "game")


def find_killer(before: AdventureView) -> str:
    """Return the kind of the nearest monster one frame before a death; ``monster`` if they have no kinds."""
    awake = [beast for beast in before.beasts if beast.doing != "stunned"]
    near = min(awake, key=lambda beast: (beast.x - before.x) ** 2 + (beast.y - before.y) ** 2, default=None)
    return "monster" if near is None else near.kind


def describe_death(before: AdventureView, restarts_in: str) -> str:
    """Describe how the player died, and where they start again: in ``town`` or at the ``chest``."""
    where = "in town" if restarts_in == "town" else "where the chest was"
    caught = _CAUGHT.get(find_killer(before))
    return f"You fell, and start again {where}." if caught is None else f"{caught}. You start again {where}."


def format_gems(number: int) -> str:
    """Return a number of gems as text.

    >>> format_gems(1), format_gems(4)
    ('a gem', '4 gems')
    """
    return "a gem" if number == 1 else f"{number} gems"


def _deaths(number: int) -> str:
    return "1 death" if number == 1 else f"{number} deaths"


def build_hud(view: AdventureView, phases: int, *, message: str = "", pays: float = 1.0) -> Hud:
    """Return the HUD; ``pays`` is the factor by which a kill counts."""
    counts = [("score", f"{view.score:g}")]
    if view.phase:
        counts.insert(0, (view.round or "goal", f"{view.phase} of {phases}"))
    if view.kills_left is not None:
        counts.append(("kills left" if view.phase else "kills to go", str(view.kills_left)))
    if pays != 1.0:
        counts.append(("a kill pays", f"{pays:.0%}"))
    if view.gems_held:
        counts.append(("gems", str(view.gems_held)))
    if view.carrying:
        counts.append(("carries", "a chest"))
    counts.append(("deaths", str(view.deaths)))
    seconds = int(view.time)
    return Hud(
        task=view.instruction or ("" if view.done else FREE),
        message=message,
        counts=tuple(counts),
        clock=f"{seconds // 60:02d}:{seconds % 60:02d}",
        over=f"All goals are reached: score {view.score:g}, {_deaths(view.deaths)}. {_NEXT}" if view.done else "",
    )


# --- who plays --------------------------------------------------------------------------------------------------------


class PlayerSlot:
    """Who plays: the person at the keyboard, or a simulated player of the studies, who sees only the view."""

    def __init__(self, plays: str, seed: int, rules: Rules) -> None:
        preset = PRESETS.get(plays)
        self._rules = rules
        self.player = None if preset is None else Player(seed, preset)

    def held(self, held: str, view: AdventureView) -> str:
        """Return the keys that are held down in the next frame."""
        return held if self.player is None else self.player.input(view)

    @property
    def goal(self) -> str | None:
        """The goal of a simulated player, as the rules name it; None for a person."""
        goal = None if self.player is None else self.player.goal
        return self._rules.goal_of("town") if goal == "town" else goal

    @property
    def step(self) -> str:
        """The current step of a simulated player's plan."""
        return self.player.steps[0].replace("-", " ") if self.player is not None and self.player.steps else ""

    def why_not(self, what: str) -> str:
        """Explain why a simulated player does not pursue a goal or take a step."""
        player = self.player
        if player is None:
            raise TelosError(
                '"why not" is only available for simulated players', "start a game with a simulated player"
            )
        if what in (self.goal, *player.steps):
            return f"{what}: this is what the player is doing."
        if what in self._rules.goals:
            return f"{what}: the game asks for {self.goal}." if self.goal else f"{what}: the player has no goal now."
        return f"{what}: it is not part of the cheapest plan for {self.goal}."

    def mind(self, view: AdventureView) -> MindView | None:
        """Return the mind of a simulated player: the goal and its plan."""
        player = self.player
        if player is None:
            return None
        reason = "the game asks for it" if view.phase else "it has the most left to do"
        goals = tuple(
            GoalLine(
                goal, float(goal == self.goal), True, goal == self.goal, reason if goal == self.goal else "not now"
            )
            for goal in self._rules.goals
        )
        plan = tuple(StepLine(step, "next" if number else "now") for number, step in enumerate(player.steps))
        return MindView(
            who=view.players[0],
            about=f"simulated player, {player.preset.name}",
            time=view.time,
            doing=f"{self.step}, for {self.goal}" if self.step else "looks around",
            goals=goals,
            plan=plan,
            focus=tuple((name, f"{getattr(player.habits, name):.2f}") for name in ("boldness", "baiting", "roaming")),
            why=f"Skill {player.skill(view.time):.2f}; reacts within {player.limits.reaction * 1000:.0f} ms.",
        )


# --- companion, monsters and director ---------------------------------------------------------------------------------


class TraceListener:
    """Collects the speech and the adaptations in the trace of a game."""

    def __init__(self) -> None:
        self._records: list[CompanionLine | Adapted] = []

    def __call__(self, record: object) -> None:
        if isinstance(record, CompanionLine | Adapted):
            self._records.append(record)

    def take(self, game: Adventure) -> list[Happening]:
        """Return what was collected since the last call, as happenings."""
        if not self._records:
            return []
        records, self._records = self._records, []
        return [_trace_happening(record, game) for record in records]


def _trace_happening(record: CompanionLine | Adapted, game: Adventure) -> Happening:
    if isinstance(record, CompanionLine):
        return Happening(record.time, record.who, record.text, "said", why=_format_belief(game))
    director = None if game.reading is None else game.reading.director
    pay = ", ".join(f"a {what} pays {factor:.0%}" for what, factor in record.pay.items()) or "everything pays in full"
    return Happening(
        record.time, "game", record.hint or pay, "game", why=director.why() if director is not None else ""
    )


def _format_belief(game: Adventure) -> str:
    belief = game.belief
    return "" if belief is None else "Belief: " + ", ".join(f"{goal} {p:.0%}" for goal, p in belief.items())


def company_mind(game: Adventure, view: AdventureView, who: str) -> MindView | None:
    """Return the mind of the companion or of a monster; None if there is no such character now."""
    mind = game.minds.get(who)
    if mind is None:
        return None
    if who != COMPANION:
        return build_mind_view(mind, view.time, about=who.partition("-")[0])
    lines = [(said.time, said.text) for said in game.lines]
    name = game.rules.companion.name if game.rules.companion is not None else who
    return build_mind_view(mind, view.time, about=f"{name}, your companion. {_format_belief(game)}", lines=lines)


def company_why_not(game: Adventure, who: str, what: str) -> str:
    """Explain why the companion or a monster does not pursue a goal or perform an action."""
    minds = game.minds
    if who not in minds:
        raise TelosError(
            f"there is no character {who!r} with a mind", name_hint(who, minds) if minds else "choose the rules `wilds`"
        )
    return why_not(minds[who], what)


def company_bands(game: Adventure, view: AdventureView) -> Mapping[str, str]:
    """Return the companion's goal."""
    rules = game.rules.companion
    if rules is None:
        return {}
    return {rules.name: (view.companion.goal or "") if view.companion is not None else ""}


def company_curves(game: Adventure) -> Mapping[str, Mapping[str, float]]:
    """Return what a kill and a chest pay now, if the game has a director."""
    if game.reading is None:
        return {}
    pay = game.pay
    return {"pays": {what: min(1.0, pay.get(what, 1.0)) for what in ("kill", "chest")}}


def company_facts(game: Adventure, view: AdventureView) -> Mapping[str, Value]:
    """Return the values of the companion and the director for watchpoints."""
    rules, companion = game.rules.companion, view.companion
    if rules is None:
        return {}
    state = {"goal": "", "doing": "away", "reading": ""}
    if companion is not None:
        state = {"goal": companion.goal or "", "doing": companion.doing, "reading": companion.reading or ""}
    return {**{f"{rules.name}.{name}": value for name, value in state.items()}, "pay": game.pay.get("kill", 1.0)}


# --- models -----------------------------------------------------------------------------------------------------------


def adventure_models(rules: str) -> tuple[Model, ...]:
    """Return the recognisers of a rule set.

    >>> [model.file for model in adventure_models("flairs")]
    ['flairs.yaml', 'flairs-iohmm.yaml', 'flairs-constant.yaml', 'flairs-fsm.yaml']
    """
    return tuple(
        Model(name, title, _model_text(file), f"{file}.yaml", make=partial(_make_recognizer, f"{file}.yaml"))
        for (name, title), file in zip(_KINDS, _FILES[rules], strict=True)
    )


def ffbm_text(rules: str) -> str:
    """Return the text of the FFBM of a rule set."""
    return _model_text(_FILES[rules][0])


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
