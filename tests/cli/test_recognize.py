"""``telos recognize`` prints the belief after each event, keeps players apart, and refuses bad logs in one line."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from cli.adventure_logs import interleaved, log_lines, write_lines
from telos.cli.logs.recognize import recognize
from telos.core.errors import TelosError
from telos.recognition.files.load import create_recognizer, named_model
from telos.recognition.filtering import Reader
from telos.recognition.hindsight import find_story
from telos.telemetry.logs import read_log

APP = typer.Typer()
APP.command()(recognize)
MODELS = ("adventure", "flairs", "flairs-constant", "flairs-fsm", "aiide", "aiide-fsm")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(APP, [str(each) for each in arguments], catch_exceptions=False)


def objects(*arguments: object) -> list[dict[str, Any]]:
    answer = run(*arguments, "--json")
    assert answer.exit_code == 0, answer.output
    return [json.loads(line) for line in answer.stdout.splitlines()]


def refused(file: Path, *arguments: object) -> str:
    with pytest.raises(TelosError) as caught:
        run(file, *arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(file), "LOG")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "play.jsonl", log_lines())


def live(file: Path, model: str) -> list[dict[str, float]]:
    reader = create_recognizer(named_model(model), seed=1)
    return [dict(reader.observe(row.event)) for row in read_log(file)]


@pytest.mark.parametrize("model", MODELS)
def test_the_command_says_what_a_live_reader_believes(log: Path, model: str) -> None:
    said = objects(log, "--model", model)
    assert [each["belief"] for each in said] == live(log, model)
    assert all(each["top"] == max(each["belief"], key=each["belief"].__getitem__) for each in said)
    rows = list(read_log(log))
    assert [(each["player"], each["time"], each["action"]) for each in said] == [
        (row.event.player, row.event.time, row.event.action) for row in rows
    ]


def test_a_fresh_process_says_the_same_to_the_last_digit(log: Path) -> None:
    code = "import typer; from telos.cli.logs.recognize import recognize; typer.run(recognize)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(log), "--json"], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert [json.loads(line)["belief"] for line in done.stdout.splitlines()] == live(log, "adventure")


@pytest.mark.parametrize("stop", [0, 1, 17, 59, 60])
def test_a_reader_that_was_saved_and_resumed_in_the_middle_says_the_same(log: Path, stop: int) -> None:
    model = named_model("aiide")
    before, said = Reader(model), []  # type: ignore[arg-type]
    rows = list(read_log(log))
    said += [dict(before.observe(row.event)) for row in rows[:stop]]
    after = Reader.resume(model, json.loads(json.dumps(before.save())))  # type: ignore[arg-type]
    said += [dict(after.observe(row.event)) for row in rows[stop:]]
    assert said == [each["belief"] for each in objects(log, "--model", "aiide")]


def test_two_players_interleaved_are_kept_apart(tmp_path: Path) -> None:
    ann, bo = log_lines(player="ann", seed=2), log_lines(player="bo", seed=3)
    both = objects(write_lines(tmp_path / "both.jsonl", interleaved(ann, bo)))
    for name, lines in (("ann", ann), ("bo", bo)):
        alone = objects(write_lines(tmp_path / f"{name}.jsonl", lines))
        assert [each for each in both if each["player"] == name] == alone
        assert objects(tmp_path / "both.jsonl", "--player", name) == alone


def test_sessions_of_a_player_start_afresh(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in log_lines(20)]
    twice = [json.dumps({**line, "session": session}) for session in ("1", "2") for line in lines]
    said = objects(write_lines(tmp_path / "twice.jsonl", twice))  # although time starts over
    assert [each["belief"] for each in said[:20]] == [each["belief"] for each in said[20:]]
    assert [each["session"] for each in said] == ["1"] * 20 + ["2"] * 20
    shown = run(tmp_path / "twice.jsonl").stdout.splitlines()[1:]
    assert [line.split()[0] for line in shown] == ["p1/1"] * 20 + ["p1/2"] * 20


def test_people_get_a_line_for_each_event_under_a_heading(log: Path) -> None:
    answer = run(log, "--model", "flairs")
    heading, *lines = answer.stdout.splitlines()
    assert heading.split() == ["player", "time", "action", "likeliest", "level", "explore", "town"]
    assert len(lines) == 60
    first = objects(log, "--model", "flairs")[0]
    assert lines[0].split()[0] == "p1"
    assert lines[0].split()[-3:] == [f"{chance:.0%}" for chance in first["belief"].values()]
    assert "\x1b" not in answer.stdout


def test_beliefs_can_be_written_to_a_file(log: Path, tmp_path: Path) -> None:
    answer = run(log, "-o", tmp_path / "beliefs.jsonl")
    assert answer.stdout == f"60 events of 1 sequences, written to {tmp_path / 'beliefs.jsonl'}\n"
    written = [json.loads(line) for line in (tmp_path / "beliefs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert written == objects(log)


def test_the_story_of_each_session_is_told(log: Path) -> None:
    spans = find_story(named_model("flairs"), [row.event for row in read_log(log)])  # type: ignore[arg-type]
    told = objects(log, "--model", "flairs", "--story")
    assert [(each["goal"], each["from"], each["to"]) for each in told] == [
        (span.goal, span.start, span.end) for span in spans
    ]
    heading, *lines = run(log, "--model", "flairs", "--story").stdout.splitlines()
    assert heading == "p1"
    assert len(lines) == len(spans)
    assert spans[0].goal in lines[0]


def test_the_last_updates_are_explained_and_add_up(log: Path) -> None:
    (*_, last) = objects(log, "--model", "flairs", "--why", "5")
    why = last["why"]
    assert len(why["parts"]) == 5
    added = sum(part["by_change"] + part["by_sight"] for part in why["parts"])
    assert why["start"] + added == pytest.approx(why["total"])
    said = run(log, "--model", "flairs", "--why", "5").stdout
    assert f"{why['goal']} over {why['over']}" in said


@pytest.mark.parametrize("option", ["--story", "--why=3"])
def test_a_state_machine_has_no_story_and_no_reasons(log: Path, option: str) -> None:
    assert "needs a model with probabilities, and flairs-fsm is a state machine" in refused(
        log, "--model", "flairs-fsm", option
    )


def test_a_belief_that_no_goal_allows_survives_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "sure.yaml"
    file.write_text(
        "recognizer: ffbm\ngoals: [a, b]\noutcomes: {hit: action == swing, other: true}\n"
        "observations: {a: {hit: 1, other: 0}, b: {hit: 1, other: 0}}\n",
        encoding="utf-8",
    )
    lines = ['{"time": 0, "action": "swing"}', '{"time": 1, "action": "up"}']
    log = write_lines(tmp_path / "odd.jsonl", lines)
    assert [each["belief"] for each in objects(log, "--model", file)] == [{"a": 0.5, "b": 0.5}] * 2
    said = run(log, "--model", file, "--why", "1").stdout
    assert "no goal allows other: it was ignored" in said


def changed(line: str, **changes: Any) -> str:
    said = json.loads(line)
    context = changes.pop("context", {})
    return json.dumps({**said, **changes, "context": {**said["context"], **context}})


def test_bad_rows_are_refused_together_with_file_line_and_remedy(tmp_path: Path) -> None:
    good = log_lines(3)

    def told(*lines: str) -> str:
        with pytest.raises(TelosError) as caught:
            run(write_lines(tmp_path / "bad.jsonl", list(lines)))
        return str(caught.value).replace(str(tmp_path / "bad.jsonl"), "LOG")

    assert "is empty; record one event a line" in told()
    assert "LOG:2: the action is 'swign'; did you mean 'swing'?" in told(good[0], changed(good[1], action="swign"))
    assert "LOG:1: context.monsters says 'two', not a whole number" in told(
        changed(good[0], context={"monsters": "two"})
    )
    assert "LOG:3: time runs backwards" in told(good[0], changed(good[1], time=9.0), good[2])
    assert "LOG:2" in told(good[0], good[1].replace('"time": 0.5', '"time": NaN'))
    both = told(changed(good[0], action="swign"), changed(good[1], context={"monsters": "two"}), good[2])
    assert "2 of 3 rows are bad" in both
    assert "--skip-bad" in both


def test_bad_rows_are_skipped_and_told_if_asked_for(tmp_path: Path) -> None:
    good = log_lines(3)
    log = write_lines(tmp_path / "bad.jsonl", [good[0], changed(good[1], action="swign"), good[2]])
    answer = run(log, "--skip-bad", "--json")
    assert [json.loads(line)["time"] for line in answer.stdout.splitlines()] == [0.0, 1.0]
    assert "LOG:2" in answer.stderr.replace(str(log), "LOG")


def test_context_that_the_log_does_not_have_is_told(tmp_path: Path) -> None:
    lines = [json.dumps({**json.loads(line), "context": {"monsters": 1}}) for line in log_lines(3)]
    answer = run(write_lines(tmp_path / "bare.jsonl", lines), "--json")
    assert "no row says anything in" in answer.stderr
    assert "chest_taken" in answer.stderr


def test_bad_options_are_refused(log: Path, tmp_path: Path) -> None:
    assert refused(log, "--player", "p2") == "LOG: no player 'p2' in this log; known: p1"
    assert "no recogniser 'flair'; did you mean 'flairs'?" in refused(log, "--model", "flair")
    assert refused(log, "--model", tmp_path / "no.yaml").endswith("no.yaml: no such file")
    assert "there is no folder" in refused(log, "-o", tmp_path / "no" / "out.jsonl")
    assert "--why must be from 0 to" in refused(log, "--why", "-1")
    assert refused(tmp_path / "no.jsonl").lower() == "log: no such file or directory"
    (tmp_path / "each.yaml").write_text("recognizer: concurrent\nof: flairs\n", encoding="utf-8")
    assert "each.yaml is of the kind concurrent; name one, or" in refused(
        log, "--model", tmp_path / "each.yaml", "--recap"
    )
    assert "island is of the kind markov-logic; use: telos logic infer" in refused(
        log, "--model", "island", "--lag", "2"
    )


def test_a_table_is_read_with_its_columns(tmp_path: Path) -> None:
    table = write_lines(tmp_path / "play.csv", ["t,key,prey", "0,swing,2", "1,walk,0"])
    columns = write_lines(
        tmp_path / "columns.yaml", ["columns: mine", "time: t", "action: key", "context: {prey: int}"]
    )
    model = write_lines(
        tmp_path / "mine.yaml",
        [
            "recognizer: iohmm",
            "goals: [hunt, roam]",
            "context: {prey: int}",
            "observations: {chase: prey > 0, other: true}",
            "counts: {hunt: {chase: 8}, roam: {other: 8}}",
        ],
    )
    said = objects(table, "--model", model, "--columns", columns)
    assert [each["top"] for each in said] == ["hunt", "roam"]
