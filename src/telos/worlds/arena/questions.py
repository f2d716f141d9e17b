"""What minds may ask of an arena. Nothing here changes anything."""

from telos.worlds.arena.fighter import Fighter
from telos.worlds.arena.grid import Point, cell_of
from telos.worlds.arena.map import ArenaMap
from telos.worlds.arena.moving import where_to_stand
from telos.worlds.arena.stage import Stage
from telos.worlds.arena.things import ThingPlaced
from telos.worlds.arena.views import GrenadeView


class Questions:
    """The part of an arena that sensors, attention and plans look at."""

    map: ArenaMap
    _stage: Stage

    @property
    def fighters(self) -> dict[str, Fighter]:
        """Everybody in the fight, dead or alive."""
        return self._stage.fighters

    def place_of(self, name: str) -> Point:
        """Return where a fighter, node, fixture or thing is."""
        return self._stage.place_of(name)

    def where_to_stand(self, who: str, place: str, avoiding: frozenset[str] = frozenset()) -> Point | None:
        """Return where somebody would stand to be at a place, or to use it."""
        return where_to_stand(self._stage, self._stage.fighters[who], place, avoiding)

    def opponents(self, name: str) -> tuple[Fighter, ...]:
        """Return everybody on another side, dead or alive; the neutral oppose nobody."""
        side = self._stage.fighters[name].side
        if side == "neutral":
            return ()
        return tuple(each for each in self._stage.fighters.values() if each.side not in (side, "neutral"))

    def comrades(self, name: str) -> tuple[Fighter, ...]:
        """Return everybody else on the same side."""
        side = self._stage.fighters[name].side
        return tuple(each for each in self._stage.fighters.values() if each.side == side and each.name != name)

    def near(self, point: Point, radius: float) -> list[Fighter]:
        """Return the living within ``radius`` metres of a point."""
        return self._stage.near(point, radius)

    def grenades(self) -> tuple[GrenadeView, ...]:
        """Return the grenades that have not gone off."""
        tick = self._stage.tick
        return tuple(GrenadeView(each.name, *each.position(tick), each.left(tick)) for each in self._stage.grenades)

    def things(self) -> tuple[ThingPlaced, ...]:
        """Return what lies about and is not used up."""
        return tuple(each for each in self._stage.things.values() if each.name not in self._stage.used_up)

    def is_used_up(self, thing: str) -> bool:
        """Whether there is nothing left in a thing."""
        return thing in self._stage.used_up

    def node_under(self, name: str) -> str | None:
        """Return the node that somebody stands on."""
        node = self._stage.node_of(self._stage.fighters[name])
        return None if node is None else node.name

    def taken_nodes(self, name: str) -> frozenset[str]:
        """Return the nodes where comrades of somebody stand, or are heading to."""
        taken = set()
        for each in self.comrades(name):
            if not each.alive:
                continue
            if each.act is not None and each.act.state == "goto" and each.act.target in self.map.nodes:
                taken.add(each.act.target)
            elif (node := self._stage.node_of(each)) is not None:
                taken.add(node.name)
        return frozenset(taken)

    def door_on_the_way(self, name: str) -> str | None:
        """Return the first shut door on the way that somebody is walking, if it is in their sight."""
        me = self._stage.fighters[name]
        if me.act is None or me.act.state != "goto":
            return None
        before = me.position
        for point in me.act.way:
            door = self.map.doors_at.get(cell_of(point))
            if door is not None and cell_of(point) in self._stage.shut:
                return door if self._stage.line(me.position, before) else None
            before = point
        return None

    def switch_of(self, room: str) -> str | None:
        """Return the light switch of a room."""
        return next((name for name, each in self.map.switches.items() if self.map.room_at(each.position) == room), None)

    def window_past(self, door: str, point: Point) -> str | None:
        """Return the nearest window that joins the same two rooms as a door."""
        if door not in self.map.doors:
            return None
        rooms = self._joined(door)
        there = [name for name in self.map.windows if self._joined(name) == rooms]
        return min(there, key=lambda name: _between(point, self.map.windows[name].position), default=None)

    def _joined(self, fixture: str) -> frozenset[str]:
        sides = self.map.sides(fixture)
        return frozenset(self.map.room_at((cell[0] + 0.5, cell[1] + 0.5)) for pair in sides for cell in pair)


def _between(one: Point, other: Point) -> float:
    return float(((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5)
