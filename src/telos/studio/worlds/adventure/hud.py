"""What the adventure tells the timeline and the lines around the picture: happenings, messages and the HUD."""

from collections.abc import Iterator

from telos.core.event import Event
from telos.studio.stage import Happening, Hud
from telos.worlds.adventure.map import PARTS
from telos.worlds.adventure.rules import Rules
from telos.worlds.adventure.views import AdventureView

FREE = "Free play: do as you like"
KEYS = "Arrow keys or WASD walk, space swings the sword. Walk off an open edge to reach the next area."
_NEXT = "Under New game: goals of your own, or the games of the papers."
# How each kind of monster catches the player: a hint for the next attempt.
_CAUGHT = {
    "hunter": "A hunter caught up with you",
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
    cue = "swing" if event.action == "swing" else ""
    return Happening(event.time, event.player, describe_event(event), event=event, cue=cue)


def find_changes(before: AdventureView, after: AdventureView) -> Iterator[Happening]:
    """Yield what changed from one view to the next: kills, treasure, hits, deaths, phases."""
    (who,), time = after.players, after.time
    died = after.deaths > before.deaths
    if after.kills > before.kills:
        yield Happening(time, who, "kills a monster", cue="kill")
    if after.carrying and not before.carrying:
        yield Happening(time, who, "takes the chest", cue="find")
    if before.carrying and not after.carrying and not died:
        yield Happening(time, who, "brings the chest to town", cue="goal")
    if after.gems_held > before.gems_held:
        yield Happening(time, who, "", cue="find")  # without a mark: gems are many
    if before.gems_held and not after.gems_held and not died:
        yield Happening(time, who, f"brings {format_gems(before.gems_held)} to town", cue="goal")
    if after.hearts < before.hearts and not died:
        left = "1 heart" if after.hearts == 1 else f"{after.hearts} hearts"
        why = f"A {find_killer(before)} touched the player in {before.area}."
        yield Happening(time, who, f"is hit: {left} left", why=why, cue="hurt")
    if died:
        why = f"A {find_killer(before)} touched the player in {before.area}."
        yield Happening(time, who, "dies", "bad", why=why, cue="death")
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


def describe_hardness(rules: Rules) -> str:
    """Return one line about rules that are hard on the player, as those of the papers are; otherwise nothing."""
    hard = ["one touch kills"] if rules.hearts is None else []
    hard += [] if rules.safe_town else ["monsters come into town"]
    return f"Hard rules, as in the paper: {' and '.join(hard)}." if hard else ""


def describe_banner(before: AdventureView, after: AdventureView) -> str:
    """Return a few words about a goal that was just reached, and what comes next; otherwise nothing."""
    if after.deaths > before.deaths:
        return ""
    reached = ""
    if after.kills > before.kills and before.kills_left == after.kills - before.kills:
        reached = "That was the last one!"
    elif after.carrying and not before.carrying:
        reached = "You found the treasure!"
    elif before.carrying and not after.carrying:
        reached = "The treasure is home!"
    elif before.gems_held and not after.gems_held:
        reached = f"{format_gems(before.gems_held).capitalize()} brought home!"
    if not reached or after.done:  # the end of the game has a card of its own
        return ""
    is_next = before.phase != after.phase and after.instruction
    return f"{reached} Next: {after.instruction[0].lower()}{after.instruction[1:]}" if is_next else reached


def format_gems(number: int) -> str:
    """Return a number of gems as text.

    >>> format_gems(1), format_gems(4)
    ('a gem', '4 gems')
    """
    return "a gem" if number == 1 else f"{number} gems"


def _deaths(number: int) -> str:
    return "1 death" if number == 1 else f"{number} deaths"


def build_hud(
    view: AdventureView,
    phases: int,
    *,
    message: str = "",
    banner: str = "",
    pays: float = 1.0,
    lessons: int | None = None,
) -> Hud:
    """Return the HUD; ``pays`` is the factor by which a kill counts.

    ``lessons`` is how often the companion has learned from the player; None if it does not.
    """
    counts = [("score", f"{view.score:g}")]
    if view.phase:
        counts.insert(0, (view.round or "goal", f"{view.phase} of {phases}"))
    if view.most_hearts > 1:
        counts.append(("hearts", "♥" * view.hearts + "♡" * (view.most_hearts - view.hearts)))
    if view.kills_left is not None:
        counts.append(("kills left" if view.phase else "kills to go", str(view.kills_left)))
    if pays != 1.0:
        counts.append(("a kill pays", f"{pays:.0%}"))
    if view.gems_held:
        counts.append(("gems", str(view.gems_held)))
    if view.carrying:
        counts.append(("carries", "a chest"))
    counts.append(("deaths", str(view.deaths)))
    if lessons is not None:
        counts.append(("lessons", f"{lessons:,}"))
    seconds = int(view.time)
    return Hud(
        task=view.instruction or ("" if view.done else FREE),
        message=message,
        banner=banner,
        counts=tuple(counts),
        clock=f"{seconds // 60:02d}:{seconds % 60:02d}",
        over=f"All goals are reached: score {view.score:g}, {_deaths(view.deaths)}. {_NEXT}" if view.done else "",
    )
