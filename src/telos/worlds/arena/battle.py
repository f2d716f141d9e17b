"""Minds, squads and dialogue over an arena; save/restore."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from telos.agents.character import Character
from telos.agents.crowd import Crowd
from telos.agents.memory import Fact, WorkingMemory
from telos.agents.mind import Mind
from telos.agents.sensors import SensorSchedule
from telos.agents.trace import Began, Noticed
from telos.core.domain import Domain
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.trace import Trace, silent
from telos.core.values import FrozenMap, Value
from telos.planning.planner import Planner
from telos.planning.scheduler import Scheduler
from telos.squads.behaviours import behaviours
from telos.squads.coordinator import Coordinator
from telos.squads.dialogue.dialogue import Dialogue
from telos.squads.dialogue.lines import builtin_lines
from telos.squads.dialogue.occasions import Occasion
from telos.squads.squad import Concluded, Ordered
from telos.worlds.arena.ai.beliefs import Beliefs, attention_of
from telos.worlds.arena.ai.characters import Comrade, arena_domain, arena_of, characters, procedures
from telos.worlds.arena.ai.facts import fact
from telos.worlds.arena.ai.fighter_body import Ground, Limbs
from telos.worlds.arena.ai.sensors import Stimuli, sensors_of
from telos.worlds.arena.replay import Commanded, Ended, Started
from telos.worlds.arena.scene import CastMember, Scene
from telos.worlds.arena.sim.views import ArenaView

# --- battle saving ----------------------------------------------------------------------------------------------------
# Saving a fight as plain data, and going on from it exactly: bodies, minds, squads and talk.


def save_battle(battle: "Battle") -> dict[str, Any]:
    """Return all that changes about a fight between two steps, as plain data that JSON can hold."""
    return {
        "scene": battle.scene.name,
        "seed": battle.seed,
        "arena": battle.arena.save(),
        "crowd": battle.crowd.save(),
        "limbs": {name: limbs.save() for name, limbs in battle.limbs.items()},
        # Those of the minds are with the crowd. The dead keep theirs, which their squads may still look into.
        "memories": {name: each.memory.save() for name, each in battle.comrades.items() if name not in battle.minds},
        "coordinators": {each.side: each.save() for each in battle.coordinators},
        "occasions": battle.occasions.save(),
        "dialogue": None if battle.dialogue is None else battle.dialogue.save(),
    }


def restore_battle(battle: "Battle", saved: Mapping[str, Any]) -> None:
    """Make a battle that has just begun the one that was saved; the trace goes on from there."""
    _check_same(battle, saved)
    battle.arena.restore(saved["arena"])  # which refuses another cast
    thinking = {each["name"] for each in saved["crowd"]["minds"]}
    for name in [name for name in battle.minds if name not in thinking]:  # they had fallen
        battle.crowd.leave(battle.minds.pop(name))
    for name, limbs in battle.limbs.items():
        limbs.restore(saved["limbs"][name])
    battle.crowd.restore(saved["crowd"])
    for name, memory in saved["memories"].items():
        battle.comrades[name].memory.restore(memory)
    for coordinator in battle.coordinators:
        coordinator.restore(saved["coordinators"][coordinator.side], battle.comrades.values())
    battle.occasions.restore(saved["occasions"])
    if battle.dialogue is not None:
        battle.dialogue.restore(saved["dialogue"])
    battle.view = battle.arena.view()


def _check_same(battle: "Battle", saved: Mapping[str, Any]) -> None:
    """Refuse what was saved from another fight, before anything is changed."""
    if (saved["scene"], saved["seed"]) != (battle.scene.name, battle.seed):
        raise TelosError(
            f"this was saved from {saved['scene']!r} with seed {saved['seed']}, not from {battle.scene.name!r} with "
            f"seed {battle.seed}",
            "restore it in a battle of the same scene and seed",
        )
    sides = [each.side for each in battle.coordinators]
    if list(saved["coordinators"]) != sides or (saved["dialogue"] is None) != (battle.dialogue is None):
        raise TelosError(
            f"{saved['scene']!r} was saved with other squads or other talk", "make the battle with the same ones"
        )
    if battle.arena.time > 0:
        raise TelosError(f"this battle is {battle.arena.time:g} s old", "restore what was saved in one that just began")


# --- occasions --------------------------------------------------------------------------------------------------------
# What of a fight is worth a word: events, and what minds and squads put on record, as occasions for talk.


class Occasions:
    """Turns records into occasions, and hands them to ``notice``."""

    def __init__(self, comrades: Mapping[str, Comrade], notice: Callable[[Occasion], None]) -> None:
        self._comrades, self._notice = comrades, notice
        self._leaders: dict[str, str] = {}  # who speaks for a squad

    def lead(self, squad: str, leader: str) -> None:
        """Remember who speaks for a squad."""
        self._leaders[squad] = leader

    def save(self) -> dict[str, str]:
        """Return who speaks for each squad."""
        return dict(self._leaders)

    def restore(self, saved: Mapping[str, str]) -> None:
        """Take up who spoke for each squad."""
        self._leaders = dict(saved)

    def note(self, record: object) -> None:
        """Take in one record of the trace."""
        match record:
            case Noticed():
                self._noticed(record)
            case Began(step="reload"):
                self._tell("reloading", record.time, record.who)
            case Began(step="search-room"):
                self._tell("searching", record.time, record.who)
            case Ordered():
                leader = self._leaders.get(record.squad)
                if leader is not None:
                    about = {"behaviour": record.behaviour, "orders": record.orders}
                    self._tell("ordered", record.time, leader, about)
            case Concluded(fulfilled=True):
                leader = self._leaders.get(record.squad)
                if leader is not None:
                    self._tell("fulfilled", record.time, leader, {"behaviour": record.behaviour})
            case Event():
                self._happened(record)
            case _:
                pass

    def _noticed(self, record: Noticed) -> None:
        about = record.attributes
        match record.fact:
            case "enemy" if not about.get("alive", True):
                self._tell("enemy_down", record.time, record.who, {"target": record.subject})
            case "enemy" if about["seen"]:
                place = {"target": record.subject, "x": about["x"], "y": about["y"]}
                self._tell("spotted", record.time, record.who, place)
            case "enemy" if record.confidence == 1.0:
                self._tell("lost", record.time, record.who, {"target": record.subject})
            case "grenade" if "x" in about:
                self._tell("grenade", record.time, record.who, {"x": about["x"], "y": about["y"]})
            case "fire" if not self._knows_cover(record.who, record.time):
                self._tell("no_cover", record.time, record.who)
            case "searched":
                self._tell("cleared", record.time, record.who, {"room": record.subject})
            case "door" if about.get("stuck"):
                self._tell("blocked", record.time, record.who, {"door": record.subject})
            case "order_refused":
                self._tell("refused", record.time, record.who, {"why": about.get("why")})
            case _:
                pass

    def _happened(self, event: Event) -> None:
        target = event.context.get("target")
        if target not in self._comrades:
            return
        if event.action == "hit":
            self._tell("hit", event.time, str(target), {"x": event.context["x"], "y": event.context["y"]})
        elif event.action == "dead":
            self._tell("down", event.time, str(target))
            side = self._comrades[str(target)].side
            left = [each for each in self._comrades.values() if each.side == side and each.alive]
            if len(left) == 1:
                self._tell("last_man", event.time, left[0].name)

    def _knows_cover(self, who: str, now: float) -> bool:
        return any(each["valid"] for each in self._comrades[who].memory.all_of("cover", now))

    def _tell(self, kind: str, time: float, who: str, about: Mapping[str, Value] | None = None) -> None:
        if who in self._comrades:
            self._notice(Occasion(kind, time, who, FrozenMap(about)))


# --- battle -----------------------------------------------------------------------------------------------------------
# Bodies, minds, squads and talk together: the loop that lets a scene be fought out.


SQUADS_EVERY = 5  # steps between two looks at the squads
_NOTHING: Mapping[str, str] = FrozenMap()
OVERRIDES = ("escape",)  # goals that make somebody refuse an order


class Battle:
    """A scene, fought out. Whoever looks on reads ``view`` and the trace; nothing steers those who have a mind.

    ``kinds`` are the characters that the cast is made of, if not those of the package; ``squads`` are the squad
    behaviours of each side, if not the scene's for all.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        seed: int = 0,
        trace: Trace = silent,
        kinds: Mapping[str, Character] | None = None,
        squads: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.scene, self.seed, self._outer = scene, seed, trace
        self._kinds = characters() if kinds is None else kinds
        self._squads = dict.fromkeys(scene.sides, scene.squads) if squads is None else squads
        self.arena = arena_of(scene, self._kinds, seed=seed)
        self._is_heard = trace is not silent or scene.talk
        self._memories: dict[str, WorkingMemory] = {}
        self.domain = _answered(arena_domain(), Ground(self.arena, self._memories))
        self.limbs = {member.name: Limbs(self.arena, member.name) for member in scene.cast if member.script is None}
        self._sensors = sensors_of(self.arena, self.limbs)
        self.crowd = Crowd(SensorSchedule(self._sensors), Scheduler(Planner(self.domain), clock=None))
        self._procedures = procedures()
        self.minds: dict[str, Mind] = {}
        for number, member in enumerate(scene.cast):
            if member.script is None:
                self._give_mind(number, member, 0.0)
        everybody = self.arena.fighters.values()
        self.comrades = {each.name: Comrade(self.arena, each, self._memory(each.name)) for each in everybody}
        self.coordinators = self._coordinators()
        self.dialogue = Dialogue(builtin_lines(), rng=Random(seed)) if scene.talk else None
        notice = self.dialogue.notice if self.dialogue is not None else silent
        self.occasions = Occasions(self.comrades, notice)
        self._stimuli = Stimuli(self.arena, self.crowd)
        self.view = self.arena.view()
        sides = {side: tuple(each.name for each in scene.cast if each.side == side) for side in scene.sides}
        trace(Started(0.0, "arena", scene.name, seed, FrozenMap(sides)))

    # --- setting up ---------------------------------------------------------------------------------------------------

    def _give_mind(self, number: int, member: CastMember, now: float) -> None:
        kind, fighter = self._kinds[member.character], self.arena.fighter(member.name)
        mind = Mind(
            member.name,
            kind,
            self.domain,
            body=self.limbs[member.name],
            believe=Beliefs(self.arena, fighter),
            procedures=self._procedures,
            attention=attention_of(self.arena, fighter),
            reflexes={name: self._sensors[name] for name, every in kind.sensors.items() if not every},
            scheduler=self.crowd.scheduler,
            number=number,
            trace=self._trace if self._is_heard else silent,
        )
        self.minds[member.name] = mind
        self._memories[member.name] = self.limbs[member.name].memory = mind.memory
        self.crowd.join(mind, now)

    def _memory(self, name: str) -> WorkingMemory:
        return self._memories.setdefault(name, WorkingMemory())

    def _coordinators(self) -> list[Coordinator]:
        made = []
        for side in self.scene.sides:
            if not self._squads.get(side):
                continue
            coordinator = Coordinator(side, behaviours=behaviours(self._squads[side]), trace=self._trace)
            if side in self.scene.objectives:
                coordinator.set_objective(None, self.scene.objectives[side])
            made.append(coordinator)
        return made

    def _trace(self, record: object) -> None:
        self._outer(record)
        if self.dialogue is not None:
            self.occasions.note(record)

    # --- fighting -----------------------------------------------------------------------------------------------------

    def seconds(self, limit: float | None = None) -> Iterator[ArenaView]:
        """Yield what can be seen after each step, until a side has won or the time is up."""
        limit = self.scene.seconds if limit is None else limit
        if not limit > 0:
            raise TelosError(f"a fight lasts more than 0 seconds, got {limit!r}")
        while not self.arena.over and self.arena.time < limit:
            yield self.step()
        self.end()

    def end(self) -> None:
        """Put on record how the fight has come out."""
        why = "nobody is left to fight" if self.arena.over else "time is up"
        self._outer(Ended(self.arena.time, self.arena.winner, why))

    def step(self, told: Mapping[str, str] = _NOTHING) -> ArenaView:
        """Let everybody think, and a tenth of a second pass.

        ``told`` are commands from outside, for those of the cast who have no mind.
        """
        self._check(told)
        now = self.arena.time
        self._lead_squads(now)
        self.crowd.tick(now)
        self._talk(now)
        commands = self._commands(now, told)
        if commands:
            self._outer(Commanded(now, FrozenMap(commands)))
        self.arena.step(commands)
        self._take_in(self.arena.events)
        self.view = self.arena.view()
        return self.view

    def _lead_squads(self, now: float) -> None:
        if not self.coordinators or round(now * 10) % SQUADS_EVERY:
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
        """Let squads know whose own goals have won over an order."""
        for mind in self.minds.values():
            order = mind.memory.recall("order", "current", now)
            if order is not None and mind.goal in OVERRIDES:
                mind.note(fact("order_refused", "current", now, serial=order["serial"], why=f"{mind.goal} comes first"))

    def _talk(self, now: float) -> None:
        if self.dialogue is None:
            return
        named = (squad for coordinator in self.coordinators for squad in coordinator.squads)
        squads = {member.name: squad.name for squad in named for member in squad.members}
        for line in self.dialogue.tick(self.comrades, now, squads=squads):
            self._outer(line)

    def _check(self, told: Mapping[str, str]) -> None:
        """Refuse commands before anybody has thought, so that nothing has happened if they make no sense."""
        self.arena.check(told)
        for name in told:
            if name in self.limbs:
                raise TelosError(
                    f"{name!r} has a mind of its own", "give a script to whoever is commanded from outside"
                )

    def _commands(self, now: float, told: Mapping[str, str]) -> dict[str, str]:
        commands = {name: command for name, limbs in self.limbs.items() if (command := limbs.take()) is not None}
        for member in self.scene.cast:
            for cue in _cues(member, now):
                commands[member.name] = cue
        commands.update(told)
        return {name: command for name, command in commands.items() if self.arena.fighter(name).alive}

    def _take_in(self, events: tuple[Event, ...]) -> None:
        now = self.arena.time
        for event in events:
            self._trace(event)
            if event.action == "shouted":
                self._heed(event, now)
        self._stimuli.deliver(events, now)
        for event in events:
            if event.action == "dead" and event.context["target"] in self.minds:
                self.crowd.leave(self.minds.pop(str(event.context["target"])))

    def _heed(self, event: Event, now: float) -> None:
        """Let words that are part of a plan reach whom they are meant for: as a fact, which they may act on or not."""
        speaker, hearer = self.minds.get(event.player), str(event.context.get("target"))
        if speaker is None or speaker.execution is None or hearer not in self.minds:
            return
        step = speaker.execution.step.name
        if step == "warn-ally":
            for grenade in speaker.memory.all_of("grenade", now):
                self.crowd.stimulate(hearer, Fact("grenade", grenade.subject, now, 1.0, grenade.attributes))
        elif step == "tell-ally-to-open":
            speaker.note(fact("told", step, now, ally=hearer))
            request = fact("request", "current", now, door=speaker.state["barrier"], by=event.player)
            self.crowd.stimulate(hearer, request)

    def recast(self, kinds: Mapping[str, Character]) -> tuple[str, ...]:
        """Let the living go by other characters from now on, and return whose mind is new.

        They keep what they remember, and their bodies: what ``kinds`` say of those counts from the start of a fight.
        """
        self._kinds, renewed = kinds, []
        for number, member in enumerate(self.scene.cast):
            old = self.minds.get(member.name)
            if old is None or old.character == kinds[member.character]:
                continue
            self.crowd.leave(old)
            self._give_mind(number, member, self.arena.time)
            memory = self._memories[member.name]
            for known in old.memory:
                memory.note(known)
            memory.focus = dict(old.memory.focus)
            self.comrades[member.name] = Comrade(self.arena, self.arena.fighter(member.name), memory)
            renewed.append(member.name)
        return tuple(renewed)

    # --- saving -------------------------------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return all that changes, as plain data that JSON can hold; to be asked between two steps."""
        return save_battle(self)

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go on exactly from what was saved, in a battle of the same scene and seed that has just begun."""
        restore_battle(self, saved)


def _cues(member: CastMember, now: float) -> list[str]:
    """Return what a script says now."""
    script = member.script or ()
    clock = now if member.repeat is None else now % member.repeat
    return [cue.do for cue in script if abs(cue.at - clock) < 0.05]


def _answered(domain: Domain, ground: Ground) -> Domain:
    """Return the arena's domain with the answers of one fight."""
    return Domain(
        domain.name,
        variables=domain.variables,
        actions=domain.actions,
        goals=domain.goals,
        action_sets=domain.action_sets,
        goal_sets=domain.goal_sets,
        functions=ground.functions,
    )
