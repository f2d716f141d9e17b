"""Why a value was chosen: the ground formulas that speak for it and against it, with their weights, in words."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from telos.logic.formulas import substituted
from telos.logic.model import MarkovLogic
from telos.logic.network import Clauses, Factors, Ints, Network
from telos.logic.scoring import cells_in, holding
from telos.logic.syntax import formula_text


@dataclass(frozen=True, slots=True)
class Part:
    """What the ground formulas of one weight add to a value over another."""

    text: str  # the formula, with the constants of its ``+`` variables
    about: str  # the other atoms that it ties this one to, as they are in this world
    value: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """One value against another, the rest of the world being as it is; the parts add up to ``total``."""

    chosen: str
    against: str
    parts: tuple[Part, ...]
    forbidden: tuple[str, ...]  # hard formulas that do not allow the other value

    @property
    def total(self) -> float:
        """How much the score would fall with the other value."""
        return float(np.sum([part.value for part in self.parts]))

    def __str__(self) -> str:
        """Say it in lines, the strongest formula first."""
        lines = [f"{self.chosen} rather than {self.against}: {self.total:+.3g}"]
        lines += [f"  must hold: {text}" for text in self.forbidden]
        lines += [
            f"  {each.value:+.3f}  {each.text}{f'   with {each.about}' if each.about else ''}" for each in self.parts
        ]
        return "\n".join(lines)


def explain(
    model: MarkovLogic, network: Network, values: Ints, variable: int, *, against: int | None = None
) -> Explanation:
    """Say why a variable has its value in a world and not another one (the next best by score, if none is named)."""
    chosen = int(values[variable])
    if against is None:
        against = _runner_up(model, network, values, variable)
    found, forbidden = _parts(model, network, values, variable, against)
    merged: dict[tuple[str, str], float] = {}
    for part in found:
        merged[part.text, part.about] = merged.get((part.text, part.about), 0.0) + part.value
    parts = [Part(text, about, value) for (text, about), value in merged.items() if value]
    parts.sort(key=lambda part: -abs(part.value))
    said = network.atoms.literal
    return Explanation(said(variable, chosen), said(variable, against), tuple(parts), tuple(dict.fromkeys(forbidden)))


def _runner_up(model: MarkovLogic, network: Network, values: Ints, variable: int) -> int:
    others = [value for value in range(int(network.sizes[variable])) if value != values[variable]]
    losses = [_parts(model, network, values, variable, value) for value in others]
    totals = [float("inf") if forbidden else sum(part.value for part in parts) for parts, forbidden in losses]
    return others[int(np.argmin(totals))]


def _parts(
    model: MarkovLogic, network: Network, values: Ints, variable: int, against: int
) -> tuple[list[Part], list[str]]:
    """Return what speaks for the value over the other one, and the hard formulas that forbid the other one."""
    other = values.copy()
    other[variable] = against
    said = [(each.hard, _of_factors(model, network, each, variable, values, other)) for each in network.factors]
    said += [(each.hard, _of_clauses(model, network, each, variable, values, other)) for each in network.clauses]
    soft = [part for is_hard, parts in said if not is_hard for part in parts]
    return soft, [part.text for is_hard, parts in said if is_hard for part in parts]


def _of_factors(
    model: MarkovLogic, network: Network, factors: Factors, variable: int, values: Ints, other: Ints
) -> Iterator[Part]:
    mine = factors.take((factors.scope == variable).any(axis=1))
    here, there = (cells_in(mine, network.sizes, world) for world in (values, other))
    for scope, key, change in zip(mine.scope, mine.key, mine.holds[here] - mine.holds[there], strict=True):
        about = ", ".join(network.atoms.literal(int(each), int(values[each])) for each in scope if each != variable)
        for choice in np.flatnonzero(change):
            weight = int(mine.weights[key, choice])
            if mine.hard or weight >= 0:
                yield _part(model, network, mine.rule, weight, float(change[choice]), about)


def _of_clauses(
    model: MarkovLogic, network: Network, clauses: Clauses, variable: int, values: Ints, other: Ints
) -> Iterator[Part]:
    touches = np.zeros(len(clauses.sign), np.bool_)
    touches[clauses.owner[clauses.variable == variable]] = True
    mine = clauses.take(touches)
    change = holding(mine, values).astype(np.int8) - holding(mine, other)
    for clause in np.flatnonzero(change):
        weight = int(mine.weight[clause])
        if mine.hard or weight >= 0:
            yield _part(model, network, mine.rule, weight, float(change[clause]), "")


def _part(model: MarkovLogic, network: Network, rule: int, weight: int, change: float, about: str) -> Part:
    if weight < 0:
        return Part(_text(model, rule, ()), about, 0.0)
    return Part(_text(model, rule, network.names[weight][1]), about, float(network.weights[weight] * change))


def _text(model: MarkovLogic, rule: int, key: tuple[str, ...]) -> str:
    if rule < 0:
        return "what the engine added"
    meant = model.rules[rule]
    return formula_text(substituted(meant.formula, dict(zip(meant.plus, key, strict=False))))
