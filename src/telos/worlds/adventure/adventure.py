"""The world ``adventure``: one player, one step a frame, with saving, recording and replay.

Start with ``Adventure``; the frame itself is in ``engine``. ``replay`` repeats a recorded game exactly.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from telos.agents.mind import Mind
from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap, check_not_negative
from telos.files import Count, Finite, Items, NonNegative, Row, SavedTree, SnapshotModel, SnapshotPart, read_snapshot
from telos.files.restoring import RandomState, SnapshotCheck, read_random, save_random
from telos.recognition.director import ADVENTURE_EARNINGS, ALL_EARNINGS, Advice
from telos.worlds.adventure.companion import Companion, Company, CompanySnapshot
from telos.worlds.adventure.engine import advance, populate
from telos.worlds.adventure.events import Adapted, CompanionLine, PlayerBelief, create_event, event_cause
from telos.worlds.adventure.map import STRAIGHT, VECTORS, Keys, format_keys, parse_keys
from telos.worlds.adventure.monsters import check_in_area
from telos.worlds.adventure.recognizer import GameRecognizer, load_model_text
from telos.worlds.adventure.recording import Recording
from telos.worlds.adventure.rules import FRAMES_A_SECOND, Rules
from telos.worlds.adventure.rules_file import COMPANION, load_rules
from telos.worlds.adventure.state import AdventureState, SinceLastEvent, lay_trail, pay_factor, start_game
from telos.worlds.adventure.views import AdventureView, to_adventure_view

_MAX_MONSTERS = 1_000
TOLD_STEP = 0.1  # a factor that follows a belief changes all the time: traces have steps of this size
HINT_FRAMES = 6 * FRAMES_A_SECOND  # frames that a hint is shown
# Attributes of the state that are plain data.
_PLAIN = (
    "frame", "noted", "noted_x", "noted_y", "area", "x", "y", "facing", "straight", "swinging", "carrying", "gems_held",
    "score", "kills",
    "deaths", "phase", "phase_kills", "phase_deaths", "message", "hint_ends", "hearts", "still", "fallen", "shielded",
    "pressed",
)  # fmt: skip
_LISTS = ("xs", "ys", "returning", "gem_xs", "gem_ys")
_SETS = ("visited", "chests")
Frame: TypeAlias = Annotated[int, Field(ge=0, le=10**9)]  # a year


class Adventure:
    """One player, one step per frame; an input is what is held: ``"up"``, ``"up+left"``, ``"swing"``, ``""``.

    ``directed`` games give the player one goal after the other and know the true goal; free game does not. If the
    rules have a companion, it uses the recogniser that they name, or ``model``: the name of one in the package, a path,
    or the text of a recogniser file.

    >>> game = Adventure("flairs", seed=7)
    >>> game.step({"player": "up+right"})
    >>> [(event.action, event.context["cause"], event.context["area"]) for event in game.events], game.truth
    ([('up_right', 'input', '2,2')], 'explore')
    """

    def __init__(
        self,
        rules: str | os.PathLike[str] | Rules = "flairs",
        *,
        directed: bool = True,
        monsters: int | None = None,
        seed: int = 0,
        player: str = "player",
        model: str | os.PathLike[str] | None = None,
        trace: Trace = silent,
    ) -> None:
        if monsters is not None and (type(monsters) is not int or not 0 <= monsters <= _MAX_MONSTERS):
            raise TelosError(f"monsters is their number in an area, 0 to {_MAX_MONSTERS}, got {monsters!r}")
        self.rules = rules if isinstance(rules, Rules) else load_rules(rules)
        self.directed = directed
        self.player = player
        # Rules created in Python have no file; a replay then needs the rules themselves.
        self._source = self.rules.name if isinstance(rules, Rules) else os.fspath(rules)
        self._monsters = monsters
        self._trace = trace
        self._model = self._first_model(model)
        self.reset(seed)

    def _first_model(self, model: str | os.PathLike[str] | None) -> str | None:
        companion = self.rules.companion
        if companion is None:
            if model is not None:
                raise TelosError(f"{self.rules.name!r} has no companion that could use a model", "take `wilds`")
            return None
        return load_model_text(companion.reads if model is None else model)

    def reset(self, seed: int) -> None:
        """Start a new game in town; the seed and the inputs determine everything that follows."""
        self._seed = seed
        number = self.rules.monsters.number if self._monsters is None else self._monsters
        self._game = AdventureState(self.rules, directed=self.directed, number=number, seed=seed)
        if self.rules.monsters.kinds:
            self._game.company = Company(self._game, trace=self._trace)
        start_game(self._game)
        populate(self._game)
        self._reading = None if self._model is None else GameRecognizer(self._model, seed=seed)
        self._models: list[tuple[int, str]] = [] if self._model is None else [(0, self._model)]
        self._told_pay: Mapping[str, float] = {}
        self._events: tuple[Event, ...] = ()
        self._inputs: list[tuple[str, int]] = []

    def step(self, commands: Mapping[str, str]) -> None:
        """Advance by one frame, a thirtieth of a second; without a command the last input continues."""
        for name in commands:
            if name != self.player:
                raise TelosError(f"there is no player {name!r}", name_hint(name, [self.player]))
        game, lesson = self._game, self.lesson
        before, area = game.keys, game.area
        keys = parse_keys(commands[self.player]) if commands else before
        swings = advance(game, keys)
        self._record(format_keys(keys) if keys != before or not self._inputs else self._inputs[-1][0])
        # A swing whose key was pressed during a hit begins later: also an input.
        cause = event_cause(game, input_changed=keys != before or swings, area_changed=game.area != area, swings=swings)
        self._events = (create_event(game, cause, swings=swings, player=self.player),) if cause else ()
        if self._reading is not None:
            for event in self._events:
                self._read(self._reading, event, lesson)

    def _read(self, reading: GameRecognizer, event: Event, lesson: str | None) -> None:
        """Let the recogniser and the director observe an event, and the recogniser learn from it."""
        advice = reading.observe(event, lesson)
        self._believe(reading, event.action)
        if advice is not None:
            self.adapt(advice)

    def _believe(self, reading: GameRecognizer, action: str) -> None:
        now, companion = self._game.frame / FRAMES_A_SECOND, self.companion
        self._trace(PlayerBelief(now, COMPANION, action, FrozenMap(reading.belief)))
        if companion is not None:
            companion.read(reading.belief, now)

    def adapt(self, advice: Advice) -> None:
        """Apply the director's advice: factors on earnings, and a hint. Recordings do not contain it.

        What the current phase asks for is never paid less, and a hint against it is withheld.
        """
        if ALL_EARNINGS in advice.pay:
            kinds = dict.fromkeys((*ADVENTURE_EARNINGS, *(what for what in advice.pay if what != ALL_EARNINGS)))
            advice = replace(advice, pay={what: advice.factor(what) for what in kinds})
        for what, factor in advice.pay.items():
            if what not in ADVENTURE_EARNINGS:
                raise TelosError(f"nothing is earned by {what!r}", name_hint(what, ADVENTURE_EARNINGS))
            check_not_negative(f"what {what!r} counts by", factor)
        self._game.pay, told = dict(advice.pay), self._told_pay
        hint = "" if any(pay_factor(self._game, what) > factor for what, factor in advice.pay.items()) else advice.hint
        if hint:
            self._game.tell(hint, HINT_FRAMES)
        steps = (abs(self.pay.get(what, 1.0) - told.get(what, 1.0)) for what in {**told, **self.pay})
        if hint or self.pay.keys() != told.keys() or max(steps, default=0.0) >= TOLD_STEP:
            self._told_pay = self.pay
            self._trace(Adapted(self._game.frame / FRAMES_A_SECOND, FrozenMap(self.pay), hint))

    def use(self, model: str) -> None:
        """Replace the model: companion and director continue as if it had been used from the start.

        ``model`` is the text of a recogniser file. A bad one raises a ``DefinitionError`` and changes nothing.
        """
        if self._reading is None:
            raise TelosError(f"{self.rules.name!r} has no companion that could use a model", "take `wilds`")
        before = self._reading
        reading = GameRecognizer(model, seed=self._seed, heard=before.heard, lessons=before.lessons)
        self._reading = reading
        self._models.append((self._game.frame, model))
        self._game.pay = reading.pay
        if self.companion is not None:
            self.companion.forget_reading()
        self._believe(reading, "")

    def _record(self, text: str) -> None:
        if self._inputs and self._inputs[-1][0] == text:
            self._inputs[-1] = (text, self._inputs[-1][1] + 1)
        else:
            self._inputs.append((text, 1))

    @property
    def events(self) -> tuple[Event, ...]:
        """The event of the last frame, if there was one."""
        return self._events

    @property
    def truth(self) -> str | None:
        """The goal given to the player; None in free game and after the last phase."""
        task = self._game.task
        return task.goal if task else None

    @property
    def lesson(self) -> str | None:
        """The goal that the companion learns from now: the given one, if the rules say that it learns."""
        companion = self.rules.companion
        return self.truth if companion is not None and companion.learns else None

    @property
    def round(self) -> str:
        """The name of the current round, such as ``training``."""
        task = self._game.task
        return task.round if task else ""

    @property
    def done(self) -> bool:
        """Whether all phases are over; the game may continue."""
        return self.directed and self._game.task is None

    @property
    def restarts_in(self) -> str:
        """Where a death leads: ``town``, or ``chest`` for where one was picked up."""
        return "town" if self._game.restart[0] == self.rules.map.town else "chest"

    @property
    def frame(self) -> int:
        return self._game.frame

    @property
    def reading(self) -> GameRecognizer | None:
        """The recogniser in the game with its model and director; None without a companion."""
        return self._reading

    @property
    def belief(self) -> Belief | None:
        """The belief about the player, if there is a recogniser."""
        return None if self._reading is None else self._reading.belief

    @property
    def pay(self) -> Mapping[str, float]:
        """The factors on earnings; 1 if missing."""
        return {what: factor for what in self._game.pay if (factor := pay_factor(self._game, what)) != 1.0}

    @property
    def companion(self) -> Companion | None:
        return None if self._game.company is None else self._game.company.companion

    @property
    def minds(self) -> Mapping[str, Mind]:
        """The minds by name: ``companion``, and the monsters of the area."""
        return {} if self._game.company is None else self._game.company.minds

    @property
    def lines(self) -> tuple[CompanionLine, ...]:
        """The lines spoken so far."""
        return () if self.companion is None else tuple(self.companion.voice.lines)

    def view(self) -> AdventureView:
        """Return the visible state."""
        return to_adventure_view(self._game, self.player)

    def recording(self) -> Recording:
        """Return the game so far as a recording."""
        return Recording(
            rules=self._source,
            seed=self._seed,
            directed=self.directed,
            monsters=self._monsters,
            inputs=tuple(self._inputs),
            player=self.player,
            fingerprint=self.rules.fingerprint,
            models=tuple(self._models),
        )

    def save(self) -> dict[str, Any]:
        """Return the whole game as plain data that fits JSON."""
        events = [event_to_data(event) for event in self._events]
        inputs = [list(run) for run in self._inputs]
        reading = None
        if self._reading is not None:
            models = [list(each) for each in self._models]
            reading = {"models": models, "heard": [event_to_data(event) for event in self._reading.heard]}
            if any(self._reading.lessons):
                reading["lessons"] = list(self._reading.lessons)
        told = {} if self._told_pay == self.pay else {"told": dict(self._told_pay)}
        saved = {**save_state(self._game), **told, "seed": self._seed, "inputs": inputs, "events": events}
        return {**saved, "reading": reading}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Continue from what ``save()`` returned, here or in another adventure with the same settings.

        Faulty data raises a ``TelosError`` that names its place, and the game is as it was.
        """
        check = SnapshotCheck("adventure")
        self._check_settings(data)
        saved = read_snapshot(AdventureSnapshot, data, of="adventure")
        with check.sound():
            game = restore_state(check, self._game, saved)
            for place, (text, _) in enumerate(saved.inputs):
                read_keys(check, ("inputs", place, 0), text)
            check.require(
                sum(frames for _, frames in saved.inputs) == saved.frame, ("inputs",), f"are not {saved.frame} frames"
            )
            events = tuple(map(event_from_saved, saved.events))
            models, reading = self._restore_reading(check, saved)
        self._game, self._inputs, self._events, self._seed = game, list(saved.inputs), events, saved.seed
        self._models, self._reading = models, reading
        self._told_pay = self.pay if saved.told is None else saved.told

    def _check_settings(self, data: Mapping[str, Any]) -> None:
        game = self._game
        mine = {"rules": game.rules.fingerprint, "directed": game.directed, "monsters": game.number}
        for what, value in mine.items() if isinstance(data, Mapping) else ():
            if what in data and data[what] != value:
                raise TelosError(
                    f"this was saved from a game with {what}={data[what]!r}, not {value!r}",
                    "restore it in an adventure that was made the same way",
                )

    def _restore_reading(
        self, check: SnapshotCheck, saved: "AdventureSnapshot"
    ) -> tuple[list[tuple[int, str]], GameRecognizer | None]:
        check.require((saved.reading is None) == (self._model is None), ("reading",), "does not fit the rules")
        if saved.reading is None:
            return [], None
        models = list(saved.reading.models)
        check.require(bool(models), ("reading", "models"), "is empty")
        frames = [frame for frame, _ in models]
        in_order = frames == sorted(frames) and frames[0] == 0 and frames[-1] <= saved.frame
        check.require(in_order, ("reading", "models"), "are not in the order of the game")
        try:
            heard = map(event_from_saved, saved.reading.heard)
            lessons = saved.reading.lessons or [None] * len(saved.reading.heard)
            check.require(
                len(lessons) == len(saved.reading.heard), ("reading", "lessons"), "are not one for each event"
            )
            return models, GameRecognizer(models[-1][1], seed=saved.seed, heard=heard, lessons=lessons)
        except TelosError as error:
            raise check.fault(("reading",), f"cannot be read: {str(error).splitlines()[0]}") from None


def replay_frames(recording: Recording, rules: Rules | None = None) -> Iterator[Adventure]:
    """Yield the game after each frame of a recording; pass ``rules`` if they have no file."""
    game = Adventure(
        rules or recording.rules,
        directed=recording.directed,
        monsters=recording.monsters,
        seed=recording.seed,
        player=recording.player,
        model=f"{recording.models[0][1]}\n" if recording.models else None,  # a text, even if it has one line
    )
    if recording.fingerprint not in ("", game.rules.fingerprint):
        raise TelosError(
            f"this was recorded under other rules than {recording.rules!r} are now "
            f"({recording.fingerprint}, not {game.rules.fingerprint})",
            "replay it with the rules that it was played by",
        )
    models = list(recording.models[1:])
    for frame, text in enumerate(recording.frame_inputs()):
        while models and models[0][0] <= frame:
            game.use(models.pop(0)[1])
        game.step({game.player: text})
        yield game


def replay(recording: Recording, rules: Rules | None = None) -> Iterator[Event]:
    """Yield the events of a recorded game, equal to those when it was played."""
    for game in replay_frames(recording, rules):
        yield from game.events


# --- saving ---


def save_state(game: AdventureState) -> dict[str, Any]:
    """Return the state of a game as plain data, with what identifies its rules."""
    return {
        "rules": game.rules.fingerprint,
        "directed": game.directed,
        "monsters": game.number,
        "rng": save_random(game.rng),
        **{name: getattr(game, name) for name in _PLAIN},
        **{name: list(getattr(game, name)) for name in _LISTS},
        **({"legs": list(game.legs)} if game.rules.monsters.move == "legs" else {}),
        **{name: sorted(getattr(game, name)) for name in _SETS},
        "keys": format_keys(game.keys),
        "restart": list(game.restart),
        "knock": list(game.knock),
        "since": {name: getattr(game.since, name) for name in SinceLastEvent.__slots__},
        "pay": dict(game.pay),
        "company": None if game.company is None else game.company.save(),
    }


class EventSnapshot(SnapshotPart):
    """A saved event."""

    player: str
    time: NonNegative
    action: str
    context: dict[str, SavedTree]
    goal: str | None


class SinceSnapshot(SnapshotPart):
    """What happened since the last event."""

    goal: str | None
    chest_taken: bool
    killed: bool
    attacked: bool
    died: bool
    new_area: bool
    nearer_town: bool


class ReadingSnapshot(SnapshotPart):
    """The models of a game, and the events that they have observed."""

    models: Items[Row[tuple[Count, str]]]
    heard: Items[EventSnapshot]
    lessons: Items[str | None] = Field(default_factory=list)  # of the events, if there are any


class AdventureSnapshot(SnapshotModel):
    """What an adventure saves."""

    rules: str
    directed: bool
    monsters: Count
    rng: RandomState
    frame: Frame
    noted: Frame
    noted_x: Finite = -1.0
    noted_y: Finite = -1.0
    area: Count
    x: Finite
    y: Finite
    facing: str
    straight: str
    swinging: Annotated[int, Field(ge=0, le=10_000)]
    carrying: bool
    gems_held: Count
    score: Finite
    kills: Count
    deaths: Count
    phase: Count
    phase_kills: Count
    phase_deaths: Count
    message: str
    hint_ends: Count
    hearts: Count = 1
    still: Annotated[int, Field(ge=0, le=10_000)] = 0
    fallen: bool = False
    shielded: Count = 0
    pressed: bool = False
    knock: Row[tuple[Finite, Finite]] = (0.0, 0.0)
    xs: Items[Finite]
    ys: Items[Finite]
    legs: Items[Literal["", "x", "y"]] = Field(default_factory=list)
    returning: Items[Count]
    gem_xs: Items[Finite]
    gem_ys: Items[Finite]
    visited: Items[Count]
    chests: Items[Count]
    keys: str
    restart: Row[tuple[Count, Finite, Finite]]
    since: SinceSnapshot
    pay: dict[str, NonNegative]
    told: dict[str, NonNegative] | None = None  # the factors that traces have, if they differ
    company: CompanySnapshot | None
    seed: int
    inputs: Items[Row[tuple[str, Annotated[int, Field(ge=1)]]]]
    events: Items[EventSnapshot]
    reading: ReadingSnapshot | None


def restore_state(check: SnapshotCheck, game: AdventureState, saved: AdventureSnapshot) -> AdventureState:
    """Return a saved game; ``game`` is any game with the same settings, and is not changed."""
    _check_state(check, game.rules, saved)
    again = AdventureState(game.rules, directed=game.directed, number=game.number, seed=0)
    again.rng = read_random(check, ("rng",), saved.rng)
    for name in _PLAIN:
        setattr(again, name, getattr(saved, name))
    for name in _LISTS:
        setattr(again, name, list(getattr(saved, name)))
    for name in _SETS:
        setattr(again, name, set(getattr(saved, name)))
    again.legs = list(saved.legs) or [""] * len(again.xs)
    again.keys = read_keys(check, ("keys",), saved.keys)
    again.restart, again.knock = saved.restart, saved.knock
    lay_trail(again)
    for name in SinceLastEvent.__slots__:
        setattr(again.since, name, getattr(saved.since, name))
    again.pay = dict(saved.pay)
    check.require((saved.company is None) == (game.company is None), ("company",), "does not fit the rules")
    if game.company is not None and saved.company is not None:
        again.company = Company(again, trace=game.company.trace)
        again.company.restore(check.at("company"), saved.company)
    return again


def _check_state(check: SnapshotCheck, rules: Rules, saved: AdventureSnapshot) -> None:
    """Require areas, positions, directions and earnings that the rules know."""
    areas = range(len(rules.map.exits))
    named = [(("area",), saved.area), (("restart", 0), saved.restart[0])]
    named += [((key, place), area) for key in _SETS for place, area in enumerate(getattr(saved, key))]
    for path, area in named:
        check.require(area in areas, path, f"is {area}, and the map has {len(areas)} areas")
    for key in ("area", "restart"):
        area = saved.area if key == "area" else saved.restart[0]
        check.require(rules.map.distance[area] is not None, (key,), f"is {area}, which cannot be reached")
    check.known(("facing",), saved.facing, VECTORS, "direction")
    check.known(("straight",), saved.straight, STRAIGHT, "direction")
    check.require(saved.noted <= saved.frame, ("noted",), f"must be at most {saved.frame}, the frame")
    phases = len(rules.phases)
    check.require(saved.phase <= phases, ("phase",), f"is {saved.phase}, and the rules have {phases} phases")
    for key in ("", "gem_"):
        xs, ys = getattr(saved, f"{key}xs"), getattr(saved, f"{key}ys")
        check.require(len(xs) == len(ys), (f"{key}ys",), f"must have {len(xs)} entries, got {len(ys)}")
        for place, point in enumerate(zip(xs, ys, strict=True)):
            check_in_area(check, (f"{key}xs", place), point, rules)
    check.require(len(saved.legs) in (0, len(saved.xs)), ("legs",), f"must have {len(saved.xs)} entries")
    check.require(len(saved.xs) <= _MAX_MONSTERS, ("xs",), f"must have at most {_MAX_MONSTERS} entries")
    check.require(saved.returning == sorted(saved.returning), ("returning",), "is not sorted")
    check_in_area(check, ("x",), (saved.x, saved.y), rules)
    check_in_area(check, ("restart",), saved.restart[1:], rules)
    for name, factors in (("pay", saved.pay), ("told", saved.told or {})):
        for what in factors:
            check.known((name, what), what, ADVENTURE_EARNINGS, "earning")


def read_keys(check: SnapshotCheck, path: Sequence[str | int], text: str) -> Keys:
    """Return a saved input."""
    try:
        return parse_keys(text)
    except TelosError as error:
        raise check.fault(path, f"is not an input: {error.message}", error.remedy) from None


def event_to_data(event: Event) -> dict[str, Any]:
    context = {key: _to_plain(value) for key, value in event.context.items()}
    return {"player": event.player, "time": event.time, "action": event.action, "context": context, "goal": event.goal}


def _to_plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _to_plain(each) for key, each in value.items()}
    return [_to_plain(each) for each in value] if isinstance(value, tuple) else value


def event_from_saved(saved: EventSnapshot) -> Event:
    return Event(saved.action, saved.context, player=saved.player, time=saved.time, goal=saved.goal)
