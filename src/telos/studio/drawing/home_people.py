"""What moves in the house: people, the light, what is switched on, and a card for everybody below the plan."""

import math
from collections.abc import Iterator

from telos.studio.drawing.home_plan import LEFT, WIDTH, centre, locked_door, rooms, spot
from telos.studio.drawing.shapes import Picture, Shape, circle, place, rect, text
from telos.worlds.home.floor import FloorPlan
from telos.worlds.home.views import HomeView, PersonView

TINTS = ("foe", "player", "gold", "friend", "accent", "gem")  # of the first person, the second, …
DESPERATE = 8.0
_DUSK, _DAWN = 21, 6
_SHORT = {
    "get-snack": "has a snack", "take-ingredients": "gets food", "insert": "fills the oven", "cook": "cooks",
    "take-out": "serves", "eat": "eats", "use": "uses the toilet", "wash-hands": "washes hands", "shower": "showers",
    "watch-tv": "watches TV", "play": "plays", "read": "reads", "ring-friend": "phones", "sleep": "sleeps",
    "chat": "chats", "potter": "potters", "gather": "alarm!",
}  # fmt: skip
_CARD_TOP, _CARD_HIGH, _CARD_MOST = 385.0, 41.0, 238.0
_SIDE_BY_SIDE = 28.0
_LETTER = 6.2  # how wide one is, about
_CROWD = 62.0  # who is nearer to another than this is labelled by name alone


def doing(person: PersonView) -> str:
    """Say in two words what somebody does.

    >>> from telos.worlds.home.home import Home
    >>> home = Home(people=1)
    >>> home.step({"Ada": "toilet.use"})
    >>> doing(home.view().people[0])
    'to the toilet'
    """
    if person.doing is None:
        return "waits"
    thing, _, deed = person.doing.rpartition(".")
    short = _SHORT.get(deed, deed)
    if deed == "chat":
        return f"chats with {thing}"
    if not person.walking:
        return short
    if thing.endswith("s_bed"):
        return "to bed"
    return f"to the {thing.replace('_', ' ')}" if thing else short


def scene(plan: FloorPlan, view: HomeView) -> Picture:
    """Return all that may look different in the next minute."""
    return [
        *_light(plan, view),
        *_switched_on(plan, view),
        *(shape for room in sorted(view.locked) for shape in locked_door(plan, room)),
        *_people(plan, view),
        *_cards(view),
    ]


def is_dark(view: HomeView) -> bool:
    """Whether one needs light in the house."""
    return not _DAWN <= int(view.clock[:2]) < _DUSK


def _light(plan: FloorPlan, view: HomeView) -> Iterator[Shape]:
    """Yield the dark of the rooms in which nobody is awake; without power it is gloomy everywhere, even by day."""
    if not is_dark(view) and view.has_power:
        return
    awake = {person.room for person in view.people if person.kind != "sleep" or person.walking}
    for name, box in rooms(plan).items():
        if is_dark(view) and view.has_power and name in awake:
            yield rect(*box, "gold/12")
        else:
            yield rect(*box, "shadow")
            if is_dark(view):
                yield rect(*box, "water/20")


def _switched_on(plan: FloorPlan, view: HomeView) -> Iterator[Shape]:
    at_it = {person.doing for person in view.people if not person.walking}
    if "sofa.watch-tv" in at_it:
        cells = plan.furniture["V"]
        yield place("television on", "television_on", *centre(cells[len(cells) // 2]))
    if "console.play" in at_it:
        yield place("console on", "console_on", *centre(plan.furniture["G"][0]))
    if "oven.cook" in at_it:
        yield place("oven hot", "oven_hot", *centre(plan.furniture["O"][0]))
    if "shower.shower" in at_it:
        x, y = centre(plan.furniture["S"][0])
        yield place("water", "water", x - 4, y)


def _people(plan: FloorPlan, view: HomeView) -> Iterator[Shape]:
    spots = _apart([spot(plan, person.cell) for person in view.people])
    for number, person in enumerate(view.people):
        x, y = spots[number]
        others = [each for place_of, each in enumerate(spots) if place_of != number]
        is_alone = all(abs(u - x) > _CROWD or abs(v - y) > 16 for u, v in others)
        is_asleep = person.kind == "sleep" and not person.walking
        yield place(
            person.name,
            "sleeper" if is_asleep else "person",
            x,
            y,
            pick=person.name,
            tint=TINTS[number],
            label=_label(person, x) if is_alone else person.name,
            glow="danger" if max(person.levels.values()) >= DESPERATE else None,
        )
        if person.carrying != "nothing":
            yield place(f"{person.name} carries", str(person.carrying), x + 10, y - 6)


def _apart(spots: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Move people who stand side by side a little apart, so that their names can be read.

    >>> _apart([(100.0, 50.0), (116.0, 50.0), (300.0, 50.0)])
    [(94.0, 50.0), (122.0, 50.0), (300.0, 50.0)]
    """
    moved = [list(each) for each in spots]
    for one, (x, y) in enumerate(spots):
        for two, (u, v) in enumerate(spots):
            if one != two and abs(y - v) < 14 and 0 < abs(u - x) < _SIDE_BY_SIDE:
                moved[one][0] += math.copysign((_SIDE_BY_SIDE - abs(u - x)) / 2, x - u)
    return [(x, y) for x, y in moved]


def _label(person: PersonView, x: float) -> str:
    """Return the name and what is worth saying, if that is anything and does not run over the edge."""
    said = f"{person.name} {doing(person)}"
    is_worth_saying = not person.walking and person.kind not in ("idle", "sleep")
    fits = _LETTER * len(said) / 2 < min(x, WIDTH - x)
    return said if is_worth_saying and fits else person.name


def _cards(view: HomeView) -> Iterator[Shape]:
    """Yield a card for everybody: name, what they do, and the motives as columns that grow with need."""
    room = (WIDTH - 2 * LEFT) / len(view.people)
    wide = min(_CARD_MOST, room - 5)
    left = LEFT + (room * len(view.people) - (wide + 5) * len(view.people) + 5) / 2
    for number, person in enumerate(view.people):
        yield from _card(person, TINTS[number], left + number * (wide + 5), wide)


def _card(person: PersonView, tint: str, x: float, wide: float) -> Iterator[Shape]:
    yield rect(x, _CARD_TOP, wide, _CARD_HIGH, "panel/85", radius=6, stroke="line")
    yield circle(x + 11, _CARD_TOP + 12, 4.5, tint)
    yield text(x + 21, _CARD_TOP + 12.5, person.name, size=12, align="left")
    yield text(x + 7, _CARD_TOP + 30, doing(person), "faint", size=10, align="left")
    step = 6.0
    for place_of, level in enumerate(person.levels.values()):
        at = x + wide - 8 - (len(person.levels) - place_of) * step + 2
        full, share = 30.0, min(1.0, level / 10)
        yield rect(at, _CARD_TOP + 5.5, 4, full, "ink/10", radius=1.5)
        role = "good" if level < 4 else "warn" if level < 7 else "danger"
        yield rect(at, _CARD_TOP + 5.5 + full * (1 - share), 4, full * share, role, radius=1.5)
