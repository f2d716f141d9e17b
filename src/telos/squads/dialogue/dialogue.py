"""Choose, cast and speak exchanges."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from telos.core.errors import TelosError
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap, Value
from telos.squads.dialogue.context import PlaceWords, Situation, Stage, compass_words
from telos.squads.dialogue.lines import Exchange, Lines, Turn, spoken_to
from telos.squads.dialogue.occasions import BrokenOff, Occasion, Speaker
from telos.squads.squad import Said

# --- dialogue talk ----------------------------------------------------------------------------------------------------
# Talk under way, as values: an occasion that waits for its moment, and a conversation between two lines.


@dataclass(frozen=True, slots=True)
class Waiting:
    """An occasion nobody has talked about yet; ``passed`` are the exchanges that chance has decided against."""

    occasion: Occasion
    passed: frozenset[str] = frozenset()

    def save(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"occasion": save_occasion(self.occasion), "passed": sorted(self.passed)}

    @classmethod
    def restored(cls, saved: Mapping[str, Any]) -> "Waiting":
        """Return what was saved."""
        return cls(restored_occasion(saved["occasion"]), frozenset(saved["passed"]))


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation: its exchange and cast, which turn is next, and when. ``missing`` no longer answers."""

    exchange: str
    occasion: Occasion
    cast: FrozenMap[str, str]
    due: float
    next: int = 0
    spoken: int = 0
    missing: str | None = None

    def turn(self, exchange: Exchange) -> Turn | None:
        """Return the next turn, if there is one."""
        turns = self.turns(exchange)
        return turns[self.next] if self.next < len(turns) else None

    def turns(self, exchange: Exchange) -> tuple[Turn, ...]:
        """Return what there is to say: the exchange as it was meant, or what is said when no answer comes."""
        return exchange.turns if self.missing is None else exchange.unanswered

    def passed_on(self, exchange: Exchange) -> "Talk":
        """Return the conversation when somebody else's turn comes; until then, turns are alternatives."""
        turns = self.turns(exchange)
        others = (i for i in range(self.next, len(turns)) if turns[i].role != turns[self.next].role)
        return replace(self, next=next(others, len(turns)))

    def addressee(self, exchange: Exchange) -> str | None:
        """Return who is spoken to by the next turn; None for the squad as a whole."""
        in_order = self.missing is None
        return self.cast.get(exchange.addressee(self.next) if in_order else spoken_to(exchange.unanswered[self.next]))

    def save(self) -> dict[str, Any]:
        """Return it as plain data."""
        own = {"exchange": self.exchange, "due": self.due, "next": self.next, "spoken": self.spoken}
        cast = [[role, name] for role, name in self.cast.items()]
        return {**own, "missing": self.missing, "cast": cast, "occasion": save_occasion(self.occasion)}

    @classmethod
    def restored(cls, saved: Mapping[str, Any]) -> "Talk":
        """Return what was saved."""
        own = {key: saved[key] for key in ("exchange", "due", "next", "spoken", "missing")}
        cast = FrozenMap(dict(saved["cast"]))
        return cls(occasion=restored_occasion(saved["occasion"]), cast=cast, **own)


def save_occasion(occasion: Occasion) -> dict[str, Any]:
    """Return an occasion as plain data."""
    return {"kind": occasion.kind, "time": occasion.time, "who": occasion.who, "about": _plain(occasion.about)}


def restored_occasion(saved: Mapping[str, Any]) -> Occasion:
    """Return the occasion that was saved."""
    return Occasion(saved["kind"], saved["time"], saved["who"], _frozen(saved["about"]))


def _plain(value: Value) -> Value:
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, tuple | list) else value


def _frozen(value: Value) -> Value:
    if isinstance(value, Mapping):
        return FrozenMap({key: _frozen(each) for key, each in value.items()})
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


# --- dialogue casting -------------------------------------------------------------------------------------------------
# Who takes which part in an exchange: always different people, and those who talk are able to and near enough.


# First words of orders, as squad behaviours give them.
_TO_SUPPRESS = ("suppress",)
_TO_MOVE = ("take", "cover", "advance", "lead", "search", "go", "move")


def cast(exchange: Exchange, occasion: Occasion, stage: Stage) -> dict[str, str] | None:
    """Return the name for each role; None if somebody cannot be found."""
    found: dict[str, str] = {}
    # Comrades come last, whatever the order in the file: they are whoever is left.
    for role in sorted(exchange.roles, key=lambda role: exchange.roles[role] == "comrade"):
        voices = [found[each] for each in found if each in exchange.voices and stage.able(found[each])]
        name = _WAYS[exchange.roles[role]](occasion, stage, found)
        if name is None or name in found.values():
            return None  # nobody gives himself orders, or asks himself how he is
        if role in exchange.voices and not _can_talk(name, voices, occasion, stage):
            return None
        found[role] = name
    return found


def _can_talk(name: str, voices: list[str], occasion: Occasion, stage: Stage) -> bool:
    if not stage.able(name) or stage.speakers[name].side != stage.speakers[occasion.who].side:
        return False
    return all(stage.in_earshot(name, other) for other in [*voices, occasion.who])


def _leader(occasion: Occasion, stage: Stage, _: Mapping[str, str]) -> str | None:
    ranked = sorted(stage.squad(occasion.who), key=lambda mate: (-mate.rank, mate.name))
    return next((mate.name for mate in ranked if stage.able(mate.name)), None)


def _comrade(occasion: Occasion, stage: Stage, found: Mapping[str, str]) -> str | None:
    taken = {occasion.who, *found.values()}
    return next((mate.name for mate in stage.comrades(occasion.who) if mate.name not in taken), None)


def _target(occasion: Occasion, _: Stage, __: Mapping[str, str]) -> str | None:
    target = occasion.about.get("target")
    return str(target) if target is not None else None


def _ordered_to(tasks: tuple[str, ...]) -> Callable[[Occasion, Stage, Mapping[str, str]], str | None]:
    def find(occasion: Occasion, stage: Stage, _: Mapping[str, str]) -> str | None:
        orders = occasion.about.get("orders") or {}
        fitting = (name for name, order in orders.items() if _task(order) in tasks)
        return next((name for name in fitting if stage.able(name)), None)

    return find


def _task(order: object) -> str:
    """Return the first word of an order.

    >>> _task("suppress Bert"), _task("take cover at c3"), _task("")
    ('suppress', 'take', '')
    """
    return next(iter(str(order).lower().split()), "")


_WAYS: dict[str, Callable[[Occasion, Stage, Mapping[str, str]], str | None]] = {
    "who": lambda occasion, _, __: occasion.who,
    "leader": _leader,
    "comrade": _comrade,
    "target": _target,
    "mover": _ordered_to(_TO_MOVE),
    "suppressor": _ordered_to(_TO_SUPPRESS),
}


# --- dialogue laws ----------------------------------------------------------------------------------------------------
# What makes talk silly, whatever the lines say: asked before an exchange begins, and before each of its lines.


STALE = 2.5  # seconds after which an occasion is not worth beginning to talk about
GRENADE_TALK = 4.0  # seconds after which a grenade has gone off

# For how many seconds nobody comes back to the same thing about the same person.
SETTLED: dict[str, float] = {
    "hit": 8.0,  # nobody is asked for his status who has just given it
    "down": 60.0,
    "no_cover": 8.0,
    "last_man": math.inf,  # he asks for reinforcements once
    "reloading": 5.0,
    "blocked": 8.0,
    "refused": 8.0,
}


def silly(occasion: Occasion, stage: Stage) -> str | None:
    """Return why nobody should talk about an occasion as things are now; None if they may."""
    if occasion.who not in stage.speakers:
        return f"{occasion.who} is not there"
    if occasion.kind == "down":
        return f"{occasion.who} is on his feet" if stage.able(occasion.who) else None
    if not stage.able(occasion.who):
        return f"{occasion.who} is down"
    law = _LAWS.get(occasion.kind)
    return law(occasion, stage) if law else None


def _spotted(occasion: Occasion, stage: Stage) -> str | None:
    return None if stage.sees_enemy(occasion.who) else f"{occasion.who} sees no enemy"


def _unseen_by_all(occasion: Occasion, stage: Stage) -> str | None:
    sees = (mate.name for mate in stage.squad(occasion.who) if stage.sees_enemy(mate.name))
    return next((f"{name} sees an enemy" for name in sees), None)


def _unseen(occasion: Occasion, stage: Stage) -> str | None:
    return f"{occasion.who} sees an enemy" if stage.sees_enemy(occasion.who) else None


def _ordered(occasion: Occasion, stage: Stage) -> str | None:
    return None if stage.comrades(occasion.who) else f"nobody hears {occasion.who}"


def _no_cover(occasion: Occasion, stage: Stage) -> str | None:
    if stage.knows_cover(occasion.who):
        return f"{occasion.who} knows cover"
    # The occasion said that he is under fire, so only a body that says otherwise counts.
    return None if stage.flag(occasion.who, "under_fire", default=True) else f"{occasion.who} is no longer under fire"


def _last_man(occasion: Occasion, stage: Stage) -> str | None:
    others = (mate.name for mate in stage.squad(occasion.who) if mate.name != occasion.who)
    return next((f"{name} is still there" for name in others if stage.able(name)), None)


def _grenade(occasion: Occasion, stage: Stage) -> str | None:
    return "it has gone off" if stage.now - occasion.time > GRENADE_TALK else None


def _enemy_down(occasion: Occasion, stage: Stage) -> str | None:
    enemy = stage.speakers.get(str(occasion.about.get("target")))
    return f"{enemy.name} is on his feet" if enemy is not None and enemy.alive else None


_LAWS: dict[str, Callable[[Occasion, Stage], str | None]] = {
    "spotted": _spotted,
    "lost": _unseen_by_all,
    "searching": _unseen,
    "cleared": _unseen,
    "ordered": _ordered,
    "no_cover": _no_cover,
    "last_man": _last_man,
    "grenade": _grenade,
    "enemy_down": _enemy_down,
}


# --- dialogue ---------------------------------------------------------------------------------------------------------
# Dialogue: chosen after the fact from what the squad layer knows, and never what the situation makes silly.


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
