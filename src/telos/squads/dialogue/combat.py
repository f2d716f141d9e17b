"""``COMBAT``: what squads in a fight talk about, the vocabulary of the arena and of line files without their own.

Speakers know what is in their memories: facts of the kinds ``enemy`` (x, y, seen), ``cover`` (valid) and ``self``
(under_fire).
"""

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

from telos.agents.memory import Fact
from telos.core.values import BOOL, INT, NUMBER, FrozenMap, Type, Value
from telos.squads.dialogue.context import DialogueContext, Situation
from telos.squads.dialogue.occasions import Occasion
from telos.squads.dialogue.vocabulary import (
    GENERAL,
    DialogueVocabulary,
    OccasionKind,
    RoleVariable,
    RoleWay,
    SituationVariable,
    Slot,
    find_named,
    to_words,
)

Position: TypeAlias = tuple[float, float]

FRESH_SECONDS = 1.5  # a sighting counts as current for this long, since sensors run a few times a second
NO_MEASURE = 999.0  # the value of a distance or duration that does not exist
GRENADE_SECONDS = 4.0  # after which a grenade has exploded
PLACED_OCCASIONS = frozenset({"grenade", "cleared", "blocked"})  # occasions with a place of their own
BEHAVIOURS = Type.of(["idle", "get_to_cover", "advance_cover", "orderly_advance", "search", "other"])
_NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
# First words of orders, as squad behaviours give them.
_TO_FOLLOW = ("follow", "guard")
_TO_SUPPRESS = ("suppress",)
_TO_MOVE = ("take", "cover", "advance", "lead", "search", "go", "move")


# --- what speakers know -----------------------------------------------------------------------------------------------


def enemies(context: DialogueContext, name: str) -> list[Fact]:
    """Return a speaker's facts about enemies that may be alive, latest first."""
    me = context.speakers[name]
    known = [fact for fact in me.memory.all_of("enemy", context.now) if _may_live(context, fact.subject)]
    return sorted(known, key=lambda fact: (-fact.time, fact.subject))


def _may_live(context: DialogueContext, enemy: str) -> bool:
    return enemy not in context.speakers or context.speakers[enemy].alive


def is_seen(context: DialogueContext, fact: Fact) -> bool:
    """Whether a fact about an enemy is a current sighting."""
    return bool(fact.get("seen", False)) and context.now - fact.time <= FRESH_SECONDS


def sees_enemy(context: DialogueContext, name: str) -> bool:
    """Whether a speaker has an enemy in sight."""
    return any(is_seen(context, fact) for fact in enemies(context, name))


def self_flag(context: DialogueContext, name: str, what: str, *, default: bool = False) -> bool:
    """Return a flag of a speaker's own body, such as ``under_fire``."""
    own = context.speakers[name].memory.recall("self", name, context.now)
    return default if own is None else bool(own.get(what, default))


def knows_cover(context: DialogueContext, name: str) -> bool:
    """Whether a speaker knows valid cover."""
    return any(fact.get("valid", True) for fact in context.speakers[name].memory.all_of("cover", context.now))


def _position(known: Mapping[str, Value]) -> Position | None:
    x, y = known.get("x"), known.get("y")
    return None if x is None or y is None else (float(x), float(y))


# --- variables --------------------------------------------------------------------------------------------------------


def _squad_enemies(situation: Situation) -> list[Fact]:
    """Return all facts of the squad about enemies."""
    context = situation.context
    return [fact for mate in context.squad_members(situation.occasion.who) for fact in enemies(context, mate.name)]


def _enemy_seen(situation: Situation) -> bool:
    return any(is_seen(situation.context, fact) for fact in _squad_enemies(situation))


def _since_seen(situation: Situation) -> float:
    last = max((fact.time for fact in _squad_enemies(situation)), default=-math.inf)
    return min(NO_MEASURE, situation.context.now - last)


def _enemy_distance(situation: Situation) -> float:
    context, who = situation.context, situation.occasion.who
    places = (_position(fact.attributes) for fact in enemies(context, who))
    here = context.speakers[who].position
    return min((math.dist(here, there) for there in places if there is not None), default=NO_MEASURE)


def _behaviour(situation: Situation) -> str:
    said = str(situation.occasion.about.get("behaviour") or "idle").replace("-", "_")
    return said if said in BEHAVIOURS.labels else "other"


_VARIABLES = {
    "squad_size": SituationVariable(
        INT, "how many of the squad are alive", lambda it: len(it.context.squad_members(it.occasion.who)), 0
    ),
    "enemies": SituationVariable(
        INT, "how many enemies the squad knows of", lambda it: len({fact.subject for fact in _squad_enemies(it)}), 0
    ),
    "enemy_seen": SituationVariable(BOOL, "whether anybody of the squad sees an enemy", _enemy_seen, False),
    "seconds_since_seen": SituationVariable(
        NUMBER, "since the squad's last news of an enemy; 999 if nobody remembers one", _since_seen, NO_MEASURE
    ),
    "distance": SituationVariable(
        NUMBER,
        "metres from the one it happened to to the nearest enemy that he knows of; 999 if none",
        _enemy_distance,
        NO_MEASURE,
    ),
    "behaviour": SituationVariable(
        BEHAVIOURS, "the squad behaviour that the occasion is about: idle, get_to_cover, …, other", _behaviour, "idle"
    ),
}
_ROLE_VARIABLES = {
    "health": RoleVariable(NUMBER, "0 to 100", lambda it, who: it.context.speakers[who].health, 0.0),
    "rank": RoleVariable(INT, "a higher one leads", lambda it, who: it.context.speakers[who].rank, 0),
    "under_fire": RoleVariable(
        BOOL, "whether he is being shot at", lambda it, who: self_flag(it.context, who, "under_fire"), False
    ),
    "sees_enemy": RoleVariable(
        BOOL, "whether he sees an enemy right now", lambda it, who: sees_enemy(it.context, who), False
    ),
    "knows_enemy": RoleVariable(
        BOOL, "whether he remembers where an enemy was", lambda it, who: bool(enemies(it.context, who)), False
    ),
    "enemies": RoleVariable(INT, "how many enemies he knows of", lambda it, who: len(enemies(it.context, who)), 0),
    "knows_cover": RoleVariable(
        BOOL, "whether he knows cover that protects", lambda it, who: knows_cover(it.context, who), False
    ),
}


# --- slots ------------------------------------------------------------------------------------------------------------


def _count(situation: Situation, speaker: str) -> str | None:
    known = len(enemies(situation.context, speaker))
    return None if not known else _NUMBERS[known] if known < len(_NUMBERS) else "a dozen"


def _enemy(situation: Situation, speaker: str) -> str | None:
    return next((fact.subject for fact in enemies(situation.context, speaker)), None)


def _place(situation: Situation, speaker: str) -> str | None:
    """Return a place as text: that of the occasion, or where the speaker sees an enemy."""
    occasion, context = situation.occasion, situation.context
    if occasion.kind not in PLACED_OCCASIONS:
        return _enemy_place(situation, speaker, fresh=True)
    there = _position(occasion.about)
    here = context.speakers[speaker].position
    return to_words(occasion.about.get("place")) or (context.describe_place(here, there) if there else None)


def _last_place(situation: Situation, speaker: str) -> str | None:
    return _enemy_place(situation, speaker, fresh=False)


def _enemy_place(situation: Situation, speaker: str, *, fresh: bool) -> str | None:
    """Return as text where the speaker knows an enemy to be, or to have been."""
    context = situation.context
    for fact in enemies(context, speaker):
        there = _position(fact.attributes)
        if there is not None and (is_seen(context, fact) or not fresh):
            return context.describe_place(context.speakers[speaker].position, there)
    return None


def _told(what: str) -> Callable[[Situation, str], str | None]:
    return lambda situation, _: to_words(situation.occasion.about.get(what))


_SLOTS = {
    "enemy": Slot("the enemy that the speaker knows of", _enemy),
    "count": Slot("how many enemies the speaker knows of, in words", _count),
    "place": Slot("where the grenade, room or door is; on other occasions, where the speaker sees an enemy", _place),
    "last_place": Slot("where the speaker last knew an enemy to be", _last_place),
    "behaviour": Slot(
        "the squad behaviour, in words", _told("behaviour"), frozenset({"ordered", "fulfilled", "refused"})
    ),
    "room": Slot("the room's name", _told("room"), frozenset({"cleared", "searching"})),
    "door": Slot("the door's name", _told("door"), frozenset({"blocked"})),
    "why": Slot("the reason that was given", _told("why"), frozenset({"refused"})),
}


# --- roles ------------------------------------------------------------------------------------------------------------


def _find_ordered(tasks: tuple[str, ...]) -> Callable[[Occasion, DialogueContext, Mapping[str, str]], str | None]:
    def find(occasion: Occasion, context: DialogueContext, _: Mapping[str, str]) -> str | None:
        orders = occasion.about.get("orders") or {}
        fitting = (name for name, order in orders.items() if _first_word(order) in tasks)
        return next((name for name in fitting if context.can_speak(name)), None)

    return find


def _first_word(order: object) -> str:
    """Return the first word of an order.

    >>> _first_word("suppress Bert"), _first_word("take cover at c3"), _first_word("")
    ('suppress', 'take', '')
    """
    return next(iter(str(order).lower().split()), "")


def _find_target(occasion: Occasion, context: DialogueContext, found: Mapping[str, str]) -> str | None:
    return find_named("target", occasion, context, found)


_WAYS = {
    "target": RoleWay("the one that the occasion names as its target", _find_target),
    "mover": RoleWay("the first whose order is to go somewhere", _find_ordered(_TO_MOVE)),
    "follower": RoleWay("the first whose order is to follow somebody", _find_ordered(_TO_FOLLOW)),
    "suppressor": RoleWay("the first whose order is to suppress", _find_ordered(_TO_SUPPRESS)),
}


# --- when not to talk -------------------------------------------------------------------------------------------------


def _spotted(occasion: Occasion, context: DialogueContext) -> str | None:
    return None if sees_enemy(context, occasion.who) else f"{occasion.who} sees no enemy"


def _unseen_by_all(occasion: Occasion, context: DialogueContext) -> str | None:
    sees = (mate.name for mate in context.squad_members(occasion.who) if sees_enemy(context, mate.name))
    return next((f"{name} sees an enemy" for name in sees), None)


def _unseen(occasion: Occasion, context: DialogueContext) -> str | None:
    return f"{occasion.who} sees an enemy" if sees_enemy(context, occasion.who) else None


def _ordered(occasion: Occasion, context: DialogueContext) -> str | None:
    return None if context.comrades(occasion.who) else f"nobody hears {occasion.who}"


def _no_cover(occasion: Occasion, context: DialogueContext) -> str | None:
    if knows_cover(context, occasion.who):
        return f"{occasion.who} knows cover"
    # The occasion implies that he is under fire, unless his body reports otherwise.
    is_under_fire = self_flag(context, occasion.who, "under_fire", default=True)
    return None if is_under_fire else f"{occasion.who} is no longer under fire"


def _last_man(occasion: Occasion, context: DialogueContext) -> str | None:
    others = (mate.name for mate in context.squad_members(occasion.who) if mate.name != occasion.who)
    return next((f"{name} is still there" for name in others if context.can_speak(name)), None)


def _grenade(occasion: Occasion, context: DialogueContext) -> str | None:
    return "it has gone off" if context.now - occasion.time > GRENADE_SECONDS else None


def _enemy_down(occasion: Occasion, context: DialogueContext) -> str | None:
    enemy = context.speakers.get(str(occasion.about.get("target")))
    return f"{enemy.name} is on his feet" if enemy is not None and enemy.alive else None


_OCCASIONS = {
    "hit": OccasionKind("was hit", settled=8.0),  # the person has just reported
    "down": OccasionKind("went down", is_urgent=True, mutes=True, settled=60.0),
    "spotted": OccasionKind("spotted an enemy", silence=_spotted),
    "lost": OccasionKind("lost sight of the enemy", silence=_unseen_by_all),
    "grenade": OccasionKind("noticed a grenade", is_urgent=True, silence=_grenade),
    "ordered": OccasionKind("was given orders", silence=_ordered),
    "fulfilled": OccasionKind("carried out orders"),
    "no_cover": OccasionKind("is under fire and knows no cover", settled=8.0, silence=_no_cover),
    "last_man": OccasionKind("is the last one left", settled=math.inf, silence=_last_man),  # help is requested once
    "reloading": OccasionKind("is reloading", settled=5.0),
    "searching": OccasionKind("is searching", silence=_unseen),
    "cleared": OccasionKind("found a room empty", silence=_unseen),
    "enemy_down": OccasionKind("saw an enemy go down", silence=_enemy_down),
    "blocked": OccasionKind("found the way blocked", settled=8.0),
    "refused": OccasionKind("had more pressing things to do than an order", settled=8.0),
}

COMBAT = DialogueVocabulary(
    FrozenMap(_OCCASIONS),
    FrozenMap({**GENERAL.ways, **_WAYS}),
    FrozenMap({**GENERAL.variables, **_VARIABLES}),
    FrozenMap({**_ROLE_VARIABLES, **GENERAL.role_variables}),
    FrozenMap(_SLOTS),
)
