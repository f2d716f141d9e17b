"""Adventure stage."""

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
from telos.studio.worlds.adventure_drawing import Artist, Flashes
from telos.studio.worlds.shapes import Picture
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.events import Adapted, Said
from telos.worlds.adventure.map import PARTS
from telos.worlds.adventure.recording import Recording, loads_recording, recording_text
from telos.worlds.adventure.rules import FRAMES_A_SECOND, Rules
from telos.worlds.adventure.rules_file import COMPANION, load_rules
from telos.worlds.adventure.views import AdventureView

# --- adventure company ------------------------------------------------------------------------------------------------
# The company of the adventure on stage: what minds, the companion and the director have to say.


_GAME = "game"


class Listener:
    """Hears the trace of a game, and keeps what is worth telling until it is told."""

    def __init__(self) -> None:
        self._heard: list[Said | Adapted] = []

    def __call__(self, record: object) -> None:
        """Take in a record of the trace."""
        if isinstance(record, Said | Adapted):
            self._heard.append(record)

    def told(self, game: Adventure) -> list[Happening]:
        """Return what was heard since the last time."""
        if not self._heard:
            return []
        heard, self._heard = self._heard, []
        return [_happening(record, game) for record in heard]


def _happening(record: Said | Adapted, game: Adventure) -> Happening:
    if isinstance(record, Said):
        return Happening(record.time, record.who, record.text, "said", why=_reading(game))
    director = None if game.reading is None else game.reading.director
    pay = ", ".join(f"a {what} pays {factor:.0%}" for what, factor in record.pay.items()) or "all pays as ever"
    return Happening(record.time, _GAME, record.hint or pay, "game", why=director.why() if director is not None else "")


def _reading(game: Adventure) -> str:
    belief = game.belief
    return "" if belief is None else "It believes: " + ", ".join(f"{goal} {p:.0%}" for goal, p in belief.items())


def company_sheet(game: Adventure, view: AdventureView, who: str) -> MindView | None:
    """Return the mind of the companion or of a monster on paper; None if there is nobody of that name now."""
    mind = game.minds.get(who)
    if mind is None:
        return None
    if who != COMPANION:
        return build_mind_view(mind, view.time, about=who.partition("-")[0])
    lines = [(said.time, said.text) for said in game.lines]
    name = game.rules.companion.name if game.rules.companion is not None else who
    return build_mind_view(mind, view.time, about=f"{name}, your companion. {_reading(game)}", lines=lines)


def company_why_not(game: Adventure, who: str, what: str) -> str:
    """Say why somebody with a mind does not pursue a goal, or does not do an action."""
    minds = game.minds
    if who not in minds:
        raise TelosError(
            f"nobody called {who!r} can be asked here", f"{name_hint(who, minds) if minds else 'take `wilds`'}"
        )
    return why_not(minds[who], what)


def company_bands(game: Adventure, view: AdventureView) -> Mapping[str, str]:
    """Return what the companion is after."""
    rules = game.rules.companion
    if rules is None:
        return {}
    return {rules.name: (view.companion.goal or "") if view.companion is not None else ""}


def company_curves(game: Adventure) -> Mapping[str, Mapping[str, float]]:
    """Return what a kill and a chest still pay, where a director sees to that."""
    if game.reading is None:
        return {}
    pay = game.pay
    return {"pays": {what: min(1.0, pay.get(what, 1.0)) for what in ("kill", "chest")}}


def company_facts(game: Adventure, view: AdventureView) -> Mapping[str, Value]:
    """Return what a pause on a condition may ask about the company."""
    rules, companion = game.rules.companion, view.companion
    if rules is None:
        return {}
    told = {"goal": "", "doing": "away", "reading": ""}
    if companion is not None:
        told = {"goal": companion.goal or "", "doing": companion.doing, "reading": companion.reading or ""}
    return {**{f"{rules.name}.{name}": value for name, value in told.items()}, "pay": game.pay.get("kill", 1.0)}


# --- adventure models -------------------------------------------------------------------------------------------------
# The four recognisers of a rule set of the adventure: the designer's own first, then those it is compared with.


FFBM = "ffbm"  # the model that companion and director go by, where there are any
_KINDS = ((FFBM, "FFBM"), ("iohmm", "IOHMM"), ("constant", "constant T"), ("fsm", "FSM"))
_FILES = {  # of these kinds, for each rule set
    "wilds": ("wilds", "flairs-iohmm", "flairs-constant", "flairs-fsm"),
    "flairs": ("flairs", "flairs-iohmm", "flairs-constant", "flairs-fsm"),
    "aiide": ("aiide-ffbm", "aiide-iohmm", "aiide-constant", "aiide-fsm"),
}
RULES = tuple(_FILES)


def adventure_models(rules: str) -> tuple[Model, ...]:
    """Return the recognisers for a rule set, the one for the corner first.

    >>> [model.file for model in adventure_models("flairs")]
    ['flairs.yaml', 'flairs-iohmm.yaml', 'flairs-constant.yaml', 'flairs-fsm.yaml']
    """
    return tuple(
        Model(name, title, _text(file), f"{file}.yaml", make=partial(_made, f"{file}.yaml"))
        for (name, title), file in zip(_KINDS, _FILES[rules], strict=True)
    )


def ffbm_text(rules: str) -> str:
    """Return the text of the model that is shown in the corner."""
    return _text(_FILES[rules][0])


def _made(file: str, text: str) -> Recognizer:
    """Make a recogniser of its own from a text: one that learns must not teach those of other games."""
    return create_recognizer(loads_model(text, name=file))


@lru_cache(maxsize=16)
def _text(file: str) -> str:
    return files("telos.recognition").joinpath("data", f"{file}.yaml").read_text(encoding="utf-8")


# --- adventure recordings ---------------------------------------------------------------------------------------------
# Recordings of the adventure, in and out of the studio: the very files that ``telos study played`` reads.


LONGEST = 2 * 60 * 60 * 30  # frames: two hours; a line of a file can claim any number of them
MONSTERS = ("", "3", "5", "8", "15")  # what the studio lets one choose; "" is what the rules say


def recorded(recording: Recording) -> tuple[str, bytes]:
    """Return a recording as a file: its name, and what is in it."""
    return f"adventure-{recording.rules}-seed{recording.seed}.jsonl", recording_text(recording).encode()


def from_recording(data: bytes) -> GameLog:
    """Return a recording that somebody brings along as a game to be played again; a bad one is told with its line.

    Recordings name their rules; only those that come with the package are taken, since others would be files here.
    """
    if len(data) > MAX_BYTES:
        raise TelosError(f"the recording has {len(data)} bytes", f"bring one of at most {MAX_BYTES}")
    if data.count(b"\n") > MAX_LINES:
        raise TelosError(f"the recording has more than {MAX_LINES} lines", "bring a shorter one")
    try:
        recording = loads_recording(data.decode())
    except UnicodeDecodeError:
        raise TelosError("this recording is no text", "download one from the studio") from None
    if len(recording.models) > MAX_MODELS:  # each is told again all that was seen
        raise TelosError(f"the recording has {len(recording.models)} models in it", f"at most {MAX_MODELS} are taken")
    if recording.rules not in RULES:
        raise TelosError(f"this was recorded with the rules {recording.rules!r}", f"the studio has {', '.join(RULES)}")
    if recording.fingerprint not in ("", load_rules(recording.rules).fingerprint):
        raise TelosError(f"this was recorded under other rules than {recording.rules!r} are now", "record it again")
    monsters = "" if recording.monsters is None else str(recording.monsters)
    if monsters not in MONSTERS:
        raise TelosError(f"this was recorded with {monsters} monsters", f"the studio has {', '.join(MONSTERS[1:])}")
    if not 0 <= recording.seed < MAX_SEED or recording.frames > LONGEST:
        raise TelosError(f"this has the seed {recording.seed} and {recording.frames} frames: too large to be played")
    goals = "directed" if recording.directed else "free"
    settings = {"rules": recording.rules, "goals": goals, "monsters": monsters, "plays": "you"}
    runs = list(_runs(recording))
    return GameLog("adventure", recording.seed, settings, runs, recording.frames)


def _runs(recording: Recording) -> Iterator[tuple[LogEntry, int]]:
    """Yield the inputs, and between them the models; the one that the stage begins with anyway is left out."""
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


# --- adventure seat ---------------------------------------------------------------------------------------------------
# Who plays the adventure: whoever sits at the keyboard, or one of the simulated players of the studies.


YOU = "you"
PRESETS = {"newcomer": NOVICE, "experienced": EXPERIENCED}


class Seat:
    """The place at the keyboard. A simulated player looks at the view, as people do at the screen."""

    def __init__(self, plays: str, seed: int, rules: Rules) -> None:
        preset = PRESETS.get(plays)
        self._rules = rules
        self.player = None if preset is None else Player(seed, preset)

    def held(self, held: str, view: AdventureView) -> str:
        """Return what is held down in the next frame."""
        return held if self.player is None else self.player.input(view)

    @property
    def goal(self) -> str | None:
        """Return what a simulated player is after, in the words of the rules; None for people, who do not say."""
        goal = None if self.player is None else self.player.goal
        return self._rules.goal_of("town") if goal == "town" else goal

    @property
    def step(self) -> str:
        """Return the step of the plan that a simulated player is at."""
        return self.player.steps[0].replace("-", " ") if self.player is not None and self.player.steps else ""

    def why_not(self, what: str) -> str:
        """Say why a simulated player does not pursue a goal, or take a step."""
        player = self.player
        if player is None:
            raise TelosError("people are not asked why here", "let a simulated player play")
        if what in (self.goal, *player.steps):
            return f"{what}: it is what they are at."
        if what in self._rules.goals:
            return f"{what}: the game asks for {self.goal}." if self.goal else f"{what}: nothing is wanted now."
        return f"{what}: it is no part of the cheapest plan for {self.goal}."

    def sheet(self, view: AdventureView) -> MindView | None:
        """Return a simulated player's mind on paper: the goal, and the plan for it."""
        player = self.player
        if player is None:
            return None
        told = "the game asks for it" if view.phase else "it is what they have most left of"
        goals = tuple(
            GoalLine(goal, float(goal == self.goal), True, goal == self.goal, told if goal == self.goal else "not now")
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


# --- adventure telling ------------------------------------------------------------------------------------------------
# The adventure in words: what happened in a frame, and the lines around the picture.


FREE = "Free play: do as you like"
KEYS = "Arrow keys or WASD walk, space swings the sword. Walk off an open edge to reach the next area."
_NEXT = "Under New game: goals of your own, or the rules aiide, with training and test."
# How each kind catches people: whoever knows that can do something about it.
_CAUGHT = {
    "hunter": "A hunter ran you down",
    "guard": "A guard caught you near its post",
    "stalker": "A stalker came from behind: it keeps off while you face it",
}
_WALKS = {way: f"walks {' and '.join(parts)}" for way, parts in PARTS.items() if parts}


def in_words(event: Event) -> str:
    """Say what a player did; the empty text if they only went on with it.

    >>> in_words(Event("up_left", {"cause": "input"})), in_words(Event("left", {"cause": "area", "area": "3,2"}))
    ('walks up and left', 'enters 3,2')
    """
    cause = event.context.get("cause")
    if cause == "tick":
        return ""
    if cause == "area":
        return f"enters {event.context['area']}"
    return "swings" if event.action == "swing" else _WALKS.get(event.action, "stops")


def told(event: Event, *, directed: bool) -> Happening:
    """Return an event for the timeline. In free play it also tells what was achieved; directed games have phases."""
    if event.goal is not None and not directed:
        return Happening(event.time, event.player, f"achieves {event.goal}", "goal", event)
    return Happening(event.time, event.player, in_words(event), event=event)


def changes(before: AdventureView, after: AdventureView) -> Iterator[Happening]:
    """Yield what can be seen to have happened in a frame, beside the player's own doing."""
    (who,), time = after.players, after.time
    died = after.deaths > before.deaths
    if after.kills > before.kills:
        yield Happening(time, who, "kills a monster")
    if after.carrying and not before.carrying:
        yield Happening(time, who, "takes the chest")
    if before.carrying and not after.carrying and not died:
        yield Happening(time, who, "brings the chest to town")
    if before.gems_held and not after.gems_held and not died:
        yield Happening(time, who, f"brings {gems(before.gems_held)} to town")
    if died:
        yield Happening(time, who, "dies", "bad", why=f"A {killer(before)} touched the player in {before.area}.")
    if (before.phase, before.done) != (after.phase, after.done):
        yield Happening(time, who, f"achieves {before.truth}", "goal")
        yield Happening(time, "game", after.instruction or "all goals are reached", "game")


def killer(before: AdventureView) -> str:
    """Return the kind of the monster that was nearest a frame before a death, ``monster`` if they are all alike."""
    awake = [beast for beast in before.beasts if beast.doing != "stunned"]
    near = min(awake, key=lambda beast: (beast.x - before.x) ** 2 + (beast.y - before.y) ** 2, default=None)
    return "monster" if near is None else near.kind


def fell(before: AdventureView, after: AdventureView) -> str:
    """Say how the player died, and where they are now."""
    where = "in town" if after.town else "where the chest was"
    caught = _CAUGHT.get(killer(before))
    return f"You fell, and start again {where}." if caught is None else f"{caught}. You start again {where}."


def gems(number: int) -> str:
    """Return a number of gems in words.

    >>> gems(1), gems(4)
    ('a gem', '4 gems')
    """
    return "a gem" if number == 1 else f"{number} gems"


def _deaths(number: int) -> str:
    return "1 death" if number == 1 else f"{number} deaths"


def hud(view: AdventureView, phases: int, *, message: str = "", pays: float = 1.0) -> Hud:
    """Return the lines around the picture; ``pays`` is what a kill counts by."""
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


# --- adventure --------------------------------------------------------------------------------------------------------
# The adventure on stage: you play it, or a simulated player does, by the very engine that the studies use.


_NOTICE = 5 * FRAMES_A_SECOND  # frames that a notice is shown
_TOLD = 20 * FRAMES_A_SECOND  # ... and what the game says: it covers the ground where one walks


class AdventureStage(Stage):
    """One game. All that can be seen is in the view, which is taken once a frame."""

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
        self._listener = Listener()
        self.game = _begun(seed, settings, self._listener)
        rules = self.game.rules
        self.watched: str | None = self.game.player
        self.awaits = settings["plays"] == "you"
        self.size: tuple[float, float] = (rules.width, rules.height)
        self._rules = settings["rules"]
        self._seat = Seat(settings["plays"], seed, rules)
        self._artist, self._flashes = Artist(rules), Flashes()
        self.symbols = self._artist.symbols
        self._view = self.game.view()
        self._notice, self._notice_until = "", 0
        self._message_since = 0

    # --- playing ------------------------------------------------------------------------------------------------------

    def step(self, inputs: Inputs) -> Sequence[Happening]:
        """Play a frame."""
        if inputs.asked:
            raise TelosError(f"nobody here does {inputs.asked[0]!r}", "walk with the arrow keys, swing with space")
        before, game = self._view, self.game
        game.step({game.player: self._seat.held(inputs.held, before)})
        self._view = after = game.view()
        self._flashes.note(before, after)
        happened = [told(event, directed=game.directed) for event in game.events]
        happened += changes(before, after)
        happened += self._listener.told(game)
        if after.deaths != before.deaths:
            self._notice, self._notice_until = fell(before, after), after.frame + _NOTICE
        if after.message != before.message:
            self._message_since = after.frame
        return happened

    @property
    def time(self) -> float:
        """The world's time."""
        return self._view.time

    @property
    def over(self) -> bool:
        """Whether all phases of a directed game are over."""
        return self._view.done

    @property
    def truth(self) -> str | None:
        """The goal that the game has given, in free play the one that a simulated player has."""
        return self._view.truth if self.game.directed else self._seat.goal

    @property
    def lesson(self) -> str | None:
        """The goal that was given, in a training round."""
        return self._view.truth if self._view.round == "training" else None

    # --- looking ------------------------------------------------------------------------------------------------------

    def backdrop(self) -> tuple[str, Picture]:
        """Return the area."""
        return self._artist.backdrop(self._view)

    def picture(self) -> Picture:
        """Return whoever is in it."""
        return self._artist.picture(self._view, self._flashes)

    def hud(self) -> Hud:
        """Return the task, the score and the tips."""
        pays = self.game.pay.get("kill", 1.0)
        return hud(self._view, len(self.game.rules.phases), message=self._message(), pays=pays)

    def _message(self) -> str:
        """Return what is to be read now: a notice, what the game says, and at first which keys there are."""
        view = self._view
        if view.frame < self._notice_until:
            return self._notice
        if view.frame - self._message_since >= _TOLD:
            return ""
        return view.message or (KEYS if self.awaits and view.frame < _TOLD else "")

    def bands(self) -> Mapping[str, str]:
        """Return what the companion is after, and what a simulated player is at."""
        company = company_bands(self.game, self._view)
        return company if self._seat.player is None else {**company, "player": self._seat.step}

    def curves(self) -> Mapping[str, Mapping[str, float]]:
        """Return what is still paid, where the game adapts."""
        return company_curves(self.game)

    def facts(self) -> Mapping[str, Value]:
        """Return what is known about the game."""
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
        """Return the recognisers for these rules."""
        return adventure_models(self._rules)

    def apply(self, name: str, text: str) -> str:
        """Let companion and director go by another model, where there are any."""
        companion = self.game.rules.companion
        if name != FFBM or companion is None:
            return ""
        self.game.use(text)
        return f"{companion.name} reads you by the new model now, and the game adapts by its rules."

    def characters(self) -> Sequence[str]:
        """Return whoever has a mind: the companion, the monsters of the area, a simulated player."""
        return *self.game.minds, *(() if self._seat.player is None else (self.game.player,))

    def mind(self, who: str) -> MindView | None:
        """Return a mind on paper."""
        if who == self.game.player:
            return self._seat.sheet(self._view)
        return company_sheet(self.game, self._view, who)

    def why_not(self, who: str, what: str) -> str:
        """Say why somebody does not pursue a goal, or does not do an action."""
        if who == self.game.player:
            return self._seat.why_not(what)
        return company_why_not(self.game, who, what)

    def recording(self) -> tuple[str, bytes] | None:
        """Return the game as ``telos study played`` reads it."""
        return recorded(replace(self.game.recording(), simulated=not self.awaits))


def _begun(seed: int, settings: Mapping[str, str], trace: Trace) -> Adventure:
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
    "Find the chest, bring it home, fight monsters; four recognisers watch, and say what you are after.",
    (
        Setting("rules", "Rules", RULES[0], RULES, "wilds has company and adapts; the others are those of two papers"),
        Setting("goals", "Goals", "directed", ("directed", "free"), "given one after the other, or your own"),
        Setting("monsters", "Monsters", "", MONSTERS, "in each area; empty: as the rules say"),
        Setting("plays", "Who plays", YOU, (YOU, *PRESETS), "you, or a simulated player"),
    ),
    AdventureStage,
)
