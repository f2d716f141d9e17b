"""The map of the island: the sea, the shore, the ways, and the houses of the camp with the places in them."""

from collections.abc import Iterator
from functools import lru_cache
from random import Random

from telos.studio.drawing.island_places import HEIGHT, ROOM, WIDTH, spot, words
from telos.studio.drawing.shapes import Picture, Shape, circle, line, path, place, rect, text
from telos.worlds.island.story import Story
from telos.worlds.island.story_files import the_story

_SHORE = (
    "M44 150C34 66 110 44 240 46C360 48 430 36 510 42C650 32 800 30 884 54C950 78 938 160 936 240"
    "C934 330 950 404 916 444C880 470 800 462 742 470C650 482 610 516 520 520C440 524 400 512 330 516"
    "C240 524 140 522 96 486C48 446 46 380 46 300C46 230 50 200 44 150Z"
)
_OPEN_AIR = ("outdoors", "waterfall")
_PEOPLE = {
    "nurse": "danger", "cook": "fire", "virus-expert": "gem", "bacteria-expert": "good", "technician": "accent",
    "lead-scientist": "gold", "gardener": "leaf",
}  # fmt: skip
_SICK = "accent"
_NARROW = ("lead-scientist",)  # houses whose rooms are narrow
# What makes the places in the open easy to know, by how far it stands from them.
_LANDMARKS = (
    ("fire-pit", "fire", 34, -4), ("fire-pit", "tree", 74, 0), ("garden", "bed", -58, -4), ("garden", "bed", -108, -4),
    ("cave", "cave", -6, -14), ("cave", "palm", -54, 22), ("rock-steps", "rock", 36, -8),
    ("rock-steps", "rock", -48, 16), ("pool", "bush", 46, 18), ("north-path", "pine", -50, -2),
    ("north-path", "pine", 48, -6), ("beach", "palm", -52, -8), ("beach", "bush", 60, 14), ("gate", "palm", -70, -14),
    ("gate", "palm", 64, -14), ("dock", "palm", -90, -18), ("dock", "rock", 96, -26),
)  # fmt: skip


@lru_cache(maxsize=1)  # there is one island
def ground() -> Picture:
    """Return all that stands still."""
    story = the_story()
    drawn: Picture = [*_sea(Random("waves")), *_land(Random("meadow")), *_nature(story), *_paths(story)]
    for area in dict.fromkeys(each.area for each in story.map.places.values()):
        if area not in _OPEN_AIR:
            drawn += _house(story, area)
    drawn += _doors(story)
    drawn += _places(story)
    drawn += _people(story)
    return drawn


def _sea(rng: Random) -> Iterator[Shape]:
    yield rect(0, 0, WIDTH, HEIGHT, "water")
    yield path(_SHORE, stroke="gem/10", width=64)
    yield path(_SHORE, stroke="gem/14", width=36)
    for i in range(16):
        x, y = rng.uniform(10, WIDTH - 10), rng.choice((rng.uniform(8, 26), rng.uniform(HEIGHT - 18, HEIGHT - 6)))
        yield place(f"wave{i}", "wave", x, y, scale=round(rng.uniform(0.7, 1.1), 2))


def _land(rng: Random) -> Iterator[Shape]:
    yield path(_SHORE, fill="grass", stroke="path", width=16)
    for i in range(44):
        x, y = rng.uniform(70, 900), rng.uniform(70, 460)
        yield place(f"tuft{i}", rng.choice(("tuft", "tuft", "tuft", "flower")), x, y, scale=0.8, tint="gold")


def _nature(story: Story) -> Iterator[Shape]:
    """Draw the pool with its fall, the dock, and the landmarks."""
    x, y = spot(story.map.place("pool"))
    yield path(f"M{x - 34} {y}a34 18 0 1 0 68 0a34 18 0 1 0 -68 0Z", fill="water", stroke="stone/60", width=3)
    yield path(f"M{x - 12} {y - 44}h24l4 40h-32z", fill="water")
    yield path(f"M{x - 6} {y - 42}v34M{x + 1} {y - 40}v36M{x + 8} {y - 42}v32", stroke="ink/35", width=1.5)
    x, y = spot(story.map.place("dock"))
    planks = "".join(f"M{x - 16} {y - 22 + 9 * i:g}h32" for i in range(7))
    yield rect(x - 16, y - 26, 32, 62, "wood", radius=2)
    yield path(planks, stroke="shadow", width=1.5)
    for i, (where, symbol, right, down) in enumerate(_LANDMARKS):
        x, y = spot(story.map.place(where))
        yield place(f"landmark{i}", symbol, x + right, y + down)


def _paths(story: Story) -> Iterator[Shape]:
    """Draw the ways that lead through the open air, as one trodden net."""
    net = ""
    for name, ways in story.map.ways.items():
        here = story.map.place(name)
        if here.area in _OPEN_AIR and name != "dock":
            (x, y) = spot(here)
            net += "".join(f"M{x} {y}L{_point(story, way.to)}" for way in ways)
    yield path(net, stroke="wood/20", width=13)
    yield path(net, stroke="path", width=10)


def _point(story: Story, name: str) -> str:
    x, y = spot(story.map.place(name))
    return f"{x} {y}"


def _house(story: Story, area: str) -> Iterator[Shape]:
    spots = [spot(each) for each in story.map.places.values() if each.area == area]
    across = min(ROOM[0], *(abs(a[0] - b[0]) - 8 for a in spots for b in spots if a[0] != b[0]))
    left, right = min(x for x, _ in spots) - across / 2 - 8, max(x for x, _ in spots) + across / 2 + 8
    top, bottom = min(y for _, y in spots) - 42, max(y for _, y in spots) + 36
    yield rect(left + 5, top + 6, right - left, bottom - top, "shadow", radius=8)
    yield rect(left, top, right - left, bottom - top, "wall", radius=7)
    yield rect(left + 4, top + 4, right - left - 8, bottom - top - 8, "floor", radius=5)
    yield path(f"M{left - 3:g} {top + 15:g}V{top + 3:g}q0 -6 6 -6H{right - 3:g}q6 0 6 6V{top + 15:g}Z", fill="roof")
    yield text(left + 10, top + 6, area.replace("-", " "), "panel", size=12, align="left")
    for x, y in spots:
        yield rect(x - across / 2, y - 22, across, ROOM[1], "floor2", radius=4)
    for one in (each for each in story.map.places.values() if each.area == area):
        for way in story.map.ways[one.name]:
            other = story.map.place(way.to)
            if other.area == area and one.name < other.name:
                yield line(*spot(one), *spot(other), "wall/35", width=5)


def _doors(story: Story) -> Iterator[Shape]:
    for one, other in story.map.doors.values():
        (x, y), (to_x, to_y) = spot(story.map.place(one)), spot(story.map.place(other))
        across, down = (6, 16) if abs(to_x - x) > abs(to_y - y) else (16, 6)
        yield rect(
            (x + to_x) / 2 - across / 2, (y + to_y) / 2 - down / 2, across, down, "wood", radius=2, stroke="panel"
        )


def _places(story: Story) -> Iterator[Shape]:
    for each in story.map.places.values():
        x, y = spot(each)
        yield circle(x, y, 5, "panel", stroke="faint", width=1.5)
        yield text(x, y + 14, words(each.name), "ink", size=11)


def _people(story: Story) -> Iterator[Shape]:
    """Stand everybody to the right of their place, with the name in the left corner of the room."""
    for who in story.people.values():
        x, y = spot(story.map.place(who.at))
        if who.name.startswith("patient"):
            yield place(who.name, "patient", x + 32, y - 2, tint=_SICK)
        else:
            area = story.map.place(who.at).area
            room = 46 if area in _NARROW else 54
            left, up = (room, 2) if area in _OPEN_AIR else (6 - room, 14)  # out there is no corner, but room beside
            yield place(who.name, "person", x + room - 16, y - 2, tint=_PEOPLE.get(who.name, "faint"))
            yield text(x + left, y - up, who.name.replace("-", " "), "faint", size=10, align="left")
