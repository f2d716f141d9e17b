"""The terminal picture fits and shows map, player, goal and case; the text log and the command."""

import json
import re

import pytest
from rich.console import Console
from typer.testing import CliRunner

from telos.cli.worlds.watch import watch
from telos.core.errors import TelosError
from telos.worlds.island.playthrough import Playthrough
from telos.worlds.island.story import ACTIONS
from telos.worlds.island.styles import load_player_domain
from telos.worlds.island.terminal import IslandScreen
from telos.worlds.island.trace import DOES, WANTS, describe


def run(*arguments: str) -> str:
    result = CliRunner().invoke(watch, ["island", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def picture(width: int, height: int, seconds: float = 900.0) -> list[str]:
    game = Playthrough(7)
    screen = IslandScreen(game.island.story, style=game.islander.style.name, title="island · seed 7")
    game.trace = screen.note
    *_, last = game.moments(seconds)
    console = Console(width=width, height=height, force_terminal=True, color_system=None)
    with console.capture() as captured:
        console.print(screen.frame(last, game.islander.wishes))
    return captured.get().splitlines()


@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 30), (200, 60), (40, 10)])
@pytest.mark.parametrize("seconds", [1, 400, 2400])
def test_picture_fits_the_terminal(width: int, height: int, seconds: float) -> None:
    lines = picture(width, height, seconds)
    assert len(lines) < max(height, 19)
    assert max(map(len, lines)) <= width


def test_picture_shows_map_player_goal_and_case() -> None:
    lines = picture(80, 24)
    text = "\n".join(lines)
    assert lines[0].startswith(" 15:00  ")
    for area in ("waterfall", "lead scientist", "living quarters", "laboratory", "dining hall", "infirmary"):
        assert f"─ {area} ─" in text
    assert text.count("☻") == 1
    for said in ("ahead of", "→ ", "tests ", "holds ", "disease ", "source ", "treatment ", "solved it"):
        assert said in text
    assert re.search(r"█+░*", text)


def test_goals_and_actions_have_words() -> None:
    assert set(WANTS) == {goal.name for goal in load_player_domain().goals}
    assert set(DOES) == set(ACTIONS)


def test_text_log_names_goals_and_reasons() -> None:
    said: list[str] = []
    game = Playthrough(7, trace=lambda record: said.append(describe(record) or ""))
    for _ in game.moments(120):
        pass
    assert said[0].startswith("00:00  player-000, ")
    assert any(re.match(r"\d\d:\d\d  wants to .* — [a-z-]+ \d\.\d.*: ", each) for each in said)
    assert "goals in" in said[-1]


def test_json_output_is_one_object_per_line() -> None:
    said = [json.loads(each) for each in run("--seed", "3", "--seconds", "300", "--json").splitlines()]
    assert (said[0]["kind"], said[0]["world"], said[0]["seed"]) == ("started", "island", 3)
    assert said[-1]["kind"] == "ended"
    assert {each["kind"] for each in said} == {"started", "chose", "did", "ended"}


def test_same_seed_prints_the_same_and_style_is_used() -> None:
    arguments = ("--seconds", "200", "--json", "--seed")
    assert run(*arguments, "3") == run(*arguments, "3") != run(*arguments, "4")
    assert json.loads(run(*arguments, "3", "--style", "guesser").splitlines()[0])["style"] == "guesser"


def test_text_log_is_printed_without_a_terminal() -> None:
    lines = run("--seconds", "120").splitlines()
    assert "arrives (seed 7)" in lines[0]
    assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--style", "socal"], "there is no style 'socal'; did you mean 'social'"),
        (["--seconds", "0"], "--seconds"),
        (["--seconds", "nan"], "--seconds"),
        (["--seed", "-7"], "seed"),
        (["--speed", "0"], "--speed"),
    ],
)
def test_invalid_input_is_rejected_in_one_line(arguments: list[str], message: str) -> None:
    with pytest.raises(TelosError) as refused:
        CliRunner().invoke(watch, ["island", *arguments], catch_exceptions=False)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
