"""One game: play, scrub, apply models."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

import orjson

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.values import Value
from telos.recognition.filtering import Trainable
from telos.recognition.recognizer import Recognizer
from telos.studio.mind_view import MindSheet
from telos.studio.recording import (
    Applied,
    Believed,
    Entry,
    GameLog,
    History,
    Noted,
    Point,
    Tape,
    encoded,
    frame_of,
    messages,
    rounded,
)
from telos.studio.stage import Happening, Inputs, Model, World
from telos.studio.watchpoint import Watchpoint

# --- panel ------------------------------------------------------------------------------------------------------------
# The recognisers of a game, side by side: each is told the same, and any can be exchanged while the game runs.


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


# --- board ------------------------------------------------------------------------------------------------------------
# The scoreboard: how often each recogniser was right, where the truth is known.


class Scoreboard:
    """Counts, for each recogniser, what it believed when the player had which goal.

    >>> board = Scoreboard(["ffbm"])
    >>> board.judge("explore", {"ffbm": Belief({"explore": 0.7, "level": 0.3})})
    >>> board.judge("level", {"ffbm": Belief({"explore": 0.6, "level": 0.4})})
    >>> board.accuracy("ffbm"), board.confusion["ffbm"]["level", "explore"]
    (0.5, 1)
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.confusion: dict[str, Counter[tuple[str, str]]] = {name: Counter() for name in names}

    def judge(self, truth: str | None, beliefs: Mapping[str, Belief]) -> None:
        """Compare beliefs with the truth, if it is known."""
        if truth is None:
            return
        for name, counts in self.confusion.items():
            counts[truth, beliefs[name].top] += 1

    def anew(self, name: str, judged: Iterable[tuple[str | None, Belief]]) -> None:
        """Count again for a recogniser whose model is another now."""
        self.confusion[name] = Counter((truth, belief.top) for truth, belief in judged if truth is not None)

    def judged(self, name: str) -> int:
        """Return at how many updates the truth was known."""
        return self.confusion[name].total()

    def right(self, name: str) -> int:
        """Return at how many of them the likeliest goal was the player's."""
        return sum(count for (truth, top), count in self.confusion[name].items() if truth == top)

    def accuracy(self, name: str) -> float | None:
        """Return the share of updates at which it was right; None while there was nothing to judge."""
        judged = self.judged(name)
        return self.right(name) / judged if judged else None


# --- session ----------------------------------------------------------------------------------------------------------
# A game in the studio: a stage that is played, and all that watches it. Nothing here knows of a browser.


SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
WAITING = "Press a key to begin"
_SHEETS = 600  # moments at which minds are kept on paper: one a second of play
_MOST_ASKED = 20  # commands that may wait for the next step
_MOST_REFUSALS = 20  # that wait to be told


class Session:
    """One game: from a world, a seed and settings. ``script`` is what comes from outside at first, in a replay."""

    def __init__(
        self,
        world: World,
        seed: int = 0,
        settings: Mapping[str, str] | None = None,
        *,
        script: Iterable[Entry] = (),
        id: str = "",
    ) -> None:
        self.id = id  # by which a page finds its game
        self.world, self.seed, self.settings = world, seed, world.chosen(settings or {})
        self.stage = world.make(seed, self.settings)
        self.panel = Panel(self.stage.models())
        self.board = Scoreboard(self.panel.names)
        self.log = GameLog(world.name, seed, self.settings)
        self.happenings: list[Noted] = []
        self.refusals: list[str] = []  # what makes no sense, to be told once
        self.paused, self.speed, self.stopped, self.version = False, 1.0, "", 0
        self.shown: int | None = None
        self.watchpoint: Watchpoint | None = None
        self._held, self._asked = "", list[str]()
        self._script = deque(script)
        self._repeats = len(self._script)  # what comes from another game; all else is new
        self.hurries = False  # on the way to a moment: what is asked for then would lead to another
        self.waits = self.stage.awaits and not self._script  # for the player's first key
        self._tape, self._history = Tape(), History()
        self._sheets: deque[tuple[int, dict[str, MindSheet]]] = deque(maxlen=_SHEETS)
        self._backdrops: dict[str, bytes] = {}
        self._every = max(1, round(self.stage.rate))
        self.frame_data: dict[str, Any] = {}
        self._keep([])
        if self._script:
            self._follow_script()
        if self.waits:
            told = self.frame_data["hud"]["message"]
            self.frame_data["hud"]["message"] = f"{WAITING}. {told}" if told else WAITING

    # --- what comes from outside --------------------------------------------------------------------------------------

    def hold(self, held: str) -> None:
        """Take in which keys are down now; those that mean nothing here are left out."""
        known = {name for _, name, _ in self.stage.keys}
        self._held = "+".join(dict.fromkeys(key for key in held.split("+") if key in known))
        if self._held:
            self._begin()

    def ask(self, text: str) -> None:
        """Take in a command or a poke, for the next step."""
        if self.hurries:
            raise TelosError("the game is still on its way to this moment", "wait until it is there")
        if len(self._asked) < _MOST_ASKED:
            self._asked.append(text)
        self._begin()

    def _begin(self) -> None:
        if self.waits:
            self.waits = False
            self.frame_data["hud"]["message"] = self.stage.hud().message

    def pause(self, on: bool) -> None:
        """Stop, or go on: from a moment of the past one goes on live."""
        self.paused = on
        if not on:
            self.stopped, self.shown = "", None

    def set_speed(self, speed: float) -> None:
        """Play faster or slower."""
        if speed not in SPEEDS:
            raise TelosError(f"the speed is one of {', '.join(f'{each:g}' for each in SPEEDS)}, not {speed!r}")
        self.speed = speed

    def scrub(self, frame: int | None) -> None:
        """Look at a moment of the past, and pause; None looks at the present again."""
        self.shown = None if frame is None else min(max(frame, self.first), self.last)
        if frame is not None:
            self.paused = True

    def pause_when(self, text: str) -> None:
        """Pause as soon as a condition comes true; the empty text takes the condition away."""
        self.watchpoint = Watchpoint(text, self._values(())) if text.strip() else None

    def apply(self, name: str, text: str) -> str:
        """Put a model into force, in the panel and in the world; return what has changed. A bad one changes nothing."""
        is_read = name in self.panel.texts
        if is_read:  # everything that may be refused comes before anything is changed
            reader, beliefs = self.panel.rerun(name, text)
            first = self.panel.rerun(name, text, upto=0)[0].belief
        said = self.stage.apply(name, text)
        if is_read:
            self.panel.put(name, text, reader)
            self._judge_anew(name, first, beliefs)
        self.log.add(Applied(name, text))
        self.version += 1
        return said or f"{name} goes by the new model now."

    def _judge_anew(self, name: str, first: Belief, beliefs: list[Belief]) -> None:
        """Count and draw again what a new model makes of the game so far, and show at once what it believes now."""
        judged = list(zip(self.panel.seen, beliefs, strict=True))
        self.board.anew(name, ((seen.truth, belief) for seen, belief in judged))
        noted = [(self.happenings[seen.number], rounded(belief)) for seen, belief in judged]
        by_frame = {each.frame: Believed(each.frame, each.happening.time, belief) for each, belief in noted}
        self._history.anew(name, rounded(first), list(by_frame.values()))
        self.frame_data["beliefs"] = {each: rounded(belief) for each, belief in self.panel.beliefs.items()}

    def _refuse(self, why: str) -> None:
        """Keep something to be told; of many, the first ones are enough."""
        if len(self.refusals) < _MOST_REFUSALS and why not in self.refusals:
            self.refusals.append(why)

    # --- playing ------------------------------------------------------------------------------------------------------

    @property
    def first(self) -> int:
        """Return the oldest frame that one can go back to."""
        return self._tape.first

    @property
    def last(self) -> int:
        """Return the newest frame: 0 is how the game begins."""
        return self._tape.last

    @property
    def is_scripted(self) -> bool:
        """Whether what comes from outside is still that of a recording."""
        return bool(self._script)

    @property
    def is_new(self) -> bool:
        """Whether anything came from outside that is not merely played again."""
        return self.log.steps + self.log.models > self._repeats

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to play."""
        return self.stage.over

    def advance(self) -> None:
        """Move on by one step, and let everybody look at it."""
        if self.stage.over:
            self.paused = True
            return
        self.waits = False
        was_scripted, inputs = self.is_scripted, self._inputs()
        self.log.add(inputs)
        truth, lesson = self.stage.truth, self.stage.lesson  # what was given when it was done, not what it led to
        noted = [self._noted(each, truth, lesson) for each in self._step(inputs)]
        self._keep(noted)
        if was_scripted:
            self._follow_script()
        if self.watchpoint is not None and self.watchpoint.holds(self._values(noted)):
            self.paused, self.stopped = True, f"paused at {self._clock()}: {self.watchpoint.text}"

    def _step(self, inputs: Inputs) -> Iterable[Happening]:
        """Let the stage move on; what it refuses is told, and left out."""
        for tried in (inputs, replace(inputs, asked=())):
            try:
                return self.stage.step(tried)
            except TelosError as error:
                self._refuse(str(error))
        return self.stage.step(Inputs())

    def _inputs(self) -> Inputs:
        if not self._script:
            asked = (self._asked.pop(0),) if self._asked else ()  # one a step, so that a bad one spoils no other
            return Inputs(self._held, asked)
        entry = self._script.popleft()
        assert isinstance(entry, Inputs)  # models before it are in force already
        return entry

    def _follow_script(self) -> None:
        """Put into force what a recording applied at this moment, and stop where it ends."""
        while self._script and isinstance(model := self._script[0], Applied):
            self._script.popleft()
            try:
                self.apply(model.name, model.text)
            except TelosError as error:
                self._refuse(f"the recording has a model that does not load: {error}")
        if not self._script:
            self.paused, self.stopped = True, "the recording ends here; play on if you like"

    def _noted(self, happening: Happening, truth: str | None, lesson: str | None) -> Noted:
        noted = Noted(len(self.happenings), self.last + 1, happening)
        self.happenings.append(noted)
        if happening.event is not None:
            known = dict(self.panel.faults)
            self.panel.tell(Seen(happening.event, truth, lesson, noted.number))
            new = {name: said for name, said in self.panel.faults.items() if known.get(name) != said}
            for name, said in new.items():
                self._refuse(f"{self.panel.titles[name]} cannot read this: {said}")
            self.board.judge(truth, self.panel.beliefs)
        return noted

    # --- looking ------------------------------------------------------------------------------------------------------

    def _keep(self, noted: list[Noted]) -> None:
        stage, number = self.stage, self.last + 1
        self.frame_data = data = frame_of(stage, number, self.panel.beliefs, noted)
        if data["key"] not in self._backdrops:
            key, backdrop = stage.backdrop()
            self._backdrops[key] = encoded({"is": "backdrop", "key": key, "pic": backdrop})
        self._tape.add(encoded(data))
        self._history.note(Point(number, stage.time, data["beliefs"], data["curves"]), data["truth"], data["bands"])
        if number % self._every == 0 and (who := stage.characters()):
            self._sheets.append((number, {name: sheet for name in who if (sheet := stage.mind(name)) is not None}))

    def frame(self) -> bytes:
        """Return the frame that is looked at."""
        if self.shown is None or self.shown == self.last:
            return encoded(self.frame_data)
        frame = self._tape.frame(self.shown).replace(b'"live":true', b'"live":false')
        if not self.version:
            return frame
        believed = self._history.beliefs_at(self.shown)  # under the models that are in force now
        return encoded({**orjson.loads(frame), "beliefs": believed})

    def backdrop(self, key: str) -> bytes:
        """Return what stands still behind a frame with that key."""
        return self._backdrops[key]

    def history(self) -> dict[str, Any]:
        """Return what the timeline draws, as plain data."""
        return {"is": "history", **self._history.message(), "happened": messages(self.happenings)[-2_000:]}

    def mind(self, who: str) -> MindSheet | None:
        """Return a mind on paper, at the moment that is looked at."""
        sheets = self._kept_sheets()
        return self.stage.mind(who) if sheets is None else sheets.get(who)

    def minds(self) -> tuple[str, ...]:
        """Return those whose minds can be looked into, at the moment that is looked at."""
        sheets = self._kept_sheets()
        return tuple(self.stage.characters() if sheets is None else sheets)

    def _kept_sheets(self) -> dict[str, MindSheet] | None:
        """Return what was kept of all minds at the moment of the past that is looked at; None if it is the present."""
        if self.shown is None or self.shown == self.last:
            return None
        kept = [sheets for frame, sheets in self._sheets if frame <= self.shown]
        return kept[-1] if kept else {}

    def why_not(self, who: str, what: str) -> str:
        """Say why somebody does not pursue a goal, or does not do an action, now."""
        return self.stage.why_not(who, what)

    def why(self, number: int, reader: str | None = None) -> str:
        """Say what brought a happening about, and what a recogniser made of it, in log-odds."""
        if not 0 <= number < len(self.happenings):
            raise TelosError(f"nothing of the number {number} has happened yet")
        noted = self.happenings[number]
        lines = [noted.happening.why] if noted.happening.why else []
        names = [self.panel.known(reader)] if reader else self.panel.names[:1]
        told = sum(seen.number <= number for seen in self.panel.seen)
        if told:
            lines += [self._explained(name, told) for name in names]
        return "\n\n".join(lines) or "Nothing more is known about this."

    def _explained(self, name: str, told: int) -> str:
        read, _ = self.panel.rerun(name, upto=told)
        explain = getattr(read, "why", None)
        return f"{self.panel.titles[name]}: {read.belief.why() if explain is None else explain()}"

    def recording(self) -> tuple[str, bytes]:
        """Return the game as a file that the studio plays again."""
        return f"{self.world.name}-seed{self.seed}-studio.jsonl", self.log.data()

    def _clock(self) -> str:
        return self.frame_data["hud"]["clock"] or f"{self.stage.time:.1f} s"

    def _values(self, noted: Iterable[Noted]) -> dict[str, Value]:
        """Return what a condition may ask about now."""
        values: dict[str, Value] = dict(self.stage.facts())
        values |= {
            "time": self.stage.time,
            "truth": self.stage.truth or "unknown",
            "event": "nothing",
            "event.who": "nobody",
        }
        for name, belief in self.panel.beliefs.items():
            values[f"{name}.top"] = belief.top
            values |= {f"{name}.{goal}": chance for goal, chance in belief.items()}
        if happened := [each.happening for each in noted]:  # all of a step: a condition holds if it does for one
            values["event"] = tuple(each.kind if each.event is None else each.event.action for each in happened)
            values["event.who"] = tuple(each.who for each in happened)
        return values
