"""The game adapts: what the belief about a player says becomes what is paid, and a hint at the right moment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from telos.core.belief import Belief
from telos.core.binding import Bound, bind
from telos.core.conditions import Condition
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.expressions import names
from telos.core.frozen import FrozenMap
from telos.core.state import Layout
from telos.core.values import BOOL, Value
from telos.recognition.director_rules import DirectorRule, checked_rules, director_layout, filled, places
from telos.recognition.pulse import refuse_disorder
from telos.recognition.vocabulary import ADVENTURE, Vocabulary
from telos.recognition.wording import labelled


@dataclass(frozen=True, slots=True)
class Advice:
    """What the game should do from now on: what earnings count by (1 for what is left out), and a line to say now."""

    pay: Mapping[str, float] = FrozenMap()
    hint: str = ""


class _Watched:
    """One rule, since when it holds, and when its line was last said."""

    __slots__ = ("ends", "holds", "is_said", "rule", "said", "since")

    def __init__(self, rule: DirectorRule, layout: Layout) -> None:
        self.rule = rule
        self.holds = _bound(rule.condition, layout)
        self.ends = None if rule.until is None else _bound(rule.until, layout)
        self.forget()

    def forget(self) -> None:
        self.since: float | None = None
        self.said: float | None = None
        self.is_said = False  # since it came into force

    def look(self, values: tuple[Value, ...], now: float) -> None:
        if self.since is None:
            self.since = now if self.holds(values) else None
        elif self.ends(values) if self.ends else not self.holds(values):
            self.since, self.is_said = None, False

    def is_in_force(self, now: float) -> bool:
        return self.since is not None and now - self.since >= self.rule.hold

    def is_due(self, now: float) -> bool:
        """Whether its line is to be said: it came into force, or it still is and enough time has passed."""
        if not self.rule.say or not self.is_in_force(now):
            return False
        again = self.rule.again_after
        if self.said is None or again is None:
            return not self.is_said
        return now - self.said >= again


class Director:
    """Watches one player over a recogniser's shoulder, and says when the game should pay or hint otherwise.

    Rules are judged at every event, by the times of events. Where several in force pay for the same, their factors
    are multiplied; of several lines that are due, one is said at each event, in the order of the rules.

    >>> rules = [DirectorRule("level > 0.9", hold=20, pay={"kill": 0.5}, say="There is little left here.")]
    >>> director = Director(rules, ["level", "town"])
    >>> grinding = Belief({"level": 0.95, "town": 0.05})
    >>> director.advise(Event("swing", time=0), grinding) is None
    True
    >>> director.advise(Event("swing", time=20), grinding)
    Advice(pay={'kill': 0.5}, hint='There is little left here.')
    """

    def __init__(
        self, rules: Sequence[DirectorRule], goals: Sequence[str], *, vocabulary: Vocabulary = ADVENTURE
    ) -> None:
        self.goals = tuple(goals)
        self.rules = checked_rules(rules, vocabulary, self.goals) or ()
        self._layout = director_layout(vocabulary, self.goals)
        self._read = _names_read(self.rules, self._layout)
        self._watched = [_Watched(rule, self._layout) for rule in self.rules]
        self.reset()

    @property
    def pay(self) -> Mapping[str, float]:
        """Return what earnings count by now; 1 for what is left out."""
        return self._pay

    def reset(self) -> None:
        """Forget the player."""
        self._pay: FrozenMap[str, float] = FrozenMap()
        self._player: str | None = None
        self._time = float("-inf")
        for watched in self._watched:
            watched.forget()

    def advise(self, event: Event, belief: Belief) -> Advice | None:
        """Take in an event and what is believed after it; return what is new, or None if the game goes on as it is."""
        refuse_disorder(event, self._player, self._time)
        values = self._values(event, belief)
        self._player, self._time = event.player, event.time
        for watched in self._watched:
            watched.look(values, event.time)
        before, self._pay = self._pay, self._factors()
        hint = self._hint(values)
        return Advice(self._pay, hint) if hint or self._pay != before else None

    def why(self) -> str:
        """Say of every rule whether it is in force, and since when."""
        return "\n".join(self._said(watched) for watched in self._watched)

    def save(self) -> dict[str, Any]:
        """Return all that it knows about its player as plain data."""
        return {
            "player": self._player,
            "time": None if self._player is None else self._time,
            "rules": [[each.since, each.said, each.is_said] for each in self._watched],
        }

    def restore(self, data: Mapping[str, Any]) -> None:
        """Go on exactly where the saved one stopped; it must have had the same rules."""
        if len(data["rules"]) != len(self._watched):
            raise TelosError(
                f"this was saved with {len(data['rules'])} rules, not {len(self._watched)}",
                "restore it with the rules that it was made with",
            )
        self.reset()
        self._player = data["player"]
        self._time = float("-inf") if data["time"] is None else data["time"]
        for watched, (since, said, is_said) in zip(self._watched, data["rules"], strict=True):
            watched.since, watched.said, watched.is_said = since, said, is_said
        self._pay = self._factors()

    def _values(self, event: Event, belief: Belief) -> tuple[Value, ...]:
        missing = [goal for goal in self.goals if goal in self._read and goal not in belief]
        if missing:
            raise TelosError(
                f"the rules ask how likely {missing[0]!r} is, and the belief is about {', '.join(belief)}",
                "direct with the model that the rules stand in",
            )
        told: dict[str, Value] = {**belief, **event.context, "action": event.action, "goal": event.goal}
        return tuple(
            told.get(variable.name, variable.start) if variable.name in self._read else variable.start
            for variable in self._layout.variables
        )

    def _factors(self) -> FrozenMap[str, float]:
        found: dict[str, float] = {}
        for watched in self._watched:
            if watched.is_in_force(self._time):
                for what, factor in watched.rule.pay.items():
                    found[what] = found.get(what, 1.0) * factor
        return FrozenMap(found)

    def _hint(self, values: tuple[Value, ...]) -> str:
        for watched in self._watched:
            if not watched.is_due(self._time):
                continue
            words = {name: self._word(name, values) for name in places(watched.rule.say)}
            if all(words.values()):  # a way that is not there cannot be pointed out
                watched.said, watched.is_said = self._time, True
                return filled(watched.rule.say, words)
        return ""

    def _word(self, name: str, values: tuple[Value, ...]) -> str:
        value = values[self._layout.slot(name)]
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, tuple | list):
            return " or ".join(map(str, value))
        if isinstance(value, float):
            return f"{value:.0%}" if name in self.goals else f"{value:g}"
        return "" if value is None else str(value)

    def _said(self, watched: _Watched) -> str:
        rule = watched.rule
        what = f"`{rule.condition}`" + (f" for {rule.hold:g} s" if rule.hold else "")
        if watched.since is None:
            return f"{what}: does not hold"
        if not watched.is_in_force(self._time):
            return f"{what}: holds since {watched.since:g} s, for {self._time - watched.since:g} s so far"
        pays = [f"{name} counts {factor:g}" for name, factor in rule.pay.items()]
        told = [] if watched.said is None else [f"said at {watched.said:g} s"]
        return "; ".join([f"{what}: in force, holds since {watched.since:g} s", *pays, *told])


def director_of(model: object) -> Director | None:
    """Return a new director for one player by the rules of a model; None if it has none.

    >>> from telos.recognition.files.front import named_model
    >>> director_of(named_model("flairs")) is None
    True
    """
    rules: Sequence[DirectorRule] | None = getattr(model, "director", None)
    if not rules:
        return None
    return Director(rules, model.goals, vocabulary=model.vocabulary)  # type: ignore[attr-defined]


def _bound(condition: Condition, layout: Layout) -> Bound:
    return bind(labelled(condition.expression, layout), layout, BOOL)


def _names_read(rules: Sequence[DirectorRule], layout: Layout) -> frozenset[str]:
    """Return what the rules read: the rest is not looked at, so that it costs nothing."""
    asked = (names(labelled(each.expression, layout)) for rule in rules for each in rule.conditions)
    return frozenset().union(*asked, *(places(rule.say) for rule in rules))
