"""Simulated player."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from telos.core.action import Action
from telos.core.plan import Plan
from telos.core.state import State
from telos.core.trace import Trace, silent
from telos.planning.planner import planner_of
from telos.worlds.forge.domain import ASK, PLAN_OF, PLANS, TO, counting_on
from telos.worlds.forge.forge import PLAYER, Forge
from telos.worlds.forge.speech import the_utterances
from telos.worlds.forge.trace import Changed

# --- limits -----------------------------------------------------------------------------------------------------------
# What is human about the simulated player: they take their time, dawdle, stray, and may think better of it.


ASKING = 3.0  # seconds to say what one wants of somebody


@dataclass(frozen=True, slots=True)
class Limits:
    """One player's limits. Times are in seconds, the others chances at each decision.

    ``vague`` is how often they speak of "this" and "that thing"; they speak plainly when that was not understood.
    Who ``foresees`` what will be wanted asks for it before setting out; the others ask where they stand in need of it.
    ``turns`` is when they think better of their plan, and ``turns_to`` what they turn to; most never do.
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
    def drawn(cls, plan: str, rng: Random, *, fickle: float = 0.15) -> "Limits":
        """Draw a player who sets out with ``plan``; a share of them, ``fickle``, turn to another one on the way."""
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


# --- player -----------------------------------------------------------------------------------------------------------
# The simulated player: plans with the domain of the scene, within human limits, and counts on what is promised.


FORESEEN = {"key": "fire", "force": "shoulder", "spare": "apples"}  # what each plan will want of somebody
ENOUGH = 3  # times that something is asked for


class SimulatedPlayer:
    """Somebody with a plan for the door: one decision at a time, each after a moment's thought.

    What the companion says it will see to is taken as done, and waited for if need be, but not for ever. What is
    needed here and now, and is quicker asked for than done, is asked for.
    """

    def __init__(self, world: Forge, plan: str, limits: Limits, rng: Random, *, trace: Trace = silent) -> None:
        self.world, self.plan, self.limits, self.trace = world, plan, limits, trace
        self.asked = 0  # how often, so far
        self.promise: str | None = None  # what the companion has said that it will see to, while that is counted on
        self.steps: tuple[str, ...] = ()  # what is planned, for whoever looks on
        self._heard: str | None = None  # the last promise, kept or not
        # One stream for each: who is helped takes fewer steps, and should not stray elsewhere for that.
        self._hands, self._feet, self._tongue = (Random(rng.getrandbits(64)) for _ in range(3))
        self._planner = planner_of(world.domain, PLAYER)
        self._thinks_until = 0.0
        self._is_at_it = False  # a command was given, and is not done
        self._has_news = False  # so that what one is walking for may not be needed any more
        self._to_say: str | None = None
        self._waits_since: float | None = None
        self._asked_for: str | None = None  # last; asked for again, it is put plainly
        self._in_vain = 0  # how often that was asked for, and nobody answered
        if limits.foresees and world.state_of(PLAYER)["friend"]:
            self._ask(FORESEEN[plan], 0.0)
        else:
            self._pause(0.0)

    def count_on(self, promise: str | None, now: float) -> None:
        """Hear what the companion will see to; None for nothing."""
        if promise != self._heard:
            self._heard = self.promise = promise
            self._waits_since = None
            self._in_vain = 0
            self._hear_news(now)

    def decide(self, now: float) -> str | None:
        """Return the next command, if it is time for one."""
        if self.world.is_over:
            return None
        self._think_better(now)
        person = self.world.people[PLAYER]
        if self._is_at_it and person.status != "running":
            self._is_at_it = False
            self._pause(now)
        if now < self._thinks_until:
            return None
        if self._to_say is not None:
            said, self._to_say = self._to_say, None
            self._pause(now, 1.5)  # for an answer
            return f"say {said}"
        if self._is_at_it and not (self._has_news and person.is_walking):
            return None
        self._has_news = False
        return self._next(now)

    def _hear_news(self, now: float) -> None:
        self._has_news = True
        self._thinks_until = max(self._thinks_until, now + self._hands.uniform(*self.limits.reaction))

    def _pause(self, now: float, more: float = 0.0) -> None:
        """Take a moment before the next decision, and now and then a long one."""
        limits = self.limits
        long = self._hands.uniform(*limits.dawdle) if self._hands.random() < limits.dawdles else 0.0
        self._thinks_until = now + self._hands.uniform(*limits.reaction) + long + more

    def _think_better(self, now: float) -> None:
        """Turn to another plan, if this is one who does, and it is not too late for that."""
        limits, person = self.limits, self.world.people[PLAYER]
        if limits.turns is None or limits.turns_to is None or now < limits.turns or self.plan == limits.turns_to:
            return
        if person.deed is None and person.pocket not in ("key", "spare"):
            self.trace(Changed(now, PLAYER, self.plan, limits.turns_to))
            self.plan = limits.turns_to
            self._hear_news(now)

    def _next(self, now: float) -> str | None:
        believed = self._believed()
        answer = self._planner.plan(believed, self.plan)
        if not isinstance(answer, Plan) or not answer.steps:
            self._pause(now, 1.0)
            return None
        self.steps = tuple(map(str, answer.steps))
        step = answer.steps[0] if self._is_waiting else _soonest(answer.steps, believed)
        if step.name.startswith(ASK):
            if not (self._is_waiting and self._has_patience(now)):
                self._ask(step.name.removeprefix(ASK), now)
            return None
        if step.name.startswith(TO):
            self._is_at_it, self._waits_since = True, None
            return f"go {self._destination(answer.steps)}"
        return self._do(step, now)

    @property
    def _is_waiting(self) -> bool:
        """Whether the companion is busy with something for this very plan: nobody asks it for something else then."""
        if self.promise is None or PLAN_OF[self.promise] != self.plan:
            return False
        state = self.world.state_of(PLAYER)
        return state.replace(counting_on(self.promise, state)) != state

    def _has_patience(self, now: float) -> bool:
        """Whether to wait a little longer for what was promised."""
        if self._waits_since is None:
            self._waits_since = now
        if now - self._waits_since > self.limits.patience:
            self.promise = self._waits_since = None
        return self.promise is not None

    def _believed(self) -> State:
        """Return how things stand, with what is promised as good as done; who does not answer is no friend."""
        state = self.world.state_of(PLAYER)
        promised = {} if self.promise is None else counting_on(self.promise, state)
        return state.replace({"friend": False, **promised} if self._in_vain >= ENOUGH else promised)

    def _destination(self, steps: Sequence[Action]) -> str:
        """Return where the plan leads next; or, now and then, somewhere beside the way."""
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
        """Begin a deed; or wait for what was promised, until patience ends."""
        person = self.world.people[PLAYER]
        if step.is_possible(self.world.state_of(PLAYER)) and not person.is_walking:
            self._is_at_it, self._waits_since, self._asked_for = True, None, None
            return step.name
        self._has_patience(now)
        return None

    def _ask(self, thing: str, now: float) -> None:
        """Begin to ask for something; it takes a moment to say."""
        words = [each for each in the_utterances().values() if any(r.means == thing for r in each.readings)]
        plainly = thing == self._asked_for or self._tongue.random() >= self.limits.vague
        fitting = [each for each in words if each.is_plain == plainly] or words
        here = self.world.people[PLAYER].place
        near = [each for each in fitting if any(r.means == thing and r.at in (None, here) for r in each.readings)]
        self._to_say = self._tongue.choice(self._tongue.choice(near or fitting).says)
        self._asked_for, self._thinks_until = thing, now + ASKING
        self.asked += 1
        self._in_vain += 1


def _soonest(steps: Sequence[Action], state: State) -> Action:
    """Return the next step; what is to be asked for at some point is asked for as soon as it can be."""
    return next((step for step in steps if step.name.startswith(ASK) and step.is_possible(state)), steps[0])
