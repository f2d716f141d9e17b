"""The history of the timeline: model changes, thinning and cost."""

from bisect import bisect_right
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from studio.tiny import ALWAYS_WEST, LINE
from telos.studio.recording import BeliefChange, History, HistoryPoint
from telos.studio.session import Session

BY_SIDE = (
    "recognizer: fsm\ngoals: [west, east]\nstart: east\nrules: [{if: x < 0, then: west}, {if: x > 0, then: east}]\n"
)
MODELS = (ALWAYS_WEST, BY_SIDE)
keys = st.lists(st.sampled_from(["left", "right", ""]), max_size=30)


def at(history: dict[str, Any], frame: int) -> dict[str, float]:
    """Return the drawn belief of a recogniser at a frame: that of the newest point before it."""
    place = bisect_right(history["n"], frame) - 1
    return {goal: values[place] for goal, values in history["beliefs"]["last"].items()}


def drawn(session: Session) -> list[dict[str, float]]:
    history = session.history()
    return [at(history, frame) for frame in range(session.last + 1)]


def played(held: list[str], applied: dict[int, str]) -> Session:
    session = Session(LINE)
    session.stage.curves = dict  # type: ignore[method-assign]  # so that only beliefs make points
    for number, key in enumerate([*held, None]):
        if number in applied:
            session.apply("last", applied[number])
        if key is not None:
            session.hold(key)
            session.advance()
    return session


def believed(session: Session) -> list[dict[str, float]]:
    """Return the beliefs of the current model at each frame, by a new run for each."""
    found = []
    for frame in range(session.last + 1):
        told = sum(session.happenings[seen.number].frame <= frame for seen in session.recognizers.events)
        found.append(dict(session.recognizers.rerun("last", upto=told)[0].belief))
    return found


@given(keys, st.dictionaries(st.integers(0, 30), st.sampled_from(MODELS), max_size=3))
@example(["right"] * 3 + ["left"] * 6, {0: ALWAYS_WEST, 9: BY_SIDE})
@example(["right"], {1: ALWAYS_WEST})
def test_applied_model_replaces_curve_from_start(held: list[str], applied: dict[int, str]) -> None:
    session = played(held, applied)
    assert drawn(session) == believed(session)


def test_history_is_thinned_and_keeps_ends() -> None:
    history = History()
    for frame in range(20_001):
        history.add(HistoryPoint(frame, frame / 10, {"one": {"a": frame / 20_000}}, {}), None, {})
    told = history.to_message()
    assert len(told["n"]) <= 2_001
    assert (told["n"][0], told["n"][-1]) == (0, 20_000)
    assert told["beliefs"]["one"]["a"] == [frame / 20_000 for frame in told["n"]]
    history.recompute(
        "one", {"a": 1.0}, [BeliefChange(frame, frame / 10, {"a": frame % 2}) for frame in range(1, 20_001)]
    )
    told = history.to_message()
    assert len(told["n"]) <= 2_001
    assert (told["n"][0], told["n"][-1]) == (0, 20_000)
    assert told["beliefs"]["one"]["a"][1:] == [frame % 2 for frame in told["n"][1:]]
    assert told["t"] == sorted(told["t"])


class Counted(dict[str, float]):
    """A belief that counts how often it is looked through."""

    looked = 0

    def __iter__(self) -> Any:
        type(self).looked += 1
        return super().__iter__()


def test_history_message_reads_each_point_once() -> None:
    history = History()
    for frame in range(1_000):
        history.add(HistoryPoint(frame, frame, {"one": Counted(a=float(frame))}, {}), None, {})
    Counted.looked = 0
    history.to_message()
    assert Counted.looked <= 2_000
