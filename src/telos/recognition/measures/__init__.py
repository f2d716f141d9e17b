"""Continuous observations of recognisers: densities of speeds, distances and headings under each goal."""

from telos.recognition.measures.densities import (
    FAMILIES,
    LOG_FLOOR,
    MAX_VALUE,
    Density,
    Gamma,
    Gaussian,
    VonMises,
    fit_density,
)
from telos.recognition.measures.measure import ANGLES, MAX_MEASURES, Measure, MeasuredValue, Measures

__all__ = [
    "ANGLES",
    "FAMILIES",
    "LOG_FLOOR",
    "MAX_MEASURES",
    "MAX_VALUE",
    "Density",
    "Gamma",
    "Gaussian",
    "Measure",
    "MeasuredValue",
    "Measures",
    "VonMises",
    "fit_density",
]
