"""Any model of goals that exclude one another, read goal by goal: a chain of two states, pursued or not, for each.

``attribute_action`` says which goal the last action serves, for these chains and for those of Markov logic.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.files.snapshots import SNAPSHOT_FORMAT, Chance, Items, check_length, read_snapshot
from telos.recognition.filtering import EventGate, GateSnapshot, Trainable, check_event_order
from telos.recognition.recognizer import GoalModel, ModelReader, PlayerSnapshot, check_saved_goals, saved_time

NONE = "none"  # what an action serves if it serves no goal


# --- which goal an action serves --------------------------------------------------------------------------------------


class ChainUpdate(NamedTuple):
    """One chain at the last event: the chance that the goal was pursued before its evidence, and after it."""

    before: float
    after: float

    @property
    def ratio(self) -> float:
        """How much likelier the event is if the goal is pursued than if it is not."""
        lost, won = self.after * (1.0 - self.before), self.before * (1.0 - self.after)
        return lost / won if won > 0.0 else math.inf if lost > 0.0 else 1.0


def attribute_action(updates: Mapping[str, ChainUpdate]) -> Belief:
    """Return which goal the last action serves, or ``none``: these exclude one another, and sum to 1.

    A goal that was pursued before, and makes the action likelier than it is without, claims it by the product of both;
    *none* claims it by the chance that nothing was pursued.

    >>> found = attribute_action({"cook": ChainUpdate(0.5, 0.9), "nurse": ChainUpdate(0.5, 0.1)})
    >>> found.top, round(found["cook"], 3), round(found["none"], 3)
    ('cook', 0.936, 0.052)
    """
    claims = {goal: each.before * each.ratio for goal, each in updates.items()}
    if any(math.isinf(claim) for claim in claims.values()):
        claims = {goal: float(math.isinf(claim)) for goal, claim in claims.items()}
        claims[NONE] = 0.0
    else:
        claims[NONE] = math.prod(1.0 - each.before for each in updates.values())
    total = math.fsum(claims.values())
    if not total > 0.0:
        claims, total = {goal: float(goal == NONE) for goal in claims}, 1.0
    return Belief.of(tuple(claims), tuple(claim / total for claim in claims.values()))


# --- any model of goals that exclude one another ----------------------------------------------------------------------


class ConcurrentGoalModel:
    """A model of goals that exclude one another, read as if they did not: each goal by itself.

    For the chain of one goal, the chance to stay is that of the model, and the chance to begin and the likelihood of
    what is seen without the goal are means over the other goals. ``source`` is the file that ``model`` was read from.
    """

    is_concurrent = True

    def __init__(self, model: GoalModel, *, name: str = "", source: str = "") -> None:
        if not hasattr(model, "evidence"):
            raise TelosError(f"{model!r} has no chances of what is seen under each goal", "take an FFBM or an IOHMM")
        if len(model.goals) < 2:
            raise TelosError("a model with one goal has no other goals to compare it with", "add a goal")
        self.model, self.name, self.source = model, name, source
        self.goals = tuple(model.goals)

    def __repr__(self) -> str:
        return f"ConcurrentGoalModel({self.name or '/'.join(self.goals)})"


class ConcurrentSnapshot(PlayerSnapshot):
    """The data of a saved ``ConcurrentReader``."""

    goals: Items[str]
    chances: Items[Chance]
    before: Items[Chance]
    reasons: Items[str]
    pulse: GateSnapshot
    lessons: GateSnapshot


class ConcurrentReader(ModelReader[ConcurrentGoalModel]):
    """A recogniser: a chain of two states for each goal, filtered forward; the belief need not sum to 1."""

    def __init__(self, model: ConcurrentGoalModel) -> None:
        self.model = model
        self._gate, self._lesson_gate = EventGate(model.model), EventGate(model.model)
        self.reset()

    @property
    def serves(self) -> Belief:
        """Which goal the last action serves, or ``none``; these exclude one another."""
        return attribute_action(
            {goal: ChainUpdate(*each) for goal, *each in zip(self.goals, self._before, self._chances, strict=True)}
        )

    def reset(self) -> None:
        """Return to the prior of the model."""
        self._player: str | None = None
        self._time = -math.inf
        self._gate.reset()
        self._lesson_gate.reset()
        self._chances = self._before = tuple(self.model.model.prior)
        self._belief = self._combine(("nothing was seen yet",))

    def observe(self, event: Event) -> Belief:
        """Update the belief with an event, and return it."""
        check_event_order(event, self._player, self._time)
        evidence = self._gate.evidence(event)
        self._time, self._player = event.time, event.player
        if evidence is None:
            return self._belief
        count = len(self.goals)
        before, after = [], []
        for i, chance in enumerate(self._chances):
            begins = sum(evidence.transition[j][i] for j in range(count) if j != i) / (count - 1)
            without = sum(evidence.likelihood[j] for j in range(count) if j != i) / (count - 1)
            known = min(1.0, chance * evidence.transition[i][i] + (1.0 - chance) * begins)  # rounding
            pursued, other = known * evidence.likelihood[i], (1.0 - known) * without
            before.append(known)
            after.append(pursued / (pursued + other) if pursued + other > 0.0 else known)
        self._before, self._chances = tuple(before), tuple(after)
        self._belief = self._combine((f"last seen: {evidence.seen}",))
        return self._belief

    def _combine(self, because: Sequence[str]) -> Belief:
        return Belief.concurrent(dict(zip(self.goals, self._chances, strict=True)), because=because)

    def learn(self, event: Event, *goals: str) -> None:
        """Train the model on an event of a player who pursued these goals: it counts for each; none counts nothing."""
        model = self.model.model
        if not isinstance(model, Trainable):
            raise TelosError(f"{model!r} cannot be trained", "use a model that learns, such as an IOHMM")
        for goal in goals:
            if goal not in self.goals:
                raise TelosError(f"unknown goal {goal!r}", name_hint(goal, self.goals))
        counted = self._lesson_gate.admit(event)
        if counted is None:
            return
        for goal in dict.fromkeys(goals):
            model.learn(counted, goal)

    def why(self) -> str:
        """Return what the last event adds to each goal, in words."""
        lines = []
        for goal, before, after in zip(self.goals, self._before, self._chances, strict=True):
            lines.append(f"{goal}: {before:.0%} before what was seen last, {after:.0%} after it")
        return "\n".join(lines)

    def save(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return {
            "format": SNAPSHOT_FORMAT,
            "goals": list(self.goals),
            "player": self._player,
            "time": None if self._time == -math.inf else self._time,
            "chances": list(self._chances),
            "before": list(self._before),
            "reasons": list(self._belief.reasons),
            "pulse": self._gate.save(),
            "lessons": self._lesson_gate.save(),
        }

    @classmethod
    def resume(cls, model: ConcurrentGoalModel, saved: Mapping[str, Any]) -> "ConcurrentReader":
        """Return a reader that continues from a saved state."""
        read = read_snapshot(ConcurrentSnapshot, saved, of="reader")
        check_saved_goals("reader", read.goals, model.goals)
        check_length("reader", "chances", read.chances, len(model.goals))
        check_length("reader", "before", read.before, len(model.goals))
        reader, last = cls(model), saved_time("reader", read)
        for gate, name, each in ((reader._gate, "pulse", read.pulse), (reader._lesson_gate, "lessons", read.lessons)):
            gate.check(each, "reader", (name,), last if name == "pulse" else math.inf)
            gate.continue_from(each)
        reader._time, reader._player = last, read.player
        reader._chances, reader._before = tuple(read.chances), tuple(read.before)
        reader._belief = reader._combine(read.reasons)
        return reader
