"""Adventure: step, company, save and replay."""

import os
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from telos.agents.mind import Mind
from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap, check_not_negative
from telos.recognition.director import ADVENTURE_EARNINGS, Advice
from telos.worlds.adventure.companion import Companion
from telos.worlds.adventure.engine import advance, populate
from telos.worlds.adventure.events import Adapted, Read, Said, cause_of, notice
from telos.worlds.adventure.map import keys_text, read_keys
from telos.worlds.adventure.monsters import BLADE, Beast
from telos.worlds.adventure.recognizer_loop import Reading, model_text
from telos.worlds.adventure.recording import Recording
from telos.worlds.adventure.rules import FRAMES_A_SECOND, Rules
from telos.worlds.adventure.rules_file import COMPANION, load_rules
from telos.worlds.adventure.state import Play, Since, begin, paid
from telos.worlds.adventure.views import AdventureView, seen

# --- company ----------------------------------------------------------------------------------------------------------
# Those with minds in the area that the player is in: its monsters, and the companion.


CROWD = 16  # of more monsters than these, the others walk through each other: every pair is looked at in every frame


class Company:
    """Who is there, beside the flat lists of the game: ``beasts[i]`` stands at ``xs[i]``, ``ys[i]``."""

    def __init__(self, play: Play, *, trace: Trace = silent) -> None:
        self._play, self.trace = play, trace
        self.beasts: list[Beast] = []
        self._number = 0  # monsters that have appeared since the player came
        rules = play.rules.companion
        self.companion = None if rules is None else Companion(play, rules, trace=trace)

    @property
    def minds(self) -> dict[str, Mind]:
        """Return the minds that there are, by name; the companion's first."""
        minds = {} if self.companion is None else {COMPANION: self.companion.mind}
        return minds | {beast.name: beast.mind for beast in self.beasts}

    def settle(self) -> None:
        """Give minds to the monsters of an area that the player has just come to."""
        self.beasts, self._number = [], 0
        for x, y in zip(self._play.xs, self._play.ys, strict=True):
            self.join(x, y)

    def join(self, x: float, y: float) -> None:
        """Give a mind to a monster that has just appeared."""
        kinds = self._play.rules.monsters.kinds
        kind = kinds[self._number % len(kinds)]
        self._number += 1
        self.beasts.append(Beast(self._play, kind, self._number, x, y, trace=self.trace))

    def lose(self, i: int) -> None:
        """Let a monster go that was killed."""
        beast = self.beasts.pop(i)
        if self.companion is not None:
            self.companion.mind.memory.forget("monster", beast.name)

    def come_along(self, x: float, y: float) -> None:
        """Let the companion follow the player, who left the last area at ``x``, ``y``."""
        if self.companion is not None:
            square = (self.companion.x - x) ** 2 + (self.companion.y - y) ** 2
            self.companion.come_along(square**0.5)

    def alarm(self) -> None:
        """Let those near a sword that is being swung think about it at once."""
        play = self._play
        for beast in self.beasts:
            if (beast.x - play.x) ** 2 + (beast.y - play.y) ** 2 <= BLADE * BLADE:
                beast.next_thought = play.frame

    def live(self) -> None:
        """Let everybody think and move for one frame."""
        play = self._play
        frame, xs, ys = play.frame, play.xs, play.ys
        for beast in self.beasts:
            beast.live(frame)
        self._make_room()
        for i, beast in enumerate(self.beasts):
            xs[i], ys[i] = beast.x, beast.y
        if self.companion is not None:
            self.companion.live(frame)

    def _make_room(self) -> None:
        """Push monsters apart that stand on each other: all who hunt would be one monster to look at."""
        size = self._play.rules.monsters.size
        for one, other in combinations(self.beasts[:CROWD], 2):
            across, down = other.x - one.x, other.y - one.y
            if -size < across < size and -size < down < size:
                push = 0.5 if across >= 0 else -0.5, 0.5 if down >= 0 else -0.5
                one.shift(-push[0], -push[1])
                other.shift(*push)

    def is_harmless(self, i: int) -> bool:
        """Whether a monster is stunned: its touch does nothing then."""
        return self.beasts[i].stunned > 0

    def save(self) -> dict[str, Any]:
        """Return all that changes as plain data."""
        companion = None if self.companion is None else self.companion.save()
        return {"number": self._number, "beasts": [beast.save() for beast in self.beasts], "companion": companion}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go on from what was saved; the monsters of the game are those of the company."""
        play = self._play
        self._number = saved["number"]
        self.beasts = [Beast.restored(play, each, trace=self.trace) for each in saved["beasts"]]
        play.xs, play.ys = [beast.x for beast in self.beasts], [beast.y for beast in self.beasts]
        if self.companion is not None:
            self.companion.restore(saved["companion"])


# --- saving -----------------------------------------------------------------------------------------------------------
# Saving a game as plain data, and going on from it exactly where it was.


# What is plain data already.
_PLAIN = (
    "frame", "noted", "area", "x", "y", "facing", "straight", "swinging", "carrying", "gems_held", "score", "kills",
    "deaths", "phase", "phase_kills", "phase_deaths", "message", "hint_ends",
)  # fmt: skip
_LISTS = ("xs", "ys", "returning", "gem_xs", "gem_ys")
_SETS = ("visited", "chests")


def saved(play: Play) -> dict[str, Any]:
    """Return everything about a game that changes, as plain data, and what it was played by."""
    version, numbers, gauss = play.rng.getstate()
    return {
        "rules": play.rules.fingerprint,
        "directed": play.directed,
        "monsters": play.number,
        "rng": [version, list(numbers), gauss],
        **{name: getattr(play, name) for name in _PLAIN},
        **{name: list(getattr(play, name)) for name in _LISTS},
        **{name: sorted(getattr(play, name)) for name in _SETS},
        "keys": keys_text(play.keys),
        "restart": list(play.restart),
        "since": {name: getattr(play.since, name) for name in Since.__slots__},
        "pay": dict(play.pay),
        "company": None if play.company is None else play.company.save(),
    }


def restored(play: Play, data: Mapping[str, Any]) -> Play:
    """Return the game that was saved; ``play`` is any game of the same kind."""
    for what, mine in (("rules", play.rules.fingerprint), ("directed", play.directed), ("monsters", play.number)):
        if data.get(what) != mine:
            raise TelosError(
                f"this was saved from a game with {what}={data.get(what)!r}, not {mine!r}",
                "restore it in an adventure that was made the same way",
            )
    again = Play(play.rules, directed=play.directed, number=play.number, seed=0)
    version, numbers, gauss = data["rng"]
    again.rng.setstate((version, tuple(numbers), gauss))
    for name in _PLAIN:
        setattr(again, name, data[name])
    for name in _LISTS:
        setattr(again, name, list(data[name]))
    for name in _SETS:
        setattr(again, name, set(data[name]))
    again.keys = read_keys(data["keys"])
    area, x, y = data["restart"]
    again.restart = (area, x, y)
    for name in Since.__slots__:
        setattr(again.since, name, data["since"][name])
    again.pay = dict(data["pay"])
    if play.company is not None:
        again.company = Company(again, trace=play.company.trace)
        again.company.restore(data["company"])
    return again


def saved_event(event: Event) -> dict[str, Any]:
    """Return an event as plain data."""
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in event.context.items()}
    return {"player": event.player, "time": event.time, "action": event.action, "context": plain, "goal": event.goal}


def restored_event(data: Mapping[str, Any]) -> Event:
    """Return the event that was saved."""
    context = {key: tuple(value) if isinstance(value, list) else value for key, value in data["context"].items()}
    return Event(data["action"], context, player=data["player"], time=data["time"], goal=data["goal"])


# --- adventure --------------------------------------------------------------------------------------------------------
# The world ``adventure``: a small game of monsters and treasure, in which a player's goals can be read.


_MOST_MONSTERS = 1_000
HINTED = 6 * FRAMES_A_SECOND  # how long a hint is shown


class Adventure:
    """One player, one step a frame; an input is what is held down: ``"up"``, ``"up+left"``, ``"swing"``, ``""``.

    ``directed`` games give the player one goal after the other, and know the truth about it; in free play nobody does.
    Where the rules have a companion, it reads the player by the recogniser that they name, or by ``model``: the name
    of one that comes along, a path, or the text of such a file.

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
        if monsters is not None and (type(monsters) is not int or not 0 <= monsters <= _MOST_MONSTERS):
            raise TelosError(f"monsters is their number in an area, 0 to {_MOST_MONSTERS}, got {monsters!r}")
        self.rules = rules if isinstance(rules, Rules) else load_rules(rules)
        self.directed = directed
        self.player = player
        # Rules that were made in Python have no file; replaying them needs the rules themselves.
        self._source = self.rules.name if isinstance(rules, Rules) else os.fspath(rules)
        self._monsters = monsters
        self._trace = trace
        self._model = self._first_model(model)
        self.reset(seed)

    def _first_model(self, model: str | os.PathLike[str] | None) -> str | None:
        companion = self.rules.companion
        if companion is None:
            if model is not None:
                raise TelosError(f"{self.rules.name!r} has no companion who could read by a model", "take `wilds`")
            return None
        return model_text(companion.reads if model is None else model)

    def reset(self, seed: int) -> None:
        """Start a new game, at the town; the seed and the inputs fix all that follows."""
        self._seed = seed
        number = self.rules.monsters.number if self._monsters is None else self._monsters
        self._play = Play(self.rules, directed=self.directed, number=number, seed=seed)
        if self.rules.monsters.kinds:
            self._play.company = Company(self._play, trace=self._trace)
        begin(self._play)
        populate(self._play)
        self._reading = None if self._model is None else Reading(self._model, seed=seed)
        self._models: list[tuple[int, str]] = [] if self._model is None else [(0, self._model)]
        self._events: tuple[Event, ...] = ()
        self._inputs: list[tuple[str, int]] = []

    def step(self, commands: Mapping[str, str]) -> None:
        """Move on by one frame, a thirtieth of a second; without a command, the player holds what they held."""
        for name in commands:
            if name != self.player:
                raise TelosError(f"nobody here is called {name!r}", name_hint(name, [self.player]))
        play = self._play
        before, area = play.keys, play.area
        keys = read_keys(commands[self.player]) if commands else before
        swings = advance(play, keys)
        self._record(keys_text(keys) if keys != before or not self._inputs else self._inputs[-1][0])
        cause = cause_of(play, input_changed=keys != before, area_changed=play.area != area)
        self._events = (notice(play, cause, swings=swings, player=self.player),) if cause else ()
        if self._reading is not None:
            for event in self._events:
                self._read(self._reading, event)

    def _read(self, reading: Reading, event: Event) -> None:
        """Let the companion and the director take in what the player did."""
        advice = reading.hear(event)
        self._believe(reading, event.action)
        if advice is not None:
            self.adapt(advice)

    def _believe(self, reading: Reading, action: str) -> None:
        now, companion = self._play.frame / FRAMES_A_SECOND, self.companion
        self._trace(Read(now, COMPANION, action, FrozenMap(reading.belief)))
        if companion is not None:
            companion.read(reading.belief, now)

    def adapt(self, advice: Advice) -> None:
        """Pay from now on by the factors of ``advice``, and show its hint; recordings tell nothing of it.

        Nobody is paid less, or told off, for what the game asks them to do: such a hint is kept back.
        """
        for what, factor in advice.pay.items():
            if what not in ADVENTURE_EARNINGS:
                raise TelosError(f"nothing is earned by {what!r}", name_hint(what, ADVENTURE_EARNINGS))
            check_not_negative(f"what {what!r} counts by", factor)
        before, self._play.pay = self.pay, dict(advice.pay)
        hint = "" if any(paid(self._play, what) > factor for what, factor in advice.pay.items()) else advice.hint
        if hint:
            self._play.tell(hint, HINTED)
        if hint or self.pay != before:
            self._trace(Adapted(self._play.frame / FRAMES_A_SECOND, FrozenMap(self.pay), hint))

    def use(self, model: str) -> None:
        """Put another model into force: the companion reads by it, and its director directs, as if it always had.

        ``model`` is the text of a recogniser file. A bad one raises a ``DefinitionError``, and nothing has changed.
        """
        if self._reading is None:
            raise TelosError(f"{self.rules.name!r} has no companion who could read by a model", "take `wilds`")
        reading = Reading(model, seed=self._seed, heard=self._reading.heard)
        self._reading = reading
        self._models.append((self._play.frame, model))
        self._play.pay = reading.pay
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
        """Return the event of the last frame, if it was one."""
        return self._events

    @property
    def truth(self) -> str | None:
        """Return the goal that the player has been given; None in free play, and when all phases are over."""
        task = self._play.task
        return task.goal if task else None

    @property
    def round(self) -> str:
        """Return the name of the round that the phase belongs to, such as ``training``."""
        task = self._play.task
        return task.round if task else ""

    @property
    def done(self) -> bool:
        """Whether all phases are over; the game may be played on."""
        return self.directed and self._play.task is None

    @property
    def frame(self) -> int:
        """Return how many frames have been played."""
        return self._play.frame

    @property
    def reading(self) -> Reading | None:
        """Return how the player is read: the model in force, its recogniser, its director; None if nobody reads."""
        return self._reading

    @property
    def belief(self) -> Belief | None:
        """Return what is believed about the player, if the player is read."""
        return None if self._reading is None else self._reading.belief

    @property
    def pay(self) -> Mapping[str, float]:
        """Return what a kill, a gem or a chest counts by now; 1 for what is left out."""
        return {what: factor for what in self._play.pay if (factor := paid(self._play, what)) != 1.0}

    @property
    def companion(self) -> Companion | None:
        """Return the companion, if there is one."""
        return None if self._play.company is None else self._play.company.companion

    @property
    def minds(self) -> Mapping[str, Mind]:
        """Return the minds that can be looked into: ``companion``, and the monsters of the area by name."""
        return {} if self._play.company is None else self._play.company.minds

    @property
    def lines(self) -> tuple[Said, ...]:
        """Return what was said so far."""
        return () if self.companion is None else tuple(self.companion.voice.lines)

    def view(self) -> AdventureView:
        """Return what can be seen now."""
        return seen(self._play, self.player)

    def recording(self) -> Recording:
        """Return the game so far, ready to be written or replayed."""
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
        events = [saved_event(event) for event in self._events]
        inputs = [list(run) for run in self._inputs]
        reading = None
        if self._reading is not None:
            models = [list(each) for each in self._models]
            reading = {"models": models, "heard": [saved_event(event) for event in self._reading.heard]}
        return {**saved(self._play), "seed": self._seed, "inputs": inputs, "events": events, "reading": reading}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Go on from what ``save()`` returned, here or in another adventure that was made the same way."""
        try:
            play = restored(self._play, data)
            inputs = [(str(text), int(frames)) for text, frames in data["inputs"]]
            events = tuple(map(restored_event, data["events"]))
            seed = data["seed"]
            models, reading = self._restored_reading(data["reading"], seed)
        except (KeyError, TypeError, IndexError) as error:
            raise TelosError(f"this is no saved adventure: {error!r}", "use what save() returned") from None
        self._play, self._inputs, self._events, self._seed = play, inputs, events, seed
        self._models, self._reading = models, reading

    def _restored_reading(
        self, data: Mapping[str, Any] | None, seed: int
    ) -> tuple[list[tuple[int, str]], Reading | None]:
        if data is None:
            return [], None
        models = [(int(frame), str(text)) for frame, text in data["models"]]
        return models, Reading(models[-1][1], seed=seed, heard=map(restored_event, data["heard"]))


def replayed(recording: Recording, rules: Rules | None = None) -> Iterator[Adventure]:
    """Yield the game after each frame of a recording; ``rules`` are needed if they have no file."""
    game = Adventure(
        rules or recording.rules,
        directed=recording.directed,
        monsters=recording.monsters,
        seed=recording.seed,
        player=recording.player,
        model=f"{recording.models[0][1]}\n" if recording.models else None,  # a text, even if it is one line
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
    """Yield the events of a recorded game, each the same as when it was played."""
    for game in replayed(recording, rules):
        yield from game.events
