"""Monsters: where they appear, and how they come for the player."""

import math
from random import Random

from telos.worlds.adventure.play import Play
from telos.worlds.adventure.rules import Rules

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
