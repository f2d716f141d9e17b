"""The pictures of the house: `draw_floor_plan` draws the static plan, `draw_scene` people, light and cards."""

import math
from collections.abc import Iterator, Sequence

from telos.studio.worlds.shapes import Picture, Shape, Symbol, Symbols, circle, line, path, place, rect, text
from telos.worlds.home.floor import Cell, FloorPlan
from telos.worlds.home.views import HomeView, PersonView

# --- floor plan -------------------------------------------------------------------------------------------------------


WIDTH, HEIGHT = 760.0, 430.0
CELL_WIDE, CELL_HIGH = 16.0, 24.0
LEFT, TOP = 12.0, 20.0
_WALL = 5.0
_FLOORS = {
    "kitchen": "floor2",
    "living room": "floor",
    "bedroom": "floor2",
    "hall": "path",
    "bathroom": "water",
    "study": "floor2",
    "guest room": "floor",
}
_TILED = {"kitchen", "bathroom"}
_FURNITURE = {
    "F": "fridge", "R": "fridge", "O": "oven", "T": "table", "H": "chair", "V": "television", "L": "sofa",
    "G": "console", "K": "shelf", "C": "armchair", "P": "phone", "W": "toilet", "N": "basin", "S": "shower",
}  # fmt: skip
_WHOLE = "TVL"  # furniture that spans several cells
_SHIFT = {"F": (4.0, 0.0), "W": (4.0, 0.0), "S": (-4.0, 0.0)}  # away from the wall
_BED_SHIFT = (-8.0, 4.0)
_SEAT = 26.0  # distance between seats on the sofa


def centre(cell: Cell) -> tuple[float, float]:
    """Return the picture coordinates of the centre of a cell."""
    row, column = cell
    return LEFT + (column + 0.5) * CELL_WIDE, TOP + (row + 0.5) * CELL_HIGH


def person_position(plan: FloorPlan, cell: Cell) -> tuple[float, float]:
    """Return the picture coordinates of a person in a cell; on the sofa, people sit further apart than its cells."""
    x, y = centre(cell)
    if plan.rows[cell[0]][cell[1]].isdigit():
        return x + _BED_SHIFT[0], y + _BED_SHIFT[1]
    sofa = plan.furniture.get("L", ())
    if cell in sofa:
        return x + (sofa.index(cell) - (len(sofa) - 1) / 2) * (_SEAT - CELL_WIDE), y - 1
    return x, y


def room_boxes(plan: FloorPlan) -> dict[str, tuple[float, float, float, float]]:
    """Return the box of each room, between the centres of its walls: x, y, width, height."""
    found: dict[str, list[Cell]] = {}
    for row in range(plan.height):
        for column in range(plan.width):
            name = plan.room_at((row, column))
            if name != "door":
                found.setdefault(name, []).append((row, column))
    boxes = {}
    for name, cells in found.items():
        (x, y), (u, v) = centre((cells[0][0] - 1, cells[0][1] - 1)), centre((cells[-1][0] + 1, cells[-1][1] + 1))
        boxes[name] = x, y, u - x, v - y
    return boxes


def draw_floor_plan(plan: FloorPlan) -> Picture:
    """Return the house without people."""
    return [
        rect(0, 0, WIDTH, HEIGHT, "ground"),
        *(shape for name, box in room_boxes(plan).items() for shape in _floor(name, *box)),
        *_rugs(plan),
        *_walls(plan),
        *(_leaf(plan, door) for door in sorted(plan.doors)),
        *(shape for mark, cells in plan.furniture.items() for shape in _furniture(mark, cells)),
        *(
            text(x + 9, y + h - 12, name.upper(), "faint", size=9, align="left")
            for name, (x, y, _, h) in room_boxes(plan).items()
        ),
    ]


def _floor(name: str, x: float, y: float, width: float, height: float) -> Iterator[Shape]:
    yield rect(x, y, width, height, _FLOORS.get(name, "floor"))
    across = range(1, int(height // 12)) if name not in _TILED else range(1, int(height // 16))
    gap = 12 if name not in _TILED else 16
    lines = [f"M{x} {y + gap * row}h{width}" for row in across]
    if name in _TILED:
        lines += [f"M{x + gap * column} {y}v{height}" for column in range(1, int(width // gap) + 1)]
    yield path("".join(lines), stroke="ink/5", width=1)


def _rugs(plan: FloorPlan) -> Iterator[Shape]:
    for mark, role in (("L", "accent/20"), ("C", "gold/15")):
        cells = plan.furniture.get(mark, ())
        if cells:
            xs, ys = zip(*map(centre, cells), strict=True)
            x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2 - (22 if mark == "L" else -6)
            yield rect(x - 66, y - 24, 132, 52, role, radius=6, stroke="ink/10")


def _walls(plan: FloorPlan) -> Iterator[Shape]:
    """Yield each run of walls as one line, so that corners meet without overlap."""
    for down, across in ((0, 1), (1, 0)):
        for cell in sorted(plan.walls):
            before, after = (cell[0] - down, cell[1] - across), (cell[0] + down, cell[1] + across)
            if before in plan.walls or after not in plan.walls:
                continue
            end = cell
            while (end[0] + down, end[1] + across) in plan.walls:
                end = end[0] + down, end[1] + across
            (x, y), (u, v) = centre(cell), centre(end)
            grow_x, grow_y = across * _WALL / 2, down * _WALL / 2
            yield line(x - grow_x, y - grow_y, u + grow_x, v + grow_y, "wall", width=_WALL)
    for door in sorted(plan.doors):  # a wall line ends at the centre of its last cell: extend it to the door
        yield from _jambs(plan, door)


def _jambs(plan: FloorPlan, door: Cell) -> Iterator[Shape]:
    x, y = centre(door)
    if _is_across(plan, door):
        yield line(x - CELL_WIDE, y, x - CELL_WIDE / 2 - 3, y, "wall", width=_WALL)
        yield line(x + CELL_WIDE / 2 + 3, y, x + CELL_WIDE, y, "wall", width=_WALL)
    else:
        yield line(x, y - CELL_HIGH, x, y - CELL_HIGH / 2, "wall", width=_WALL)
        yield line(x, y + CELL_HIGH / 2, x, y + CELL_HIGH, "wall", width=_WALL)


def _is_across(plan: FloorPlan, door: Cell) -> bool:
    return (door[0], door[1] - 1) in plan.walls


def _leaf(plan: FloorPlan, door: Cell) -> Shape:
    """Return an open door."""
    x, y = centre(door)
    if _is_across(plan, door):
        return line(x - CELL_WIDE / 2 - 2, y, x - CELL_WIDE / 2 + 2, y - 17, "wood", width=3)
    return line(x, y - CELL_HIGH / 2, x + 17, y - CELL_HIGH / 2 + 3, "wood", width=3)


def draw_locked_door(plan: FloorPlan, room: str) -> Picture:
    """Return the locked doors of a room."""
    shapes: Picture = []
    for door in sorted(plan.doors):
        if any(plan.room_at(near) == room for near in ((door[0] + 1, door[1]), (door[0] - 1, door[1]))):
            x, y = centre(door)
            shapes += [
                line(x - CELL_WIDE / 2 - 3, y, x + CELL_WIDE / 2 + 3, y, "danger", width=_WALL),
                circle(x, y + 1, 11, "panel/90", stroke="danger", width=1.5),
                place(f"lock {room}", "padlock", x, y - 1),
            ]
    return shapes


def _furniture(mark: str, cells: tuple[Cell, ...]) -> Iterator[Shape]:
    symbol = "bed" if mark.isdigit() else _FURNITURE.get(mark)
    if symbol is None:
        return
    if mark in _WHOLE:
        (x, y), (u, v) = centre(cells[0]), centre(cells[-1])
        yield place(symbol, symbol, (x + u) / 2, (y + v) / 2)
        return
    for number, cell in enumerate(cells):
        x, y = centre(cell)
        right, down = _BED_SHIFT if mark.isdigit() else _SHIFT.get(mark, (0.0, 0.0))
        yield place(f"{symbol} {mark}{number}", symbol, x + right, y + down)


def _name(name: str, x: float, y: float, width: float, height: float) -> Shape:
    return text(x + 9, y + height - 12, name.upper(), "faint", size=9, align="left")


# --- people, light and cards ------------------------------------------------------------------------------------------


TINTS = ("foe", "player", "gold", "friend", "accent", "gem")  # of the first person, the second, …
DESPERATE = 8.0
_DUSK, _DAWN = 21, 6
_SHORT = {
    "get-snack": "has a snack", "take-ingredients": "gets food", "insert": "fills the oven", "cook": "cooks",
    "take-out": "serves", "eat": "eats", "use": "uses the toilet", "wash-hands": "washes hands", "shower": "showers",
    "watch-tv": "watches TV", "play": "plays", "read": "reads", "ring-friend": "phones", "sleep": "sleeps",
    "chat": "chats", "potter": "potters", "gather": "alarm!",
}  # fmt: skip
_CARD_TOP, _CARD_HIGH, _CARD_MOST = 385.0, 41.0, 238.0
_SIDE_BY_SIDE = 28.0
_LETTER = 6.2  # approximate width
_CROWD = 62.0  # people nearer to each other than this are labelled by name only


def describe_doing(person: PersonView) -> str:
    """Describe the activity of a person in two words.

    >>> from telos.worlds.home.home import Home
    >>> home = Home(people=1)
    >>> home.step({"Ada": "toilet.use"})
    >>> describe_doing(home.view().people[0])
    'to the toilet'
    """
    if person.doing is None:
        return "waits"
    thing, _, deed = person.doing.rpartition(".")
    short = _SHORT.get(deed, deed)
    if deed == "chat":
        return f"chats with {thing}"
    if not person.walking:
        return short
    if thing.endswith("s_bed"):
        return "to bed"
    return f"to the {thing.replace('_', ' ')}" if thing else short


def draw_scene(plan: FloorPlan, view: HomeView) -> Picture:
    """Return the changing part of the picture."""
    return [
        *_light(plan, view),
        *_switched_on(plan, view),
        *(shape for room in sorted(view.locked) for shape in draw_locked_door(plan, room)),
        *_people(plan, view),
        *_cards(view),
    ]


def is_dark(view: HomeView) -> bool:
    """Return whether it is night."""
    return not _DAWN <= int(view.clock[:2]) < _DUSK


def _light(plan: FloorPlan, view: HomeView) -> Iterator[Shape]:
    """Yield the shade of dark rooms: at night those where all are asleep, without power all rooms."""
    if not is_dark(view) and view.has_power:
        return
    awake = {person.room for person in view.people if person.kind != "sleep" or person.walking}
    for name, box in room_boxes(plan).items():
        if is_dark(view) and view.has_power and name in awake:
            yield rect(*box, "gold/12")
        else:
            yield rect(*box, "shadow")
            if is_dark(view):
                yield rect(*box, "water/20")


def _switched_on(plan: FloorPlan, view: HomeView) -> Iterator[Shape]:
    activities = {person.doing for person in view.people if not person.walking}
    if "sofa.watch-tv" in activities:
        cells = plan.furniture["V"]
        yield place("television on", "television_on", *centre(cells[len(cells) // 2]))
    if "console.play" in activities:
        yield place("console on", "console_on", *centre(plan.furniture["G"][0]))
    if "oven.cook" in activities:
        yield place("oven hot", "oven_hot", *centre(plan.furniture["O"][0]))
    if "shower.shower" in activities:
        x, y = centre(plan.furniture["S"][0])
        yield place("water", "water", x - 4, y)


def person_positions(plan: FloorPlan, view: HomeView) -> dict[str, tuple[float, float]]:
    """Return where each person is drawn."""
    spots = _apart([person_position(plan, person.cell) for person in view.people])
    return {person.name: spot for person, spot in zip(view.people, spots, strict=True)}


def middle(cells: Sequence[Cell]) -> tuple[float, float]:
    """Return the point between cells."""
    xs, ys = zip(*map(centre, cells), strict=True)
    return sum(xs) / len(xs), sum(ys) / len(ys)


def _people(plan: FloorPlan, view: HomeView) -> Iterator[Shape]:
    spots = list(person_positions(plan, view).values())
    for number, person in enumerate(view.people):
        x, y = spots[number]
        others = [each for place_of, each in enumerate(spots) if place_of != number]
        is_alone = all(abs(u - x) > _CROWD or abs(v - y) > 16 for u, v in others)
        is_asleep = person.kind == "sleep" and not person.walking
        yield place(
            person.name,
            "sleeper" if is_asleep else "person",
            x,
            y,
            pick=person.name,
            tint=TINTS[number],
            label=_label(person, x) if is_alone else person.name,
            glow="danger" if max(person.levels.values()) >= DESPERATE else None,
        )
        if person.carrying != "nothing":
            yield place(f"{person.name} carries", str(person.carrying), x + 10, y - 6)


def _apart(spots: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Move adjacent people apart, so that their labels are readable.

    >>> _apart([(100.0, 50.0), (116.0, 50.0), (300.0, 50.0)])
    [(94.0, 50.0), (122.0, 50.0), (300.0, 50.0)]
    """
    moved = [list(each) for each in spots]
    for one, (x, y) in enumerate(spots):
        for two, (u, v) in enumerate(spots):
            if one != two and abs(y - v) < 14 and 0 < abs(u - x) < _SIDE_BY_SIDE:
                moved[one][0] += math.copysign((_SIDE_BY_SIDE - abs(u - x)) / 2, x - u)
    return [(x, y) for x, y in moved]


def _label(person: PersonView, x: float) -> str:
    """Return the name, with the activity if it is notable and fits."""
    label = f"{person.name} {describe_doing(person)}"
    is_notable = not person.walking and person.kind not in ("idle", "sleep")
    fits = _LETTER * len(label) / 2 < min(x, WIDTH - x)
    return label if is_notable and fits else person.name


def _cards(view: HomeView) -> Iterator[Shape]:
    """Yield a card per person: name, activity, and the motives as columns."""
    room = (WIDTH - 2 * LEFT) / len(view.people)
    wide = min(_CARD_MOST, room - 5)
    left = LEFT + (room * len(view.people) - (wide + 5) * len(view.people) + 5) / 2
    for number, person in enumerate(view.people):
        yield from _card(person, TINTS[number], left + number * (wide + 5), wide)


def _card(person: PersonView, tint: str, x: float, wide: float) -> Iterator[Shape]:
    yield rect(x, _CARD_TOP, wide, _CARD_HIGH, "panel/85", radius=6, stroke="line")
    yield circle(x + 11, _CARD_TOP + 12, 4.5, tint)
    yield text(x + 21, _CARD_TOP + 12.5, person.name, size=12, align="left")
    yield text(x + 7, _CARD_TOP + 30, describe_doing(person), "faint", size=10, align="left")
    step = 6.0
    for place_of, level in enumerate(person.levels.values()):
        at = x + wide - 8 - (len(person.levels) - place_of) * step + 2
        full, share = 30.0, min(1.0, level / 10)
        yield rect(at, _CARD_TOP + 5.5, 4, full, "ink/10", radius=1.5)
        role = "good" if level < 4 else "warn" if level < 7 else "danger"
        yield rect(at, _CARD_TOP + 5.5 + full * (1 - share), 4, full * share, role, radius=1.5)


# --- symbols ----------------------------------------------------------------------------------------------------------


def _box(x: float, y: float, width: float, height: float, radius: float = 2) -> str:
    """Return the outline of a box with round corners, as path data."""
    w, h, r = width - 2 * radius, height - 2 * radius, radius
    return (
        f"M{x + r} {y}h{w}q{r} 0 {r} {r}v{h}q0 {r} {-r} {r}h{-w}q{-r} 0 {-r} {-r}v{-h}q0 {-r} {r} {-r}z"
    )  # fmt: skip


def _disc(x: float, y: float, radius: float) -> str:
    return f"M{x - radius} {y}a{radius} {radius} 0 1 0 {2 * radius} 0a{radius} {radius} 0 1 0 {-2 * radius} 0z"


def _oval(x: float, y: float, wide: float, high: float) -> str:
    return f"M{x - wide} {y}a{wide} {high} 0 1 0 {2 * wide} 0a{wide} {high} 0 1 0 {-2 * wide} 0z"


_BED: Symbol = [
    ("wood", _box(-18, -21, 36, 50, 4), "wall2", 1),
    ("floor2", _box(-15, -18, 30, 44, 3), "ink/10", 1),
    ("ink/25", _box(-11, -16, 22, 11, 4), "", 0),
]
_FRIDGE: Symbol = [
    ("shadow", _box(-11, -10, 25, 26, 3), "", 0),
    ("stone", _box(-13, -13, 26, 26, 3), "wall2", 1),
    ("ink/25", _box(-13, -13, 26, 8, 3), "", 0),
    ("", "M-13 5h26", "panel/70", 1.5),
    ("", "M8 8.5h-7", "ink/80", 2),
]

SYMBOLS: Symbols = {
    "fridge": _FRIDGE,
    "oven": [
        ("shadow", _box(-12, -10, 28, 26, 3), "", 0),
        ("stone", _box(-14, -13, 28, 26, 3), "wall2", 1),
        ("panel", _disc(-6.5, -6, 4.2) + _disc(6.5, -6, 4.2) + _disc(-6.5, 5, 4.2) + _disc(6.5, 5, 4.2), "ink/30", 1),
    ],
    "oven_hot": [("fire", _disc(-6.5, 5, 3.4) + _disc(6.5, 5, 3.4), "gold", 1.2), ("fire/30", _disc(0, 4, 20), "", 0)],
    "table": [
        ("shadow", _box(-17, -25, 38, 54, 6), "", 0),
        ("wood", _box(-18, -27, 36, 54, 6), "wall2", 1),
        ("", "M-6 -27v54M6 -27v54", "page/15", 1),
        ("stone", _disc(-9, -13, 5) + _disc(9, -13, 5) + _disc(-9, 13, 5) + _disc(9, 13, 5), "page/40", 1),
    ],
    "chair": [("wood", _box(-7, -7, 14, 14, 4), "wall2", 1), ("page/15", _box(-4.5, -4.5, 9, 9, 3), "", 0)],
    "television": [("wood", _box(-36, -9, 72, 12, 2), "wall2", 1), ("panel", _box(-26, -5, 52, 6, 1), "faint", 1)],
    "television_on": [
        ("gem", _box(-26, -5, 52, 6, 1), "ink/60", 1),
        ("gem/20", "M-26 1L-46 44H46L26 1z", "", 0),
    ],
    "sofa": [
        ("shadow", _box(-44, -11, 92, 32, 7), "", 0),
        ("leaf", _box(-46, -14, 92, 32, 7), "wall2", 1),
        ("page/20", _box(-46, 9, 92, 9, 4), "", 0),
        ("ink/15", _box(-38, -11, 24, 19, 4) + _box(-12, -11, 24, 19, 4) + _box(14, -11, 24, 19, 4), "", 0),
    ],
    "console": [
        ("wood", _box(-13, -12, 24, 20, 3), "wall2", 1),
        ("panel", _box(-9, -9, 16, 10, 2), "faint", 1),
        ("accent", _disc(-6, 5, 1.8) + _disc(4, 5, 1.8), "", 0),
    ],
    "console_on": [("accent", _box(-9, -9, 16, 10, 2), "ink/60", 1), ("accent/20", _disc(-1, 2, 22), "", 0)],
    "shelf": [
        ("wood", _box(-9, -11, 18, 13, 1), "wall2", 1),
        ("roof", _box(-7, -9, 3.4, 9, 0.5), "", 0),
        ("player", _box(-3, -9, 3, 9, 0.5), "", 0),
        ("gold", _box(0.6, -9, 2.6, 9, 0.5), "", 0),
        ("leaf", _box(3.8, -9, 3.4, 9, 0.5), "", 0),
    ],
    "armchair": [
        ("shadow", _box(-13, -10, 30, 28, 8), "", 0),
        ("roof", _box(-15, -13, 30, 28, 8), "wall2", 1),
        ("page/20", _box(-15, 7, 30, 8, 4), "", 0),
        ("ink/15", _box(-9, -10, 18, 17, 5), "", 0),
    ],
    "phone": [
        ("wood", _disc(0, 0, 10), "wall2", 1),
        ("wall2", _box(-6, -3, 12, 8, 2), "", 0),
        ("stone", "M-7 -4q7 -5 14 0v2q-3 1 -4 -1q-3 -1 -6 0q-1 2 -4 1z", "", 0),
    ],
    "toilet": [
        ("stone", _box(-8, -14, 16, 8, 2), "wall2", 1),
        ("stone", _oval(0, 2, 8, 10), "wall2", 1),
        ("water", _oval(0, 2, 4.6, 6.4), "wall2/60", 1),
    ],
    "basin": [
        ("stone", _box(-11, -13, 22, 15, 4), "wall2", 1),
        ("water", _oval(0, -5, 7, 4.4), "wall2/60", 1),
        ("", "M0 -12v5", "wall2", 2),
    ],
    "shower": [
        ("water", _box(-17, -15, 34, 34, 3), "ink/50", 1.5),
        ("ink/40", _disc(0, 2, 3), "", 0),
        ("", "M-12 -10l5 5M12 -10l-5 5M-12 14l5 -5M12 14l-5 -5", "ink/25", 1.2),
    ],
    "water": [("", "M-10 -10v5M-3 -13v5M4 -11v5M11 -9v5M-7 -2v5M8 0v5M0 6v5", "gem", 1.6)],
    "bed": _BED,
    "padlock": [
        ("", "M-4 -2v-3a4 4 0 0 1 8 0v3", "danger", 2.2),
        ("danger", _box(-6.5, -2, 13, 10, 2), "page", 1),
        ("page", _disc(0, 2.4, 1.6), "", 0),
    ],
    "person": [
        ("shadow", _oval(1, 3, 10, 7), "", 0),
        ("tint", _oval(0, 1, 10, 6.5), "page", 1.2),
        ("wood", _disc(0, -1, 5.4), "page", 1.2),
    ],
    "sleeper": [
        ("wood", _disc(0, -10, 5), "page", 1),
        ("tint", "M-14 -4q14 -4 28 0v25q0 3 -3 3h-22q-3 0 -3 -3z", "page/60", 1),
        ("page/15", "M-14 -4q14 -4 28 0v5q-14 -4 -28 0z", "", 0),
    ],
    "meal": [("stone", _disc(0, 0, 4.6), "page", 1), ("fire", _disc(0, 0, 2.4), "", 0)],
    "raw": [("leaf", "M-4 4l-1 -8h10l-1 8z", "page", 1), ("roof", _disc(-1.5, -4.5, 2) + _disc(2, -4.5, 1.7), "", 0)],
}
