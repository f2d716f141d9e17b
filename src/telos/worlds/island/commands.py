"""Commands: an action and its argument in words, checked against what is possible now."""

from telos.core.errors import TelosError, name_hint
from telos.worlds.island import story as words
from telos.worlds.island.deeds import DEEDS
from telos.worlds.island.play import Play

_IN_TALK = {words.ASK, words.ANSWER, words.PART}
# What is missing when an action has no option at all.
_NEEDS = {
    words.CLOSE: "nothing is open here",
    words.PICK_UP: "nothing lies here, or the hands are full",
    words.DROP: "the hands are empty",
    words.EXAMINE: "there is nothing here",
    words.TALK: "nobody is here",
    words.ASK: "nobody is being talked to; talk to somebody first",
    words.ANSWER: "nothing was asked; ask the nurse for questions first",
    words.PART: "nobody is being talked to",
    words.READ_BOOK: "there is no book here",
    words.READ_POSTER: "there is no poster here",
    words.TAKE_NOTE: "nothing was learned just now",
    words.READ_NOTES: "nothing is written down yet",
    words.TEST: "it takes something in the hands, a test that is left, and the tester",
    words.LABEL: "there is no slide to be labelled here; a test must have found something",
    words.SUBMIT: "it takes a full worksheet, and the nurse's desk",
}


def commands_now(play: Play) -> tuple[str, ...]:
    """Return every command that is possible now, in the order of the nineteen actions."""
    if play.is_over:
        return ()
    return tuple(_text(action, each) for action, deed in DEEDS.items() for each in deed.options(play))


def read_command(play: Play, command: str) -> tuple[str, str]:
    """Return the action and the argument of a command, or refuse what makes no sense now."""
    action, _, argument = command.strip().partition(" ")
    if action not in DEEDS:
        raise TelosError(f"there is no action {action!r}", name_hint(action, DEEDS))
    if play.is_over:
        raise TelosError(f"cannot {command!r}: the game is over", "reset it")
    options = DEEDS[action].options(play)
    if not argument and len(options) == 1:
        return action, options[0]  # there is only one thing that can be meant
    if argument in options:
        return action, argument
    raise TelosError(f"cannot {command!r} now: {_why_not(play, action, argument, options)}")


def _why_not(play: Play, action: str, argument: str, options: list[str]) -> str:
    if play.talking and action not in _IN_TALK and not options:
        return f"the player is talking with {play.talking!r}; part first"
    if not options:
        return _NEEDS.get(action, "it is not possible here")
    way = play.story.map.way(play.place, argument) if action == words.MOVE else None
    if way is not None:
        return f"{way.door!r} is closed; open it first"
    return name_hint(argument, options) if any(options) else f"{action!r} takes no argument"


def _text(action: str, argument: str) -> str:
    return f"{action} {argument}" if argument else action
