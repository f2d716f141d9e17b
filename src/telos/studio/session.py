"""One game of the studio: the stage that is played, its recognisers, their score and the frames to look back at.

Start with `Session`. `RecognizerSet` runs the recognisers side by side. This module contains no web code.
"""

import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import orjson

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.values import Value
from telos.recognition.filtering import Trainable
from telos.recognition.recognizer import Recognizer
from telos.studio import glossary
from telos.studio.attention import PlayerAttention, write_reminder
from telos.studio.event_log import EventLog
from telos.studio.explanation import ExplanationLine, explain, explain_text
from telos.studio.mind_view import MindView, intent_words
from telos.studio.models.resolved import ResolvedMind, resolve_mind
from telos.studio.recording import (
    AppliedModel,
    BeliefChange,
    FrameBuffer,
    GameLog,
    History,
    HistoryPoint,
    LogEntry,
    TimelineEntry,
    build_frame,
    round_belief,
    to_json,
    to_marks,
)
from telos.studio.result import ReaderShare, Scoreboard, summarize
from telos.studio.stage import Happening, Inputs, Model, StudioWorld
from telos.studio.watchpoint import Watchpoint
from telos.thrashing import Thrashing, find_thrashing

FREE_GOALS = {"goals": "free"}  # the settings of free play, in worlds that give goals
SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
WAITING = "Press a key to begin"
TO_GO_ON = "Press a key to go on"
_MAX_MIND_VIEWS = 600  # moments at which all minds are kept: one a second of play
_MAX_KEPT_MINDS = 20_000  # of large crowds, fewer moments
_MAX_COMMANDS = 20  # that wait for the next step
_MAX_REFUSALS = 20  # that wait to be shown
_CATCH_UP_SECONDS = 0.03  # that the steps of one advance may take
_MAX_MARKS = 2_000  # happenings that are sent with a history


# --- recognisers ------------------------------------------------------------------------------------------------------


class ObservedEvent(NamedTuple):
    """An event that the recognisers observed, with the labels that held at that moment."""

    event: Event
    truth: str | None  # the player's true goal
    lesson: str | None  # the label to train on
    number: int  # of its happening


class RecognizerSet:
    """The recognisers of a game, one per model that makes one.

    All of them observe the same events. The events are kept, so that another model can be run on the game so far.
    """

    def __init__(self, models: Sequence[Model]) -> None:
        self._models = {model.name: model for model in models if model.make is not None}
        self.names = tuple(self._models)
        self.titles = {name: model.title for name, model in self._models.items()}
        known = glossary.RECOGNIZERS
        self.about = {name: model.about or known.get(name, "") for name, model in self._models.items()}
        self.texts = {name: model.text for name, model in self._models.items()}
        self.readers = {name: self._make(name, model.text) for name, model in self._models.items()}
        self.beliefs = {name: reader.belief for name, reader in self.readers.items()}
        self.updates = dict.fromkeys(self.names, 0)
        self.events: list[ObservedEvent] = []
        self.faults: dict[str, str] = {}  # the last error of each recogniser that could not read an event

    @property
    def goals(self) -> tuple[str, ...]:
        """All goals, in the order in which the recognisers name them."""
        return tuple(dict.fromkeys(goal for reader in self.readers.values() for goal in reader.goals))

    def add(self, model: Model) -> None:
        """Add the recogniser of a model that has come later."""
        name = model.name
        self._models[name], self.names = model, (*self.names, name)
        self.titles[name], self.texts[name], self.about[name] = model.title, model.text, model.about
        self.readers[name] = self._make(name, model.text)
        self.beliefs[name], self.updates[name] = self.readers[name].belief, 0

    def observe(self, observed: ObservedEvent) -> None:
        """Pass an event to every recogniser, and let it learn in a training phase; one that fails keeps its belief."""
        self.events.append(observed)
        for name, reader in self.readers.items():
            try:
                self.beliefs[name] = _observe(reader, observed)
            except Exception as error:  # a model that is edited during the game must not end the game
                self.faults[name] = format_error(error)
            self.updates[name] += 1

    def rerun(self, name: str, text: str | None = None, *, upto: int | None = None) -> tuple[Recognizer, list[Belief]]:
        """Run a new recogniser on the events so far (the first ``upto`` of them); return it and all its beliefs.

        ``text`` is the model to use in place of the current one.
        """
        reader = self._make(name, self.texts[self.known(name)] if text is None else text)
        beliefs = []
        for observed in self.events[:upto]:
            with suppress(Exception):  # as when the event was observed the first time
                _observe(reader, observed)
            beliefs.append(reader.belief)
        return reader, beliefs

    def replace(self, name: str, text: str, reader: Recognizer) -> None:
        """Use another model from now on, with its recogniser that has observed the events so far."""
        self.readers[name], self.texts[name], self.beliefs[name] = reader, text, reader.belief
        self.updates[name] = 0
        self.faults.pop(name, None)

    def known(self, name: str) -> str:
        """Return ``name``, or raise a ``TelosError`` if there is no such recogniser."""
        if name not in self._models:
            raise TelosError(f"there is no recogniser {name!r} in this game", name_hint(name, self._models))
        return name

    def _make(self, name: str, text: str) -> Recognizer:
        make = self._models[self.known(name)].make
        assert make is not None  # models without it were left out
        return make(text)


def _observe(reader: Recognizer, observed: ObservedEvent) -> Belief:
    belief = reader.observe(observed.event)
    if observed.lesson is not None and isinstance(getattr(reader, "model", None), Trainable):
        reader.learn(observed.event, observed.lesson)  # type: ignore[attr-defined]  # a reader of a trainable model
    return belief


def format_error(error: Exception) -> str:
    """Return an error as one line; an unexpected one with its type.

    >>> format_error(TelosError("there is no goal 'twon'")), format_error(KeyError("twon"))
    ("there is no goal 'twon'", "KeyError: 'twon'")
    """
    return str(error) if isinstance(error, TelosError) else f"{type(error).__name__}: {error}"


# --- the game ---------------------------------------------------------------------------------------------------------


class Session:
    """One game of a world, from a seed and settings. In a replay, ``script`` holds the inputs of the recording."""

    def __init__(
        self,
        world: StudioWorld,
        seed: int = 0,
        settings: Mapping[str, str] | None = None,
        *,
        script: Iterable[LogEntry] = (),
        id: str = "",
    ) -> None:
        self.id = id  # by which a page finds its game
        self.world, self.seed, self.settings = world, seed, world.complete_settings(settings or {})
        self.stage = world.make(seed, self.settings)
        self.recognizers = RecognizerSet(self.stage.models())
        self.scoreboard = Scoreboard(self.recognizers.names)
        self.log = GameLog(world.name, seed, self.settings)
        self.happenings: list[TimelineEntry] = []
        self.event_log = EventLog()
        self.refusals: list[str] = []  # rejected inputs, to be shown once
        self.paused, self.speed, self.stopped, self.version = False, 1.0, "", 0
        self.shown: int | None = None  # the frame that is looked at; None: the newest
        self._holds = False  # whether the game was paused, rather than only looked back at
        self.watchpoint: Watchpoint | None = None
        self.attention = PlayerAttention()
        self._held, self._commands = "", list[str]()
        self._script = deque(script or [Inputs()] * (world.steps or 0))
        self._script_length = len(self._script)
        self._script_steps = sum(isinstance(entry, Inputs) for entry in self._script)
        self.wanted: int | None = None  # a frame of the recording to go to next
        self.is_catching_up = False  # on the way to a linked moment: new inputs would change what happens there
        self.is_waiting = self.stage.awaits and not self._script  # for the player's first key
        self._frames, self._history = FrameBuffer(), History()
        self._mind_views: deque[tuple[int, dict[str, MindView]]] = deque(maxlen=_MAX_MIND_VIEWS)
        self._backdrops: dict[str, bytes] = {}
        self._steps_per_second = max(1, round(self.stage.rate))
        self.frame_data: dict[str, Any] = {}
        self._result: tuple[int, dict[str, Any]] | None = None  # with the version of the models
        self._record_frame([])
        if self._script:
            self._follow_script()
        if self.is_waiting:
            message = self.frame_data["hud"]["message"]
            self.frame_data["hud"]["message"] = f"{WAITING}. {message}" if message else WAITING

    # --- input --------------------------------------------------------------------------------------------------------

    def hold(self, held: str) -> None:
        """Set the keys that are held down, joined by ``+``; keys that the stage does not use are ignored."""
        known = {name for _, name, _ in self.stage.keys}
        keys = "+".join(dict.fromkeys(key for key in held.split("+") if key in known))
        if keys:
            self._refuse_in_replay()
        self._held = keys
        if self._held:
            self.go_on()

    def ask(self, text: str) -> None:
        """Queue a command or a poke for the next step."""
        if self.is_catching_up:
            raise TelosError("the game is still on its way to this moment", "wait until it is there")
        self._refuse_in_replay()
        if len(self._commands) < _MAX_COMMANDS:
            self._commands.append(text)
        self.go_on()

    def click(self, x: float, y: float) -> None:
        """Queue the command of a click on the bare picture, if it means one."""
        command = self.stage.command_at(x, y)
        if command is not None:
            self.ask(command)

    # --- replays ------------------------------------------------------------------------------------------------------

    @property
    def replay(self) -> dict[str, float] | None:
        """The length of the recording that is repeated, in steps and in the world's time; None if there is none."""
        if not self._script:
            return None
        time = self.stage.time / self.last if self.last else 1 / self.stage.rate
        return {"steps": self._script_steps, "seconds": round(self._script_steps * time, 1)}

    def whole_log(self) -> GameLog:
        """Return the log, with what is still to come of the recording that is repeated."""
        whole = replace(self.log, runs=list(self.log.runs))
        for entry in self._script:
            whole.add(entry)
        return whole

    def seek(self, frame: int) -> None:
        """Go to a frame of the recording that is repeated; one that is still to come is reached without a picture."""
        if frame <= self.last or not self._script:
            self.scrub(frame)
        else:
            self.pause(False)
            self.wanted = min(frame, self._script_steps)

    def take_over(self) -> None:
        """Leave the recording, and play on from its newest frame."""
        if not self._script:
            raise TelosError("this is no replay", "play on")
        self._script_length -= len(self._script)
        self._script.clear()
        self.pause(False)
        self.version += 1
        self.event_log.add(self.last, self.stage.time, "game", "game", "leaves the recording; played on from here")

    def _refuse_in_replay(self) -> None:
        if self._script and not self.is_catching_up:
            raise TelosError("this is a replay; P pauses it", 'press Enter, or click "Play on from here", to take over')

    # --- waiting ------------------------------------------------------------------------------------------------------

    def look(self, at: str) -> None:
        """Note where the player looks (see `PlayerAttention`); keys that are held are released if not at the game."""
        self.attention.look(at)
        if at:
            self._held = ""

    @property
    def waits(self) -> str:
        """Why a game that a person plays stands still while its player looks elsewhere; empty while it does not."""
        is_played = self.stage.is_played and not (self.is_scripted or self.is_waiting or self.is_over)
        return self.attention.words if is_played else ""

    def go_on(self) -> None:
        """Note that the player has turned to the game; a pause of their own stays."""
        self.attention.come_back()
        if self.is_waiting:
            self.is_waiting = False
            hud = {**self.frame_data["hud"], "message": self.stage.hud().message}
            self.frame_data = {**self.frame_data, "hud": hud}

    def remind(self, away_seconds: float) -> str:
        """Tell a player who comes back to a game what they were doing, and wait for a key; return what is told.

        Nothing is told after a short break, before anything was observed, or where a recogniser cannot look back.
        """
        is_going = self.stage.is_played and not (self.is_scripted or self.is_waiting or self.is_over)
        if not is_going or self.headline is None:
            return ""
        events = [observed.event for observed in self.recognizers.events]
        told = write_reminder(self.recognizers.readers[self.headline], events, self.stage.recap_words(), away_seconds)
        if not told:
            return ""
        self.pause(False)
        self.is_waiting = True
        hud = {**self.frame_data["hud"], "message": f"{told} {TO_GO_ON}."}
        self.frame_data = {**self.frame_data, "hud": hud}
        self.event_log.add(self.last, self.stage.time, "game", "game", told)
        return told

    def pause(self, on: bool) -> None:
        """Pause or continue; the game always continues from its newest frame."""
        self.paused = self._holds = on
        self.stage.pause(on)
        if not on:
            self.stopped, self.shown = "", None
            self.attention.come_back()

    def set_speed(self, speed: float) -> None:
        """Set the speed; it must be one of ``SPEEDS``."""
        if speed not in SPEEDS:
            raise TelosError(f"the speed is one of {', '.join(f'{each:g}' for each in SPEEDS)}, not {speed!r}")
        self.speed = speed

    def scrub(self, frame: int | None) -> None:
        """Pause and show an earlier frame; None shows the newest again."""
        self.shown = None if frame is None else min(max(frame, self.first), self.last)
        if frame is not None:
            self.paused = True
        elif self.world.is_live:  # it went on meanwhile, unless it was asked not to
            self.paused = self._holds

    def step(self) -> None:
        """Pause, and go one frame on: towards the newest frame while the past is looked at, otherwise in the game."""
        if self.is_catching_up:
            return  # a step now would change the moment that it must reach
        self.pause(True)
        if self.shown is None or self.shown >= self.last:
            self.shown = None
            self.advance()
        else:
            self.shown = self.shown + 1 if self.shown + 1 < self.last else None

    def step_back(self) -> None:
        """Pause, and go one frame back."""
        self.scrub((self.last if self.shown is None else self.shown) - 1)

    def pause_when(self, text: str) -> None:
        """Pause as soon as a condition becomes true; the empty text removes the condition."""
        goals = self.recognizers.goals
        words: dict[str, tuple[str, ...]] = {f"{name}.top": goals for name in self.recognizers.names}
        if goals and self.stage.truth in (*goals, None):
            words["truth"] = (*goals, "unknown")
        for who in self.stage.characters() if text.strip() else ():
            if (view := self.stage.mind(who)) is not None:
                words |= intent_words(view)
        self.watchpoint = Watchpoint(text, self._values(()), words) if text.strip() else None

    def apply(self, name: str, text: str) -> str:
        """Replace a model, for its recogniser and in the world; return what has changed.

        An invalid text raises and changes nothing.
        """
        is_recognizer = name in self.recognizers.texts
        if is_recognizer:  # everything that may raise comes before any change
            reader, beliefs = self.recognizers.rerun(name, text)
            first = self.recognizers.rerun(name, text, upto=0)[0].belief
        change = self.stage.apply(name, text)
        if is_recognizer:
            self.recognizers.replace(name, text, reader)
            self._recompute(name, first, beliefs)
        counts = self.stage.hud().counts  # of the newest frame: nobody may play for a while
        self.frame_data = {**self.frame_data, "hud": {**self.frame_data["hud"], "counts": counts}}
        self.log.add(AppliedModel(name, text))
        self.event_log.add(self.last, self.stage.time, name, "game", "uses another model from here on", why=change)
        self.version += 1
        return change or f"{name} uses the new model now."

    def _recompute(self, name: str, first: Belief, beliefs: list[Belief]) -> None:
        """Replace the score and the curve of a recogniser by those of its new model, and show its belief at once."""
        judged = list(zip(self.recognizers.events, beliefs, strict=True))
        self.scoreboard.recompute(name, ((observed.truth, belief) for observed, belief in judged))
        entries = [(self.happenings[observed.number], round_belief(belief)) for observed, belief in judged]
        by_frame = {each.frame: BeliefChange(each.frame, each.happening.time, belief) for each, belief in entries}
        self._history.recompute(name, round_belief(first), list(by_frame.values()))
        newest = {each: round_belief(belief) for each, belief in self.recognizers.beliefs.items()}
        self.frame_data = {**self.frame_data, "beliefs": newest}  # pages may have the old data, which stays as it is

    def _refuse(self, why: str) -> None:
        """Queue a refusal for the page; repetitions and all beyond a limit are dropped."""
        if len(self.refusals) < _MAX_REFUSALS and why not in self.refusals:
            self.refusals.append(why)

    # --- playing ------------------------------------------------------------------------------------------------------

    @property
    def first(self) -> int:
        """The oldest frame that is still kept."""
        return self._frames.first

    @property
    def last(self) -> int:
        """The newest frame; 0 is the start of the game."""
        return self._frames.last

    @property
    def is_scripted(self) -> bool:
        """Whether inputs still come from a recording."""
        return bool(self._script)

    @property
    def is_new(self) -> bool:
        """Whether the game has any input beyond the recording that it repeats."""
        return self.log.steps + self.log.models > self._script_length

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.stage.over

    @property
    def follows(self) -> bool:
        """Whether it shows what comes from a game that runs elsewhere, even if that was asked to stand still."""
        return self.world.is_live and self.shown is None

    def advance(self) -> None:
        """Advance by one step; of a game that runs elsewhere, by all that have come, as far as time allows."""
        until = time.perf_counter() + _CATCH_UP_SECONDS
        for _ in range(self.stage.backlog):
            self._advance()
            if time.perf_counter() > until or (self.paused and not self.follows):
                break

    def _advance(self) -> None:
        """Advance by one step, update the recognisers and record the frame."""
        if self.stage.over:
            self.paused = True
            return
        self.is_waiting = False
        was_scripted, inputs = self.is_scripted, self._next_inputs()
        if self.world.runs_here:
            self.log.add(inputs)
        truth, lesson = self.stage.truth, self.stage.lesson  # before the step: the goal that led to these events
        happened = self._step(inputs)
        self._add_readers()
        entries = [self._record_happening(each, truth, lesson) for each in happened]
        self._record_frame(entries)
        if was_scripted:
            self._follow_script()
        if self.watchpoint is not None and self.watchpoint.holds(self._values(entries)):
            self.pause(True)
            self.stopped = f"paused at {self.clock()}: {self.watchpoint.text}"

    def _step(self, inputs: Inputs) -> Iterable[Happening]:
        """Advance the stage; an input that it rejects is reported and left out."""
        for tried in (inputs, replace(inputs, asked=())):
            try:
                return self.stage.step(tried)
            except TelosError as error:
                self._refuse(str(error))
        return self.stage.step(Inputs())

    def _add_readers(self) -> None:
        """Add the readers of a game that runs elsewhere, as they are heard of."""
        for model in () if self.world.runs_here else self.stage.models():
            if model.make is not None and model.name not in self.recognizers.names:
                self.recognizers.add(model)
                self.scoreboard.confusion[model.name] = Counter()

    def _next_inputs(self) -> Inputs:
        if not self._script:
            commands = (self._commands.pop(0),) if self._commands else ()  # one a step: a bad one affects no other
            return Inputs(self._held, commands)
        entry = self._script.popleft()
        assert isinstance(entry, Inputs)  # the models before it are applied already
        return entry

    def _follow_script(self) -> None:
        """Apply the models that the recording applied at this moment, and pause at its end."""
        while self._script and isinstance(model := self._script[0], AppliedModel):
            self._script.popleft()
            try:
                self.apply(model.name, model.text)
            except TelosError as error:
                self._refuse(f"a model of the recording does not load: {error}")
        if not self._script:
            words = "; play on if you like" if self.world.runs_here else ""
            self.paused, self.stopped = True, f"the recording ends here{words}"

    def _record_happening(self, happening: Happening, truth: str | None, lesson: str | None) -> TimelineEntry:
        entry = TimelineEntry(len(self.happenings), self.last + 1, happening)
        self.happenings.append(entry)
        if happening.event is not None:
            known = dict(self.recognizers.faults)
            self.recognizers.observe(ObservedEvent(happening.event, truth, lesson, entry.number))
            for name, fault in self.recognizers.faults.items():
                if known.get(name) != fault:
                    self._refuse(f"{self.recognizers.titles[name]} cannot read this event: {fault}")
            self.scoreboard.count(truth, self.recognizers.beliefs)
        return entry

    def _record_frame(self, entries: list[TimelineEntry]) -> None:
        stage, number = self.stage, self.last + 1
        self.frame_data = data = build_frame(stage, number, self.recognizers.beliefs, entries)
        data["quiet"] = self._is_quiet()
        point = HistoryPoint(number, stage.time, data["beliefs"], data["curves"])
        changes = self._history.add(point, data["truth"], data["bands"])
        self.event_log.add_frame(number, stage.time, entries, changes)
        data["thrashing"] = self._flag_thrashing(number)
        if data["key"] not in self._backdrops:
            key, backdrop = stage.backdrop()
            self._backdrops[key] = to_json({"is": "backdrop", "key": key, "pic": backdrop})
        self._frames.add(to_json(data))
        if number % self._steps_per_second == 0 and (who := stage.characters()):
            self._mind_views.append((number, {name: view for name in who if (view := stage.mind(name)) is not None}))
            while len(self._mind_views) * len(who) > _MAX_KEPT_MINDS and len(self._mind_views) > 1:
                self._mind_views.popleft()

    def _is_quiet(self) -> bool:
        """Whether the player has done nothing for so long that what was believed then says little about now."""
        after, events = self.stage.quiet_after, self.recognizers.events
        return after is not None and self.stage.time - (events[-1].event.time if events else 0.0) > after

    def _flag_thrashing(self, frame: int) -> dict[str, str]:
        """Return the rows that thrash now, with their goals; log where it begins and where it ends."""
        found = self._thrashing_at(frame)
        for row in {**self._history.thrashing, **found}:
            now = found.get(row)
            if self._history.mark_thrashing(row, frame, now.pair if now else ""):
                words = "no longer thrashing" if now is None else str(now)
                self.event_log.add(frame, self.stage.time, row, "thrashing", words)
        return {row: each.pair for row, each in found.items()}

    def _thrashing_at(self, frame: int) -> dict[str, Thrashing]:
        rows, rate = self._history.bands, self.stage.rate
        found = {row: find_thrashing(rows[row], frame, rate) for row in self._goal_rows()}
        return {row: each for row, each in found.items() if each is not None}

    def _goal_rows(self) -> list[str]:
        actions = self.stage.action_rows()
        return [row for row in self._history.bands if row not in actions]

    # --- looking ------------------------------------------------------------------------------------------------------

    def thrashing(self) -> dict[str, str]:
        """Return the characters that thrash at the moment that is looked at, each with one line about it."""
        frame = self.last if self.shown is None else self.shown
        return {row: str(each) for row, each in self._thrashing_at(frame).items()}

    def frame(self) -> bytes:
        """Return the frame that is looked at, as JSON."""
        if self.shown is None or self.shown == self.last:
            return to_json(self.frame_data)
        frame = self._frames.frame(self.shown).replace(b'"live":true', b'"live":false')
        if not self.version:
            return frame
        beliefs = self._history.beliefs_at(self.shown)  # of the current models
        return to_json({**orjson.loads(frame), "beliefs": beliefs})

    @property
    def headline(self) -> str | None:
        """The recogniser in the corner of the picture; None if the game has none."""
        wanted = self.stage.headline
        return wanted if wanted in self.recognizers.names else next(iter(self.recognizers.names), None)

    def describe_names(self) -> dict[str, dict[str, str]]:
        """Return a plain sentence for every name on the page, by kind: readers, goals, counts, rows, marks."""
        data, readers = self.frame_data, self.recognizers
        counts, rows = [name for name, _ in data["hud"]["counts"]], [*data["bands"], *data["curves"]]
        return glossary.describe_names(readers.about, readers.goals, counts, rows, self.stage.names())

    def result(self) -> dict[str, Any] | None:
        """Return who read the player right, once the game has ended with a known goal; None before that."""
        headline, board = self.headline, self.scoreboard
        if not self.is_over or headline is None or not board.judged(headline):
            return None
        if self._result is None or self._result[0] != self.version:
            titles = self.recognizers.titles
            shares = [ReaderShare(name, titles[name], board.accuracy(name) or 0.0) for name in self.recognizers.names]
            found = summarize(headline, shares, self._history.moments(headline)).to_message()
            can_be_free = any(each.name in FREE_GOALS for each in self.world.settings)
            self._result = self.version, {**found, "free": can_be_free}
        return self._result[1]

    def backdrop(self, key: str) -> bytes:
        """Return the backdrop with that key, as JSON."""
        return self._backdrops[key]

    def history(self) -> dict[str, Any]:
        """Return the data of the timeline."""
        return {"is": "history", **self._history.to_message(), "happened": to_marks(self.happenings)[-_MAX_MARKS:]}

    def mind(self, who: str) -> MindView | None:
        """Return a character's mind at the moment that is looked at."""
        views = self._past_mind_views()
        self.stage.look_at(who)
        return self.stage.mind(who) if views is None else views.get(who)

    def minds(self) -> tuple[str, ...]:
        """Return the characters with a mind at the moment that is looked at."""
        views = self._past_mind_views()
        return tuple(self.stage.characters() if views is None else views)

    def _past_mind_views(self) -> dict[str, MindView] | None:
        """Return the snapshots of all minds at the past moment that is looked at; None if it is the present."""
        if self.shown is None or self.shown == self.last:
            return None
        kept = [views for frame, views in self._mind_views if frame <= self.shown]
        return kept[-1] if kept else {}

    def resolve(self, who: str) -> ResolvedMind | None:
        """Return a character's goals, actions and sensors with their sources; None if no file defines its mind."""
        sources, view = self.stage.sources(who), self.mind(who)
        if not sources or view is None:
            return None
        return resolve_mind(self.texts(), sources, (goal.name for goal in view.goals), view.actions)

    def texts(self) -> dict[str, str]:
        """Return the texts of all models by name, as they are in force."""
        return {**{model.name: model.text for model in self.stage.models()}, **self.recognizers.texts}

    def why_not(self, who: str, what: str) -> str:
        """Explain why a character does not pursue a goal or perform an action now."""
        return self.stage.why_not(who, what)

    def why(self, number: int, reader: str | None = None) -> str:
        """Explain the cause of a happening, and how a recogniser interpreted it, in log-odds."""
        if not 0 <= number < len(self.happenings):
            raise TelosError(f"there is no happening number {number} yet")
        entry = self.happenings[number]
        lines = [entry.happening.why] if entry.happening.why else []
        names = [self.recognizers.known(reader)] if reader else self.recognizers.names[:1]
        observed = sum(event.number <= number for event in self.recognizers.events)
        if observed:
            lines += [self._explain(name, observed) for name in names]
        return "\n\n".join(lines) or "Nothing more is known about this."

    def explain(self, number: int, reader: str) -> tuple[ExplanationLine, ...]:
        """Explain the cause of a happening, and what a recogniser believed then, by the net evidence of each cause."""
        words = self.happenings[number].happening.why
        observed = sum(event.number <= number for event in self.recognizers.events)
        if not observed:
            return explain_text(words or "Nothing more is known about this.")
        again, _ = self.recognizers.rerun(self.recognizers.known(reader), upto=observed)
        return (*explain_text(words), *explain(again, again.belief))

    def _explain(self, name: str, upto: int) -> str:
        reader, _ = self.recognizers.rerun(name, upto=upto)
        explain = getattr(reader, "why", None)
        return f"{self.recognizers.titles[name]}: {reader.belief.why() if explain is None else explain()}"

    def recording(self) -> tuple[str, bytes]:
        """Return the game as a file that the studio can replay: its name and its content."""
        return f"{self.world.name}-seed{self.seed}-studio.jsonl", self.log.to_bytes()

    def clock(self) -> str:
        """Return the time of the newest frame as the HUD shows it."""
        return self.frame_data["hud"]["clock"] or f"{self.stage.time:.1f} s"

    def _values(self, entries: Iterable[TimelineEntry]) -> dict[str, Value]:
        """Return the values that a watchpoint may use now."""
        values: dict[str, Value] = dict(self.stage.facts())
        for who, (goal, action) in self.stage.intents().items():
            values |= {f"{who}.goal": goal, f"{who}.action": action}
        values |= {
            "time": self.stage.time,
            "truth": self.stage.truth or "unknown",
            "event": "nothing",
            "event.who": "nobody",
        }
        thrashing = self.frame_data.get("thrashing", {})
        values |= {f"{row}.thrashing": row in thrashing for row in self._goal_rows()}
        for name, belief in self.recognizers.beliefs.items():
            values[f"{name}.top"] = belief.top
            values |= {f"{name}.{goal}": chance for goal, chance in belief.items()}
        if happened := [each.happening for each in entries]:  # all of a step: a condition holds if it does for one
            values["event"] = tuple(each.kind if each.event is None else each.event.action for each in happened)
            values["event.who"] = tuple(each.who for each in happened)
        return values
