"""The fight on the map: who stands where and says what, ways, shots, grenades, blasts and noise."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from telos.studio.drawing.arena_map import Scale
from telos.studio.drawing.shapes import Picture, Shape, circle, line, path, place
from telos.worlds.arena.fighter import Fighter
from telos.worlds.arena.rules import BLAST_RADIUS, FUSE, TICKS_A_SECOND
from telos.worlds.arena.things import ThingPlaced
from telos.worlds.arena.views import ArenaView, FighterView, GrenadeView, ShotView

BLAST_LASTS = 0.7  # seconds that an explosion is seen
NOISE_LASTS = 0.5
SHOT_LASTS = 0.25
_SIDES = {"blue": "side0", "red": "side1", "neutral": "faint"}
_LOOKS = {"rat": "rat", "drone": "drone", "assassin": "prowler", "ghost": "prowler"}
_BODY = 0.62  # metres in radius that a body is drawn with, give or take
_SMALLEST, _LARGEST = 1.0, 1.6  # times the size of a symbol
_CLOAKED = 0.3
_FUSE = FUSE / TICKS_A_SECOND


@dataclass(frozen=True, slots=True)
class Flash:
    """Something that was to be seen or heard for a moment, from ``time`` on."""

    time: float
    x: float
    y: float
    metres: float = 0.0  # how far it reaches


@dataclass(frozen=True, slots=True)
class Fight:
    """All that is drawn of one moment beside the map."""

    view: ArenaView
    bodies: Mapping[str, Fighter]
    things: Iterable[ThingPlaced] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    says: Mapping[str, str] = field(default_factory=dict)
    shots: Iterable[tuple[float, ShotView]] = ()
    blasts: Iterable[Flash] = ()  # all there were: they leave marks
    noises: Iterable[Flash] = ()
    player: str | None = None
    aim: str | None = None  # whom the player would shoot


def tints(view: ArenaView) -> dict[str, str]:
    """Return the role of each side's colour: the sides called red and blue have their own."""
    sides = list(dict.fromkeys(each.side for each in view.fighters))
    return {side: _SIDES.get(side, f"side{number % 2}") for number, side in enumerate(sides)}


class FightDrawing:
    """Draws moments of a fight, over a map that is drawn to ``scale``."""

    def __init__(self, scale: Scale) -> None:
        self._at, self._unit = scale.at, scale.unit
        self._scale = round(min(_LARGEST, max(_SMALLEST, scale.unit * _BODY / 10)), 2)  # of symbols

    def picture(self, fight: Fight) -> Picture:
        """Return everything that moves, what lies on the floor first."""
        view, tint = fight.view, tints(fight.view)
        scorched = [circle(*self._at(each.x, each.y), self._unit * 1.1, "shadow") for each in fight.blasts]
        lying = [
            place(each.name, each.kind, *self._at(each.x, each.y), scale=self._scale, label=each.kind)
            for each in fight.things
        ]
        dead = [self._fallen(each, tint[each.side]) for each in view.fighters if not each.alive]
        living = [each for each in view.fighters if each.alive]
        ways = [shape for each in living for shape in self._way(fight.bodies[each.name], tint[each.side])]
        shots = [shape for when, shot in fight.shots for shape in self._shot(shot, view.time - when)]
        standing = [self._standing(each, fight, tint[each.side]) for each in living]
        return [
            *scorched, *lying, *dead, *ways, *self._grenades(view.grenades), *shots, *standing,
            *self._aim(fight), *self._flashes(fight),
        ]  # fmt: skip

    # --- fighters -----------------------------------------------------------------------------------------------------

    def _standing(self, each: FighterView, fight: Fight, tint: str) -> Shape:
        look = _LOOKS.get(each.character, "kneeling" if each.crouched else "soldier")
        return place(
            each.name,
            look,
            *self._at(each.x, each.y),
            angle=each.facing,
            scale=self._scale,
            tint=tint,
            pick=each.name,
            label=fight.labels.get(each.name, each.name),
            bar=round(each.health / fight.bodies[each.name].healthy, 2),
            says=fight.says.get(each.name),
            alpha=_CLOAKED if each.cloaked else None,
            glow="gold" if each.name == fight.player else None,
        )

    def _fallen(self, each: FighterView, tint: str) -> Shape:
        return place(each.name, "fallen", *self._at(each.x, each.y), angle=each.facing, scale=self._scale, tint=tint)

    def _way(self, body: Fighter, tint: str) -> Iterator[Shape]:
        """Yield where somebody is walking: plans are easier to believe when one sees where they lead."""
        if body.act is None or body.act.state != "goto" or not body.act.way:
            return
        points = [self._at(x, y) for x, y in (body.position, *body.act.way)]
        yield path("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points), stroke=f"{tint}/30", width=1.2)
        yield circle(*points[-1], 2, f"{tint}/45")

    def _aim(self, fight: Fight) -> Iterator[Shape]:
        """Yield a mark around whom the player would shoot."""
        if fight.aim is None:
            return
        body, radius = fight.bodies[fight.aim], 13 * self._scale
        x, y = self._at(*body.position)
        yield circle(x, y, radius, "", stroke="gold/80", width=1.3)
        ticks = ((0, -1), (0, 1), (-1, 0), (1, 0))
        cross = "".join(
            f"M{x + a * radius * 0.75:.1f} {y + b * radius * 0.75:.1f}l{a * radius * 0.55:.1f} {b * radius * 0.55:.1f}"
            for a, b in ticks
        )
        yield path(cross, stroke="gold/80", width=1.3)

    # --- what flies and bangs -----------------------------------------------------------------------------------------

    def _shot(self, shot: ShotView, age: float) -> Iterator[Shape]:
        """Yield a tracer that fades, and at first a flash at the muzzle and where it hits."""
        left = round(100 * max(0.0, 1 - age / SHOT_LASTS))
        if not left:
            return
        x, y, to_x, to_y = *self._at(shot.x, shot.y), *self._at(shot.to_x, shot.to_y)
        away = math.hypot(to_x - x, to_y - y) or 1.0
        across, down = (to_x - x) / away, (to_y - y) / away
        muzzle = min(17 * self._scale, away)
        x, y = x + across * muzzle, y + down * muzzle
        yield line(x, y, to_x, to_y, f"gold/{round(left * 0.85)}", width=1.6 if shot.hit else 1.1, dashed=not shot.hit)
        if age < 0.05:
            yield path(_star(x, y, across, down, 7 * self._scale), fill="gold", stroke="fire/80", width=0.8)
            yield circle(to_x, to_y, (5 if shot.hit else 2.5) * self._scale, "danger/70" if shot.hit else "stone/60")

    def _grenades(self, grenades: Iterable[GrenadeView]) -> Iterator[Shape]:
        for each in grenades:
            x, y = self._at(each.x, each.y)
            radius = BLAST_RADIUS * self._unit
            yield circle(x, y, radius, "danger/8", stroke="danger/35")
            yield circle(x, y, max(3.0, radius * each.left / _FUSE), "", stroke="danger/85", width=1.8)
            yield place(each.name, "grenade", x, y, scale=self._scale * 1.2)

    def _flashes(self, fight: Fight) -> Iterator[Shape]:
        now = fight.view.time
        for blast in fight.blasts:
            part = (now - blast.time) / BLAST_LASTS
            if part < 1:
                yield from self._blast(blast, part)
        for noise in fight.noises:
            part = (now - noise.time) / NOISE_LASTS
            if part < 1:
                x, y = self._at(noise.x, noise.y)
                radius = self._unit * (0.8 + min(4.0, noise.metres / 6) * part)
                yield circle(x, y, radius, "", stroke=f"faint/{round(60 * (1 - part))}", width=1.2)

    def _blast(self, blast: Flash, part: float) -> Iterator[Shape]:
        x, y = self._at(blast.x, blast.y)
        grown = BLAST_RADIUS * self._unit * (0.35 + 0.65 * math.sqrt(part))
        left = 1 - part
        yield circle(x, y, grown, f"fire/{round(40 * left)}", stroke=f"fire/{round(85 * left)}", width=2)
        yield circle(x, y, grown * 0.65, f"fire/{round(55 * left)}")
        yield circle(x, y, grown * 0.35, f"gold/{round(95 * left)}")


def _star(x: float, y: float, across: float, down: float, length: float) -> str:
    """Return a flash that points in a direction."""
    points = []
    for turn, far in ((-0.9, 0.5), (-0.4, 0.35), (0.0, 1.0), (0.4, 0.35), (0.9, 0.5), (math.pi, 0.2)):
        sin, cos = math.sin(turn), math.cos(turn)
        points.append((x + (across * cos - down * sin) * length * far, y + (across * sin + down * cos) * length * far))
    return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in points) + "Z"
