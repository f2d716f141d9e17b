"""Attention in the arena: the one enemy, the one hiding place, the one door that a fighter plans with."""

from telos.agents.attention import Attends, Attention
from telos.agents.memory import Fact, WorkingMemory
from telos.worlds.arena.arena import Arena
from telos.worlds.arena.drawing import WALL
from telos.worlds.arena.fighter import Fighter
from telos.worlds.arena.grid import beside
from telos.worlds.arena.knowledge import barrier_known

FOCI = ("target", "cover_node", "ambush_node", "post", "medkit", "ammo_box", "ally")


def attention_of(arena: Arena, fighter: Fighter) -> tuple[Attends, ...]:
    """Return what one fighter's attention goes by."""
    gaze = _Gaze(arena, fighter)
    return (
        Attention("target", "enemy", gaze.enemy, margin=4.0),
        Attention("cover_node", "cover", gaze.cover, margin=3.0),
        Attention("ambush_node", "ambush", lambda fact, memory, now: -fact["distance"], margin=4.0),
        Attention("post", "post", gaze.post),
        Attention("medkit", "thing", lambda fact, memory, now: gaze.thing(fact, "medkit")),
        Attention("ammo_box", "thing", lambda fact, memory, now: gaze.thing(fact, "ammo")),
        Attention("ally", "ally", gaze.helper),
        Duty(),
    )


class Duty:
    """Keeps in mind which order is in force, so that what is done is known to be done for it."""

    focus = "order"

    def choose(self, memory: WorkingMemory, now: float) -> str | None:
        """Attend to the order that was given last."""
        order = memory.recall("order", "current", now)
        memory.focus["order"] = None if order is None else str(order["serial"])
        memory.focus["order_node"] = None if order is None else order["node"]
        return memory.focus["order"]


class _Gaze:
    """Rates facts from where one fighter stands."""

    def __init__(self, arena: Arena, fighter: Fighter) -> None:
        self._arena, self._fighter = arena, fighter

    def enemy(self, fact: Fact, memory: WorkingMemory, now: float) -> float | None:
        """Rate an enemy: those in sight first, then the near, then those that one is sure of."""
        if not fact["alive"]:
            return None
        near = -self._fighter.distance_to((fact["x"], fact["y"]))
        return near + (40.0 if fact["seen"] else 0.0) + 10.0 * memory.confidence(fact, now)

    def cover(self, fact: Fact, memory: WorkingMemory, now: float) -> float | None:
        """Rate cover: near, with a view of the enemy, and where one is already. One's order counts as a wish."""
        if not fact["valid"] or memory.recall("failure", f"goto({fact.subject})", now) is not None:
            return None
        order = memory.recall("order", "current", now)
        ordered = 20.0 if order is not None and order["node"] == fact.subject else 0.0
        here = 6.0 if self._arena.node_under(self._fighter.name) == fact.subject else 0.0
        return float(-fact["distance"]) + (5.0 if fact["sees"] else 0.0) + here + ordered

    def post(self, fact: Fact, memory: WorkingMemory, now: float) -> float | None:
        """Rate a stop of the patrol: the one that was not looked at for longest; of equals the first on the route."""
        if self._fighter.climbs and not self._can_hang(fact.subject):
            return None
        watched = memory.recall("watched", fact.subject, now)
        return (0.0 if watched is None else -watched.time) - int(fact.subject[1:]) / 1000

    def _can_hang(self, post: str) -> bool:
        """Whether there is a wall to watch from, and no comrade in the way to it."""
        near = beside(self._arena.map.nodes[post].cell)
        has_wall = any(self._arena.map.mark(cell) == WALL for cell in near)
        return has_wall and post not in self._arena.taken_nodes(self._fighter.name)

    def thing(self, fact: Fact, kind: str) -> float | None:
        """Rate something that lies about: the nearest of the kind that is not used up."""
        if fact["kind"] != kind or self._arena.is_used_up(fact.subject):
            return None
        return -self._fighter.distance_to(self._arena.place_of(fact.subject))

    def helper(self, fact: Fact, memory: WorkingMemory, now: float) -> float | None:
        """Rate a comrade to send to the barrier: of lower rank, alive, and near to it."""
        barrier = barrier_known(memory, now)
        other = self._arena.fighter(fact.subject)
        if barrier is None or fact["rank"] >= self._fighter.rank or not other.alive:
            return None
        return -other.distance_to(self._arena.place_of(barrier.subject))
