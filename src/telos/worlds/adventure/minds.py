"""What the minds of the adventure are made of: their domains, read once, and the kinds of character in them."""

import hashlib
from functools import cache
from pathlib import Path

from telos.agents.character import Character
from telos.core.domain import Domain
from telos.core.files.load import load
from telos.core.files.text import read_text
from telos.core.frozen import FrozenMap

MINDS = Path(__file__).parent / "data" / "minds"
KINDS = ("hunter", "guard", "stalker")
COMPANION = "companion"

# In how many seconds each kind of fact is gone.
_BEAST_FADES = FrozenMap({"player": 2.0, "blade": 1.0, "deed": 3.0, "failure": 1.0})
_COMPANION_FADES = FrozenMap({"monster": 1.0, "failure": 1.0})


@cache  # it never changes, and every game asks for it
def beast_domain() -> Domain:
    """Return what monsters live by.

    >>> [goal.name for goal in beast_domain().goals_of("guard")]
    ['stay_alive', 'defend', 'guard']
    """
    return load(MINDS / "beasts.yaml")


@cache
def companion_domain() -> Domain:
    """Return what the companion lives by.

    >>> companion_domain().goal("keep_off").priority
    40.0
    """
    return load(MINDS / "companion.yaml")


@cache
def beast_kind(kind: str) -> Character:
    """Return a kind of monster.

    >>> [action.name for action in beast_kind("stalker").actions]
    ['lurk', 'pounce', 'give-way', 'prowl']
    """
    domain = beast_domain()
    return Character(kind, domain.goals_of(kind), domain.actions_of(kind), memory=_BEAST_FADES)


@cache
def companion_kind() -> Character:
    """Return the companion's character."""
    domain = companion_domain()
    return Character(COMPANION, domain.goals_of(COMPANION), domain.actions_of(COMPANION), memory=_COMPANION_FADES)


@cache
def mind_marks() -> str:
    """Return a short text that is the same only for the same minds: games go differently with others."""
    texts = (read_text(MINDS / f"{name}.yaml") for name in ("beasts", "companion"))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]
