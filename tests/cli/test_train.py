"""``telos train`` counts what players do whose goal is known, and writes a model that is read again."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from cli.adventure_logs import interleaved, log_lines, write_lines
from telos.cli.logs.train import train
from telos.core.errors import TelosError
from telos.recognition.files.load import load_model, named_model
from telos.recognition.filtering import Reader
from telos.recognition.iohmm import IOHMM
from telos.telemetry.logs import read_log

APP = typer.Typer()
APP.command()(train)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(APP, [str(each) for each in arguments], catch_exceptions=False)


def figures(*arguments: object) -> dict[str, Any]:
    answer = run(*arguments, "--json")
    assert answer.exit_code == 0, answer.output
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def refused(file: Path, *arguments: object) -> str:
    with pytest.raises(TelosError) as caught:
        run(file, *arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(file), "LOG")


def trained(path: Path) -> IOHMM:
    model = load_model(path)
    assert isinstance(model, IOHMM)
    return model


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "play.jsonl", log_lines(80))


def test_what_is_counted_is_what_was_seen_under_each_goal(log: Path, tmp_path: Path) -> None:
    told = figures(log, "--model", "aiide", "-o", tmp_path / "me.yaml")
    model = named_model("aiide")
    assert isinstance(model, IOHMM)
    by_hand: Counter[tuple[str, str]] = Counter()
    reader = Reader(model)  # its belief is of no interest, only which events it counts
    for row in read_log(log):
        before = reader.updates
        reader.observe(row.event)
        if reader.updates > before:
            by_hand[str(row.truth), reader.moments[-1].seen] += 1
    found = trained(tmp_path / "me.yaml").counts.seen
    assert {(goal, name): count for goal, row in found.items() for name, count in row.items() if count} == by_hand
    assert told["learned"] == by_hand.total()
    assert told["learned"] + told["uncounted"] == told["events"] == 80
    assert told["goals"]["return"] == 0


def test_training_is_what_a_live_reader_learns(log: Path, tmp_path: Path) -> None:
    run(log, "--model", "aiide", "-o", tmp_path / "me.yaml")
    live = named_model("aiide")
    reader = Reader(live)  # type: ignore[arg-type]
    for row in read_log(log):
        reader.learn(row.event, str(row.truth))
    assert trained(tmp_path / "me.yaml") == live


def test_training_goes_on_where_it_stopped(tmp_path: Path) -> None:
    one = write_lines(tmp_path / "one.jsonl", log_lines(40, player="a", seed=1))
    two = write_lines(tmp_path / "two.jsonl", log_lines(40, player="b", seed=2))
    both = write_lines(tmp_path / "both.jsonl", log_lines(40, player="a", seed=1) + log_lines(40, player="b", seed=2))
    run(one, "-o", tmp_path / "a.yaml")
    run(two, "--model", tmp_path / "a.yaml", "-o", tmp_path / "ab.yaml")
    run(both, "-o", tmp_path / "at-once.yaml")
    assert trained(tmp_path / "ab.yaml") == trained(tmp_path / "at-once.yaml")


def test_players_can_be_told_apart_and_interleaving_changes_nothing(tmp_path: Path) -> None:
    ann, bo = log_lines(player="ann", seed=4), log_lines(player="bo", seed=5)
    both = write_lines(tmp_path / "both.jsonl", interleaved(ann, bo))
    run(both, "--player", "ann", "-o", tmp_path / "ann.yaml")
    run(write_lines(tmp_path / "ann.jsonl", ann), "-o", tmp_path / "alone.yaml")
    assert trained(tmp_path / "ann.yaml") == trained(tmp_path / "alone.yaml")
    run(both, "-o", tmp_path / "both.yaml")
    run(write_lines(tmp_path / "in-turn.jsonl", ann + bo), "-o", tmp_path / "in-turn.yaml")
    assert trained(tmp_path / "both.yaml") == trained(tmp_path / "in-turn.yaml")
    assert figures(both, "-o", tmp_path / "both.yaml")["players"] == 2


def test_rows_without_a_known_goal_teach_nothing(tmp_path: Path) -> None:
    known, unknown = log_lines(40), log_lines(40, truth=None)
    half = write_lines(tmp_path / "half.jsonl", known[:20] + unknown[20:])
    told = figures(half, "-o", tmp_path / "half.yaml")
    assert told["unknown"] == 20
    run(write_lines(tmp_path / "first.jsonl", known[:20]), "-o", tmp_path / "first.yaml")
    seen = trained(tmp_path / "half.yaml").counts.seen
    assert sum(seen["level"].values()) == told["goals"]["level"]
    assert sum(sum(row.values()) for row in seen.values()) == told["learned"] < 20 + 1


def test_transitions_are_learned_where_the_model_asks_for_it(log: Path, tmp_path: Path) -> None:
    file = tmp_path / "learner.yaml"
    file.write_text(
        "recognizer: iohmm\ngoals: [explore, level, return]\nclock: {on: [input, area], every: 500 ms}\n"
        "observations: {swing: action == swing, other: true}\nlearned_transitions: {strength: 5}\n",
        encoding="utf-8",
    )
    told = figures(log, "--model", file, "-o", tmp_path / "me.yaml")
    learned = trained(tmp_path / "me.yaml").learned
    assert learned is not None
    assert learned.seen["usual from level"]["explore"] == 1  # the goal changed once, in the middle
    assert sum(sum(row.values()) for row in learned.seen.values()) == told["learned"] - 1


def test_people_are_told_how_many(log: Path, tmp_path: Path) -> None:
    said = run(log, "-o", tmp_path / "me.yaml").stdout
    assert "of 80 events (explore " in said
    assert f"written to {tmp_path / 'me.yaml'}" in said


def test_bad_input_is_refused_in_one_line(log: Path, tmp_path: Path) -> None:
    out = ("-o", tmp_path / "me.yaml")
    assert refused(log) == "no output file is given; name the file for the trained model, as in: -o me.yaml"
    assert "flairs is written by hand and learns nothing" in refused(log, "--model", "flairs", *out)
    assert refused(log, "--model", "island", *out) == "island learns by its formulas; train it with: telos logic learn"
    blind = write_lines(tmp_path / "blind.jsonl", log_lines(5, truth=None))
    assert 'no row says what the player was after; add "truth": "explore" to its lines' in refused(blind, *out)
    strange = write_lines(tmp_path / "strange.jsonl", log_lines(5, truth="levle"))
    with pytest.raises(TelosError, match=r"strange.jsonl:1: the goal pursued is 'levle'; did you mean 'level'"):
        run(strange, *out)
    lines = log_lines(3)
    back = write_lines(tmp_path / "back.jsonl", [lines[2], lines[0]])
    with pytest.raises(TelosError, match=r"back.jsonl:2: time runs backwards"):
        run(back, *out)
    assert "no player 'q'" in refused(log, "--player", "q", *out)
    assert not (tmp_path / "me.yaml").exists()


COUNTING = """
recognizer: iohmm
goals: [cook, test]
observations: {ask: action == ask, walk: true}
"""


@pytest.fixture
def kitchen(tmp_path: Path) -> Path:
    """A folder with a concurrent recogniser, the iohmm that it is of, and a log whose rows name several goals."""
    (tmp_path / "one.yaml").write_text(COUNTING)
    (tmp_path / "each.yaml").write_text("recognizer: concurrent\nof: one.yaml\n")
    told = [("ask", "cook + test"), ("ask", "cook"), ("walk", "none"), ("walk", "test+cook"), ("ask", None)]
    rows = [{"player": "ann", "time": at, "action": action, "truth": truth} for at, (action, truth) in enumerate(told)]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def test_rows_with_several_goals_teach_the_recognizer_that_a_concurrent_one_is_of(kitchen: Path) -> None:
    file = kitchen / "log.jsonl"
    found = figures(file, "--model", kitchen / "each.yaml", "-o", kitchen / "two.yaml")
    assert (found["learned"], found["several"], found["none"], found["unknown"]) == (3, 2, 1, 1)
    assert found["goals"] == {"cook": 3, "test": 2}
    assert trained(kitchen / "two.yaml").counts.seen == {
        "cook": {"ask": 2.0, "walk": 1.0},
        "test": {"ask": 1.0, "walk": 1.0},
    }
    (kitchen / "again.yaml").write_text("recognizer: concurrent\nof: two.yaml\n")
    assert named_model(kitchen / "again.yaml").goals == ("cook", "test")
    told = run(file, "--model", kitchen / "each.yaml", "-o", kitchen / "two.yaml").stdout.splitlines()
    assert told[:2] == [
        "learned from 3 of 5 events (cook 3, test 2); 2 had several goals",
        "1 had none, 1 no known goal",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cv", "3"], "--cv is for goals that exclude one another"),
        (["--unlabelled"], "--unlabelled is for goals that exclude one another"),
        (["--engine", "spark"], "--engine is for goals that exclude one another"),
    ],
)
def test_options_for_goals_that_exclude_one_another_are_refused(
    kitchen: Path, options: list[str], message: str
) -> None:
    told = refused(kitchen / "log.jsonl", "--model", kitchen / "each.yaml", "-o", kitchen / "two.yaml", *options)
    assert message in told
    assert not (kitchen / "two.yaml").exists()


def test_a_concurrent_recognizer_of_one_that_is_written_by_hand_learns_nothing(kitchen: Path) -> None:
    (kitchen / "hand.yaml").write_text("recognizer: concurrent\nof: flairs\n")
    told = refused(kitchen / "log.jsonl", "--model", kitchen / "hand.yaml", "-o", kitchen / "two.yaml")
    assert "is of a recogniser that is written by hand and learns nothing; name an iohmm under `of`" in told


def test_a_trained_model_never_replaces_the_one_that_a_concurrent_recognizer_is_of(kitchen: Path) -> None:
    told = refused(kitchen / "log.jsonl", "--model", kitchen / "each.yaml", "-o", kitchen / "one.yaml")
    assert "this file is an input" in told
    assert (kitchen / "one.yaml").read_text() == COUNTING


def test_rows_with_several_goals_are_refused_for_goals_that_exclude_one_another(kitchen: Path) -> None:
    with pytest.raises(TelosError, match="several goals at once, or none, are for a file of the kind") as caught:
        run(kitchen / "log.jsonl", "--model", kitchen / "one.yaml", "-o", kitchen / "two.yaml")
    assert "log.jsonl:1: the goal pursued is 'cook + test'" in str(caught.value)
    assert not (kitchen / "two.yaml").exists()
    (kitchen / "log.jsonl").write_text('{"time": 0, "action": "ask", "truth": "cook + tast"}\n')
    for model in ("one.yaml", "each.yaml"):
        with pytest.raises(TelosError, match=r"log.jsonl:1: .* and no goal is 'tast'; did you mean 'test'\?"):
            run(kitchen / "log.jsonl", "--model", kitchen / model, "-o", kitchen / "two.yaml")
