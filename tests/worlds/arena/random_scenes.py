"""Hypothesis strategies: small random maps and casts."""

from hypothesis import strategies as st

from telos.core.values import FrozenMap
from telos.squads.manoeuvres import load_built_in, manoeuvre_names
from telos.worlds.arena.ai.characters import load_arena_characters
from telos.worlds.arena.scene import SQUAD_ACTIVITIES, CastMember, Scene, SceneThing
from telos.worlds.arena.sim.map import ArenaMap

_NAMES = ("Ann", "Bob", "Cal", "Dee", "Eve", "Fay")
_MARKS = "###oo^v<>^v<>+/%=_*12345!"
_DOORS = "+/%="
_ARMS = st.sampled_from(
    ({}, {"weapon": ("rifle", "shotgun")}, {"weapon": ("pistol", "shotgun", "rifle"), "magazines": 1})
)


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Return a scene on a random map with random characters."""
    names = _NAMES[: draw(st.integers(2, len(_NAMES)))]
    known = sorted(load_arena_characters())
    map, places = draw(_maps(len(names) + 1))
    cast = [
        CastMember(
            "A", name, draw(st.sampled_from(known)), draw(st.sampled_from(("red", "red", "blue", "green"))),
            *place, rank=draw(st.integers(0, 2)), body=FrozenMap({"grenades": draw(st.integers(0, 2)), **draw(_ARMS)}),
        )
        for name, place in zip(names, places, strict=False)
    ]  # fmt: skip
    kind = draw(st.sampled_from(("medkit", "desk")))
    thing = SceneThing("M", f"{kind}-1", kind, *places[-1])
    route = list(map.patrol) if draw(st.booleans()) else []
    wish = {"red": FrozenMap({"advance": route})} if route else {}
    squads = draw(st.sampled_from(((), SQUAD_ACTIVITIES, (*manoeuvre_names(), *SQUAD_ACTIVITIES))))
    manoeuvres = tuple(load_built_in(name) for name in manoeuvre_names() if name in squads)
    talk = draw(st.booleans())
    objectives = FrozenMap(wish)
    return Scene("random", "", 20.0, map, tuple(cast), (thing,), squads, manoeuvres, objectives, talk)


@st.composite
def _maps(draw: st.DrawFn, free: int) -> tuple[ArenaMap, list[tuple[float, float]]]:
    """Return a map and ``count`` free places on it."""
    width, height = draw(st.integers(6, 20)), draw(st.integers(4, 10))
    cells = [(x, y) for y in range(1, height + 1) for x in range(1, width + 1)]
    drawn = dict.fromkeys(cells, " ")
    if draw(st.booleans()):  # a wall across the map, with random openings
        across = draw(st.integers(2, width - 1))
        drawn |= {(across, y): "#" for y in range(1, height + 1)}
        cells += [(across, y) for y in range(1, height + 1)] * 3
    for mark in draw(st.lists(st.sampled_from(_MARKS), max_size=24)):
        cell = draw(st.sampled_from(cells))
        if not mark.isdigit() or mark not in drawn.values():
            drawn[cell] = mark
    for (x, y), mark in drawn.items():
        pairs = (((x - 1, y), (x + 1, y)), ((x, y - 1), (x, y + 1)))
        if mark in _DOORS and not any(_is_floor(drawn, one) and _is_floor(drawn, two) for one, two in pairs):
            drawn[x, y] = "#"
    floor = [cell for cell, mark in drawn.items() if mark == " "]
    places = draw(st.lists(st.sampled_from(floor), min_size=free, max_size=free, unique=True))
    rows = ["#" * (width + 2)]
    rows += ["#" + "".join(drawn[x, y] for x in range(1, width + 1)) + "#" for y in range(1, height + 1)]
    return ArenaMap("\n".join([*rows, "#" * (width + 2)])), [(x + 0.5, y + 0.5) for x, y in places]


def _is_floor(drawn: dict[tuple[int, int], str], cell: tuple[int, int]) -> bool:
    return drawn.get(cell, "#") not in ("#", "o", "_", *_DOORS)
