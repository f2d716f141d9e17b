"""The island in words: what was done, what it taught, and how the case stands."""

from collections.abc import Sequence

from telos.core.event import Event
from telos.studio.stage import Happening, Hud
from telos.worlds.island.log import WANTS, deed, plain
from telos.worlds.island.outing import Stretch
from telos.worlds.island.story import Lesson
from telos.worlds.island.views import IslandView, clock_of

MYSTERY = "People in the camp fall ill. Find out why, and hand in the worksheet to the nurse."

_HINT = "Choose what to do in the box below: walk, talk, open, read, test"
_AFTER_PLAYING = "Look back on the timeline: was it plain what you wanted?"
_AFTER_WATCHING = "Look back on the timeline, or find it out yourself, under New game."


def in_words(event: Event) -> str:
    """Say what somebody did on the island."""
    return deed(event.action, str(event.context["argument"]))


def told(event: Event, learned: Sequence[Lesson]) -> Happening:
    """Return an event for the timeline; one that achieves a goal stands out."""
    why = f"Learned: {lessons(learned)}." if learned else ""
    if event.goal is not None:
        return Happening(event.time, event.player, f"{in_words(event)}: achieves {event.goal}", "goal", event, why)
    return Happening(event.time, event.player, in_words(event), "event", event, why)


def lessons(learned: Sequence[Lesson]) -> str:
    """Return lessons in a line.

    >>> lessons([Lesson("symptom", "fever"), Lesson("clean", "bread:viruses"), Lesson("right", "source=milk")])
    'symptom fever, clean bread: viruses, right source: milk'
    """
    return ", ".join(f"{each.kind} {plain(each.about.replace(':', '=', 1))}" for each in learned)


def doing(now: Stretch, time: float) -> str:
    """Say what is under way."""
    return in_words(now.event) if now.event is not None and now.share(time) < 1.0 else ""


def hud(view: IslandView, time: float, *, wants: str | None, is_new: bool = False) -> Hud:
    """Return the lines around the map; ``wants`` is the goal of a simulated visitor, and ``is_new`` a new game."""
    task = MYSTERY if wants is None else f"wants to {WANTS[wants]}" if wants in WANTS else "looks for something to do"
    counts = [
        ("milestones", f"{view.state.count('1')} of {len(view.state)}"),
        ("tests", str(view.tests)),
        ("notes", str(view.notes)),
        ("holds", plain(view.hands or "nothing")),
    ]
    hint = _HINT if wants is None and is_new else ""
    return Hud(task, _message(view) or hint, tuple(counts), clock_of(time), _ending(view, is_person=wants is None))


def _ending(view: IslandView, *, is_person: bool) -> str:
    if not view.is_over:
        return ""
    end = "The mystery is solved." if view.is_solved else "The hour is up, and nobody knows."
    return f"{end} {_AFTER_PLAYING if is_person else _AFTER_WATCHING}"


def _message(view: IslandView) -> str:
    if view.question is not None:
        return f"The nurse asks about {plain(view.question.about)}: {', '.join(map(plain, view.question.choices))}?"
    if view.told:
        return f"Learned: {lessons(view.told)}"
    if view.talking:
        return f"Talks with the {plain(view.talking)}" + (", who has more to say" if view.more else "")
    return ""
