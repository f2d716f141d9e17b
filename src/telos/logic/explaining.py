"""Why a value was chosen: the ground formulas that speak for it and against it, with their weights, in words."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from telos.logic.formulas import substituted
from telos.logic.model import MarkovLogic
from telos.logic.network import Clauses, Factors, Floats, Ints, Network
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
    other = values.copy()
    other[variable] = against
    parts: list[Part] = []
    forbidden: list[str] = []
    for group in network.factors:
        for row in np.flatnonzero((group.scope == variable).any(axis=1)):
            said = _of_factor(model, network, group, int(row), variable, values, other)
            (forbidden if group.hard else parts).extend(said if not group.hard else [part.text for part in said])
    for clauses in network.clauses:
        for part in _of_clauses(model, network, clauses, variable, values, other):
            if clauses.hard:
                forbidden.append(part.text)
            else:
                parts.append(part)
    return parts, forbidden


def _of_factor(
    model: MarkovLogic, network: Network, group: Factors, row: int, variable: int, values: Ints, other: Ints
) -> Iterator[Part]:
    scope = group.scope[row]
    sizes = tuple(int(network.sizes[each]) for each in scope)
    difference: Floats = (
        group.holds[np.ravel_multi_index(tuple(values[scope]), sizes)]
        - group.holds[np.ravel_multi_index(tuple(other[scope]), sizes)]
    )
    about = ", ".join(network.atoms.literal(int(each), int(values[each])) for each in scope if each != variable)
    for choice in np.flatnonzero(difference):
        weight = int(group.weights[group.key[row], choice])
        if group.hard:
            yield Part(_text(model, group.rule, ()), about, 0.0)
        elif weight >= 0:
            text = _text(model, group.rule, network.names[weight][1])
            yield Part(text, about, float(network.weights[weight] * difference[choice]))


def _of_clauses(
    model: MarkovLogic, network: Network, clauses: Clauses, variable: int, values: Ints, other: Ints
) -> Iterator[Part]:
    touched = np.searchsorted(clauses.start, np.flatnonzero(clauses.variable == variable), side="right") - 1
    for clause in np.unique(touched):
        change = _holds(clauses, int(clause), values) - _holds(clauses, int(clause), other)
        if not change:
            continue
        weight = int(clauses.weight[clause])
        key = () if weight < 0 else network.names[weight][1]
        value = 0.0 if weight < 0 else float(network.weights[weight] * change * clauses.sign[clause])
        if clauses.hard or value:
            yield Part(_text(model, clauses.rule, key), "", value)


def _holds(clauses: Clauses, clause: int, values: Ints) -> int:
    literals = slice(int(clauses.start[clause]), int(clauses.start[clause + 1]))
    met = (values[clauses.variable[literals]] == clauses.value[literals]) != (clauses.negated[literals] == 1)
    return int(met.any())


def _text(model: MarkovLogic, rule: int, key: tuple[str, ...]) -> str:
    if rule < 0:
        return "what the engine added"
    meant = model.rules[rule]
    return formula_text(substituted(meant.formula, dict(zip(meant.plus, key, strict=False))))
