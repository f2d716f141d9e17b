"""Why a recogniser believes what it believes, for the page: lines with their figures, as data (``explain``).

The recognisers give reasons (``telos.recognition.recognizer.Reason``); this module puts them into plain words, the net
evidence of each cause first. Nothing here reads a text.
"""

import math
from typing import NamedTuple, Protocol, runtime_checkable

from telos.core.belief import Belief
from telos.recognition.recognizer import EARLIER, Reason, Recognizer
from telos.studio import glossary

_SMALL = 0.05  # log-odds: causes below cancel out and are told in one line
_MAX_LINES = 10
_MAX_FACTOR = 1e6


class ExplanationLine(NamedTuple):
    """A line of an explanation: its indentation, its figure if it has one, and its text."""

    depth: int
    figure: str
    words: str


@runtime_checkable
class Reasoned(Protocol):
    """What ``why()`` of a recogniser returns, or the recogniser itself, if it has reasons as data."""

    @property
    def reasons(self) -> tuple[Reason, ...]: ...


def explain(reader: Recognizer, belief: Belief) -> tuple[ExplanationLine, ...]:
    """Return the belief in a line, then the net evidence by cause, the strongest first.

    >>> from telos.core.event import Event
    >>> from telos.recognition.files.load import create_recognizer, named_model
    >>> reader = create_recognizer(named_model("wilds"))
    >>> for time in range(3):
    ...     belief = reader.observe(Event("swing", {"monsters": 2, "attacked": True}, time=float(time)))
    >>> [line.words for line in explain(reader, belief)][:2]
    ['fight 69%, explore 15%, go home 15%', 'fight rather than explore: 4.5 times as likely']
    """
    lines = [ExplanationLine(0, "", _format_belief(belief))]
    served = getattr(reader, "serves", None) if belief.is_concurrent else None
    if isinstance(served, Belief):
        lines.append(ExplanationLine(0, "", f"what was just done serves: {_format_belief(served)}"))
    why = getattr(reader, "why", None)
    found = reader if why is None else why()
    if not isinstance(found, Reasoned):
        return (*lines, *(ExplanationLine(1, "", each) for each in belief.reasons))
    over = getattr(found, "over", None)
    total = math.fsum(each.log_odds or 0.0 for each in found.reasons)
    is_sum = any(each.log_odds is not None for each in found.reasons)
    if over is not None and is_sum:
        lines.append(ExplanationLine(0, format_figure(total), _format_odds(found.goal, over, total)))  # type: ignore[attr-defined]
    return (*lines, *_format_reasons(found.reasons))


def explain_text(text: str) -> tuple[ExplanationLine, ...]:
    """Return a text without figures as lines, one for each of its own."""
    return tuple(
        ExplanationLine(min((len(line) - len(line.lstrip())) // 2, 3), "", line.strip()) for line in text.splitlines()
    )


def _format_reasons(reasons: tuple[Reason, ...]) -> list[ExplanationLine]:
    strong = [each for each in reasons if each.log_odds is None or abs(each.log_odds) >= _SMALL]
    lines = [
        ExplanationLine(1, "" if each.log_odds is None else format_figure(each.log_odds), _format_cause(each))
        for each in strong[:_MAX_LINES]
    ]
    rest = len([each for each in reasons if each.times and each.cause != EARLIER]) - len(strong)
    if rest > 0 and any(each.log_odds is not None for each in reasons):
        lines.append(ExplanationLine(1, "", "what else was seen says nothing either way"))
    return lines


def _format_cause(reason: Reason) -> str:
    words = glossary.describe_cause(reason.cause)
    return f"{words}, {reason.times} times" if reason.times > 1 else words


def _format_belief(belief: Belief) -> str:
    ranked = sorted(belief.items(), key=lambda pair: -pair[1])
    named = ", ".join(f"{glossary.wants(goal)} {chance:.0%}" for goal, chance in ranked[:4])
    return f"{named}, each by itself" if belief.is_concurrent else named


def _format_odds(goal: str, over: str, log_odds: float) -> str:
    factor = math.exp(min(abs(log_odds), 100.0))
    times = "more than a million times" if factor > _MAX_FACTOR else f"{format_factor(factor)} times"
    if factor < 1.05:
        return f"{glossary.wants(goal)} and {glossary.wants(over)} are about as likely"
    first, second = (goal, over) if log_odds >= 0 else (over, goal)
    return f"{glossary.wants(first)} rather than {glossary.wants(second)}: {times} as likely"


def format_factor(factor: float) -> str:
    """Return a factor with two digits that count, without an exponent.

    >>> [format_factor(each) for each in (1.24, 9.97, 38.4, 247.2, 25_100)]
    ['1.2', '10', '38', '250', '25,000']
    """
    rounded = float(f"{factor:.2g}")
    return f"{rounded:.2g}" if rounded < 10 else f"{rounded:,.0f}"


def format_figure(log_odds: float) -> str:
    """Return log-odds with their sign, as wide for a minus as for a plus.

    >>> format_figure(-0.5), format_figure(2.0)
    ('−0.50', '+2.00')
    """
    return f"{log_odds:+.2f}".replace("-", "\N{MINUS SIGN}")
