"""Commands: ``go PLACE``, the name of an action, ``say WORDS`` or ``wait``; checked before anything happens."""

from collections.abc import Collection
from dataclasses import dataclass

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.core.state import State
from telos.worlds.forge.domain import ASK, TO
from telos.worlds.forge.map import Village

GO, SAY, WAIT = "go", "say", "wait"


@dataclass(frozen=True, slots=True)
class Command:
    """What somebody is told to do: exactly one of a place to go to, a deed, words to say, and waiting."""

    place: str = ""
    deed: Action | None = None
    words: str = ""


def deeds_of(domain: Domain, role: str) -> dict[str, Action]:
    """Return what hands can do, by name; what is said or walked is not among it.

    >>> from telos.worlds.forge.domain import the_domain
    >>> "pan-gold" in deeds_of(the_domain(), "player"), "ask-fire" in deeds_of(the_domain(), "player")
    (True, False)
    """
    return {each.name: each for each in domain.actions_of(role) if not each.name.startswith((TO, ASK))}


def read_command(said: str, deeds: dict[str, Action], village: Village, state: State, *, is_walking: bool) -> Command:
    """Return what a command means, or refuse what makes no sense now."""
    verb, _, rest = said.strip().partition(" ")
    if verb == GO:
        return Command(place=village.known(rest.strip()))
    if verb == SAY:
        if not rest.strip():
            raise TelosError("there is nothing to say", "write the words after `say`")
        return Command(words=rest.strip())
    if said.strip() == WAIT:
        if is_walking:
            raise TelosError("cannot wait between two places", "go to one of them")
        return Command()
    if said.strip() not in deeds:
        raise TelosError(f"there is no command {said!r}", name_hint(said, _known(deeds)))
    deed = deeds[said.strip()]
    if is_walking:
        raise TelosError(f"cannot {deed} now: on the way from {state['at']}", "go somewhere first")
    unmet = deed.preconditions.unmet(state)
    if unmet:
        raise TelosError(f"cannot {deed} now: it needs {' and '.join(map(str, unmet))}")
    return Command(deed=deed)


def _known(deeds: Collection[str]) -> list[str]:
    return [f"{GO} PLACE", f"{SAY} WORDS", WAIT, *deeds]
