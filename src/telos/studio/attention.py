"""`PlayerAttention`: what the player of a game looks at; a game that a person plays waits while it is not the game.

`write_reminder` says what a player who comes back was doing.
"""

from collections.abc import Iterable, Mapping

from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.recognition.filtering import Reader
from telos.recognition.hindsight import find_story, write_recap
from telos.recognition.recognizer import Recognizer

GAME = ""
_READING = "Paused while you read – press a key or click the game to go on"
_TYPING = "Paused while you type – click the game, or press a key there, to go on"
_AWAY = "Paused while you were away – press a key or click the game to go on"
PLACES = {GAME: "", "help": _READING, "menu": _READING, "dialog": _READING, "text": _TYPING, "hidden": _AWAY}
_STAYING = ("text", "hidden")  # after these, the game waits until its player returns to it


class PlayerAttention:
    """Where the player looks, as the page reports it, and why the game waits.

    After a menu or a dialog the game goes on by itself. After typing, and after a time in another tab, it waits until
    the player presses a key or clicks it.

    >>> attention = PlayerAttention()
    >>> attention.look("help")
    >>> attention.words
    'Paused while you read – press a key or click the game to go on'
    >>> attention.look("")
    >>> attention.words
    ''
    """

    def __init__(self) -> None:
        self._place, self._left_for = GAME, GAME
        self.is_hidden = False  # whether the page is not seen at all

    @property
    def words(self) -> str:
        """Why the game waits; empty if its player looks at it."""
        return PLACES[self._place or self._left_for]

    def look(self, at: str) -> None:
        """Note where the player looks: one of ``PLACES``."""
        if at not in PLACES:
            raise TelosError(f"there is nothing called {at[:40]!r} to look at", name_hint(at[:40], PLACES))
        self._place, self.is_hidden = at, at == "hidden"
        if at in _STAYING:
            self._left_for = at

    def leave(self) -> None:
        """Note that the page is gone: when it is back, the game waits for its player."""
        self._place, self._left_for, self.is_hidden = GAME, "hidden", False

    def come_back(self) -> None:
        """Note that the player has turned to the game."""
        self._place = self._left_for = GAME


MIN_AWAY, MAX_AWAY = 60.0, 1e9  # seconds: after a shorter break nobody is reminded; what is not known is long


def write_reminder(
    recognizer: Recognizer, events: Iterable[Event], words: Mapping[str, tuple[str, str]], away_seconds: float
) -> str:
    """Return a sentence about what a player was doing last; empty if there is nothing to tell.

    ``words`` are those of the goals, for pursuing and for achieving them.
    """
    if not words or not isinstance(recognizer, Reader):
        return ""
    try:
        story = find_story(recognizer.model, events)
        recap = write_recap(story, min(away_seconds, MAX_AWAY), words, long=MIN_AWAY)
    except TelosError:  # a model that is edited may know goals without words, and fail at some event
        return ""
    return f"Last time y{recap[1:]}".replace(", for a moment.", ".") if recap else ""
