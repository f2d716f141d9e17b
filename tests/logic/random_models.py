"""Small random models and databases, for property tests."""

from random import Random

import numpy as np

from telos.logic.database import Codes, Database, FactTable
from telos.logic.formulas import (
    And,
    Apply,
    Atom,
    Constant,
    Equal,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Term,
    Variable,
    free_variables,
)
from telos.logic.model import Function, MarkovLogic, Predicate, Rule

PREDICATES = {
    "Known": Predicate("Known", ("p",)),
    "Likes": Predicate("Likes", ("p", "p")),
    "Does": Predicate("Does", ("t", "p")),
    "Aims": Predicate("Aims", ("t", "g")),
    "Rain": Predicate("Rain", ()),
    "Smokes": Predicate("Smokes", ("p",)),
    "Trusts": Predicate("Trusts", ("p", "p")),
    "goal": Predicate("goal", ("t", "g"), frozenset({1})),
    "Busy": Predicate("Busy", ("t",)),
    "meets": Predicate("meets", ("p", "p"), frozenset({1})),
}
HIDDEN = ("Smokes", "Trusts", "goal", "Busy", "meets")
FUNCTIONS = {"friend": Function("friend", "p", ("p",))}
NAMES = {"p": ("A", "B"), "t": ("0", "1", "2"), "g": ("Eat", "Run")}
VARIABLES = {"p": ("x", "y"), "t": ("t",), "g": ("g", "h")}


def random_model(rng: Random, *, rules: int = 3, functions: bool = True) -> MarkovLogic:
    """Return a model of a few rules, some of them hard, some with a weight for each constant."""
    made = tuple(random_rule(rng, functions) for _ in range(rng.randint(1, rules)))
    constants = {"p": _named(made, "p"), "t": _named(made, "t"), "g": NAMES["g"]}
    return MarkovLogic(PREDICATES, made, FUNCTIONS, constants)


def _named(rules: tuple[Rule, ...], kind: str) -> tuple[str, ...]:
    """Return the constants of a type that occur in formulas."""
    said = repr([rule.formula for rule in rules])
    return tuple(name for name in NAMES[kind] if f"Constant(name='{name}')" in said)


def random_rule(rng: Random, functions: bool = True) -> Rule:
    """Return a rule, usually with a hidden atom."""
    formula = random_formula(rng, 3, functions)
    free = free_variables(formula)
    if rng.random() < 0.2:
        return Rule(formula, hard=True)
    plus = tuple(name for name in free if rng.random() < 0.3)
    kinds = {name: kind for kind, names in VARIABLES.items() for name in names}
    weights: dict[tuple[str, ...], float] = {(): round(rng.uniform(-2, 2), 2)}
    for name in plus:
        weights = {(*key, constant): round(rng.uniform(-2, 2), 2) for key in weights for constant in NAMES[kinds[name]]}
    kept = {key: weight for key, weight in weights.items() if rng.random() < 0.9}
    return Rule(formula, plus, kept, otherwise=rng.choice([0.0, 0.0, 0.7]))


def random_formula(rng: Random, depth: int, functions: bool) -> Formula:
    """Return a formula of at most this depth."""
    if depth == 0 or rng.random() < 0.25:
        return random_leaf(rng, functions)
    one, two = random_formula(rng, depth - 1, functions), random_formula(rng, depth - 1, functions)
    match rng.randrange(8):
        case 0:
            return Not(one)
        case 1:
            return And((one, two, random_leaf(rng, functions)))
        case 2:
            return Or((one, two))
        case 3 | 4 | 5:
            return Implies(one, two)
        case 6:
            return Iff(one, two)
    free = free_variables(one)
    if not free:
        return one
    bound = tuple(rng.sample(free, rng.randint(1, min(2, len(free)))))
    return Exists(bound, one) if rng.random() < 0.5 else ForAll(bound, one)


def random_leaf(rng: Random, functions: bool) -> Formula:
    """Return an atom, or sometimes an equation."""
    if rng.random() < 0.1:
        kind = rng.choice(["p", "g"])
        name = VARIABLES[kind][0]
        # The atom beside it says which type the variable has.
        anchor = Atom("Known", (Variable(name),)) if kind == "p" else Atom("goal", (Variable("t"), Variable(name)))
        equation = Equal(Variable(name), random_term(rng, kind, False))
        if isinstance(equation.right, Variable) and equation.right.name == VARIABLES[kind][1]:
            other = Variable(equation.right.name)
            beside = Atom("Smokes", (other,)) if kind == "p" else Atom("goal", (Variable("t"), other))
            return Or((And((anchor, Not(equation))), beside))
        return And((anchor, equation)) if rng.random() < 0.5 else Implies(equation, anchor)
    predicate = PREDICATES[rng.choice(list(PREDICATES) + list(HIDDEN))]
    return Atom(predicate.name, tuple(random_term(rng, kind, functions) for kind in predicate.types))


def random_term(rng: Random, kind: str, functions: bool) -> Term:
    """Return a variable, sometimes shifted, or a constant, or a function's value."""
    if rng.random() < 0.15:
        return Constant(rng.choice(NAMES[kind]))
    if kind == "p" and functions and rng.random() < 0.1:
        return Apply("friend", (random_term(rng, "p", False),))
    shift = rng.choice([0, 0, 0, -1, -1, 1]) if kind == "t" else 0
    return Variable(rng.choice(VARIABLES[kind]), shift)


def random_database(rng: Random, worlds: int = 1, *, about: tuple[str, ...] = ()) -> Database:
    """Return facts about the evidence predicates, and a few about hidden ones that ``about`` names."""
    true = {name: _facts(rng, name, worlds, 0.5) for name in PREDICATES if name not in HIDDEN}
    true |= {name: _facts(rng, name, worlds, 0.2) for name in about}
    false = {name: _without(_facts(rng, name, worlds, 0.2), true[name]) for name in about}
    rows = [(w, a, rng.randrange(2)) for w in range(worlds) for a in range(2) if rng.random() < 0.8]
    values = np.asarray(rows, np.int32).reshape(-1, 3)
    present = {}
    if worlds > 1:
        present = {kind: _present(rng, kind, worlds) for kind in ("p", "t")}
        true = {name: _within(facts, name, present) for name, facts in true.items()}
        false = {name: _within(facts, name, present) for name, facts in false.items()}
        values = _value_rows(values, present["p"])
    functions = {"friend": FactTable(values[:, 0], values[:, 1:])}
    return Database(tuple(f"w{each}" for each in range(worlds)), NAMES, true, false, functions, present)


def _facts(rng: Random, name: str, worlds: int, share: float) -> FactTable:
    predicate = PREDICATES[name]
    rows = []
    for world in range(worlds):
        cells = np.ndindex(*(len(NAMES[kind]) for kind in predicate.types))
        here = [(world, *cell) for cell in cells if rng.random() < share]
        if predicate.exactly_one:
            here = list({row[:2]: row for row in here}.values())
        rows += here
    table = np.asarray(rows, np.int32).reshape(-1, 1 + len(predicate.types))
    return FactTable(table[:, 0], table[:, 1:])


def _without(facts: FactTable, others: FactTable) -> FactTable:
    taken = {(w, *row) for w, row in zip(others.world.tolist(), map(tuple, others.arguments.tolist()), strict=True)}
    keep = [
        (w, *row) not in taken
        for w, row in zip(facts.world.tolist(), map(tuple, facts.arguments.tolist()), strict=True)
    ]
    return FactTable(facts.world[keep], facts.arguments[keep])


def _present(rng: Random, kind: str, worlds: int) -> Codes:
    rows = []
    for world in range(worlds):
        size = rng.randint(1, len(NAMES[kind]))
        start = rng.randint(0, len(NAMES[kind]) - size) if kind == "t" else 0
        rows += [(world, code) for code in range(start, start + size)]
    return np.asarray(rows, np.int32)


def _within(facts: FactTable, name: str, present: dict[str, Codes]) -> FactTable:
    exists = {kind: set(map(tuple, rows.tolist())) for kind, rows in present.items()}
    kinds = PREDICATES[name].types
    keep = [
        all(kind not in exists or (world, code) in exists[kind] for kind, code in zip(kinds, row, strict=True))
        for world, row in zip(facts.world.tolist(), facts.arguments.tolist(), strict=True)
    ]
    keep_all = np.asarray(keep, np.bool_)
    return FactTable(facts.world[keep_all], facts.arguments[keep_all])


def _value_rows(values: Codes, present: Codes) -> Codes:
    exists = set(map(tuple, present.tolist()))
    keep = [(w, a) in exists and (w, b) in exists for w, a, b in values.tolist()]
    return values[np.asarray(keep, np.bool_)]
