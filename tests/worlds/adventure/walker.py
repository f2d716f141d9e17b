"""Helpers that play the adventure: a small script language, and a player with full information."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from telos.core.event import Event
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.map import AreaMap
from telos.worlds.adventure.rules import Rules
from telos.worlds.adventure.rules_file import load_rules

SIDES = {"north": "up", "east": "right", "south": "down", "west": "left"}
INPUTS = ("", "up", "down", "left", "right", "up+left", "up+right", "down+left", "down+right", "swing", "right+swing")


def rules_with(rules: str = "flairs", **changes: object) -> Rules:
    return replace(load_rules(rules), **changes)  # type: ignore[arg-type]


def hold(game: Adventure, text: str, frames: int = 1) -> list[Event]:
    """Hold an input and return the events of these frames."""
    found: list[Event] = []
    for _ in range(frames):
        game.step({game.player: text})
        found += game.events
    return found


def put(game: Adventure, **changes: object) -> None:
    """Change a running game through save and restore, so that it remains a valid game."""
    game.restore({**game.save(), **changes})


def afield(rules: Rules | str, **options: Any) -> Adventure:
    """Return a game outside of the safe town: in the middle of 3,2, the companion beside, the monsters in a corner."""
    game = Adventure(rules, **options)
    while game.view().area == "2,2":
        hold(game, "right")
    hold(game, "")
    saved = game.save()
    for each in saved["company"]["beasts"]:
        each.update(at=[20.0, 20.0], post=[20.0, 20.0], spot=[20.0, 20.0])
    if saved["company"]["companion"] is not None:
        saved["company"]["companion"].update(x=380.0, y=240.0, late=0)
    game.restore({**saved, "x": 320.0, "y": 240.0, "facing": "down", "straight": "down"})
    return game


def way(area_map: AreaMap, start: str, end: str) -> list[str]:
    """Return the edges to cross from one area to another, breadth first."""
    names = [area_map.name(area) for area in range(area_map.columns * area_map.rows)]
    ways: dict[str, list[str]] = {start: []}
    queue = [start]
    for area in queue:
        for edge, behind in area_map.exits[names.index(area)].items():
            if names[behind] not in ways:
                ways[names[behind]] = [*ways[area], edge]
                queue.append(names[behind])
    return ways[end]


def go(game: Adventure, end: str) -> list[Event]:
    """Walk to an area along the middle lines; needs a game without monsters nearby."""
    found: list[Event] = []
    for edge in way(game.rules.map, game.view().area, end):
        found += centre(game)
        start = game.view().area
        while game.view().area == start:
            found += hold(game, SIDES[edge])
    return found


def centre(game: Adventure) -> list[Event]:
    """Walk to the centre of the area."""
    found: list[Event] = []
    view = game.view()
    speed = game.rules.player.speed
    for _ in range(200):
        right, down = view.width / 2 - game.view().x, view.height / 2 - game.view().y
        across = ("left" if right < 0 else "right") if abs(right) >= speed else ""
        along = ("up" if down < 0 else "down") if abs(down) >= speed else ""
        if not across and not along:
            break
        found += hold(game, "+".join(filter(None, (across, along))))
    return found


class Expert:
    """Plays any phase: takes the shortest way and strikes monsters that come near; it knows where the chests are."""

    def __init__(self, game: Adventure) -> None:
        self.game = game
        self._pressed = False

    def input(self) -> str:
        view = self.game.view()
        near = self._threat()
        if near is None:
            self._pressed = False
            return self._onward()
        right, down = near[0] - view.x, near[1] - view.y
        facing = ("left" if right < 0 else "right") if abs(right) >= abs(down) else ("up" if down < 0 else "down")
        if view.sword != facing:
            self._pressed = False
            return facing
        self._pressed = not self._pressed
        return "swing" if self._pressed else ""

    def _threat(self) -> tuple[float, float] | None:
        view = self.game.view()
        spots = [(abs(x - view.x) + abs(y - view.y), (x, y)) for x, y in view.monsters]
        far, spot = min(spots, default=(0.0, None))
        return spot if spot and far < 90 else None

    def _onward(self) -> str:
        view, rules = self.game.view(), self.game.rules
        saved = self.game.save()
        if view.truth == "level":
            spots = sorted(view.monsters, key=lambda spot: abs(spot[0] - view.x) + abs(spot[1] - view.y))
            return self._to(*spots[0]) if spots else ""
        town = rules.map.name(rules.map.town)
        goal = town if view.carrying or not saved["chests"] else rules.map.name(saved["chests"][0])
        if goal == view.area:
            return self._to(view.width / 2, view.height / 2)
        edge = way(rules.map, view.area, goal)[0]
        return SIDES[edge]

    def _to(self, x: float, y: float) -> str:
        view = self.game.view()
        parts = (
            ("left", x - view.x < -8),
            ("right", x - view.x > 8),
            ("up", y - view.y < -8),
            ("down", y - view.y > 8),
        )
        return "+".join(part for part, wanted in parts if wanted)


def played(game: Adventure, most: int = 60_000) -> Iterator[Adventure]:
    """Yield a game after each frame until an expert has finished it."""
    expert = Expert(game)
    for _ in range(most):
        if game.done:
            return
        game.step({game.player: expert.input()})
        yield game


def events_of(games: Iterable[Adventure]) -> list[Event]:
    return [event for game in games for event in game.events]
