"""Memory to planning variables; attention."""

import math

from telos.agents.memory import Attends, Attention, Fact, WorkingMemory
from telos.core.values import Value
from telos.worlds.arena.ai.facts import barrier_known, is_granted, is_in_file, is_obeyed
from telos.worlds.arena.ai.sensors import WATCHING
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.constants import LEAP, THROW
from telos.worlds.arena.sim.fighter import Fighter
from telos.worlds.arena.sim.map import WALL, Point, beside

# --- beliefs ----------------------------------------------------------------------------------------------------------
# From a fighter's memory to the variables of the arena's domain: what goals and plans speak of.


BLAST = 6.0  # metres from a grenade that are too near
SAFE = 7.0  # metres from a grenade that are far enough
RUN = 14.0  # metres that are worth running before it goes off
HURT = 45.0  # health below which a fighter looks for help
DODGED = 2.5  # seconds for which having dodged is enough
ROLLED = 6.0  # seconds between two rolls
WARNED = 3.0  # seconds for which a warning is enough


class Beliefs:
    """What one fighter holds true, as values of variables."""

    def __init__(self, arena: Arena, fighter: Fighter) -> None:
        self._arena, self._fighter = arena, fighter

    def __call__(self, memory: WorkingMemory, now: float) -> dict[str, Value]:
        """Return a value for every variable that is not as it starts."""
        focus = memory.focus
        return {
            "me": self._fighter.name,
            **self._body(memory, now),
            **self._enemy(memory, now),
            **self._threats(memory, now),
            "cover_node": focus.get("cover_node"),
            "ambush_node": focus.get("ambush_node"),
            "safety": self._safety(memory, now),
            "post": focus.get("post"),
            "area_watched": self._has_watched(memory, now),
            "at_ease": self._is_at_ease(memory, now),
            "medkit": focus.get("medkit"),
            "ammo_box": focus.get("ammo_box"),
            **self._way(memory, now),
            **self._orders(memory, now),
            **self._comrades(memory, now),
        }

    def _body(self, memory: WorkingMemory, now: float) -> dict[str, Value]:
        own = memory.recall("self", self._fighter.name, now)
        if own is None:
            return {}
        known = ("at", "loaded", "spare", "grenade", "out_of_breath", "on_wall", "cloaked")
        rolled = memory.recall("deed", "dodge-roll", now)
        return {
            **{name: own[name] for name in known},
            "hurt": own["health"] < HURT,
            "rolled_lately": rolled is not None and now - rolled.time < ROLLED,
        }

    def _enemy(self, memory: WorkingMemory, now: float) -> dict[str, Value]:
        name = memory.focus.get("target")
        enemy = None if name is None else memory.recall("enemy", name, now)
        if enemy is None:
            return {}
        far = self._fighter.distance_to((enemy["x"], enemy["y"]))
        return {
            "target": ("alive" if enemy["sure"] else "suspected") if enemy["alive"] else "dead",
            "foe": name,
            "target_seen": bool(enemy["seen"]),
            "target_close": enemy["seen"] and far <= self._fighter.reach and self._is_open((enemy["x"], enemy["y"])),
            "target_in_leap": enemy["alive"] and far <= LEAP,
            "target_hiding": not enemy["seen"] and enemy["alive"] and BLAST < far <= THROW,
        }

    def _is_open(self, point: Point) -> bool:
        """Whether nothing is between here and there: a pane of glass keeps fists away."""
        return self._arena.navigator.is_clear(self._fighter.position, point, flies=self._fighter.flies)

    def _threats(self, memory: WorkingMemory, now: float) -> dict[str, Value]:
        hit = memory.recall("hit", "me", now)
        in_contact = memory.recall("contact", "me", now) is not None
        under_fire = memory.recall("fire", "me", now) is not None
        return {
            "aimed_at": memory.recall("aimed_at", "me", now) is not None and not self._has_dodged(memory, now),
            "in_contact": in_contact,
            "under_fire": under_fire,
            "threatened": in_contact or under_fire,
            "hit_in_cover": hit is not None and bool(hit["in_cover"]),
            "in_danger": any(self._is_near(each) for each in memory.all_of("grenade", now)),
            "cover_lost": memory.recall("cover_lost", "me", now) is not None,
        }

    def _has_dodged(self, memory: WorkingMemory, now: float) -> bool:
        deeds = (memory.recall("deed", f"dodge-{how}", now) for how in ("roll", "shuffle", "covered"))
        return any(deed is not None and now - deed.time < DODGED for deed in deeds)

    def _is_near(self, grenade: Fact) -> bool:
        return self._fighter.distance_to((grenade["x"], grenade["y"])) < BLAST

    def _safety(self, memory: WorkingMemory, now: float) -> str | None:
        """Return the nearest place to run to that is far from every grenade one knows of."""
        grenades = [(each["x"], each["y"]) for each in memory.all_of("grenade", now)]
        if not grenades:
            return None
        nodes = [
            node
            for node in self._arena.map.nodes.values()
            if self._fighter.distance_to(node.position) <= RUN
            and all(math.dist(node.position, grenade) >= SAFE for grenade in grenades)
        ]
        nearest = min(nodes, key=lambda node: (self._fighter.distance_to(node.position), node.name), default=None)
        return None if nearest is None else nearest.name

    def _has_watched(self, memory: WorkingMemory, now: float) -> bool:
        """Whether the present stop of the patrol has just been watched, in whatever manner one keeps watch."""
        post = memory.focus.get("post")
        deeds = (memory.recall("deed", name, now) for name in WATCHING)
        return any(deed is not None and deed["post"] == post for deed in deeds)

    def _is_at_ease(self, memory: WorkingMemory, now: float) -> bool:
        own = memory.recall("self", self._fighter.name, now)
        node = memory.focus.get("cover_node")
        in_cover = own is not None and node is not None and own["at"] == node
        return not in_cover and memory.recall("order", "current", now) is None

    def _way(self, memory: WorkingMemory, now: float) -> dict[str, Value]:
        room = self._arena.room_at(self._fighter.position)
        dark = {"dark": True, "switch": self._arena.switch_of(room)} if self._arena.is_dark(room) else {}
        barrier = barrier_known(memory, now)
        if barrier is None:
            return dark
        name = barrier.subject
        door = memory.recall("door", name, now)
        return {
            **dark,
            "obstacle": barrier["kind"],
            "barrier": name,
            "door_locked": bool(barrier["locked"]),
            "door_stuck": door is not None and bool(door["stuck"]),
            "kick_failed": door is not None and bool(door["kick_failed"]),
            "window": self._arena.window_past(name, self._fighter.position),
        }

    def _orders(self, memory: WorkingMemory, now: float) -> dict[str, Value]:
        request = memory.recall("request", "current", now)
        asked = (
            {} if request is None else {"asked_to_open": request["door"], "granted": is_granted(memory, request, now)}
        )
        order = memory.recall("order", "current", now)
        if order is None:
            return asked
        return {
            **asked,
            "in_file": is_in_file(memory, now),
            "order": order["task"],
            "order_node": order["node"],
            "order_target": order.get("target"),
            "order_done": is_obeyed(memory, order, now),
        }

    def _comrades(self, memory: WorkingMemory, now: float) -> dict[str, Value]:
        ally = memory.focus.get("ally")
        threatened = self._threatened(memory, now)
        return {"ally": ally, "ally_in_danger": threatened is not None, "warned": threatened}

    def _threatened(self, memory: WorkingMemory, now: float) -> str | None:
        """Return a comrade with a grenade at their feet who has not been warned yet."""
        grenades = memory.all_of("grenade", now)
        if not grenades:
            return None
        told = memory.recall("deed", "warn-ally", now)
        for ally in memory.all_of("ally", now):
            if told is not None and told["step"] and now - told.time < WARNED:
                return None
            other = self._arena.fighter(ally.subject)
            if other.alive and any(other.distance_to((each["x"], each["y"])) < BLAST for each in grenades):
                return ally.subject
        return None


# --- focus ------------------------------------------------------------------------------------------------------------
# Attention in the arena: the one enemy, the one hiding place, the one door that a fighter plans with.


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
