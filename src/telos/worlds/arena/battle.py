"""Battles: the loop that lets minds, squads and dialogue play out a scene in an arena.

Start with `Battle`: ``run`` yields views, ``step`` advances by a tenth of a second, ``save`` and ``restore`` copy it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, ClassVar

from telos.agents.character import Character
from telos.agents.memory import Fact, MemorySnapshot, WorkingMemory, read_memory
from telos.agents.mind import Mind
from telos.agents.mind_schedule import MindSchedule, ScheduleSnapshot
from telos.agents.sensors import SensorSchedule
from telos.agents.trace import Began, Noticed
from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap, Value
from telos.files import SnapshotModel, read_snapshot, unchanged_on_error
from telos.files.restoring import Omission, SnapshotCheck
from telos.planning.planner import Planner
from telos.planning.scheduler import Scheduler
from telos.squads.behaviours import order_behaviours
from telos.squads.coordinator import Coordinator, CoordinatorSnapshot
from telos.squads.dialogue.dialogue import Dialogue, DialogueSnapshot
from telos.squads.dialogue.lines import builtin_lines
from telos.squads.dialogue.occasions import Occasion
from telos.squads.practices import ALL_PRACTICES
from telos.squads.squad import BehaviourEnded, OrdersGiven
from telos.worlds.arena.ai.beliefs import FighterBeliefs, make_attention
from telos.worlds.arena.ai.characters import (
    Comrade,
    load_arena_characters,
    load_arena_domain,
    load_procedures,
    make_arena,
)
from telos.worlds.arena.ai.dying import DeathPlanner, nearest_things
from telos.worlds.arena.ai.facts import make_fact
from telos.worlds.arena.ai.fighter_body import FighterBody, PlanningFunctions
from telos.worlds.arena.ai.saving import LimbsSnapshot, check_limbs, check_mind, fact_check
from telos.worlds.arena.ai.sensors import StimulusDelivery, make_sensors
from telos.worlds.arena.replay import CommandsGiven, FightEnded, FightStarted
from telos.worlds.arena.scene import SQUAD_ACTIVITIES, CastMember, Scene
from telos.worlds.arena.sim.constants import TICKS_A_SECOND
from telos.worlds.arena.sim.state import ArenaSnapshot
from telos.worlds.arena.sim.views import ArenaView

SQUAD_STEPS = 5  # steps between two updates of the squads
_NO_COMMANDS: Mapping[str, str] = FrozenMap()
OVERRIDING_GOALS = ("escape",)  # goals that make a member refuse an order


class Battle:
    """A scene that is played out. Observers read ``view`` and the trace; commands are only for fighters without a mind.

    ``characters`` are the characters of the cast, if not those of the package; ``squads`` are the squad behaviours of
    each side, if not the scene's for all.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        seed: int = 0,
        trace: Trace = silent,
        characters: Mapping[str, Character] | None = None,
        squads: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.scene, self.seed, self._outer = scene, seed, trace
        self._characters = load_arena_characters() if characters is None else characters
        self._squads = dict.fromkeys(scene.sides, scene.squads) if squads is None else squads
        self.arena = make_arena(scene, self._characters, seed=seed)
        self._is_traced = trace is not silent or scene.talk
        self._memories: dict[str, WorkingMemory] = {}
        self.domain = _with_functions(load_arena_domain(), PlanningFunctions(self.arena, self._memories).functions)
        self.bodies = {
            member.name: FighterBody(self.arena, member.name) for member in scene.cast if member.script is None
        }
        self._sensors = make_sensors(self.arena, self.bodies, self.domain)
        self.crowd = MindSchedule(SensorSchedule(self._sensors), Scheduler(Planner(self.domain), clock=None))
        self._procedures = load_procedures()
        self._deaths = DeathPlanner(self.arena, self.domain, self._procedures, self._trace)
        self.minds: dict[str, Mind] = {}
        for number, member in enumerate(scene.cast):
            if member.script is None:
                self._create_mind(number, member, 0.0)
        everybody = self.arena.fighters.values()
        self.comrades = {each.name: Comrade(self.arena, each, self._memory(each.name)) for each in everybody}
        self.coordinators = self._create_coordinators()
        self.dialogue = Dialogue(builtin_lines(), rng=Random(seed)) if scene.talk else None
        notice = self.dialogue.notice if self.dialogue is not None else silent
        withdraw = self.dialogue.withdraw if self.dialogue is not None else _withdraw_nothing
        self.occasions = OccasionDetector(self.comrades, notice, withdraw)
        self._stimulus_delivery = StimulusDelivery(self.arena, self.crowd)
        self.view = self.arena.view()
        sides = {side: tuple(each.name for each in scene.cast if each.side == side) for side in scene.sides}
        trace(FightStarted(0.0, "arena", scene.name, seed, FrozenMap(sides)))

    def _create_mind(self, number: int, member: CastMember, now: float) -> None:
        kind, fighter = self._characters[member.character], self.arena.fighter(member.name)
        mind = Mind(
            member.name,
            kind,
            self.domain,
            body=self.bodies[member.name],
            believe=FighterBeliefs(self.arena, fighter),
            procedures=self._procedures,
            attention=(
                *make_attention(self.arena, fighter, hunts="whereabouts" in kind.sensors),
                *nearest_things(self.arena, fighter, self.domain),
            ),
            reflexes={name: self._sensors[name] for name, every in kind.sensors.items() if not every},
            scheduler=self.crowd.scheduler,
            number=number,
            trace=self._trace if self._is_traced else silent,
        )
        self.minds[member.name] = mind
        self._memories[member.name] = self.bodies[member.name].memory = mind.memory
        self.crowd.join(mind, now)

    def _memory(self, name: str) -> WorkingMemory:
        return self._memories.setdefault(name, WorkingMemory())

    def _check_squads(self) -> None:
        known = (*SQUAD_ACTIVITIES, *(each.name for each in self.scene.manoeuvres))
        for side, names in self._squads.items():
            if side not in self.scene.sides:
                raise TelosError(f"unknown side {side!r}", name_hint(side, self.scene.sides))
            for name in names:
                if name not in known:
                    raise TelosError(f"unknown squad behaviour or practice {name!r}", name_hint(name, known))

    def _create_coordinators(self) -> list[Coordinator]:
        self._check_squads()
        made = []
        for side in self.scene.sides:
            if not self._squads.get(side):
                continue
            names = set(self._squads[side])
            coordinator = Coordinator(
                side,
                behaviours=order_behaviours(self._squads[side], self.scene.manoeuvres),
                practices=[each for each in ALL_PRACTICES if each.name in names],
                trace=self._trace,
            )
            if side in self.scene.objectives:
                coordinator.set_objective(None, self.scene.objectives[side])
            made.append(coordinator)
        return made

    def _trace(self, record: object) -> None:
        self._outer(record)
        if self.dialogue is not None:
            self.occasions.note(record)

    # --- the loop ---

    def seconds(self, limit: float | None = None) -> Iterator[ArenaView]:
        """Yield a view after each step, until a side has won or the time is up."""
        limit = self.scene.seconds if limit is None else limit
        if not limit > 0:
            raise TelosError(f"the time limit must be more than 0 seconds, got {limit!r}")
        while not self.over and self.arena.time < limit:
            yield self.step()
        self.end()

    @property
    def over(self) -> bool:
        """Whether at most one of two or more sides has living fighters, and nobody is about to slump over a thing."""
        return self.arena.over and all(self.bodies[name].command is None for name in self.bodies.keys() - self.minds)

    def end(self) -> None:
        """Record the result of the fight."""
        why = "nobody is left to fight" if self.arena.over else "time is up"
        self._outer(FightEnded(self.arena.time, self.arena.winner, why))

    def step(self, player_commands: Mapping[str, str] = _NO_COMMANDS) -> ArenaView:
        """Let all minds think, and advance by a tenth of a second.

        ``player_commands`` are commands from outside, for fighters without a mind.
        """
        self._check(player_commands)
        now = self.arena.time
        self._update_squads(now)
        self.crowd.tick(now)
        self._talk(now)
        commands = self._commands(now, player_commands)
        if commands:
            self._outer(CommandsGiven(now, FrozenMap(commands)))
        self.arena.step(commands)
        self._process_events(self.arena.events)
        self.view = self.arena.view()
        return self.view

    def _update_squads(self, now: float) -> None:
        if not self.coordinators or round(now * 10) % SQUAD_STEPS:
            return
        before = {name: mind.memory.version for name, mind in self.minds.items()}
        for coordinator in self.coordinators:
            self._report_refusals(now)
            members = [self.comrades[name] for name in self.minds if self.comrades[name].side == coordinator.side]
            for squad in coordinator.squads:
                self.occasions.lead(squad.name, squad.members[0].name)
            coordinator.tick(members, now)
        for name, mind in self.minds.items():
            if mind.memory.version != before[name]:
                self.crowd.wake(name)

    def _report_refusals(self, now: float) -> None:
        """Report to squads which members override an order by a goal of their own."""
        for mind in self.minds.values():
            order = mind.memory.recall("order", "current", now)
            if order is not None and mind.goal in OVERRIDING_GOALS:
                mind.note(
                    make_fact("order_refused", "current", now, serial=order["serial"], why=f"{mind.goal} comes first")
                )

    def _talk(self, now: float) -> None:
        if self.dialogue is None:
            return
        named = (squad for coordinator in self.coordinators for squad in coordinator.squads)
        squads = {member.name: squad.name for squad in named for member in squad.members}
        for line in self.dialogue.tick(self.comrades, now, squads=squads):
            self._outer(line)

    def _check(self, player_commands: Mapping[str, str]) -> None:
        """Raise an error for invalid commands before any mind has thought."""
        self.arena.check(player_commands)
        for name in player_commands:
            if name in self.bodies:
                raise TelosError(f"{name!r} has a mind and takes no commands", "give it a script in the scene")

    def _commands(self, now: float, player_commands: Mapping[str, str]) -> dict[str, str]:
        commands = {name: command for name, body in self.bodies.items() if (command := body.take_command()) is not None}
        dying = {name for name in commands if name not in self.minds}
        for member in self.scene.cast:
            for cue in _due_commands(member, now):
                commands[member.name] = cue
        commands.update(player_commands)
        return {name: command for name, command in commands.items() if self.arena.fighter(name).alive or name in dying}

    def _process_events(self, events: tuple[Event, ...]) -> None:
        now = self.arena.time
        for event in events:
            self._trace(event)
            if event.action == "shouted":
                self._deliver_words(event, now)
        self._stimulus_delivery.deliver(events, now)
        for event in events:
            if event.action == "dead" and event.context["target"] in self.minds:
                mind = self.minds.pop(str(event.context["target"]))
                self.crowd.leave(mind)
                self._deaths.begin(mind, self.bodies[mind.name], now)

    def _deliver_words(self, event: Event, now: float) -> None:
        """Deliver words that are part of a plan to their hearer, as a fact that it may act on."""
        speaker, hearer = self.minds.get(event.player), str(event.context.get("target"))
        if speaker is None or speaker.execution is None or hearer not in self.minds:
            return
        step = speaker.execution.step.name
        if step == "warn-ally":
            for grenade in speaker.memory.all_of("grenade", now):
                self.crowd.stimulate(hearer, Fact("grenade", grenade.subject, now, 1.0, grenade.attributes))
        elif step == "tell-ally-to-open":
            speaker.note(make_fact("told", step, now, ally=hearer))
            request = make_fact("request", "current", now, door=speaker.state["barrier"], by=event.player)
            self.crowd.stimulate(hearer, request)

    def recast(self, characters: Mapping[str, Character]) -> tuple[str, ...]:
        """Give the living other characters, and return the names of those with a new mind.

        They keep their memories and bodies: what ``characters`` say about bodies counts from the start of a fight only.
        """
        self._characters, renewed = characters, []
        for number, member in enumerate(self.scene.cast):
            old = self.minds.get(member.name)
            if old is None or old.character == characters[member.character]:
                continue
            self.crowd.leave(old)
            self._create_mind(number, member, self.arena.time)
            memory = self._memories[member.name]
            for known in old.memory:
                memory.note(known)
            memory.focus = dict(old.memory.focus)
            self.comrades[member.name] = Comrade(self.arena, self.arena.fighter(member.name), memory)
            renewed.append(member.name)
        return tuple(renewed)

    # --- save and restore ---

    def save(self, *, plans: bool = True) -> dict[str, Any]:
        """Return all mutable state as plain data for JSON; call it between two steps.

        Without ``plans`` the remembered plans are left out: the save is smaller, and the restored battle searches them
        again, so that a plan may arrive later than in the battle that was not interrupted.
        """
        return {
            "format": BattleSnapshot.FORMAT,
            "scene": self.scene.name,
            "seed": self.seed,
            "arena": self.arena.save(),
            "crowd": self.crowd.save(plans=plans),
            "limbs": {name: body.save() for name, body in self.bodies.items()},
            # Memories of minds are saved with the crowd; squads may still read those of the dead.
            "memories": {name: each.memory.save() for name, each in self.comrades.items() if name not in self.minds},
            "coordinators": {each.side: each.save() for each in self.coordinators},
            "occasions": self.occasions.save(),
            "dialogue": None if self.dialogue is None else self.dialogue.save(),
        }

    def restore(self, saved: Mapping[str, Any], *, lenient: bool = False) -> tuple[Omission, ...]:
        """Continue exactly from saved state, in a new battle of the same scene and seed.

        Faulty data raises a ``TelosError`` that names its place, and the battle is as it was. With ``lenient``, what
        was saved before characters, the domain, the cast or the map changed is kept as far as it applies; what is left
        out is returned.
        """
        read = read_snapshot(BattleSnapshot, saved, of="battle")
        check = SnapshotCheck("battle", lenient=lenient)
        self._check_same(read, lenient)
        with check.sound():
            arena = self.arena.read(check.at("arena"), read.arena)
            dead = [name for name, each in arena.fighters.items() if not each.alive and name in self.bodies]
            puts = self._read_parts(check, read, dead)
            with unchanged_on_error(*self._changing_parts()):
                arena.put()
                self.arena._threats = None
                for name in dead:
                    self.crowd.leave(self.minds.pop(name))
                minds = self.crowd.read(check.at("crowd"), read.crowd, fact_check(self.arena, self.arena.time))
                for mind in minds.minds:
                    check_mind(mind, self.arena)
                self.crowd.put(check.at("crowd"), minds)
                for put in puts:
                    put()
                self.view = self.arena.view()
        return tuple(check.omissions)

    def _read_parts(
        self, check: SnapshotCheck, saved: "BattleSnapshot", dead: Collection[str]
    ) -> list[Callable[[], None]]:
        """Check bodies, memories of the dead, squads and dialogue, and return what puts them into place."""
        puts: list[Callable[[], None]] = []
        now = saved.arena.tick / TICKS_A_SECOND
        for name in self.bodies:
            with check.part(name, "the last command"):
                check.require(name in saved.limbs, ("limbs", name), "is missing")
                check_limbs(check.at("limbs", name), saved.limbs[name], name, self.arena)
                puts.append(partial(self.bodies[name].put, saved.limbs[name]))
        for name, memory in saved.memories.items():
            with check.part(name, "the memory"):
                check.known(("memories", name), name, self.comrades, "fighter")
                is_mindless = name in dead or name not in self.minds
                check.require(is_mindless, ("memories", name), "is the memory of a fighter with a mind")
                known, check_fact = self.comrades[name].memory, fact_check(self.arena, now)
                puts.append(read_memory(check.at("memories", name), memory, known, name, check_fact))
        for coordinator in self.coordinators:
            with check.part(coordinator.side, "the squads"):
                puts.append(self._read_squads(check, saved, coordinator, now))
        for squad, leader in saved.occasions.items():
            check.known(("occasions", squad), leader, {*self.comrades, *saved.arena.fighters}, "fighter")
        puts.append(partial(self.occasions.restore, saved.occasions))
        if self.dialogue is not None and saved.dialogue is not None:
            part = check.at("dialogue")
            part.require(saved.dialogue.now is None or saved.dialogue.now <= now, ("now",), f"must be at most {now:g}")
            puts.append(self.dialogue.read(part, saved.dialogue, self.comrades))
        return puts

    def _read_squads(
        self, check: SnapshotCheck, saved: "BattleSnapshot", coordinator: Coordinator, now: float
    ) -> Callable[[], None]:
        side, places = coordinator.side, {*self.arena.map.nodes, *self.arena.map.fixtures}
        check.require(side in saved.coordinators, ("coordinators", side), "is missing")
        part, squads = check.at("coordinators", side), saved.coordinators[side]
        part.require(squads.grouped_at is None or squads.grouped_at <= now, ("grouped_at",), f"is after {now:g}")
        for place, squad in enumerate(squads.squads):
            orders = squad.assignment.orders.items() if squad.assignment is not None else ()
            for name, order in orders:
                path = ("squads", place, "assignment", "orders", name)
                for key, known in (("node", places), ("target", self.comrades), ("room", self.arena.map.rooms)):
                    if (value := getattr(order, key)) is not None:
                        part.known((*path, key), value, known, key)
        return coordinator.read(part, squads, self.comrades.values())

    def _changing_parts(self) -> Iterator[object]:
        """Yield the objects and containers that a restore changes, apart from the dialogue, which comes last."""
        yield from (self, self.minds, self.occasions, *self.crowd.changing_parts())
        yield from (self.arena, self.arena.state, *self.arena.fighters.values(), *self.arena.state.doors.values())
        yield from (*self.bodies.values(), *self.coordinators, *(each.memory for each in self.comrades.values()))
        if self.dialogue is not None:
            yield self.dialogue

    def _check_same(self, saved: "BattleSnapshot", lenient: bool) -> None:
        """Raise an error if the state was saved from another fight, before anything changes."""
        if (saved.scene, saved.seed) != (self.scene.name, self.seed):
            raise TelosError(
                f"this was saved from {saved.scene!r} with seed {saved.seed}, not from {self.scene.name!r} with "
                f"seed {self.seed}",
                "restore it in a battle of the same scene and seed",
            )
        sides = [each.side for each in self.coordinators]
        if not lenient and (list(saved.coordinators) != sides or (saved.dialogue is None) != (self.dialogue is None)):
            raise TelosError(
                f"{saved.scene!r} was saved with other squads or other talk", "make the battle with the same ones"
            )
        if self.arena.time > 0:
            raise TelosError(f"this battle is {self.arena.time:g} s old", "restore saved state in a new battle")


class BattleSnapshot(SnapshotModel):
    """What a battle saves."""

    FORMAT: ClassVar[int] = 2

    scene: str
    seed: int
    arena: ArenaSnapshot
    crowd: ScheduleSnapshot
    limbs: dict[str, LimbsSnapshot]
    memories: dict[str, MemorySnapshot]
    coordinators: dict[str, CoordinatorSnapshot]
    occasions: dict[str, str]
    dialogue: DialogueSnapshot | None


def _due_commands(member: CastMember, now: float) -> list[str]:
    """Return the commands of a script that are due now."""
    script = member.script or ()
    clock = now if member.repeat is None else now % member.repeat
    return [cue.do for cue in script if abs(cue.at - clock) < 0.05]


def _with_functions(domain: Domain, functions: Mapping[str, Callable[..., Any]]) -> Domain:
    """Return the arena's domain with the functions of one fight."""
    return Domain(
        domain.name,
        variables=domain.variables,
        actions=domain.actions,
        goals=domain.goals,
        objects=domain.templates,
        action_sets=domain.action_sets,
        goal_sets=domain.goal_sets,
        functions=functions,
    )


# --- occasions for dialogue ---


def _withdraw_nothing(kind: str, squad: str, why: str) -> None:
    """Stand in for the dialogue of a fight without talk."""


class OccasionDetector:
    """Turns trace records into occasions for dialogue, and passes them to ``notice``.

    What has become untrue is passed to ``withdraw``: the kind of occasion, the squad, and the reason.
    """

    def __init__(
        self,
        comrades: Mapping[str, Comrade],
        notice: Callable[[Occasion], None],
        withdraw: Callable[[str, str, str], None],
    ) -> None:
        self._comrades, self._notice, self._withdraw = comrades, notice, withdraw
        self._leaders: dict[str, str] = {}  # the speaker of each squad

    def lead(self, squad: str, leader: str) -> None:
        """Set the speaker of a squad."""
        self._leaders[squad] = leader

    def save(self) -> dict[str, str]:
        """Return the speaker of each squad."""
        return dict(self._leaders)

    def restore(self, saved: Mapping[str, str]) -> None:
        self._leaders = dict(saved)

    def note(self, record: object) -> None:
        """Process one trace record."""
        match record:
            case Noticed():
                self._noticed(record)
            case Began(step="reload"):
                self._notify("reloading", record.time, record.who)
            case Began(step="search-room"):
                self._notify("searching", record.time, record.who)
            case OrdersGiven():
                leader = self._leaders.get(record.squad)
                if leader is not None:
                    about = {"behaviour": record.behaviour, "orders": record.orders}
                    self._notify("ordered", record.time, leader, about)
            case BehaviourEnded():
                self._withdraw("ordered", record.squad, f"{record.behaviour} has ended")
                leader = self._leaders.get(record.squad)
                if leader is not None and record.fulfilled:
                    self._notify("fulfilled", record.time, leader, {"behaviour": record.behaviour})
            case Event():
                self._happened(record)
            case _:
                pass

    def _noticed(self, record: Noticed) -> None:
        about = record.attributes
        match record.fact:
            case "enemy" if not about.get("alive", True):
                self._notify("enemy_down", record.time, record.who, {"target": record.subject})
            case "enemy" if about["seen"]:
                place = {"target": record.subject, "x": about["x"], "y": about["y"]}
                self._notify("spotted", record.time, record.who, place)
            case "enemy" if record.confidence == 1.0:
                self._notify("lost", record.time, record.who, {"target": record.subject})
            case "grenade" if "x" in about:
                self._notify("grenade", record.time, record.who, {"x": about["x"], "y": about["y"]})
            case "fire" if not self._knows_cover(record.who, record.time):
                self._notify("no_cover", record.time, record.who)
            case "searched":
                self._notify("cleared", record.time, record.who, {"room": record.subject})
            case "door" if about.get("stuck"):
                self._notify("blocked", record.time, record.who, {"door": record.subject})
            case "order_refused":
                self._notify("refused", record.time, record.who, {"why": about.get("why")})
            case _:
                pass

    def _happened(self, event: Event) -> None:
        target = event.context.get("target")
        if target not in self._comrades:
            return
        if event.action == "hit":
            self._notify("hit", event.time, str(target), {"x": event.context["x"], "y": event.context["y"]})
        elif event.action == "dead":
            self._notify("down", event.time, str(target))
            side = self._comrades[str(target)].side
            left = [each for each in self._comrades.values() if each.side == side and each.alive]
            if len(left) == 1:
                self._notify("last_man", event.time, left[0].name)

    def _knows_cover(self, who: str, now: float) -> bool:
        return any(each["valid"] for each in self._comrades[who].memory.all_of("cover", now))

    def _notify(self, kind: str, time: float, who: str, about: Mapping[str, Value] | None = None) -> None:
        if who in self._comrades:
            self._notice(Occasion(kind, time, who, FrozenMap(about)))
