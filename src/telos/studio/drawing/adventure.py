"""The adventure in pictures: the ground of an area, and hero, monsters and treasure on it."""

import math
from collections.abc import Iterator

from telos.studio.drawing.adventure_bodies import BODIES, BODY
from telos.studio.drawing.adventure_flashes import Flashes
from telos.studio.drawing.adventure_ground import ground
from telos.studio.drawing.adventure_map import little_map, map_symbol
from telos.studio.drawing.adventure_scenery import SCENERY
from telos.studio.drawing.shapes import Picture, Shape, Symbols, place
from telos.worlds.adventure.directions import VECTORS
from telos.worlds.adventure.minds import COMPANION
from telos.worlds.adventure.rules import FRAMES_A_SECOND, Rules
from telos.worlds.adventure.views import AdventureView, CompanionView

ANGLES = {way: math.atan2(down, across) for way, (across, down) in VECTORS.items()}
_SWEEP = 1.05  # radians to both sides that a sword is swung
_EDGE = 20  # pixels from an open edge to the sign that it leads on
_EXITS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
_LARGER = 1.2  # bodies are drawn a little larger than they are: a near miss is to look like luck
# How kinds of monsters look, and in which colour; and what they do that makes them hard to see.
_KINDS = {"hunter": ("wolf", "foe"), "guard": ("golem", "fire"), "stalker": ("shade", "accent")}
_DIM = {"lurking": 0.5, "stunned": 0.7}
_NAMED = 20 * FRAMES_A_SECOND  # frames in which names stand below everybody, for those who play for the first time


class Artist:
    """Draws one game of the adventure. Much is the same from frame to frame, and kept."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._size = (rules.width, rules.height)
        self._bodies = _LARGER * rules.player.size / BODY, _LARGER * rules.monsters.size / BODY
        self._names = [f"m{i}" for i in range(64)]
        self._numbers = {rules.map.name(each): each for each in range(rules.map.columns * rules.map.rows)}
        self._signs_for: tuple[str, tuple[str, ...]] = ("", ())
        self._signs: Picture = []
        self.symbols: Symbols = {**BODIES, **SCENERY, "map": map_symbol(rules.map)}

    def backdrop(self, view: AdventureView) -> tuple[str, Picture]:
        """Return what stands still in the area, and a key for it."""
        town, chest = view.town is not None, view.chest is not None
        picture = ground(view.area, self._size, tuple(sorted(view.exits)), town=town, chest=chest)
        return f"{self._rules.name} {view.area}{' chest' if chest else ''}", picture

    def picture(self, view: AdventureView, flashes: Flashes) -> Picture:
        """Return what moves."""
        drawn = [*self._signposts(view)]  # first: whoever walks below the little map is to be seen
        drawn += [place(f"gem{i}", "gem", x, y) for i, (x, y) in enumerate(view.gems)]
        drawn += self._monsters(view)
        if view.companion is not None:
            drawn.append(self._companion(view.companion, is_named=view.frame < _NAMED))
        drawn += self._hero(view, flashes)
        drawn += flashes.shapes(view.frame)
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
        """Yield those with minds: each kind has its look, and some of what they do shows."""
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

    def _hero(self, view: AdventureView, flashes: Flashes) -> Iterator[Shape]:
        scale, alpha = round(self._bodies[0], 2), 0.35 if flashes.is_dim(view.frame) else None
        stride = 0.08 * math.sin(view.frame * 0.7) if view.moving != "stop" else 0.0
        facing = ANGLES[view.facing]
        if view.swinging:
            way, reach = ANGLES[view.sword], round(self._rules.sword.reach / 48, 2)
            share = flashes.swing / self._rules.sword.frames
            yield place("sweep", "sweep", view.x, view.y, angle=way, scale=reach, alpha=round(1.0 - 0.6 * share, 2))
            yield place("sword", "sword", view.x, view.y, angle=way + _SWEEP * (2 * share - 1), scale=reach)
            facing = way
        yield place("halo", "halo", view.x, view.y)
        symbol = "hero" if view.swinging else "hero-armed"
        yield place("hero", symbol, view.x, view.y, angle=facing + stride, scale=scale, tint="player", alpha=alpha)
        if view.carrying:
            yield place("carried", "chest", view.x, view.y - 22, scale=0.5)

    def _signposts(self, view: AdventureView) -> Picture:
        """Return the little map, and a sign at each way on: bright where nobody has been yet."""
        known = view.area, view.visited
        if known != self._signs_for:
            self._signs_for = known
            self._signs = [*self._ways_on(view), *little_map(self._rules.map, view.visited, view.area, view.width)]
        return self._signs

    def _ways_on(self, view: AdventureView) -> Iterator[Shape]:
        area_map, (width, height) = self._rules.map, self._size
        for edge, behind in area_map.exits[self._numbers[view.area]].items():
            across, down = _EXITS[edge]
            x, y = width / 2 + across * (width / 2 - _EDGE), height / 2 + down * (height / 2 - _EDGE)
            is_new = area_map.name(behind) not in view.visited
            look: tuple[str, float] = ("gold", 0.9) if is_new else ("faint", 0.35)
            yield place(edge, "chevron", x, y, angle=math.atan2(down, across), tint=look[0], alpha=look[1])


def _breath(scale: float, frame: int, number: int) -> float:
    """Return the size of a body that breathes, each in its own time."""
    return round(scale * (1 + 0.05 * math.sin(frame * 0.25 + number * 1.7)), 2)
