"""Ensembles: features against slow oracles, trees against scikit-learn, live against bulk, files of strangers."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import telos
from recognition.ensembles import GOALS, PROGRAM, events_of, random_model, random_paths
from telos.core import kernels
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.ensemble import (
    CodedEntry,
    EnsembleReader,
    EnsembleSettings,
    FeatureGroup,
    FeatureProgram,
    FeatureStream,
    LinearScores,
    PathScores,
    PathSettings,
    TrainingRows,
    TreeScores,
    load_ensemble,
    parse_ensemble,
    save_ensemble,
    train_part,
)
from telos.recognition.ensemble import kernel as ensemble_kernel
from telos.recognition.ensemble.features import ACHIEVED
from telos.recognition.ensemble.files import ensemble_data
from telos.recognition.ensemble.model import achieved_goals, softmax
from telos.recognition.ensemble.paths import train_paths
from telos.recognition.ensemble.training import deal_groups, fit_open, fit_temperature, fit_weights, macro_f1


def column(name: str) -> int:
    return PROGRAM.names.index(name)


# --- features ---------------------------------------------------------------------------------------------------------


def slow_features(events: list[Event]) -> dict[str, float]:
    """Work out features of the last event by looking at all events at once."""
    fars = [float(event.context["far"]) for event in events]
    now, counted = events[-1], [event for event in events if event.action != "wait"]
    last_goal = max((place for place, event in enumerate(events[:-1]) if event.goal), default=-1)
    stretch = events[last_goal + 1 :]
    acts = [f"{e.action} {e.context['front']}" if e.action == "use" else e.action for e in events]
    known = [act for act in acts if act in PROGRAM.codes[0].values]
    seen = [place for place, far in enumerate(fars) if far >= 0]
    earlier = [far for event, far in zip(events[:-1], fars[:-1], strict=True) if event.action != "wait"]
    two_ago = earlier[-2] if len(earlier) > 1 else -1.0
    return {
        "number: far": fars[-1] if fars[-1] >= 0 else math.nan,
        "present: far": float(fars[-1] >= 0),
        "since: far": math.log1p(len(fars) - 1 - seen[-1] if seen else 200.0),
        "change over 2: far": fars[-1] - two_ago if fars[-1] >= 0 and two_ago >= 0 else 0.0,
        "gain: time": now.time - stretch[0].time,
        "now: act use oven": float(acts[-1] == "use oven"),
        "recent (1): act left": sum(0.5**back for back, act in enumerate(reversed(known)) if act == "left"),
        "count: act right": math.log1p(sum(event.action == "right" for event in stretch)),
        "total: achieved eat": math.log1p(sum(event.goal == "eat" for event in events[:-1])),
        "events so far": math.log1p(len(counted)),
        "events since the last goal": math.log1p(sum(event.action != "wait" for event in stretch)),
        "number: far ≥ 2": float(fars[-1] >= 2),
    }


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 30))
def test_features_are_those_of_a_slow_look_at_all_events(seed: int, count: int) -> None:
    events = events_of(seed, count)
    row = PROGRAM.extract(PROGRAM.encode([events]))[-1]
    for name, value in slow_features(events).items():
        assert row[column(name)] == pytest.approx(value, nan_ok=True), name


def test_trend_latest_and_filter_in_numbers() -> None:
    def event(action: str, far: int, front: str = "wall", room: str = "den") -> Event:
        return Event(action, {"far": far, "front": front, "room": room, "side": "home"})

    stream = FeatureStream(PROGRAM)
    stream.update(event("left", 5, room="hall"))
    row = stream.update(event("use", 4, "oven"))
    assert row[column("trend (2): far") if "trend (2): far" in PROGRAM.names else column("trend: far")] == -1.0
    row = stream.update(event("right", 3))
    assert row[column("trend: far")] == pytest.approx(-1.0 - 0.5**0.5)
    assert row[column("latest 1: used use oven")] == 1.0
    assert row[column("latest 2: used use oven")] == 0.0
    # prior x "left hall"; `use` says nothing; the used oven sends all to the first matrix; then "right"
    belief = np.array([0.1, 0.6, 0.3]) * np.array([0.1, 0.4, 0.8])
    filtered = [row[column(f"filter: {goal}")] for goal in GOALS]
    assert np.exp(filtered) == pytest.approx(belief / belief.sum())


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 29))
def test_no_belief_depends_on_later_events(seed: int, cut: int) -> None:
    model, events = random_model(), events_of(seed)
    whole, prefix = model.read([events]), model.read([events[:cut]])
    assert np.array_equal(whole[:cut], prefix)


def test_sequences_are_kept_apart() -> None:
    model, one, two = random_model(), events_of(1), events_of(2)
    apart = np.concatenate([model.read([one]), model.read([two])])
    assert np.array_equal(model.read([one, two]), apart)


def test_compiled_kernel_is_the_plain_one() -> None:
    pytest.importorskip("numba", reason="without Numba there is one form only")
    events = events_of(3)
    encoded = PROGRAM.encode([events])
    steps, rates, initial = PROGRAM._compiled
    tables, rows = PROGRAM.tables, np.empty((len(events), len(PROGRAM.names)))
    plain = kernels.plain(ensemble_kernel)
    arguments = (steps, rates, *PROGRAM._bins, tables.matrices, tables.likelihoods, initial, *encoded)
    plain.extract_features(*arguments, initial.copy(), rows)
    assert rows == pytest.approx(PROGRAM.extract(encoded), nan_ok=True, abs=1e-12)
    trees = random_model().parts[0].trees
    scores = np.tile(trees.baseline, (len(rows), 1))
    plain.add_trees_to_rows(trees.links, trees.thresholds, trees.values, trees.roots, trees.tree_goals, rows, scores)
    assert scores == pytest.approx(trees.of_rows(rows))
    paths = random_paths()
    weights = np.tile(paths.prior, (len(rows), 1))
    plain.add_cases_to_rows(*paths._tables(), rows, weights)
    assert np.log(weights) == pytest.approx(paths.of_rows(rows))


# --- components -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("goals", [2, 3, 5])
@pytest.mark.parametrize("seed", [1, 2])
def test_trees_are_those_of_scikit_learn(goals: int, seed: int) -> None:
    boosting = pytest.importorskip("sklearn.ensemble", reason="scikit-learn is an extra")
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(300, 6)).round(1)
    rows[rng.random(rows.shape) < 0.2] = math.nan
    truth = np.concatenate([np.arange(goals), rng.integers(goals, size=300 - goals)])
    learner = boosting.HistGradientBoostingClassifier(max_iter=7, min_samples_leaf=3, random_state=seed)
    learner.fit(rows, truth)
    trees = TreeScores.from_boosting(learner)
    trees.check(6)
    unseen = rng.normal(size=(200, 6)).round(1)
    unseen[rng.random(unseen.shape) < 0.3] = math.nan
    chances = softmax(trees.of_rows(unseen), np.ones((200, goals), bool))
    assert chances == pytest.approx(learner.predict_proba(unseen), abs=1e-9)
    moved = trees.parts(unseen[0]).sum(axis=1)
    roots = np.bincount(trees.tree_goals, trees.values[trees.roots], goals)
    assert moved + roots + trees.baseline == pytest.approx(trees.of_rows(unseen[:1])[0])


def test_linear_scores_in_numbers() -> None:
    linear = LinearScores(
        np.array([1.0, 0.0]), np.array([0.5, 1.0]), np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([0.1, 0.2])
    )
    found = linear.of_rows(np.array([[3.0, math.nan], [1.0, 100.0]]))
    assert found.tolist() == [[2.1, 0.2], [0.1, 4.2]]  # a missing value is the mean, a far one counts as four


def slow_weights(paths: PathScores, row: np.ndarray) -> list[float]:
    """Work out the weight of each goal by going through the cases one by one."""
    found = paths.prior.tolist()
    for case, goal in enumerate(paths.case_goals.tolist()):
        weight = math.exp(-abs(row[paths.time] - row[paths.age] - paths.starts[case]) / paths.spread)
        for number, column in enumerate(paths.columns.tolist()):
            if not math.isnan(row[column]):
                weight *= math.exp(-paths.costs[number] * abs(row[column] - paths.cases[case, number]))
        found[goal] += weight / (1.0 + math.exp((row[paths.age] - paths.lengths[case]) / paths.patience))
    return found


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(0, 8))
def test_paths_are_those_of_a_slow_look_at_all_cases(seed: int, count: int, cases: int) -> None:
    paths = random_paths(seed, cases)
    rows = PROGRAM.extract(PROGRAM.encode([events_of(seed, count)]))
    rows[0, paths.columns[:1]] = math.nan
    slow = np.array([slow_weights(paths, row) for row in rows])
    assert paths.of_rows(rows) == pytest.approx(np.log(slow))
    alone = np.zeros(3)
    paths.add_to(rows[-1], alone)
    assert np.array_equal(alone, paths.of_rows(rows)[-1])


def test_pursuits_become_cases_in_numbers() -> None:
    names = ("number: time", "gain: time", "total: done a", "total: done b", "noise")
    rows = np.array([[5.0, 0.0, 0, 0, 9], [8.0, 3.0, 0, 0, 9], [20.0, 4.0, 1, 0, 9], [30.0, 14.0, 1, 0, 9]])
    is_open = np.array([[True, False]] * 2 + [[False, True]] * 2)
    costs = PathSettings((("total: done ", 2.0),), spread=10.0, patience=1e-9, pseudo=0.5)
    paths = train_paths(rows, np.array([0, 0, 1, 1]), np.array([3, 3, 7, 7]), is_open, names, costs)
    assert paths.columns.tolist() == [2, 3]
    assert paths.cases.tolist() == [[0.0, 0.0], [1.0, 0.0]]
    assert paths.starts.tolist() == [5.0, 16.0]
    assert paths.lengths.tolist() == [3.0, 14.0]
    assert paths.case_goals.tolist() == [0, 1]
    assert paths.prior.tolist() == [0.25, 0.25]
    # Began at 16 as the second case, one difference and 11 seconds from the first, which had lasted 3 seconds only.
    assert paths.weights_of(np.array([18.0, 2.0, 1, 0, 0])) == pytest.approx([0.25 + math.exp(-2.0 - 1.1), 1.25])
    assert paths.weights_of(np.array([20.0, 4.0, 1, 0, 0])) == pytest.approx([0.25, 1.25])
    with pytest.raises(TelosError, match="paths: no feature 'number: tim'; add it to the features of the game"):
        train_paths(rows, np.zeros(4, int), np.arange(4), is_open, names, PathSettings((), time="number: tim"))


def test_cases_of_extreme_numbers_give_no_nan() -> None:
    for time, age in [(1e308, 1e308), (-1e308, 0.0), (1e308, 0.0), (math.nan, math.nan), (0.0, -1e308)]:
        row = np.full(len(PROGRAM.names), 1e308)
        paths = random_paths()
        row[paths.time], row[paths.age] = time, age
        with np.errstate(over="ignore", invalid="ignore"):  # without the compiler, NumPy warns
            assert np.isfinite(paths.of_rows(row[None])).all()


# --- one player -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paths", [True, False])
@pytest.mark.parametrize("once", [True, False])
@pytest.mark.parametrize("requires", [{}, {"cook": ("eat", "rest"), "rest": ("eat",)}])
@pytest.mark.parametrize("seed", range(4))
def test_live_is_bulk(seed: int, requires: dict[str, tuple[str, ...]], once: bool, paths: bool) -> None:
    model, events = random_model(seed, once=once, paths=paths, requires=requires), events_of(seed, 60)
    reader = EnsembleReader(model)
    live = [tuple(reader.observe(event).values()) for event in events]
    assert np.abs(np.array(live) - model.read([events])).max() < 1e-9
    reader.reset()
    again = [tuple(reader.observe(event).values()) for event in events]
    assert again == live


def test_achieved_goals_are_not_believed_again() -> None:
    reader = EnsembleReader(random_model())
    context = {"far": 1, "front": "bed", "room": "hall", "side": "home"}
    assert reader.observe(Event("use", context, goal="eat"))["eat"] > 0
    assert reader.observe(Event("left", context, time=1.0))["eat"] == 0
    reader.reset()
    assert reader.observe(Event("left", context))["eat"] > 0


@pytest.mark.parametrize("once", [True, False])
def test_goals_are_not_believed_before_what_they_require(once: bool) -> None:
    model = random_model(once=once, requires={"cook": ("eat", "rest")})
    reader, context = EnsembleReader(model), {"far": 1, "front": "bed", "room": "hall", "side": "home"}
    steps = [("left", None), ("use", "rest"), ("left", None), ("use", "eat"), ("left", None)]
    events = [Event(action, context, time=float(time), goal=goal) for time, (action, goal) in enumerate(steps)]
    assert [reader.observe(event)["cook"] > 0 for event in events] == [False, False, False, False, True]
    resumed = EnsembleReader.resume(model, json.loads(json.dumps(reader.save())))
    assert resumed.observe(Event("left", context, time=9.0)) == reader.observe(Event("left", context, time=9.0))
    assert (model.read([events])[:, 2] > 0).tolist() == [False, False, False, False, True]


def test_reasons_sum_to_the_log_odds() -> None:
    reader = EnsembleReader(random_model())
    for event in events_of(5, 12):
        reader.observe(Event(event.action, event.context, time=event.time))
    reasons = reader.why("cook", "rest")
    assert reasons.total == pytest.approx(math.log(reader.belief["cook"] / reader.belief["rest"]))
    assert {component for component, _, _ in reasons.parts} >= {"linear", "trees", "paths"}
    assert any("alike so far: " in cause and " went on to cook, " in cause for _, cause, _ in reasons.parts)
    assert str(reasons).startswith("cook over rest: ")
    with pytest.raises(TelosError, match="unknown goal 'cok'; did you mean 'cook'"):
        reader.why("cok")


@pytest.mark.parametrize("cut", [0, 1, 13])
def test_saved_reader_continues_exactly(cut: int) -> None:
    model, events = random_model(), events_of(9)
    whole = EnsembleReader(model)
    for event in events[:cut]:
        whole.observe(event)
    text = json.dumps(whole.save(), allow_nan=False)
    resumed = EnsembleReader.resume(model, json.loads(text))
    assert dict(resumed.belief) == dict(whole.belief)
    for event in events[cut:]:
        assert dict(resumed.observe(event)) == dict(whole.observe(event))
    assert resumed.why() == whole.why()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("state", [0.0]),
        ("chances", [0.5, 0.5]),
        ("part", "away"),
        ("goals", ["eat"]),
        ("before", {"action": ""}),
        ("x", 1),
    ],
)
def test_damaged_saves_are_refused(key: str, value: object) -> None:
    model = random_model()
    reader = EnsembleReader(model)
    reader.observe(events_of(9)[0])
    with pytest.raises(TelosError, match="reader"):
        EnsembleReader.resume(model, {**reader.save(), key: value})


@pytest.mark.parametrize("place", [-1.0, 2.0, 1e18, None])
def test_a_saved_state_cannot_lead_out_of_its_arrays(place: float | None) -> None:
    model = random_model()
    reader = EnsembleReader(model)
    reader.observe(events_of(9)[0])
    saved = reader.save()
    steps = model.program._compiled[0]
    step = next(each for each in steps if each[ensemble_kernel.KIND] == ensemble_kernel.CHANGE)
    saved["state"][step[ensemble_kernel.STATE] + step[ensemble_kernel.DEPTH]] = place
    with pytest.raises(TelosError, match="which no events lead to"):
        EnsembleReader.resume(model, saved)


@pytest.mark.parametrize("kind", ["SINCE", "RECENT", "COUNT", "TOTAL", "AGE", "ROWS", "FILTER"])
@pytest.mark.parametrize("number", [-5.0, None])
def test_a_saved_state_cannot_count_below_zero(kind: str, number: float | None) -> None:
    """The logarithm of such a count is an error in plain Python, and NaN where the kernel is compiled."""
    model = random_model()
    saved = EnsembleReader(model).save()
    step = next(each for each in model.program._compiled[0] if each[ensemble_kernel.KIND] == KINDS_BY_NAME[kind])
    saved["state"][step[ensemble_kernel.STATE]] = number
    with pytest.raises(TelosError, match="which no events lead to"):
        EnsembleReader.resume(model, saved)


KINDS_BY_NAME = {
    name: getattr(ensemble_kernel, name) for name in ("SINCE", "RECENT", "COUNT", "TOTAL", "AGE", "ROWS", "FILTER")
}


@pytest.mark.parametrize("far", [frozenset({"a", "b"}), ("x",), True, "3", 2**60])
def test_readers_are_saved_after_events_with_any_context(far: Any) -> None:
    model = random_model()
    reader = EnsembleReader(model)
    context = {"front": "oven", "room": "hall", "side": "home"}
    reader.observe(Event("left", {**context, "far": far}))
    resumed = EnsembleReader.resume(model, json.loads(json.dumps(reader.save(), allow_nan=False)))
    after = Event("use", {**context, "far": 2}, time=1.0)
    assert dict(resumed.observe(after)) == dict(reader.observe(after))


@pytest.mark.parametrize("far", [math.inf, -math.inf, "inf", 10**400, 1e301])
def test_numbers_whose_differences_overflow_are_refused(far: Any) -> None:
    reader = EnsembleReader(random_model())
    context = {"far": 1, "front": "bed", "room": "hall", "side": "home"}
    with pytest.raises(TelosError, match=r"context entry 'far' is beyond 1e\+300"):
        reader.observe(Event("left", {**context, "far": far}))
    assert reader.observe(Event("left", context)) == EnsembleReader(random_model()).observe(Event("left", context))


def test_truth_values_are_read_as_logs_write_them() -> None:
    code = CodedEntry("lit", (("lit",),), ("false", "true"))
    stream = FeatureStream(FeatureProgram((), (code,), (FeatureGroup("now", "lit"),)))
    assert stream.update(Event("x", {"lit": True})).tolist() == [0.0, 1.0]
    assert stream.update(Event("x", {"lit": "true"})).tolist() == [0.0, 1.0]


def test_goals_that_were_achieved_at_once_are_told_apart_with_blanks_or_without() -> None:
    code = CodedEntry(ACHIEVED, (), ("eat", "rest"))
    stream = FeatureStream(FeatureProgram((), (code,), (FeatureGroup("now", ACHIEVED),)))
    for goals in ("eat+rest", "eat + rest"):
        stream.update(Event("x", goal=goals))
        assert stream.update(Event("x")).tolist() == [0.0, 1.0]
        assert achieved_goals(Event("x", goal=goals)) == ("eat", "rest")


def test_wrong_events_are_refused() -> None:
    reader = EnsembleReader(random_model())
    context = {"far": 1, "front": "bed", "room": "hall", "side": "home"}
    with pytest.raises(TelosError, match="side 'away' is none that the model was trained on"):
        reader.observe(Event("left", {**context, "side": "away"}))
    with pytest.raises(TelosError, match="'far' is read as a number, got 'near'"):
        reader.observe(Event("left", {**context, "far": "near"}))
    reader.observe(Event("left", context, time=5.0))
    with pytest.raises(TelosError, match="time runs backwards"):
        reader.observe(Event("left", context, time=4.0))


# --- files ------------------------------------------------------------------------------------------------------------


def test_saved_model_reads_the_same(tmp_path) -> None:
    model, events = random_model(), events_of(7)
    path = tmp_path / "random.json"
    save_ensemble(model, path, about={"rows": 30})
    loaded = load_ensemble(path)
    assert np.abs(loaded.read([events]) - model.read([events])).max() < 1e-6
    save_ensemble(loaded, tmp_path / "again.json", about={"rows": 30})
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    reader = telos.recognizer(path)
    assert reader.goals == GOALS
    live = [tuple(reader.observe(event).values()) for event in events]
    assert np.abs(np.array(live) - loaded.read([events])).max() < 1e-9
    with pytest.raises(TelosError, match="give a name that ends in"):
        save_ensemble(model, tmp_path / "random.yaml")


def test_files_without_paths_and_requirements_are_read_as_before() -> None:
    model = random_model(paths=False)
    data = ensemble_data(model)
    del data["requires"]
    assert "paths" not in data["parts"][0]
    loaded = parse_ensemble(json.dumps(data), "before.json")
    assert np.abs(loaded.read([events_of(3)]) - model.read([events_of(3)])).max() < 1e-6


def test_other_recognisers_may_be_json_too(tmp_path) -> None:
    rule = {"if": "attacked", "then": "flee"}
    definition = {"recognizer": "fsm", "goals": ["flee", "rest"], "context": {"attacked": "bool"}, "rules": [rule]}
    (tmp_path / "fsm.json").write_text(json.dumps(definition))
    assert telos.recognizer(tmp_path / "fsm.json").goals == ("flee", "rest")
    with pytest.raises(TelosError, match="missing"):
        telos.recognizer("missing.json")


def change(data, *path_and_value) -> None:
    *path, last, value = path_and_value
    for key in path:
        data = data[key]
    data[last] = value


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (("parts", 0, "trees", "links", 0, 1, 0), "a child does not stand below its parent"),
        (("parts", 0, "trees", "links", 0, 2, 999), "a child does not stand below its parent"),
        (("parts", 0, "trees", "links", 0, 0, 999), "compares a feature that is none"),
        (("parts", 0, "trees", "roots", 0, 999), "a root or a goal is outside"),
        (("parts", 0, "trees", "goals", 0, 3), "a root or a goal is outside"),
        (("parts", 0, "trees", "values", [1.0]), "different lengths"),
        (("parts", 0, "trees", "links", 0, [1, 2]), "different lengths"),
        (("parts", 0, "linear", "means", [1.0]), "1 weights for"),
        (("parts", 0, "linear", "weights", 0, [1.0]), "lists of different lengths"),
        (("parts", 0, "goals", [0, 0, 1]), "its goals are not goals of the model"),
        (("parts", 0, "weights", [1.0]), "1 weights for three components"),
        (("parts", 0, "paths", None), "3 weights for two components"),
        (("parts", 0, "paths", "columns", 0, 999), "a compared feature is none of the"),
        (("parts", 0, "paths", "time", 999), "a compared feature is none of the"),
        (("parts", 0, "paths", "age", -1), "age"),
        (("parts", 0, "paths", "goals", 0, 3), "a case leads to a goal that is none"),
        (("parts", 0, "paths", "goals", [0]), "different lengths"),
        (("parts", 0, "paths", "cases", 0, [1.0]), "lists of different lengths"),
        (("parts", 0, "paths", "cases", []), "different lengths"),
        (("parts", 0, "paths", "costs", [1.0]), "different lengths"),
        (("parts", 0, "paths", "costs", 0, -1.0), "costs must not be negative"),
        (("parts", 0, "paths", "prior", 0, 0.0), "the prior must be positive"),
        (("parts", 0, "paths", "prior", [1.0]), "other numbers of goals than 3"),
        (("parts", 0, "paths", "spread", 0.0), "spread and patience must be positive"),
        (("parts", 0, "paths", "patience", -1.0), "spread and patience must be positive"),
        (("requires", "cook", ["eat", "ret"]), "requires: unknown goal 'ret'; did you mean 'rest'"),
        (("requires", "cok", ["eat"]), "requires: unknown goal 'cok'; did you mean 'cook'"),
        (("requires", "cook", ["cook"]), "'cook' requires itself"),
        (("parts", 0, "offsets", 0, "x"), "offsets"),
        (("parts", []), "at least one part"),
        (("goals", []), "at least one goal"),
        (("features", "groups", 0, "kind", "nmber"), "unknown kind 'nmber'; did you mean 'number'"),
        (("features", "groups", 0, "source", "fa"), "unknown source 'fa'; did you mean 'far'"),
        (("features", "groups", 3, "depth", 10**9), "depth"),
        (("features", "groups", 0, "half_life", 0.0), "half_life"),
        (("features", "bins", 0, [999, 1.0]), "a bin of feature 999"),
        (("features", "filter", "likelihoods", 0, 0, -1.0), "likelihoods[0][0] must be at least 0"),
        (("features", "filter", "matrices", 0, 0, 0, 1e308), "matrices[0][0][0] must be at most 1.000001"),
        (
            ("parts", 0, "linear", "weights", 0, 0, 1e308),
            "weights[0][0] must be at most 1000000000.0, got 1e+308; train",
        ),
        (("parts", 0, "linear", "scales", 0, 1e308), "scales[0] must be at most"),
        (("parts", 0, "linear", "means", 0, 1e308), "means[0] must be at most"),
        (("parts", 0, "trees", "values", 0, -1e308), "values[0] must be at least"),
        (("parts", 0, "offsets", 0, 1e308), "offsets[0] must be at most"),
        (("parts", 0, "weights", 0, 1e308), "weights[0] must be at most"),
        (("parts", 0, "trees", "roots", 0, 10**30), "roots[0] must be at most"),
        (("features", "filter", "prior", [1.0]), "do not fit"),
        (("features", "codes", 0, "levels", []), "'act' reads nothing"),
        (("code", "import os"), "code"),
    ],
)
def test_files_of_strangers_are_refused_with_the_place(where, message: str) -> None:
    data = json.loads(json.dumps(ensemble_data(random_model())))
    change(data, *where)
    with pytest.raises(TelosError) as caught:
        parse_ensemble(json.dumps(data), "bad.json")
    assert message in str(caught.value)
    assert "bad.json" in str(caught.value)


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"recognizer": "ffbm"}', '{"recognizer": "ensemble", "goals": NaN}'])
def test_what_is_no_ensemble_is_refused(text: str) -> None:
    with pytest.raises(TelosError, match="bad"):
        parse_ensemble(text, "bad.json")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_damaged_file_loads_or_is_refused(data) -> None:
    text = json.dumps(ensemble_data(random_model()))
    place = data.draw(st.integers(0, len(text) - 1))
    damaged = text[:place] + data.draw(st.sampled_from(["", "9", "-", "[", '"', "e99", "null"])) + text[place + 1 :]
    try:
        model = parse_ensemble(damaged, "bad.json")
    except TelosError:
        return
    found = model.read([events_of(1)]) if model.parted_by == "side" and model.parts[0].value == "home" else None
    assert found is None or found.sum(axis=1) == pytest.approx(np.ones(30))  # false for NaN


def test_two_parts_for_the_same_players_are_refused() -> None:
    data = json.loads(json.dumps(ensemble_data(random_model())))
    data["parts"] *= 2
    with pytest.raises(TelosError, match=r"bad.json: two parts of the ensemble are for the same players"):
        parse_ensemble(json.dumps(data), "bad.json")


# --- training ---------------------------------------------------------------------------------------------------------


def toy_rows(seed: int = 1, count: int = 600) -> TrainingRows:
    """Return rows of six players whose goal shows in two of three features."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=count)
    rows = rng.normal(size=(count, 3))
    rows[:, 0] += 2.0 * (truth == 1)
    rows[:, 1] += 2.0 * (truth == 2)
    groups = np.array([f"p{each}" for each in rng.integers(6, size=count)])
    return TrainingRows(rows, truth, groups, np.arange(count) // 10, np.ones((count, 3), bool))


def test_training_finds_what_shows_and_is_calibrated() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is an extra")
    part = train_part(toy_rows(), (0, 1, 2), EnsembleSettings(ridge=1.0, rounds=10, rare=0.0))
    unseen = toy_rows(2, 2000)
    chances = softmax(part.of_rows(unseen.features), unseen.is_open)
    right = chances.argmax(axis=1) == unseen.truth
    assert right.mean() > 0.7
    assert abs(chances.max(axis=1).mean() - right.mean()) < 0.05


def test_weights_are_those_of_the_likeliest_combination() -> None:
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(2, 4000, 3)) * 2.0
    offsets = np.array([0.5, 0.0, -0.5])
    chances = softmax(0.3 * scores[0] + 1.2 * scores[1] + offsets, np.ones((4000, 3), bool))
    truth = (chances.cumsum(axis=1) < rng.random((4000, 1))).sum(axis=1)
    rows = TrainingRows(np.zeros((4000, 1)), truth, np.zeros(4000), np.zeros(4000, np.int64), np.ones((4000, 3), bool))
    weights, found = fit_weights(scores, rows, 1e-6)
    assert weights == pytest.approx([0.3, 1.2], abs=0.1)
    assert found - found.mean() == pytest.approx(offsets, abs=0.12)
    held, kept = fit_weights(scores, rows, 1e6, 1e6)
    assert held == pytest.approx([0.5, 0.5], abs=1e-4)
    assert kept == pytest.approx([0.0] * 3, abs=1e-4)
    assert fit_temperature(0.3 * scores[0] + 1.2 * scores[1] + offsets, truth, rows.is_open) == pytest.approx(
        1.0, abs=0.1
    )
    with pytest.raises(TelosError, match="the centre has 3 weights for 2 components"):
        fit_weights(scores, rows, 1.0, 1.0, (0.3, 0.0, 0.5))


def test_scores_among_all_goals_are_those_of_scikit_learn() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model", reason="scikit-learn is an extra")
    rows, ridge = toy_rows(3, 300), 0.05
    weights = np.random.default_rng(5).random(300) + 0.5
    ours = EnsembleSettings(ridge=ridge, linear_steps=300)
    table, intercepts = fit_open(rows.features.astype(np.float32), rows.truth, rows.is_open, weights, ours)
    peer = linear_model.LogisticRegression(C=1.0 / (ridge * weights.sum()), max_iter=1000, tol=1e-8)
    peer.fit(rows.features, rows.truth, sample_weight=weights)
    assert table == pytest.approx(peer.coef_.T, abs=2e-3)
    assert intercepts - intercepts.mean() == pytest.approx(peer.intercept_ - peer.intercept_.mean(), abs=2e-3)


def test_scores_among_open_goals_say_nothing_of_closed_ones() -> None:
    """The first feature tells 0 from 1 while only these are open; where 2 is open too, it is always 2."""
    pytest.importorskip("sklearn", reason="scikit-learn is an extra")
    rng = np.random.default_rng(6)
    shown = rng.normal(size=(400, 1)).astype(np.float32)
    truth, is_late = (shown[:, 0] > 0).astype(np.int64), np.arange(400) >= 200
    truth[is_late] = 2
    is_open = np.ones((400, 3), bool)
    is_open[~is_late, 2] = False
    is_open[0] = [False, False, True]  # its truth is ruled out, so it tells nothing
    ours = EnsembleSettings(ridge=0.01, linear_steps=200)
    table, intercepts = fit_open(shown, truth, is_open, np.ones(400), ours)
    early = softmax(shown[~is_late] @ table + intercepts, is_open[~is_late])[1:]
    assert (early.argmax(axis=1) == truth[~is_late][1:]).mean() > 0.95
    late = softmax(shown[is_late] @ table + intercepts, is_open[is_late])
    assert late[:, 2].min() > 0.8


def test_an_ensemble_of_linear_scores_and_paths_needs_no_trees() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is an extra")
    rows, names = toy_rows(), ("number: time", "gain: time", "mark")
    ours = EnsembleSettings(
        ridge=0.01,
        rounds=0,
        open_only=True,
        centre=(0.5, 0.0, 0.2),
        even=100.0,
        folds=4,
        paths=PathSettings((("mark", 1.0),)),
    )
    part = train_part(rows, (0, 1, 2), ours, names=names)
    assert part.paths is not None
    assert len(part.paths.starts) == 60
    assert len(part.trees.roots) == 0
    assert part.weights[1] == pytest.approx(0.0, abs=1e-2)
    unseen = toy_rows(2, 2000)
    assert (part.of_rows(unseen.features).argmax(axis=1) == unseen.truth).mean() > 0.7


def test_groups_are_never_split() -> None:
    groups = np.array(["a"] * 5 + ["b"] * 3 + ["c"] * 2 + ["a"])
    fold = deal_groups(groups, 2, seed=1)
    assert len(set(fold[groups == "a"])) == 1
    assert set(fold[groups == "b"]) == set(fold[groups == "c"]) != set(fold[groups == "a"])
    with pytest.raises(TelosError, match="1 group of players"):
        deal_groups(groups[:5], 2, seed=1)


def test_macro_f1_in_numbers() -> None:
    assert macro_f1(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 1])) == pytest.approx((2 / 3 + 1 / 2) / 2)
