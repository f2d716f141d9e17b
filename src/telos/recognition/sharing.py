"""Probabilities as people give them: some named, the rest shared. The two rules of goal models are kept here.

What a goal makes likely must sum to 1, and be divided among the same outcomes for every goal; a model that breaks
either favours one goal whatever the player does.
"""

import math
from collections.abc import Mapping, Sequence

from telos.core.errors import Fault, FaultCode, name_hint
from telos.core.numbers import finite

SHARED = "shared"
OTHERS = "others"
SLACK = 1e-6  # what a sum may be off: 0.333333 three times is 1, 0.33 three times is not


def shared_out(
    given: Mapping[str, float], names: Sequence[str], what: str, *, share: bool
) -> tuple[tuple[float, ...], list[Fault]]:
    """Return a probability for each of ``names``, and what is wrong with those that were given.

    >>> shared_out({"swing": 0.5}, ["swing", "stop", "walk"], "outcome", share=True)[0]
    (0.5, 0.25, 0.25)
    """
    faults = [
        Fault(f"unknown {what} {name!r}", suggestion=name_hint(name, names), path=(name,), code=FaultCode.UNKNOWN_NAME)
        for name in given
        if name not in names
    ]
    faults += [fault for name, chance in given.items() for fault in _chance_faults(name, chance)]
    if faults:
        return (), faults
    total = math.fsum(given.values())
    unnamed = [name for name in names if name not in given]
    faults = _sum_faults(total, unnamed, len(names), what, share)
    portion = max(0.0, 1.0 - total) / len(unnamed) if share and unnamed else 0.0
    chances = [given.get(name, portion) for name in names]
    whole = math.fsum(chances) or 1.0
    return tuple(chance / whole for chance in chances), faults


def _chance_faults(name: str, chance: float) -> list[Fault]:
    try:
        good = 0 <= finite("a probability", chance) <= 1
    except ValueError:
        good = False
    return (
        []
        if good
        else [
            Fault(
                f"{chance!r} is not a probability",
                suggestion="write 0 to 1, or 1/3",
                path=(name,),
                code=FaultCode.NOT_A_PROBABILITY,
            )
        ]
    )


def _sum_faults(total: float, unnamed: Sequence[str], count: int, what: str, share: bool) -> list[Fault]:
    said = f"sums to {total:.6g}, not 1"
    if total > 1 + SLACK:
        return [Fault(said, suggestion="make the named ones smaller", code=FaultCode.OUT_OF_RANGE)]
    if total >= 1 - SLACK:
        if unnamed and not share and what == "outcome":
            return [_uneven(count - len(unnamed), count, unnamed)]
        return []
    if share and unnamed:
        return []
    if unnamed:
        return [
            Fault(
                said,
                suggestion=f"name {', '.join(unnamed)} too, or write {OTHERS}: {SHARED}",
                code=FaultCode.OUT_OF_RANGE,
            )
        ]
    return [
        Fault(
            said,
            suggestion="make the named ones larger, since none is left to share the rest",
            code=FaultCode.OUT_OF_RANGE,
        )
    ]


def _uneven(named: int, count: int, unnamed: Sequence[str]) -> Fault:
    return Fault(
        f"sums to 1 over {named} of the {count} outcomes, where every goal must divide it among all {count}",
        suggestion=f"name {', '.join(unnamed)} too (0 if it cannot be), or write {OTHERS}: {SHARED}",
        code=FaultCode.OUT_OF_RANGE,
    )
