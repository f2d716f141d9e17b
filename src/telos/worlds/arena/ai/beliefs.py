"""From a fighter's memory to its planning variables (`FighterBeliefs`), and its attention (`make_attention`)."""

import math

from telos.agents.memory import Attends, Attention, Fact, WorkingMemory
from telos.core.values import Value
from telos.worlds.arena.ai.facts import (
    enemy_to_keep_down,
    in_formation,
    is_holding,
    latest_barrier,
    marked_target,
    order_fulfilled,
    request_granted,
)
from telos.worlds.arena.ai.sensors import WATCH_ACTIONS
from telos.worlds.arena.ai.whereabouts import HideoutAttention
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.constants import (
    BURST_ROUNDS,
    BURST_TICKS,
    DRAW_SECONDS,
    LUNGE_RANGE,
    RELOAD_SECONDS,
    THROW_RANGE,
    TICK,
    WEAPONS,
)
from telos.worlds.arena.sim.fighter import Fighter
from telos.worlds.arena.sim.map import WALL, Point, adjacent_cells

FOCI = ("target", "cover_node", "ambush_node", "post", "medkit", "ammo_box", "ally")
GRENADE_DANGER_RANGE = 6.0  # metres
GRENADE_SAFE_RANGE = 7.0  # metres
FLEE_RANGE = 14.0  # metres to a refuge
HURT_SHARE = 0.45  # of the initial health; below this, the fighter seeks a medkit
DODGE_SECONDS = 2.5  # for which a dodge counts
ROLL_SECONDS = 6.0  # between two rolls
WARNING_SECONDS = 3.0  # for which a warning counts
FIGHT_SECONDS = 6.0  # for which the damage to expect of weapons is compared
SWITCH_MARGIN = 15.0  # points of damage by which another weapon must be better
MARK_WEIGHT = 30.0  # of the target that the squad has marked for a fighter: as much as 30 metres


class FighterBeliefs:
    """The beliefs of one fighter as values of the domain's variables."""

    def __init__(self, arena: Arena, fighter: Fighter) -> None:
        self._arena, self._fighter = arena, fighter

    def __call__(self, memory: WorkingMemory, now: float) -> dict[str, Value]:
        """Return the values of all variables that differ from their start value."""
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
            **self._hideout(memory, now),
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
        known = ("at", "loaded", "spare", "grenade", "out_of_breath", "on_wall", "cloaked", "pinned")
        rolled = memory.recall("deed", "dodge-roll", now)
        return {
            **{name: own[name] for name in known},
            **self._weapon(memory, now),
            "hurt": own["health"] < HURT_SHARE * self._fighter.healthy,
            "holding": is_holding(memory, own, now) and own["health"] >= HURT_SHARE * self._fighter.healthy,
            "rolled_lately": rolled is not None and now - rolled.time < ROLL_SECONDS,
        }

    def _weapon(self, memory: WorkingMemory, now: float) -> dict[str, Value]:
        """Return what is in hand, and the state of the weapon in focus; nothing for a body with one weapon."""
        name = memory.focus.get("weapon")
        chosen = None if name is None else memory.recall("weapon", name, now)
        if chosen is None:
            return {}
        loaded = chosen["rounds"] > 0
        return {"weapon": name, "held": self._fighter.weapon.name, "loaded": loaded, "spare": chosen["spare"]}

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
            "told_to_pin": enemy_to_keep_down(memory, now) == name,
            "target_close": enemy["seen"] and far <= self._fighter.reach and self._is_open((enemy["x"], enemy["y"])),
            "target_in_leap": enemy["alive"] and far <= LUNGE_RANGE,
            "target_hiding": not enemy["seen"] and enemy["alive"] and GRENADE_DANGER_RANGE < far <= THROW_RANGE,
        }

    def _is_open(self, point: Point) -> bool:
        """Whether a straight walk is possible: a window, for example, keeps melee away."""
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
        actions = (memory.recall("deed", f"dodge-{how}", now) for how in ("roll", "shuffle", "covered"))
        return any(deed is not None and now - deed.time < DODGE_SECONDS for deed in actions)

    def _is_near(self, grenade: Fact) -> bool:
        return self._fighter.distance_to((grenade["x"], grenade["y"])) < GRENADE_DANGER_RANGE

    def _safety(self, memory: WorkingMemory, now: float) -> str | None:
        """Return the nearest node that is far from every known grenade."""
        grenades = [(each["x"], each["y"]) for each in memory.all_of("grenade", now)]
        if not grenades:
            return None
        nodes = [
            node
            for node in self._arena.map.nodes.values()
            if self._fighter.distance_to(node.position) <= FLEE_RANGE
            and all(math.dist(node.position, grenade) >= GRENADE_SAFE_RANGE for grenade in grenades)
        ]
        nearest = min(nodes, key=lambda node: (self._fighter.distance_to(node.position), node.name), default=None)
        return None if nearest is None else nearest.name

    def _has_watched(self, memory: WorkingMemory, now: float) -> bool:
        """Whether the current patrol stop has just been watched."""
        post = memory.focus.get("post")
        actions = (memory.recall("deed", name, now) for name in WATCH_ACTIONS)
        return any(deed is not None and deed["post"] == post for deed in actions)

    def _hideout(self, memory: WorkingMemory, now: float) -> dict[str, Value]:
        """Return from where to look for a hidden enemy, and whether that has just been done."""
        node = memory.focus.get("hideout")
        if node is None:
            return {}
        deed = memory.recall("deed", "search-hideout", now)
        is_searched = deed is not None and deed.time == now and deed.get("hideout") == node
        return {"hideout": node, "hideout_searched": is_searched}

    def _is_at_ease(self, memory: WorkingMemory, now: float) -> bool:
        own = memory.recall("self", self._fighter.name, now)
        node = memory.focus.get("cover_node")
        in_cover = own is not None and node is not None and own["at"] == node
        return not in_cover and memory.recall("order", "current", now) is None

    def _way(self, memory: WorkingMemory, now: float) -> dict[str, Value]:
        room = self._arena.room_at(self._fighter.position)
        dark = {"dark": True, "switch": self._arena.switch_of(room)} if self._arena.is_dark(room) else {}
        barrier = latest_barrier(memory, now)
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
            {}
            if request is None
            else {"asked_to_open": request["door"], "granted": request_granted(memory, request, now)}
        )
        order = memory.recall("order", "current", now)
        if order is None:
            return asked
        return {
            **asked,
            "in_file": in_formation(memory, now),
            "order": order["task"],
            "order_node": order["node"],
            "order_target": order.get("target"),
            "order_done": order_fulfilled(memory, order, now),
        }

    def _comrades(self, memory: WorkingMemory, now: float) -> dict[str, Value]:
        ally = memory.focus.get("ally")
        threatened = self._threatened(memory, now)
        return {"ally": ally, "ally_in_danger": threatened is not None, "warned": threatened}

    def _threatened(self, memory: WorkingMemory, now: float) -> str | None:
        """Return a comrade near a known grenade who has not been warned yet."""
        grenades = memory.all_of("grenade", now)
        if not grenades:
            return None
        warned = memory.recall("deed", "warn-ally", now)
        for ally in memory.all_of("ally", now):
            if warned is not None and warned["step"] and now - warned.time < WARNING_SECONDS:
                return None
            other = self._arena.fighter(ally.subject)
            if other.alive and any(
                other.distance_to((each["x"], each["y"])) < GRENADE_DANGER_RANGE for each in grenades
            ):
                return ally.subject
        return None


# --- attention ---


def make_attention(arena: Arena, fighter: Fighter, *, hunts: bool = False) -> tuple[Attends, ...]:
    """Return the attention of one fighter: which enemy, nodes, things and ally it plans with.

    One who ``hunts`` also attends to the enemy to look for.
    """
    ratings = _FocusRatings(arena, fighter)
    choice = (Attention("weapon", "weapon", ratings.weapon, margin=SWITCH_MARGIN),) if fighter.holstered else ()
    return (
        Attention("target", "enemy", ratings.enemy, margin=4.0),
        *choice,
        Attention("cover_node", "cover", ratings.cover, margin=3.0),
        Attention("ambush_node", "ambush", lambda fact, memory, now: -fact["distance"], margin=4.0),
        Attention("post", "post", ratings.post),
        Attention("medkit", "thing", lambda fact, memory, now: ratings.thing(fact, "medkit")),
        Attention("ammo_box", "thing", lambda fact, memory, now: ratings.thing(fact, "ammo")),
        Attention("ally", "ally", ratings.helper),
        OrderAttention(),
        *((HideoutAttention(),) if hunts else ()),
    )


def expected_bursts(rounds: int, *, spare: bool, held: bool) -> float:
    """Return how many bursts a weapon fires in the next seconds, with the time that drawing and reloading take.

    >>> expected_bursts(24, spare=True, held=True), expected_bursts(24, spare=True, held=False)
    (8.4, 8.0)
    >>> expected_bursts(6, spare=False, held=True), expected_bursts(0, spare=True, held=True)
    (2.0, 8.4)
    """
    seconds, bursts = FIGHT_SECONDS - (0.0 if held else DRAW_SECONDS), 0.0
    each = BURST_TICKS * TICK
    if rounds:
        bursts = min(seconds / each, math.ceil(rounds / BURST_ROUNDS))
        seconds -= bursts * each
    if spare:
        bursts += max(0.0, seconds - RELOAD_SECONDS) / each
    return round(float(bursts), 9)


class OrderAttention:
    """Keeps the current order in focus, so that actions are counted for it."""

    focus = "order"

    def choose(self, memory: WorkingMemory, now: float) -> str | None:
        """Attend to the latest order."""
        order = memory.recall("order", "current", now)
        memory.focus["order"] = None if order is None else str(order["serial"])
        memory.focus["order_node"] = None if order is None else order["node"]
        return memory.focus["order"]


class _FocusRatings:
    """Ratings of facts from the position of one fighter."""

    def __init__(self, arena: Arena, fighter: Fighter) -> None:
        self._arena, self._fighter = arena, fighter

    def enemy(self, fact: Fact, memory: WorkingMemory, now: float) -> float | None:
        """Rate an enemy: in sight first, then near, then certain."""
        if not fact["alive"]:
            return None
        near = -self._fighter.distance_to((fact["x"], fact["y"]))
        wanted = fact["seen"] and fact.subject == (enemy_to_keep_down(memory, now) or marked_target(memory, now))
        marked = MARK_WEIGHT if wanted else 0.0
        return near + (40.0 if fact["seen"] else 0.0) + marked + 10.0 * memory.confidence(fact, now)

    def weapon(self, fact: Fact, memory: WorkingMemory, now: float) -> float | None:
        """Rate a weapon: the damage to expect of it in the next seconds, at the distance of the enemy in focus.

        Before it fires it may have to be drawn and loaded; without any ammunition left it is out of the question.
        Without an enemy, the weapon in hand is as good as any.
        """
        if not fact["rounds"] and not fact["spare"]:
            return None
        name = memory.focus.get("target")
        enemy = None if name is None else memory.recall("enemy", name, now)
        if enemy is None:
            return SWITCH_MARGIN * (bool(fact["held"]) + bool(fact["rounds"]))
        away = self._fighter.distance_to((enemy["x"], enemy["y"]))
        bursts = expected_bursts(int(fact["rounds"]), spare=bool(fact["spare"]), held=bool(fact["held"]))
        weapon = WEAPONS[fact.subject]
        return bursts * float(min(1.0, weapon.hit_chance(away))) * weapon.damage

    def cover(self, fact: Fact, memory: WorkingMemory, now: float) -> float | None:
        """Rate cover: near, with a view of the enemy, already reached; an ordered node is preferred."""
        if not fact["valid"] or memory.recall("failure", f"goto({fact.subject})", now) is not None:
            return None
        order = memory.recall("order", "current", now)
        ordered = 20.0 if order is not None and order["node"] == fact.subject else 0.0
        here = 6.0 if self._arena.node_under(self._fighter.name) == fact.subject else 0.0
        return float(-fact["distance"]) + (5.0 if fact["sees"] else 0.0) + here + ordered

    def post(self, fact: Fact, memory: WorkingMemory, now: float) -> float | None:
        """Rate a patrol stop: the one not watched for longest, then the first on the route."""
        if self._fighter.climbs and not self._can_hang(fact.subject):
            return None
        watched = memory.recall("watched", fact.subject, now)
        return (0.0 if watched is None else -watched.time) - int(fact.subject[1:]) / 1000

    def _can_hang(self, post: str) -> bool:
        """Whether there is a wall to watch from, and no comrade at the stop."""
        near = adjacent_cells(self._arena.map.nodes[post].cell)
        has_wall = any(self._arena.map.mark(cell) == WALL for cell in near)
        return has_wall and post not in self._arena.taken_nodes(self._fighter.name)

    def thing(self, fact: Fact, kind: str) -> float | None:
        """Rate a thing: the nearest of the kind that is not used up."""
        if fact["kind"] != kind or self._arena.is_used_up(fact.subject):
            return None
        return -self._fighter.distance_to(self._arena.place_of(fact.subject))

    def helper(self, fact: Fact, memory: WorkingMemory, now: float) -> float | None:
        """Rate a comrade to send to the barrier: alive, of lower rank, and near it."""
        barrier = latest_barrier(memory, now)
        other = self._arena.fighter(fact.subject)
        if barrier is None or fact["rank"] >= self._fighter.rank or not other.alive:
            return None
        return -other.distance_to(self._arena.place_of(barrier.subject))
