"""Recap: one sentence for a player who comes back after a long time about what she was doing last."""

from collections.abc import Mapping, Sequence

from telos.core.errors import TelosError, name_hint
from telos.core.numbers import not_negative
from telos.recognition.story import Span

LONG = 600.0  # seconds: after a shorter break nobody needs to be told
UNSURE = 0.6  # below this certainty the sentence says "probably"


def recap(
    story: Sequence[Span], away_seconds: float, texts: Mapping[str, str | tuple[str, str]], *, long: float = LONG
) -> str:
    """Say what the player was last doing; nothing if the break was not ``long``, or nothing is known.

    ``texts`` gives for each goal what pursuing it is called, and if it can be achieved, what achieving it is called.

    >>> found = Span("explore", 0, 300, 0.9, 40, achieved=True)
    >>> home = Span("return", 300, 480, 0.8, 20, achieved=False)
    >>> words = {"explore": ("looking for a chest", "finding it"), "return": "heading back to town with a chest"}
    >>> recap([found, home], 86400, words)
    'You were heading back to town with a chest, 3 minutes after finding it.'
    """
    if not_negative("away_seconds", away_seconds) < long or not story:
        return ""
    last = story[-1]
    before = story[-2] if len(story) > 1 else None
    probably = "" if last.certainty >= UNSURE else "probably "
    doing, lasted = _words(last.goal, texts)[0], last.end - last.start
    done = _words(before.goal, texts)[1] if before is not None and before.achieved else ""
    if done:
        return f"You were {probably}{doing}, {_time(lasted)} after {done}."
    return f"You were {probably}{doing}, for {_time(lasted)}."


def _words(goal: str, texts: Mapping[str, str | tuple[str, str]]) -> tuple[str, str]:
    if goal not in texts:
        raise TelosError(f"no text for goal {goal!r}, such as 'heading back to town'", name_hint(goal, texts))
    said = texts[goal]
    return (said, "") if isinstance(said, str) else (said[0], said[1])


def _time(seconds: float) -> str:
    for size, name in ((86400.0, "day"), (3600.0, "hour"), (60.0, "minute")):
        if seconds >= size:
            count = round(seconds / size)
            return f"{count} {name}{'s' if count > 1 else ''}"
    return "a moment"
