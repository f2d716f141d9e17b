"""Plays of ``PlainPlayer``: free play with one plain intent for so many seconds, as labelled events."""

from random import Random

from telos.core.event import Event
from telos.studies.players.plain import PlainPlayer
from telos.studies.players.sessions import Session
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.rules import FRAMES_A_SECOND

SECONDS = 20.0
_MIN_AWAY = 10 * FRAMES_A_SECOND  # frames that a player explores at least, before it walks home
_MAX_AWAY = 90 * FRAMES_A_SECOND
_SCREENS = (2, 5)  # from town, where it turns round: from the first to below the second


def play_intent(rules: str, intent: str, rng: Random, *, seconds: float = SECONDS, model: str | None = None) -> Session:
    """Play with one intent; ``truths`` holds the goal from the moment on from which it is pursued.

    With the intent ``town`` the player first explores, turns round two to four screens away, and the play ends at home.
    ``model`` is the companion's, if not that of the rules.

    >>> walk = play_intent("wilds", "town", Random(1))
    >>> walk.truths[0], walk.truths[-1], walk.events[-1].context["in_town"]
    (None, 'town', True)
    """
    game = Adventure(rules, directed=False, seed=rng.randrange(2**32), model=model)
    seed, is_walk = rng.randrange(2**32), intent == "town"
    player = PlainPlayer("explore" if is_walk else intent, seed=seed)
    goal = game.rules.goal_of("town") if is_walk else intent
    events, truths = list[Event](), list[str | None]()
    turns = rng.randrange(*_SCREENS)
    turned = None if is_walk else 0  # the frame from which the intent is pursued
    while turned is None or game.frame - turned < seconds * FRAMES_A_SECOND:
        game.step({game.player: player.input(game.view())})
        events += game.events
        truths += [None if turned is None else goal] * len(game.events)
        if (
            turned is None
            and game.frame >= _MIN_AWAY
            and (_screens_from_town(game) >= turns or game.frame >= _MAX_AWAY)
        ):
            turned = game.frame
            player.pursue("town")
        elif is_walk and turned is not None and game.view().in_town:
            break
    return Session(tuple(events), tuple(truths), name=intent)


def _screens_from_town(game: Adventure) -> int:
    areas = game.rules.map
    column, row = map(int, game.view().area.split(","))
    return areas.distance[(row - 1) * areas.columns + column - 1] or 0
