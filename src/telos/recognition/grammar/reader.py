"""Reading one player with a plan grammar: what she is after, how far she is, and what she will do next."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.recognition.grammar.partial import PartialPlan, partial_plans
from telos.recognition.grammar.plan_grammar import PlanGrammar
from telos.recognition.grammar.saving import resumed_session, saved_session
from telos.recognition.grammar.session import Session
from telos.recognition.pulse import refuse_disorder

UNLIKELY = 0.5  # noise is worth a word from here on
FEWEST_LOST = 1e-6  # and dropped hypotheses from here


@dataclass(frozen=True, slots=True)
class PlanReasons:
    """Why a goal is believed: its partial plans, the likeliest first, and what the reader could not explain or keep."""

    goal: str
    chance: float
    plans: tuple[PartialPlan, ...]
    noise: float
    lost: float

    def __str__(self) -> str:
        """Say it in lines."""
        lines = [f"{self.goal} {self.chance:.0%}", *(f"  {plan}" for plan in self.plans)]
        if not self.plans:
            lines.append("  no plan for it is under way")
        lines.append(f"  the last action serves nothing: {self.noise:.0%}")
        if self.lost >= FEWEST_LOST:
            lines.append(f"  hypotheses dropped so far: {self.lost:.2%} of the probability")
        return "\n".join(lines)


class PlanGrammarReader:
    """Keeps the belief about one player by parsing what she does; grammars may be shared by any number of readers.

    An event's action may have arguments, as in ``goto(forge)``: it is then the step ``goto(forge)``, or ``goto``.

    >>> from telos.recognition.grammar.productions import Production
    >>> grammar = PlanGrammar([Production("key", "forge", ("take_gold", "goto_forge"), 1.0),
    ...                        Production("sell", "trade", ("take_gold", "goto_shop"), 1.0)], ["key", "sell"])
    >>> reader = PlanGrammarReader(grammar)
    >>> reader.observe(Event("take_gold"))
    Belief(key=0.5, sell=0.5)
    >>> round(reader.next_actions()["goto_forge"], 3)
    0.493
    >>> reader.observe(Event("goto_forge")).top
    'key'
    """

    def __init__(self, model: PlanGrammar) -> None:
        self.model = model
        self._goals = tuple(model.goals)
        self.reset()

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals that it tells apart."""
        return self._goals

    @property
    def belief(self) -> Belief:
        """The belief now: the goal of a plan under way, or the last that was reached if none is."""
        return self._belief

    @property
    def lost(self) -> float:
        """The share of probability that the beam has dropped so far."""
        return self._session.lost

    @property
    def log_likelihood(self) -> float:
        """How well the player was foreseen; a bound from below where hypotheses were dropped."""
        return self._session.log_likelihood

    @property
    def ignored(self) -> int:
        """How many actions nothing could explain, not even noise; they changed nothing."""
        return self._session.ignored

    def reset(self) -> None:
        """Forget the player."""
        self._session = Session(self.model)
        self._player: str | None = None
        self._time = -math.inf
        self._belief = Belief.of(self._goals, self._session.belief(), ("nothing was seen yet",))

    def observe(self, event: Event) -> Belief:
        """Take in what the player did, and return the new belief."""
        if event.player != self._player or event.time < self._time:
            refuse_disorder(event, self._player, self._time)
        explained = self._session.observe(event.action)
        self._time, self._player = event.time, event.player
        because = f"last seen: {event.action}"
        if not explained:
            because = f"no plan allows {event.action}: it was ignored"
        elif self._session.noise > UNLIKELY:
            because += ", which probably serves no goal"
        self._belief = Belief.of(self._goals, self._session.belief(), (because,))
        return self._belief

    def next_actions(self) -> dict[str, float]:
        """Return how likely each action of the grammar is next, the likeliest first.

        What is missing to 1 is the chance of an action that the grammar does not know.
        """
        return dict(sorted(self._session.next_actions().items(), key=lambda pair: -pair[1]))

    def pursued(self) -> dict[str, float]:
        """Return how many plans there were for each goal so far, on average: reached, or under way."""
        return dict(zip(self._goals, self._session.pursued(), strict=True))

    def partial_plans(self, most: int = 5) -> tuple[PartialPlan, ...]:
        """Return the plans that may be under way, the likeliest first; several may be under way at once."""
        merged: dict[tuple[str, Any], float] = {}
        for each in self._session.hypotheses:
            for plan in each.plans:
                for partial in partial_plans(self.model, plan, each.weight):
                    key = partial.goal, partial.levels
                    merged[key] = merged.get(key, 0.0) + partial.chance
        found = (PartialPlan(goal, chance, levels) for (goal, levels), chance in merged.items())
        return tuple(sorted(found, key=lambda plan: -plan.chance)[:most])

    def why(self, goal: str | None = None, *, most: int = 3) -> PlanReasons:
        """Say which partial plans speak for a goal (the likeliest), and what was left unexplained."""
        goal = goal or self._belief.top
        if goal not in self._goals:
            raise TelosError(f"unknown goal {goal!r}", name_hint(goal, self._goals))
        plans = [plan for plan in self.partial_plans(most=10_000) if plan.goal == goal]
        return PlanReasons(goal, self._belief[goal], tuple(plans[:most]), self._session.noise, self.lost)

    def save(self) -> dict[str, Any]:
        """Return all that it knows about its player as plain data."""
        return {
            "goals": list(self._goals),
            "player": self._player,
            "time": None if self._time == -math.inf else self._time,
            "reasons": list(self._belief.reasons),
            "session": saved_session(self._session),
        }

    @classmethod
    def resume(cls, model: PlanGrammar, saved: Mapping[str, Any]) -> "PlanGrammarReader":
        """Return a reader that goes on exactly where the saved one stopped."""
        reader = cls(model)
        if list(saved["goals"]) != list(model.goals):
            raise TelosError(
                f"the saved belief is about {saved['goals']}, the grammar's goals are {list(model.goals)}",
                "resume it with the grammar that it was made with",
            )
        reader._session = resumed_session(model, saved["session"])
        reader._player = saved["player"]
        reader._time = -math.inf if saved["time"] is None else saved["time"]
        reader._belief = Belief.of(reader._goals, reader._session.belief(), tuple(saved["reasons"]))
        return reader
