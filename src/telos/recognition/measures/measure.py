"""Continuous observations: ``Measure`` is one measured value and its density under each goal, ``Measures`` is all.

Given the goal, the measured values and the discrete outcome of an event are independent: the likelihood of the event is
the chance of its outcome times the densities of what was measured. What was not measured is no evidence.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple, TypeAlias

from telos.core.conditions import Condition, ConditionLike
from telos.core.errors import Fault, FaultCode, TelosError, name_hint
from telos.core.values import FrozenMap, Value, ValueKind, check_finite, check_not_negative
from telos.recognition.measures.densities import (
    FAMILIES,
    LOG_FLOOR,
    MAX_VALUE,
    Density,
    Gamma,
    VonMises,
    fit_density,
)
from telos.recognition.recognizer import Evidence, Measured
from telos.recognition.vocabulary import Vocabulary

MAX_MEASURES = 8  # so that products of densities stay far from the limits of floating-point numbers
MIN_RESOLUTION = 1e-6
DEFAULT_RESOLUTION = 0.01
DEFAULT_STRENGTH, MAX_STRENGTH = 10.0, 1e12
ANGLES = {"degrees": math.pi / 180, "radians": 1.0, "turns": 2 * math.pi}  # the units of angles, in radians

# The log-density of any angle alike, and the function to the log-density of a value, for each goal.
_Bound: TypeAlias = tuple[float, list[Callable[[float], float]]]
SumTable: TypeAlias = dict[str, dict[str, list[float]]]  # by measure and goal: the weight, and the two sums


class MeasuredValue(NamedTuple):
    """One measured value of an event: the value for each goal, None where what it is measured around is not known."""

    number: int  # of the measure
    value: float
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True, init=False)
class Measure:
    """A number in the context of events, with its density under each goal.

    ``densities`` are means and deviations in ``unit``, angles are converted by it. ``around`` gives for a goal the
    context entry that its angle is measured from (a bearing); while that is missing, the goal expects any angle alike.
    ``resolution`` is the smallest difference that the game measures: no density is narrower, and values of a gamma
    distribution below half of it count as half of it. The measure counts while ``condition`` holds. In training,
    ``strength`` is how many observations the given densities are worth.
    """

    name: str
    densities: FrozenMap[str, Density]
    unit: str
    around: FrozenMap[str, str]
    resolution: float
    condition: Condition | None
    strength: float

    def __init__(
        self,
        name: str,
        densities: Mapping[str, Density],
        *,
        unit: str = "",
        around: Mapping[str, str] | None = None,
        resolution: float = DEFAULT_RESOLUTION,
        condition: ConditionLike = None,
        strength: float = DEFAULT_STRENGTH,
    ) -> None:
        families = {each.FAMILY for each in densities.values()}
        if len(families) != 1:
            raise TelosError(f"measure {name!r} has {len(families)} families of densities", "give all goals one family")
        if not MIN_RESOLUTION <= check_finite("a resolution", resolution) <= MAX_VALUE:
            raise TelosError(f"a resolution is from {MIN_RESOLUTION:g} to {MAX_VALUE:g}, got {resolution!r}")
        if check_not_negative("a strength", strength) > MAX_STRENGTH:
            raise TelosError(f"a strength is at most {MAX_STRENGTH:g} observations, got {strength!r}")
        is_angle = families == {VonMises.FAMILY}
        if is_angle and unit not in ANGLES:
            raise TelosError(
                f"measure {name!r} is an angle in {unit or 'no unit'}", f"set the unit to {' or '.join(ANGLES)}"
            )
        if around and not is_angle:
            raise TelosError(f"measure {name!r} is not an angle", "leave `around` out, or make it von_mises")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "densities", FrozenMap(densities))
        object.__setattr__(self, "unit", unit)
        object.__setattr__(self, "around", FrozenMap(around))
        object.__setattr__(self, "resolution", float(resolution))
        object.__setattr__(self, "condition", None if condition is None else Condition.of(condition))
        object.__setattr__(self, "strength", float(strength))

    @property
    def family(self) -> str:
        """The family of its densities: gaussian, gamma or von_mises."""
        return next(iter(self.densities.values())).FAMILY

    @property
    def factor(self) -> float:
        """What turns a value into the unit of its densities: radians for angles."""
        return ANGLES[self.unit] if self.family == VonMises.FAMILY else 1.0

    @property
    def entries(self) -> tuple[str, ...]:
        """The context entries that it reads: the value, and what angles are measured around."""
        return (self.name, *dict.fromkeys(self.around.values()))

    @property
    def minimum(self) -> float:
        """The least value that can be: 0 for a gamma distribution."""
        return 0.0 if self.family == Gamma.FAMILY else -math.inf

    @property
    def smallest(self) -> float:
        """What smaller values count as."""
        return self.resolution / 2 if self.family == Gamma.FAMILY else -math.inf

    @property
    def uniform(self) -> float:
        """The log-density of any angle alike, for a goal whose reference is missing."""
        return -math.log(2 * math.pi) + math.log(self.factor)

    def faults(self, goals: Sequence[str], vocabulary: Vocabulary) -> list[Fault]:
        """Return everything wrong with the measure in a model of these goals and words."""
        found = []
        for goal in (*self.densities, *self.around):
            if goal not in goals:
                hint = name_hint(goal, goals)
                found.append(Fault(f"unknown goal {goal!r}", suggestion=hint, code=FaultCode.UNKNOWN_NAME))
        for goal in goals:
            if goal not in self.densities:
                message, remedy = f"goal {goal!r} has no density", "give one, or `usual`"
                found.append(Fault(message, suggestion=remedy, code=FaultCode.INCOMPLETE))
        for entry in self.entries:
            fault = entry_fault(entry, vocabulary)
            if fault:
                found.append(fault)
        return [fault.at("measures", self.name) for fault in found]

    def read(self, context: Mapping[str, Value], goals: Sequence[str]) -> tuple[float, tuple[float | None, ...]] | None:
        """Return the value in a checked context, and that value for each goal; None if it was not measured."""
        written = context.get(self.name)
        if written is None:
            return None
        value = max(self.smallest, float(written)) * self.factor
        if not self.around:
            return float(written), (value,) * len(goals)
        return float(written), tuple(self._around(goal, value, context) for goal in goals)

    def _around(self, goal: str, value: float, context: Mapping[str, Value]) -> float | None:
        entry = self.around.get(goal)
        if entry is None:
            return value
        origin = context.get(entry)
        return None if origin is None else value - float(origin) * self.factor

    def describe(self, value: float) -> str:
        """Return a value with its unit.

        >>> from telos.recognition.measures.densities import Gamma
        >>> Measure("speed", {"level": Gamma(2, 1)}, unit="cells/s").describe(2.504)
        'speed 2.5 cells/s'
        >>> Measure("distance", {"level": Gamma(2, 1)}, unit="m").describe(1250.4)
        'distance 1250 m'
        """
        text = f"{value:.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.3g}"
        return f"{self.name} {text} {self.unit}".rstrip()


def entry_fault(entry: str, vocabulary: Vocabulary) -> Fault | None:
    """Return why a context entry cannot be measured; None if it can."""
    kind = vocabulary.context.get(entry)
    if kind is None:
        hint = name_hint(entry, vocabulary.context) or f"add `{entry}: number` to the context"
        return Fault(f"unknown context {entry!r}", suggestion=hint, code=FaultCode.UNKNOWN_NAME)
    if kind.kind not in (ValueKind.NUMBER, ValueKind.INT):
        return Fault(
            f"context {entry!r} is {kind}, not a number", suggestion="measure a number", code=FaultCode.WRONG_TYPE
        )
    return None


def check_value(entry: str, value: Value, minimum: float) -> None:
    """Refuse what cannot be measured."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not max(minimum, -MAX_VALUE) <= value <= MAX_VALUE:
        raise TelosError(value_message("context", entry, value, minimum), "correct it, or leave it out if not known")


def value_message(what: str, entry: str, value: object, minimum: float) -> str:
    """Return why a value cannot be measured."""
    wanted = "a finite number, 0 or more" if minimum == 0 else "a finite number"
    if isinstance(value, int | float) and MAX_VALUE < abs(value) < math.inf:
        return f"{what} {entry!r} holds a number beyond {MAX_VALUE:g}, and is measured as {wanted}"
    return f"{what} {entry!r} holds {value!r}, and is measured as {wanted}"


class Measures:
    """The measures of a model, with what was learned about their densities.

    >>> from telos.recognition.measures.densities import Gaussian
    >>> speed = Measure("speed", {"fight": Gaussian(1, 1), "flee": Gaussian(3, 1)}, strength=0)
    >>> measures = Measures([speed], ["fight", "flee"])
    >>> measures.add("flee", measures.read({"speed": 5}, [True]))
    >>> measures.density("speed", "flee")  # one observation has no deviation: it is that of the resolution
    Gaussian(mean=5.0, deviation=0.01)
    """

    def __init__(
        self,
        measures: Iterable[Measure],
        goals: Sequence[str],
        *,
        seen: Mapping[str, Mapping[str, Sequence[float]]] | None = None,
    ) -> None:
        self.all, self.goals = tuple(measures), tuple(goals)
        if len(self.all) > MAX_MEASURES:
            raise TelosError(f"a model has at most {MAX_MEASURES} measures, got {len(self.all)}")
        names = [each.name for each in self.all]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise TelosError(f"{twice!r} is measured twice", "leave one out")
        self.minima = _find_minima(self.all)
        self._minima = [(entry, max(-MAX_VALUE, minimum)) for entry, minimum in self.minima.items()]  # for hot loops
        self._sums: SumTable = {each.name: {goal: [0.0, 0.0, 0.0] for goal in self.goals} for each in self.all}
        self._forget_fits()
        self.add_all(seen or {})

    def __len__(self) -> int:
        return len(self.all)

    def __bool__(self) -> bool:
        return bool(self.all)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measures) and (self.all, self._sums) == (other.all, other._sums)

    __hash__ = None  # type: ignore[assignment]

    @property
    def seen(self) -> SumTable:
        """The weight and the sums of what was learned, by measure and goal; those without any are left out."""
        found = {
            name: {goal: list(sums) for goal, sums in rows.items() if sums[0] > 0} for name, rows in self._sums.items()
        }
        return {name: rows for name, rows in found.items() if rows}

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions under which measures count."""
        return tuple(each.condition for each in self.all if each.condition is not None)

    @property
    def entries(self) -> tuple[str, ...]:
        """The context entries that are measured."""
        return tuple(dict.fromkeys(entry for each in self.all for entry in each.entries))

    def faults(self, vocabulary: Vocabulary) -> list[Fault]:
        """Return everything wrong with the measures in a model."""
        return [fault for each in self.all for fault in each.faults(self.goals, vocabulary)]

    def density(self, name: str, goal: str) -> Density:
        """Return the density of a measure under a goal, fitted to what was learned."""
        known = self._known.get((name, goal))
        if known is None:
            measure = next(each for each in self.all if each.name == name)
            width = measure.resolution * measure.factor
            known = fit_density(measure.densities[goal], measure.strength, self._sums[name][goal], width)
            self._known[name, goal] = known
        return known

    def read(self, context: Mapping[str, Value], holds: Sequence[bool]) -> tuple[MeasuredValue, ...]:
        """Return what was measured; ``holds`` says for each measure whether it counts.

        An entry that cannot be measured is refused whether or not its measure counts, as in columns.
        """
        for entry, minimum in self._minima:
            value = context.get(entry)
            if value is not None and not (type(value) is float and minimum <= value <= MAX_VALUE):
                check_value(entry, value, minimum)
        found = []
        for number, measure in enumerate(self.all):
            reading = measure.read(context, self.goals) if holds[number] else None
            if reading is not None:
                found.append(MeasuredValue(number, *reading))
        return tuple(found)

    def weigh(self, evidence: Evidence, readings: Sequence[MeasuredValue]) -> Evidence:
        """Return evidence multiplied by the densities of what was measured."""
        if not readings:
            return evidence
        measured = []
        for number, written, values in readings:
            measure, (uniform, bound) = self.all[number], self._bound[number] or self._bind(number)
            logs = tuple(
                [
                    uniform if value is None else max(LOG_FLOOR, log_density(value))
                    for log_density, value in zip(bound, values, strict=True)
                ]
            )
            measured.append(Measured(measure.name, measure.describe(written), logs))
        sums = [sum(column) for column in zip(*(each.log_densities for each in measured), strict=True)]
        likelihood = tuple(chance * math.exp(log) for chance, log in zip(evidence.likelihood, sums, strict=True))
        return Evidence(evidence.transition, likelihood, evidence.seen, tuple(measured))

    def _bind(self, number: int) -> "_Bound":
        measure = self.all[number]
        per_unit = math.log(measure.factor)
        densities = [self.density(measure.name, goal).bound(per_unit) for goal in self.goals]
        found = self._bound[number] = (measure.uniform, densities)
        return found

    # --- learning -----------------------------------------------------------------------------------------------------

    def add(self, goal: str, readings: Iterable[MeasuredValue], weight: float = 1.0) -> None:
        """Learn what was measured under a goal."""
        at = self.goals.index(goal)
        for reading in readings:
            value = reading.values[at]
            if value is not None:
                measure = self.all[reading.number]
                first, second = FAMILIES[measure.family].statistics(value)
                self.add_sums(measure.name, goal, (weight, weight * first, weight * second))

    def add_sums(self, name: str, goal: str, sums: Sequence[float]) -> None:
        """Learn the sums of many values."""
        if name not in self._sums:
            raise TelosError(f"unknown measure {name!r}", name_hint(name, self._sums))
        if goal not in self.goals:
            raise TelosError(f"unknown goal {goal!r}", name_hint(goal, self.goals))
        row = self._sums[name][goal]
        row[:] = [before + more for before, more in zip(row, sums, strict=True)]
        self._forget_fits()

    def add_all(self, seen: Mapping[str, Mapping[str, Sequence[float]]]) -> None:
        """Learn what other measures of this kind have ``seen``."""
        for name, rows in seen.items():
            for goal, sums in rows.items():
                self.add_sums(name, goal, sums)

    def _forget_fits(self) -> None:
        self._known: dict[tuple[str, str], Density] = {}
        self._bound: list[_Bound | None] = [None] * len(self.all)

    def fade(self, factor: float, goals: Sequence[str] | None = None) -> None:
        """Multiply what was learned (about these goals, or all) by a factor."""
        for rows in self._sums.values():
            for goal in self.goals if goals is None else goals:
                rows[goal] = [each * factor for each in rows[goal]]
        self._forget_fits()

    def copy(self, **changed: Any) -> "Measures":
        """Return an independent copy; ``seen`` replaces what was learned, ``scale`` multiplies it."""
        scale = changed.pop("scale", 1.0)
        seen = changed.pop("seen", self.seen)
        scaled = {
            name: {goal: [each * scale for each in sums] for goal, sums in rows.items()} for name, rows in seen.items()
        }
        return Measures(self.all, self.goals, seen=scaled)

    def draw(self, rng: Random, weight: float) -> "Measures":
        """Return measures whose densities are drawn at random around these, as a start for EM."""
        seen: SumTable = {}
        for measure in self.all:
            for goal in self.goals:
                density = self.density(measure.name, goal)
                drawn = density.statistics(max(measure.smallest, density.draw(rng)))
                sums = [(one + other) / 2 for one, other in zip(drawn, density.expected, strict=True)]
                seen.setdefault(measure.name, {})[goal] = [weight, *(weight * each for each in sums)]
        return self.copy(seen=seen)

    def with_prior(self, strength: float) -> "Measures":
        """Return measures that have learned nothing, and start from these densities, worth so many observations."""
        found = [
            replace_densities(each, {goal: self.density(each.name, goal) for goal in self.goals}, strength)
            for each in self.all
        ]
        return Measures(found, self.goals)


def _find_minima(measures: Sequence[Measure]) -> dict[str, float]:
    """Return the entries that are measured, each with the least value that it can have."""
    found: dict[str, float] = {}
    for each in measures:
        found |= {entry: -math.inf for entry in each.entries if entry not in found}
        found[each.name] = max(found[each.name], each.minimum)
    return found


def replace_densities(measure: Measure, densities: Mapping[str, Density], strength: float) -> Measure:
    """Return a measure with other densities."""
    return Measure(
        measure.name,
        densities,
        unit=measure.unit,
        around=measure.around,
        resolution=measure.resolution,
        condition=measure.condition,
        strength=strength,
    )
