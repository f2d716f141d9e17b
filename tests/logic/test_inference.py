"""Inference: known answers by every method, explanations, and rejected options."""

import itertools
import math
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.logic.exact import exact_map
from telos.logic.grounding import ground
from telos.logic.inference import METHODS, InferenceResult, explain, infer
from telos.logic.network import Network, Unsatisfiable, score
from telos.logic.syntax import parse_db, parse_mln

SMOKERS = """
person = {A, B}
Smokes(person)
Friends(person, person)
Cancer(person)
1.5 Smokes(x) => Cancer(x)
1.1 Friends(x,y) => (Smokes(x) <=> Smokes(y))
"""
ALL = ("Smokes", "Friends", "Cancer")

# The textbook example of a person and a ruler.
ROMANS = """
Hate(person, person)
Loyal(person, person)
Roman(person)
People(person)
Ruler(person)
Pompeian(person)
Assassinate(person, person)
Pompeian(x) => Roman(x).
Roman(x) => Loyal(x, Caesar) v Hate(x, Caesar).
1 EXIST y Loyal(x, y)
2 People(x) ^ Ruler(y) ^ Assassinate(x, y) => !Loyal(x, y)
1 !Hate(x, x)
"""
ROMAN_FACTS = "People(Marcus)\nPompeian(Marcus)\nRuler(Caesar)\nAssassinate(Marcus, Caesar)"

# Formulas and numbers from pracmln's example "hmm" (https://github.com/danielnyga/pracmln, BSD two-clause licence).
_SEEN = {
    "N": {"flies": 0.30, "like": 0.30, "flower": 0.40},
    "V": {"flies": 0.50, "like": 0.49, "flower": 0.01},
    "ART": {"the": 0.54, "a": 0.46},
    "P": {"flies": 0.10, "like": 0.80, "flower": 0.10},
}
_NEXT = {
    "N": {"N": 0.13, "V": 0.43, "P": 0.44},
    "V": {"N": 0.35, "ART": 0.65},
    "ART": {"N": 1.0},
    "P": {"N": 0.26, "ART": 0.74},
}
_FIRST = {"N": 0.29, "ART": 0.71}


def answered(text: str, facts: str, *query: str, **options: object) -> InferenceResult:
    model = parse_mln(text)
    found = infer(model, parse_db(facts, model), query, **options)  # type: ignore[arg-type]
    assert isinstance(found, InferenceResult)
    return found


def tagger() -> str:
    """Return the tagger as formulas: a weight is the logarithm of a probability; impossible events are forbidden."""

    def line(chance: float | None, formula: str) -> str:
        return f"{math.log(chance)} {formula}" if chance else f"!({formula})."

    lines = ["seq(ti, ti)", "state(ti, st!)", "observation(ti, obs!)"]
    for state, marginals in _SEEN.items():
        lines += [line(marginals.get(o), f"observation(t,{o.title()}) ^ state(t,{state})") for o in
                  ("the", "flies", "like", "a", "flower")]  # fmt: skip
        lines += [line(_NEXT[state].get(then), f"state(t1,{state}) ^ state(t2,{then}) ^ seq(t1,t2)") for then in _SEEN]
        lines.append(line(_FIRST.get(state), f"state(t0,{state}) ^ !(EXIST t seq(t,t0))"))
    return "\n".join(lines)


def test_two_smokers_without_evidence() -> None:
    marginals = answered(SMOKERS, "", *ALL, marginal=True)
    assert marginals.log_z == pytest.approx(12.209774110947912)
    assert marginals.atoms["Smokes(A)"] == pytest.approx(0.336748290856491)
    assert marginals.atoms["Cancer(B)"] == pytest.approx(0.6069426620778536)
    assert marginals.atoms["Friends(A,B)"] == pytest.approx(0.4290908600218933)
    assert marginals.atoms["Friends(A,A)"] == pytest.approx(0.5)
    assert (marginals.exact, marginals.score, marginals.gap) == (True, None, None)


def test_two_smokers_with_one_known() -> None:
    facts = "Smokes(A)\nFriends(A,B)"
    marginals = answered(SMOKERS, facts, *ALL, marginal=True)
    assert marginals.log_z == pytest.approx(10.191763081339278)
    assert marginals.atoms["Smokes(B)"] == pytest.approx(0.733817452442255)
    assert marginals.atoms["Cancer(A)"] == pytest.approx(0.817574476193643)
    assert marginals.atoms["Friends(B,A)"] == pytest.approx(0.4333851275406211)
    assert marginals.atoms["Smokes(A)"] == 1.0
    world = answered(SMOKERS, facts, *ALL)
    assert world.score == pytest.approx(7.4)
    assert world.atoms["Smokes(A)"] == world.atoms["Friends(A,B)"] == world.atoms["Smokes(B)"] == 1


@pytest.mark.parametrize("method", [each for each in METHODS if each not in ("gibbs", "mcsat")])
def test_every_method_finds_the_best_score(method: str) -> None:
    world = answered(SMOKERS, "", *ALL, method=method, seed=3)
    assert world.score == pytest.approx(7.4)
    assert world.exact
    assert {type(value) for value in world.atoms.values()} == {int}


@pytest.mark.parametrize("method", ["gibbs", "mcsat"])
def test_samplers_always_return_marginals(method: str) -> None:
    marginals = answered(SMOKERS, "", *ALL, method=method, seed=3)
    assert marginals.atoms["Smokes(A)"] == pytest.approx(0.337, abs=0.05)
    assert not marginals.exact
    assert marginals.r_hat == pytest.approx(1.0, abs=0.05)
    assert marginals.error is not None
    assert 0 < marginals.error < 0.05


def test_two_hard_clauses() -> None:
    both = answered("H\nS\nH v S.", "", "H", "S", marginal=True)
    assert both.log_z == pytest.approx(math.log(3))
    assert both.atoms == pytest.approx({"H": 2 / 3, "S": 2 / 3})
    implied = answered("H\nS\nH => S.", "", "H", "S", marginal=True)
    assert implied.atoms == pytest.approx({"H": 1 / 3, "S": 2 / 3})
    assert answered("H\nS\nH v S.", "", "H", "S").score == 0
    sampled = answered("H\nS\nH => S.", "", "H", "S", method="gibbs")
    assert sampled.method == "mcsat"
    assert sampled.atoms == pytest.approx({"H": 1 / 3, "S": 2 / 3}, abs=0.05)


def test_weighted_coin() -> None:
    assert answered("Heads\n1 Heads", "", "Heads", marginal=True).atoms["Heads"] == pytest.approx(0.7310585786300049)


@pytest.mark.parametrize(
    "how", ["Outcome(face!)", "Outcome(face)\nEXIST f Outcome(f).\nOutcome(f) ^ !(f = g) => !Outcome(g)."]
)
def test_weighted_die_has_one_face(how: str) -> None:
    text = f"face = {{1,...,6}}\n{how}\n"
    fair = answered(text, "", "Outcome", marginal=True)
    assert list(fair.atoms.values()) == pytest.approx([1 / 6] * 6)
    assert fair.log_z == pytest.approx(math.log(6))
    loaded = answered(f"{text}1 Outcome(3)", "", "Outcome", marginal=True)
    assert loaded.atoms["Outcome(3)"] == pytest.approx(0.3521874283517515)
    assert loaded.atoms["Outcome(4)"] == pytest.approx(0.12956251432964971)
    assert answered(f"{text}1 Outcome(3)", "", "Outcome").atoms["Outcome(3)"] == 1


def test_marcus_hates_caesar() -> None:
    marginals = answered(ROMANS, ROMAN_FACTS, "Hate", "Loyal", "Roman", marginal=True)
    assert marginals.log_z == pytest.approx(9.71308570455108)
    assert marginals.atoms["Hate(Marcus,Caesar)"] == pytest.approx(0.8582298084660624)
    assert marginals.atoms["Loyal(Marcus,Caesar)"] == pytest.approx(0.28354038306787094)
    assert marginals.atoms["Roman(Caesar)"] == pytest.approx(0.41282757691589433)
    for method in ("auto", "cpi", "walksat"):
        world = answered(ROMANS, ROMAN_FACTS, "Hate", opened=["Loyal", "Roman"], method=method)
        assert world.score == pytest.approx(6.0)
        assert world.atoms["Hate(Marcus,Caesar)"] == 1
        assert not any(name.startswith("Loyal") for name in world.atoms)  # hidden, but not queried


@pytest.mark.parametrize("method", ["auto", "cpi"])
def test_flies_like_a_flower(method: str) -> None:
    facts = "observation(T0,Flies)\nobservation(T1,Like)\nobservation(T2,A)\nobservation(T3,Flower)\n"
    facts += "seq(T0,T1)\nseq(T1,T2)\nseq(T2,T3)"
    world = answered(tagger(), facts, "state", method=method)
    assert [name for name, value in world.atoms.items() if value] == [
        "state(T0,N)", "state(T1,P)", "state(T2,ART)", "state(T3,N)",
    ]  # fmt: skip
    assert world.score == pytest.approx(math.log(0.004169763840000001))
    marginals = answered(tagger(), facts, "state", marginal=True)
    assert marginals.atoms["state(T1,P)"] == pytest.approx(0.65540277026432)
    assert marginals.atoms["state(T1,V)"] == pytest.approx(0.3445972297356801)


COLDS = """
person = {Ann, Bob}
Cold(person)
Coughs(person)
Family(person, person)
1.5 Cold(x) => Coughs(x)
"""
WHOLE = "1.1 Family(x,y) => (Cold(x) <=> Cold(y))"
CLAUSES = "1.1 !Family(x,y) v Cold(x) v !Cold(y)\n1.1 !Family(x,y) v !Cold(x) v Cold(y)"


def colds_and_coughs() -> Iterator[tuple[dict[str, int], float]]:
    """Yield every world of two relatives, one of whom coughs, with its score: Table 1."""
    people = ("Ann", "Bob")
    names = [f"{said}({x})" for said in ("Cold", "Coughs") for x in people]
    names += [f"Family({x},{y})" for x in people for y in people]
    for values in itertools.product((0, 1), repeat=len(names)):
        world = dict(zip(names, values, strict=True))
        if world["Coughs(Ann)"] and world["Family(Ann,Bob)"]:
            score = sum(1.5 for x in people if not world[f"Cold({x})"] or world[f"Coughs({x})"])
            pairs = ((x, y) for x in people for y in people)
            alike = (not world[f"Family({x},{y})"] or world[f"Cold({x})"] == world[f"Cold({y})"] for x, y in pairs)
            yield world, score + 1.1 * sum(alike)


@pytest.mark.parametrize("family", [WHOLE, CLAUSES])
def test_colds_and_coughs_of_the_chapter(family: str) -> None:
    facts, query = "Coughs(Ann)\nFamily(Ann,Bob)", ("Cold", "Coughs", "Family")
    worlds = list(colds_and_coughs())
    total = math.fsum(math.exp(score) for _, score in worlds)
    marginals = answered(COLDS + family, facts, *query, marginal=True)
    for name, chance in marginals.atoms.items():
        expected = math.fsum(math.exp(score) for world, score in worlds if world[name]) / total
        assert chance == pytest.approx(expected), name
    clauses = 4 if family == CLAUSES else 0  # of two clauses one always holds, which adds the same to every world
    best = answered(COLDS + family, facts, *query)
    assert best.score == pytest.approx(max(score for _, score in worlds) + 1.1 * clauses)


def test_three_people_with_one_smoker() -> None:
    """The worked example of Alchemy 2, its marginals computed by enumeration."""
    text = """
    p = {Jerry, Elaine, George}
    Smokes(p)
    Friends(p, p)
    Cancer(p)
    1.5 !Smokes(x) v Cancer(x)
    2.0 !Friends(x,y) v !Friends(y,z) v Friends(x,z)
    1.1 !Smokes(x) v !Friends(x,y) v Smokes(y)
    """
    facts = "Smokes(Jerry)\nFriends(Jerry, Elaine)\nFriends(Elaine, George)"
    marginals = answered(text, facts, *ALL, marginal=True)
    assert marginals.log_z == pytest.approx(72.5447422873095)
    assert marginals.atoms["Smokes(George)"] == pytest.approx(0.7080082227672527)
    assert marginals.atoms["Friends(George,Jerry)"] == pytest.approx(0.09536193618266359)
    assert marginals.atoms["Cancer(Elaine)"] == pytest.approx(0.6907195428108966)
    for method in ("auto", "cpi", "walksat"):
        assert answered(text, facts, *ALL, method=method).score == pytest.approx(68.4)
    drawn = answered(text, facts, *ALL, method="mcsat", seed=1)
    assert drawn.atoms["Friends(George,Jerry)"] == pytest.approx(0.0954, abs=0.05)


def test_infer_accepts_opened_and_closed_predicates() -> None:
    text = "person = {A}\nP(person)\nQ(person)\n1 P(x) => Q(x)"
    hidden, closed = pytest.approx((1 + math.e) / (1 + 3 * math.e)), pytest.approx(1 / (1 + math.e))
    assert answered(text, "", "P", marginal=True).atoms["P(A)"] == closed
    assert answered(text, "", "P", marginal=True, opened=["Q"]).atoms["P(A)"] == hidden
    assert answered(f"#open Q\n{text}", "", "P", marginal=True).atoms["P(A)"] == hidden
    assert answered(f"#open Q\n{text}", "", "P", marginal=True, closed=["Q"]).atoms["P(A)"] == closed
    more = answered(f"{text}\n2 Q(x)", "Q(A)\nP(A)", "Q", opened=["P"])
    assert more.atoms == {"Q(A)": 1}


def test_atoms_are_prefixed_by_their_world() -> None:
    model = parse_mln("P(person)\nQ(person)\n1 Q(x) => P(x)")
    answer = infer(model, parse_db("Q(A)\n---\nQ(A)\nQ(B)", model), "P")
    assert isinstance(answer, InferenceResult)
    assert len(answer.atoms) == 3
    assert len({name.split(": ")[0] for name in answer.atoms}) == 2


def test_result_explains_an_atom() -> None:
    world = answered(ROMANS, ROMAN_FACTS, "Hate")
    said = str(world.why("Hate(Marcus,Marcus)"))
    assert "Hate" in said
    assert "1" in said
    with pytest.raises(TelosError, match=r"the query does not include 'Hate\(Brutus\)'"):
        world.why("Hate(Brutus)")


def test_contradictory_hard_formulas_yield_a_minimal_conflict() -> None:
    model = parse_mln("P(person)\nP(Ann).\n!P(x).\nP(x) v !P(x).", "bad.mln")
    for options in ({}, {"marginal": True}, {"method": "cpi"}, {"method": "walksat"}, {"method": "mcsat"}):
        answer = infer(model, parse_db("", model), "P", **options)  # type: ignore[arg-type]
        assert isinstance(answer, Unsatisfiable)
        assert sorted(answer.rules) == [0, 1]
        assert all("bad.mln:" in each for each in answer.conflict)


def test_query_without_constants_is_rejected() -> None:
    model = parse_mln("goal(time, goal)\n1 goal(t, g)")
    with pytest.raises(TelosError, match="no constants of type time"):
        infer(model, parse_db("", model), "goal")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"query": "Smoke"}, "no predicate 'Smoke'; did you mean 'Smokes'"),
        ({"query": ()}, "query is empty"),
        ({"query": "Smokes", "closed": ["Cancr"]}, "did you mean 'Cancer'"),
        ({"query": "Smokes", "method": "gibs"}, "did you mean 'gibbs'"),
        ({"query": "Smokes", "method": "cpi", "marginal": True}, "cpi finds one world and no marginals"),
    ],
)
def test_infer_rejects_bad_options(options: dict[str, object], said: str) -> None:
    model = parse_mln(SMOKERS)
    with pytest.raises(TelosError, match=said):
        infer(model, parse_db("", model), **options)  # type: ignore[arg-type]


def test_exact_method_rejects_wide_networks() -> None:
    count = 40
    facts = "\n".join(f"Near(P{a},P{b})" for a in range(count) for b in range(count) if a != b)
    text = "P(thing)\nNear(thing, thing)\n1 Near(x,y) ^ P(x) => P(y)\n-0.3 P(x)"
    with pytest.raises(TelosError, match="too wide for exact inference; use method 'cpi'"):
        answered(text, facts, "P", method="exact")
    with pytest.raises(TelosError, match="too wide for exact marginals"):
        answered(text, facts, "P", method="exact", marginal=True)
    assert answered(text, facts, "P").method.startswith("cpi")


def test_soft_formula_implied_by_a_hard_one_is_not_counted() -> None:
    model = parse_mln("person = {Anna, Bob}\nill(person)\nold(person)\n!ill(Anna).\n2 !ill(x)\n1 old(x)")
    answer = infer(model, parse_db("old(Anna)", model), "ill")
    assert isinstance(answer, InferenceResult)
    assert answer.score == 2  # of Bob; that Anna is well has to hold anyway


MODEL = parse_mln(
    """
    goal = {Eat, Talk, Test}
    action(time, action)
    goal(time, goal!)
    0.5 goal(t, Eat)
    1.2 action(t, Chat) => goal(t, Talk)
    0.7 action(t, Chew) => goal(t, Eat)
    0.9 goal(t-1, Talk) => goal(t, Talk)
    """
)
STORY = parse_db("action(0, Chat)\naction(1, Chew)\naction(2, Chew)", MODEL)


def best(network: Network) -> object:
    answer = exact_map(network)
    return answer.values  # type: ignore[union-attr]


def test_explanation_names_formulas_with_their_contribution() -> None:
    network = ground(MODEL, STORY, ["goal"])
    said = str(explain(MODEL, network, best(network), 0, against=1))  # type: ignore[arg-type]
    assert said.splitlines() == [
        "goal(0,Eat) rather than goal(0,Talk): +0.2",
        "  -1.200  action(t,Chat) => goal(t,Talk)",
        "  +0.900  goal(t-1,Talk) => goal(t,Talk)   with goal(1,Eat)",
        "  +0.500  goal(t,Eat)",
    ]


def test_explanation_names_hard_formulas() -> None:
    model = parse_mln("person = {Anna}\nsmokes(person)\nill(person)\nsmokes(x) => ill(x).\n-1 ill(x)")
    network = ground(model, parse_db("smokes(Anna)", model), ["ill"])
    told = explain(model, network, best(network), 0)  # type: ignore[arg-type]
    assert (told.chosen, told.against) == ("ill(Anna)", "!ill(Anna)")
    assert told.forbidden == ("smokes(x) => ill(x)",)
    assert told.total == -1


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=3, max_size=3), st.integers(0, 2), st.integers(0, 2))
def test_contributions_sum_to_the_change_of_score(values: list[int], variable: int, against: int) -> None:
    network = ground(MODEL, STORY, ["goal"])
    world = network.given.copy()
    world[:] = values
    other = world.copy()
    other[variable] = against
    told = explain(MODEL, network, world, variable, against=against)
    assert told.total == pytest.approx(score(network, world) - score(network, other))


MEETING = """
#open Talks
Close(time, pair)
Moves(time, pair)
Talks(time, pair)
HoldsAt(time, pair)
1.2 Close(t, p) => HoldsAt(t, p)
0.7 Moves(t, p) => !HoldsAt(t, p)
-0.4 HoldsAt(t, p)
2.0 HoldsAt(t-1, p) => HoldsAt(t, p)
0.9 Talks(t, p) => HoldsAt(t, p)
"""
MONDAY = "Moves(0,AB)\nMoves(1,AB)\nClose(2,AB)\nClose(3,AB)"
TUESDAY = "Moves(0,AB)\nMoves(1,AB)\nMoves(2,AB)"  # nobody was close


def test_day_without_facts_of_a_predicate_is_not_another_question() -> None:
    model = parse_mln(MEETING)
    alone = infer(model, parse_db(TUESDAY, model), "HoldsAt", marginal=True)
    together = infer(model, parse_db(f"{MONDAY}\n---\n{TUESDAY}", model), "HoldsAt", marginal=True)
    assert isinstance(alone, InferenceResult)
    assert isinstance(together, InferenceResult)
    for name, chance in alone.atoms.items():
        assert together.atoms[f"world:2: {name}"] == pytest.approx(chance)
    assert alone.case is not None
    assert "Close" not in alone.case.network.atoms.predicates
    assert (alone.closed_without_facts, alone.open_without_facts) == (("Close",), ("Talks",))
    assert (together.closed_without_facts, together.open_without_facts) == ((), ("Talks",))


def test_conflict_names_the_predicates_without_facts() -> None:
    model = parse_mln("person = {A}\nP(person)\nQ(person)\nP(x).\nP(x) => Q(x).")
    answer = infer(model, parse_db("", model), "P")
    assert isinstance(answer, Unsatisfiable)
    assert answer.closed_without_facts == ("Q",)


WIDE = "Q(t,t)\nP(t,t)\n" + "\n".join(
    f"{weight} {formula}"
    for weight, formula in ((1.1, "P(x,y) ^ P(y,z) => P(x,z)"), (0.7, "P(x,y) => !P(y,x)"), (0.4, "P(x,y) v Q(x,y)"))
)


@pytest.mark.parametrize("method", ["auto", "cpi", "walksat", "gibbs", "mcsat"])
def test_every_method_returns_its_best_when_the_time_is_up(method: str) -> None:
    model = parse_mln(WIDE)
    facts = parse_db("\n".join(f"Q(A{number},A{(number * 7 + 3) % 16})" for number in range(16)), model)
    answer = infer(model, facts, "P", method=method, seconds=0.01)
    assert isinstance(answer, InferenceResult)
    assert answer.stopped
    if answer.score is None:
        assert answer.samples is not None
        assert 1 <= answer.samples < 2000
        assert all(0.0 <= chance <= 1.0 for chance in answer.atoms.values())
    else:
        assert answer.case is not None
        assert answer.gap is not None
        assert answer.gap > 0
        assert math.isfinite(answer.score)


def test_exact_inference_says_that_the_time_is_up() -> None:
    model = parse_mln(WIDE)
    facts = parse_db("\n".join(f"Q(A{number},A{number + 1})" for number in range(16)), model)
    with pytest.raises(TelosError, match="did not end within"):
        infer(model, facts, "P", method="exact", seconds=1e-6)


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan])
def test_time_budget_must_be_positive(seconds: float) -> None:
    model = parse_mln(WIDE)
    with pytest.raises(TelosError, match="seconds must be greater than 0"):
        infer(model, parse_db("Q(A,B)", model), "P", seconds=seconds)


def test_walk_does_not_depend_on_the_pieces_of_its_budget() -> None:
    model = parse_mln(WIDE)
    facts = parse_db("\n".join(f"Q(A{number},A{(number * 3 + 1) % 5})" for number in range(5)), model)
    one, two = (infer(model, facts, "P", method="walksat", seconds=seconds) for seconds in (None, 600.0))
    assert isinstance(one, InferenceResult)
    assert isinstance(two, InferenceResult)
    assert not two.stopped
    assert one.atoms == two.atoms


def test_worlds_times_constants_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("telos.logic.grounding.atoms.MAX_EXISTING", 1_000)
    model = parse_mln("n = {1,...,100}\nP(n)\nQ(n)\n1 Q(x) => P(x)")
    with pytest.raises(TelosError, match="worlds are more than"):
        infer(model, parse_db("Q(1)\n---\n" * 20, model), "P")
