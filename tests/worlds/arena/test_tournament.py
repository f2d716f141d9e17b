"""Tournaments are fair to both sides, determined by their seed, and report their uncertainty."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.scene import Scene, load_scene
from telos.worlds.arena.tournament import (
    Contest,
    Fight,
    FightOutcome,
    Team,
    contests,
    find_sides,
    run_fight,
    run_tournament,
    schedule,
    summarize,
    tournament_characters,
    wilson_interval,
)

YARD = """
scene: yard
map: |
  ##################
  #A      v       W#
  #  >o  >oo<  o<  #
  #       ^        #
  #B  o<     >o    #
  #               X#
  ##################
seconds: 20
cast:
  A: {character: soldier, side: red}
  B: {character: soldier, side: red}
  W: {character: soldier, side: blue}
  X: {character: soldier, side: blue}
squads: all
"""
TWINS = Contest("twins", "nothing", Team("soldier"), Team("soldier"))
MISMATCH = Contest("mismatch", "everything", Team("soldier"), Team("rat"))


@pytest.fixture(scope="module")
def yard(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    file = tmp_path_factory.mktemp("scenes") / "yard.yaml"
    file.write_text(YARD)
    return load_scene(file)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),  # Newcombe (1998), table I, method 3
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_interval_matches_published_values(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 500).flatmap(lambda trials: st.tuples(st.integers(0, 2 * trials), st.just(trials))))
def test_wilson_interval_contains_the_share_and_is_symmetric(drawn: tuple[int, int]) -> None:
    wins, trials = drawn[0] / 2, drawn[1]
    low, high = wilson_interval(wins, trials)
    assert 0 <= low < high <= 1
    assert low - 1e-12 <= wins / trials <= high + 1e-12
    assert wilson_interval(trials - wins, trials) == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize(("successes", "trials"), [(1, 0), (-1, 10), (11, 10)])
def test_wilson_interval_requires_valid_counts(successes: int, trials: int) -> None:
    with pytest.raises(TelosError, match="successes of n > 0 trials"):
        wilson_interval(successes, trials)


def outcomes(wins: int, draws: int, losses: int) -> list[FightOutcome]:
    points = [1.0] * wins + [0.5] * draws + [0.0] * losses
    return [FightOutcome(TWINS, each, each != 0.5, 10.0, each, 1 - each) for each in points]


@pytest.mark.parametrize(
    ("record", "rate", "decisive", "verdict"),
    [
        ((30, 0, 10), 0.75, 0.75, "pays"),
        ((10, 0, 30), 0.25, 0.25, "costs"),
        ((6, 2, 4), 7 / 12, 0.6, "no clear difference"),
        ((0, 8, 0), 0.5, None, "no clear difference"),
    ],
)
def test_score_counts_a_draw_as_half(
    record: tuple[int, int, int], rate: float, decisive: float | None, verdict: str
) -> None:
    added = summarize(outcomes(*record))
    assert (added.wins, added.draws, added.losses) == record
    assert added.win_rate == pytest.approx(rate)
    assert added.decisive_win_rate == pytest.approx(decisive)
    assert added.fought_out == record[0] + record[2]
    assert added.health_having == pytest.approx(rate)
    assert added.verdict == verdict


def test_plot_has_a_row_for_each_contest() -> None:
    pytest.importorskip("matplotlib")
    from telos.worlds.arena.tournament import draw_plot

    one, other = summarize(outcomes(30, 0, 10)), summarize(outcomes(6, 2, 4))
    figure = draw_plot([one, other], about="yard, seed 1")
    (axes,) = figure.axes
    lines = [[float(x) for x in line.get_xdata()] for line in axes.get_lines()]
    assert lines == [[*one.interval], [one.win_rate], [*other.interval], [other.win_rate], [0.5, 0.5]]
    assert len({line.get_color() for line in axes.get_lines()}) == 3
    assert [label.get_text() for label in axes.get_yticklabels()] == ["twins\nsoldier against soldier"] * 2
    assert figure.get_suptitle() == "Simulated fights: what each layer is worth\nyard, seed 1"


def test_schedule_swaps_sides_and_shares_seeds() -> None:
    fights = schedule([TWINS, MISMATCH], fights=6, seed=1)
    assert [fight.swapped for fight in fights] == [False, True] * 6
    seeds = [fight.seed for fight in fights]
    assert seeds[0::2] == seeds[1::2]
    assert seeds[:6] == seeds[6:]
    assert len(set(seeds)) == 3
    assert set(seeds).isdisjoint(fight.seed for fight in schedule([TWINS], fights=6, seed=2))
    assert schedule([TWINS], fights=8, seed=1)[:6] == fights[:6]  # more fights extend the schedule


def test_equal_teams_win_exactly_as_often_as_they_lose(yard: Scene) -> None:
    (even,) = run_tournament(yard, [TWINS], fights=6, seconds=20.0)
    assert even.wins == even.losses
    assert even.win_rate == 0.5
    assert even.health_having == pytest.approx(even.health_lacking)


def test_swapped_fight_exchanges_the_sides(yard: Scene) -> None:
    turned = Contest("turned", "everything", MISMATCH.lacking, MISMATCH.having)
    one = run_fight(yard, Fight(MISMATCH, 5, swapped=False), seconds=20.0)
    other = run_fight(yard, Fight(turned, 5, swapped=True), seconds=20.0)
    assert one.points == 1 - other.points
    assert (one.seconds, one.health_having, one.health_lacking) == (
        other.seconds,
        other.health_lacking,
        other.health_having,
    )


def test_timeout_with_equal_numbers_is_a_draw(yard: Scene) -> None:
    early = run_fight(yard, Fight(TWINS, 5, swapped=False), seconds=0.5)
    assert (early.points, early.fought_out, early.seconds) == (0.5, False, pytest.approx(0.5))
    assert early.health_having == early.health_lacking == 1.0


def test_timeout_is_won_by_the_side_with_more_living(yard: Scene) -> None:
    three = replace(yard, cast=yard.cast[:3])
    ahead, behind = (run_fight(three, Fight(TWINS, 5, swapped), seconds=0.5) for swapped in (False, True))
    assert (ahead.points, behind.points) == (1.0, 0.0)
    assert not ahead.fought_out
    assert not behind.fought_out


def test_team_uses_its_own_squad_behaviours(yard: Scene) -> None:
    led = Team("soldier", yard.squads)
    both, one, none = (
        run_fight(yard, Fight(Contest("led", "squads", *teams), 5, swapped=False), seconds=20.0)
        for teams in ((led, led), (led, Team("soldier")), (Team("soldier"), Team("soldier")))
    )
    endings = {(each.seconds, each.health_having, each.health_lacking) for each in (both, one, none)}
    assert len(endings) == 3


def test_soldiers_beat_rats(yard: Scene) -> None:
    (soldiers,) = run_tournament(yard, [MISMATCH], fights=8, seconds=30.0)
    assert soldiers.losses == 0
    assert soldiers.health_having > soldiers.health_lacking


def test_scores_do_not_depend_on_jobs(yard: Scene) -> None:
    pair = [TWINS, MISMATCH]
    alone = run_tournament(yard, pair, fights=2, seconds=10.0)
    assert run_tournament(yard, pair, fights=2, seconds=10.0, jobs=2) == alone
    assert [each.contest for each in alone] == pair


def test_progress_receives_every_outcome(yard: Scene) -> None:
    seen: list[FightOutcome] = []

    def progress(outcomes: Iterable[FightOutcome]) -> Iterator[FightOutcome]:
        for each in outcomes:
            seen.append(each)
            yield each

    (even,) = run_tournament(yard, [TWINS], fights=4, seconds=1.0, progress=progress)
    assert summarize(seen) == even


def test_side_without_squads_has_no_coordinator(yard: Scene) -> None:
    both = Battle(yard)
    one = Battle(yard, squads={"red": ("search",), "blue": ()})
    assert [each.side for each in both.coordinators] == ["red", "blue"]
    assert [each.side for each in one.coordinators] == ["red"]


def test_contests_add_and_keep_each_layer_but_the_first() -> None:
    names = [contest.name for contest in contests()]
    layers = ["dodge", "melee", "cover", "blind-fire", "ambush", "talk"]
    assert names[:6] == [f"{layer} added" for layer in layers]
    assert names[6:12] == [f"{layer} kept" for layer in layers]
    assert [contest.name for contest in contests(["melee"])] == ["melee added", "melee kept"]


def test_contests_add_squad_behaviours_singly_and_together() -> None:
    made = {contest.name: contest for contest in contests()}
    assert [*made][-6:-2] == ["search added", "share-targets added", "share-sightings added", "keep-down added"]
    assert [*made][-2:] == ["squads added", "everything"]
    assert made["search added"].having.name == "soldier + search"
    assert made["squads added"].having.name == "soldier + squads"
    assert made["search added"].lacking == made["squads added"].lacking == Team("soldier")
    assert set(made["squads added"].having.squads) == {
        contest.having.squads[0] for contest in made.values() if len(contest.having.squads) == 1
    }


def test_soldier_without_a_layer_lacks_exactly_its_additions() -> None:
    full, lesser = tournament_characters()["soldier"], tournament_characters()["soldier without dodge"]
    assert {goal.name for goal in full.goals} - {goal.name for goal in lesser.goals} == {"dodge"}
    assert {action.name for action in full.actions} - {action.name for action in lesser.actions} == {
        "dodge-roll",
        "dodge-shuffle",
    }
    assert all(team.character in tournament_characters() for each in contests() for team in (each.having, each.lacking))


def test_tournament_requires_two_sides(tmp_path: Path) -> None:
    file = tmp_path / "alone.yaml"
    file.write_text(YARD.replace("side: blue", "side: red"))
    with pytest.raises(TelosError, match="two sides with minds"):
        find_sides(load_scene(file))


@pytest.mark.parametrize(("fights", "seed"), [(0, 1), (3, 1), (-2, 1), (2, -1)])
def test_tournament_requires_even_fights_and_a_valid_seed(fights: int, seed: int) -> None:
    with pytest.raises(TelosError, match=r"must be even|whole number"):
        schedule([TWINS], fights=fights, seed=seed)
