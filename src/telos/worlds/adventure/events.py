"""Events for recognisers: when a frame is an event and what its context holds; trace records of games with minds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from telos.core.event import Event
from telos.core.values import FrozenMap
from telos.worlds.adventure.map import EDGES, PARTS, STOP, VECTORS
from telos.worlds.adventure.rules import FRAMES_A_SECOND
from telos.worlds.adventure.state import AdventureState, SinceLastEvent

TICK = FRAMES_A_SECOND // 2  # 500 ms: movement that lasts so long is reported again
_WAY_OUT = {edge: part for part, edge in EDGES.items()}
NEAR = 120.0  # pixels: a second's walk of most monsters


def event_cause(game: AdventureState, *, input_changed: bool, area_changed: bool, swings: bool = False) -> str | None:
    """Return why this frame is an event: new input, a new area, or half a second of movement; None if it is not.

    Reporting every frame would count the same evidence thirty times a second. If the rules say that stops are no
    events, a player who neither walks nor begins a swing (``swings``) causes none.
    """
    if not game.rules.stops and game.keys.direction == STOP and not swings:
        return None  # what happened since the last event is told with the next one
    if input_changed:
        return "input"  # before "area": models that count key presses must not miss one
    if area_changed:
        return "area"
    if game.keys.direction != STOP and game.frame - game.noted >= TICK:
        return "tick"
    return None


def create_event(game: AdventureState, cause: str, *, swings: bool, player: str) -> Event:
    """Return the event of this frame and reset what is collected for the next one."""
    action = "swing" if swings else game.keys.direction
    event = Event(action, _context(game, cause), player=player, time=game.frame / FRAMES_A_SECOND, goal=game.since.goal)
    game.since = SinceLastEvent()
    game.noted, game.noted_x, game.noted_y = game.frame, game.x, game.y
    return event


def exits_by_distance(game: AdventureState) -> list[str]:
    """Return the open edges of the area, nearest first."""
    rules = game.rules
    away = {"north": game.y, "east": rules.width - game.x, "south": rules.height - game.y, "west": game.x}
    return sorted(rules.map.exits[game.area], key=away.__getitem__)


def _context(game: AdventureState, cause: str) -> dict[str, Any]:
    area_map, since, direction = game.rules.map, game.since, game.keys.direction
    exits, behind = exits_by_distance(game), area_map.exits[game.area]
    here = area_map.distance[game.area] or 0
    unvisited = tuple(edge for edge in exits if behind[edge] not in game.visited)
    return {
        "cause": cause,
        "area": area_map.name(game.area),
        "x": game.x,
        "y": game.y,
        "monsters": len(game.xs),
        "gems": len(game.gem_xs),
        "in_town": game.in_town,
        "chest_taken": since.chest_taken,
        "killed": since.killed,
        "attacked": since.attacked,
        "died": since.died,
        "new_area": since.new_area,
        "nearer_town": since.nearer_town,
        "moved": direction != STOP,
        "moving": direction,
        "exits": tuple(exits),
        "unvisited_exits": unvisited,
        "exits_nearer_town": tuple(edge for edge in exits if (area_map.distance[behind[edge]] or 0) < here),
        "toward_unexplored": any(EDGES[part] in unvisited for part in PARTS[direction]),
        "toward_town": is_toward_town(game),
        "toward_monster": is_toward_monster(game),
        "toward_nearest_monster": is_toward_nearest(game, game.xs, game.ys),
        "monster_near": is_monster_near(game),
        "toward_gem": is_toward_nearest(game, game.gem_xs, game.gem_ys),
        **_measures(game, exits, unvisited),
        **_ways(game, {edge for edge, far in behind.items() if (area_map.distance[far] or 0) < here}),
    }


def _measures(game: AdventureState, exits: list[str], unvisited: Sequence[str]) -> dict[str, float]:
    """Return speeds, distances and directions: what cannot be measured now is left out.

    All are rounded, because the last digits of `math.atan2` differ between machines, and recordings must not.
    """
    area_map = game.rules.map
    here = area_map.distance[game.area] or 0
    home = [edge for edge in exits if (area_map.distance[area_map.exits[game.area][edge]] or 0) < here]
    found: dict[str, float | None] = {"speed": _speed(game)}
    if game.keys.direction != STOP:
        found["heading"] = _bearing(*VECTORS[game.keys.direction])
    for name, edges in (("exit_bearing", exits), ("unvisited_bearing", unvisited), ("home_bearing", home)):
        found[name] = _bearing(*VECTORS[_WAY_OUT[edges[0]]]) if edges else None
    ways = [(x - game.x, y - game.y) for x, y in zip(game.xs, game.ys, strict=True)]
    if ways:
        x, y = min(ways, key=lambda way: way[0] * way[0] + way[1] * way[1])
        distance = math.sqrt(x * x + y * y)
        found["monster_distance"] = round(distance, 1)
        found["monster_bearing"] = _bearing(x, y) if distance >= 1 else None
    return {name: value for name, value in found.items() if value is not None}


def _bearing(right: float, down: float) -> float:
    """Return a direction in degrees, clockwise from north."""
    return round(math.degrees(math.atan2(right, -down)) % 360, 1) % 360


def _speed(game: AdventureState) -> float | None:
    """Return the pixels a second, as the crow flies, since the last event; None after a jump into another area."""
    frames = game.frame - game.noted
    if game.noted_x < 0 or not frames:
        return None
    across, down = game.x - game.noted_x, game.y - game.noted_y
    away = math.sqrt(across * across + down * down)
    is_jump = away > 1.5 * game.rules.player.speed * frames + 1
    return None if is_jump else round(away * FRAMES_A_SECOND / frames, 1)


def _ways(game: AdventureState, home: set[str]) -> dict[str, bool]:
    """Return whether the movement is on a shortest way to an unvisited area or to town, and whether these part here."""
    found = game.rules.map.exits_to_unvisited(game.area, game.visited)
    nearest = min(found.values(), default=0)
    onward = {edge for edge, screens in found.items() if screens == nearest}
    sides = {EDGES[part] for part in PARTS[game.keys.direction]}
    return {
        "onward": bool(sides & onward),
        "homeward": bool(sides & home),
        "ways_part": bool(onward and home and not onward & home),
    }


def is_toward_town(game: AdventureState) -> bool:
    """Whether the movement has a component towards the town, in a straight line; never in town."""
    parts, rules = PARTS[game.keys.direction], game.rules
    if game.area != rules.map.town:
        return any(part in rules.map.toward_town(game.area) for part in parts)
    if game.in_town:
        return False
    across, down = rules.width / 2 - game.x, rules.height / 2 - game.y
    return any(VECTORS[part][0] * across + VECTORS[part][1] * down > 0 for part in parts)


def is_toward_monster(game: AdventureState) -> bool:
    """Whether a straight movement would meet a monster, or the circle inside which one sees the player.

    Diagonal movement never does: it is not an attack. Inside a monster's circle the monster itself must be ahead.
    """
    direction, rules = game.keys.direction, game.rules
    if len(PARTS[direction]) != 1:
        return False
    right, down = VECTORS[direction]
    body = (rules.player.size + rules.monsters.size) / 2
    sight = rules.monsters.sight or math.inf
    for mx, my in zip(game.xs, game.ys, strict=True):
        x, y = mx - game.x, my - game.y
        wide = sight if x * x + y * y > sight * sight else body
        if x * right + y * down > 0 and abs(x * down - y * right) <= wide:
            return True
    return False


def is_toward_nearest(game: AdventureState, xs: Sequence[float], ys: Sequence[float]) -> bool:
    """Whether the movement leads to the nearest of some points, within 45 degrees."""
    right, down = VECTORS[game.keys.direction]
    if game.keys.direction == STOP or not xs:
        return False
    ways = [(x - game.x, y - game.y) for x, y in zip(xs, ys, strict=True)]
    x, y = min(ways, key=lambda way: way[0] * way[0] + way[1] * way[1])
    return x * right + y * down > abs(x * down - y * right)


def is_monster_near(game: AdventureState) -> bool:
    """Whether a monster is within ``NEAR`` pixels: it has to be dealt with, whatever the player is after."""
    return any((x - game.x) ** 2 + (y - game.y) ** 2 <= NEAR * NEAR for x, y in zip(game.xs, game.ys, strict=True))


# --- trace records ---


@dataclass(frozen=True, slots=True)
class CompanionLine:
    """The companion said something."""

    KIND: ClassVar[str] = "said"
    time: float
    who: str
    text: str


@dataclass(frozen=True, slots=True)
class PlayerBelief:
    """The belief of the companion's recogniser after an event."""

    KIND: ClassVar[str] = "read"
    time: float
    who: str
    action: str
    belief: FrozenMap[str, float] = field(default_factory=FrozenMap)


@dataclass(frozen=True, slots=True)
class Adapted:
    """The director changed what is earned, or gave a hint."""

    time: float
    pay: FrozenMap[str, float] = field(default_factory=FrozenMap)
    hint: str = ""
