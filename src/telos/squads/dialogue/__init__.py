"""Dialogue: lines that fit what happened, chosen after the fact and dropped when they no longer fit.

    Occasion ──▶ Exchange (a line file) ──▶ cast of roles ──▶ Conversation ──▶ LineSpoken
    occasions.py  lines.py                  dialogue.py, with what speakers know from context.py

Start with `Dialogue` and `load_lines`.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.squads.dialogue.context import DialogueContext, Situation, describe_direction
    from telos.squads.dialogue.dialogue import Dialogue
    from telos.squads.dialogue.lines import Exchange, Lines, Turn, builtin_lines, lines_schema, load_lines, parse_lines
    from telos.squads.dialogue.occasions import OCCASIONS, ConversationBrokenOff, Occasion, Speaker

__all__ = [
    "OCCASIONS",
    "ConversationBrokenOff",
    "Dialogue",
    "DialogueContext",
    "Exchange",
    "Lines",
    "Occasion",
    "Situation",
    "Speaker",
    "Turn",
    "builtin_lines",
    "describe_direction",
    "lines_schema",
    "load_lines",
    "parse_lines",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "DialogueContext": "context",
        "Situation": "context",
        "describe_direction": "context",
        "Dialogue": "dialogue",
        "Exchange": "lines",
        "Lines": "lines",
        "Turn": "lines",
        "builtin_lines": "lines",
        "lines_schema": "lines",
        "load_lines": "lines",
        "parse_lines": "lines",
        "ConversationBrokenOff": "occasions",
        "OCCASIONS": "occasions",
        "Occasion": "occasions",
        "Speaker": "occasions",
    },
)
