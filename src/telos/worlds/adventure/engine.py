"""One frame."""

import math
from random import Random

from telos.worlds.adventure.map import EDGES, PARTS, STOP, VECTORS, Keys
from telos.worlds.adventure.rules import Rules
from telos.worlds.adventure.state import Play, count_kill, find_chest, visit_town

# --- monsters ---------------------------------------------------------------------------------------------------------
# Monsters: where they appear, and how they come for the player.


_TRIES = 50  # to find a clear spot; on a screen that is all too near, the last one is taken


def clear_spot(rules: Rules, rng: Random, x: float, y: float) -> tuple[float, float]:
    """Return a random spot for a monster, at least ``monsters.clear`` pixels from the player."""
    size, clear = rules.monsters.size, rules.monsters.clear
    spot = x, y
    for _ in range(_TRIES):
        spot = size / 2 + rng.random() * (rules.width - size), size / 2 + rng.random() * (rules.height - size)
        if (spot[0] - x) ** 2 + (spot[1] - y) ** 2 >= clear * clear:
            break
    return spot


def populate(play: Play) -> None:
    """Fill the area that the player has entered: all its monsters are there, and nothing lies about."""
    spots = [clear_spot(play.rules, play.rng, play.x, play.y) for _ in range(play.number)]
    play.xs, play.ys = [x for x, _ in spots], [y for _, y in spots]
    play.returning = []
    play.gem_xs, play.gem_ys = [], []
    if play.company is not None:
        play.company.settle()


def respawn(play: Play) -> None:
    """Bring back the monsters whose time has come."""
    while play.returning and play.returning[0] <= play.frame:
        play.returning.pop(0)
        x, y = clear_spot(play.rules, play.rng, play.x, play.y)
        play.xs.append(x)
        play.ys.append(y)
        if play.company is not None:
            play.company.join(x, y)


def approach(play: Play) -> None:
    """Move every monster by one frame."""
    if play.company is not None:
        play.company.live()
        return
    monsters = play.rules.monsters
    move = charge if monsters.move == "charge" else approach_by_axes
    move(play.xs, play.ys, play.x, play.y, monsters.speed, monsters.sight)


def charge(xs: list[float], ys: list[float], x: float, y: float, speed: float, sight: float | None) -> None:
    """Move monsters straight at the player, those who see the player."""
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
    """Move monsters along the axis on which the player is farther away."""
    seen = math.inf if sight is None else sight * sight
    for i in range(len(xs)):
        across, down = x - xs[i], y - ys[i]
        if across * across + down * down > seen:
            continue
        if abs(across) >= abs(down):
            xs[i] += min(speed, max(-speed, across))
        else:
            ys[i] += min(speed, max(-speed, down))


# --- frame ------------------------------------------------------------------------------------------------------------
# One frame of the game: the player walks, monsters come, the sword strikes, things are picked up.


def advance(play: Play, keys: Keys) -> bool:
    """Move the game on by one frame in which ``keys`` are held; return whether a swing started in it."""
    play.frame += 1
    if play.frame == play.hint_ends:
        play.tell("")
    starts = keys.swing and not play.keys.swing and not play.swinging  # holding the key down is one swing
    play.keys = keys
    if keys.direction != STOP:
        _walk(play, keys.direction)
    if starts:
        play.swinging = play.rules.sword.frames
        play.since.attacked |= _is_monster_near(play)
        if play.company is not None:
            play.company.alarm()
    approach(play)
    if play.swinging:
        play.swinging -= 1
        _strike(play)
    if _is_touched(play):
        _die(play)
    respawn(play)
    _pick_up(play)
    if play.in_town:
        visit_town(play)
    return starts


def _walk(play: Play, direction: str) -> None:
    rules = play.rules
    across, down = VECTORS[direction]
    play.facing = direction
    if len(PARTS[direction]) == 1:
        play.straight = direction
    exits = rules.map.exits[play.area]
    half, speed = rules.player.size / 2, rules.player.speed
    x, y = play.x + across * speed, play.y + down * speed
    for side, is_beyond in (("left", x < 0), ("right", x > rules.width), ("up", y < 0), ("down", y > rules.height)):
        if is_beyond and EDGES[side] in exits:
            # One edge a frame: in a corner the other one holds like a wall until the next.
            _cross(play, side, x, y)
            return
    play.x = _kept(x, rules.width, half, low="west" not in exits, high="east" not in exits)
    play.y = _kept(y, rules.height, half, low="north" not in exits, high="south" not in exits)


def _kept(value: float, end: float, half: float, *, low: bool, high: bool) -> float:
    """Return a coordinate inside the area: half a body away from walls, up to the very edge where it is open."""
    return min(end - half if high else end, max(half if low else 0.0, value))


def _cross(play: Play, side: str, x: float, y: float) -> None:
    """Walk over an edge, into the next area."""
    rules, half = play.rules, play.rules.player.size / 2
    left, left_at = play.area, (play.x, play.y)
    play.area = rules.map.exits[left][EDGES[side]]
    play.x = {"left": rules.width - half, "right": half}.get(side, min(rules.width - half, max(half, x)))
    play.y = {"up": rules.height - half, "down": half}.get(side, min(rules.height - half, max(half, y)))
    distance = rules.map.distance
    play.since.nearer_town |= (distance[play.area] or 0) < (distance[left] or 0)
    play.since.new_area |= play.area not in play.visited
    play.visited.add(play.area)
    populate(play)
    if play.company is not None:
        play.company.come_along(*left_at)


def _is_monster_near(play: Play) -> bool:
    """Whether a swing could have been meant for a monster: one is within reach, whichever way the sword goes."""
    reach = play.rules.sword.reach + play.rules.monsters.size / 2
    return any((x - play.x) ** 2 + (y - play.y) ** 2 <= reach * reach for x, y in zip(play.xs, play.ys, strict=True))


def _strike(play: Play) -> None:
    sword, body = play.rules.sword, play.rules.monsters.size / 2
    right, down = VECTORS[play.sword_way]
    for i in reversed(range(len(play.xs))):
        x, y = play.xs[i] - play.x, play.ys[i] - play.y
        if 0 <= x * right + y * down <= sword.reach + body and abs(x * down - y * right) <= sword.width / 2 + body:
            _kill(play, i)


def _kill(play: Play, i: int) -> None:
    if play.rules.gem_size is not None:
        play.gem_xs.append(play.xs[i])
        play.gem_ys.append(play.ys[i])
    del play.xs[i], play.ys[i]
    if play.company is not None:
        play.company.lose(i)
    play.returning.append(play.frame + play.rules.monsters.respawn)
    count_kill(play)


def _is_touched(play: Play) -> bool:
    near = (play.rules.player.size + play.rules.monsters.size) / 2
    x, y, xs, ys, company = play.x, play.y, play.xs, play.ys, play.company
    for i in range(len(xs)):
        if -near < xs[i] - x < near and -near < ys[i] - y < near and (company is None or not company.is_harmless(i)):
            return True
    return False


def _die(play: Play) -> None:
    """Start again from the town or the last chest; gems are lost, and a chest only if everybody starts from town."""
    play.deaths += 1
    play.phase_deaths += 1
    play.since.died = True
    if play.phase_deaths == 1 and play.task and play.task.death_tip:
        play.tell(play.task.death_tip)
    play.gems_held = 0
    play.swinging = 0
    if play.rules.restart == "town":
        _lose_chest(play)
    left_at = play.x, play.y
    play.area, play.x, play.y = play.restart
    play.visited.add(play.area)
    populate(play)
    if play.company is not None:
        play.company.come_along(*left_at)


def _lose_chest(play: Play) -> None:
    """Put a chest back where it was found: else dying would be the quickest way to bring it to town."""
    if play.carrying:
        play.chests.add(play.restart[0])
    play.carrying = False
    play.restart = (play.rules.map.town, play.rules.width / 2, play.rules.height / 2)


def _pick_up(play: Play) -> None:
    rules, x, y = play.rules, play.x, play.y
    if play.area in play.chests and not play.carrying:
        near = (rules.player.size + rules.chest.size) / 2
        if abs(x - rules.width / 2) < near and abs(y - rules.height / 2) < near:
            find_chest(play)
    if play.gem_xs and rules.gem_size is not None:
        near = (rules.player.size + rules.gem_size) / 2
        for i in reversed(range(len(play.gem_xs))):
            if abs(play.gem_xs[i] - x) < near and abs(play.gem_ys[i] - y) < near:
                del play.gem_xs[i], play.gem_ys[i]
                play.gems_held += 1
