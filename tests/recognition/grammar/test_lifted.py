"""Plans with parameters: HDDL read, variables bound by what is seen, the world kept track of."""

import json
from pathlib import Path

import pytest

from telos.core.errors import DefinitionError, TelosError
from telos.recognition.grammar.hddl import (
    HddlDomain,
    HddlLiteral,
    HddlProblem,
    HddlStep,
    read_hddl_domain,
    read_hddl_problem,
)
from telos.recognition.grammar.lifted import LiftedLimits, LiftedReader, learn_follow, lifted_next_actions
from telos.recognition.grammar.lifted_state import build_lifted_tables
from telos.studies.plan_grammars import run_plan_grammars
from telos.studies.report import page

DOMAIN = """\
(define (domain errands)
  (:types place thing person - object key cup - thing)
  (:predicates (at ?o - object ?p - place) (wanted ?c - cup))
  (:task top :parameters ())
  (:task bring :parameters (?t - thing ?p - place))
  (:task visit :parameters (?p - place))
  (:task reach :parameters (?p - place))
  (:method m-bring-cup :parameters (?c - cup ?p - place) :task (top) :precondition (wanted ?c)
    :subtasks (and (bring ?c ?p)))
  (:method m-bring-key :parameters (?k - key ?p - place) :task (top) :subtasks (bring ?k ?p))
  (:method m-visit :parameters (?p - place) :task (top) :subtasks (visit ?p))
  (:method m-bring :parameters (?t - thing ?p ?q - place) :task (bring ?t ?p)
    :precondition (and (at ?t ?q) (not (= ?p ?q)))
    :ordered-subtasks (and (reach ?q) (take ?t ?q) (reach ?p) (drop ?t ?p)))
  (:method m-visit-talk :parameters (?p - place ?w - person) :task (visit ?p)
    :precondition (and (at ?w ?p))
    :subtasks (and (a (reach ?p)) (b (greet ?w)) (c (sit ?p))) :ordering (and (a < b) (< a c)))
  (:method m-there :parameters (?p - place) :task (reach ?p) :precondition (and (at me ?p)))
  (:method m-walk :parameters (?p ?q - place) :task (reach ?p) :precondition (not (at me ?p))
    :ordered-subtasks (and (walk ?q ?p)))
  (:action walk :parameters (?q ?p - place) :precondition (at me ?q) :effect (and (at me ?p) (not (at me ?q))))
  (:action take :parameters (?t - thing ?q - place) :precondition (at ?t ?q) :effect (not (at ?t ?q)))
  (:action drop :parameters (?t - thing ?p - place) :precondition () :effect (at ?t ?p))
  (:action greet :parameters (?w - person) :precondition () :effect ())
  (:action sit :parameters (?p - place) :precondition () :effect ())
)"""
PROBLEM = """\
(define (problem p) (:domain errands)
  (:objects home shop park - place k1 - key c1 c2 - cup me ann - person)
  (:htn :tasks (top))
  (:init (at me home) (at k1 shop) (at c1 shop) (at c2 park) (at ann park) (wanted c1)))"""


@pytest.fixture(name="domain")
def read() -> HddlDomain:
    return read_hddl_domain(DOMAIN)


@pytest.fixture(name="problem")
def read_too() -> HddlProblem:
    return read_hddl_problem(PROBLEM)


def reader_after(domain: HddlDomain, problem: HddlProblem, *actions: str, hide: bool = False) -> LiftedReader:
    hidden = {"hidden_predicates": ["wanted"], "hidden_objects": ["c1"]} if hide else {}
    reader = LiftedReader(domain, problem, ["bring", "visit"], **hidden)
    for action in actions:
        name, *arguments = action.split()
        assert reader.observe(HddlStep(name, tuple(arguments))), f"{action} was not explained"
    return reader


def test_a_domain_is_read_with_its_orders_and_conditions(domain: HddlDomain) -> None:
    talk = domain.methods["visit"][0]
    assert talk.before == (frozenset(), frozenset({0}), frozenset({0}))
    assert HddlLiteral("=", ("?p", "?q"), positive=False) in domain.methods["bring"][0].needs
    assert domain.above["cup"] == {"cup", "thing", "object"}
    tables = build_lifted_tables(domain)
    assert tables.first["bring"] == {"walk", "take"}
    assert tables.may_be_nothing == {"reach"}
    assert tables.statics == {"wanted"}


def test_goals_and_their_arguments_come_out_as_the_plan_is_seen(domain: HddlDomain, problem: HddlProblem) -> None:
    walked = reader_after(domain, problem, "walk home shop")
    assert walked.goal_names() == pytest.approx({"bring": 1.0}), "nobody is at the shop to be visited"
    taken = reader_after(domain, problem, "walk home shop", "take c1 shop", "walk shop park")
    assert taken.goal_shares() == pytest.approx({("bring", ("c1", "park")): 1.0})


def test_unwanted_task_is_excluded_unless_wants_are_hidden(domain: HddlDomain, problem: HddlProblem) -> None:
    reader = LiftedReader(domain, problem, ["bring", "visit"])
    reader.observe(HddlStep("walk", ("home", "park")))
    assert not reader.observe(HddlStep("take", ("c2", "park")))
    assert reader.unexplained == 1
    assert reader_after(domain, problem, "walk home park", "take c2 park", hide=True).goal_names() == {"bring": 1.0}


def test_an_object_that_was_hidden_is_known_when_it_is_seen(domain: HddlDomain, problem: HddlProblem) -> None:
    reader = reader_after(domain, problem, "walk home shop", "take c1 shop", "walk shop home", hide=True)
    assert reader.goal_shares() == pytest.approx({("bring", ("c1", "home")): 1.0})


def test_steps_without_an_order_may_come_either_way(domain: HddlDomain, problem: HddlProblem) -> None:
    for last in (("greet ann", "sit park"), ("sit park", "greet ann")):
        reader = reader_after(domain, problem, "walk home park", *last)
        assert reader.goal_shares() == pytest.approx({("visit", ("park",)): 1.0})


def test_the_next_action_is_foretold_with_its_arguments(domain: HddlDomain, problem: HddlProblem) -> None:
    exact, names = lifted_next_actions(reader_after(domain, problem, "walk home shop", "take k1 shop"))
    assert names == pytest.approx({"walk": 0.5}), "what is brought to where it was is not brought"
    walks = {HddlStep("walk", ("shop", place)) for place in ("home", "park", "shop")}
    assert set(exact) == walks, "nobody can walk from where he is not"


def test_methods_are_counted_and_their_chances_used(domain: HddlDomain, problem: HddlProblem) -> None:
    reader = reader_after(domain, problem, "walk home shop", "take c1 shop", "walk shop park", "drop c1 park")
    counts = reader.method_counts()
    assert counts["top", "m-bring-cup"] == pytest.approx(1.0)
    assert counts["reach", "m-walk"] == pytest.approx(2.0)
    never = {("top", "m-bring-cup"): 0.0, ("top", "m-bring-key"): 0.5, ("top", "m-visit"): 0.5}
    prejudiced = LiftedReader(domain, problem, ["bring"], chances=never)
    prejudiced.observe(HddlStep("walk", ("home", "shop")))
    assert not prejudiced.observe(HddlStep("take", ("c1", "shop")))


def test_going_on_with_what_was_begun_is_learned() -> None:
    often, seldom = {(1, 3): [9.0, 10.0]}, {(1, 3): [1.0, 10.0]}
    assert learn_follow([often]) == pytest.approx(27.0, rel=1e-3)  # 27 / (27 + 3) = 0.9
    assert learn_follow([seldom]) == pytest.approx(1 / 3, rel=1e-3)
    assert learn_follow([{(0, 2): [0.0, 5.0]}]) == 1.0


def test_a_narrow_beam_says_what_it_lost(domain: HddlDomain, problem: HddlProblem) -> None:
    reader = LiftedReader(domain, problem, ["bring", "visit"], limits=LiftedLimits(beam=1))
    reader.observe(HddlStep("walk", ("home", "shop")))
    assert len(reader.hypotheses) == 1
    assert 0 < reader.lost < 1


def test_an_action_that_the_domain_does_not_have_is_refused(domain: HddlDomain, problem: HddlProblem) -> None:
    with pytest.raises(TelosError, match="fly home"):
        LiftedReader(domain, problem, ["bring"]).observe(HddlStep("fly", ("home",)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(define (domain d)", "<text>:1:1: a '(' that is never closed"),
        ("(define (domain d)))", "a ')' that closes nothing"),
        ("hello", "this is not HDDL"),
        ("(define (domain d)\n(:method m :parameters ()))", "<text>:2:1: method 'm' has no task"),
        (
            "(define (domain d) (:task t)\n(:method m :task (t) :subtasks (and (fly))))",
            "<text>:2:1: unknown task 'fly'",
        ),
        ("(define (domain d)\n(:action a :precondition (or (p) (q))))", "<text>:2:1: 'or' is not supported"),
        ("(" * 200, "too deeply nested"),
    ],
)
def test_invalid_or_unsupported_hddl_is_refused_at_its_line(text: str, said: str) -> None:
    with pytest.raises(DefinitionError) as error:
        read_hddl_domain(text)
    assert said in str(error.value)


@pytest.mark.parametrize(
    "line",
    ['{"id": "a"}', '{"obs": []}', "[]", '{"id": "a", "obs": 3}', "[" * 100_000, '{"id": ' + "1" * 5000 + "}", "\xff"],
)
def test_damaged_problems_of_a_study_are_refused_with_their_line(line: str, tmp_path: Path) -> None:
    (tmp_path / "domain.hddl").write_text(DOMAIN.replace("top", "tlt"), encoding="utf-8")
    (tmp_path / "problems").mkdir()
    (tmp_path / "labels.jsonl").write_text('{"id": "a", "goals": ["(visit park)"]}\n', encoding="utf-8")
    (tmp_path / "observations.jsonl").write_bytes(line.encode("latin-1"))
    with pytest.raises(TelosError, match=r"observations\.jsonl:1"):
        run_plan_grammars("monroe", tmp_path)


def test_a_study_runs_on_a_folder_of_problems(tmp_path: Path) -> None:
    domain = DOMAIN.replace("(:task top :", "(:task tlt :").replace(":task (top)", ":task (tlt)")
    (tmp_path / "domain.hddl").write_text(domain, encoding="utf-8")
    (tmp_path / "problems").mkdir()
    plans = {
        "a": ("(bring c1 park)", ["(walk home shop)", "(take C1 shop)", "(walk shop park)", "(drop c1 park)"]),
        "b": ("(visit park)", ["(walk home park)", "(greet ann)", "(sit park)"]),
    }
    for name, wanted in (("a", "(wanted c1)"), ("b", "")):
        text = PROBLEM.replace("(top)", "(tlt)").replace("(wanted c1)", wanted)
        (tmp_path / "problems" / f"{name}.hddl").write_text(text, encoding="utf-8")
    with (
        (tmp_path / "observations.jsonl").open("w", encoding="utf-8") as seen,
        (tmp_path / "labels.jsonl").open("w", encoding="utf-8") as labels,
    ):
        for name, (goal, actions) in plans.items():
            seen.write(json.dumps({"id": name, "obs": actions}) + "\n")
            labels.write(json.dumps({"id": name, "goals": [goal]}) + "\n")
    study = run_plan_grammars("monroe", tmp_path)
    assert len(study.data["conditions"]) == 4
    assert study.data["hidden"]["predicates"] == ["wanted"]
    assert study.data["conditions"]["even chances"]["goal with arguments"][-1] == 1.0
    assert study.data["conditions"]["even chances"]["actions unexplained"] == 0
    assert "goal-specific facts hidden" in page(study)


def test_a_study_refuses_folders_and_kinds_that_it_does_not_know(tmp_path: Path) -> None:
    with pytest.raises(TelosError, match=r"domain\.hddl' is missing; name the folder"):
        run_plan_grammars("monroe", tmp_path)
    with pytest.raises(TelosError, match="'kitchen'"):
        run_plan_grammars("kitchn", tmp_path)
