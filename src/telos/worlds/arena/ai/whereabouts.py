"""Where hidden enemies probably are: a discrete Bayes filter over the places of a map, kept as facts in memory.

    last sign ──▶ belief ──▶ motion spreads it ──▶ what is seen empty loses ──▶ a noise adds ──▶ fact "whereabouts"
                  over places   spread                  absence                     noise           search, suppression

Start with `WhereaboutsSensor`. The places are areas of a mesh (`HidingPlaces`, whose `spread` moves the belief).
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from telos.agents.memory import Fact, WorkingMemory
from telos.core.errors import TelosError
from telos.worlds.arena.ai.facts import expired_fact, make_fact
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.constants import (
    AWARENESS_RANGE,
    DARK_SIGHT_RANGE,
    FIELD_OF_VIEW,
    SIGHT_RANGE,
    TICK,
    TICKS_A_SECOND,
)
from telos.worlds.arena.sim.fighter import Fighter
from telos.worlds.arena.sim.map import ArenaMap, Cell, Point, cell_centre
from telos.worlds.arena.sim.mesh import Area, Link, NavigationMesh

PLACE_SIDE = 5  # metres of the longest side of a place
WANDER_SPEED = 2.0  # metres a second at which a hidden enemy is taken to move about
GATE_SHARES = {"door": 1.0, "low": 0.3, "window": 0.1}  # how readily each is passed, compared with open floor
NOTICED = 0.9  # chance that a reading would have found an enemy who is in full view
HEARD_RANGE = 2.5  # metres: how exactly a noise is placed
HEARD_FLOOR = 0.001  # of the chance that the noise came from elsewhere after all
LEAST = 0.004  # share of a place that is remembered by itself; the rest is spread evenly
SHOWN = 0.01  # share of a place from which it is shaded in pictures
SEARCH_METRES = 6.0  # what searching a place costs, as a way
KEEP = 1.3  # times as promising another node must be for a searcher to turn round
FORGET_SECONDS = 60.0  # after the last sign of an enemy
MAX_TICKS = 5  # spread in one go
TRICKLE = 0.03  # square metres of the floor from which so few change places that it is left out
MAX_NODES = 6  # the likeliest ones, among which a searcher chooses by distance

Belief = list[float]  # by place; sums to 1


class HidingPlaces:
    """The places of a map, how enemies move between them, and the nodes from which they are searched.

    An enemy in a place of A square metres leaves it over a border of w metres with the rate v·w / (π·A) a second, as
    one who walks about at v metres a second in any direction does. So beliefs tend to what is even over the floor.
    """

    def __init__(self, map: ArenaMap) -> None:
        self.map = map
        mesh = NavigationMesh(map, max_side=PLACE_SIDE)
        self.areas: tuple[Area, ...] = tuple(area for area in mesh.areas if area.kind == "floor")
        self.floor = sum(area.size for area in self.areas)
        self.even: Belief = [area.size / self.floor for area in self.areas]
        self.rooms = tuple(map.room_at(cell_centre((area.left, area.top))) for area in self.areas)
        self.samples = tuple(tuple(_sample_cells(area)) for area in self.areas)
        self._at = {cell: area.number for area in self.areas for cell in area.cells()}
        self._numbers = {f"a{area.number}": area.number for area in self.areas}
        self._steps = self._tick_rows(mesh)
        self.rows = lru_cache(maxsize=MAX_TICKS)(self._rows)
        self.noise_chances = lru_cache(maxsize=1024)(self._noise_chances)  # noises are placed to the metre
        self.parse = lru_cache(maxsize=1024)(self._parse)
        self.spots = tuple(self._spot(area) for area in self.areas)
        self.watched_from = self._assign_nodes()

    def at(self, point: Point) -> int:
        """Return the place at a point, or the nearest one."""
        found = self._at.get((math.floor(point[0]), math.floor(point[1])))
        if found is not None:
            return found
        return min(range(len(self.areas)), key=lambda number: math.dist(self.areas[number].centre, point))

    def _tick_rows(self, mesh: NavigationMesh) -> list[dict[int, float]]:
        """Return where an enemy is a tick later, by place: itself most probably, and the places beside it."""
        rows: list[dict[int, float]] = []
        for area in self.areas:
            row: dict[int, float] = {}
            for other, width in _neighbours(mesh, area.number):
                row[other] = row.get(other, 0.0) + WANDER_SPEED * width / (math.pi * area.size) * TICK
            row[area.number] = 1.0 - sum(row.values())
            rows.append(row)
        return rows

    def _rows(self, ticks: int) -> list[list[tuple[int, float]]]:
        """Return where an enemy is some ticks later, by place."""
        rows: list[dict[int, float]] = [{number: 1.0} for number in range(len(self.areas))]
        for _ in range(ticks):
            after: list[dict[int, float]] = []
            for row in rows:
                moved: dict[int, float] = {}
                for here, share in row.items():
                    for there, chance in self._steps[here].items():
                        moved[there] = moved.get(there, 0.0) + share * chance
                after.append(moved)
            rows = after
        return [self._without_trickles(number, row) for number, row in enumerate(rows)]

    def _without_trickles(self, here: int, row: dict[int, float]) -> list[tuple[int, float]]:
        """Leave out moves that hardly anybody makes. As many are left out the other way, so that even stays even."""
        size = self.areas[here].size
        kept = {there: chance for there, chance in row.items() if there == here or chance * size >= TRICKLE}
        kept[here] += 1.0 - math.fsum(kept.values())
        return list(kept.items())

    def spread(self, belief: Sequence[float], ticks: int) -> Belief:
        """Return the belief after the enemy has moved unseen for some ticks."""
        now = list(belief)
        while ticks > 0:
            rows = self.rows(min(ticks, MAX_TICKS))
            ticks -= MAX_TICKS
            moved = [0.0] * len(now)
            for here, share in enumerate(now):
                if share:
                    for there, chance in rows[here]:
                        moved[there] += share * chance
            now = moved
        return now

    def _noise_chances(self, point: Point) -> list[float]:
        """Return how probable a noise at a point is, by the place that its maker is in."""
        chances = []
        for cells in self.samples:
            near = (math.dist(cell_centre(cell), point) for cell in cells)
            chances.append(HEARD_FLOOR + max(math.exp(-((away / HEARD_RANGE) ** 2) / 2) for away in near))
        return chances

    def _parse(self, text: str) -> Belief:
        """Return the belief that a fact holds as text; what it leaves out is spread evenly over all other floor."""
        belief, named = [0.0] * len(self.areas), set[int]()
        for part in text.split():
            name, _, share = part.partition(":")
            number, value = self._numbers.get(name), _to_share(share)
            if number is None or value is None or number in named:
                raise TelosError(
                    f"{part!r} is not the share of a place", "write a0:0.25, with places of this map, each once"
                )
            belief[number] = value
            named.add(number)
        rest = 1.0 - math.fsum(belief)
        others = 1.0 - math.fsum(self.even[number] for number in named)
        if rest > 0 and others > 0:
            for number, even in enumerate(self.even):
                if number not in named:
                    belief[number] = even * rest / others
        return _normalised(belief) or list(self.even)

    def _spot(self, area: Area) -> Point:
        """Return where in a place an enemy would be: at a cover or ambush node if it has one, or in the middle."""
        nodes = (self.map.at.get(cell) for cell in area.cells())
        hiding = [node.position for node in nodes if node is not None and node.kind in ("cover", "ambush")]
        middle = area.centre
        return min(hiding, key=lambda point: (math.dist(point, middle), point), default=middle)

    def _assign_nodes(self) -> dict[str, tuple[int, ...]]:
        """Return the places that are searched from each node: each place from the nearest node of its room."""
        found: dict[str, list[int]] = {}
        for area, room in zip(self.areas, self.rooms, strict=True):
            nodes = [node for node in self.map.nodes.values() if self.map.room_at(node.position) == room]
            if nodes:
                best = min(nodes, key=lambda node: (math.dist(node.position, area.centre), node.name))
                found.setdefault(best.name, []).append(area.number)
        return {name: tuple(numbers) for name, numbers in found.items()}


@lru_cache(maxsize=8)  # a map never changes
def places_of(map: ArenaMap) -> HidingPlaces:
    """Return the places of a map."""
    return HidingPlaces(map)


def _neighbours(mesh: NavigationMesh, start: int) -> Iterator[tuple[int, float]]:
    """Yield the floor areas beside one, or behind its gates, and the metres of border as far as they are passed.

    Who goes in among gates that touch comes out at any of their borders to the floor, also where he went in.
    """
    for link in mesh.links_of(start):
        if link.kind == "open":
            yield link.end, link.width
            continue
        exits = _find_exits(mesh, link)
        for number, share in exits:
            if number != start:
                yield number, share * 2.0 / len(exits)


def _find_exits(mesh: NavigationMesh, entry: Link) -> list[tuple[int, float]]:
    """Return the floor areas around the gates that touch the one behind a link, and how readily each is reached."""
    exits = []
    reached, seen = [(entry.end, GATE_SHARES[entry.kind])], {entry.end}
    while reached:
        here, share = reached.pop()
        for onward in mesh.links_of(here):
            area, passed = mesh.areas[onward.end], min(share, GATE_SHARES[onward.kind])
            if area.kind == "floor":
                exits.append((area.number, passed))
            elif area.number not in seen:
                seen.add(area.number)
                reached.append((area.number, passed))
    return exits


def _sample_cells(area: Area) -> Iterator[Cell]:
    """Yield the cells that stand for an area when it is looked at: its corners and its middle, each once."""
    right, bottom = area.right - 1, area.bottom - 1
    middle = ((area.left + right) // 2, (area.top + bottom) // 2)
    corners = ((area.left, area.top), (right, area.top), (area.left, bottom), (right, bottom))
    yield from dict.fromkeys((middle, *corners))


# --- evidence ---------------------------------------------------------------------------------------------------------


def absence(belief: Sequence[float], seen: Sequence[float]) -> Belief | None:
    """Return the belief after looking without finding anybody; None if the enemy can be nowhere then.

    ``seen`` is the share of each place that is in view. What was looked at in full loses nine tenths.

    >>> [round(share, 3) for share in absence([0.5, 0.5], [1.0, 0.0])]
    [0.091, 0.909]
    """
    return _normalised([share * (1.0 - NOTICED * part) for share, part in zip(belief, seen, strict=True)])


def noise(belief: Sequence[float], chances: Sequence[float]) -> Belief | None:
    """Return the belief after a noise, given how probable it is from each place.

    >>> [round(share, 3) for share in noise([0.5, 0.5], [0.9, 0.1])]
    [0.9, 0.1]
    """
    return _normalised([share * chance for share, chance in zip(belief, chances, strict=True)])


def _normalised(weights: list[float]) -> Belief | None:
    total = math.fsum(weights)
    return [weight / total for weight in weights] if total > 1e-12 else None


class FieldOfView:
    """What a fighter has in view at one moment: the share of each place, looked at when it is asked for, and once."""

    def __init__(self, arena: Arena, who: str, places: HidingPlaces) -> None:
        self._arena, self._places, me = arena, places, arena.fighter(who)
        self._here, self._across, self._down = me.position, math.cos(me.facing), math.sin(me.facing)
        self._dark = {room for room in arena.map.dark if arena.is_dark(room)}
        self._known: dict[int, float] = {}

    def shares(self, belief: Sequence[float]) -> list[float]:
        """Return the share of each place that is in view; places that hardly matter to a belief are not looked at."""
        return [self._share(number) if share >= LEAST else 0.0 for number, share in enumerate(belief)]

    def _share(self, number: int) -> float:
        found = self._known.get(number)
        if found is None:
            cells = self._places.samples[number]
            far = DARK_SIGHT_RANGE if self._places.rooms[number] in self._dark else SIGHT_RANGE
            found = self._known[number] = sum(self._sees(cell, far) for cell in cells) / len(cells)
        return found

    def _sees(self, cell: Cell, far: float) -> bool:
        x, y = cell[0] + 0.5 - self._here[0], cell[1] + 0.5 - self._here[1]
        away = math.hypot(x, y)
        is_noticed = away <= AWARENESS_RANGE or x * self._across + y * self._down >= FIELD_OF_VIEW * away
        return away <= far and is_noticed and self._arena.has_line_of_sight(self._here, cell_centre(cell))


# --- facts ------------------------------------------------------------------------------------------------------------


def format_shares(belief: Sequence[float]) -> str:
    """Return a belief as text for a fact, the most probable place first; small shares are left out.

    >>> format_shares([0.25, 0.001, 0.749])
    'a2:0.749 a0:0.25'
    """
    kept = sorted(
        ((share, number) for number, share in enumerate(belief) if share >= LEAST), key=lambda each: (-each[0], each[1])
    )
    return " ".join(f"a{number}:{float(f'{share:.4g}')!r}" for share, number in kept)


def _to_share(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0.0 <= value <= 1.0 else None


def room_shares(belief: Sequence[float], places: HidingPlaces) -> dict[str, float]:
    """Return how probable each room is, the most probable one first."""
    found: dict[str, float] = {}
    for room, share in zip(places.rooms, belief, strict=True):
        found[room] = found.get(room, 0.0) + share
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def explain_whereabouts(fact: Fact, now: float) -> str:
    """Return a belief about a hidden enemy in words: the likeliest rooms, the node to look from, and the last sign.

    >>> about = {"rooms": "r1 75%, r2 25%", "node": "p1", "sign": 3.0, "heard": True}
    >>> print(explain_whereabouts(Fact("whereabouts", "Eve", 5.0, attributes=about), now=5.0))
    Eve is probably in r1 75%, r2 25%; to be looked for from p1; last heard 2.0 s ago
    """
    node = f"; to be looked for from {fact['node']}" if fact["node"] else ""
    sign = f"{'heard' if fact['heard'] else 'seen'} {now - fact['sign']:.1f} s ago"
    return f"{fact.subject} is probably in {fact['rooms']}{node}; last {sign}"


class WhereaboutsSensor:
    """Infers where enemies are who were noticed and are hidden now, from what the fighter sees empty and hears."""

    cost = 6.0

    def __init__(self, arena: Arena) -> None:
        self._arena = arena

    @property
    def _places(self) -> HidingPlaces:
        return places_of(self._arena.map)  # made when somebody first needs them

    def read(self, who: str, memory: WorkingMemory, now: float) -> Iterable[Fact]:
        """Return the belief about each enemy that was noticed and is hidden now."""
        view = FieldOfView(self._arena, who, self._places)
        subjects = dict.fromkeys(fact.subject for kind in ("enemy", "whereabouts") for fact in memory.all_of(kind, now))
        for enemy in subjects:
            sign, known = memory.recall("enemy", enemy, now), memory.recall("whereabouts", enemy, now)
            if sign is not None and sign["alive"] and sign["seen"]:
                yield self._sighting(enemy, sign)  # what is inferred begins here when the enemy goes out of sight
            elif sign is not None and not sign["alive"]:
                if known is not None:
                    yield expired_fact("whereabouts", enemy, now)
            elif known is not None and now - known["sign"] > FORGET_SECONDS:
                yield expired_fact("whereabouts", enemy, now)
            else:
                yield self._infer(view, self._arena.fighter(who), enemy, sign, known, now)

    def _sighting(self, enemy: str, sign: Fact) -> Fact:
        """Return the belief about an enemy in sight, who need not be looked for."""
        number = self._places.at((sign["x"], sign["y"]))
        return make_fact(
            "whereabouts", enemy, sign.time, node=None, x=sign["x"], y=sign["y"], share=1.0, sign=sign.time,
            heard=False, rooms=self._places.rooms[number], shares=f"a{number}:1.0",
        )  # fmt: skip

    def _infer(
        self, view: FieldOfView, me: Fighter, enemy: str, sign: Fact | None, known: Fact | None, now: float
    ) -> Fact:
        """Return the new belief about one enemy."""
        places = self._places
        heard, last = (True, now) if known is None else (bool(known["heard"]), float(known["sign"]))
        belief = list(places.even)
        if known is not None:
            belief = places.spread(places.parse(str(known["shares"])), _ticks(now - known.time))
        if sign is not None and (known is None or sign.time > last):
            there, heard, last = (sign["x"], sign["y"]), sign.confidence < 1.0, sign.time
            if heard:
                belief = noise(belief, places.noise_chances(there)) or belief
            else:
                belief = [0.0] * len(belief)
                belief[places.at(there)] = 1.0
            belief = places.spread(belief, _ticks(now - last))
        belief = absence(belief, view.shares(belief)) or list(places.even)
        best = max(range(len(belief)), key=belief.__getitem__)
        x, y = places.spots[best]
        rooms = ", ".join(f"{room} {share:.0%}" for room, share in list(room_shares(belief, places).items())[:3])
        return make_fact(
            "whereabouts", enemy, now, node=self._node(me, belief, known), x=x, y=y, share=round(belief[best], 3),
            sign=last, heard=heard, rooms=rooms, shares=format_shares(belief),
        )  # fmt: skip

    def _node(self, me: Fighter, belief: Sequence[float], known: Fact | None) -> str | None:
        """Return the node to look from: the most probable places for the shortest way, with some constancy."""
        before, worth = None if known is None else known["node"], dict[str, float]()
        watched = self._places.watched_from.items()
        likely = sorted(((sum(belief[number] for number in numbers), name) for name, numbers in watched), reverse=True)
        for share, name in likely[:MAX_NODES]:
            way = self._arena.navigator.distance(me.position, self._arena.map.nodes[name].position)
            worth[name] = share / (SEARCH_METRES + way) * (KEEP if name == before else 1.0)
        return max(worth, key=lambda name: (worth[name], name), default=None)


def _ticks(seconds: float) -> int:
    return max(0, round(seconds * TICKS_A_SECOND))


class HideoutAttention:
    """Keeps in focus which hidden enemy to look for, the most certain one, and from which node."""

    focus = "quarry"

    def choose(self, memory: WorkingMemory, now: float) -> str | None:
        """Attend to the enemy whose place is known best."""
        known = [fact for fact in memory.all_of("whereabouts", now) if fact["node"] is not None]
        best = max(known, key=lambda fact: (fact["share"], fact.subject), default=None)
        memory.focus["quarry"] = None if best is None else best.subject
        memory.focus["hideout"] = None if best is None else best["node"]
        return memory.focus["quarry"]


def room_likelihoods(memory: WorkingMemory, places: HidingPlaces, now: float) -> dict[str, float]:
    """Return the chance of each room that some hidden enemy is in it; empty if nothing is believed about any."""
    empty: dict[str, float] = {}
    for fact in memory.all_of("whereabouts", now):
        for room, share in room_shares(places.parse(str(fact["shares"])), places).items():
            empty[room] = empty.get(room, 1.0) * (1.0 - share)
    return {room: round(1.0 - share, 2) for room, share in empty.items()}


def suspected_places(memory: WorkingMemory, map: ArenaMap, now: float) -> dict[int, float]:
    """Return the places in which some hidden enemy may well be, and how surely, for pictures."""
    found: dict[int, float] = {}
    for fact in memory.all_of("whereabouts", now):
        for number, share in enumerate(places_of(map).parse(str(fact["shares"]))):
            if share >= SHOWN:
                found[number] = max(share, found.get(number, 0.0))
    return found


def suppression_point(memory: WorkingMemory, enemy: str, now: float) -> Point | None:
    """Return where to fire at an enemy who is hidden: at the most probable spot; None without a belief about it."""
    fact = memory.recall("whereabouts", enemy, now)
    return None if fact is None else (fact["x"], fact["y"])
