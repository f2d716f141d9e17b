"""The pictures of the adventure: `AdventureDrawing` draws the ground of an area, and hero, monsters and treasure."""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random

from telos.studio.worlds.adventure.effects import Effects
from telos.studio.worlds.adventure.symbols import BODIES, BODY, SCENERY, fill_part
from telos.studio.worlds.shapes import Picture, Shape, Symbol, Symbols, circle, path, place, rect
from telos.worlds.adventure.map import VECTORS, AreaMap
from telos.worlds.adventure.rules import FRAMES_A_SECOND, Rules
from telos.worlds.adventure.rules_file import COMPANION
from telos.worlds.adventure.views import AdventureView, CompanionView

# --- ground -----------------------------------------------------------------------------------------------------------


_STEP = 33  # pixels between the trees of a wall
_PATH = 58  # pixels, the width of a path
_PLAZA = 44  # pixels, the radius of the trodden ground in the middle
_PACE = 21  # pixels between two footprints
_MEADOW = (("tuft", 38), ("flower", 10), ("pebbles", 5))  # scattered symbols and their number
_WOODS = (
    ("tree", "tree", "tree", "bush"),
    ("pine", "pine", "tree"),
    ("rock", "rock", "bush"),
    ("tree", "pine", "rock"),
)
_BLOSSOMS = ("accent", "gold", "foe", "ink")
_NORMAL = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


@lru_cache(maxsize=128)  # all games show the same areas
def draw_ground(
    area: str,
    size: tuple[int, int],
    exits: tuple[str, ...],
    *,
    town: bool,
    chest: bool,
    trail: tuple[str, str] | None = None,
) -> Picture:
    """Return the static part of an area; the same area always looks the same. ``trail`` is where footprints lead."""
    rng = Random(f"area {area}")  # for the look only; the game has its own generator
    width, height = size
    drawn = [rect(0, 0, width, height, "grass"), *_patches(size, rng), *_paths(size, exits, rng)]
    drawn += _scattered(size, exits, rng)
    drawn += _footprints(size, trail) if trail is not None else []
    standing = [*_walls(size, exits, rng), *(_houses(size, exits) if town else ())]
    drawn += sorted(standing, key=lambda shape: float(shape[4]))  # what is further down is in front
    if town:
        drawn += [circle(width / 2, height / 2, 32, "", stroke="gold/60", width=2)]
        drawn += [place("banner", "banner", width / 2 + 38, height / 2 - 14)]
    if chest:
        drawn += [place("chest", "chest", width / 2, height / 2)]
    return drawn


def _patches(size: tuple[int, int], rng: Random) -> Iterator[Shape]:
    """Yield patches that vary the green."""
    for _ in range(7):
        x, y = rng.uniform(0, size[0]), rng.uniform(0, size[1])
        yield circle(x, y, rng.uniform(40, 120), rng.choice(("leaf/4", "ground2/10", "leaf/6")))


def _paths(size: tuple[int, int], exits: tuple[str, ...], rng: Random) -> Iterator[Shape]:
    """Yield a path from the centre to each open edge; borders first, so that crossings have none."""
    x, y = size[0] / 2, size[1] / 2
    ways = []
    for edge in exits:
        across, down = _NORMAL[edge]
        end_x, end_y = x + across * (x + 20), y + down * (y + 20)
        bend = rng.uniform(-26, 26)
        middle = (x + end_x) / 2 + down * bend, (y + end_y) / 2 + across * bend
        ways.append(f"M{x:g} {y:g}Q{middle[0]:.0f} {middle[1]:.0f} {end_x:g} {end_y:g}")
    trodden = "".join(ways)
    yield path(trodden, stroke="wood/22", width=_PATH + 6)
    yield circle(x, y, _PLAZA + 3, "wood/22")
    yield path(trodden, stroke="path", width=_PATH)
    yield circle(x, y, _PLAZA, "path")


def _scattered(size: tuple[int, int], exits: tuple[str, ...], rng: Random) -> Iterator[Shape]:
    blossom = rng.choice(_BLOSSOMS)
    for symbol, number in _MEADOW:
        for i in range(number):
            x, y = rng.uniform(30, size[0] - 30), rng.uniform(30, size[1] - 30)
            if symbol == "pebbles" or not _is_trodden(x, y, size, exits):
                tint = blossom if symbol == "flower" else None
                yield place(f"{symbol}{i}", symbol, x, y, scale=round(rng.uniform(0.7, 1.1), 2), tint=tint)


def _footprints(size: tuple[int, int], trail: tuple[str, str]) -> Iterator[Shape]:
    """Yield footprints from one edge to another by way of the middle; an empty edge is the middle."""
    came, goes = trail
    feet = 0
    for edge, is_inward in ((came, True), (goes, False)):
        if not edge:
            continue
        across, down = _NORMAL[edge]
        length = size[0] / 2 if across else size[1] / 2
        walk = across * (-1 if is_inward else 1), down * (-1 if is_inward else 1)
        for step in range(round((length - _PLAZA / 2) // _PACE)):
            off = length - step * _PACE if is_inward else _PLAZA / 2 + (step + 0.5) * _PACE
            side = 7 if feet % 2 else -7
            x, y = size[0] / 2 + across * off - walk[1] * side, size[1] / 2 + down * off + walk[0] * side
            yield place(f"foot{feet}", "footprint", x, y, angle=math.atan2(walk[1], walk[0]))
            feet += 1


def _is_trodden(x: float, y: float, size: tuple[int, int], exits: tuple[str, ...]) -> bool:
    across, down = x - size[0] / 2, y - size[1] / 2
    if math.sqrt(across * across + down * down) < _PLAZA + 12:
        return True
    for edge in exits:
        right, below = _NORMAL[edge]
        if across * right + down * below > 0 and abs(across * below - down * right) < _PATH / 2 + 22:
            return True
    return False


def _walls(size: tuple[int, int], exits: tuple[str, ...], rng: Random) -> Iterator[Shape]:
    """Yield trees or rocks along the closed edges, half outside, so that the hero does not overlap them."""
    woods = rng.choice(_WOODS)
    for edge, (across, down) in _NORMAL.items():
        if edge in exits:
            continue
        length = size[0] if down else size[1]
        for i in range(math.ceil(length / _STEP) + 1):
            along = i * _STEP + rng.uniform(-5, 5)
            x = along if down else size[0] * (across > 0) + across * rng.uniform(-7, 2)
            y = along if across else size[1] * (down > 0) + (rng.uniform(0, 6) if down < 0 else rng.uniform(-4, 3))
            yield place(f"{edge}{i}", rng.choice(woods), x, y, scale=round(rng.uniform(0.92, 1.2), 2))


def _houses(size: tuple[int, int], exits: tuple[str, ...]) -> Iterator[Shape]:
    """Yield houses in the corners and along closed edges."""
    width, height = size
    spots = [(0.15, 0.17), (0.85, 0.17), (0.15, 0.83), (0.85, 0.83)]
    spots += [(0.34, 0.15), (0.66, 0.15)] if "north" not in exits else []
    spots += [(0.34, 0.85), (0.66, 0.85)] if "south" not in exits else []
    for i, (across, down) in enumerate(spots):
        yield place(f"house{i}", "house", across * width, down * height, scale=0.9)


# --- minimap ----------------------------------------------------------------------------------------------------------


_CELL = (17.0, 13.0)  # pixels per area
_GAP = 3.0
_RIM = 6.0
_TOP = 46.0  # below the HUD at the upper edge
_DOORS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


def minimap_symbol(area_map: AreaMap) -> Symbol:
    """Return the empty minimap, drawn from its upper left corner."""
    width, height = _extent(area_map)
    right, down = width - 2 * _RIM, height - 2 * _RIM
    panel = f"M{_RIM:g} 0h{right:g}q6 0 6 6v{down:g}q0 6 -6 6h{-right:g}q-6 0 -6 -6v{-down:g}q0 -6 6 -6z"
    cells = "".join(_cell(area_map, each) for each in range(area_map.columns * area_map.rows))
    return [fill_part("panel/62", panel), fill_part("faint/18", cells)]


def draw_minimap(area_map: AreaMap, visited: Sequence[str], here: str, width: int) -> Picture:
    """Return the minimap with the visited areas, in the upper right corner of a picture of that width."""
    left = width - _extent(area_map)[0] - 10
    numbers = {area_map.name(each): each for each in range(area_map.columns * area_map.rows)}
    been = "".join(
        _cell(area_map, numbers[name], left, _TOP) + _doors(area_map, numbers[name], left) for name in visited
    )
    you, town = _middle(area_map, numbers[here], left), _middle(area_map, area_map.town, left)
    roof = f"M{town[0] - 5:g} {town[1]:g}l5 -5l5 5zM{town[0] - 3.5:g} {town[1]:g}h7v4h-7z"
    return [
        place("map", "map", left, _TOP),
        path(been, fill="ink/45"),
        path(roof, fill="roof"),
        place("you", "you", *you),
    ]


def _extent(area_map: AreaMap) -> tuple[float, float]:
    width = area_map.columns * (_CELL[0] + _GAP) - _GAP + 2 * _RIM
    return width, area_map.rows * (_CELL[1] + _GAP) - _GAP + 2 * _RIM


def _corner(area_map: AreaMap, area: int, left: float, top: float) -> tuple[float, float]:
    column, row = area % area_map.columns, area // area_map.columns
    return left + _RIM + column * (_CELL[0] + _GAP), top + _RIM + row * (_CELL[1] + _GAP)


def _middle(area_map: AreaMap, area: int, left: float) -> tuple[float, float]:
    x, y = _corner(area_map, area, left, _TOP)
    return x + _CELL[0] / 2, y + _CELL[1] / 2


def _cell(area_map: AreaMap, area: int, left: float = 0.0, top: float = 0.0) -> str:
    x, y = _corner(area_map, area, left, top)
    return f"M{x:g} {y:g}h{_CELL[0]:g}v{_CELL[1]:g}h{-_CELL[0]:g}z"


def _doors(area_map: AreaMap, area: int, left: float) -> str:
    """Return the exits of an area, each half as long as the gap to the next area."""
    (x, y), half = _middle(area_map, area, left), _GAP / 2
    drawn = ""
    for edge in area_map.exits[area]:
        across, down = _DOORS[edge]
        edge_x, edge_y = x + across * _CELL[0] / 2, y + down * _CELL[1] / 2
        if across:
            drawn += f"M{min(edge_x, edge_x + across * half):g} {edge_y - 2.5:g}h{half:g}v5h{-half:g}z"
        else:
            drawn += f"M{edge_x - 2.5:g} {min(edge_y, edge_y + down * half):g}h5v{half:g}h-5z"
    return drawn


# --- the picture ------------------------------------------------------------------------------------------------------


ANGLES = {way: math.atan2(down, across) for way, (across, down) in VECTORS.items()}
_ROOM = 15.0  # half the size of the hero's symbol
_SWEEP = 1.05  # radians to both sides
_EDGE = 20  # pixels from an open edge to its chevron
_EXITS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
_LARGER = 1.2  # bodies are drawn a little larger than their hit boxes, so that near misses favour the player
# Symbol and colour of each kind of monster, and the opacity of some activities.
_KINDS = {"hunter": ("wolf", "foe"), "guard": ("golem", "fire"), "stalker": ("shade", "accent")}
_DIM = {"lurking": 0.5, "stunned": 0.7}
_NAMED = 20 * FRAMES_A_SECOND  # frames at the start in which names are shown


class AdventureDrawing:
    """Draws one game; parts that do not change between frames are cached."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._size = (rules.width, rules.height)
        self._bodies = _LARGER * rules.player.size / BODY, _LARGER * rules.monsters.size / BODY
        self._names = [f"m{i}" for i in range(64)]
        self._numbers = {rules.map.name(each): each for each in range(rules.map.columns * rules.map.rows)}
        self._signs_for: tuple[str, tuple[str, ...], tuple[str, str] | None] = ("", (), None)
        self._signs: Picture = []
        self.symbols: Symbols = {**BODIES, **SCENERY, "map": minimap_symbol(rules.map)}

    def backdrop(self, view: AdventureView) -> tuple[str, Picture]:
        """Return the static part of the area, and its key."""
        town, chest = view.town is not None, view.chest is not None
        exits = tuple(sorted(view.exits))
        picture = draw_ground(view.area, self._size, exits, town=town, chest=chest, trail=view.trail)
        shown = [view.area, *(["chest"] if chest else []), *(["trail", *view.trail] if view.trail else [])]
        return f"{self._rules.name} {' '.join(shown)}", picture

    def picture(self, view: AdventureView, effects: Effects) -> Picture:
        """Return the moving part of a frame."""
        drawn = [*self._signposts(view)]  # first: bodies are drawn over the minimap
        drawn += effects.ground(view)
        drawn += [place(f"gem{i}", "gem", x, y) for i, (x, y) in enumerate(view.gems)]
        drawn += self._monsters(view)
        if view.companion is not None:
            drawn.append(self._companion(view.companion, is_named=view.frame < _NAMED))
        lies = effects.lies(view)
        drawn += self._hero(view, effects) if lies is None else self._fallen(view, lies, effects.cause)
        drawn += effects.shapes(view)
        return drawn

    def _monsters(self, view: AdventureView) -> Iterator[Shape]:
        if view.beasts:
            return self._beasts(view)
        return self._mindless(view)

    def _mindless(self, view: AdventureView) -> Iterator[Shape]:
        symbol, scale = "slime" if self._rules.monsters.move == "axes" else "imp", self._bodies[1]
        sight = self._rules.monsters.sight or math.inf
        for i, (x, y) in enumerate(view.monsters):
            is_calm = (x - view.x) ** 2 + (y - view.y) ** 2 > sight * sight
            breath = _breath(scale, view.frame, i)
            yield place(self._names[i % 64], "imp-asleep" if is_calm else symbol, x, y, scale=breath, tint="foe")

    def _beasts(self, view: AdventureView) -> Iterator[Shape]:
        """Yield the monsters with minds: each kind has its symbol, and some activities are visible."""
        for i, beast in enumerate(view.beasts):
            symbol, tint = _KINDS.get(beast.kind, _KINDS["hunter"])
            is_stunned = beast.doing == "stunned"
            yield place(
                beast.name,
                symbol,
                beast.x,
                beast.y,
                angle=0.3 * math.sin(view.frame * 0.9) if is_stunned else 0.0,
                scale=_breath(self._bodies[1], view.frame, i),
                tint=tint,
                alpha=_DIM.get(beast.doing),
                pick=beast.name,
                label=beast.kind if view.frame < _NAMED else None,
            )
            if is_stunned:
                yield place(f"{beast.name} stars", "stars", beast.x, beast.y - 20, angle=view.frame * 0.2)

    def _companion(self, companion: CompanionView, *, is_named: bool) -> Shape:
        size = self._rules.companion.size if self._rules.companion is not None else BODY
        return place(
            COMPANION,
            "companion",
            companion.x,
            companion.y,
            angle=ANGLES[companion.facing],
            scale=round(_LARGER * size / BODY, 2),
            tint="friend",
            pick=COMPANION,
            label=companion.name if is_named else None,
            says=companion.says or None,
        )

    def _hero_spot(self, view: AdventureView) -> tuple[float, float]:
        """Return where the hero is drawn: wholly inside the picture, though half of the body may be over an edge."""
        room = _ROOM * self._bodies[0]
        return min(view.width - room, max(room, view.x)), min(view.height - room, max(room, view.y))

    def _fallen(self, view: AdventureView, share: float, cause: str) -> Iterator[Shape]:
        """Yield the hero in a fall, with its cause; ``share`` is how far it has gone."""
        (x, y), scale = self._hero_spot(view), round(self._bodies[0] * (1 - 0.15 * share), 2)
        if not share:
            yield place("hero", "hero", x, y, angle=ANGLES[view.facing], scale=scale, tint="danger", label=cause)
            return
        angle, alpha = ANGLES[view.facing] + math.pi * share, round(1 - 0.3 * share, 2)
        yield place("hero", "hero-fallen", x, y, angle=angle, scale=scale, tint="player", alpha=alpha, label=cause)

    def _hero(self, view: AdventureView, effects: Effects) -> Iterator[Shape]:
        (x, y), scale = self._hero_spot(view), round(self._bodies[0], 2)
        stride = 0.08 * math.sin(view.frame * 0.7) if view.moving != "stop" and not view.still else 0.0
        facing = ANGLES[view.facing]
        if view.swinging:
            way, reach = ANGLES[view.sword], round(self._rules.sword.reach / 48, 2)
            share = effects.swing / self._rules.sword.frames
            yield place("sweep", "sweep", x, y, angle=way, scale=reach, alpha=round(1.0 - 0.6 * share, 2))
            yield place("sword", "sword", x, y, angle=way + _SWEEP * (2 * share - 1), scale=reach)
            facing = way
        yield place("halo", "halo", x, y)
        symbol = "hero" if view.swinging else "hero-armed"
        blink = True if view.shielded else None
        yield place("hero", symbol, x, y, angle=facing + stride, scale=scale, tint="player", blink=blink)
        if view.carrying:
            yield place("carried", "chest", x, y - 22, scale=0.5)

    def _signposts(self, view: AdventureView) -> Picture:
        """Return the minimap, and a chevron at each exit: bright if it leads to an unvisited area."""
        known = view.area, view.visited, view.trail
        if known != self._signs_for:
            self._signs_for = known
            self._signs = [*self._chevrons(view), *draw_minimap(self._rules.map, view.visited, view.area, view.width)]
        return self._signs

    def _chevrons(self, view: AdventureView) -> Iterator[Shape]:
        area_map, (width, height) = self._rules.map, self._size
        for edge, behind in area_map.exits[self._numbers[view.area]].items():
            across, down = _EXITS[edge]
            x, y = width / 2 + across * (width / 2 - _EDGE), height / 2 + down * (height / 2 - _EDGE)
            is_new = area_map.name(behind) not in view.visited
            look: tuple[str, float] = ("gold", 0.9) if is_new else ("faint", 0.35)
            scale = 1.5 if view.trail is not None and edge == view.trail[1] else 1.0
            yield place(edge, "chevron", x, y, angle=math.atan2(down, across), scale=scale, tint=look[0], alpha=look[1])


def _breath(scale: float, frame: int, number: int) -> float:
    """Return the size of a body that pulsates, each with its own phase."""
    return round(scale * (1 + 0.05 * math.sin(frame * 0.25 + number * 1.7)), 2)
