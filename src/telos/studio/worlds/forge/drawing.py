"""The pictures of the forge: `draw_village` draws the static map, `draw_scene` people and things."""

import math
from collections.abc import Iterator, Mapping

from telos.studio.worlds.shapes import Picture, Shape, Symbol, Symbols, circle, line, path, place, rect, text
from telos.studio.worlds.walking import draw_arrows
from telos.worlds.forge.domain import Village
from telos.worlds.forge.forge import PLAYER
from telos.worlds.forge.scene import ForgeSceneView
from telos.worlds.forge.trace import describe_action
from telos.worlds.forge.views import ForgeView, VillagerView

# --- village ----------------------------------------------------------------------------------------------------------


WIDTH, HEIGHT = 760.0, 430.0
_COLUMN, _LINE, _LEFT, _TOP = 17.5, 24.0, 40.0, 24.0
_RIVER = "M780 40C720 -6 650 10 600 28S470 88 420 120S330 170 240 168S80 170 -20 214"
_WALL_LEFT = 736.0
_HOUSES = {  # the symbol at a place, and its offset
    "inn": ("inn", 0.0, -16.0),
    "cottage": ("cottage", 0.0, -14.0),
    "shed": ("shed", 0.0, -14.0),
    "forge": ("smithy", 0.0, -14.0),
    "square": ("well", 0.0, -20.0),
}
PLACE_NAMES = {"cottage": "neighbour's cottage", "river": "gold in the river"}  # labels that differ from the name
_BELOW = 46.0  # clear of a person who stands there, and of their name
_NAMES_AT = {
    "inn": (62.0, -26.0),
    "square": (-52.0, 30.0),
    "bridge": (48.0, 24.0),
    "river": (76.0, 6.0),
    "door": (-10.0, 46.0),
    "orchard": (96.0, 30.0),
}
_PINES = (
    (40, 64), (70, 44), (66, 92), (100, 66), (106, 112), (134, 42), (142, 92), (168, 66), (182, 116), (200, 46),
    (212, 88), (236, 62), (232, 124), (262, 46), (322, 52), (330, 92), (350, 66), (250, 98), (22, 108), (50, 132),
    (90, 146), (140, 136), (190, 148),
)  # fmt: skip
_APPLE_TREES = ((432, 392), (452, 412), (462, 372), (528, 372), (545, 404), (514, 418), (480, 421), (565, 378))
_TUFTS = ((60, 290), (200, 300), (230, 212), (420, 210), (540, 210), (440, 318), (560, 300), (690, 330), (680, 90),
          (700, 400), (380, 400), (250, 390), (540, 130), (470, 180), (160, 340), (660, 270))  # fmt: skip


def to_picture(column: float, row: float) -> tuple[float, float]:
    """Return the picture coordinates of a cell of the village's text map.

    >>> to_picture(5, 9)
    (127.5, 240.0)
    """
    return _LEFT + column * _COLUMN, _TOP + row * _LINE


def draw_village(village: Village, *, is_open: bool) -> Picture:
    """Return the village without people."""
    return [
        rect(0, 0, WIDTH, HEIGHT, "grass"),
        *_meadow(),
        *_river(),
        *_ways(village),
        *_bridge(village),
        *_paving(village),
        *_town_wall(village, is_open=is_open),
        *_standing(village),
        *_names(village),
    ]


def _meadow() -> Iterator[Shape]:
    for x, y in _TUFTS:
        yield path(f"M{x} {y}l-3 -6M{x + 2} {y}v-8M{x + 4} {y}l3 -6", stroke="leaf/60", width=1.4)


def _river() -> Iterator[Shape]:
    yield path(_RIVER, stroke="wall2/30", width=40)
    yield path(_RIVER, stroke="water", width=35)
    yield path(_RIVER, stroke="ink/10", width=13)
    yield path(_RIVER, stroke="water", width=10)


def _ways(village: Village) -> Iterator[Shape]:
    pairs = sorted({tuple(sorted((one, two))) for one, ways in village.ways.items() for two in ways})
    ends = [(*to_picture(*village.places[one]), *to_picture(*village.places[two])) for one, two in pairs]
    yield from (line(*each, "wall2/30", width=14) for each in ends)
    yield from (line(*each, "road", width=11) for each in ends)


def _bridge(village: Village) -> Iterator[Shape]:
    x, y = to_picture(*village.places["bridge"])
    u, v = to_picture(*village.places["woods"])
    far_x, far_y = x + (u - x) * 0.42, y + (v - y) * 0.42
    yield line(x + 4, y + 6, far_x, far_y, "wall2", width=24)
    yield line(x + 4, y + 6, far_x, far_y, "wood", width=20)
    for step in range(1, 9):
        share = step / 9
        at_x, at_y = x + 4 + (far_x - x - 4) * share, y + 6 + (far_y - y - 6) * share
        yield line(at_x - 8, at_y + 6, at_x + 8, at_y - 6, "page/25", width=1)


def _paving(village: Village) -> Iterator[Shape]:
    for name in village.places:
        x, y = to_picture(*village.places[name])
        yield circle(x, y, 24 if name == "square" else 15, "road", stroke="wall2/30", width=1.5)


def _town_wall(village: Village, *, is_open: bool) -> Iterator[Shape]:
    y = to_picture(*village.places["door"])[1]
    yield rect(_WALL_LEFT, 0, WIDTH - _WALL_LEFT, HEIGHT, "stone", stroke="wall2")
    bricks = "".join(
        f"M{_WALL_LEFT} {row}h24M{_WALL_LEFT + (6 if row % 28 else 16)} {row}v14" for row in range(0, int(HEIGHT), 14)
    )
    yield path(bricks, stroke="page/30", width=1)
    for row in range(0, int(HEIGHT), 28):
        yield rect(_WALL_LEFT - 5, row + 4, 10, 14, "stone", stroke="wall2", radius=1)
    yield place("gate", "gate_open" if is_open else "gate", _WALL_LEFT + 6, y - 6, scale=1.25)


def _standing(village: Village) -> Iterator[Shape]:
    """Yield houses and trees from back to front."""
    found: list[tuple[float, Shape]] = []
    for number, (u, v) in enumerate(_PINES):
        found.append((v, place(f"pine {number}", "pine", u, v, scale=1 + 0.12 * (number % 3))))
    for number, (u, v) in enumerate(_APPLE_TREES):
        found.append((v, place(f"apple tree {number}", "apple_tree", u, v)))
    for name, (symbol, right, down) in _HOUSES.items():
        x, y = to_picture(*village.places[name])
        found.append((y + down, place(name, symbol, x + right, y + down, scale=1.1)))
    yield from (shape for _, shape in sorted(found, key=lambda each: each[0]))


def _names(village: Village) -> Iterator[Shape]:
    for name in village.places:
        x, y = to_picture(*village.places[name])
        right, down = _NAMES_AT.get(name, (0.0, _BELOW))
        yield text(x + right, y + down, PLACE_NAMES.get(name, name).upper(), "ink/75", size=9)


# --- people and things ------------------------------------------------------------------------------------------------


TINTS = {"player": "player", "companion": "friend"}
SPEECH_SECONDS = 6.0  # seconds that a speech bubble is shown
_RING = 19.0
_BESIDE = {"player": -30.0, "companion": 30.0}  # offsets of two people at one place
_AT_DOOR = {"player": -56.0, "companion": 0.0}  # ... at the door, which has a wall to the right
_HEARTH = (-8.0, -19.0)  # offset from the forge


def draw_scene(village: Village, view: ForgeSceneView, *, ways: Mapping[str, str], is_you: bool) -> Picture:
    """Return people and things; ``ways`` maps arrows to places, ``is_you`` tells whether a person plays."""
    return [
        *_things(village, view.village),
        *_hints(village, view.village.person(PLAYER), ways),
        *(shape for person in view.village.people for shape in _person(person, view, is_you=is_you)),
    ]


def _things(village: Village, view: ForgeView) -> Iterator[Shape]:
    x, y = to_picture(*village.places["forge"])
    if view.fire != "out":
        is_hot = view.fire == "hot"
        yield circle(x + _HEARTH[0], y + _HEARTH[1], 26 if is_hot else 15, "fire/25")
        yield place("fire", "flame", x + _HEARTH[0], y + _HEARTH[1] - 3, scale=1.15 if is_hot else 0.75)
        yield place("smoke", "smoke", x + 22, y - 78)
    if view.bellows:
        yield place("bellows", "bellows", x - 24, y - 18)
    if view.tool != "in_hand":
        u, v = to_picture(*village.places["shed" if view.tool == "in_shed" else "door"])
        yield place("the hammer", "hammer", u + (34 if view.tool == "in_shed" else -22), v - 16, scale=1.2)
    u, v = to_picture(*village.places["cottage"])
    for basket in range(max(0, view.owed)):
        yield place(f"wanted {basket}", "apples", u + 38 + 18 * basket, v - 18, alpha=0.35)


def _hints(village: Village, player: VillagerView, ways: Mapping[str, str]) -> Iterator[Shape]:
    """Yield the paths that the player may take, each with its arrow."""
    near = {arrow: to_picture(*village.places[name]) for arrow, name in ways.items()}
    yield from draw_arrows(to_picture(*village.places[player.heading]), near)


def place_people(view: ForgeView) -> dict[str, tuple[float, float]]:
    """Return where each person is drawn: two at one place stand side by side."""
    spots = {}
    for person in view.people:
        x, y = to_picture(person.x, person.y)
        if _is_crowded(person, view):
            x += (_AT_DOOR if person.place == person.heading == "door" else _BESIDE)[person.name]
        spots[person.name] = x, y
    return spots


def _is_crowded(person: VillagerView, view: ForgeView) -> bool:
    others = [each for each in view.people if each.name != person.name]
    return any(math.hypot(each.x - person.x, each.y - person.y) <= 0.8 for each in others)


def _person(person: VillagerView, view: ForgeSceneView, *, is_you: bool) -> Iterator[Shape]:
    name = "you" if is_you and person.name == PLAYER else person.name
    x, y = place_people(view.village)[person.name]
    is_alone = not _is_crowded(person, view.village)
    if person.share > 0:
        yield from _ring(x, y, min(1.0, person.share))
    yield place(
        person.name,
        "figure",
        x,
        y,
        pick=person.name,
        tint=TINTS[person.name],
        label=_label(name, person) if is_alone else name,
        says=_speech(person.name, view),
        scale=1.15,
    )
    if person.hands != "free":
        yield place(f"{person.name} holds", person.hands, x + 12, y + 2)
    if person.pocket != "empty":
        yield place(f"{person.name} has", person.pocket, x - 12, y + 3)


def _label(name: str, person: VillagerView) -> str:
    is_at_it = person.doing != "nothing" and not person.doing.startswith("go ")
    return f"{name}: {describe_action(person.doing)}" if is_at_it else name


def _speech(name: str, view: ForgeSceneView) -> str | None:
    lines = [words for time, who, words in view.said if who == name and view.time - time < SPEECH_SECONDS]
    return lines[-1] if lines else None


def _ring(x: float, y: float, share: float) -> Iterator[Shape]:
    """Yield the progress of an action as an arc."""
    yield circle(x, y, _RING, "", stroke="ink/15", width=3)
    turn = 2 * math.pi * min(share, 0.9999)
    end_x, end_y = x + _RING * math.sin(turn), y - _RING * math.cos(turn)
    large = int(share > 0.5)
    arc = f"M{x:.1f} {y - _RING:.1f}A{_RING:g} {_RING:g} 0 {large} 1 {end_x:.2f} {end_y:.2f}"
    yield path(arc, stroke="accent", width=3)


# --- symbols ----------------------------------------------------------------------------------------------------------


def _disc(x: float, y: float, radius: float) -> str:
    return f"M{x - radius} {y}a{radius} {radius} 0 1 0 {2 * radius} 0a{radius} {radius} 0 1 0 {-2 * radius} 0z"


def _house(roof: str, wide: float, *more: tuple[str, str, str, float]) -> Symbol:
    """Return a house whose foot is at (0, 0), with more of its own."""
    return [
        ("shadow", f"M{-wide} 3h{2 * wide + 8}l-6 -9h{-2 * wide}z", "", 0),
        ("floor2", f"M{-wide + 4} 0v-24h{2 * wide - 8}v24z", "wall2", 1),
        (roof, f"M{-wide - 2} -20L{-wide + 10} -42H{wide - 10}L{wide + 2} -20z", "wall2", 1),
        ("page/15", f"M{-wide + 3} -29h{2 * wide - 6}M{-wide + 7} -36h{2 * wide - 14}", "page/25", 1),
        *more,
    ]


_DOOR = ("wood", "M-5 0v-13q5 -4 10 0v13z", "wall2", 1.0)
_LIT = ("gold/80", "M-20 -15h8v8h-8zM12 -15h8v8h-8z", "wall2", 1.0)

SYMBOLS: Symbols = {
    "inn": _house(
        "roof",
        34,
        _DOOR,
        ("gold/80", "M-27 -15h8v8h-8zM-15 -15h7v8h-7zM10 -15h7v8h-7zM20 -15h7v8h-7z", "wall2", 1),
        ("wood", "M33 -30h10v2h-4v3h-2v-3h-4z", "", 0),
        ("gold", "M34 -25h9v7h-9z", "wall2", 1),
    ),
    "cottage": _house(
        "fire",
        26,
        _DOOR,
        _LIT,
        ("stone", "M10 -50h7v12h-7z", "wall2", 1),
        ("leaf", _disc(-24, -2, 5) + _disc(25, -2, 5), "", 0),
    ),
    "shed": _house("wood", 22, ("wall2", "M-9 0v-16h18v16z", "page/40", 1), ("", "M-9 -16L9 0M9 -16L-9 0", "wood", 2)),
    "smithy": _house(
        "stone",
        34,
        ("panel", "M-24 0v-17h48v17z", "wall2", 1),
        ("stone", "M14 -56h11v20h-11z", "wall2", 1),
        ("wall2", "M-14 0v-8h14v8z", "page/40", 1),  # the hearth
        ("stone", "M8 -7h14q-2 4 -6 4v3h3v2h-10v-2h3v-3q-4 0 -4 -4z", "page/40", 1),  # the anvil
    ),
    "bellows": [("wood", "M-9 0l11 -5v10zM2 -2h6v4h-6z", "page/50", 1)],
    "flame": [
        ("fire", "M0 6q-8 0 -8 -7q0 -5 4 -8q0 3 2 4q0 -6 4 -9q0 5 3 8q3 3 3 6q0 6 -8 6z", "", 0),
        ("gold", "M0 6q-4 0 -4 -4q0 -3 3 -6q1 3 3 4q2 2 2 3q0 3 -4 3z", "", 0),
    ],
    "smoke": [("faint/30", _disc(0, 0, 5) + _disc(5, -8, 7) + _disc(13, -17, 9), "", 0)],
    "pine": [
        ("shadow", "M-9 2q9 4 20 0l-2 -4h-16z", "", 0),
        ("wood", "M-2 2v-7h4v7z", "", 0),
        ("leaf", "M-11 -4L0 -21L11 -4z", "page/30", 1),
        ("leaf", "M-8.500 -13L0 -29L8.500 -13z", "page/30", 1),
    ],
    "apple_tree": [
        ("shadow", "M-12 2q12 4 26 0l-2 -4h-22z", "", 0),
        ("wood", "M-2.500 2v-10h5v10z", "", 0),
        ("leaf", _disc(-7, -14, 8) + _disc(7, -14, 8) + _disc(0, -20, 9), "page/25", 1),
        ("leaf", _disc(0, -15, 9), "", 0),
        ("danger", _disc(-8, -15, 2) + _disc(3, -21, 2) + _disc(8, -12, 2) + _disc(-1, -12, 2), "", 0),
    ],
    "well": [
        ("stone", _disc(0, 0, 9), "wall2", 1),
        ("water", _disc(0, 0, 5.500), "wall2", 1),
        ("", "M-9 0v-13M9 0v-13", "wood", 2),
        ("roof", "M-13 -12L0 -21L13 -12z", "wall2", 1),
    ],
    "gate": [
        ("wall2", "M-13 26v-48q13 -14 26 0v48z", "page/40", 1),
        ("wood", "M-9 26v-45q9 -10 18 0v45z", "page/50", 1),
        ("", "M-3 -23v49M3 -23v49", "page/30", 1),
        ("stone", "M-9 -8h18v3h-18zM-9 14h18v3h-18z", "", 0),
        ("gold", _disc(-5, 4, 2.600), "page", 1),
    ],
    "gate_open": [
        ("wall2", "M-13 26v-48q13 -14 26 0v48z", "page/40", 1),
        ("gold/50", "M-9 26v-45q9 -10 18 0v45z", "", 0),
        ("wood", "M-9 26v-45l-7 -3v44z", "page/50", 1),
    ],
    "figure": [
        ("shadow", "M-9 11a9 3.500 0 1 0 18 0a9 3.500 0 1 0 -18 0z", "", 0),
        ("tint", "M-8 11q-1 -13 8 -13q9 0 8 13q-8 3 -16 0z", "page", 1.200),
        ("wood", _disc(0, -7, 5.500), "page", 1.200),
    ],
    "wood": [("wood", "M-7 -3h14v3h-14zM-6 0h13v3h-13zM-7 3h14v3h-14z", "page", 0.800)],
    "hammer": [("wood", "M-1.300 -3h2.600v11h-2.600z", "page", 0.600), ("stone", "M-6 -7h12v5h-12z", "page", 0.800)],
    "apples": [
        ("danger", _disc(-3, -2, 2.600) + _disc(3, -2, 2.600) + _disc(0, -4, 2.600), "", 0),
        ("wood", "M-7 -1h14l-2 8h-10z", "page", 0.800),
    ],
    "gold": [("gold", "M-5 3l2 -6l5 -1l4 4l-2 4h-7z", "page", 0.800)],
    "key": [("", "M-1 0h8M4 0v3M7 0v3", "gold", 2), ("", _disc(-4, 0, 3), "gold", 2)],
    "spare": [("", "M-1 0h8M4 0v3M7 0v3", "stone", 2), ("", _disc(-4, 0, 3), "stone", 2)],
}
