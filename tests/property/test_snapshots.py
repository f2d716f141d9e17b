"""Whatever is given as a snapshot is refused with its place, or read into valid beliefs."""

import copy
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mutations import mutated
from recognition.saved import saved_cases
from telos.core.errors import TelosError
from telos.core.event import Event

CASES = saved_cases()

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from([10**400, -(10**400), 5e-324, 1e308, "level", "player", b"", 2**53])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=3),
    max_leaves=8,
)


def _accept(kind: str, data: Any) -> Any:
    """Return the recogniser that continues from ``data``; None if it is refused, and ``data`` is unchanged."""
    before = copy.deepcopy(data)
    try:
        reader = CASES[kind].resume(data)
    except TelosError as refusal:
        assert str(refusal).startswith("saved ")  # noqa: PT017 (both outcomes are right)
        reader = None
    assert repr(data) == repr(before)
    return reader


@pytest.mark.parametrize("kind", CASES)
@given(data=values)
@settings(max_examples=30)
def test_any_data_is_refused_or_read(kind: str, data: Any) -> None:
    assert _accept(kind, data) is None


@pytest.mark.parametrize("kind", CASES)
@given(drawn=st.data())
@settings(max_examples=40)
def test_mutated_snapshot_never_gives_an_impossible_belief(kind: str, drawn: st.DataObject) -> None:
    case = CASES[kind]
    good = st.sampled_from([case.saved(count) for count in (0, 2, 30)])
    data = drawn.draw(mutated(good, values=values, keys=st.sampled_from(["goals", "time", "x", "goal"])))
    reader = _accept(kind, data)
    if reader is None:
        return
    saved = reader.save()
    start, player = saved["time"] or 0.0, "player" if saved["player"] is None else saved["player"]
    for number, event in enumerate(case.events[:50], start=1):
        if not math.isfinite(start + number):
            break
        belief = reader.observe(Event(event.action, event.context, player=player, time=start + number, goal=event.goal))
        assert all(0 <= chance <= 1 for chance in belief.values())
        assert belief.is_concurrent or math.isclose(math.fsum(belief.values()), 1.0, abs_tol=1e-9)
