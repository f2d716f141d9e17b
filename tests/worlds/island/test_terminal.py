"""The picture in the terminal fits, and shows where the player is, what they want, and how the case stands."""

import json
import re

import pytest
from rich.console import Console
from typer.testing import CliRunner

from telos.cli.watch import watch
from telos.core.errors import TelosError
from telos.worlds.island.domain import load_player_domain
from telos.worlds.island.playthrough import Playthrough
from telos.worlds.island.story import ACTIONS
from telos.worlds.island.terminal import IslandScreen
from telos.worlds.island.trace import DOES, WANTS, describe


def run(*arguments: str) -> str:
    result = CliRunner().invoke(watch, ["island", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def picture(width: int, height: int, seconds: float = 900.0) -> list[str]:
    visit = Playthrough(7)
    screen = IslandScreen(visit.island.story, style=visit.islander.style.name, title="island · seed 7")
    visit.trace = screen.note
    *_, last = visit.moments(seconds)
    console = Console(width=width, height=height, force_terminal=True, color_system=None)
    with console.capture() as captured:
        console.print(screen.frame(last, visit.islander.wishes))
    return captured.get().splitlines()


@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 30), (200, 60), (40, 10)])
@pytest.mark.parametrize("seconds", [1, 400, 2400])
def test_the_picture_fits_the_terminal(width: int, height: int, seconds: float) -> None:
    lines = picture(width, height, seconds)
    assert len(lines) < max(height, 19)
    assert max(map(len, lines)) <= width


def test_the_picture_shows_the_map_the_player_the_wish_and_the_case() -> None:
    lines = picture(80, 24)
    text = "\n".join(lines)
    assert lines[0].startswith(" 15:00  ")
    for area in ("waterfall", "lead scientist", "living quarters", "laboratory", "dining hall", "infirmary"):
        assert f"─ {area} ─" in text
    assert text.count("☻") == 1
    for said in ("ahead of", "→ ", "tests ", "holds ", "disease ", "source ", "treatment ", "solved it"):
        assert said in text
    assert re.search(r"█+░*", text)


def test_every_goal_and_every_action_has_words() -> None:
    assert set(WANTS) == {goal.name for goal in load_player_domain().goals}
    assert set(DOES) == set(ACTIONS)


def test_a_log_line_tells_what_is_wanted_and_why() -> None:
    said: list[str] = []
    visit = Playthrough(7, trace=lambda record: said.append(describe(record) or ""))
    for _ in visit.moments(120):
        pass
    assert said[0].startswith("00:00  player-000, ")
    assert any(re.match(r"\d\d:\d\d  wants to .* — [a-z-]+ \d\.\d.*: ", each) for each in said)
    assert "goals in" in said[-1]


def test_json_prints_one_object_a_line_and_nothing_else() -> None:
    said = [json.loads(each) for each in run("--seed", "3", "--seconds", "300", "--json").splitlines()]
    assert (said[0]["kind"], said[0]["world"], said[0]["seed"]) == ("started", "island", 3)
    assert said[-1]["kind"] == "ended"
    assert {each["kind"] for each in said} == {"started", "chose", "did", "ended"}


def test_the_same_seed_prints_the_same_and_a_style_is_played() -> None:
    arguments = ("--seconds", "200", "--json", "--seed")
    assert run(*arguments, "3") == run(*arguments, "3") != run(*arguments, "4")
    assert json.loads(run(*arguments, "3", "--style", "guesser").splitlines()[0])["style"] == "guesser"


def test_without_a_terminal_it_prints_a_plain_log() -> None:
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
def test_bad_input_is_refused_in_one_line(arguments: list[str], message: str) -> None:
    with pytest.raises(TelosError) as refused:
        CliRunner().invoke(watch, ["island", *arguments], catch_exceptions=False)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
