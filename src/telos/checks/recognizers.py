"""The promises of every recogniser, as a function that tests anyone's."""

import json
import math
from collections.abc import Callable, Sequence

from telos.core.belief import Belief
from telos.core.event import Event
from telos.recognition.recognizer import Recognizer


def check_recognizer(make: Callable[[], Recognizer], events: Sequence[Event]) -> None:
    """Raise ``AssertionError`` at the first promise that what ``make()`` makes breaks on the events of one player."""
    one, two = make(), make()
    assert one.goals, "there must be goals to tell apart"
    assert len(set(one.goals)) == len(one.goals), "each goal is there once"
    first = _checked(one, "before the first event")
    answers = []
    for number, event in enumerate(events):
        where = f"after event {number}, {event.action!r} at {event.time:g} s"
        answer = one.observe(event)
        assert answer == _checked(one, where), f"{where}: observe must return the belief"
        assert answer == two.observe(event), f"{where}: the same events must give the same answer"
        answers.append(answer)
    _check_reset(one, events, first, answers)
    _check_order(make(), events)
    _check_saving(make, events, answers)


def _checked(recognizer: Recognizer, where: str) -> Belief:
    belief = recognizer.belief
    assert tuple(belief) == tuple(recognizer.goals), f"{where}: the belief is about {tuple(belief)}"
    assert all(0 <= chance <= 1 for chance in belief.values()), f"{where}: chances lie between 0 and 1, not {belief}"
    assert math.isclose(math.fsum(belief.values()), 1.0, abs_tol=1e-9), f"{where}: the belief does not sum to 1"
    assert recognizer.belief == belief, f"{where}: reading the belief changed it"
    assert belief.why(), f"{where}: why() must say something"
    return belief


def _check_reset(recognizer: Recognizer, events: Sequence[Event], first: Belief, answers: Sequence[Belief]) -> None:
    recognizer.reset()
    assert recognizer.belief == first, "after reset() the belief is that before the first event"
    again = [recognizer.observe(event) for event in events]
    assert again == answers, "after reset() the same events must give the same answers"


def _check_order(recognizer: Recognizer, events: Sequence[Event]) -> None:
    """An event from the past is refused, and leaves the belief as it was."""
    if not events:
        return
    last = events[-1]
    for event in events:
        recognizer.observe(event)
    belief = recognizer.belief
    past = Event(last.action, last.context, player=last.player, time=last.time - 1.0, goal=last.goal)
    try:
        recognizer.observe(past)
    except ValueError:
        assert recognizer.belief == belief, "an event that was refused must not change the belief"
    else:
        raise AssertionError("time ran backwards, and it was not refused")


def _check_saving(make: Callable[[], Recognizer], events: Sequence[Event], answers: Sequence[Belief]) -> None:
    """What can be saved is plain data, and goes on exactly."""
    recognizer, half = make(), len(events) // 2
    save = getattr(recognizer, "save", None)
    if save is None:
        return
    for event in events[:half]:
        recognizer.observe(event)
    saved = json.loads(json.dumps(save(), allow_nan=False))
    resumed = make()
    if hasattr(resumed, "restore"):
        resumed.restore(saved)
    else:
        resumed = type(resumed).resume(resumed.model, saved)  # type: ignore[attr-defined]
    rest = [resumed.observe(event) for event in events[half:]]
    assert rest == list(answers[half:]), "saved and resumed, it must go on exactly"
