"""Good files made bad: a few entries dropped, renamed or replaced, for tests that a loader and a schema agree."""

import copy
from typing import Any

from hypothesis import strategies as st


def places(data: Any) -> list[tuple[Any, Any]]:
    """Return every entry of a file, as the list or mapping that it is in and its index or key."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [each for key, value in inside for each in [(data, key), *places(value)]]


@st.composite
def mutated(
    draw: st.DrawFn, good: st.SearchStrategy[Any], *, values: st.SearchStrategy[Any], keys: st.SearchStrategy[str]
) -> Any:
    """A good file with up to three entries dropped, renamed or replaced."""
    data = copy.deepcopy(draw(good))
    for _ in range(draw(st.integers(1, 3))):
        holder, key = draw(st.sampled_from(places(data)))
        how = draw(st.sampled_from(["drop", "rename", "replace"]))
        if how == "replace":
            holder[key] = draw(values)
        elif how == "rename" and isinstance(holder, dict):
            holder[draw(keys)] = holder.pop(key)
        else:
            del holder[key]
        if not places(data):
            break
    return data
