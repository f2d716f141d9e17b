"""Ensembles on small invented logs: nested folds, saved models, and the commands."""

import hashlib
import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from typer.testing import CliRunner

import telos
from studies.humans.kitchen_logs import COOK_COLUMNS, CRAFT_COLUMNS, crafting, kitchen, saved
from telos.cli.main import app
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.ensemble import load_ensemble
from telos.studies.humans.ensembles import CARRIED, GAMES, REQUIRES, VITALS, PlayerHistory, read_sequences
from telos.studies.humans.nested import measure, requirements, run_nested, save_trained, score_model

pytest.importorskip("sklearn", reason="scikit-learn is an extra")
ORDERS = {"Zerg": ("MorphDrone", "spire", "expand"), "Terran": ("TrainMarine", "factory", "bunker")}
STAR_COLUMNS = [
    *("group", "game", "player", "race", "opp_race", "t", "action", "kind", "clicks_before", "selections_before"),
    *("milestone", "goal"),
]


@pytest.fixture(scope="module")
def woods(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rest = {"group": "adult", **dict.fromkeys(VITALS, 9), **dict.fromkeys(CARRIED, 0)}
    rows = [{**rest, **row} for row in crafting(players=4, episodes=8)]
    columns = [*CRAFT_COLUMNS, *(name for name in rest if name not in CRAFT_COLUMNS)]
    return saved(rows, columns, tmp_path_factory.mktemp("woods"))


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(kitchen(rounds=8), COOK_COLUMNS, tmp_path_factory.mktemp("hall"))


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games in which the unit that is trained tells which building comes next."""
    rng, rows = Random(1), []
    for number in range(24):
        race = ("Zerg", "Terran")[number % 2]
        unit, *buildings = ORDERS[race]
        rng.shuffle(buildings)
        common = {"group": f"C{number // 2 % 6}", "game": f"W{number}", "player": f"U{number}", "race": race}
        common |= {"opp_race": "Zerg", "kind": "unit", "clicks_before": 0, "selections_before": 0}
        time = 0
        for goal in buildings:
            for _ in range(rng.randint(8, 12)):
                time += 1
                order = f"{unit}{goal}" if rng.random() < 0.9 else unit
                rows.append({**common, "t": time, "action": order, "milestone": "", "goal": goal})
            rows.append({**common, "t": time, "action": f"Build{goal}", "milestone": goal, "goal": goal})
    return saved(rows, STAR_COLUMNS, tmp_path_factory.mktemp("ladder"))


def test_lives_are_read_nearly_always_in_nested_folds(woods: Path) -> None:
    figures = run_nested("crafter", woods, quick=True).data
    methods = figures["methods"]
    assert methods["ensemble"]["accuracy"] > 0.9
    assert methods["ensemble"]["accuracy"] > methods["majority"]["accuracy"]
    low, high = methods["ensemble"]["accuracy_ci"]
    assert low <= methods["ensemble"]["accuracy"] <= high
    assert figures["rows"] == sum(each is not None for s in read_sequences(woods, GAMES["crafter"]) for each in s.truth)
    json.dumps(figures, allow_nan=False)


def test_cooks_are_read_with_a_filter_that_never_saw_them(hall: Path, tmp_path: Path) -> None:
    assert run_nested("overcooked", hall, quick=True).data["methods"]["ensemble"]["accuracy"] > 0.9
    save_trained("overcooked", hall, tmp_path / "cook.json", quick=True)
    model = load_ensemble(tmp_path / "cook.json")
    assert any(name.startswith("filter: ") for name in model.program.names)
    shown = {event.goal for sequence in read_sequences(hall, GAMES["overcooked"]) for event in sequence.events}
    assert shown == {None}  # what was achieved is hidden
    assert model.context <= {"layout", "x", "y", "facing", "facing_tile", "d_onions", "d_dishes", "d_pot", "d_serving"}


def test_each_race_has_a_part_with_its_own_goals(ladder: Path, tmp_path: Path) -> None:
    save_trained("starcraft", ladder, tmp_path / "star.json", quick=True)
    model = load_ensemble(tmp_path / "star.json")
    assert {part.value: [model.goals[goal] for goal in part.goals] for part in model.parts} == {
        "Terran": ["Terran_bunker", "Terran_factory"],
        "Zerg": ["Zerg_expand", "Zerg_spire"],
    }
    assert model.requires == {}  # a spire requires a lair, and nobody builds one in these games
    assert all(part.paths is not None for part in model.parts)
    assert model.parts[0].weights == pytest.approx(model.parts[1].weights, rel=0.05, abs=1e-3)  # one temperature
    zerg = read_sequences(ladder, GAMES["starcraft"])[0].events
    beliefs = model.read([zerg])
    assert beliefs[:, [0, 1]].max() == 0.0
    assert beliefs.sum(axis=1) == pytest.approx(np.ones(len(zerg)))


def test_games_are_read_better_than_by_the_commonest_building(ladder: Path) -> None:
    methods = run_nested("starcraft", ladder, quick=True).data["methods"]
    assert set(methods) == {
        *("ensemble", "logistic regression", "boosted trees", "paths of milestones", "naive Bayes", "majority")
    }
    assert methods["ensemble"]["accuracy"] > 0.7 > 0.6 > methods["majority"]["accuracy"]


def test_the_tech_tree_names_goals_of_the_log_only() -> None:
    for goal, required in REQUIRES.items():
        assert {each.partition("_")[0] for each in required} == {goal.partition("_")[0]}
    star = GAMES["starcraft"]
    assert requirements(star, ["Zerg_hive", "Zerg_lair", "Zerg_spire"]) == {
        "Zerg_hive": ("Zerg_lair",),
        "Zerg_spire": ("Zerg_lair",),
    }


def test_a_saved_model_scores_a_log_without_being_touched(woods: Path, tmp_path: Path) -> None:
    path = tmp_path / "crafter.json"
    result = save_trained("crafter", woods, path, quick=True)
    assert result.data["groups"] == 4
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    figures = score_model("crafter", woods, path).data
    assert figures["methods"]["crafter"]["accuracy"] > 0.9
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest
    assert json.loads(path.read_text())["about"]["rows"] == figures["rows"]


def test_live_beliefs_are_those_of_the_study(woods: Path, tmp_path: Path) -> None:
    save_trained("crafter", woods, tmp_path / "crafter.json", quick=True)
    model = load_ensemble(tmp_path / "crafter.json")
    sequences = read_sequences(woods, GAMES["crafter"])[:6]
    bulk = model.read([each.events for each in sequences])
    reader, live = telos.recognizer(tmp_path / "crafter.json"), []
    for sequence in sequences:
        reader.reset()
        live += [tuple(reader.observe(event).values()) for event in sequence.events]
    assert np.abs(np.array(live) - bulk).max() < 1e-9


def test_the_same_seed_trains_the_same_file(woods: Path, tmp_path: Path) -> None:
    for name in ("one.json", "two.json"):
        save_trained("crafter", woods, tmp_path / name, quick=True, seed=3)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_labels_of_the_tested_players_change_no_belief(woods: Path, tmp_path: Path) -> None:
    """What a player achieves later in a life is not in the events before it."""
    save_trained("crafter", woods, tmp_path / "crafter.json", quick=True)
    model = load_ensemble(tmp_path / "crafter.json")
    events = read_sequences(woods, GAMES["crafter"])[0].events
    cut = next(place for place, event in enumerate(events) if event.goal) + 1
    assert np.array_equal(model.read([events])[:cut], model.read([events[:cut]]))


def test_history_knows_earlier_lives_only() -> None:
    history, goals = PlayerHistory(), ("wood", "drink")
    assert history.context("", goals)["habit"] is None
    life = [Event("do", goal="wood"), Event("do"), Event("do", goal="drink")]
    history.finish_life(life)
    context = history.context("wood", goals)
    assert (context["habit"], context["lives"], context["often_drink"], context["before_wood"]) == (
        "drink",
        1,
        0.5,
        True,
    )
    history.finish_life([Event("do", goal="drink")])
    assert history.context("", goals)["habit_drink"] == 1.0
    assert history.context("", goals)["habit_wood"] == pytest.approx(0.7)


def test_figures_in_numbers() -> None:
    beliefs = np.array([[0.8, 0.2], [0.8, 0.2], [0.4, 0.6], [0.4, 0.6]])
    found = measure("m", beliefs, np.array([0, 1, 1, 1]), np.array(["a", "a", "b", "b"]), Random(1), 200)
    assert found.accuracy == (0.75, 0.5, 1.0)
    assert found.macro_f1[0] == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert found.ece[0] == pytest.approx(0.5 * 0.3 + 0.5 * 0.4)


def test_commands_train_score_and_read(woods: Path, tmp_path: Path) -> None:
    run, path = CliRunner(), tmp_path / "crafter.json"
    made = run.invoke(app, ["study", "crafter", str(woods), "--save-model", str(path), "--quick"])
    assert made.exit_code == 0, made.output
    assert "trained on all 4 groups" in made.output
    scored = run.invoke(app, ["study", "crafter", str(woods), "--model", str(path), "--json"])
    assert scored.exit_code == 0, scored.output
    assert json.loads(scored.output)["methods"]["crafter"]["accuracy"] > 0.9
    columns = tmp_path / "columns.yaml"
    source = Path(telos.__file__).parent / "studies" / "humans" / "data" / "crafter-ensemble.yaml"
    columns.write_text(source.read_text())
    log = str(woods / "events.csv.gz")
    read = run.invoke(app, ["evaluate", log, "--columns", str(columns), "--model", str(path), "--json"])
    assert read.exit_code == 0, read.output
    assert json.loads(read.output)["models"][0]["accuracy"] > 0.8
    shown = run.invoke(
        app, ["recognize", log, "--columns", str(columns), "--model", str(path), "--player", "P0", "--why", "1"]
    )
    assert shown.exit_code == 0, shown.output
    assert "(linear)" in shown.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ensemble", "--save-model", "x.json"], "--ensemble and --save-model exclude each other"),
        (["--save-model", "x.yaml"], "an ensemble is a .json file"),
        (["--model", "missing.json"], "missing.json"),
    ],
)
def test_commands_refuse_in_one_line(woods: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(TelosError) as caught:
        CliRunner().invoke(app, ["study", "crafter", str(woods), *arguments], catch_exceptions=False)
    assert message in str(caught.value)


def test_a_model_of_another_game_is_refused(woods: Path, hall: Path, tmp_path: Path) -> None:
    save_trained("crafter", woods, tmp_path / "crafter.json", quick=True)
    with pytest.raises(TelosError, match="a model of other goals than those of overcooked"):
        score_model("overcooked", hall, tmp_path / "crafter.json")
    with pytest.raises(TelosError, match="no such folder"):
        score_model("crafter", tmp_path / "nowhere", tmp_path / "crafter.json")
