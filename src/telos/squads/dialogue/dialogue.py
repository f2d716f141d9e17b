"""Dialogue: chooses exchanges for occasions, casts their roles, and speaks their lines while they fit.

Start with `Dialogue`, or with `say` for a conversation at once. Casting and the rules for silence follow below it.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from telos.core.errors import TelosError
from telos.core.state import Layout
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap, Value, ValueKind
from telos.files import Count, Finite, Items, Row, SavedTree, SnapshotModel, SnapshotPart, read_snapshot
from telos.files.restoring import Omission, RandomState, SnapshotCheck, read_random, save_random
from telos.squads.dialogue.context import DescribePlace, DialogueContext, Situation, describe_direction
from telos.squads.dialogue.exchanges import Exchange, Lines, Turn, addressed_role
from telos.squads.dialogue.occasions import ConversationBrokenOff, Occasion, Speaker
from telos.squads.dialogue.vocabulary import DialogueVocabulary
from telos.squads.squad import LineSpoken

MIN_LINE_SECONDS = 1.2  # duration of the shortest line
SECONDS_PER_LETTER = 0.06  # duration of longer lines
STALE_SECONDS = 2.5  # an older occasion starts no conversation


# --- conversations ---


@dataclass(frozen=True, slots=True)
class PendingOccasion:
    """An occasion not talked about yet; ``passed`` are the exchanges that chance has rejected."""

    occasion: Occasion
    passed: frozenset[str] = frozenset()

    def save(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"occasion": save_occasion(self.occasion), "passed": sorted(self.passed)}

    @classmethod
    def from_saved(cls, check: SnapshotCheck, saved: "PendingSnapshot", lines: Lines) -> "PendingOccasion":
        occasion = read_occasion(check.at("occasion"), saved.occasion, lines.vocabulary)
        return cls(occasion, frozenset(saved.passed))


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation: its exchange and cast, the next turn and its time. ``missing`` can no longer answer."""

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
        """Return the turns of the exchange, or those for a missing answer."""
        return exchange.turns if self.missing is None else exchange.unanswered

    def to_next_speaker(self, exchange: Exchange) -> "Conversation":
        """Return the conversation at the next turn of another role; turns before it are alternatives."""
        turns = self.turns(exchange)
        others = (i for i in range(self.next, len(turns)) if turns[i].role != turns[self.next].role)
        return replace(self, next=next(others, len(turns)))

    def addressee(self, exchange: Exchange) -> str | None:
        """Return the hearer of the next turn; None for the whole squad."""
        in_order = self.missing is None
        return self.cast.get(
            exchange.addressee(self.next) if in_order else addressed_role(exchange.unanswered[self.next])
        )

    def save(self) -> dict[str, Any]:
        """Return it as plain data."""
        own = {"exchange": self.exchange, "due": self.due, "next": self.next, "spoken": self.spoken}
        cast = [[role, name] for role, name in self.cast.items()]
        return {**own, "missing": self.missing, "cast": cast, "occasion": save_occasion(self.occasion)}

    @classmethod
    def from_saved(cls, check: SnapshotCheck, saved: "TalkSnapshot", lines: Lines) -> "Conversation":
        """Return a saved conversation, if the lines still have its exchange, its roles and its turn."""
        check.known(("exchange",), saved.exchange, {each.name for each in lines}, "exchange")
        exchange, cast = lines[saved.exchange], dict(saved.cast)
        for role in exchange.roles:
            check.require(role in cast, ("cast",), f"lacks the role {role!r}")
        for role in cast:
            check.known(("cast",), role, exchange.roles, "role")
        occasion = read_occasion(check.at("occasion"), saved.occasion, lines.vocabulary)
        talk = cls(saved.exchange, occasion, FrozenMap(cast), saved.due, saved.next, saved.spoken, saved.missing)
        turns = len(talk.turns(exchange))
        check.require(saved.next <= turns, ("next",), f"is {saved.next}, and there are {turns} turns")
        return talk


class OccasionSnapshot(SnapshotPart):
    """A saved occasion."""

    kind: str
    time: Finite
    who: str
    about: dict[str, SavedTree]


class PendingSnapshot(SnapshotPart):
    """A saved occasion that nobody has talked about yet."""

    occasion: OccasionSnapshot
    passed: Items[str]


class TalkSnapshot(SnapshotPart):
    """A saved conversation."""

    exchange: str
    due: Finite
    next: Count
    spoken: Count
    missing: str | None
    cast: Items[Row[tuple[str, str]]]
    occasion: OccasionSnapshot


class DialogueSnapshot(SnapshotModel):
    """What a dialogue saves."""

    now: Finite | None
    waiting: Items[PendingSnapshot]
    talks: Items[Row[tuple[str, TalkSnapshot]]]
    squads: dict[str, str]
    ready: Items[Row[tuple[str, str, Finite]]]
    told: Items[Row[tuple[str, str, Finite]]]
    speaking: dict[str, Finite]
    last: dict[str, str]
    rng: RandomState


def save_occasion(occasion: Occasion) -> dict[str, Any]:
    return {"kind": occasion.kind, "time": occasion.time, "who": occasion.who, "about": _plain(occasion.about)}


def read_occasion(check: SnapshotCheck, saved: OccasionSnapshot, vocabulary: DialogueVocabulary) -> Occasion:
    """Return a saved occasion, with the values that its talk reads."""
    check.known(("kind",), saved.kind, vocabulary.occasions, "occasion")
    about = saved.about
    for name, kind in vocabulary.about(saved.kind).items():
        value = about.get(name)
        fits = isinstance(value, str) if kind.kind is ValueKind.HANDLE else kind.accepts(value)
        check.require(fits, ("about", name), f"must be {kind}, got {value!r}")
    for key in ("x", "y"):
        value = about.get(key)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        check.require(value is None or is_number, ("about", key), f"must be a number, got {value!r}")
    orders = about.get("orders")
    check.require(orders is None or isinstance(orders, Mapping), ("about", "orders"), f"cannot be {orders!r}")
    return Occasion(saved.kind, saved.time, saved.who, FrozenMap(about))


def _plain(value: Value) -> Value:
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, tuple | list) else value


# --- dialogue ---


class Dialogue:
    """Turns occasions into conversations, one at a time in each squad, with lines that still fit when they are due.

    ``notice`` receives occasions; ``tick`` returns the lines spoken now. Voices are left to the game.
    ``describe_place`` returns the text for a place seen from another; a game with named places passes its own.
    """

    def __init__(
        self, lines: Lines, *, rng: Random, describe_place: DescribePlace = describe_direction, trace: Trace = silent
    ) -> None:
        self._vocabulary = lines.vocabulary
        self._lines, self._rng, self._describe_place, self._trace = lines, rng, describe_place, trace
        self._now = -math.inf
        self._waiting: list[PendingOccasion] = []
        self._talks: dict[str, Conversation] = {}  # by squad
        self._squads: dict[str, str] = {}  # the last known squad of each, for the dead
        self._ready: dict[tuple[str, str], float] = {}  # when a squad may repeat an exchange
        self._settled: dict[tuple[str, str], float] = {}  # when a kind of occasion was last talked about, by person
        self._speaking: dict[str, float] = {}  # until when each speaks
        self._last: dict[str, str] = {}  # the last variation of each turn

    def notice(self, occasion: Occasion) -> None:
        """Add an occasion; it is talked about within moments or not at all."""
        self._waiting.append(PendingOccasion(self._vocabulary.check(occasion)))

    def tick(
        self,
        speakers: Mapping[str, Speaker] | Iterable[Speaker],
        now: float,
        *,
        squads: Mapping[str, str] | None = None,
        values: Mapping[str, Value] | None = None,
    ) -> list[LineSpoken]:
        """Return the lines spoken now.

        ``speakers`` are all who may speak, including the dead; ``squads`` names the squad of each. Speakers without a
        squad form one with the rest of their side. ``values`` are the variables that the line file declares.
        """
        if not (math.isfinite(now) and now >= self._now):
            raise TelosError(f"the time {now!r} is before {self._now!r}", "pass increasing seconds")
        self._now = now
        self._squads.update(squads or {})
        people = speakers if isinstance(speakers, Mapping) else {each.name: each for each in speakers}
        for name in values or {}:
            self._vocabulary.check_given(name)
        context = DialogueContext(people, self._squads, now, self._vocabulary, self._describe_place, values or {})
        self._waiting = [each for each in self._waiting if now - each.occasion.time <= STALE_SECONDS]
        for squad, talk in [*self._talks.items()]:
            if now >= talk.due and talk.turn(self._lines[talk.exchange]) is None:
                del self._talks[squad]
        self._begin(context)
        said = [line for squad in [*self._talks] for line in self._continue(squad, context)]
        for line in said:
            self._trace(line)
        return said

    def withdraw(self, kind: str, squad: str, why: str) -> None:
        """Drop what is no longer true: occasions of a kind in a squad, and a conversation about one."""
        self._waiting = [
            each for each in self._waiting if each.occasion.kind != kind or self._squads.get(each.occasion.who) != squad
        ]
        talk = self._talks.get(squad)
        if talk is not None and talk.occasion.kind == kind:
            self._break_off(squad, why)

    @property
    def next_due(self) -> float | None:
        """Return when a conversation goes on or ends; None if nobody talks."""
        return min((talk.due for talk in self._talks.values()), default=None)

    def _begin(self, context: DialogueContext) -> None:
        """Begin the first exchange that fits in each squad that is free or has something urgent to say."""
        waiting = [each for each in self._waiting if each.occasion.time <= context.now]
        waiting = [
            each
            for each in waiting
            if not self._is_settled(each.occasion) and not reason_for_silence(each.occasion, context)
        ]
        if not waiting:
            return
        by_squad: dict[str, list[PendingOccasion]] = {}
        for each in sorted(waiting, key=lambda each: each.occasion.time):
            by_squad.setdefault(context.squad_of(each.occasion.who), []).append(each)
        for squad, chances in by_squad.items():
            current = self._talks.get(squad)
            if current is not None:
                may_interrupt = not self._is_urgent(current.occasion)
                chances = [each for each in chances if may_interrupt and self._is_urgent(each.occasion)]
            self._begin_one(squad, chances, context)

    def _begin_one(self, squad: str, waiting: list[PendingOccasion], context: DialogueContext) -> None:
        kinds = {each.occasion.kind for each in waiting}
        for exchange in (each for each in self._lines if each.on in kinds):
            if self._ready.get((squad, exchange.name), -math.inf) > context.now:
                continue
            for each in (each for each in waiting if each.occasion.kind == exchange.on):
                talk = self._try_exchange(exchange, each, context)
                if talk is not None:
                    self._waiting = [other for other in self._waiting if other.occasion is not each.occasion]
                    self._break_off(squad, "something more urgent came up")
                    self._talks[squad] = talk
                    return

    def _try_exchange(
        self, exchange: Exchange, waiting: PendingOccasion, context: DialogueContext
    ) -> Conversation | None:
        """Return a conversation about an occasion by this exchange, if it fits and chance allows it."""
        found = None if exchange.name in waiting.passed else cast_roles(exchange, waiting.occasion, context)
        if found is None:
            return None
        situation = Situation(context, waiting.occasion, found)
        layout = self._lines.layout(exchange)
        if not situation.holds(exchange.condition, layout) or not _has_opening(exchange, situation, layout):
            return None
        if exchange.chance < 1 and self._rng.random() >= exchange.chance:
            passed = replace(waiting, passed=waiting.passed | {exchange.name})
            # Chance is drawn once; drawn at every tick, it would always succeed in the end.
            self._waiting = [passed if each.occasion is waiting.occasion else each for each in self._waiting]
            return None
        return Conversation(exchange.name, waiting.occasion, FrozenMap(found), due=context.now)

    def _continue(self, squad: str, context: DialogueContext) -> Iterator[LineSpoken]:
        """Yield the next line of a conversation, if one is due and fits."""
        talk = self._talks[squad]
        exchange = self._lines[talk.exchange]
        layout = self._lines.layout(exchange)
        while talk.turn(exchange) is not None and context.now >= talk.due:
            situation = Situation(context, talk.occasion, talk.cast)
            talk, turn = _choose_turn(talk, exchange, situation, layout)
            missing = self._missing(talk, exchange, turn, context)
            if missing and talk.missing is None and talk.spoken and exchange.unanswered:
                talk = replace(talk, missing=missing, next=0, due=context.now + exchange.unanswered[0].after)
                continue
            why = f"{missing} is down" if missing else self._reason_to_break_off(talk, exchange, turn, situation)
            if why is not None:
                self._break_off(squad, why)
                return
            if not situation.holds(turn.condition, layout):
                talk = talk.to_next_speaker(exchange)
                continue
            if self._speaking.get(talk.cast[turn.role], -math.inf) > context.now:
                break  # the speaker has not finished the last line
            line = self._speak(talk, exchange, turn, _fill_variations(turn, situation))
            self._talks[squad] = self._advance(squad, talk, exchange, line)
            yield line
            return
        self._talks[squad] = talk

    def _missing(self, talk: Conversation, exchange: Exchange, turn: Turn, context: DialogueContext) -> str | None:
        """Return the next speaker or hearer who can no longer speak."""
        needed = (talk.cast[turn.role], talk.addressee(exchange))
        return next((name for name in needed if name is not None and not context.can_speak(name)), None)

    def _reason_to_break_off(
        self, talk: Conversation, exchange: Exchange, turn: Turn, situation: Situation
    ) -> str | None:
        """Return why the next line must not be spoken, or None."""
        context, speaker, hearer = situation.context, talk.cast[turn.role], talk.addressee(exchange)
        if hearer is not None and not context.in_earshot(speaker, hearer):
            return f"{hearer} is out of earshot"
        if talk.missing is not None and context.can_speak(talk.missing):
            return f"{talk.missing} is back on his feet"
        if not talk.spoken and context.now - talk.occasion.time > STALE_SECONDS:
            return "it is no news any more"
        if situation.holds(turn.condition, self._lines.layout(exchange)) and not _fill_variations(turn, situation):
            return f"{speaker} does not know enough to say it"  # skipping it would leave a reply without a question
        return reason_for_silence(talk.occasion, context) if talk.missing is None else None

    def _speak(self, talk: Conversation, exchange: Exchange, turn: Turn, texts: Mapping[str, str]) -> LineSpoken:
        key = f"{exchange.name} {'lines' if talk.missing is None else 'unanswered'} {talk.next}"
        fresh = [variation for variation in texts if variation != self._last.get(key)]
        self._last[key] = self._rng.choice(fresh or [*texts])
        text = texts[self._last[key]]
        who, to = talk.cast[turn.role], talk.addressee(exchange)
        return LineSpoken(self._now, who, to, text, exchange.name, self._vocabulary.describe(talk.occasion))

    def _advance(self, squad: str, talk: Conversation, exchange: Exchange, line: LineSpoken) -> Conversation:
        """Return the conversation after a line, which takes a while to speak."""
        end = self._speaking[line.who] = self._now + max(MIN_LINE_SECONDS, SECONDS_PER_LETTER * len(line.text))
        self._ready[squad, exchange.name] = self._now + exchange.cooldown
        self._settled[talk.occasion.kind, talk.occasion.who] = self._now
        if talk.missing is not None:
            for kind in (name for name, each in self._vocabulary.occasions.items() if each.mutes):
                self._settled[kind, talk.missing] = self._now  # otherwise the death would be reported twice
        then = replace(talk.to_next_speaker(exchange), spoken=talk.spoken + 1, due=end)
        turn = then.turn(exchange)
        return then if turn is None else replace(then, due=end + turn.after)

    def _break_off(self, squad: str, why: str) -> None:
        talk = self._talks.pop(squad, None)
        if talk is not None and talk.spoken:
            self._trace(ConversationBrokenOff(self._now, talk.exchange, why))

    def _is_urgent(self, occasion: Occasion) -> bool:
        return self._vocabulary.kind(occasion.kind).is_urgent

    def _is_settled(self, occasion: Occasion) -> bool:
        time = self._settled.get((occasion.kind, occasion.who))
        return time is not None and self._now - time < self._vocabulary.kind(occasion.kind).settled

    def save(self) -> dict[str, Any]:
        """Return all state as plain data."""
        return {
            "now": None if self._now == -math.inf else self._now,
            "waiting": [each.save() for each in self._waiting],
            "talks": [[squad, talk.save()] for squad, talk in self._talks.items()],
            "squads": dict(self._squads),
            "ready": [[*key, time] for key, time in self._ready.items()],
            "told": [[*key, time] for key, time in self._settled.items()],
            "speaking": dict(self._speaking),
            "last": dict(self._last),
            "rng": save_random(self._rng),
        }

    def restore(self, saved: Mapping[str, Any], *, lenient: bool = False) -> tuple[Omission, ...]:
        """Restore a saved dialogue with the same lines; faulty data raises a ``TelosError`` and changes nothing.

        With ``lenient``, conversations whose exchange is gone or has other turns are left out, and returned.
        """
        check = SnapshotCheck("dialogue", lenient=lenient)
        read = read_snapshot(DialogueSnapshot, saved, of="dialogue")
        with check.sound():
            self.read(check, read)()
        return tuple(check.omissions)

    def read(
        self, check: SnapshotCheck, saved: DialogueSnapshot, speakers: Collection[str] | None = None
    ) -> Callable[[], None]:
        """Check a saved dialogue, and return what puts it into place; ``speakers`` are those who may talk, if known."""
        talks: dict[str, Conversation] = {}
        for place, (squad, each) in enumerate(saved.talks):
            with check.part(squad, f"the conversation {each.exchange!r}"):
                talk = Conversation.from_saved(check.at("talks", place, 1), each, self._lines)
                check.require(squad not in talks, ("talks", place), "is a second conversation of one squad")
                for name in (*talk.cast.values(), talk.occasion.who) if speakers is not None else ():
                    check.known(("talks", place, 1), name, speakers or (), "speaker")
                talks[squad] = talk
        waiting = []
        for place, pending in enumerate(saved.waiting):
            with check.part(pending.occasion.who, f"the occasion {pending.occasion.kind!r}"):
                waiting.append(PendingOccasion.from_saved(check.at("waiting", place), pending, self._lines))
        state = read_random(check, ("rng",), saved.rng).getstate()

        def put() -> None:
            self._now = -math.inf if saved.now is None else saved.now
            self._waiting, self._talks = waiting, talks
            self._squads, self._speaking, self._last = dict(saved.squads), dict(saved.speaking), dict(saved.last)
            self._ready, self._settled = _read_pairs(saved.ready), _read_pairs(saved.told)
            self._rng.setstate(state)

        return put


def say(
    lines: Lines,
    occasion: Occasion,
    speakers: Mapping[str, Speaker] | Iterable[Speaker],
    *,
    rng: Random,
    values: Mapping[str, Value] | None = None,
) -> tuple[LineSpoken, ...]:
    """Return the whole conversation about an occasion, as it goes while nothing else happens; empty if there is none.

    A game that goes on meanwhile keeps a ``Dialogue``.
    """
    people = dict(speakers) if isinstance(speakers, Mapping) else {each.name: each for each in speakers}
    dialogue = Dialogue(lines, rng=rng)
    dialogue.notice(occasion)
    spoken = dialogue.tick(people, occasion.time, values=values)
    while (due := dialogue.next_due) is not None:
        spoken += dialogue.tick(people, due, values=values)
    return tuple(spoken)


def _has_opening(exchange: Exchange, situation: Situation, layout: Layout) -> bool:
    """Whether a first turn can be spoken."""
    fitting = (turn for turn in exchange.turns if situation.holds(turn.condition, layout))
    first = next(fitting, None)
    others = (turn for turn in fitting if first is not None and turn.role == first.role)
    return first is not None and any(_fill_variations(turn, situation) for turn in (first, *others))


def _choose_turn(
    talk: Conversation, exchange: Exchange, situation: Situation, layout: Layout
) -> tuple[Conversation, Turn]:
    """Return the conversation at the first alternative of the next turn that fits, if possible one to be filled."""
    turns = talk.turns(exchange)
    alternatives = range(talk.next, talk.to_next_speaker(exchange).next)
    if not situation.context.can_speak(talk.cast[turns[talk.next].role]):
        return talk, turns[talk.next]
    fitting = [i for i in alternatives if situation.holds(turns[i].condition, layout)]
    sayable = (i for i in fitting if _fill_variations(turns[i], situation))
    chosen = next(sayable, next(iter(fitting), talk.next))
    return replace(talk, next=chosen), turns[chosen]


def _fill_variations(turn: Turn, situation: Situation) -> dict[str, str]:
    """Return the variations of a turn that the speaker can fill, with their texts."""
    speaker = situation.cast[turn.role]
    filled = ((variation, situation.fill(variation, speaker)) for variation in turn.variations)
    return {variation: text for variation, text in filled if text is not None}


def _read_pairs(saved: Iterable[Any]) -> dict[tuple[str, str], float]:
    return {(first, second): time for first, second, time in saved}


# --- casting ---


def cast_roles(exchange: Exchange, occasion: Occasion, context: DialogueContext) -> dict[str, str] | None:
    """Return the speaker of each role, all different; None if a role cannot be filled."""
    found: dict[str, str] = {}
    # Comrades come last, whatever the order in the file: they take the remaining roles.
    ways = context.vocabulary.ways_on(exchange.on)
    for role in sorted(exchange.roles, key=lambda role: ways[exchange.roles[role]].fills_up):
        voices = [found[each] for each in found if each in exchange.voices and context.can_speak(found[each])]
        name = ways[exchange.roles[role]].find(occasion, context, found)
        if name is None or name in found.values():
            return None  # roles have different speakers
        if role in exchange.voices and not _can_talk(name, voices, occasion, context):
            return None
        found[role] = name
    return found


def _can_talk(name: str, voices: list[str], occasion: Occasion, context: DialogueContext) -> bool:
    if not context.can_speak(name) or context.speakers[name].side != context.speakers[occasion.who].side:
        return False
    return all(context.in_earshot(name, other) for other in [*voices, occasion.who])


# --- when not to talk ---


def reason_for_silence(occasion: Occasion, context: DialogueContext) -> str | None:
    """Return why an occasion must not be talked about now, whatever the lines; None if it may."""
    if occasion.who not in context.speakers:
        return f"{occasion.who} is not there"
    kind = context.vocabulary.kind(occasion.kind)
    if kind.mutes:
        return f"{occasion.who} is on his feet" if context.can_speak(occasion.who) else None
    if not context.can_speak(occasion.who):
        return f"{occasion.who} is down"
    return kind.silence(occasion, context) if kind.silence else None
