"""The minds' benchmark, its battlefield: soldiers of the arena, each with an enemy of their own, on the quick.

The domain, the character ``soldier``, attention, beliefs, touch and body are the arena's own. What costs a world its
time is left out: nobody looks along lines or for ways, an enemy walks in a circle, hides now and then, falls when luck
has it and gets up again, and a body is done with whatever it does after so many ticks.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import Any

from telos.agents.memory import Fact, WorkingMemory
from telos.agents.mind import Mind
from telos.agents.mind_schedule import MindSchedule
from telos.agents.sensors import Sensor, SensorSchedule
from telos.core.domain import Domain
from telos.core.trace import Trace, silent
from telos.core.values import Value
from telos.planning.scheduler import Scheduler
from telos.worlds.arena.ai.beliefs import FighterBeliefs, make_attention
from telos.worlds.arena.ai.characters import load_arena_characters, load_arena_domain, load_procedures
from telos.worlds.arena.ai.facts import enemy_down_fact, make_fact
from telos.worlds.arena.ai.fighter_body import FighterBody
from telos.worlds.arena.ai.sensors import BodySensor
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.fighter import Act, Fighter, FighterPlacement
from telos.worlds.arena.sim.map import ArenaMap, cell_of
from telos.worlds.arena.sim.outcomes import DONE, ActOutcome, failed

TICK = 0.1  # seconds
MAP = ArenaMap(
    "########################\n"
    "#                      #\n"
    "#    >o      >o        #\n"
    "#                      #\n"
    "#  >o     >o       *   #\n"
    "#                      #\n"
    "#    >o      >o        #\n"
    "#                      #\n"
    "########################\n"
)
COVER = [node for node in MAP.nodes.values() if node.kind == "cover"]
WAY_TO_GO = 4.0  # metres a second
LASTS = {"reload": 20, "roll": 6, "shuffle": 8, "duck": 8, "melee": 8, "throw": 10}  # ticks; all else takes 5
FIRES = frozenset({"fire", "fire_from_cover", "blind_fire"})
BURST, ROUNDS = 4, 3  # ticks, rounds
FALLS, DOWN = 0.08, 30  # the chance that a burst fells an enemy, and the ticks until it is up again
SHOWN, CIRCLE = 80, 100  # of so many ticks an enemy is in sight for the first so many
SHOT_AT, AIMED_AT, HIT, UNSAFE = 0.05, 0.06, 0.3, 0.5  # chances: a tick, a look, a shot, a hit


class Foe:
    """An enemy that walks in a circle."""

    def __init__(self, fighter: Fighter, number: int) -> None:
        self.fighter, self.number, self.down = fighter, number, 0
        self.x, self.y = fighter.position

    def step(self, tick: int) -> None:
        """Take a step, or go on lying there."""
        angle = (tick + self.number * 7) / 8
        self.fighter.x, self.fighter.y = self.x + 3 * math.cos(angle), self.y + 3 * math.sin(angle)
        self.down = max(0, self.down - 1)
        self.fighter.alive = not self.down
        self.is_shown = (tick + self.number * 13) % CIRCLE < SHOWN


class Look:
    """Sees the one enemy, if there is one, and now and then that it is aiming."""

    cost = 4.0

    def __init__(self, foes: Mapping[str, Foe], rng: Random) -> None:
        self._foes, self._rng = foes, rng

    def read(self, who: str, memory: WorkingMemory, now: float) -> Iterable[Fact]:
        """Return what is seen, and what is no longer seen."""
        foe = self._foes.get(who)
        return () if foe is None else self._enemy(foe, memory, now)

    def _enemy(self, foe: Foe, memory: WorkingMemory, now: float) -> Iterator[Fact]:
        enemy, x, y = foe.fighter, round(foe.fighter.x * 2) / 2, round(foe.fighter.y * 2) / 2
        if not enemy.alive:
            yield enemy_down_fact(enemy, now)
        elif foe.is_shown:
            yield make_fact("enemy", enemy.name, now, x=x, y=y, seen=True, sure=True, alive=True)
            yield make_fact("contact", "me", now)
            if self._rng.random() < AIMED_AT:
                yield make_fact("aimed_at", "me", now, by=enemy.name)
        elif (known := memory.recall("enemy", enemy.name, now)) is not None and known["seen"]:
            yield Fact("enemy", enemy.name, known.time, known.confidence, {**known.attributes, "seen": False})


class LookRound:
    """Knows the cover around, when there is an enemy, and two places to run to."""

    cost = 10.0

    def __init__(self, arena: Arena, foes: Mapping[str, Foe]) -> None:
        self._arena, self._foes = arena, foes

    def read(self, who: str, memory: WorkingMemory, now: float) -> Iterable[Fact]:
        """Return what is worth knowing of the places around."""
        me, foe = self._arena.fighter(who), self._foes.get(who)
        if foe is not None:
            yield from self._covers(me, foe.fighter, memory, now)
        for node in COVER[:2]:
            far = float(round(me.distance_to(node.position)))
            yield make_fact("node", node.name, now, x=node.x, y=node.y, room="r1", kind="search", distance=far)

    def _covers(self, me: Fighter, enemy: Fighter, memory: WorkingMemory, now: float) -> Iterator[Fact]:
        for node in COVER:
            far, threat = (float(round(each.distance_to(node.position))) for each in (me, enemy))
            valid = memory.recall("unsafe", node.name, now) is None
            yield make_fact(
                "cover", node.name, now,
                x=node.x, y=node.y, valid=valid, distance=far, threat_distance=threat, sees=True,
            )  # fmt: skip


class Field:
    """So many minds; those that fight have an enemy each, the others nothing to do."""

    def __init__(self, minds: int, *, fights: bool, seed: int = 7, trace: Trace = silent) -> None:
        self.rng, self.tick = Random(seed), 0
        mine = [FighterPlacement(f"m{i}", "red", "soldier", 3.5, 1.5 + i % 6, {"magazines": 6}) for i in range(minds)]
        theirs = [FighterPlacement(f"e{i}", "blue", "soldier", 16.5, 4.5) for i in range(minds if fights else 0)]
        self.arena = Arena(MAP, [*mine, *theirs])
        self.foes = {f"m{i}": Foe(self.arena.fighter(each.name), i) for i, each in enumerate(theirs)}
        self.bodies = {each.name: FighterBody(self.arena, each.name) for each in mine}
        self.domain = _answered(self.arena)
        look, touch = Look(self.foes, self.rng), BodySensor(self.arena, self.bodies)
        self.sensors: dict[str, Sensor] = {"sight": look, "surroundings": LookRound(self.arena, self.foes)}
        self._reflexes: dict[str, Sensor] = {"touch": touch}
        self._procedures = load_procedures()
        self._trace = trace
        for foe in self.foes.values():
            foe.step(0)

    def crowd(self, rota: SensorSchedule, scheduler: Scheduler) -> MindSchedule:
        """Return the minds; nobody waits for a plan, so that all work is measured."""
        crowd = MindSchedule(rota, scheduler, expansions=10**9)
        for number, (name, body) in enumerate(self.bodies.items()):
            mind = self._mind(number, name, body, scheduler)
            body.memory = mind.memory
            crowd.join(mind, 0.0)
        return crowd

    def _mind(self, number: int, name: str, body: FighterBody, scheduler: Scheduler) -> Mind:
        fighter = self.arena.fighter(name)
        return Mind(
            name,
            load_arena_characters()["soldier"],
            self.domain,
            body=body,
            believe=FighterBeliefs(self.arena, fighter),
            procedures=self._procedures,
            attention=make_attention(self.arena, fighter),
            reflexes=self._reflexes,
            scheduler=scheduler,
            number=number,
            trace=self._trace,
        )

    @property
    def time(self) -> float:
        """Return the seconds since the start."""
        return self.tick * TICK

    def step(self) -> list[tuple[str, Fact]]:
        """Let a tenth of a second pass for bodies and enemies; return what is felt at once, and by whom."""
        self.tick += 1
        for foe in self.foes.values():
            foe.step(self.tick)
        for body in self.bodies.values():
            self._move(body)
        shot_at = [name for name in self.foes if self.rng.random() < SHOT_AT]
        felt = [(name, make_fact("fire", "me", self.time)) for name in shot_at]
        hit = [name for name in shot_at if self.rng.random() < HIT]
        felt += [(name, make_fact("hit", "me", self.time, in_cover=True)) for name in hit]
        return [*felt, *(each for name in hit for each in self._driven_out(name))]

    def _driven_out(self, name: str) -> list[tuple[str, Fact]]:
        """Return what somebody learns who is hit in cover a second time, as it were: it is none."""
        node = self.arena.node_under(name)
        if node is None or self.rng.random() >= UNSAFE:
            return []
        return [
            (name, make_fact("unsafe", node, self.time)),
            (name, make_fact("cover_lost", "me", self.time, node=node)),
        ]

    # --- bodies -------------------------------------------------------------------------------------------------------

    def _move(self, body: FighterBody) -> None:
        """Begin what the mind asks for, or go on with it."""
        fighter, command = self.arena.fighter(body.name), body.take_command()
        if command is not None:
            self.begin(fighter, command)
        act = fighter.act
        if act is None:
            return
        act.ticks += 1
        if act.name in FIRES:
            self._fire(fighter, act)
        elif act.ticks >= act.lasts:
            self._end(fighter, act)

    def begin(self, fighter: Fighter, command: str) -> None:
        """Turn a body to a command."""
        state, what, *more = command.split()
        if state == "goto":
            x, y = map(float, what.split(",")) if "," in what else self.arena.place_of(what)
            lasts = max(3, min(40, int(fighter.distance_to((x, y)) / WAY_TO_GO / TICK)))
            fighter.act = Act(state, command, more[0], what, x, y, lasts=lasts)
        else:
            fighter.act = Act(state, command, what, more[0] if more else "", lasts=LASTS.get(what, 5))
        fighter.status = "running"

    def _fire(self, fighter: Fighter, act: Act) -> None:
        foe = self.foes[fighter.name]
        if foe.down:
            self._stop(fighter, DONE)
        elif not foe.is_shown:
            self._stop(fighter, failed("there is nobody to be seen"))
        elif fighter.rounds <= 0:
            self._stop(fighter, failed("out of ammunition"))
        elif act.ticks % BURST == 0:
            fighter.rounds -= ROUNDS
            foe.down = DOWN if self.rng.random() < FALLS else 0
            foe.fighter.alive = not foe.down

    def _end(self, fighter: Fighter, act: Act) -> None:
        if act.state == "goto":
            fighter.x, fighter.y = act.x, act.y
            fighter.cell = cell_of((act.x, act.y))
        elif act.name == "reload":
            fighter.rounds, fighter.magazines = fighter.weapon.magazine, (fighter.magazines - 1) or 6
        elif act.name == "melee":
            self.foes[fighter.name].down = DOWN
            self.foes[fighter.name].fighter.alive = False
        self._stop(fighter, DONE)

    def _stop(self, fighter: Fighter, outcome: ActOutcome) -> None:
        fighter.act, fighter.outcome = None, outcome
        fighter.status = "done" if outcome is DONE else "failed"


def _answered(arena: Arena) -> Domain:
    """Return the arena's domain for open ground: every way is free, and as long as the crow flies."""

    def distance(who: str, place: Value) -> float:
        return 1e4 if place is None else float(round(arena.fighter(who).distance_to(arena.place_of(place))))

    def yes(*asked: Any) -> bool:
        return True

    def no(*asked: Any) -> bool:
        return False

    domain = load_arena_domain()
    return Domain(
        domain.name,
        variables=domain.variables,
        actions=domain.actions,
        goals=domain.goals,
        objects=domain.templates,
        action_sets=domain.action_sets,
        goal_sets=domain.goal_sets,
        functions={"distance": distance, "beyond": no, "can_reach": yes, "path_to_safety": yes},
    )
