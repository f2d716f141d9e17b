"""The director: rules that adapt a game (pay, hints) to the belief about its player.

Start with ``create_director``; ``DirectorRule`` is one rule, ``Director`` applies all of them to one player.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from telos.core.belief import Belief
from telos.core.conditions import Condition, ConditionLike
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.event import Event
from telos.core.expressions import (
    Arithmetic,
    Bound,
    Expression,
    Name,
    Scope,
    bind,
    check_expression,
    names_in,
    parse_expression,
    to_text,
    walk,
)
from telos.core.expressions.ranges import Range, Ranges, evaluate, ranges_of
from telos.core.state import Layout
from telos.core.values import BOOL, KEYWORDS, NUMBER, VARIABLE_NAME, FrozenMap, Value, Variable, check_not_negative
from telos.files.snapshots import SNAPSHOT_FORMAT, Finite, Items, Row, read_snapshot, snapshot_error
from telos.recognition.filtering import check_event_order
from telos.recognition.recognizer import PlayerSnapshot, saved_time
from telos.recognition.vocabulary import ADVENTURE, BELIEF, Vocabulary, resolve_labels

# --- rules ------------------------------------------------------------------------------------------------------------

ADVENTURE_EARNINGS = ("kill", "gem", "chest")  # what players earn experience for in the adventure
ALL_EARNINGS = "all"  # in place of the name of an earning: whatever is earned
MAX_FACTOR = 1000  # so that products of factors do not overflow
FACTOR_DIGITS = 2  # of a factor that a formula gives: a game need not hear of smaller changes
_ROUNDING = 1e-9  # intervals are a little wider than the numbers in them
_PLACE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True, init=False)
class DirectorRule:
    """After ``condition`` has held for ``hold`` seconds, ``pay`` multiplies earnings and the line ``say`` is shown.

    A factor of ``pay`` is a number, or a formula over the belief and the event, such as ``1 - 0.8 * belief.level``:
    what is earned then follows the certainty, in hundredths. A factor alone, or under ``all``, is for all earnings.

    Beliefs fluctuate: with ``until``, a rule that has started stays active until that condition holds. ``say`` is shown
    when the rule becomes active, and again every ``again_after`` seconds while it is. A name in braces is replaced by a
    context entry or by the chance of a goal; the line waits while the value is empty.

    >>> DirectorRule("level > 0.9", hold=20, pay={"kill": 0.5}).pay["kill"]
    0.5
    """

    condition: Condition
    until: Condition | None
    hold: float
    pay: FrozenMap[str, float | Expression]
    say: str
    again_after: float | None

    def __init__(
        self,
        condition: ConditionLike,
        *,
        until: ConditionLike = None,
        hold: float = 0.0,
        pay: Mapping[str, float | str | Expression] | float | str | Expression | None = None,
        say: str = "",
        again_after: float | None = None,
    ) -> None:
        factors = dict(pay) if isinstance(pay, Mapping) else {} if pay is None else {ALL_EARNINGS: pay}
        if not factors and not say:
            raise TelosError("a rule without pay and say has no effect", "give it pay or say")
        if again_after is not None and not say:
            raise TelosError("again_after needs a line to say", "give it say")
        object.__setattr__(self, "condition", Condition.of(condition))
        object.__setattr__(self, "until", None if until is None else Condition.of(until))
        object.__setattr__(self, "hold", check_not_negative("how long a rule must hold", hold))
        read = {what: _read_factor(what, factor) for what, factor in factors.items()}
        object.__setattr__(self, "pay", FrozenMap(read))
        object.__setattr__(self, "say", say)
        object.__setattr__(
            self, "again_after", None if again_after is None else check_not_negative("again_after", again_after)
        )

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Return the conditions that it asks."""
        return (self.condition,) if self.until is None else (self.condition, self.until)


def _read_factor(what: str, factor: float | str | Expression) -> float | Expression:
    if isinstance(factor, str):
        return parse_expression(factor)
    return factor if isinstance(factor, Expression) else check_not_negative(f"what {what!r} counts by", factor)


def director_layout(vocabulary: Vocabulary, goals: Sequence[str]) -> Layout:
    """Return the variables of a rule: those of events, and the chance of each goal by its name, or as `belief.goal`.

    >>> director_layout(ADVENTURE, ["level", "town"]).slots["town"] > 0
    True
    """
    told = vocabulary.variables(goals)
    taken = {variable.name for variable in told}
    named = [goal for goal in goals if _is_identifier(goal)]
    chances = [Variable(goal, "number") for goal in named if goal not in taken]
    return Layout([*told, *chances, *(Variable(BELIEF + goal, "number") for goal in named)])


def director_faults(condition: Condition, vocabulary: Vocabulary, goals: Sequence[str]) -> list[Fault]:
    """Return everything wrong with a condition over a belief and an event.

    >>> print(*director_faults(Condition.of("levl > 0.9"), ADVENTURE, ["level", "town"]))
    unknown variable 'levl' in `levl > 0.9`; did you mean 'level'?
    """
    layout = director_layout(vocabulary, goals)
    expression = resolve_labels(condition.expression, layout)
    found = check_expression(expression, Scope(layout), BOOL)
    for node in walk(expression):
        if isinstance(node, Name) and node.name in goals and node.name in vocabulary.context:
            remedy = "give the goal another name"
            found.append(
                Fault(
                    f"{node.name!r} is a goal and a name of the context",
                    "",
                    remedy,
                    offset=node.column,
                    code=FaultCode.CONFLICT,
                )
            )
    return [replace(fault, text=str(condition)) for fault in found]


def formula_faults(formula: Expression, vocabulary: Vocabulary, goals: Sequence[str]) -> list[Fault]:
    """Return everything wrong with a formula of pay: it is a number from 0 to 1000 whatever is believed.

    >>> print(*formula_faults(parse_expression("1 - 2 * belief.level"), ADVENTURE, ["level", "town"]))
    `1 - 2 * belief.level` can be -1, and nothing is paid less than 0; write `max(0, 1 - 2 * belief.level)`
    """
    layout = director_layout(vocabulary, goals)
    found = check_expression(formula, Scope(layout), NUMBER)
    text = to_text(formula)
    if found:
        return [replace(fault, text=text) for fault in found]
    chances = {name: Range(0.0, 1.0) for goal in goals for name in (goal, BELIEF + goal) if name in layout.slots}
    ranges = {**ranges_of(layout), **chances}
    divisor = next(_find_zero_divisors(formula, ranges), None)
    if divisor is not None:
        message, remedy = f"divides by `{divisor}`, which can be 0", f"write `max(0.01, {divisor})`"
        return [Fault(f"`{text}` {message}", suggestion=remedy, code=FaultCode.OUT_OF_RANGE)]
    values = evaluate(formula, ranges)
    lowest, highest = (values.lowest, values.highest) if isinstance(values, Range) else (-math.inf, math.inf)
    if lowest < -_ROUNDING:
        least = "any number" if lowest == -math.inf else f"{lowest:g}"
        message, remedy = f"can be {least}, and nothing is paid less than 0", f"write `max(0, {text})`"
        return [Fault(f"`{text}` {message}", suggestion=remedy, code=FaultCode.OUT_OF_RANGE)]
    if highest > MAX_FACTOR:
        most = "any number" if highest == math.inf else f"{highest:g}"
        message, remedy = f"can be {most}, and at most {MAX_FACTOR} is paid", f"write `min({MAX_FACTOR}, {text})`"
        return [Fault(f"`{text}` {message}", suggestion=remedy, code=FaultCode.OUT_OF_RANGE)]
    return []


def _find_zero_divisors(formula: Expression, ranges: Ranges) -> Iterator[str]:
    for node in walk(formula):
        if isinstance(node, Arithmetic) and node.operator not in ("+", "-", "*"):
            divisor = evaluate(node.right, ranges)
            if not isinstance(divisor, Range) or divisor.lowest <= 0 <= divisor.highest:
                yield to_text(node.right)


def find_placeholders(say: str) -> tuple[str, ...]:
    """Return the names in braces.

    >>> find_placeholders("Nobody has been {unvisited_exits} of {area}.")
    ('unvisited_exits', 'area')
    """
    return tuple(_PLACE.findall(say))


def fill_placeholders(say: str, words: Mapping[str, str]) -> str:
    """Return a line with every name in braces replaced.

    >>> fill_placeholders("Go {way}.", {"way": "north or east"})
    'Go north or east.'
    """
    return _PLACE.sub(lambda match: words[match[1]], say)


def say_faults(say: str, vocabulary: Vocabulary, goals: Sequence[str]) -> list[Fault]:
    """Return everything wrong with a line to say.

    >>> print(*say_faults("Go {unvisited_exit}.", ADVENTURE, ["level"]))
    nothing is called 'unvisited_exit' in `{unvisited_exit}`; did you mean 'unvisited_exits'?
    """
    known = director_layout(vocabulary, goals).slots
    found = []
    for match in _PLACE.finditer(say):
        if match[1] not in known:
            message, remedy = f"nothing is called {match[1]!r}", name_hint(match[1], known)
            found.append(Fault(message, match[0], remedy, offset=match.start(), code=FaultCode.UNKNOWN_NAME))
    if "{" in _PLACE.sub("", say) or "}" in _PLACE.sub("", say):
        found.append(
            Fault("a brace has no partner", say, "write names in braces, as in `{area}`", code=FaultCode.BAD_SYNTAX)
        )
    return found


def pay_faults(pay: Iterable[str], vocabulary: Vocabulary) -> list[Fault]:
    """Return a fault for each unknown earning of the adventure; earnings of other games are not checked.

    >>> print(*pay_faults(["kil"], ADVENTURE))
    kil: nothing is earned by 'kil'; did you mean 'kill'?
    """
    if vocabulary.context != ADVENTURE.context:
        return []
    known = (*ADVENTURE_EARNINGS, ALL_EARNINGS)
    return [
        Fault(
            f"nothing is earned by {what!r}",
            suggestion=name_hint(what, known),
            path=(what,),
            code=FaultCode.UNKNOWN_NAME,
        )
        for what in pay
        if what not in known
    ]


def director_conditions(rules: Iterable[DirectorRule] | None) -> list[Condition]:
    """Return the conditions of some rules."""
    return [condition for rule in rules or () for condition in rule.conditions]


def director_formulas(rules: Iterable[DirectorRule] | None) -> list[Expression]:
    """Return the formulas of pay of some rules."""
    return [factor for rule in rules or () for factor in rule.pay.values() if not isinstance(factor, float)]


def check_rules(
    rules: Iterable[DirectorRule] | None, vocabulary: Vocabulary, goals: Sequence[str]
) -> tuple[DirectorRule, ...] | None:
    """Return the rules of a model (None if there are none); raise their faults for this vocabulary and these goals."""
    found = tuple(rules or ())
    faults = [
        fault.at("director", number)
        for number, rule in enumerate(found)
        for fault in (
            *(fault for each in rule.conditions for fault in director_faults(each, vocabulary, goals)),
            *say_faults(rule.say, vocabulary, goals),
            *pay_faults(rule.pay, vocabulary),
            *(
                fault.at("pay", what)
                for what, factor in rule.pay.items()
                if not isinstance(factor, float)
                for fault in formula_faults(factor, vocabulary, goals)
            ),
        )
    ]
    if faults:
        raise DefinitionError(faults)
    return found or None


def _is_identifier(goal: str) -> bool:
    return bool(VARIABLE_NAME.match(goal)) and goal not in KEYWORDS


# --- director ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Advice:
    """What the game should do now: factors for earnings (1 for those left out), and a line to show.

    Under ``all`` stands a factor for whatever is earned, if the director does not know what there is to earn.

    >>> Advice(FrozenMap({"all": 0.5, "kill": 0.5})).factor("kill"), Advice().factor("kill")
    (0.25, 1.0)
    """

    pay: Mapping[str, float] = FrozenMap()
    hint: str = ""

    def factor(self, what: str) -> float:
        """Return what an earning counts by."""
        return self.pay.get(what, 1.0) * self.pay.get(ALL_EARNINGS, 1.0)


class _RuleState:
    """The state of one rule: since when it holds, and when its line was last shown."""

    __slots__ = ("ends", "factors", "formulas", "holds", "is_said", "rule", "said", "since")

    def __init__(self, rule: DirectorRule, layout: Layout) -> None:
        self.rule = rule
        self.holds = _bound(rule.condition, layout)
        self.ends = None if rule.until is None else _bound(rule.until, layout)
        self.formulas = {
            what: bind(factor, layout, NUMBER) for what, factor in rule.pay.items() if not isinstance(factor, float)
        }
        self.forget()

    def forget(self) -> None:
        self.since: float | None = None
        self.said: float | None = None
        self.is_said = False  # since the rule became active
        self.factors = {what: factor if isinstance(factor, float) else 1.0 for what, factor in self.rule.pay.items()}

    def update(self, values: tuple[Value, ...], now: float) -> None:
        if self.since is None:
            self.since = now if self.holds(values) else None
        elif self.ends(values) if self.ends else not self.holds(values):
            self.since, self.is_said = None, False
        for what, formula in self.formulas.items():
            self.factors[what] = round(max(0.0, float(formula(values))), FACTOR_DIGITS)

    def is_active(self, now: float) -> bool:
        return self.since is not None and now - self.since >= self.rule.hold

    def is_due(self, now: float) -> bool:
        """Whether its line is due: the rule became active, or it still is after ``again_after`` seconds."""
        if not self.rule.say or not self.is_active(now):
            return False
        again = self.rule.again_after
        if self.said is None or again is None:
            return not self.is_said
        return now - self.said >= again


_SavedFactor: TypeAlias = Annotated[float, Field(ge=0, le=MAX_FACTOR)]


class DirectorSnapshot(PlayerSnapshot):
    """The data of a saved ``Director``: for each rule since when it holds, when its line was shown, and whether."""

    rules: Items[Row[tuple[Finite | None, Finite | None, bool]]]
    factors: Items[dict[str, _SavedFactor]] = Field(default_factory=list)  # of formulas, if there are any


class Director:
    """Applies rules to the belief about one player, and advises the game on pay and hints.

    Rules are evaluated at every event, with the times of events. Factors of several active rules are multiplied; of
    several lines that are due, one is shown per event, in the order of the rules. ``earnings`` are the kinds of
    earnings that ``all`` stands for; those of the adventure are known.

    >>> rules = [DirectorRule("level > 0.9", hold=20, pay={"kill": 0.5}, say="There is little left here.")]
    >>> director = Director(rules, ["level", "town"])
    >>> grinding = Belief({"level": 0.95, "town": 0.05})
    >>> director.advise(Event("swing", time=0), grinding) is None
    True
    >>> director.advise(Event("swing", time=20), grinding)
    Advice(pay={'kill': 0.5}, hint='There is little left here.')
    """

    def __init__(
        self,
        rules: Sequence[DirectorRule],
        goals: Sequence[str],
        *,
        vocabulary: Vocabulary = ADVENTURE,
        earnings: Sequence[str] = (),
    ) -> None:
        known = ADVENTURE_EARNINGS if vocabulary.context == ADVENTURE.context else ()
        self._earnings = tuple(earnings) or known or (ALL_EARNINGS,)
        self.goals = tuple(goals)
        self.rules = check_rules(rules, vocabulary, self.goals) or ()
        self._layout = director_layout(vocabulary, self.goals)
        self._read = _names_read(self.rules, self._layout)
        self._states = [_RuleState(rule, self._layout) for rule in self.rules]
        self.reset()

    @property
    def pay(self) -> Mapping[str, float]:
        """The current factors for earnings; 1 for those left out."""
        return self._pay

    def reset(self) -> None:
        """Forget the player."""
        self._pay: FrozenMap[str, float] = FrozenMap()
        self._player: str | None = None
        self._time = float("-inf")
        for state in self._states:
            state.forget()

    def advise(self, event: Event, belief: Belief) -> Advice | None:
        """Update with an event and the belief after it; return new advice, or None if nothing changes."""
        check_event_order(event, self._player, self._time)
        values = self._values(event, belief)
        self._player, self._time = event.player, event.time
        for state in self._states:
            state.update(values, event.time)
        before, self._pay = self._pay, self._factors()
        hint = self._hint(values)
        return Advice(self._pay, hint) if hint or self._pay != before else None

    def why(self) -> str:
        """Return the state of every rule in lines."""
        return "\n".join(self._describe(state) for state in self._states)

    def save(self) -> dict[str, Any]:
        """Return the state as plain data."""
        factors = [{what: state.factors[what] for what in state.formulas} for state in self._states]
        return {
            "format": SNAPSHOT_FORMAT,
            "player": self._player,
            "time": None if self._player is None else self._time,
            "rules": [[each.since, each.said, each.is_said] for each in self._states],
            **({"factors": factors} if any(factors) else {}),
        }

    def restore(self, data: Mapping[str, Any]) -> None:
        """Restore a saved state; one of other rules or with a fault is refused and changes nothing."""
        read = read_snapshot(DirectorSnapshot, data, of="director")
        last = saved_time("director", read)
        if len(read.rules) != len(self._states):
            message = f"are {len(read.rules)}, and the director has {len(self._states)}"
            raise snapshot_error("director", ("rules",), message, "restore it with the rules that it was saved with")
        for number, (since, said, is_said) in enumerate(read.rules):
            is_late = any(time is not None and time > last for time in (since, said))
            if is_late or (is_said and (since is None or said is None)):
                raise snapshot_error("director", ("rules", number), f"cannot be at {last:g} s")
        factors = read.factors or [{}] * len(self._states)
        if len(factors) != len(self._states) or (
            read.factors
            and any(each.keys() != state.formulas.keys() for each, state in zip(factors, self._states, strict=True))
        ):
            raise snapshot_error("director", ("factors",), "are not those of the formulas of the rules")
        self._player, self._time = read.player, last
        for state, (since, said, is_said), now in zip(self._states, read.rules, factors, strict=True):
            state.forget()
            state.since, state.said, state.is_said = since, said, is_said
            state.factors.update(now)
        self._pay = self._factors()

    def _values(self, event: Event, belief: Belief) -> tuple[Value, ...]:
        missing = [goal for goal in self.goals if {goal, BELIEF + goal} & self._read and goal not in belief]
        if missing:
            raise TelosError(
                f"the rules ask how likely {missing[0]!r} is, and the belief is about {', '.join(belief)}",
                "use the belief of the model that the rules belong to",
            )
        told: dict[str, Value] = {**belief, **event.context, "action": event.action, "goal": event.goal}
        told |= {BELIEF + goal: chance for goal, chance in belief.items()}
        return tuple(
            told.get(variable.name, variable.start) if variable.name in self._read else variable.start
            for variable in self._layout.variables
        )

    def _factors(self) -> FrozenMap[str, float]:
        found: dict[str, float] = {}
        for state in self._states:
            if state.is_active(self._time):
                for named, factor in state.factors.items():
                    for what in self._earnings if named == ALL_EARNINGS else (named,):
                        found[what] = found.get(what, 1.0) * factor
        return FrozenMap(found)

    def _hint(self, values: tuple[Value, ...]) -> str:
        for state in self._states:
            if not state.is_due(self._time):
                continue
            words = {name: self._word(name, values) for name in find_placeholders(state.rule.say)}
            if all(words.values()):  # a line with an empty value waits
                state.said, state.is_said = self._time, True
                return fill_placeholders(state.rule.say, words)
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

    def _describe(self, state: _RuleState) -> str:
        rule = state.rule
        what = f"`{rule.condition}`" + (f" for {rule.hold:g} s" if rule.hold else "")
        if state.since is None:
            return f"{what}: does not hold"
        if not state.is_active(self._time):
            return f"{what}: holds since {state.since:g} s, for {self._time - state.since:g} s so far"
        pays = [f"{name} counts {_show_factor(state, name)}" for name in rule.pay]
        told = [] if state.said is None else [f"said at {state.said:g} s"]
        return "; ".join([f"{what}: in force, holds since {state.since:g} s", *pays, *told])


def _show_factor(state: _RuleState, what: str) -> str:
    factor = state.rule.pay[what]
    now = f"{state.factors[what]:g}"
    return now if isinstance(factor, float) else f"{now}, which is `{to_text(factor)}`"


def create_director(model: object, *, earnings: Sequence[str] = ()) -> Director | None:
    """Return a director for one player from the rules of a model; None if it has none.

    ``earnings`` are what a player of the game can earn, for rules that pay for all kinds alike.

    >>> from telos.recognition.files.load import named_model
    >>> create_director(named_model("flairs")) is None
    True
    """
    rules: Sequence[DirectorRule] | None = getattr(model, "director", None)
    if not rules:
        return None
    return Director(rules, model.goals, vocabulary=model.vocabulary, earnings=earnings)  # type: ignore[attr-defined]


def _bound(condition: Condition, layout: Layout) -> Bound:
    return bind(resolve_labels(condition.expression, layout), layout, BOOL)


def _names_read(rules: Sequence[DirectorRule], layout: Layout) -> frozenset[str]:
    """Return the names that the rules read; others are not evaluated."""
    asked = (names_in(resolve_labels(each.expression, layout)) for rule in rules for each in rule.conditions)
    formulas = (names_in(factor) for rule in rules for factor in rule.pay.values() if not isinstance(factor, float))
    return frozenset().union(*asked, *formulas, *(find_placeholders(rule.say) for rule in rules))
