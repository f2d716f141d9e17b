"""The adventure in words: what happened in a frame, and the lines around the picture."""

from collections.abc import Iterator

from telos.core.event import Event
from telos.studio.stage import Happening, Hud
from telos.worlds.adventure.directions import PARTS
from telos.worlds.adventure.views import AdventureView

FREE = "Free play: do as you like"
KEYS = "Arrow keys or WASD walk, space swings the sword. Walk off an open edge to reach the next area."
_NEXT = "Under New game: goals of your own, or the rules aiide, with training and test."
# How each kind catches people: whoever knows that can do something about it.
_CAUGHT = {
    "hunter": "A hunter ran you down",
    "guard": "A guard caught you near its post",
    "stalker": "A stalker came from behind: it keeps off while you face it",
}
_WALKS = {way: f"walks {' and '.join(parts)}" for way, parts in PARTS.items() if parts}


def in_words(event: Event) -> str:
    """Say what a player did; the empty text if they only went on with it.

    >>> in_words(Event("up_left", {"cause": "input"})), in_words(Event("left", {"cause": "area", "area": "3,2"}))
    ('walks up and left', 'enters 3,2')
    """
    cause = event.context.get("cause")
    if cause == "tick":
        return ""
    if cause == "area":
        return f"enters {event.context['area']}"
    return "swings" if event.action == "swing" else _WALKS.get(event.action, "stops")


def told(event: Event, *, directed: bool) -> Happening:
    """Return an event for the timeline. In free play it also tells what was achieved; directed games have phases."""
    if event.goal is not None and not directed:
        return Happening(event.time, event.player, f"achieves {event.goal}", "goal", event)
    return Happening(event.time, event.player, in_words(event), event=event)


def changes(before: AdventureView, after: AdventureView) -> Iterator[Happening]:
    """Yield what can be seen to have happened in a frame, beside the player's own doing."""
    (who,), time = after.players, after.time
    died = after.deaths > before.deaths
    if after.kills > before.kills:
        yield Happening(time, who, "kills a monster")
    if after.carrying and not before.carrying:
        yield Happening(time, who, "takes the chest")
    if before.carrying and not after.carrying and not died:
        yield Happening(time, who, "brings the chest to town")
    if before.gems_held and not after.gems_held and not died:
        yield Happening(time, who, f"brings {gems(before.gems_held)} to town")
    if died:
        yield Happening(time, who, "dies", "bad", why=f"A {killer(before)} touched the player in {before.area}.")
    if (before.phase, before.done) != (after.phase, after.done):
        yield Happening(time, who, f"achieves {before.truth}", "goal")
        yield Happening(time, "game", after.instruction or "all goals are reached", "game")


def killer(before: AdventureView) -> str:
    """Return the kind of the monster that was nearest a frame before a death, ``monster`` if they are all alike."""
    awake = [beast for beast in before.beasts if beast.doing != "stunned"]
    near = min(awake, key=lambda beast: (beast.x - before.x) ** 2 + (beast.y - before.y) ** 2, default=None)
    return "monster" if near is None else near.kind


def fell(before: AdventureView, after: AdventureView) -> str:
    """Say how the player died, and where they are now."""
    where = "in town" if after.town else "where the chest was"
    caught = _CAUGHT.get(killer(before))
    return f"You fell, and start again {where}." if caught is None else f"{caught}. You start again {where}."


def gems(number: int) -> str:
    """Return a number of gems in words.

    >>> gems(1), gems(4)
    ('a gem', '4 gems')
    """
    return "a gem" if number == 1 else f"{number} gems"


def _deaths(number: int) -> str:
    return "1 death" if number == 1 else f"{number} deaths"


def hud(view: AdventureView, phases: int, *, message: str = "", pays: float = 1.0) -> Hud:
    """Return the lines around the picture; ``pays`` is what a kill counts by."""
    counts = [("score", f"{view.score:g}")]
    if view.phase:
        counts.insert(0, (view.round or "goal", f"{view.phase} of {phases}"))
    if view.kills_left is not None:
        counts.append(("kills left" if view.phase else "kills to go", str(view.kills_left)))
    if pays != 1.0:
        counts.append(("a kill pays", f"{pays:.0%}"))
    if view.gems_held:
        counts.append(("gems", str(view.gems_held)))
    if view.carrying:
        counts.append(("carries", "a chest"))
    counts.append(("deaths", str(view.deaths)))
    seconds = int(view.time)
    return Hud(
        task=view.instruction or ("" if view.done else FREE),
        message=message,
        counts=tuple(counts),
        clock=f"{seconds // 60:02d}:{seconds % 60:02d}",
        over=f"All goals are reached: score {view.score:g}, {_deaths(view.deaths)}. {_NEXT}" if view.done else "",
    )
