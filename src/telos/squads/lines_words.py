"""The words that lines are written with: ways to find a role, variables for conditions, and slots of texts."""

import re
from functools import lru_cache

from telos.core.state import Layout
from telos.core.values import BOOL, INT, KEYWORDS, NUMBER, Type, Variable
from telos.squads.utterances import OCCASIONS

SQUAD = "squad"  # whom a turn may be said to, other than a role
TURN_KEYS = frozenset({"if", "to", "after"})  # what stands in a turn beside its role
# The ways to find somebody for a role.
CASTING: dict[str, str] = {
    "who": "the one it happened to",
    "leader": "the highest in rank of the squad",
    "comrade": "the nearest comrade within earshot",
    "target": "the one that the occasion names as its target",
    "mover": "the first whose order is to go somewhere",
    "suppressor": "the first whose order is to suppress",
}
BEHAVIOURS = Type.of(["idle", "get_to_cover", "advance_cover", "orderly_advance", "search", "other"])
# What conditions may speak of: the squad as a whole, and every role by its own name, as in `hurt_health`.
SQUAD_VARIABLES: dict[str, tuple[Type, str]] = {
    "comrades": (INT, "how many of the side who can speak are within earshot of the one it happened to"),
    "squad_size": (INT, "how many of the squad are alive"),
    "enemies": (INT, "how many enemies the squad knows of"),
    "enemy_seen": (BOOL, "whether anybody of the squad sees an enemy"),
    "seconds_since_seen": (NUMBER, "since the squad's last news of an enemy; 999 if nobody remembers one"),
    "distance": (NUMBER, "metres from the one it happened to to the nearest enemy that he knows of; 999 if none"),
    "behaviour": (BEHAVIOURS, "the squad behaviour that the occasion is about: idle, get_to_cover, …, other"),
}
ROLE_VARIABLES: dict[str, tuple[Type, str]] = {
    "health": (NUMBER, "0 to 100"),
    "rank": (INT, "a higher one leads"),
    "under_fire": (BOOL, "whether he is being shot at"),
    "sees_enemy": (BOOL, "whether he sees an enemy right now"),
    "knows_enemy": (BOOL, "whether he remembers where an enemy was"),
    "enemies": (INT, "how many enemies he knows of"),
    "knows_cover": (BOOL, "whether he knows cover that protects"),
    "away": (NUMBER, "metres from the one it happened to"),
}
_ANY = frozenset(OCCASIONS)
# What a text may leave open, beside the names of roles: on which occasions, and what is put there.
SLOTS: dict[str, tuple[frozenset[str], str]] = {
    "enemy": (_ANY, "the enemy that the speaker knows of"),
    "count": (_ANY, "how many enemies the speaker knows of, in words"),
    "place": (_ANY, "where the grenade, room or door is; on other occasions, where the speaker sees an enemy"),
    "last_place": (_ANY, "where the speaker last knew an enemy to be"),
    "behaviour": (frozenset({"ordered", "fulfilled", "refused"}), "the squad behaviour, in words"),
    "room": (frozenset({"cleared", "searching"}), "the room's name"),
    "door": (frozenset({"blocked"}), "the door's name"),
    "why": (frozenset({"refused"}), "the reason that was given"),
}
RESERVED = frozenset({SQUAD, *TURN_KEYS, *SLOTS, *KEYWORDS})  # words that no role may be called
_SLOT = re.compile(r"\{([^{}]*)\}|([{}])")


@lru_cache(maxsize=512)  # files have few sets of roles, and a condition is compiled once for each layout
def layout_of(roles: tuple[str, ...]) -> Layout:
    """Return the variables that conditions may speak of among ``roles``."""
    own = {f"{role}_{name}": kind for role in roles for name, (kind, _) in ROLE_VARIABLES.items()}
    common = {name: kind for name, (kind, _) in SQUAD_VARIABLES.items()}
    return Layout([Variable(name, kind) for name, kind in {**common, **own}.items()])


def slots_of(text: str) -> list[tuple[str, int]]:
    """Return the slots of a text, each with where it stands; a brace that closes or opens nothing is a slot ``""``.

    >>> slots_of("{hurt}, status?")
    [('hurt', 0)]
    """
    return [(match[1] or "", match.start()) for match in _SLOT.finditer(text)]
