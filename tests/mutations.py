"""Good files and snapshots made bad: a few entries dropped, renamed or replaced."""

import copy
import math
from random import Random
from typing import Any

from hypothesis import strategies as st


def places(data: Any) -> list[tuple[Any, Any]]:
    """Return every entry of a file, as the list or mapping that it is in and its index or key."""
    found, to_do = [], [data]
    while to_do:  # not by recursion, because snapshots may be very deep
        holder = to_do.pop()
        inside = holder.items() if isinstance(holder, dict) else enumerate(holder) if isinstance(holder, list) else ()
        for key, value in inside:
            found.append((holder, key))
            to_do.append(value)
    return found


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
            holder[key] = copy.deepcopy(draw(values))  # a later turn may change it
        elif how == "rename" and isinstance(holder, dict):
            holder[draw(keys)] = holder.pop(key)
        else:
            del holder[key]
        if not places(data):
            break
    return data


def _strange_values(rng: Random) -> list[Any]:
    deep: Any = []
    for _ in range(2_000):
        deep = [deep]
    numbers = [
        math.nan,
        math.inf,
        -math.inf,
        -1,
        -0.5,
        0,
        1,
        2,
        0.5,
        1e308,
        -1e308,
        5e-324,
        10**400,
        2**63,
        rng.random(),
    ]
    return [
        *numbers,
        True,
        False,
        None,
        "",
        "1",
        "nobody",
        b"x",
        [],
        {},
        [[]],
        [None],
        {"a": 1},
        {1: 2},
        deep,
        object(),
    ]


def damage(saved: Any, rng: Random) -> Any:
    """Return a copy of a snapshot with up to three entries dropped, renamed, retyped, swapped, nested or cut."""
    if rng.random() < 0.02:
        return rng.choice(_strange_values(rng))
    data = copy.deepcopy(saved)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        found = places(data)
        if not found:
            break
        holder, key = rng.choice(found)
        match rng.randrange(9):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, dict):
                holder[rng.choice([*holder, "other", 7, None])] = holder.pop(key)
            case 2:
                other, place = rng.choice(found)
                if not _holds(holder[key], other) and not _holds(other[place], holder):
                    holder[key], other[place] = other[place], holder[key]
            case 3:
                holder[key] = [holder[key]]
            case 4 if isinstance(holder[key], list | str):
                holder[key] = holder[key][: rng.randrange(len(holder[key]) + 1)]
            case 5 if isinstance(holder[key], list):
                holder[key] = holder[key] + holder[key][:1]
            case 6 if isinstance(holder[key], int | float) and abs(holder[key]) < 1e300:
                holder[key] *= rng.choice([-1, 0.999, 1.5, 1e6, 1e300])
            case 7 if isinstance(holder[key], bool | int | float | None):
                holder[key] = rng.choice([str(holder[key]), bool(holder[key])])
            case _:
                holder[key] = rng.choice(_strange_values(rng))
    return data


def _holds(data: Any, part: Any) -> bool:
    """Whether a list or mapping is inside ``data``, or ``data`` itself; swapping it there would make a circle."""
    return data is part or any(holder is part for holder, _ in places(data))
