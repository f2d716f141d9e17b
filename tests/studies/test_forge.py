"""The study of the companion: paired runs, fixed by a seed, and what they must show."""

import json

import pytest
from typer.testing import CliRunner

from telos.cli.main import app
from telos.core.errors import TelosError
from telos.studies.forge import ALL, ALONE, READS, WAITS, ForgeRuns, forge_result, play_all, run_study
from telos.worlds.forge.domain import PLANS

pytest.importorskip("scipy")


@pytest.fixture(scope="module")
def done() -> ForgeRuns:
    return play_all(runs=12, seed=3)


def test_reading_saves_time_over_waiting_for_orders_beyond_doubt(done: ForgeRuns) -> None:
    found = {(each.plan, each.over): each for each in done.savings}
    p = found[ALL, WAITS].test.p
    assert p is not None
    assert p < 0.01
    assert found[ALL, WAITS].test.interval[0] > 0
    assert found[ALL, ALONE].share > found[ALL, WAITS].share


def test_reading_is_never_a_tenth_slower_in_any_plan(done: ForgeRuns) -> None:
    for plan in PLANS:
        reads, waits = (sum(done.seconds(plan, each)) for each in (READS, WAITS))
        assert reads < 1.1 * waits


def test_who_is_read_asks_less(done: ForgeRuns) -> None:
    times = forge_result(done).data["times"]
    assert times[ALL][READS]["asked"] < times[ALL][WAITS]["asked"]
    assert times[ALL][ALONE]["asked"] == 0


def test_the_plan_is_read_before_the_last_deed_in_nearly_every_run(done: ForgeRuns) -> None:
    assert done.read_in_time >= 0.9


def test_the_same_seed_gives_the_same_study_however_it_is_shared_out() -> None:
    assert run_study(runs=2, seed=5).data == run_study(runs=2, seed=5, jobs=2).data


def test_the_figures_say_that_it_is_simulated_and_name_every_condition(done: ForgeRuns) -> None:
    figures = forge_result(done).data
    assert figures["simulated"] is True
    assert set(figures["times"]) == {*PLANS, ALL}
    assert figures["players"] == 36
    assert len(figures["findings"]) == 4


@pytest.mark.parametrize(("options", "message"), [({"runs": 1}, "at least 2 runs"), ({"seed": -1}, "zero or more")])
def test_bad_sizes_are_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(TelosError, match=message):
        run_study(**options)


def test_forge_command_prints_tables_that_fit_and_one_json_object() -> None:
    arguments = ["study", "forge", "--runs", "2"]
    assert json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)["study"] == "forge"
    said = CliRunner().invoke(app, arguments).stdout
    assert said.startswith("forge: 6 simulated players, each under every condition (seed 1)")
    assert "all, over waiting" in said
    assert "…" not in said
    assert CliRunner().invoke(app, [*arguments, "--report", "page.html"]).exit_code == 2
