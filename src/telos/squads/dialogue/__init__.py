"""Dialogue: lines that fit what happened, chosen after the fact and dropped when they no longer fit.

    Occasion ──▶ Exchange (a line file) ──▶ cast of roles ──▶ Conversation ──▶ LineSpoken
    occasions.py  exchanges.py, lines.py     dialogue.py, with what speakers know from context.py

What lines may speak of is a `DialogueVocabulary` (vocabulary.py): that of combat (combat.py), or one that a line file
or a game declares. Start with `load_lines`, and `Dialogue` or `say`.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.squads.dialogue.combat import COMBAT
    from telos.squads.dialogue.context import DialogueContext, Situation, describe_direction
    from telos.squads.dialogue.dialogue import Dialogue, say
    from telos.squads.dialogue.exchanges import Exchange, Lines, Turn
    from telos.squads.dialogue.lines import builtin_lines, lines_schema, load_lines, parse_lines
    from telos.squads.dialogue.occasions import ConversationBrokenOff, Occasion, Person, Speaker
    from telos.squads.dialogue.vocabulary import GENERAL, DialogueVocabulary, OccasionKind

_HOMES = {
    "COMBAT": "combat",
    "GENERAL": "vocabulary",
    "ConversationBrokenOff": "occasions",
    "Dialogue": "dialogue",
    "DialogueContext": "context",
    "DialogueVocabulary": "vocabulary",
    "Exchange": "exchanges",
    "Lines": "exchanges",
    "Occasion": "occasions",
    "OccasionKind": "vocabulary",
    "Person": "occasions",
    "Situation": "context",
    "Speaker": "occasions",
    "Turn": "exchanges",
    "builtin_lines": "lines",
    "describe_direction": "context",
    "lines_schema": "lines",
    "load_lines": "lines",
    "parse_lines": "lines",
    "say": "dialogue",
}

__all__ = [
    "COMBAT",
    "GENERAL",
    "ConversationBrokenOff",
    "Dialogue",
    "DialogueContext",
    "DialogueVocabulary",
    "Exchange",
    "Lines",
    "Occasion",
    "OccasionKind",
    "Person",
    "Situation",
    "Speaker",
    "Turn",
    "builtin_lines",
    "describe_direction",
    "lines_schema",
    "load_lines",
    "parse_lines",
    "say",
]

__getattr__, __dir__ = lazy_exports(__name__, _HOMES)
