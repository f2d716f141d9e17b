"""How the companion reads the player: by planning with the domain that all plan with, or by parsing with a grammar."""

from functools import cache

from telos.recognition.files.front import recognizer
from telos.recognition.grammar.load import load_grammar
from telos.recognition.grammar.plan_grammar import PlanGrammar
from telos.recognition.grammar.reader import PlanGrammarReader
from telos.recognition.recognizer import Recognizer
from telos.worlds.forge.domain import DATA, PLANS
from telos.worlds.forge.forge import PLAYER, Forge

TEMPERATURE = 5.0  # seconds that a player may waste before a plan becomes e times less likely
LASTS = 7.0  # deeds, on average, after which a plan is thought better of; so what was wasted long ago counts less


def by_planning(world: Forge) -> Recognizer:
    """Return a recogniser that reads the player with the very domain that everybody here plans with."""
    return recognizer(
        world.domain,
        goals=list(PLANS),
        actions=PLAYER,
        start=world.state_of(PLAYER),
        temperature=TEMPERATURE,
        lasts=LASTS,
        sees_all=True,
    )


def by_parsing(world: Forge) -> Recognizer:
    """Return a recogniser that parses what the player does with the grammar of plans that comes with the scene."""
    return PlanGrammarReader(the_grammar())


@cache  # it never changes, and any number of readers may share it
def the_grammar() -> PlanGrammar:
    """Return the player's plans as a grammar.

    >>> reader = PlanGrammarReader(the_grammar())
    >>> from telos.core.event import Event
    >>> for action in ("to-square", "to-bridge", "to-river"):
    ...     belief = reader.observe(Event(action))
    >>> belief.top, next(iter(reader.next_actions()))
    ('key', 'pan-gold')
    """
    return load_grammar(DATA / "grammar.yaml")


READERS = {"reads": by_planning, "parses": by_parsing}


def foreseen(reader: Recognizer | None) -> tuple[str, float] | None:
    """Return the action that is likeliest next, and how likely, if that is a reader who can tell."""
    if not isinstance(reader, PlanGrammarReader):
        return None
    return next(iter(reader.next_actions().items()), None)
