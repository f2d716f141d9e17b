"""Reading a player by planning: who is after a goal does what brings it nearer, and little else.

No training, and no library of plans: the domain that characters plan with is all there is. A goal is believed in by how
much dearer than the cheapest way there the player's own way is. After Ramírez & Geffner (2009, 2010), online.
"""

import math
import time
from collections.abc import Mapping
from typing import Any

from telos.core.action import Action
from telos.core.belief import Belief
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.plan import Answer, NoPlan, Stop
from telos.core.state import State
from telos.core.trace import Trace, silent
from telos.core.values import Value
from telos.recognition.by_planning_deeds import Deed, changed, cost_of, needs_of
from telos.recognition.by_planning_model import Options, PlanModel
from telos.recognition.by_planning_pursuit import Pursuit, ask, plain
from telos.recognition.by_planning_why import Notes, PlanReasons, reasons
from telos.recognition.pulse import refuse_disorder
from telos.recognition.records import Ignored, Weighed

__all__ = ["Options", "PlanModel", "PlanReader"]


class PlanReader:
    """Keeps the belief about one player: prior x exp(-wasted / temperature), for every goal.

    What is wasted on a goal is the cost of what was done so far, and of the cheapest way on from here, less that of the
    cheapest way from the start. An event's context may state variables of the domain as they were before the action.

    >>> from telos.core.action import Action
    >>> from telos.core.domain import Domain
    >>> from telos.core.goal import Goal
    >>> from telos.core.values import Variable
    >>> street = Domain(
    ...     variables=[Variable("x", "int")],
    ...     actions=[Action("left", effects="x -= 1"), Action("right", effects="x += 1")],
    ...     goals=[Goal("shop", wants="x == -3"), Goal("school", wants="x == 3")],
    ... )
    >>> reader = PlanReader(PlanModel(street))
    >>> reader.observe(Event("right"))
    Belief(shop=0.119, school=0.881)
    """

    def __init__(self, model: PlanModel, *, trace: Trace = silent) -> None:
        self.model = model
        self._trace = trace
        self.reset()

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals that it tells apart."""
        return self.model.goals

    @property
    def belief(self) -> Belief:
        """The belief now."""
        return self._belief

    @property
    def state(self) -> State:
        """Where the player is by now, as far as can be told."""
        return self._state

    @property
    def spent(self) -> float:
        """What the player has spent so far, with what was not seen but must have been done."""
        return self._spent

    @property
    def wasted(self) -> dict[str, float]:
        """What of the player's way so far was no use, for each goal; for one that was not worked out, at least that."""
        return {goal: self._pursuit(k).wasted for k, goal in enumerate(self.goals)}

    def reset(self) -> None:
        """Forget the player, and start where the model says."""
        model = self.model
        self._state = model.start
        self._relevant = (True,) * len(model.goals)
        self._weigh_up(model.start)
        self._pursuits = {k: Pursuit(model.wanted[k], model.matters[k]) for k in set(model.same)}
        self._player: str | None = None
        self._time = -math.inf
        self._spent = 0.0
        self.updates = 0
        self.ignored = 0  # events that nothing explains
        self.searches = 0
        self._settle(self._deadline())
        self._believe(Notes("nothing was seen yet"))

    def observe(self, event: Event) -> Belief:
        """Take in what the player did, and return the new belief."""
        if event.player != self._player or event.time < self._time:
            refuse_disorder(event, self._player, self._time)
        model = self.model
        deed = model.deeds.of(event, self._state)
        told = changed(self._state, model.deeds.told(event, deed))
        here = self._state.replace(told) if told else self._state
        self._time, self._player = event.time, event.player
        deadline = self._deadline()
        if told:
            self._shift(here, told, deadline)
        notes = Notes(f"last seen: {event.action}")
        if deed is not None:
            self.updates += 1
            self._fade()
            notes = self._follow(deed, notes, deadline)
            self._settle(deadline)
        if event.goal is not None:
            self._begin_again()
            notes = notes.adding(f"{event.goal} was achieved, so what came before says no more")
        self._believe(notes)
        if self._trace is not silent:
            record = Ignored(event.time, event.player, event.action) if notes.is_noise else None
            self._trace(record or Weighed(event.time, event.player, event.action, self._chances))
        return self._belief

    def why(self, goal: str | None = None, over: str | None = None) -> PlanReasons:
        """Say what was wasted on a goal (the likeliest) and on another (the next), and what would still be to do."""
        pursuits = {name: self._pursuit(k) for k, name in enumerate(self.goals)}
        return reasons(self._belief, pursuits, goal, over)

    def save(self) -> dict[str, Any]:
        """Return all that it knows about its player as plain data, if the handles in play are."""
        return {
            "goals": list(self.goals),
            "player": self._player,
            "time": None if self._time == -math.inf else self._time,
            "state": list(self._state.array),
            "before": list(self._before.array),
            "spent": self._spent,
            "updates": self.updates,
            "ignored": self.ignored,
            "searches": self.searches,
            "notes": self._notes.save(),
            "pursuits": [self._pursuits[k].save() for k in sorted(self._pursuits)],
        }

    @classmethod
    def resume(cls, model: PlanModel, saved: Mapping[str, Any], *, trace: Trace = silent) -> "PlanReader":
        """Return a reader that goes on exactly where the saved one stopped."""
        reader = cls(model, trace=trace)
        if list(saved.get("goals", ())) != list(model.goals):
            raise TelosError(
                f"the saved belief is about {saved.get('goals')}, the model's goals are {list(model.goals)}",
                "resume it with the model that it was made with",
            )
        reader._player = saved["player"]
        reader._time = -math.inf if saved["time"] is None else saved["time"]
        reader._state = State(model.domain.layout, plain(saved["state"]))
        reader._weigh_up(State(model.domain.layout, plain(saved["before"])))
        reader._spent, reader.updates = saved["spent"], saved["updates"]
        reader.ignored, reader.searches = saved["ignored"], saved["searches"]
        for k, each in zip(sorted(reader._pursuits), saved["pursuits"], strict=True):
            reader._pursuits[k].restore(each, model.deeds)
        reader._believe(Notes.of(saved["notes"]))
        return reader

    def _pursuit(self, goal: int) -> Pursuit:
        return self._pursuits[self.model.same[goal]]

    def _deadline(self) -> float | None:
        budget = self.model.microseconds
        return None if budget is None else time.perf_counter() + budget / 1e6

    def _shift(self, here: State, told: Mapping[str, Value], deadline: float | None) -> None:
        """Go to where the game says that things are."""
        for each in self._pursuits.values():
            each.shift(told, luck=self.model.luck)
        self._state = here
        if self.model.luck:  # what the next action costs a goal is measured from here
            self._settle(deadline)

    def _fade(self) -> None:
        if self.model.keeps < 1.0:
            for each in self._pursuits.values():
                each.wasted *= self.model.keeps

    def _begin_again(self) -> None:
        for each in self._pursuits.values():
            each.begin_again(forgets=not self.model.luck)

    def _follow(self, deed: Deed, notes: Notes, deadline: float | None) -> Notes:
        """Do what the player did, after whatever must have come before it."""
        self._weigh_up(self._state)
        if deed.action.is_possible(self._state):
            self._do(deed.action)
            return notes
        if self.model.sees_all:
            self._spend_in_vain(deed)
            return notes.adding(f"{deed.action} was tried in vain: {deed.needs.wants} did not hold")
        unseen = self._before_it(deed, deadline)
        if isinstance(unseen, NoPlan):
            self.ignored += 1
            why = "there was no time to explain" if unseen.stop is Stop.BUDGET_SPENT else "nothing explains"
            said = f"{why} {deed.action}: {deed.needs.wants} does not hold; it was ignored"
            return notes.adding(said, is_noise=True)
        for step in unseen.steps:
            self._do(step)
        self._do(deed.action)
        return notes.adding(f"not seen, but done before it: {', '.join(map(str, unseen.steps))}")

    def _before_it(self, deed: Deed, deadline: float | None) -> Answer:
        """Return the cheapest that makes a deed possible; it must have been done, and was not seen."""
        left = None if deadline is None else max(1.0, (deadline - time.perf_counter()) * 1e6)
        # Handles that it speaks of come first among those in play, so that they have the same numbers every time.
        needs, handles = needs_of(deed, self._state, self.model.fixed)
        planner, budget = self.model.planner, self.model.budget
        return planner.plan(self._state, needs, budget=budget, microseconds=left, handles=handles)

    def _do(self, action: Action) -> None:
        cost = cost_of(action, self._state)
        self._state = action.result(self._state)
        self._spent += cost
        for each in self._pursuits.values():
            each.follow(action, cost, self._state)

    def _spend_in_vain(self, deed: Deed) -> None:
        cost = cost_of(deed.action, self._state)
        self._spent += cost
        for each in self._pursuits.values():
            each.waste(cost)

    def _settle(self, deadline: float | None) -> None:
        """Plan for the goals whose cost could still make a difference, as long as there is time."""
        model, tried = self.model, set[int]()
        while (goal := self._next(tried)) is not None:
            pursuit = self._pursuits[goal]
            if deadline is not None and time.perf_counter() >= deadline:
                pursuit.is_dear = True
            else:
                self.searches += 1
                view = model.view(goal, self._state)
                answer = ask(model.planner, view, pursuit.goal, model.budget, deadline, keeps=not model.asks)
                pursuit.settle(answer, self._spent)
            tried.add(goal)

    def _next(self, tried: set[int]) -> int | None:
        """Return the goal to plan for next: the likeliest that is open, but those that got nowhere the last time last.

        What is wasted only ever grows, so a goal's weight so far bounds what it can still come to: once the open ones
        together are too light to matter, none of them is planned for.
        """
        still = [k for k, each in self._pursuits.items() if not each.is_known and k not in tried]
        if not still:
            return None
        weights = dict.fromkeys(self._pursuits, 0.0)
        for k, weight in enumerate(self._weights()):
            weights[self.model.same[k]] += weight
        if self.model.luck:
            known = sum(weights[k] for k, each in self._pursuits.items() if each.is_known)
            if sum(weights[k] for k in still) <= self.model.tolerance * known:
                return None
        return min(still, key=lambda k: (self._pursuits[k].is_dear, -weights[k]))

    def _weights(self) -> list[float]:
        """Return what each goal weighs, the heaviest 1; nothing for one that is out of reach."""
        model = self.model
        logs = [
            log_prior - self._pursuits[same].wasted / model.temperature
            for log_prior, same in zip(model.log_prior, model.same, strict=True)
        ]
        thinkable = [
            not self._pursuits[same].is_out_of_reach and is_relevant
            for same, is_relevant in zip(model.same, self._relevant, strict=True)
        ]
        if not any(thinkable):  # then nothing is known about any of them, but what each has cost
            thinkable = [True] * len(logs)
        peak = max(log for log, can_be in zip(logs, thinkable, strict=True) if can_be)
        return [math.exp(log - peak) if can_be else 0.0 for log, can_be in zip(logs, thinkable, strict=True)]

    def _weigh_up(self, state: State) -> None:
        """Note which goals are relevant where the player decides what to do next."""
        self._before = state
        if self.model.relevance:
            self._relevant = tuple(goal.relevant.holds(state) for goal in self.model.wanted)

    def _believe(self, notes: Notes) -> None:
        weights = self._weights()
        total = math.fsum(weights)
        self._chances = tuple(weight / total for weight in weights)
        self._notes = notes
        self._belief = Belief.of(self.goals, self._chances, notes.lines(self.model, self._pursuits))
