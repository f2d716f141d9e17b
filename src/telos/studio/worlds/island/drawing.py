"""The pictures of the island: `draw_ground` draws the static map, `draw_moment` the visitor and the recent path."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from telos.core.values import FrozenMap
from telos.studio.worlds.adventure.symbols import SCENERY, disc, ellipse, fill_part, stroke_part
from telos.studio.worlds.shapes import Picture, Shape, Symbol, Symbols, circle, line, path, place, rect, text
from telos.studio.worlds.walking import draw_arrows
from telos.worlds.island.playthrough import TimedAction
from telos.worlds.island.state import IslandView
from telos.worlds.island.story import IslandMap, IslandPlace, IslandStory, load_story

# --- places -----------------------------------------------------------------------------------------------------------


WIDTH, HEIGHT = 960.0, 540.0
ROOM = (112.0, 50.0)  # the floor of a place in a building
_LEFT, _COLUMN = 70.0, 18.2
# The height of each line of the story's text map.
_ROWS = {1: 92.0, 3: 138.0, 6: 196.0, 7: 250.0, 9: 300.0, 11: 362.0, 12: 416.0, 14: 468.0}
_SHORT = {
    "infirmary-entrance": "entrance",
    "dining-entrance": "entrance",
    "laboratory-entrance": "entrance",
    "laboratory-office": "office",
    "quarters-hall": "hall",
    "medicine-cabinet": "medicines",
    "microscope-bench": "microscope",
    "serving-counter": "counter",
    "nurses-desk": "desk",
}


def position(place: IslandPlace) -> tuple[float, float]:
    """Return the point of a place on the map.

    >>> position(IslandPlace("dock", "outdoors", 36, 14))
    (725.2, 468.0)
    """
    return round(_LEFT + place.column * _COLUMN, 1), _line(place.row)


def _line(row: int) -> float:
    """Return the y of a line; a line that is not in the table is interpolated."""
    if row in _ROWS:
        return _ROWS[row]
    below = max((each for each in _ROWS if each < row), default=min(_ROWS))
    above = min((each for each in _ROWS if each > row), default=max(_ROWS))
    share = 0.0 if above == below else (row - below) / (above - below)
    return _ROWS[below] + share * (_ROWS[above] - _ROWS[below])


def place_label(name: str) -> str:
    """Return the label of a place; in a building, the name of the building is left out."""
    return _SHORT.get(name, name).replace("-", " ")


# --- visitor ----------------------------------------------------------------------------------------------------------


Point = tuple[float, float]
_TRAIL = 16  # visible segments
_THING_STEP, _THINGS_BELOW = 19.0, 29.0


@dataclass(frozen=True, slots=True)
class SeenThing:
    """Something at the visitor's place, and where it is drawn."""

    name: str
    symbol: str
    x: float
    y: float


def draw_moment(
    the_map: IslandMap,
    now: TimedAction,
    time: float,
    walked: Sequence[str],
    reached: Sequence[str],
    *,
    doing: str,
    aim: str,
    who: str,
    seen: Sequence[SeenThing] = (),
    ways: Mapping[str, str] = FrozenMap(),
) -> Picture:
    """Return the changing part: ``walked`` are the visited places, ``reached`` those of goals, ``aim`` the target.

    ``seen`` is what lies at the visitor's place, ``ways`` are the neighbouring places by arrow key.
    """
    here = visitor_position(the_map, now, time)
    drawn = [path(_dots(the_map, set(walked)), fill="player")]
    drawn += _trail([position(the_map.place(each)) for each in walked[-_TRAIL:]], here)
    for i, name in enumerate(dict.fromkeys(reached)):
        drawn.append(place(f"reached{i}", "star", *_beside(the_map, name), scale=0.8))
    if aim:
        drawn.append(place("aim", "aim", *position(the_map.place(aim))))
    drawn += draw_arrows(here, {arrow: position(the_map.place(name)) for arrow, name in ways.items()}, room=9.0)
    drawn += [place(f"seen {each.name}", each.symbol, each.x, each.y) for each in seen]
    drawn.append(place("visitor", "visitor", here[0], here[1] - 8, pick=who, label=doing or None))
    return drawn


def arrange_things(the_map: IslandMap, view: IslandView) -> list[SeenThing]:
    """Return what lies at the visitor's place, in a row below its name: things, books, posters and containers."""
    kept = [
        *((name, "thing") for name in view.things),
        *((name, "book") for name in view.books),
        *((name, "poster") for name in view.posters),
        *((name, "chest") for name in (*view.closed, *view.open) if name not in the_map.doors),
    ]
    x, y = position(the_map.place(view.place))
    left = x - _THING_STEP * (len(kept) - 1) / 2
    return [
        SeenThing(name, symbol, round(left + _THING_STEP * number, 1), y + _THINGS_BELOW)
        for number, (name, symbol) in enumerate(kept)
    ]


def person_position(story: IslandStory, who: str) -> Point:
    """Return where a person is drawn: to the right of their place."""
    person = story.people[who]
    x, y = position(story.map.place(person.at))
    if who.startswith("patient"):
        return x + 32, y - 2
    return x + _room_of(story, person.at) - 16, y - 2


def _room_of(story: IslandStory, at: str) -> int:
    return 46 if story.map.place(at).area in _NARROW else 54


def visitor_position(the_map: IslandMap, now: TimedAction, time: float) -> Point:
    """Return the position of the visitor, interpolated while walking."""
    (x, y), (to_x, to_y) = (position(the_map.place(view.place)) for view in (now.before, now.after))
    share = now.share(time)
    return x + (to_x - x) * share, y + (to_y - y) * share


def _trail(points: Sequence[Point], here: Point) -> Iterator[Shape]:
    """Yield the recent path; older segments are fainter."""
    ways = list(zip(points, [*points[1:], here], strict=True))
    for age, (start, end) in enumerate(reversed(ways)):
        if start != end:
            faint = max(6, round(72 * (1 - age / _TRAIL)))
            yield line(*start, *end, f"player/{faint}", width=4)


def _dots(the_map: IslandMap, places: set[str]) -> str:
    """Return dots at places, as one path."""
    spots = [position(the_map.place(name)) for name in sorted(places)]
    return "".join(f"M{x - 3.5:g} {y:g}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z" for x, y in spots)


def _beside(the_map: IslandMap, name: str) -> Point:
    x, y = position(the_map.place(name))
    return x + 14, y - 2


# --- map --------------------------------------------------------------------------------------------------------------


_SHORE = (
    "M44 150C34 66 110 44 240 46C360 48 430 36 510 42C650 32 800 30 884 54C950 78 938 160 936 240"
    "C934 330 950 404 916 444C880 470 800 462 742 470C650 482 610 516 520 520C440 524 400 512 330 516"
    "C240 524 140 522 96 486C48 446 46 380 46 300C46 230 50 200 44 150Z"
)
_OPEN_AIR = ("outdoors", "waterfall")
_PEOPLE = {
    "nurse": "danger", "cook": "fire", "virus-expert": "gem", "bacteria-expert": "good", "technician": "accent",
    "lead-scientist": "gold", "gardener": "leaf",
}  # fmt: skip
_SICK = "accent"
_NARROW = ("lead-scientist",)  # houses with narrow rooms
# Landmarks of outdoor places: place, symbol, offset.
_LANDMARKS = (
    ("fire-pit", "fire", 34, -4), ("fire-pit", "tree", 74, 0), ("garden", "bed", -58, -4), ("garden", "bed", -108, -4),
    ("cave", "cave", -6, -14), ("cave", "palm", -54, 22), ("rock-steps", "rock", 36, -8),
    ("rock-steps", "rock", -48, 16), ("pool", "bush", 46, 18), ("north-path", "pine", -50, -2),
    ("north-path", "pine", 48, -6), ("beach", "palm", -52, -8), ("beach", "bush", 60, 14), ("gate", "palm", -70, -14),
    ("gate", "palm", 64, -14), ("dock", "palm", -90, -18), ("dock", "rock", 96, -26),
)  # fmt: skip


@lru_cache(maxsize=1)  # there is one island
def draw_ground() -> Picture:
    """Return the static map."""
    story = load_story()
    drawn: Picture = [*_sea(Random("waves")), *_land(Random("meadow")), *_nature(story), *_paths(story)]
    for name in dict.fromkeys(each.area for each in story.map.places.values()):
        if name not in _OPEN_AIR:
            drawn += _house(story, name)
    drawn += _doors(story)
    drawn += _places(story)
    drawn += _people(story)
    return drawn


def _sea(rng: Random) -> Iterator[Shape]:
    yield rect(0, 0, WIDTH, HEIGHT, "water")
    yield path(_SHORE, stroke="gem/10", width=64)
    yield path(_SHORE, stroke="gem/14", width=36)
    for i in range(16):
        x, y = rng.uniform(10, WIDTH - 10), rng.choice((rng.uniform(8, 26), rng.uniform(HEIGHT - 18, HEIGHT - 6)))
        yield place(f"wave{i}", "wave", x, y, scale=round(rng.uniform(0.7, 1.1), 2))


def _land(rng: Random) -> Iterator[Shape]:
    yield path(_SHORE, fill="grass", stroke="path", width=16)
    for i in range(44):
        x, y = rng.uniform(70, 900), rng.uniform(70, 460)
        yield place(f"tuft{i}", rng.choice(("tuft", "tuft", "tuft", "flower")), x, y, scale=0.8, tint="gold")


def _nature(story: IslandStory) -> Iterator[Shape]:
    """Yield the pool with its waterfall, the dock, and the landmarks."""
    x, y = position(story.map.place("pool"))
    yield path(f"M{x - 34} {y}a34 18 0 1 0 68 0a34 18 0 1 0 -68 0Z", fill="water", stroke="stone/60", width=3)
    yield path(f"M{x - 12} {y - 44}h24l4 40h-32z", fill="water")
    yield path(f"M{x - 6} {y - 42}v34M{x + 1} {y - 40}v36M{x + 8} {y - 42}v32", stroke="ink/35", width=1.5)
    x, y = position(story.map.place("dock"))
    planks = "".join(f"M{x - 16} {y - 22 + 9 * i:g}h32" for i in range(7))
    yield rect(x - 16, y - 26, 32, 62, "wood", radius=2)
    yield path(planks, stroke="shadow", width=1.5)
    for i, (where, symbol, right, down) in enumerate(_LANDMARKS):
        x, y = position(story.map.place(where))
        yield place(f"landmark{i}", symbol, x + right, y + down)


def _paths(story: IslandStory) -> Iterator[Shape]:
    """Yield the outdoor paths as one network."""
    net = ""
    for name, ways in story.map.ways.items():
        here = story.map.place(name)
        if here.area in _OPEN_AIR and name != "dock":
            (x, y) = position(here)
            net += "".join(f"M{x} {y}L{_point(story, way.to)}" for way in ways)
    yield path(net, stroke="wood/20", width=13)
    yield path(net, stroke="path", width=10)


def _point(story: IslandStory, name: str) -> str:
    x, y = position(story.map.place(name))
    return f"{x} {y}"


def _house(story: IslandStory, area: str) -> Iterator[Shape]:
    spots = [position(each) for each in story.map.places.values() if each.area == area]
    across = min(ROOM[0], *(abs(a[0] - b[0]) - 8 for a in spots for b in spots if a[0] != b[0]))
    left, right = min(x for x, _ in spots) - across / 2 - 8, max(x for x, _ in spots) + across / 2 + 8
    top, bottom = min(y for _, y in spots) - 42, max(y for _, y in spots) + 36
    yield rect(left + 5, top + 6, right - left, bottom - top, "shadow", radius=8)
    yield rect(left, top, right - left, bottom - top, "wall", radius=7)
    yield rect(left + 4, top + 4, right - left - 8, bottom - top - 8, "floor", radius=5)
    yield path(f"M{left - 3:g} {top + 15:g}V{top + 3:g}q0 -6 6 -6H{right - 3:g}q6 0 6 6V{top + 15:g}Z", fill="roof")
    yield text(left + 10, top + 6, area.replace("-", " "), "panel", size=12, align="left")
    for x, y in spots:
        yield rect(x - across / 2, y - 22, across, ROOM[1], "floor2", radius=4)
    for one in (each for each in story.map.places.values() if each.area == area):
        for way in story.map.ways[one.name]:
            other = story.map.place(way.to)
            if other.area == area and one.name < other.name:
                yield line(*position(one), *position(other), "wall/35", width=5)


def _doors(story: IslandStory) -> Iterator[Shape]:
    for one, other in story.map.doors.values():
        (x, y), (to_x, to_y) = position(story.map.place(one)), position(story.map.place(other))
        across, down = (6, 16) if abs(to_x - x) > abs(to_y - y) else (16, 6)
        yield rect(
            (x + to_x) / 2 - across / 2, (y + to_y) / 2 - down / 2, across, down, "wood", radius=2, stroke="panel"
        )


def _places(story: IslandStory) -> Iterator[Shape]:
    for each in story.map.places.values():
        x, y = position(each)
        yield circle(x, y, 5, "panel", stroke="faint", width=1.5)
        yield text(x, y + 14, place_label(each.name), "ink", size=11)


def _people(story: IslandStory) -> Iterator[Shape]:
    """Yield the people, each to the right of their place, with the name in the left corner of the room."""
    for who in story.people.values():
        x, y = position(story.map.place(who.at))
        spot = person_position(story, who.name)
        if who.name.startswith("patient"):
            yield place(who.name, "patient", *spot, tint=_SICK)
        else:
            room = _room_of(story, who.at)
            is_outdoors = story.map.place(who.at).area in _OPEN_AIR
            left, up = (room, 2) if is_outdoors else (6 - room, 14)  # outdoors, the name is beside the person
            yield place(who.name, "person", *spot, tint=_PEOPLE.get(who.name, "faint"))
            yield text(x + left, y - up, who.name.replace("-", " "), "ink/75", size=10, align="left")


# --- symbols ----------------------------------------------------------------------------------------------------------


_PERSON: Symbol = [
    fill_part("shadow", ellipse(0, 9, 8, 3)),
    fill_part("tint", "M-7 9C-7 1 -4 -2 0 -2C4 -2 7 1 7 9C4 10.5 -4 10.5 -7 9Z"),
    fill_part("shadow", "M0 -2C4 -2 7 1 7 9C5 10 3 10.2 1 10.2C3 6 2 1 0 -2Z"),
    fill_part("wood", disc(0, -6.5, 4.6)),
    fill_part("tint", "M-4.6 -7C-4.6 -10 -2.4 -11.6 0 -11.6C2.4 -11.6 4.6 -10 4.6 -7C2 -8.4 -2 -8.4 -4.6 -7Z"),
]
_PATIENT: Symbol = [
    fill_part("shadow", ellipse(1, 7, 15, 3.5)),
    fill_part("wood", "M-15 -7h3v14h-3zM12 -2h3v9h-3z"),
    fill_part("panel", "M-13 -1h26v6h-26z"),
    fill_part("ink/30", "M-12 -5h8v5h-8z"),
    fill_part("wood", disc(-7, -3.5, 3.4)),
    fill_part("tint", "M-3 -4C2 -6 10 -4 13 -1V3H-3Z"),
]
_VISITOR: Symbol = [
    fill_part("player/18", disc(0, 0, 19)),
    fill_part("shadow", ellipse(0, 12, 10, 3.6)),
    fill_part("player", "M-9 12C-9 2 -5 -2 0 -2C5 -2 9 2 9 12C5 14 -5 14 -9 12Z"),
    fill_part("shadow", "M0 -2C5 -2 9 2 9 12C6.6 13.2 4 13.5 1.4 13.5C4 8 3 1 0 -2Z"),
    fill_part("wood", "M-11 2C-11 0 -8 0 -7 2V10C-9 11 -11 10 -11 8ZM-8 3L6 11L7 9.4L-6 1.4Z"),
    fill_part("wood", disc(0, -7.5, 5.8)),
    fill_part("gold", "M-9 -8.4C-6 -10 -5 -14.6 0 -14.6C5 -14.6 6 -10 9 -8.4C5 -6.8 -5 -6.8 -9 -8.4Z"),
    fill_part("roof", "M-5.6 -10.4C-3 -9.4 3 -9.4 5.6 -10.4L6.2 -8.8C3 -7.8 -3 -7.8 -6.2 -8.8Z"),
]
_FIRE: Symbol = [
    fill_part("shadow", ellipse(0, 6, 15, 5)),
    fill_part("stone", disc(-11, 5, 3), disc(-6, 8, 3), disc(0, 9, 3), disc(6, 8, 3), disc(11, 5, 3)),
    fill_part("wood", "M-9 4L8 8L9 5L-8 1ZM9 4L-8 8L-9 5L8 1Z"),
    fill_part("fire", "M-7 4C-9 -3 -3 -5 -3 -12C2 -9 2 -6 3 -5C4 -6 4 -7 4 -8C8 -4 8 1 6 4C3 7 -5 7 -7 4Z"),
    fill_part("gold", "M-3.5 4C-4.4 0 -1 -1 -0.6 -5C2.4 -3 4 1 3 4C2 6 -2.6 6 -3.5 4Z"),
]
_PALM: Symbol = [
    fill_part("shadow", ellipse(3, 17, 16, 5)),
    stroke_part("wood", 4, "M2 17C-1 8 -2 0 0 -8"),
    fill_part("leaf", "M0 -8C-8 -16 -18 -13 -20 -5C-13 -10 -7 -9 0 -8ZM0 -8C8 -16 18 -13 20 -5C13 -10 7 -9 0 -8Z"),
    fill_part("leaf", "M0 -8C-9 -8 -16 -1 -15 7C-11 0 -6 -4 0 -8ZM0 -8C9 -8 16 -1 15 7C11 0 6 -4 0 -8Z"),
    fill_part("shadow", "M0 -8C-9 -8 -16 -1 -15 7C-11 0 -6 -4 0 -8ZM0 -8C9 -8 16 -1 15 7C11 0 6 -4 0 -8Z"),
    fill_part("leaf", "M0 -8C-6 -17 -3 -22 4 -24C2 -19 3 -13 0 -8Z"),
    fill_part("wood", disc(-2, -6, 2), disc(2.4, -5.4, 2)),
]
_WAVE: Symbol = [stroke_part("ink/16", 1.6, "M-14 0C-10 -5 -6 -5 -3 0C0 -5 4 -5 7 0C10 -5 13 -4 15 -1")]
_BED: Symbol = [
    fill_part("wood/70", "M-22 -5q0 -3 3 -3h38q3 0 3 3v10q0 3 -3 3h-38q-3 0 -3 -3z"),
    stroke_part("leaf", 2.4, "M-16 4V-2M-16 0L-19 -4M-16 0L-13 -4M-5 4V-2M-5 0L-8 -4M-5 0L-2 -4"),
    stroke_part("leaf", 2.4, "M6 4V-2M6 0L3 -4M6 0L9 -4M16 4V-2M16 0L13 -4M16 0L19 -4"),
]
_CAVE: Symbol = [
    fill_part("shadow", ellipse(2, 18, 34, 7)),
    fill_part("stone", "M-34 18C-36 0 -22 -24 2 -24C22 -24 36 -4 34 18C20 22 -20 22 -34 18Z"),
    fill_part("ink/12", "M-28 2C-24 -14 -10 -22 2 -22C-4 -12 -16 -8 -28 2Z"),
    fill_part("shadow", "M-15 20C-17 4 -9 -6 0 -6C9 -6 17 4 15 20Z", "M-12 20C-13 6 -7 -2 0 -2C7 -2 13 6 12 20Z"),
]
_STAR: Symbol = [
    ("gold", "M0 -8L2.3 -2.8L8 -2.2L3.8 1.6L5 7.2L0 4.3L-5 7.2L-3.8 1.6L-8 -2.2L-2.3 -2.8Z", "panel", 1.4),
]
_AIM: Symbol = [stroke_part("accent", 2, "M-15 -7C-13 -12 -8 -15 -3 -15.6M15 -7C13 -12 8 -15 3 -15.6"),
                stroke_part("accent", 2, "M-15 7C-13 12 -8 15 -3 15.6M15 7C13 12 8 15 3 15.6")]  # fmt: skip
_THING: Symbol = [
    ("gold", "M-6 -3L0 -6L6 -3V4L0 7L-6 4Z", "panel", 1.2),
    ("panel/30", "M0 0L6 -3V4L0 7Z", "", 0.0),
]
_BOOK: Symbol = [
    ("roof", "M-5 -7h9q2 0 2 2v11h-9q-2 0 -2 -2z", "panel", 1.2),
    ("panel", "M-3 4h8v2h-8q-1 0 0 -2z", "", 0.0),
]
_POSTER: Symbol = [("floor2", "M-6 -7h12v14h-12z", "ink/60", 1.2), stroke_part("ink/60", 1.2, "M-3 -3h6M-3 0h6M-3 3h4")]
_CHEST: Symbol = [
    ("wood", "M-8 -6h16v12h-16z", "panel", 1.2),
    stroke_part("panel/60", 1.2, "M-8 -1h16"),
    fill_part("gold", disc(0, -1, 1.8)),
]

SYMBOLS: Symbols = {
    "thing": _THING,
    "book": _BOOK,
    "poster": _POSTER,
    "chest": _CHEST,
    **{name: SCENERY[name] for name in ("tree", "pine", "rock", "bush", "tuft", "flower")},
    "person": _PERSON,
    "patient": _PATIENT,
    "visitor": _VISITOR,
    "fire": _FIRE,
    "palm": _PALM,
    "wave": _WAVE,
    "bed": _BED,
    "cave": _CAVE,
    "star": _STAR,
    "aim": _AIM,
}
