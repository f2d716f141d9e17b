"""What a fighter feels: how its body is, what it bumped into, and what it has done about its orders."""

from collections.abc import Iterable, Iterator, Mapping

from telos.agents.memory import Fact, WorkingMemory
from telos.core.frozen import FrozenMap
from telos.worlds.arena.arena import Arena
from telos.worlds.arena.duties import file_kept, is_obeyed
from telos.worlds.arena.facts import fact, fallen, gone, threats
from telos.worlds.arena.fighter import Fighter
from telos.worlds.arena.limbs import Limbs
from telos.worlds.arena.map import Node
from telos.worlds.arena.outcomes import OutcomeKind
from telos.worlds.arena.rules import REACH_OF_HANDS

WATCHING = ("look-round", "watch-from-wall", "hover")  # deeds that keep watch over a stop of the patrol
SEES_OPEN = 20.0  # metres at which one sees that a door that barred the way is open


class Touch:
    """How one's own body is, what it bumped into, and what it has done about its orders. Read at every thought."""

    cost = 0.0

    def __init__(self, arena: Arena, limbs: Mapping[str, Limbs]) -> None:
        self._arena, self._limbs = arena, limbs

    def read(self, who: str, memory: WorkingMemory, now: float) -> Iterable[Fact]:
        """Return the fact about oneself, and what has just been learned the hard way."""
        fighter = self._arena.fighter(who)
        node = self._arena.map.at.get(fighter.cell)
        cover = node if node is not None and node.kind == "cover" and not fighter.is_walking else None
        yield fact(
            "self",
            who,
            now,
            at=self._at(who, fighter),
            in_cover=cover is not None,
            cover_valid=cover is not None and self._protects(cover, memory, now),
            health=fighter.health,
            under_fire=memory.recall("fire", "me", now) is not None,
            loaded=fighter.rounds > 0,
            spare=fighter.magazines > 0,
            grenade=fighter.grenades > 0,
            out_of_breath=fighter.out_of_breath,
            on_wall=fighter.on_wall,
            cloaked=fighter.cloaked,
            room=self._arena.room_at(fighter.position),
        )
        yield from self._bumps(fighter, memory, now)
        yield from file_kept(self._arena, fighter, memory, now)
        yield from self._duties(memory, now)

    def _at(self, who: str, fighter: Fighter) -> str | None:
        """Return what one stands at: where one was sent, if that is within reach, or the node under one's feet."""
        if fighter.is_walking:
            return None
        sent = self._limbs[who].place
        is_place = sent is not None and sent not in self._arena.fighters
        if sent and is_place and fighter.distance_to(self._arena.place_of(sent)) <= REACH_OF_HANDS:
            return sent
        node = self._arena.map.at.get(fighter.cell)
        return node.name if node is not None and node.name in self._arena.map.nodes else None

    def _protects(self, node: Node, memory: WorkingMemory, now: float) -> bool:
        return not memory.recall("unsafe", node.name, now) and all(node.protects_from(t) for t in threats(memory, now))

    def _bumps(self, fighter: Fighter, memory: WorkingMemory, now: float) -> Iterator[Fact]:
        """Yield what a failed attempt has taught: that something bars the way, or will not give."""
        if fighter.status == "failed":
            found = fighter.outcome
            if found.kind is OutcomeKind.BLOCKED:
                kind = "low" if found.is_low else "door"
                yield fact("barrier", found.obstacle, now, kind=kind, locked=found.locked)
            elif found.kind is OutcomeKind.STUCK:
                yield fact("door", found.obstacle, now, stuck=True, kick_failed=found.kicked)
        elif fighter.status == "done":
            target = self._arena.fighters.get(self._limbs[fighter.name].last.rpartition(" ")[2])
            if target is not None and not target.alive and target.side != fighter.side:
                yield fallen(target, now)  # whom one has shot at until they fell
        for barrier in memory.all_of("barrier", now):
            if self._is_past(barrier.subject, fighter):
                yield gone("barrier", barrier.subject, now)

    def _is_past(self, name: str, fighter: Fighter) -> bool:
        """Whether a door that barred the way is seen to be open; what one crawled under is behind one."""
        if name in self._arena.map.lows:
            return fighter.status == "done" and self._limbs[fighter.name].crawled(name)
        there = self._arena.map.doors[name].position
        return self._arena.door(name) == "open" and fighter.distance_to(there) <= SEES_OPEN

    def _duties(self, memory: WorkingMemory, now: float) -> Iterator[Fact]:
        """Yield which stop of the patrol has been watched, that an order is done, and which room has been searched."""
        for deed in (memory.recall("deed", name, now) for name in WATCHING):
            if deed is not None and deed["post"] is not None:
                yield Fact("watched", deed["post"], deed.time, attributes=FrozenMap({"count": deed["count"]}))
        order = memory.recall("order", "current", now)
        if order is None:
            return
        if is_obeyed(memory, order, now):
            yield fact("order_done", "current", now, serial=int(memory.focus["order"] or 0))
        searched = memory.recall("deed", "search-room", now)
        if searched is not None and searched["order_node"] is not None:
            room = self._arena.room_at(self._arena.place_of(searched["order_node"]))
            yield Fact("searched", room, searched.time)
