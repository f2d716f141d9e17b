"""Text round trips of models and formulas; grouping changes no weight."""

from hypothesis import given, settings
from hypothesis import strategies as st

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
    rename_apart,
    substitute,
)
from telos.logic.model import MarkovLogic, Rule
from telos.logic.syntax import check_model, format_formula, format_mln, parse_mln

WORDS = "goal(time, goal!)\nnear(place, place)\nRain\nplace home(goal)\n"
CLOSED = "place = {Hall, Lab, ward, 'old mill'}\ntime = {0,...,9}\n"
NAMES = {"time": ["0", "3", "7"], "goal": ["Cook", "Nurse", "rest"], "place": ["Hall", "ward", "old mill"]}
VARIABLES = {"time": ["t", "s"], "goal": ["g", "h"], "place": ["x", "y", "Zone"]}


def terms(kind: str) -> st.SearchStrategy[Term]:
    shifts = st.sampled_from([0, 0, -1, 2]) if kind == "time" else st.just(0)
    variables = st.builds(Variable, st.sampled_from(VARIABLES[kind]), shifts)
    simple = st.one_of(variables, st.builds(Constant, st.sampled_from(NAMES[kind])))
    if kind != "place":
        return simple
    return st.one_of(simple, st.builds(lambda goal: Apply("home", (goal,)), terms("goal")))


ATOMS: st.SearchStrategy[Formula] = st.one_of(
    st.builds(lambda time, goal: Atom("goal", (time, goal)), terms("time"), terms("goal")),
    st.builds(lambda one, other: Atom("near", (one, other)), terms("place"), terms("place")),
    st.just(Atom("Rain", ())),
)


def _bound(formula: Formula, quantifier: type[ForAll] | type[Exists], most: int) -> Formula:
    names = free_variables(formula)[:most]
    return quantifier(names, formula) if names else formula


def _guarded(formula: Formula, one: Variable, other: Term) -> Formula:
    """Return a formula with an equation whose variables have a type of their own.

    One that has it only from the other, with a `+`, would lose it where the choices are spelt out.
    """
    typed = other if isinstance(other, Variable) else one
    return And((Atom("near", (one, typed)), formula, Equal(one, other)))


def _more(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    parts = st.lists(inner, min_size=2, max_size=3).map(tuple)
    place = st.builds(Variable, st.sampled_from(VARIABLES["place"]))
    return st.one_of(
        st.builds(Not, inner),
        st.builds(And, parts),
        st.builds(Or, parts),
        st.builds(Implies, inner, inner),
        st.builds(Iff, inner, inner),
        st.builds(_guarded, inner, place, terms("place")),
        st.builds(_bound, inner, st.sampled_from([ForAll, Exists]), st.integers(1, 2)),
    )


FORMULAS = st.recursive(ATOMS, _more, max_leaves=8)
WEIGHTS = st.floats(-5, 5, allow_nan=False)


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    formula = draw(FORMULAS)
    if draw(st.booleans()):
        return Rule(formula, hard=True)
    kinds = {name: kind for kind, names in VARIABLES.items() for name in names}
    free = free_variables(formula)
    plus = tuple(draw(st.lists(st.sampled_from(free), unique=True, max_size=2))) if free else ()
    plus = tuple(name for name in free if name in plus)  # the reader lists them in the order of their first use
    if not plus:
        return Rule(formula, weights=draw(st.one_of(st.just({}), st.builds(lambda w: {(): w}, WEIGHTS))))
    keys = st.tuples(*(st.sampled_from(NAMES[kinds[name]]) for name in plus))
    table = draw(st.dictionaries(keys, WEIGHTS, max_size=4))
    return Rule(formula, plus, table, otherwise=0.0 if table else draw(WEIGHTS))


def _model(rule: Rule, closed: bool) -> MarkovLogic:
    words = parse_mln((CLOSED if closed else "") + WORDS)
    return check_model(MarkovLogic(words.predicates, (rule,), words.functions, words.constants, closed=words.closed))


@settings(max_examples=200, deadline=None)
@given(rules(), st.booleans())
def test_model_text_round_trip(rule: Rule, closed: bool) -> None:
    model = _model(rule, closed)
    assert parse_mln(format_mln(model)) == model


@settings(max_examples=200, deadline=None)
@given(FORMULAS)
def test_formula_text_round_trip(formula: Formula) -> None:
    (rule,) = parse_mln(f"{WORDS}goal(?t, ?g).\n1 {format_formula(formula, marked=True)}").rules[1:]
    assert rule.formula == rename_apart(formula)


LINES = st.tuples(st.sampled_from(["Cook", "Nurse", "Rest"]), st.sampled_from(["Hall", "Lab"]), st.integers(-4, 4))
TEMPLATES = st.sampled_from(["", "goal(t, +g) => near(x, +y)\n", "goal(t, Cook) => near(x, +y)\n"])


@settings(max_examples=100, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=8), TEMPLATES)
def test_grouping_changes_no_weight(lines: list[tuple[str, str, int]], template: str) -> None:
    text = "".join(f"{weight} goal(t, {goal}) => near(x, {place})\n" for goal, place, weight in lines)
    total: dict[str, float] = {}
    for rule in parse_mln(WORDS + template + text).rules:
        for key, weight in rule.weights.items():
            said = format_formula(substitute(rule.formula, dict(zip(rule.plus, key, strict=True))))
            total[said] = total.get(said, 0.0) + weight
    wanted: dict[str, float] = {}
    for goal, place, weight in lines:
        said = f"goal(t,{goal}) => near(x,{place})"
        wanted[said] = wanted.get(said, 0.0) + weight
    assert total == wanted
