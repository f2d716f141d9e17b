"""``telos logic`` infers and learns on the field's own files, and says what is wrong in one line."""

import doctest
import json
import math
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from telos.cli.logic import logic
from telos.core.errors import TelosError
from telos.logic.syntax import load_mln

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "infer-with-markov-logic.md"

SMOKING = """Smokes(person)
Friends(person, person)
Cancer(person)
1.5 Smokes(x) => Cancer(x)
1.1 Friends(x,y) => (Smokes(x) <=> Smokes(y))
"""
PEOPLE = "Smokes(Ann)\nFriends(Ann,Bob)\nFriends(Bob,Ann)\n"

GOALS = """goal(time, goal!)
action(time, action)
action(t, +a) => goal(t, +g)
goal(t-1, +g) => goal(t, +h)
"""
DAY = "".join(
    f"action({t},{act})\ngoal({t},{goal})\n"
    for t, (act, goal) in enumerate([("Chop", "Eat"), ("Stir", "Eat"), ("Walk", "Rest"), ("Sit", "Rest")] * 3)
)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(logic, [str(each) for each in arguments], catch_exceptions=False)


def told(*arguments: object) -> dict[str, Any]:
    answer = run(*arguments, "--json")
    assert answer.exit_code == 0, answer.output
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


@pytest.fixture
def smoking(tmp_path: Path) -> tuple[Path, Path]:
    return written(tmp_path, "smoking.mln", SMOKING), written(tmp_path, "people.db", PEOPLE)


@pytest.fixture
def goals(tmp_path: Path) -> tuple[Path, list[Path]]:
    days = [written(tmp_path, f"day{number}.db", DAY) for number in range(3)]
    return written(tmp_path, "goals.mln", GOALS), days


def written(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_the_most_probable_world_is_told_as_promised(smoking: tuple[Path, Path]) -> None:
    found = told("infer", *smoking, "--query", "Smokes,Cancer")
    assert found["atoms"] == {"Smokes(Ann)": 1, "Smokes(Bob)": 1, "Cancer(Ann)": 1, "Cancer(Bob)": 1}
    assert found["score"] == pytest.approx(2 * 1.5 + 2 * 1.1)
    assert (found["exact"], found["gap"]) == (True, 0)


@pytest.mark.parametrize("method", ["auto", "exact", "cpi", "walksat"])
def test_every_search_can_be_asked_for(smoking: tuple[Path, Path], method: str) -> None:
    found = told("infer", *smoking, "-q", "Smokes", "-q", "Cancer", "--method", method, "--seed", 2)
    assert found["score"] == pytest.approx(5.2)


@pytest.mark.parametrize(("method", "exact"), [("auto", True), ("gibbs", False), ("mcsat", False)])
def test_chances_are_numbers_between_nought_and_one(smoking: tuple[Path, Path], method: str, exact: bool) -> None:
    found = told("infer", *smoking, "-q", "Cancer", "--marginal", "--method", method)
    assert found["atoms"]["Cancer(Ann)"] == pytest.approx(0.8175744761936458, abs=1e-6 if exact else 0.05)
    assert (found["exact"], found["score"]) == (exact, None)
    assert ("r_hat" in found) != exact


def test_the_table_shows_what_is_true_and_how_sure_that_is(smoking: tuple[Path, Path]) -> None:
    said = run("infer", *smoking, "-q", "Smokes", "--open", "Cancer").output
    assert "Smokes(Bob)" in said
    assert "2 of 2 atoms are true; score 5.2, and no world scores more" in said


def test_the_table_of_chances_has_the_likeliest_first(smoking: tuple[Path, Path]) -> None:
    said = run("infer", *smoking, "-q", "Smokes,Cancer", "--marginal").output
    assert said.index("Smokes(Ann)") < said.index("Cancer(Ann)") < said.index("Cancer(Bob)")
    assert "0.8176" in said
    assert "exact chances" in said


def test_a_long_table_is_cut_and_says_so(tmp_path: Path) -> None:
    model = written(tmp_path, "m.mln", "P(thing)\nQ(thing)\n1 Q(x) => P(x)\n")
    data = written(tmp_path, "d.db", "".join(f"Q(T{number})\n" for number in range(300)))
    said = run("infer", model, data, "-q", "P").output
    assert "and 100 more; --json tells all" in said


def test_the_formulas_for_an_atom_can_be_asked_for(smoking: tuple[Path, Path]) -> None:
    assert "Cancer(Ann) rather than" in run("infer", *smoking, "-q", "Cancer", "--why", "Cancer(Ann)").output
    reasons = told("infer", *smoking, "-q", "Cancer", "--why", "Cancer( Ann )")["why"]
    assert reasons["total"] == pytest.approx(sum(part["value"] for part in reasons["parts"]))
    assert reasons["total"] == pytest.approx(1.5)


def test_contradictory_hard_formulas_are_a_negative_answer(tmp_path: Path) -> None:
    model = written(tmp_path, "bad.mln", "P(thing)\nQ(thing)\nQ(x) => P(x).\n!P(A).\n")
    data = written(tmp_path, "d.db", "Q(A)\nQ(B)\n")
    answer = run("infer", model, data, "-q", "P", "--json")
    assert answer.exit_code == 1
    conflict = json.loads(answer.stdout)["unsatisfiable"]
    assert [each.split("  [")[0] for each in conflict] == ["P(A)", "!P(A)"]
    assert "bad.mln:3" in conflict[0]
    answer = run("infer", model, data, "-q", "P")
    assert answer.exit_code == 1
    assert answer.output.startswith("unsatisfiable")


def test_an_open_or_closed_predicate_can_be_named(tmp_path: Path) -> None:
    model = written(tmp_path, "m.mln", "P(thing)\nQ(thing)\n1 P(x) => Q(x)\n")
    data = written(tmp_path, "d.db", "")
    text = "thing = {A}\n" + model.read_text(encoding="utf-8")
    model.write_text(text, encoding="utf-8")
    hidden = told("infer", model, data, "-q", "P", "--marginal", "--open", "Q")
    closed = told("infer", model, data, "-q", "P", "--marginal")
    assert hidden["atoms"]["P(A)"] > closed["atoms"]["P(A)"]
    assert (hidden["open_without_facts"], hidden["closed_without_facts"]) == (["Q"], [])
    assert (closed["open_without_facts"], closed["closed_without_facts"]) == ([], ["Q"])
    assert "no facts of Q: taken to be closed" in run("infer", model, data, "-q", "P").output
    model.write_text(f"#open Q\n{text}", encoding="utf-8")
    assert told("infer", model, data, "-q", "P", "--marginal")["atoms"] == hidden["atoms"]
    data.write_text("Q(A)\n", encoding="utf-8")
    opened = told("infer", model, data, "-q", "P", "--marginal", "--open", "Q")["atoms"]["P(A)"]
    assert opened == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-q", "Smoke"), "did you mean 'Smokes'"),
        (("-q", "Smokes", "--method", "gib"), "did you mean 'gibbs'"),
        (("-q", "Smokes", "--method", "cpi", "--marginal"), "no marginals"),
        (("-q", "Smokes", "--why", "Smokes(Bab)"), r"did you mean 'Smokes\(Bob\)'"),
    ],
)
def test_bad_questions_are_refused_in_one_line(
    smoking: tuple[Path, Path], arguments: tuple[str, ...], said: str
) -> None:
    with pytest.raises(TelosError, match=said) as caught:
        run("infer", *smoking, *arguments)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path, smoking: tuple[Path, Path]) -> None:
    with pytest.raises(TelosError, match=r"none\.db"):
        run("infer", smoking[0], tmp_path / "none.db", "-q", "Smokes")


def test_bad_input_ends_with_two_and_no_traceback(tmp_path: Path, smoking: tuple[Path, Path]) -> None:
    written(tmp_path, "bad.mln", "Smokes(person)\nnan Smokes(x)\n")
    command = [sys.executable, "-c", "from telos.cli.main import run; run()", "logic", "infer"]
    done = subprocess.run(
        [*command, "bad.mln", "people.db", "--query", "Smokes"], cwd=tmp_path, capture_output=True, text=True,
        check=False, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.returncode == 2
    assert "bad.mln:2" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("by", ["mira", "perceptron", "likelihood", "prefix"])
def test_a_learned_model_reads_the_goals_it_learned_from(
    tmp_path: Path, goals: tuple[Path, list[Path]], by: str
) -> None:
    model, days = goals
    output = tmp_path / "learned.mln"
    figures = told("learn", model, *days, "-q", "goal", "-o", output, "--by", by, "--epochs", 10)
    assert figures["epochs"][-1]["accuracy"] == 1.0
    assert figures["weights"] > 0
    evidence = written(tmp_path, "seen.db", "\n".join(line for line in DAY.splitlines() if "action" in line))
    found = told("infer", output, evidence, "-q", "goal")
    assert [name for name, value in found["atoms"].items() if value] == [
        line for line in DAY.splitlines() if line.startswith("goal")
    ]


def test_learning_says_what_it_did(tmp_path: Path, goals: tuple[Path, list[Path]]) -> None:
    model, days = goals
    said = run("learn", model, *days, "-q", "goal", "-o", tmp_path / "o.mln", "--held-out", 0.3, "--epochs", 4).output
    assert "from 3 worlds by mira" in said
    assert "of those held out" in said
    assert "o.mln" in said


def test_learning_goes_on_where_it_stopped(tmp_path: Path, goals: tuple[Path, list[Path]]) -> None:
    model, days = goals
    command = ("learn", model, *days, "-q", "goal", "--by", "likelihood", "--seed", 3)
    told(*command, "-o", tmp_path / "half.mln", "--epochs", 4, "--resume", tmp_path / "kept.json")
    rest = told(*command, "-o", tmp_path / "rest.mln", "--epochs", 8, "--resume", tmp_path / "kept.json")
    whole = told(*command, "-o", tmp_path / "whole.mln", "--epochs", 8)
    assert rest["epochs"] == whole["epochs"]
    weights = [load_mln(tmp_path / f"{name}.mln").rules[0].weights for name in ("rest", "whole")]
    assert weights[0] == pytest.approx(weights[1])


def test_learning_refuses_to_overwrite_what_it_reads(goals: tuple[Path, list[Path]]) -> None:
    model, days = goals
    before = model.read_text(encoding="utf-8")
    with pytest.raises(TelosError, match="is an input"):
        run("learn", model, *days, "-q", "goal", "-o", model)
    assert model.read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--by", "miro"), "did you mean 'mira'"),
        (("--held-out", "1.5"), "from 0 to .*, got 1.5"),
        (("--epochs", "0"), "epochs must be at least 1"),
    ],
)
def test_bad_options_of_learning_are_named(
    tmp_path: Path, goals: tuple[Path, list[Path]], options: tuple[str, ...], said: str
) -> None:
    model, days = goals
    with pytest.raises(TelosError, match=said):
        run("learn", model, *days, "-q", "goal", "-o", tmp_path / "o.mln", *options)
    assert not (tmp_path / "o.mln").exists()


def test_one_world_cannot_be_held_out(tmp_path: Path, goals: tuple[Path, list[Path]]) -> None:
    with pytest.raises(TelosError, match="at least two worlds"):
        run("learn", goals[0], goals[1][0], "-q", "goal", "-o", tmp_path / "o.mln", "--held-out", 0.5)


def test_a_file_that_no_run_kept_is_refused(tmp_path: Path, goals: tuple[Path, list[Path]]) -> None:
    other = written(tmp_path, "other.json", "{}")
    with pytest.raises(TelosError, match="not a saved state"):
        run("learn", goals[0], *goals[1], "-q", "goal", "-o", tmp_path / "o.mln", "--resume", other)


def test_the_page_shows_what_the_commands_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = PAGE.read_text(encoding="utf-8")
    for name, text in re.findall(r"`(\S+\.(?:mln|db))`:\n\n```text\n(.*?)```", shown, flags=re.DOTALL):
        written(tmp_path, name, text)

    def again(block: re.Match[str]) -> str:
        said = run(*shlex.split(block[2])).stdout
        return block[1] + "".join(f"{line.rstrip()}\n" for line in said.splitlines()) + "```"

    said, count = re.subn(r"(```console\n\$ telos logic (.*?)\n).*?```", again, shown, flags=re.DOTALL)
    assert count == 4
    if request.config.getoption("--update-golden"):
        PAGE.write_text(said, encoding="utf-8")
    assert said == PAGE.read_text(encoding="utf-8"), f"{PAGE.name} differs; if that is right: pytest --update-golden"


def test_the_examples_of_the_page_in_python_are_true() -> None:
    assert doctest.testfile(str(PAGE), module_relative=False).failed == 0


def _kept_state(tmp_path: Path, goals: tuple[Path, list[Path]], by: str) -> tuple[tuple[object, ...], Path]:
    kept = tmp_path / f"{by}.json"
    command = ("learn", goals[0], *goals[1], "-q", "goal", "--by", by, "--resume", kept)
    run(*command, "-o", tmp_path / "o.mln", "--epochs", 3)
    return command, kept


def _damage(state: dict[str, Any], how: str) -> object:
    inside = state["state"]
    match how:
        case "no warm_up":
            del inside["warm_up"]
        case "NaN":
            inside["learner"]["weights" if "weights" in inside["learner"] else "place"][0] = math.nan
        case "short":
            inside["learner"]["weights" if "weights" in inside["learner"] else "place"].pop()
        case "wrong type":
            inside["epochs"] = {"1": 2}
        case "unknown key":
            inside["learner"]["other"] = 1
        case "another epoch":
            inside["learner"]["epoch"] = 77
        case "model":
            state["model"] = "((("
        case "method":
            state["by"] = "perceptron" if state["by"] == "mira" else "mira"
        case "list":
            return []
    return state


@pytest.mark.parametrize("by", ["mira", "likelihood"])
@pytest.mark.parametrize(
    "how",
    ["no warm_up", "NaN", "short", "wrong type", "unknown key", "another epoch", "model", "method", "list"],
)
def test_damaged_states_are_refused(tmp_path: Path, goals: tuple[Path, list[Path]], by: str, how: str) -> None:
    command, kept = _kept_state(tmp_path, goals, by)
    text = json.dumps(_damage(json.loads(kept.read_text(encoding="utf-8")), how))
    kept.write_text(text, encoding="utf-8")
    with pytest.raises(TelosError, match=kept.name) as error:
        run(*command, "-o", tmp_path / "p.mln", "--epochs", 6)
    assert len(str(error.value).splitlines()) == 1
    assert kept.read_text(encoding="utf-8") == text
    assert not (tmp_path / "p.mln").exists()


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"by": ' + "1" * 5000 + "}", "\0", "NaN"])
def test_texts_that_are_no_state_are_refused(tmp_path: Path, goals: tuple[Path, list[Path]], text: str) -> None:
    other = written(tmp_path, "other.json", text)
    with pytest.raises(TelosError, match="not a saved state"):
        run("learn", goals[0], *goals[1], "-q", "goal", "-o", tmp_path / "o.mln", "--resume", other)


def test_state_of_other_options_is_refused(tmp_path: Path, goals: tuple[Path, list[Path]]) -> None:
    command, kept = _kept_state(tmp_path, goals, "mira")
    before = kept.read_text(encoding="utf-8")
    with pytest.raises(TelosError, match="another model"):
        run(*command, "-o", tmp_path / "p.mln", "--epochs", 6, "--seed", 7)
    assert kept.read_text(encoding="utf-8") == before


def test_learning_keeps_its_files_apart(tmp_path: Path, goals: tuple[Path, list[Path]]) -> None:
    model, days = goals
    out = tmp_path / "o.mln"
    for options in (("-o", out, "--resume", out), ("-o", out, "--resume", days[0]), ("-o", days[0])):
        with pytest.raises(TelosError):
            run("learn", model, *days, "-q", "goal", *options)
    (tmp_path / "link.mln").symlink_to(model)
    with pytest.raises(TelosError, match="is an input"):
        run("learn", model, *days, "-q", "goal", "-o", tmp_path / "link.mln")


def test_far_numbers_of_a_type_are_learned_and_written(tmp_path: Path) -> None:
    data = written(tmp_path, "big.db", "q(1)\np(1)\n")
    for last in ("1000000000", "99999999999999999999"):
        model = written(tmp_path, "big.mln", f"num = {{0,1,2,{last}}}\nq(num)\np(num)\n1 q(x) => p(x)\n")
        told("learn", model, data, "-q", "p", "-o", tmp_path / "out.mln")
        assert load_mln(tmp_path / "out.mln").constants["num"][-1] == last
