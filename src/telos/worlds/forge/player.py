"""The simulated player: plans with the domain of the scene, within human limits, and relies on promises."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from telos.core.action import Action
from telos.core.plan import Plan
from telos.core.state import State
from telos.core.trace import Trace, silent
from telos.planning.planner import get_planner
from telos.worlds.forge.domain import ASK, PLAN_OF, PLANS, TO, promised_changes
from telos.worlds.forge.forge import PLAYER, Forge
from telos.worlds.forge.speech import load_utterances
from telos.worlds.forge.trace import PlanChanged

ASKING = 3.0  # seconds to utter a request
FORESEEN = {"key": "fire", "force": "shoulder", "spare": "apples"}  # the request that each plan will need
MAX_REQUESTS = 3  # requests for one thing


@dataclass(frozen=True, slots=True)
class PlayerLimits:
    """Limits of one player: times in seconds, the others probabilities per decision.

    ``vague`` is how often requests are ambiguous; a repeated request is plain. A player who ``foresees`` asks before
    setting out, the others ask when they are there. At ``turns`` the player changes the plan to ``turns_to``; most
    never do.
    """

    reaction: tuple[float, float] = (0.5, 2.0)
    dawdles: float = 0.06
    dawdle: tuple[float, float] = (3.0, 8.0)
    strays: float = 0.05
    vague: float = 0.5
    patience: float = 45.0
    foresees: bool = False
    turns: float | None = None
    turns_to: str | None = None

    @classmethod
    def draw(cls, plan: str, rng: Random, *, fickle: float = 0.15) -> "PlayerLimits":
        """Draw the limits of a player with ``plan``; a share ``fickle`` of them changes the plan on the way."""
        quick = rng.uniform(0.3, 1.0)
        dawdles, strays, vague = rng.uniform(0.0, 0.12), rng.uniform(0.0, 0.08), rng.uniform(0.2, 0.8)
        turns, turns_to = rng.uniform(15.0, 60.0), rng.choice([each for each in PLANS if each != plan])
        is_fickle = rng.random() < fickle
        return cls(
            reaction=(quick, quick + rng.uniform(0.5, 2.0)),
            dawdles=dawdles,
            strays=strays,
            vague=vague,
            turns=turns if is_fickle else None,
            turns_to=turns_to if is_fickle else None,
        )


class SimulatedPlayer:
    """A player with a plan for the door, who takes one decision at a time, each after a pause.

    What the companion promises counts as done and is waited for with limited patience. What is quicker to ask for
    than to do is asked for.
    """

    def __init__(self, world: Forge, plan: str, limits: PlayerLimits, rng: Random, *, trace: Trace = silent) -> None:
        self.world, self.plan, self.limits, self.trace = world, plan, limits, trace
        self.asked = 0  # number of requests so far
        self.promise: str | None = None  # what the companion promised, while the player relies on it
        self.steps: tuple[str, ...] = ()  # the present plan, for display
        self._heard: str | None = None  # the latest promise, kept or not
        # One stream each: a player who is helped takes fewer steps and should not stray differently for that.
        self._hands, self._feet, self._tongue = (Random(rng.getrandbits(64)) for _ in range(3))
        self._planner = get_planner(world.domain, PLAYER)
        self._thinks_until = 0.0
        self._is_busy = False  # a command was given and is not done
        self._has_news = False  # the purpose of the present walk may be obsolete
        self._to_say: str | None = None
        self._waits_since: float | None = None
        self._asked_for: str | None = None  # the latest; a repetition is put plainly
        self._unanswered = 0  # requests without an answer
        if limits.foresees and world.state_of(PLAYER)["friend"]:
            self._ask(FORESEEN[plan], 0.0)
        else:
            self._pause(0.0)

    def count_on(self, promise: str | None, now: float) -> None:
        """Note what the companion promises; None for nothing."""
        if promise != self._heard:
            self._heard = self.promise = promise
            self._waits_since = None
            self._unanswered = 0
            self._hear_news(now)

    def decide(self, now: float) -> str | None:
        """Return the next command, if one is due."""
        if self.world.is_over:
            return None
        self._change_plan(now)
        person = self.world.people[PLAYER]
        if self._is_busy and person.status != "running":
            self._is_busy = False
            self._pause(now)
        if now < self._thinks_until:
            return None
        if self._to_say is not None:
            said, self._to_say = self._to_say, None
            self._pause(now, 1.5)  # time for an answer
            return f"say {said}"
        if self._is_busy and not (self._has_news and person.is_walking):
            return None
        self._has_news = False
        return self._next(now)

    def _hear_news(self, now: float) -> None:
        self._has_news = True
        self._thinks_until = max(self._thinks_until, now + self._hands.uniform(*self.limits.reaction))

    def _pause(self, now: float, more: float = 0.0) -> None:
        """Pause before the next decision, sometimes for long."""
        limits = self.limits
        long = self._hands.uniform(*limits.dawdle) if self._hands.random() < limits.dawdles else 0.0
        self._thinks_until = now + self._hands.uniform(*limits.reaction) + long + more

    def _change_plan(self, now: float) -> None:
        """Change the plan if these limits say so and it is not too late."""
        limits, person = self.limits, self.world.people[PLAYER]
        if limits.turns is None or limits.turns_to is None or now < limits.turns or self.plan == limits.turns_to:
            return
        if person.action is None and person.pocket not in ("key", "spare"):
            self.trace(PlanChanged(now, PLAYER, self.plan, limits.turns_to))
            self.plan = limits.turns_to
            self._hear_news(now)

    def _next(self, now: float) -> str | None:
        believed = self.believed_state()
        answer = self._planner.plan(believed, self.plan)
        if not isinstance(answer, Plan) or not answer.steps:
            self._pause(now, 1.0)
            return None
        self.steps = tuple(map(str, answer.steps))
        step = answer.steps[0] if self._is_waiting else _first_step(answer.steps, believed)
        if step.name.startswith(ASK):
            if not (self._is_waiting and self._has_patience(now)):
                self._ask(step.name.removeprefix(ASK), now)
            return None
        if step.name.startswith(TO):
            self._is_busy, self._waits_since = True, None
            return f"go {self._destination(answer.steps)}"
        return self._do(step, now)

    @property
    def _is_waiting(self) -> bool:
        """Whether the companion is working for this plan, so that no other request makes sense."""
        if self.promise is None or PLAN_OF[self.promise] != self.plan:
            return False
        state = self.world.state_of(PLAYER)
        return state.replace(promised_changes(self.promise, state)) != state

    def _has_patience(self, now: float) -> bool:
        """Whether to wait longer for what was promised."""
        if self._waits_since is None:
            self._waits_since = now
        if now - self._waits_since > self.limits.patience:
            self.promise = self._waits_since = None
        return self.promise is not None

    def believed_state(self) -> State:
        """Return the state with promises counted as kept; a companion who never answers counts as absent."""
        state = self.world.state_of(PLAYER)
        promised = {} if self.promise is None else promised_changes(self.promise, state)
        return state.replace({"friend": False, **promised} if self._unanswered >= MAX_REQUESTS else promised)

    def _destination(self, steps: Sequence[Action]) -> str:
        """Return the destination of the plan, or sometimes a neighbouring place."""
        places = []
        for step in steps:
            if not step.name.startswith(TO):
                break
            places.append(step.name.removeprefix(TO))
        person = self.world.people[PLAYER]
        if not person.is_walking and self._feet.random() < self.limits.strays:
            return self._feet.choice(sorted(self.world.village.ways[person.place]))
        return places[-1]

    def _do(self, step: Action, now: float) -> str | None:
        """Start an action, or wait for what was promised."""
        person = self.world.people[PLAYER]
        if step.is_possible(self.world.state_of(PLAYER)) and not person.is_walking:
            self._is_busy, self._waits_since, self._asked_for = True, None, None
            return step.name
        self._has_patience(now)
        return None

    def _ask(self, thing: str, now: float) -> None:
        """Start to ask for something; uttering it takes a moment."""
        words = [each for each in load_utterances().values() if any(r.means == thing for r in each.readings)]
        plainly = thing == self._asked_for or self._tongue.random() >= self.limits.vague
        fitting = [each for each in words if each.is_plain == plainly] or words
        here = self.world.people[PLAYER].place
        near = [each for each in fitting if any(r.means == thing and r.at in (None, here) for r in each.readings)]
        self._to_say = self._tongue.choice(self._tongue.choice(near or fitting).says)
        self._asked_for, self._thinks_until = thing, now + ASKING
        self.asked += 1
        self._unanswered += 1


def _first_step(steps: Sequence[Action], state: State) -> Action:
    """Return the next step; a request that the plan contains comes as early as possible."""
    return next((step for step in steps if step.name.startswith(ASK) and step.is_possible(state)), steps[0])
