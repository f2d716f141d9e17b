"""Dialogue: chosen after the fact from what the squad layer knows, and never what the situation makes silly."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any

from telos.core.errors import TelosError
from telos.core.frozen import FrozenMap
from telos.core.trace import Trace, silent
from telos.squads.dialogue_casting import cast
from telos.squads.dialogue_laws import SETTLED, STALE, silly
from telos.squads.dialogue_situation import Situation
from telos.squads.dialogue_stage import PlaceWords, Stage, compass_words
from telos.squads.dialogue_talk import Talk, Waiting
from telos.squads.lines import Exchange, Lines, Turn
from telos.squads.records import Said
from telos.squads.utterances import BrokenOff, Occasion, Speaker

LINE = 1.2  # seconds that the shortest line takes to say
LETTER = 0.06  # seconds that each letter of a long one takes


class Dialogue:
    """Turns occasions into conversations, one at a time in each squad, and only lines that still make sense when due.

    ``notice`` tells it what has happened; ``tick`` answers with what is said now. Voice is left to the game. ``words``
    says where a place is, seen from another; a game that has names for its corners passes its own.
    """

    def __init__(self, lines: Lines, *, rng: Random, words: PlaceWords = compass_words, trace: Trace = silent) -> None:
        self._lines, self._rng, self._words, self._trace = lines, rng, words, trace
        self._now = -math.inf
        self._waiting: list[Waiting] = []
        self._talks: dict[str, Talk] = {}  # by squad
        self._squads: dict[str, str] = {}  # the last known, so that the dead still belong somewhere
        self._ready: dict[tuple[str, str], float] = {}  # when a squad may have an exchange again
        self._told: dict[tuple[str, str], float] = {}  # when something was last said about an occasion and a person
        self._speaking: dict[str, float] = {}  # until when
        self._last: dict[str, str] = {}  # the variation last used of each turn

    def notice(self, occasion: Occasion) -> None:
        """Take note of something that happened; it is talked about within moments or not at all."""
        self._waiting.append(Waiting(occasion))

    def tick(
        self, speakers: Mapping[str, Speaker], now: float, *, squads: Mapping[str, str] | None = None
    ) -> list[Said]:
        """Return what is said now. ``speakers`` are all there are, the dead too; ``squads`` names the squad of each.

        Those without a squad form one with the rest of their side.
        """
        if not (math.isfinite(now) and now >= self._now):
            raise TelosError(f"it is {now!r} after {self._now!r}", "time goes forward, in seconds")
        self._now = now
        self._squads.update(squads or {})
        stage = Stage(speakers, self._squads, now, self._words)
        self._waiting = [each for each in self._waiting if now - each.occasion.time <= STALE]
        for squad, talk in [*self._talks.items()]:
            if now >= talk.due and talk.turn(self._lines[talk.exchange]) is None:
                del self._talks[squad]
        self._begin(stage)
        said = [line for squad in [*self._talks] for line in self._go_on(squad, stage)]
        for line in said:
            self._trace(line)
        return said

    def _begin(self, stage: Stage) -> None:
        """Begin the first exchange that fits in each squad that is free, or has something urgent to say."""
        waiting = [each for each in self._waiting if each.occasion.time <= stage.now]
        waiting = [each for each in waiting if not self._is_settled(each.occasion) and not silly(each.occasion, stage)]
        if not waiting:
            return
        by_squad: dict[str, list[Waiting]] = {}
        for each in sorted(waiting, key=lambda each: each.occasion.time):
            by_squad.setdefault(stage.squad_of(each.occasion.who), []).append(each)
        for squad, chances in by_squad.items():
            under_way = self._talks.get(squad)
            if under_way is not None:
                urgent = not under_way.occasion.is_urgent
                chances = [each for each in chances if urgent and each.occasion.is_urgent]
            self._begin_one(squad, chances, stage)

    def _begin_one(self, squad: str, waiting: list[Waiting], stage: Stage) -> None:
        kinds = {each.occasion.kind for each in waiting}
        for exchange in (each for each in self._lines if each.on in kinds):
            if self._ready.get((squad, exchange.name), -math.inf) > stage.now:
                continue
            for each in (each for each in waiting if each.occasion.kind == exchange.on):
                talk = self._fitting(exchange, each, stage)
                if talk is not None:
                    self._waiting = [other for other in self._waiting if other.occasion is not each.occasion]
                    self._break_off(squad, "something more urgent came up")
                    self._talks[squad] = talk
                    return

    def _fitting(self, exchange: Exchange, waiting: Waiting, stage: Stage) -> Talk | None:
        """Return the conversation about an occasion by this exchange, if it fits and chance allows it."""
        found = None if exchange.name in waiting.passed else cast(exchange, waiting.occasion, stage)
        if found is None:
            return None
        situation = Situation(stage, waiting.occasion, found)
        if not situation.holds(exchange, exchange.condition) or not _opening(exchange, situation):
            return None
        if exchange.chance < 1 and self._rng.random() >= exchange.chance:
            passed = replace(waiting, passed=waiting.passed | {exchange.name})
            # Chance is asked once; asked at every tick it would always say yes in the end.
            self._waiting = [passed if each.occasion is waiting.occasion else each for each in self._waiting]
            return None
        return Talk(exchange.name, waiting.occasion, FrozenMap(found), due=stage.now)

    def _go_on(self, squad: str, stage: Stage) -> Iterator[Said]:
        """Yield the next line of a conversation, if it is time for one that makes sense."""
        talk = self._talks[squad]
        exchange = self._lines[talk.exchange]
        while talk.turn(exchange) is not None and stage.now >= talk.due:
            situation = Situation(stage, talk.occasion, talk.cast)
            talk, turn = _chosen(talk, exchange, situation)
            missing = self._missing(talk, exchange, turn, stage)
            if missing and talk.missing is None and talk.spoken and exchange.unanswered:
                talk = replace(talk, missing=missing, next=0, due=stage.now + exchange.unanswered[0].after)
                continue
            why = f"{missing} is down" if missing else self._hindrance(talk, exchange, turn, situation)
            if why is not None:
                self._break_off(squad, why)
                return
            if not situation.holds(exchange, turn.condition):
                talk = talk.passed_on(exchange)
                continue
            if self._speaking.get(talk.cast[turn.role], -math.inf) > stage.now:
                break  # he is still at his last words
            line = self._said(talk, exchange, turn, _sayable(turn, situation))
            self._talks[squad] = self._after(squad, talk, exchange, line)
            yield line
            return
        self._talks[squad] = talk

    def _missing(self, talk: Talk, exchange: Exchange, turn: Turn, stage: Stage) -> str | None:
        """Return the one who should speak or be spoken to next, and can no longer."""
        needed = (talk.cast[turn.role], talk.addressee(exchange))
        return next((name for name in needed if name is not None and not stage.able(name)), None)

    def _hindrance(self, talk: Talk, exchange: Exchange, turn: Turn, situation: Situation) -> str | None:
        """Return why the next line must not be said; None if it may."""
        stage, speaker, hearer = situation.stage, talk.cast[turn.role], talk.addressee(exchange)
        if hearer is not None and not stage.in_earshot(speaker, hearer):
            return f"{hearer} is out of earshot"
        if talk.missing is not None and stage.able(talk.missing):
            return f"{talk.missing} is back on his feet"
        if not talk.spoken and stage.now - talk.occasion.time > STALE:
            return "it is no news any more"
        if situation.holds(exchange, turn.condition) and not _sayable(turn, situation):
            return f"{speaker} does not know enough to say it"  # skipped, it would leave a reply to nothing
        return silly(talk.occasion, stage) if talk.missing is None else None

    def _said(self, talk: Talk, exchange: Exchange, turn: Turn, texts: Mapping[str, str]) -> Said:
        key = f"{exchange.name} {'lines' if talk.missing is None else 'unanswered'} {talk.next}"
        fresh = [variation for variation in texts if variation != self._last.get(key)]
        self._last[key] = self._rng.choice(fresh or [*texts])
        text = texts[self._last[key]]
        who, to = talk.cast[turn.role], talk.addressee(exchange)
        return Said(self._now, who, to, text, exchange.name, talk.occasion.why)

    def _after(self, squad: str, talk: Talk, exchange: Exchange, line: Said) -> Talk:
        """Return the conversation after a line was said, which takes a while."""
        end = self._speaking[line.who] = self._now + max(LINE, LETTER * len(line.text))
        self._ready[squad, exchange.name] = self._now + exchange.cooldown
        self._told[talk.occasion.kind, talk.occasion.who] = self._now
        if talk.missing is not None:
            self._told["down", talk.missing] = self._now  # or his death would be news a second time
        then = replace(talk.passed_on(exchange), spoken=talk.spoken + 1, due=end)
        turn = then.turn(exchange)
        return then if turn is None else replace(then, due=end + turn.after)

    def _break_off(self, squad: str, why: str) -> None:
        talk = self._talks.pop(squad, None)
        if talk is not None and talk.spoken:
            self._trace(BrokenOff(self._now, talk.exchange, why))

    def _is_settled(self, occasion: Occasion) -> bool:
        told = self._told.get((occasion.kind, occasion.who))
        return told is not None and self._now - told < SETTLED.get(occasion.kind, 0.0)

    def save(self) -> dict[str, Any]:
        """Return all there is as plain data, so that talk goes on exactly so."""
        version, internal, gauss = self._rng.getstate()
        return {
            "now": None if self._now == -math.inf else self._now,
            "waiting": [each.save() for each in self._waiting],
            "talks": [[squad, talk.save()] for squad, talk in self._talks.items()],
            "squads": dict(self._squads),
            "ready": [[*key, time] for key, time in self._ready.items()],
            "told": [[*key, time] for key, time in self._told.items()],
            "speaking": dict(self._speaking),
            "last": dict(self._last),
            "rng": [version, list(internal), gauss],
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Become exactly the dialogue that was saved, with the same lines."""
        talks = {squad: Talk.restored(talk) for squad, talk in saved["talks"]}
        for talk in talks.values():
            self._lines[talk.exchange]  # other lines than those that were saved with are refused here
        self._now = -math.inf if saved["now"] is None else saved["now"]
        self._waiting, self._talks = [Waiting.restored(each) for each in saved["waiting"]], talks
        self._squads, self._speaking = dict(saved["squads"]), dict(saved["speaking"])
        self._ready, self._told = _pairs(saved["ready"]), _pairs(saved["told"])
        self._last = dict(saved["last"])
        version, internal, gauss = saved["rng"]
        self._rng.setstate((version, tuple(internal), gauss))


def _opening(exchange: Exchange, situation: Situation) -> bool:
    """Whether there is something to begin with."""
    fitting = (turn for turn in exchange.turns if situation.holds(exchange, turn.condition))
    first = next(fitting, None)
    others = (turn for turn in fitting if first is not None and turn.role == first.role)
    return first is not None and any(_sayable(turn, situation) for turn in (first, *others))


def _chosen(talk: Talk, exchange: Exchange, situation: Situation) -> tuple[Talk, Turn]:
    """Return the conversation at the first of the next turn's alternatives that fits, best of all one to be filled."""
    turns = talk.turns(exchange)
    alternatives = range(talk.next, talk.passed_on(exchange).next)
    if not situation.stage.able(talk.cast[turns[talk.next].role]):
        return talk, turns[talk.next]
    fitting = [i for i in alternatives if situation.holds(exchange, turns[i].condition)]
    sayable = (i for i in fitting if _sayable(turns[i], situation))
    chosen = next(sayable, next(iter(fitting), talk.next))
    return replace(talk, next=chosen), turns[chosen]


def _sayable(turn: Turn, situation: Situation) -> dict[str, str]:
    """Return the variations of a turn that the speaker can fill, each with its text."""
    speaker = situation.cast[turn.role]
    filled = ((variation, situation.filled(variation, speaker)) for variation in turn.variations)
    return {variation: text for variation, text in filled if text is not None}


def _pairs(saved: Iterable[Any]) -> dict[tuple[str, str], float]:
    return {(first, second): time for first, second, time in saved}
