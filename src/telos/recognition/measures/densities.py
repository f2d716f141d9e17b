"""Densities of measured values: ``Gaussian``, ``Gamma``, ``VonMises``, each with its fit to sums of observations.

All three are exponential families: a fit needs a weight and the sums of two functions of the values (``statistics``),
so sums of different players, machines or rounds of EM can be added up. Pure Python: live recognition needs no numpy.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar, TypeAlias

from telos.core.errors import TelosError
from telos.core.values import check_finite, check_not_negative

LOG_FLOOR = -50.0  # a value that fits worse counts as this unlikely, so that one outlier never decides everything
MAX_VALUE = 1e50  # the largest number that is measured, so that squares and sums stay finite
MAX_PARAMETER = 1e60  # of a mean or a deviation: a fit to such numbers may have a larger deviation than they have
MIN_WEIGHT = 1e-100  # of observations; less has faded away, and its sums have lost their digits
MAX_CONCENTRATION = 1e12  # that of the finest resolution
_LOG_2_PI = math.log(2 * math.pi)
_MAX_SHAPE, _MIN_SHAPE = 1e9, 1e-4


@dataclass(frozen=True, slots=True)
class Gaussian:
    """A normal distribution.

    >>> round(Gaussian(10, 2).log_density(12), 6)
    -2.112086
    """

    FAMILY: ClassVar[str] = "gaussian"
    NUMBERS: ClassVar[tuple[str, str]] = ("sum", "squares")  # the names of the two sums in a file

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        _check_size("a mean", self.mean)
        _check_positive("a deviation", self.deviation)

    def log_density(self, value: float) -> float:
        """Return the logarithm of the density."""
        return self.bound(0.0)(value)

    def bound(self, more: float) -> Callable[[float], float]:
        """Return the function from values to the logarithm of the density plus ``more``, for hot loops."""
        mean, deviation = self.mean, self.deviation
        rest = more - math.log(deviation) - 0.5 * _LOG_2_PI

        def log_density(value: float) -> float:
            away = (value - mean) / deviation
            return rest - 0.5 * away * away

        return log_density

    def log_likelihood(self, weight: float, first: float, second: float) -> float:
        """Return the log-likelihood of values with these sums, but for what is the same under all such densities."""
        squares = second - 2 * self.mean * first + self.mean * self.mean * weight
        return -0.5 * squares / self.deviation**2 - weight * math.log(self.deviation)

    @staticmethod
    def statistics(value: float) -> tuple[float, float]:
        """Return what is added up of a value."""
        return value, value * value

    @property
    def expected(self) -> tuple[float, float]:
        """The mean of the statistics of values drawn from this distribution."""
        return self.mean, self.mean * self.mean + self.deviation * self.deviation

    def draw(self, rng: Random) -> float:
        """Return a random value."""
        return rng.gauss(self.mean, self.deviation)

    @classmethod
    def fit(cls, first: float, second: float, resolution: float) -> "Gaussian":
        """Return the likeliest distribution for means of the statistics; it is no narrower than the resolution."""
        return cls(first, max(resolution, math.sqrt(max(0.0, second - first * first))))


@dataclass(frozen=True, slots=True)
class Gamma:
    """A gamma distribution of values above 0, by its mean and standard deviation: the shape is (mean / deviation)².

    >>> round(Gamma(2, 2).log_density(1), 6)  # with shape 1, an exponential distribution
    -1.193147
    """

    FAMILY: ClassVar[str] = "gamma"
    NUMBERS: ClassVar[tuple[str, str]] = ("sum", "logs")

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        _check_positive("the mean of a gamma distribution", self.mean)
        _check_positive("a deviation", self.deviation)

    @property
    def shape(self) -> float:
        """The shape parameter."""
        return min(_MAX_SHAPE, max(_MIN_SHAPE, (self.mean / self.deviation) ** 2))

    @property
    def scale(self) -> float:
        """The scale parameter: the mean divided by the shape."""
        return self.mean / self.shape

    def log_density(self, value: float) -> float:
        """Return the logarithm of the density."""
        return self.bound(0.0)(value)

    def bound(self, more: float) -> Callable[[float], float]:
        """Return the function from values to the logarithm of the density plus ``more``, for hot loops."""
        shape, scale, log = self.shape, self.scale, math.log
        rest, power = more - math.lgamma(shape) - shape * log(scale), shape - 1
        return lambda value: power * log(value) - value / scale + rest

    def log_likelihood(self, weight: float, first: float, second: float) -> float:
        """Return the log-likelihood of values with these sums, but for what is the same under all such densities."""
        shape, scale = self.shape, self.scale
        return (shape - 1) * second - first / scale - weight * (math.lgamma(shape) + shape * math.log(scale))

    @staticmethod
    def statistics(value: float) -> tuple[float, float]:
        """Return what is added up of a value."""
        return value, math.log(value)

    @property
    def expected(self) -> tuple[float, float]:
        """The mean of the statistics of values drawn from this distribution."""
        return self.mean, digamma(self.shape) + math.log(self.scale)

    def draw(self, rng: Random) -> float:
        """Return a random value."""
        return rng.gammavariate(self.shape, self.scale)

    @classmethod
    def fit(cls, first: float, second: float, resolution: float) -> "Gamma":
        """Return the likeliest distribution for means of the statistics; it is no narrower than the resolution.

        The shape solves log(shape) - digamma(shape) = log(mean) - mean of logs (Minka's iteration).
        """
        largest = min(_MAX_SHAPE, max(_MIN_SHAPE, (first / resolution) ** 2))
        gap = math.log(first) - second
        if gap <= 1 / (4 * largest):  # about 1 / (2 shape) for large shapes: narrower than allowed
            return cls(first, first / math.sqrt(largest))
        shape = (3 - gap + math.sqrt((gap - 3) ** 2 + 24 * gap)) / (12 * gap)
        for _ in range(20):
            slope = (math.log(shape) - digamma(shape) - gap) / (shape * shape * (1 / shape - trigamma(shape)))
            nearer = 1 / (1 / shape + slope)
            if abs(nearer - shape) <= 1e-13 * shape:
                break
            shape = nearer
        return cls(first, first / math.sqrt(min(largest, max(_MIN_SHAPE, shape))))


@dataclass(frozen=True, slots=True)
class VonMises:
    """A von Mises distribution of angles in radians: ``concentration`` 0 is uniform, 4 spreads about 30 degrees.

    >>> round(VonMises(0, 0).log_density(2), 6)
    -1.837877
    """

    FAMILY: ClassVar[str] = "von_mises"
    NUMBERS: ClassVar[tuple[str, str]] = ("cosines", "sines")

    mean: float
    concentration: float

    def __post_init__(self) -> None:
        _check_size("a mean", self.mean)
        _check_size("a concentration", check_not_negative("a concentration", self.concentration), MAX_CONCENTRATION)

    def log_density(self, value: float) -> float:
        """Return the logarithm of the density."""
        return self.bound(0.0)(value)

    def bound(self, more: float) -> Callable[[float], float]:
        """Return the function from values to the logarithm of the density plus ``more``, for hot loops."""
        mean, concentration, cos = self.mean, self.concentration, math.cos
        rest = more - _LOG_2_PI - log_bessel(concentration)
        return lambda value: concentration * cos(value - mean) + rest

    def log_likelihood(self, weight: float, first: float, second: float) -> float:
        """Return the log-likelihood of values with these sums, but for what is the same under all such densities."""
        along = math.cos(self.mean) * first + math.sin(self.mean) * second
        return self.concentration * along - weight * log_bessel(self.concentration)

    @staticmethod
    def statistics(value: float) -> tuple[float, float]:
        """Return what is added up of a value."""
        return math.cos(value), math.sin(value)

    @property
    def expected(self) -> tuple[float, float]:
        """The mean of the statistics of values drawn from this distribution."""
        length = bessel_ratio(self.concentration)
        return length * math.cos(self.mean), length * math.sin(self.mean)

    def draw(self, rng: Random) -> float:
        """Return a random value."""
        return rng.vonmisesvariate(self.mean % (2 * math.pi), self.concentration)

    @classmethod
    def fit(cls, first: float, second: float, resolution: float) -> "VonMises":
        """Return the likeliest distribution for means of the statistics; it is no narrower than the resolution."""
        length = math.hypot(first, second)
        return cls(math.atan2(second, first), min(1 / (resolution * resolution), concentration_of(length)))


Density: TypeAlias = Gaussian | Gamma | VonMises
FAMILIES: dict[str, type[Gaussian] | type[Gamma] | type[VonMises]] = {
    each.FAMILY: each for each in (Gaussian, Gamma, VonMises)
}


def fit_density(prior: Density, strength: float, sums: Sequence[float], resolution: float) -> Density:
    """Return the likeliest density for sums (weight, first, second) beside a prior worth ``strength`` observations.

    The prior enters by its expected statistics: that is the conjugate prior of an exponential family, so the fit
    maximises the likelihood plus the log-prior, and EM with it never gets worse. Without weight it is the prior.

    >>> fit_density(Gaussian(0, 1), 0, (2, 6, 20), 0.01)  # of 2 and 4
    Gaussian(mean=3.0, deviation=1.0)
    """
    weight, first, second = sums
    if weight < MIN_WEIGHT:
        return prior
    before = prior.expected
    total = weight + strength
    return type(prior).fit((first + strength * before[0]) / total, (second + strength * before[1]) / total, resolution)


def _check_positive(what: str, value: float) -> None:
    if not check_finite(what, value) > 0:
        raise TelosError(f"{what} must be above 0, got {value!r}")
    _check_size(what, value)


def _check_size(what: str, value: float, largest: float = MAX_PARAMETER) -> None:
    if abs(check_finite(what, value)) > largest:
        raise TelosError(f"{what} must be at most {largest:g}, got {value:g}")


# --- special functions ------------------------------------------------------------------------------------------------

_ASYMPTOTIC = 6.0  # from here on the expansions of digamma and trigamma are exact to the last digits
_LARGE = 30.0  # from here on the expansion of the Bessel functions is


def digamma(x: float) -> float:
    """Return the derivative of the logarithm of the gamma function, for x above 0.

    >>> round(digamma(1.0), 12)
    -0.577215664902
    """
    found = 0.0
    while x < _ASYMPTOTIC + 2:
        found -= 1 / x
        x += 1
    r = 1 / (x * x)
    series = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132 - r * (691 / 32760 - r / 12))))))
    return found + math.log(x) - 0.5 / x - series


def trigamma(x: float) -> float:
    """Return the second derivative of the logarithm of the gamma function, for x above 0.

    >>> round(trigamma(1.0), 12)  # pi² / 6
    1.644934066848
    """
    found = 0.0
    while x < _ASYMPTOTIC + 2:
        found += 1 / (x * x)
        x += 1
    r = 1 / (x * x)
    series = r * (1 / 6 - r * (1 / 30 - r * (1 / 42 - r * (1 / 30 - r * (5 / 66 - r * (691 / 2730 - r * 7 / 6))))))
    return found + 1 / x + 0.5 * r + series / x


def _scaled_bessel(order: int, x: float) -> float:
    """Return the modified Bessel function of order 0 or 1, divided by exp(x)."""
    if x > _LARGE:
        term = total = 1.0
        for k in range(1, 40):
            term *= -(4 * order * order - (2 * k - 1) ** 2) / (8 * k * x)
            total += term
            if abs(term) < 1e-17:
                break
        return total / math.sqrt(2 * math.pi * x)
    term = total = (x / 2) ** order
    for k in range(1, 200):
        term *= (x / 2) ** 2 / (k * (k + order))
        total += term
        if term < 1e-17 * total:
            break
    return total * math.exp(-x)


def log_bessel(x: float) -> float:
    """Return the logarithm of the modified Bessel function of order 0.

    >>> round(log_bessel(1.0), 12)
    0.235914358507
    """
    return math.log(_scaled_bessel(0, x)) + x


def bessel_ratio(x: float) -> float:
    """Return I1(x) / I0(x): the mean resultant length of angles with this concentration."""
    return _scaled_bessel(1, x) / _scaled_bessel(0, x)


def concentration_of(length: float) -> float:
    """Return the concentration whose mean resultant length is ``length``, by bisection and Newton's method.

    >>> round(concentration_of(bessel_ratio(3.0)), 9)
    3.0
    """
    if length >= 1 - 1e-12:
        return 1e12
    if length <= 1e-12:
        return 0.0
    found = length * (2 - length * length) / (1 - length * length)  # Banerjee's approximation
    for _ in range(50):
        ratio = bessel_ratio(found)
        slope = 1 - ratio * ratio - ratio / found
        if slope <= 0:  # rounding at very high concentrations
            break
        nearer = max(found / 2, found - (ratio - length) / slope)
        if abs(nearer - found) <= 1e-13 * found:
            break
        found = nearer
    return found
