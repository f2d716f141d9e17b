"""What moves in the village: two people, what they hold and say, how far they are with a deed, and the fire."""

import math
from collections.abc import Iterator, Mapping

from telos.studio.drawing.forge_map import at
from telos.studio.drawing.shapes import Picture, Shape, circle, line, path, place, text
from telos.worlds.forge.forge import PLAYER
from telos.worlds.forge.log import deed
from telos.worlds.forge.map import Village
from telos.worlds.forge.scene_view import SceneView
from telos.worlds.forge.views import ForgeView, PersonView

TINTS = {"player": "player", "companion": "friend"}
HEARD_FOR = 6.0  # seconds that words stand in a bubble
_RING = 19.0
_BESIDE = {"player": -30.0, "companion": 30.0}  # where two stand who are at one place
_AT_DOOR = {"player": -56.0, "companion": 0.0}  # ... where there is a wall to the right
_HINT = 50.0  # how far from the player the arrows are shown
_HEARTH = (-8.0, -19.0)  # seen from the place of the forge


def picture(village: Village, view: SceneView, *, hints: Mapping[str, str], is_you: bool) -> Picture:
    """Return people and things; ``hints`` is which place each arrow leads to, ``is_you`` whether you are the player."""
    return [
        *_things(village, view.village),
        *_hints(village, view.village.person(PLAYER), hints),
        *(shape for person in view.village.people for shape in _person(person, view, is_you=is_you)),
    ]


def _things(village: Village, view: ForgeView) -> Iterator[Shape]:
    x, y = at(*village.places["forge"])
    if view.fire != "out":
        is_hot = view.fire == "hot"
        yield circle(x + _HEARTH[0], y + _HEARTH[1], 26 if is_hot else 15, "fire/25")
        yield place("fire", "flame", x + _HEARTH[0], y + _HEARTH[1] - 3, scale=1.15 if is_hot else 0.75)
        yield place("smoke", "smoke", x + 22, y - 78)
    if view.bellows:
        yield place("bellows", "bellows", x - 24, y - 18)
    if view.tool != "in_hand":
        u, v = at(*village.places["shed" if view.tool == "in_shed" else "door"])
        yield place("the hammer", "hammer", u + (34 if view.tool == "in_shed" else -22), v - 16, scale=1.2)
    u, v = at(*village.places["cottage"])
    for basket in range(max(0, view.owed)):
        yield place(f"wanted {basket}", "apples", u + 38 + 18 * basket, v - 18, alpha=0.35)


def _hints(village: Village, player: PersonView, hints: Mapping[str, str]) -> Iterator[Shape]:
    """Yield the ways that the player may choose, each with its key."""
    x, y = at(*village.places[player.heading])
    for key, name in hints.items():
        u, v = at(*village.places[name])
        far = math.hypot(u - x, v - y)
        part = _HINT / far
        yield line(x + (u - x) * part, y + (v - y) * part, u, v, "accent/70", width=2, dashed=True)
        yield circle(x + (u - x) * part, y + (v - y) * part, 9, "panel/90", stroke="accent", width=1.2)
        yield text(x + (u - x) * part, y + (v - y) * part, key, "accent", size=11)
        yield circle(u, v, 15, "", stroke="accent/70", width=1.5)


def _person(person: PersonView, view: SceneView, *, is_you: bool) -> Iterator[Shape]:
    name = "you" if is_you and person.name == PLAYER else person.name
    x, y = at(person.x, person.y)
    others = [each for each in view.village.people if each.name != person.name]
    is_alone = all(math.hypot(each.x - person.x, each.y - person.y) > 0.8 for each in others)
    if not is_alone:
        x += (_AT_DOOR if person.place == person.heading == "door" else _BESIDE)[person.name]
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
        says=_said(person.name, view),
        scale=1.15,
    )
    if person.hands != "free":
        yield place(f"{person.name} holds", person.hands, x + 12, y + 2)
    if person.pocket != "empty":
        yield place(f"{person.name} has", person.pocket, x - 12, y + 3)


def _label(name: str, person: PersonView) -> str:
    is_at_it = person.doing != "nothing" and not person.doing.startswith("go ")
    return f"{name}: {deed(person.doing)}" if is_at_it else name


def _said(name: str, view: SceneView) -> str | None:
    lines = [words for time, who, words in view.said if who == name and view.time - time < HEARD_FOR]
    return lines[-1] if lines else None


def _ring(x: float, y: float, share: float) -> Iterator[Shape]:
    """Yield how much of a deed is done, as part of a ring."""
    yield circle(x, y, _RING, "", stroke="ink/15", width=3)
    turn = 2 * math.pi * min(share, 0.9999)
    end_x, end_y = x + _RING * math.sin(turn), y - _RING * math.cos(turn)
    large = int(share > 0.5)
    arc = f"M{x:.1f} {y - _RING:.1f}A{_RING:g} {_RING:g} 0 {large} 1 {end_x:.2f} {end_y:.2f}"
    yield path(arc, stroke="accent", width=3)
