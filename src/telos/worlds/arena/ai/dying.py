"""How a fighter dies: the last plan of a mind, for the goal ``die`` that every character has.

The goal has two ways to be met: to ``fall``, which a body can always do, and what a smart object within reach posts.
So the knowledge of how to die at a desk stands with the desk (`data/arena.yaml`), and no character says a word of it.
"""

import math
from collections.abc import Mapping

from telos.agents.body import Procedure
from telos.agents.memory import Fact, WorkingMemory
from telos.agents.mind import Mind
from telos.agents.things import ThingAttention
from telos.agents.trace import Chose, Planned
from telos.core.domain import Domain
from telos.core.plan import Plan
from telos.core.trace import Trace
from telos.core.values import FrozenMap
from telos.planning.planner import get_planner
from telos.worlds.arena.ai.facts import make_fact, thing_facts
from telos.worlds.arena.ai.fighter_body import FighterBody
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.fighter import Fighter

GOAL, ACTIONS = "die", "mortal"  # the goal, and the action set with all ways to meet it
FALL = "fall"  # needs no command: a dead body lies where it fell


def nearest_things(arena: Arena, fighter: Fighter, domain: Domain) -> tuple[ThingAttention, ...]:
    """Return the attention to the things of each template: the nearest ones."""

    def rate(fact: Fact, memory: WorkingMemory, now: float) -> float:
        return -math.dist(fighter.position, arena.place_of(fact.subject))

    return tuple(ThingAttention(template, rate, margin=1.0) for template in domain.templates)


class DeathPlanner:
    """Plans how a fighter dies, from what its mind knows, and tells its body."""

    def __init__(self, arena: Arena, domain: Domain, procedures: Mapping[str, Procedure], trace: Trace) -> None:
        self._arena, self._domain, self._procedures, self._trace = arena, domain, procedures, trace

    def plan(self, mind: Mind, now: float) -> Plan | None:
        """Return the plan of a mind for its death; the facts that it rests on are noted in the mind's memory."""
        fighter, memory = self._arena.fighter(mind.name), mind.memory
        memory.note(make_fact("dying", "me", now))
        for fact in thing_facts(self._arena, fighter, self._domain, now):
            memory.note(fact)
        believed = {"dying": True}
        for attention in nearest_things(self._arena, fighter, self._domain):
            for slot in attention.template.slots:
                memory.focus[slot] = None  # what is nearest now has the slot, not what was in use before
            attention.choose(memory, now)
            believed |= attention.believe(memory, now)
        answer = get_planner(self._domain, ACTIONS).plan(self._domain.state(believed), GOAL)
        return answer if isinstance(answer, Plan) else None

    def begin(self, mind: Mind, body: FighterBody, now: float) -> None:
        """Let a body die as its mind plans to: at a thing with the next step of the arena, or else where it fell."""
        plan = self.plan(mind, now)
        if plan is None or not plan.steps or plan.steps[0].name == FALL:
            return
        step = plan.steps[0]
        state = self._procedures[self._domain.common_name(step.name)].activate(mind, step)
        self._trace(Chose(now, mind.name, GOAL, None, "the wound is mortal", FrozenMap()))
        self._trace(Planned(now, mind.name, GOAL, tuple(map(str, plan.steps)), plan.cost, plan.expanded))
        body.enter(state)
