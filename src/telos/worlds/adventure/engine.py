"""What one frame does: the player moves, monsters approach, the sword strikes, things are picked up.

``advance`` is the entry point; the order of its calls is part of the rules.
"""

import math
from random import Random

from telos.worlds.adventure.map import EDGES, PARTS, STOP, VECTORS, Keys, walk_around
from telos.worlds.adventure.rules import Rules
from telos.worlds.adventure.state import AdventureState, count_kill, may_take_chest, take_chest, visit_town

_LEVEL = 1.0  # pixels; a monster less far from the player's row or column is level with the player
_TRIES = 50  # attempts to find a clear spot; on a screen without one the last is used


# --- monsters ---


def clear_spot(rules: Rules, rng: Random, x: float, y: float) -> tuple[float, float]:
    """Return a random position for a monster, at least ``monsters.clear`` pixels from the player."""
    size, clear = rules.monsters.size, rules.monsters.clear
    spot = x, y
    for _ in range(_TRIES):
        spot = size / 2 + rng.random() * (rules.width - size), size / 2 + rng.random() * (rules.height - size)
        if (spot[0] - x) ** 2 + (spot[1] - y) ** 2 >= clear * clear:
            break
    return spot


def populate(game: AdventureState) -> None:
    """Fill the area that the player has entered: all monsters alive, no gems."""
    number = 0 if game.is_safe else game.number
    spots = [clear_spot(game.rules, game.rng, game.x, game.y) for _ in range(number)]
    game.xs, game.ys = [x for x, _ in spots], [y for _, y in spots]
    game.legs = [""] * number
    game.returning = []
    game.gem_xs, game.gem_ys = [], []
    if game.company is not None:
        game.company.populate()


def respawn(game: AdventureState) -> None:
    """Bring back the monsters whose respawn time has come."""
    while game.returning and game.returning[0] <= game.frame:
        game.returning.pop(0)
        x, y = clear_spot(game.rules, game.rng, game.x, game.y)
        game.xs.append(x)
        game.ys.append(y)
        game.legs.append("")
        if game.company is not None:
            game.company.add(x, y)


def approach(game: AdventureState) -> None:
    """Move every monster by one frame."""
    if game.company is not None:
        game.company.advance()
        return
    monsters = game.rules.monsters
    if monsters.move == "legs":
        approach_by_legs(game.xs, game.ys, game.legs, game.x, game.y, monsters.speed, monsters.sight)
        return
    move = charge if monsters.move == "charge" else approach_by_axes
    move(game.xs, game.ys, game.x, game.y, monsters.speed, monsters.sight)


def charge(xs: list[float], ys: list[float], x: float, y: float, speed: float, sight: float | None) -> None:
    """Move the monsters that see the player straight towards the player."""
    seen = math.inf if sight is None else sight * sight
    for i in range(len(xs)):
        across, down = x - xs[i], y - ys[i]
        square = across * across + down * down
        if speed * speed < square <= seen:
            share = speed / math.sqrt(square)  # never hypot, whose last digit differs between machines
            xs[i] += across * share
            ys[i] += down * share
        elif square <= seen:
            xs[i], ys[i] = x, y


def approach_by_axes(xs: list[float], ys: list[float], x: float, y: float, speed: float, sight: float | None) -> None:
    """Move the monsters along the axis on which the player is farther away."""
    seen = math.inf if sight is None else sight * sight
    for i in range(len(xs)):
        across, down = x - xs[i], y - ys[i]
        if across * across + down * down > seen:
            continue
        if abs(across) >= abs(down):
            xs[i] += min(speed, max(-speed, across))
        else:
            ys[i] += min(speed, max(-speed, down))


def approach_by_legs(
    xs: list[float], ys: list[float], legs: list[str], x: float, y: float, speed: float, sight: float | None
) -> None:
    """Move the monsters in straight lines: along one axis until level with the player, then along the other.

    ``legs`` holds the axis on which each monster goes: ``x``, ``y``, or nothing before its first step. The first leg is
    the longer one.
    """
    seen = math.inf if sight is None else sight * sight
    for i in range(len(xs)):
        across, down = x - xs[i], y - ys[i]
        if across * across + down * down > seen:
            continue
        if not legs[i]:
            legs[i] = "x" if abs(across) >= abs(down) else "y"
        elif abs(across if legs[i] == "x" else down) < _LEVEL:  # the next leg begins
            legs[i] = "y" if legs[i] == "x" else "x"
        if legs[i] == "x":
            xs[i] += min(speed, max(-speed, across))
        else:
            ys[i] += min(speed, max(-speed, down))


# --- one frame ---


def advance(game: AdventureState, keys: Keys) -> bool:
    """Advance by one frame with ``keys`` held; return whether a swing started in it."""
    game.frame += 1
    if game.frame == game.hint_ends:
        game.tell("")
    presses = keys.swing and not game.keys.swing  # a held key is one swing
    game.keys = keys
    if game.still:
        _stand_still(game, presses=presses)
        return False
    starts = (presses or game.pressed) and not game.swinging
    game.pressed = False
    if keys.direction != STOP:
        _walk(game, keys.direction)
    if starts:
        game.swinging = game.rules.sword.frames
        game.since.attacked |= _is_monster_near(game)
        if game.company is not None:
            game.company.alert()
    approach(game)
    if game.swinging:
        game.swinging -= 1
        _strike(game)
    toucher = _toucher(game)
    if toucher is not None and _hurt(game, toucher):
        return starts
    respawn(game)
    _pick_up(game)
    if game.in_town:
        visit_town(game)
    return starts


def _walk(game: AdventureState, direction: str) -> None:
    rules = game.rules
    across, down = VECTORS[direction]
    game.facing = direction
    if len(PARTS[direction]) == 1:
        game.straight = direction
    exits = rules.map.exits[game.area]
    half, speed = rules.player.size / 2, rules.player.speed
    x, y = game.x + across * speed, game.y + down * speed
    for side, is_beyond in (("left", x < 0), ("right", x > rules.width), ("up", y < 0), ("down", y > rules.height)):
        if is_beyond and EDGES[side] in exits:
            # One edge per frame: in a corner the other edge acts as a wall until the next frame.
            _cross(game, side, x, y)
            return
    x = _clamp(x, rules.width, half, low="west" not in exits, high="east" not in exits)
    y = _clamp(y, rules.height, half, low="north" not in exits, high="south" not in exits)
    houses = game.houses
    game.x, game.y = walk_around(houses, (game.x, game.y), (x, y), half) if houses else (x, y)


def _clamp(value: float, end: float, half: float, *, low: bool, high: bool) -> float:
    """Return a coordinate within the area: half a body away from walls, up to the edge where it is open."""
    return min(end - half if high else end, max(half if low else 0.0, value))


def _cross(game: AdventureState, side: str, x: float, y: float) -> None:
    """Move over an edge into the next area."""
    rules, half = game.rules, game.rules.player.size / 2
    left, left_at = game.area, (game.x, game.y)
    game.area = rules.map.exits[left][EDGES[side]]
    game.x = {"left": rules.width - half, "right": half}.get(side, min(rules.width - half, max(half, x)))
    game.y = {"up": rules.height - half, "down": half}.get(side, min(rules.height - half, max(half, y)))
    distance = rules.map.distance
    game.since.nearer_town |= (distance[game.area] or 0) < (distance[left] or 0)
    game.since.new_area |= game.area not in game.visited
    game.visited.add(game.area)
    populate(game)
    if game.company is not None:
        game.company.follow(*left_at)


def _is_monster_near(game: AdventureState) -> bool:
    """Whether a monster is within reach in any direction, so that a swing counts as an attack."""
    reach = game.rules.sword.reach + game.rules.monsters.size / 2
    return any((x - game.x) ** 2 + (y - game.y) ** 2 <= reach * reach for x, y in zip(game.xs, game.ys, strict=True))


def _strike(game: AdventureState) -> None:
    sword, body = game.rules.sword, game.rules.monsters.size / 2
    right, down = VECTORS[game.sword_way]
    for i in reversed(range(len(game.xs))):
        x, y = game.xs[i] - game.x, game.ys[i] - game.y
        if 0 <= x * right + y * down <= sword.reach + body and abs(x * down - y * right) <= sword.width / 2 + body:
            _kill(game, i)


def _kill(game: AdventureState, i: int) -> None:
    if game.rules.gem_size is not None:
        game.gem_xs.append(game.xs[i])
        game.gem_ys.append(game.ys[i])
    del game.xs[i], game.ys[i], game.legs[i]
    if game.company is not None:
        game.company.remove(i)
    game.returning.append(game.frame + game.rules.monsters.respawn)
    count_kill(game)


def _toucher(game: AdventureState) -> int | None:
    """Return the monster that touches the player; None while the player is protected."""
    if game.frame < game.shielded:
        return None
    near = (game.rules.player.size + game.rules.monsters.size) / 2
    x, y, xs, ys, company = game.x, game.y, game.xs, game.ys, game.company
    for i in range(len(xs)):
        if -near < xs[i] - x < near and -near < ys[i] - y < near and (company is None or not company.is_harmless(i)):
            return i
    return None


def _hurt(game: AdventureState, toucher: int) -> bool:
    """Take a heart, or the life if it was the last one; return whether the game stands still then."""
    hearts = game.rules.hearts
    if hearts is None or game.hearts <= 1:
        _die(game)
        return game.fallen
    game.hearts -= 1
    game.swinging = 0
    game.still = hearts.stop
    game.shielded = game.frame + hearts.stop + hearts.shield
    across, down = game.x - game.xs[toucher], game.y - game.ys[toucher]
    away = math.sqrt(across * across + down * down)  # never hypot, whose last digit differs between machines
    share = hearts.knock / max(1, hearts.stop) / away if away else 0.0
    game.knock = across * share, down * share
    if not hearts.stop:
        _throw_back(game)
        game.knock = 0.0, 0.0
    return hearts.stop > 0


def _stand_still(game: AdventureState, *, presses: bool) -> None:
    """Pass a frame of a hit or a fall: only the player is thrown back. A press of the sword key counts afterwards."""
    game.pressed |= presses
    game.still -= 1
    _throw_back(game)
    if not game.still:
        game.knock = 0.0, 0.0
        if game.fallen:
            _restart(game)


def _throw_back(game: AdventureState) -> None:
    rules, half = game.rules, game.rules.player.size / 2
    x = _clamp(game.x + game.knock[0], rules.width, half, low=True, high=True)
    y = _clamp(game.y + game.knock[1], rules.height, half, low=True, high=True)
    game.x, game.y = walk_around(game.houses, (game.x, game.y), (x, y), half)


def _die(game: AdventureState) -> None:
    """Fall, if the rules have that, and restart."""
    game.deaths += 1
    game.phase_deaths += 1
    game.since.died = True
    if game.phase_deaths == 1 and game.task and game.task.death_tip:
        game.tell(game.task.death_tip)
    game.gems_held = 0
    game.swinging = 0
    if game.rules.restart == "town":
        _lose_chest(game)
    if game.rules.death.fall:
        game.hearts, game.fallen, game.still = 0, True, game.rules.death.fall
    else:
        _restart(game)


def _restart(game: AdventureState) -> None:
    """Restart at the town or the last chest, protected for a while."""
    rules = game.rules
    game.fallen = game.pressed = False
    game.hearts = 1 if rules.hearts is None else rules.hearts.number
    game.shielded = game.frame + rules.death.shield
    left_at = game.x, game.y
    game.area, game.x, game.y = game.restart
    game.visited.add(game.area)
    populate(game)
    if game.company is not None:
        game.company.follow(*left_at)


def _lose_chest(game: AdventureState) -> None:
    """Put a carried chest back: otherwise dying would be the fastest way to bring it to town."""
    if game.carrying:
        game.chests.add(game.restart[0])
    game.carrying = False
    game.restart = (game.rules.map.town, game.rules.width / 2, game.rules.height / 2)


def _pick_up(game: AdventureState) -> None:
    rules, x, y = game.rules, game.x, game.y
    if game.area in game.chests and not game.carrying and may_take_chest(game):
        near = (rules.player.size + rules.chest.size) / 2
        if abs(x - rules.width / 2) < near and abs(y - rules.height / 2) < near:
            take_chest(game)
    if game.gem_xs and rules.gem_size is not None:
        near = (rules.player.size + rules.gem_size) / 2
        for i in reversed(range(len(game.gem_xs))):
            if abs(game.gem_xs[i] - x) < near and abs(game.gem_ys[i] - y) < near:
                del game.gem_xs[i], game.gem_ys[i]
                game.gems_held += 1
