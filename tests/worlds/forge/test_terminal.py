"""The terminal picture fits and shows people, belief, goals, dialogue and things; the text log and the command."""

import json
import re

import pytest
from rich.console import Console
from typer.testing import CliRunner

from telos.cli.worlds.watch import watch
from telos.core.errors import TelosError
from telos.worlds.forge.domain import PLANS, load_forge_domain
from telos.worlds.forge.scene import ForgeScene
from telos.worlds.forge.terminal import ForgeFrame
from telos.worlds.forge.trace import DOES, WANTS, describe


def run(*arguments: str) -> str:
    result = CliRunner().invoke(watch, ["forge", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def picture(width: int, height: int, seconds: float, plan: str = "key", companion: str = "reads") -> list[str]:
    scene = ForgeScene(plan, companion, seed=1)
    while scene.world.time < seconds and not scene.is_over:
        scene.step({})
    console = Console(width=width, height=height, force_terminal=True, color_system=None)
    with console.capture() as captured:
        console.print(ForgeFrame(scene.world.village, scene.view(), "forge · seed 1"))
    return captured.get().splitlines()


@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 30), (200, 60), (40, 10)])
@pytest.mark.parametrize("companion", ["reads", "waits", "none"])
@pytest.mark.parametrize("seconds", [0.0, 40.0, 300.0])
def test_picture_fits_the_terminal(width: int, height: int, companion: str, seconds: float) -> None:
    lines = picture(width, height, seconds, companion=companion)
    assert len(lines) < max(height, 20)
    assert max(map(len, lines)) <= width


def test_picture_shows_people_belief_goal_dialogue_and_things() -> None:
    lines = picture(80, 24, 42.0)
    text = "\n".join(lines)
    assert lines[0].startswith(" 00:42  a locked door")
    for said in ("☻ player", "☺ companion  with wood", "wants to forge a key", "wants to have the fire ready"):
        assert said in text
    for said in ("→ forge → light-fire", "fire    ░░░ out", "hammer  in the shed", "apples  ●● baskets owed"):
        assert said in text
    assert re.search(r"key +█+ +\d+% ◂", text)
    assert "companion: “" in lines[-1]


def test_picture_shows_hot_fire_and_open_door() -> None:
    assert "▓▓▓ hot" in "\n".join(picture(80, 24, 80.0))
    end = picture(80, 24, 900.0)
    assert "the door is open!" in end[0]
    assert "▯" in "\n".join(end)


def test_actions_and_goals_have_words() -> None:
    named = {action.name for action in load_forge_domain().actions if not action.name.startswith(("to-", "ask-"))}
    assert named <= DOES.keys()
    assert {goal.name for goal in load_forge_domain().goals_of("companion")} == WANTS.keys()


def test_text_log_names_actions_and_speech() -> None:
    said = run("--plan", "key", "--seed", "1")
    assert said.splitlines()[0] == "00:00  a locked door; the player wants to forge a key; companion: reads (seed 1)"
    assert "companion lights the fire" in said
    assert said.splitlines()[-2].endswith("the door is open (key); the player asked for nothing")
    assert said.splitlines()[-1].startswith("01:59  companion: “")
    assert describe(object()) is None


@pytest.mark.parametrize("companion", ["reads", "waits", "none"])
def test_json_output_is_one_object_per_line_and_repeatable(companion: str) -> None:
    said = run("--plan", "force", "--companion", companion, "--seed", "2", "--json")
    records = [json.loads(each) for each in said.splitlines()]
    assert records[0]["kind"] == "started"
    assert (records[0]["plan"], records[0]["companion"]) == ("force", companion)
    assert [each["kind"] for each in records].count("opened") == 1
    assert said == run("--plan", "force", "--companion", companion, "--seed", "2", "--json")


def test_seed_draws_a_plan_if_none_is_given() -> None:
    drawn = {json.loads(run("--seed", str(seed), "--json").splitlines()[0])["plan"] for seed in range(8)}
    assert drawn == set(PLANS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plan", "kee"], "there is no plan 'kee'; did you mean 'key'?"),
        (["--companion", "wait"], "there is no companion 'wait'; did you mean 'waits'?"),
        (["--seed", "-1"], "seed"),
        (["--speed", "0"], "--speed"),
    ],
)
def test_invalid_options_are_rejected_in_one_line(arguments: list[str], message: str) -> None:
    with pytest.raises(TelosError) as refused:
        run(*arguments)
    assert message in str(refused.value)
