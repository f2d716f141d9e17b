"""Goals, their priorities, and the curves that turn insistence into discontentment."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from telos.core.conditions import Condition, ConditionLike
from telos.core.errors import TelosError, name_hint
from telos.core.expressions import Expression, Literal, bind, parse_expression, to_text
from telos.core.state import State
from telos.core.values import MAX_FLOAT, NUMBER, check_finite, check_name, check_not_negative

Curve: TypeAlias = Callable[[float], float]


def linear(level: float) -> float:
    """Every point counts the same, so that several mild needs can outweigh a severe one."""
    return level


def square(level: float) -> float:
    """Severe needs count more than in proportion: the default."""
    return level * level


def cube(level: float) -> float:
    """Severe needs dominate: for goals such as staying alive."""
    return level * level * level


# All of these rise with the level, which the branch-and-bound look-ahead relies on.
CURVES: dict[str, Curve] = {"linear": linear, "square": square, "cube": cube}


def curve_of(curve: str | Curve) -> Curve:
    """Return the curve of that name; a function is returned as it is.

    >>> curve_of("cube")(2.0)
    8.0
    """
    if callable(curve):
        return curve
    if curve not in CURVES:
        raise TelosError(f"unknown curve {curve!r}", f"{name_hint(curve, CURVES)}, or pass a function")
    return CURVES[curve]


@dataclass(frozen=True, slots=True, init=False)
class Goal:
    """Something a character wants.

    A goal of goal-oriented *behaviour* (a motive) has an ``insistence`` that drifts by ``drift`` per unit of time and
    causes discontent along a ``curve``, times its ``weight``. A goal of goal-oriented action *planning* says what it
    ``wants`` to hold, its ``priority`` (a number, or an expression over variables), and when it is ``relevant``. One
    goal may be both: then its discontentment adds to its priority.

    >>> Goal("eat", insistence=4).discontentment()
    16.0
    >>> Goal("eat", wants="fed", priority="hunger * 2").priority_in(State.of({"hunger": 3.5}))
    7.0
    """

    name: str
    insistence: float
    drift: float
    curve: str | Curve
    weight: float
    wants: Condition | None
    priority: float | Expression
    relevant: Condition

    def __init__(
        self,
        name: str,
        insistence: float = 0.0,
        *,
        drift: float = 0.0,
        curve: str | Curve = "square",
        weight: float = 1.0,
        wants: ConditionLike = None,
        priority: float | str | Expression = 0.0,
        relevant: ConditionLike = None,
    ) -> None:
        curve_of(curve)  # an unknown name is an error here, not in the middle of a game
        put = object.__setattr__
        put(self, "name", check_name("goal", name))
        put(self, "insistence", check_not_negative(f"goal {name!r}: insistence", insistence))
        put(self, "drift", check_finite(f"goal {name!r}: drift", drift))
        put(self, "curve", curve)
        put(self, "weight", check_not_negative(f"goal {name!r}: weight", weight))
        put(self, "wants", None if wants is None else Condition.of(wants))
        put(self, "priority", parse_priority(f"goal {name!r}: priority", priority))
        put(self, "relevant", Condition.of(relevant))

    def discontentment(self, level: float | None = None) -> float:
        """Return the discontentment that this goal causes at ``level`` (default: its insistence)."""
        return self.weight * curve_of(self.curve)(self.insistence if level is None else level)

    @property
    def is_need(self) -> bool:
        """Whether the goal causes discontentment, now or as time passes."""
        return self.insistence > 0 or self.drift != 0

    def priority_in(self, state: State, level: float | None = None) -> float:
        """Return the priority in ``state``, with the discontentment at ``level`` (default: its insistence).

        A ``TelosError`` says that an expression has no finite value there.
        """
        own: float = self.priority if isinstance(self.priority, float) else self._evaluate(self.priority, state)
        total = own + self.discontentment(level) if self.is_need else own
        if not -MAX_FLOAT <= total <= MAX_FLOAT:
            raise TelosError(f"the priority of {self.name!r} is {total!r}", "priorities stay finite")
        return total

    def _evaluate(self, priority: Expression, state: State) -> float:
        try:
            return float(bind(priority, state.layout, NUMBER)(state.array))
        except ArithmeticError:
            raise TelosError(f"the priority of {self.name!r} is too large", "priorities stay finite") from None

    def at(self, insistence: float) -> "Goal":
        return replace(self, insistence=insistence)


def parse_priority(what: str, priority: float | str | Expression) -> float | Expression:
    """Return a priority as a number where it is constant, else as an expression."""
    parsed = parse_expression(priority) if isinstance(priority, str) else priority
    value = parsed.value if isinstance(parsed, Literal) else parsed
    return check_finite(what, value) if isinstance(value, int | float) else parsed


def format_priority(priority: float | Expression) -> str:
    """Return a priority as a file writes it.

    >>> format_priority(2.0), format_priority(parse_expression("hunger * 2"))
    ('2', 'hunger * 2')
    """
    return f"{priority:g}" if isinstance(priority, float) else to_text(priority)
