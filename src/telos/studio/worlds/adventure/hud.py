"""What the adventure tells the timeline and the lines around the picture: happenings, messages and the HUD."""

from collections.abc import Iterator

from telos.core.event import Event
from telos.studio.stage import Happening, Hud
from telos.worlds.adventure.map import PARTS
from telos.worlds.adventure.views import AdventureView

FREE = "Free play: do as you like"
_NEXT = "Under New game: goals of your own, or the rules aiide, with training and test."
# How each kind of monster catches the player: a hint for the next attempt.
_CAUGHT = {
    "hunter": "A hunter ran you down",
    "guard": "A guard caught you near its post",
    "stalker": "A stalker came from behind: it keeps off while you face it",
}
_WALKS = {way: f"walks {' and '.join(parts)}" for way, parts in PARTS.items() if parts}


def describe_event(event: Event) -> str:
    """Describe an event in a few words; return the empty text for a tick.

    >>> describe_event(Event("up_left", {"cause": "input"}))
    'walks up and left'
    >>> describe_event(Event("left", {"cause": "area", "area": "3,2"}))
    'enters 3,2'
    """
    cause = event.context.get("cause")
    if cause == "tick":
        return ""
    if cause == "area":
        return f"enters {event.context['area']}"
    return "swings" if event.action == "swing" else _WALKS.get(event.action, "stops")


def to_happening(event: Event, *, directed: bool) -> Happening:
    """Return an event as a happening; only in free play does an event show an achieved goal (others have phases)."""
    if event.goal is not None and not directed:
        return Happening(event.time, event.player, f"achieves {event.goal}", "goal", event)
    return Happening(event.time, event.player, describe_event(event), event=event)


def find_changes(before: AdventureView, after: AdventureView) -> Iterator[Happening]:
    """Yield what changed from one view to the next: kills, treasure, deaths, phases."""
    (who,), time = after.players, after.time
    died = after.deaths > before.deaths
    if after.kills > before.kills:
        yield Happening(time, who, "kills a monster")
    if after.carrying and not before.carrying:
        yield Happening(time, who, "takes the chest")
    if before.carrying and not after.carrying and not died:
        yield Happening(time, who, "brings the chest to town")
    if before.gems_held and not after.gems_held and not died:
        yield Happening(time, who, f"brings {format_gems(before.gems_held)} to town")
    if died:
        yield Happening(time, who, "dies", "bad", why=f"A {find_killer(before)} touched the player in {before.area}.")
    if (before.phase, before.done) != (after.phase, after.done):
        yield Happening(time, who, f"achieves {before.truth}", "goal")
        yield Happening(time, "game", after.instruction or "all goals are reached", "game")


def find_killer(before: AdventureView) -> str:
    """Return the kind of the nearest monster one frame before a death; ``monster`` if they have no kinds."""
    awake = [beast for beast in before.beasts if beast.doing != "stunned"]
    near = min(awake, key=lambda beast: (beast.x - before.x) ** 2 + (beast.y - before.y) ** 2, default=None)
    return "monster" if near is None else near.kind


def describe_death(before: AdventureView, restarts_in: str) -> str:
    """Describe how the player died, and where they start again: in ``town`` or at the ``chest``."""
    where = "in town" if restarts_in == "town" else "where the chest was"
    caught = _CAUGHT.get(find_killer(before))
    return f"You fell, and start again {where}." if caught is None else f"{caught}. You start again {where}."


def format_gems(number: int) -> str:
    """Return a number of gems as text.

    >>> format_gems(1), format_gems(4)
    ('a gem', '4 gems')
    """
    return "a gem" if number == 1 else f"{number} gems"


def _deaths(number: int) -> str:
    return "1 death" if number == 1 else f"{number} deaths"


def build_hud(view: AdventureView, phases: int, *, message: str = "", pays: float = 1.0) -> Hud:
    """Return the HUD; ``pays`` is the factor by which a kill counts."""
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
