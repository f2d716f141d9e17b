"""The ``measures`` of a recogniser file: continuous observations and their densities, read with all their faults."""

import math
from collections.abc import Sequence
from dataclasses import replace

from telos.core.conditions import Condition
from telos.core.errors import FaultCode, KeyPath, name_hint
from telos.recognition.files.definition import RecognizerDefinition
from telos.recognition.measures import ANGLES, FAMILIES, MAX_MEASURES, MAX_VALUE, Density, Measure, VonMises
from telos.recognition.measures.measure import (
    DEFAULT_RESOLUTION,
    DEFAULT_STRENGTH,
    MIN_RESOLUTION,
    SumTable,
    entry_fault,
)


def read_measures(definition: RecognizerDefinition, *, is_trained: bool) -> tuple[list[Measure], SumTable]:
    """Return the measures of a file and what they have seen, and add the faults in them."""
    found: list[Measure] = []
    seen: SumTable = {}
    listed = list(definition.items("measures"))
    if len(listed) > MAX_MEASURES:
        message, remedy = f"there are {len(listed)} measures", f"write at most {MAX_MEASURES}"
        definition.fault(message, ("measures",), remedy, at_key=True, code=FaultCode.TOO_LARGE)
        return [], {}
    for path, _ in listed:
        sums = _read_seen(definition, path, is_trained=is_trained)
        measure = _read_measure(definition, path)
        if measure is not None:
            found.append(measure)
            seen[measure.name] = sums
    return found, seen


def density_numbers(measure: Measure, goal: str) -> dict[str, float]:
    """Return the numbers of a density as a file writes them: the mean of an angle is in the unit of the measure."""
    density = measure.densities[goal]
    if isinstance(density, VonMises):
        return {"mean": _in_unit(density.mean, measure.factor), "concentration": density.concentration}
    return {"mean": density.mean, "deviation": density.deviation}


def _in_unit(mean: float, factor: float) -> float:
    """Return the shortest number that is this mean when it is read again."""
    found = mean / factor
    shorter = (float(f"{found:.{digits}g}") for digits in range(1, 18))
    near = (found, math.nextafter(found, math.inf), math.nextafter(found, -math.inf))
    return next((each for each in (*shorter, *near) if each * factor == mean), found)


def _read_measure(definition: RecognizerDefinition, path: KeyPath) -> Measure | None:
    name = str(path[-1])
    family, unit = definition.entry(*path, "distribution"), definition.entry(*path, "unit", default="")
    if family is None or definition.is_touched(*path, "unit") or definition.is_touched(*path, "distribution"):
        return None
    condition: Condition | None = None
    if definition.entry(*path, "if"):
        condition = definition.condition((*path, "if"))
    resolution = float(definition.entry(*path, "resolution", default=DEFAULT_RESOLUTION))
    if not MIN_RESOLUTION <= resolution <= MAX_VALUE:
        message, remedy = f"a resolution of {resolution:g}", f"write {MIN_RESOLUTION:g} or more, up to {MAX_VALUE:g}"
        definition.fault(message, (*path, "resolution"), remedy, code=FaultCode.OUT_OF_RANGE)
    is_angle = family == VonMises.FAMILY
    if is_angle and unit not in ANGLES:
        message = f"{name!r} is an angle in {unit or 'no unit'}"
        definition.fault(message, path, f"add `unit: {' | '.join(ANGLES)}`", at_key=True, code=FaultCode.INVALID)
        return None
    _check_entry(definition, path, name)
    densities, around = _read_densities(
        definition, path, family, ANGLES.get(unit, 1.0) if is_angle else 1.0, resolution
    )
    if definition.is_touched(*path) or set(densities) != set(definition.goals):
        return None
    strength = float(definition.entry(*path, "strength", default=DEFAULT_STRENGTH))
    return definition.build(
        path,
        lambda: Measure(
            name,
            densities,
            unit=unit,
            around=around,
            resolution=resolution,
            condition=condition,
            strength=strength,
        ),
        None,
    )


def _check_entry(definition: RecognizerDefinition, path: KeyPath, entry: str) -> None:
    fault = entry_fault(entry, definition.vocabulary) if definition.is_vocabulary_known else None
    if fault:
        definition.add(replace(fault, path=path), at_key=path[-1] == entry)


def _read_densities(
    definition: RecognizerDefinition, path: KeyPath, family: str, factor: float, resolution: float
) -> tuple[dict[str, Density], dict[str, str]]:
    """Return the density of each goal, and what its angle is measured around."""
    usual = (*path, "usual")
    written = definition.entry(*path, "goals", default={})
    for where, _ in list(definition.items(*path, "goals")):
        definition.check_goal(where, str(where[-1]), at_key=True)
    densities: dict[str, Density] = {}
    around: dict[str, str] = {}
    for goal in definition.goals:
        where = (*path, "goals", goal) if goal in written else usual
        if where == usual and definition.entry(*usual) is None:
            if not definition.is_touched(*path):
                remedy = f"add `{goal}: {_example(family)}` under `goals`, or `usual: {_example(family)}`"
                message = f"goal {goal!r} has no density of {path[-1]!r}"
                definition.report(message, path, remedy, at_key=True, code=FaultCode.INCOMPLETE)
            continue
        density = _read_density(definition, where, family, factor, resolution)
        if density is not None:
            densities[goal] = density
        origin = definition.entry(*where, "around")
        if origin is None:
            continue
        around[goal] = origin
        if family != VonMises.FAMILY:
            message, remedy = f"`around` is for angles, and {path[-1]!r} is {family}", "leave it out"
            definition.report(message, (*where, "around"), remedy, at_key=True, code=FaultCode.CONFLICT)
        else:
            _check_entry(definition, (*where, "around"), origin)
    return densities, around


def _example(family: str) -> str:
    return "{mean: 0, concentration: 2}" if family == VonMises.FAMILY else "{mean: 2, deviation: 1}"


def _read_density(
    definition: RecognizerDefinition, path: KeyPath, family: str, factor: float, resolution: float
) -> Density | None:
    wanted, other = "deviation", "concentration"
    if family == VonMises.FAMILY:
        wanted, other = other, wanted
    if definition.is_touched(*path):
        return None
    if definition.entry(*path, other) is not None:
        message = f"a {family} density has no {other}"
        definition.fault(message, (*path, other), f"write `{wanted}`", at_key=True, code=FaultCode.CONFLICT)
        return None
    spread = definition.entry(*path, wanted)
    if spread is None:
        message = f"a {family} density needs a {wanted}"
        definition.fault(message, path, f"as in `{_example(family)}`", at_key=True, code=FaultCode.INCOMPLETE)
        return None
    mean = float(definition.entry(*path, "mean"))
    if wanted == "deviation" and not spread >= resolution:
        remedy = f"write {resolution:g} or more, or a finer `resolution`"
        message = f"a deviation of {spread:g}, where the resolution is {resolution:g}"
        definition.fault(message, (*path, wanted), remedy, code=FaultCode.OUT_OF_RANGE)
        return None
    if family == "gamma" and mean <= 0:
        message = f"a gamma distribution with the mean {mean:g}"
        definition.fault(message, (*path, "mean"), "write a mean above 0, or `gaussian`", code=FaultCode.OUT_OF_RANGE)
        return None
    return definition.build(path, lambda: FAMILIES[family](mean * factor, float(spread)), None)


def _read_seen(definition: RecognizerDefinition, path: KeyPath, *, is_trained: bool) -> dict[str, list[float]]:
    """Return the sums that training wrote, by goal."""
    family = definition.entry(*path, "distribution")
    found: dict[str, list[float]] = {}
    for where, row in list(definition.items(*path, "seen")):
        if not is_trained:
            message, remedy = "`seen` is written by training, and this model is not trained", "leave it out"
            definition.fault(message, (*path, "seen"), remedy, at_key=True, code=FaultCode.CONFLICT)
            return {}
        if not definition.check_goal(where, str(where[-1]), at_key=True) or not isinstance(row, dict):
            continue
        names = ("weight", *FAMILIES[family].NUMBERS) if family in FAMILIES else ()
        for each, _ in list(definition.items(*where)):
            if names and str(each[-1]) not in names:
                hint = name_hint(str(each[-1]), names)
                definition.fault(f"unknown sum {each[-1]!r}", each, hint, at_key=True, code=FaultCode.UNKNOWN_NAME)
        sums = [float(definition.entry(*where, name, default=0.0)) for name in names]
        if names and not definition.is_touched(*where):
            _check_sums(definition, where, family, sums)
            found[str(where[-1])] = sums
    return found


def _check_sums(definition: RecognizerDefinition, path: KeyPath, family: str, sums: Sequence[float]) -> None:
    """Report sums that no values have: too small squares, logarithms above the mean, more than all of one direction."""
    weight, first, second = sums
    if weight < 0:
        definition.fault("a weight below 0", path, "train again", at_key=True, code=FaultCode.OUT_OF_RANGE)
        return
    if weight == 0:
        return
    tolerance = 1e-6
    mean, other = first / weight, second / weight
    possible = abs(mean) <= MAX_VALUE * (1 + tolerance) and abs(other) <= MAX_VALUE**2 * (1 + tolerance)
    if family == "gaussian":
        possible &= other >= mean * mean * (1 - tolerance) - tolerance
    elif family == "gamma":
        possible = possible and mean > 0 and other <= math.log(mean) + tolerance
    else:
        possible = math.hypot(mean, other) <= 1 + tolerance
    if not possible:
        definition.fault("no values have these sums", path, "train again", at_key=True, code=FaultCode.INVALID)
