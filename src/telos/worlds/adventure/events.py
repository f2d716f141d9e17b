"""What recognisers are told; trace records."""

import math
from dataclasses import dataclass, field
from typing import Any

from telos.core.event import Event
from telos.core.values import FrozenMap
from telos.worlds.adventure.map import EDGES, PARTS, STOP, VECTORS
from telos.worlds.adventure.rules import FRAMES_A_SECOND
from telos.worlds.adventure.state import Play, Since

# --- noticing ---------------------------------------------------------------------------------------------------------
# What recognisers are told: when something is an event, and what the game knew at that moment.


TICK = FRAMES_A_SECOND // 2  # 500 ms: who goes on moving that long is looked at again


def cause_of(play: Play, *, input_changed: bool, area_changed: bool) -> str | None:
    """Return why this frame is an event: new input, a new area, or half a second of moving on; None if it is none.

    What changes in every frame would be counted as fresh evidence thirty times a second, and is not.
    """
    if input_changed:
        return "input"  # also when the area changed: models that count key presses must not miss one
    if area_changed:
        return "area"
    if play.keys.direction != STOP and play.frame - play.noted >= TICK:
        return "tick"
    return None


def notice(play: Play, cause: str, *, swings: bool, player: str) -> Event:
    """Return the event of this frame; what happened since the last one is told, and forgotten."""
    action = "swing" if swings else play.keys.direction
    event = Event(action, _context(play, cause), player=player, time=play.frame / FRAMES_A_SECOND, goal=play.since.goal)
    play.since = Since()
    play.noted = play.frame
    return event


def exits_by_distance(play: Play) -> list[str]:
    """Return the open edges of the area, the nearest first."""
    rules = play.rules
    away = {"north": play.y, "east": rules.width - play.x, "south": rules.height - play.y, "west": play.x}
    return sorted(rules.map.exits[play.area], key=away.__getitem__)


def _context(play: Play, cause: str) -> dict[str, Any]:
    area_map, since, direction = play.rules.map, play.since, play.keys.direction
    exits, behind = exits_by_distance(play), area_map.exits[play.area]
    here = area_map.distance[play.area] or 0
    unvisited = tuple(edge for edge in exits if behind[edge] not in play.visited)
    return {
        "cause": cause,
        "area": area_map.name(play.area),
        "x": play.x,
        "y": play.y,
        "monsters": len(play.xs),
        "gems": len(play.gem_xs),
        "in_town": play.in_town,
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
        "toward_town": toward_town(play),
        "toward_monster": toward_monster(play),
        "toward_gem": toward_gem(play),
    }


def toward_town(play: Play) -> bool:
    """Whether the movement has a part that leads to the town, as the crow flies; in town, nothing does."""
    parts, rules = PARTS[play.keys.direction], play.rules
    if play.area != rules.map.town:
        return any(part in rules.map.toward_town(play.area) for part in parts)
    if play.in_town:
        return False
    across, down = rules.width / 2 - play.x, rules.height / 2 - play.y
    return any(VECTORS[part][0] * across + VECTORS[part][1] * down > 0 for part in parts)


def toward_monster(play: Play) -> bool:
    """Whether a straight movement would meet a monster, or the circle inside which one sees the player.

    Diagonal ones never do: they are no way to attack. From inside its circle, a monster itself must lie ahead.
    """
    direction, rules = play.keys.direction, play.rules
    if len(PARTS[direction]) != 1:
        return False
    right, down = VECTORS[direction]
    body = (rules.player.size + rules.monsters.size) / 2
    sight = rules.monsters.sight or math.inf
    for mx, my in zip(play.xs, play.ys, strict=True):
        x, y = mx - play.x, my - play.y
        wide = sight if x * x + y * y > sight * sight else body
        if x * right + y * down > 0 and abs(x * down - y * right) <= wide:
            return True
    return False


def toward_gem(play: Play) -> bool:
    """Whether the movement leads to the nearest gem, by less than 45 degrees beside it."""
    right, down = VECTORS[play.keys.direction]
    if play.keys.direction == STOP or not play.gem_xs:
        return False
    ways = [(x - play.x, y - play.y) for x, y in zip(play.gem_xs, play.gem_ys, strict=True)]
    x, y = min(ways, key=lambda way: way[0] * way[0] + way[1] * way[1])
    return x * right + y * down > abs(x * down - y * right)


# --- records ----------------------------------------------------------------------------------------------------------
# The trace of a game with company: what was read, said and advised, beside what the minds tell of themselves.


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody said something."""

    time: float
    who: str
    text: str


@dataclass(frozen=True, slots=True)
class Read:
    """The companion took in what the player did, and believes this since."""

    time: float
    who: str
    action: str
    belief: FrozenMap[str, float] = field(default_factory=FrozenMap)


@dataclass(frozen=True, slots=True)
class Adapted:
    """What is earned counts otherwise since, or a hint was given."""

    time: float
    pay: FrozenMap[str, float] = field(default_factory=FrozenMap)
    hint: str = ""
