"""Measured values in columns: their densities under each goal, and the sums that training adds up."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from telos.core.expressions import Expression
from telos.recognition.bulk.arrays import Array
from telos.recognition.bulk.columns import ColumnConditions, EventColumns, measured
from telos.recognition.measures import LOG_FLOOR, Density, Gamma, Gaussian, Measure, Measures
from telos.recognition.measures.densities import log_bessel


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredRows:
    """What was measured of events: for each measure its value for each goal, NaN where there is none.

    ``counts`` says for each measure at which events it was measured; a value may still be missing for one goal, where
    what an angle is measured around is not known.
    """

    measures: Measures
    values: tuple[Array, ...]  # one for each measure: event × goal
    counts: tuple[NDArray[np.bool_], ...]

    @property
    def factors(self) -> Array:
        """The product of the densities of each event under each goal."""
        return self.factors_of(self.measures)

    def factors_of(self, measures: Measures) -> Array:
        """Return the same with the densities of another round of training."""
        logs = np.zeros(self.values[0].shape)
        for measure, values, counts in zip(measures.all, self.values, self.counts, strict=True):
            for number, goal in enumerate(measures.goals):
                found = _log_densities(measure, measures.density(measure.name, goal), values[:, number])
                logs[:, number] += np.where(counts, found, 0.0)
        product: Array = np.exp(logs)
        return product

    def take(self, rows: NDArray[Any]) -> "MeasuredRows":
        """Return some of the events."""
        return MeasuredRows(
            self.measures, tuple(each[rows] for each in self.values), tuple(each[rows] for each in self.counts)
        )

    def sums(self, weights: Array) -> dict[str, dict[str, list[float]]]:
        """Return the weight and sums of each measure and goal; ``weights`` has a row for each event."""
        found: dict[str, dict[str, list[float]]] = {}
        for measure, values in zip(self.measures.all, self.values, strict=True):
            for number, goal in enumerate(self.measures.goals):
                is_known = ~np.isnan(values[:, number])
                mine, worth = values[is_known, number], weights[is_known, number]
                first, second = _statistics(measure, mine)
                sums = [float(worth.sum()), float(worth @ first), float(worth @ second)]
                found.setdefault(measure.name, {})[goal] = sums
        return found


def join_rows(parts: list[MeasuredRows]) -> MeasuredRows:
    """Return the events of several batches as one."""
    values = tuple(np.concatenate(each) for each in zip(*(part.values for part in parts), strict=True))
    counts = tuple(np.concatenate(each) for each in zip(*(part.counts for part in parts), strict=True))
    return MeasuredRows(parts[0].measures, values, counts)


class MeasureColumns:
    """Reads the measures of a model from columns."""

    def __init__(self, measures: Measures, conditions: ColumnConditions) -> None:
        self._measures, self._conditions = measures, conditions
        self._tests = [
            None if each.condition is None else conditions.resolve([each.condition])[0] for each in measures.all
        ]

    @property
    def tests(self) -> list[Expression]:
        """What is asked of events to know which measures count."""
        return [test for test in self._tests if test is not None]

    def read(self, events: EventColumns) -> MeasuredRows:
        """Return what was measured of each event."""
        values, counts = [], []
        for measure, test in zip(self._measures.all, self._tests, strict=True):
            column = events[measured(measure.name)].values.astype(np.float64)
            counted = ~np.isnan(column)
            if test is not None:
                counted &= self._conditions.find_first([test], events) == 0
            scaled = np.maximum(measure.smallest, column) * measure.factor
            scaled[~counted] = np.nan
            rows = np.repeat(scaled[:, None], len(self._measures.goals), axis=1)
            for number, goal in enumerate(self._measures.goals):
                if goal in measure.around:
                    rows[:, number] -= events[measured(measure.around[goal])].values * measure.factor
            values.append(rows)
            counts.append(counted)
        return MeasuredRows(self._measures, tuple(values), tuple(counts))


def _log_densities(measure: Measure, density: Density, values: Array) -> Array:
    """Return the log-densities of values as `Measures.weigh` does for one."""
    found: Array
    if isinstance(density, Gaussian):
        away = (values - density.mean) / density.deviation
        found = -0.5 * away * away - math.log(density.deviation) - 0.5 * math.log(2 * math.pi)
    elif isinstance(density, Gamma):
        shape, scale = density.shape, density.scale
        rest = math.lgamma(shape) + shape * math.log(scale)
        found = (shape - 1) * np.log(values) - values / scale - rest
    else:
        rest = math.log(2 * math.pi) + log_bessel(density.concentration)
        found = density.concentration * np.cos(values - density.mean) - rest
    found = np.maximum(LOG_FLOOR, found + math.log(measure.factor))
    return np.where(np.isnan(values), measure.uniform, found)


def _statistics(measure: Measure, values: Array) -> tuple[Array, Array]:
    if measure.family == Gaussian.FAMILY:
        return values, values * values
    if measure.family == Gamma.FAMILY:
        return values, np.log(values)
    return np.cos(values), np.sin(values)
