"""Continuous observations: densities against scipy, fits, evidence as a product, files, and what is refused."""

import math
from pathlib import Path
from random import Random
from typing import Any

import pytest

import telos
from telos.core.errors import DefinitionError, TelosError
from telos.core.event import Event
from telos.recognition import IOHMM, Reader, fit_em, format_model, loads_model, personalize, pool_models
from telos.recognition.measures import Gamma, Gaussian, Measure, Measures, VonMises, fit_density
from telos.recognition.measures.densities import bessel_ratio, concentration_of, digamma, log_bessel, trigamma

scipy_special = pytest.importorskip("scipy.special")
scipy_stats = pytest.importorskip("scipy.stats")

FFBM_TEXT = """
recognizer: ffbm
goals: [fight, flee]
transitions: {lasts: 20 updates}
observations:
  fight: {swing: 0.8, walk: 0.2}
  flee: {swing: 0.3, walk: 0.7}
measures:
  speed:
    distribution: gamma
    unit: cells/s
    if: moved
    goals: {fight: {mean: 2, deviation: 1}, flee: {mean: 5, deviation: 1.5}}
  distance:
    distribution: gaussian
    usual: {mean: 10, deviation: 4}
    goals: {fight: {mean: 3, deviation: 2}}
  heading:
    distribution: von_mises
    unit: degrees
    usual: {mean: 0, concentration: 0}
    goals: {flee: {mean: 180, concentration: 3, around: enemy}}
"""
IOHMM_TEXT = """
recognizer: iohmm
goals: [fight, flee]
observations: {swing: action == swing, other: true}
transitions: {lasts: 20 updates}
measures:
  speed: {distribution: gamma, unit: cells/s, strength: 2, usual: {mean: 3, deviation: 2}}
  heading: {distribution: von_mises, unit: degrees, strength: 1, usual: {mean: 0, concentration: 0.5}}
  height: {distribution: gaussian, strength: 2, usual: {mean: 0, deviation: 5}}
"""


@pytest.mark.parametrize("value", [0.01, 0.5, 2.0, 7.5, 300.0])
def test_densities_are_those_of_scipy(value: float) -> None:
    for mean, deviation in ((2.0, 1.0), (0.3, 0.9), (50.0, 3.0)):
        normal = scipy_stats.norm(mean, deviation).logpdf(value)
        assert Gaussian(mean, deviation).log_density(value) == pytest.approx(normal, rel=1e-12)
        gamma = scipy_stats.gamma((mean / deviation) ** 2, scale=deviation**2 / mean).logpdf(value)
        assert Gamma(mean, deviation).log_density(value) == pytest.approx(gamma, rel=1e-10, abs=1e-10)
        angle = scipy_stats.vonmises(deviation * 9, loc=mean).logpdf(value)
        assert VonMises(mean, deviation * 9).log_density(value) == pytest.approx(angle, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("x", [1e-6, 0.01, 0.4, 1.0, 3.7, 14.0, 29.99, 30.01, 250.0, 1e5])
def test_special_functions_are_those_of_scipy(x: float) -> None:
    assert digamma(x) == pytest.approx(float(scipy_special.digamma(x)), rel=1e-12)
    assert trigamma(x) == pytest.approx(float(scipy_special.polygamma(1, x)), rel=1e-12)
    assert log_bessel(x) == pytest.approx(math.log(scipy_special.i0e(x)) + x, rel=1e-12, abs=1e-15)
    ratio = float(scipy_special.i1e(x) / scipy_special.i0e(x))
    assert bessel_ratio(x) == pytest.approx(ratio, rel=1e-12)
    if 1e-3 < x < 1e4:
        assert concentration_of(ratio) == pytest.approx(x, rel=1e-6)


@pytest.mark.parametrize("true", [Gaussian(4, 0.5), Gamma(4, 2), Gamma(0.5, 0.8), VonMises(2.5, 3.0), VonMises(-1, 40)])
def test_a_fit_without_a_prior_recovers_the_parameters(true: Any) -> None:
    rng, sums = Random(3), [0.0, 0.0, 0.0]
    for _ in range(20_000):
        sums = [a + b for a, b in zip(sums, (1.0, *true.statistics(true.draw(rng))), strict=True)]
    found = fit_density(true, 0.0, sums, 1e-4)
    assert found.mean == pytest.approx(true.mean, rel=0.03)
    spread = "concentration" if isinstance(true, VonMises) else "deviation"
    assert getattr(found, spread) == pytest.approx(getattr(true, spread), rel=0.05)
    likelihood = found.log_likelihood(*sums)
    for factor in (0.98, 1.02):  # no neighbour is likelier
        for name in ("mean", spread):
            other = type(found)(
                **{"mean": found.mean, spread: getattr(found, spread), name: getattr(found, name) * factor}
            )
            assert other.log_likelihood(*sums) < likelihood


@pytest.mark.parametrize("prior", [Gaussian(4, 0.5), Gamma(4, 2), VonMises(1, 3)])
def test_one_observation_gives_no_infinite_density(prior: Any) -> None:
    alone = fit_density(prior, 0.0, (1.0, *prior.statistics(2.0)), 0.01)
    assert math.isfinite(alone.log_density(2.0))
    assert alone.log_density(2.0) < math.log(100)
    shrunk = fit_density(prior, 10.0, (1.0, *prior.statistics(2.0)), 0.01)
    assert abs(shrunk.mean - prior.mean) < abs(alone.mean - prior.mean) / 5
    assert fit_density(prior, 10.0, (0.0, 0.0, 0.0), 0.01) is prior


@pytest.mark.parametrize("prior", [Gaussian(4, 0.5), Gamma(4, 2), VonMises(1, 3)])
def test_what_has_faded_away_is_no_observation(prior: Any) -> None:
    model = Measures([Measure("x", {"a": prior}, unit="radians", strength=0)], ["a"])
    model.add("a", model.read({"x": 0.3}, [True]))
    for _ in range(1100):  # the weight of the lesson has no digits left, and its sums are 0
        model.fade(0.5)
    assert model.density("x", "a") == prior


def density(family: str, value: float, *parameters: float) -> float:
    mean, spread = parameters
    if family == "gamma":
        return float(scipy_stats.gamma((mean / spread) ** 2, scale=spread**2 / mean).pdf(value))
    if family == "gaussian":
        return float(scipy_stats.norm(mean, spread).pdf(value))
    return float(scipy_stats.vonmises(spread, loc=math.radians(mean)).pdf(math.radians(value))) * math.pi / 180


def test_the_likelihood_is_the_product_of_outcome_and_densities() -> None:
    model = loads_model(FFBM_TEXT)
    event = Event("swing", {"moved": True, "speed": 4, "distance": 2.5, "heading": 30, "enemy": 200})
    assert model.evidence(event).likelihood == pytest.approx(
        (
            0.8 * density("gamma", 4, 2, 1) * density("gaussian", 2.5, 3, 2) / 360,
            0.3 * density("gamma", 4, 5, 1.5) * density("gaussian", 2.5, 10, 4) * density("von_mises", -170, 180, 3),
        ),
        rel=1e-9,
    )


def test_what_was_not_measured_is_no_evidence() -> None:
    model = loads_model(FFBM_TEXT)
    assert model.evidence(Event("swing")).likelihood == (0.8, 0.3)
    assert model.evidence(Event("swing", {"speed": 4, "moved": False})).likelihood == (0.8, 0.3)
    assert model.evidence(Event("swing", {"speed": None, "moved": True})).likelihood == (0.8, 0.3)
    known = model.evidence(Event("swing", {"heading": 30}))  # the enemy is out of sight: any heading is as likely
    assert known.likelihood == pytest.approx((0.8 / 360, 0.3 / 360))


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ({"speed": -1.0, "moved": True}, "context 'speed' holds -1.0, and is measured as a finite number, 0 or more"),
        ({"distance": math.nan}, "context 'distance' holds nan, and is measured as a finite number"),
        ({"distance": math.inf}, "'distance' holds inf"),
        ({"distance": "far"}, "'distance' holds 'far'"),
        ({"distance": True}, "'distance' holds True"),
        ({"heading": 3, "enemy": math.nan}, "'enemy' holds nan"),
    ],
)
def test_values_that_cannot_be_are_refused(context: dict[str, Any], message: str) -> None:
    reader = Reader(loads_model(FFBM_TEXT))
    with pytest.raises(TelosError, match="holds") as caught:
        reader.observe(Event("swing", context))
    assert message in str(caught.value)


def test_an_outlier_does_not_decide_everything() -> None:
    model = loads_model(FFBM_TEXT)
    far = model.evidence(Event("swing", {"distance": 1e9}))
    assert far.likelihood == pytest.approx((0.8 * math.exp(-50), 0.3 * math.exp(-50)))


def test_why_tells_what_each_measure_added() -> None:
    reader = Reader(loads_model(FFBM_TEXT))
    reader.observe(Event("walk", {"moved": True, "speed": 4.5}))
    why = reader.why("flee", "fight")
    ratio = math.log(density("gamma", 4.5, 5, 1.5) / density("gamma", 4.5, 2, 1))
    assert why.parts[0].measured == (("speed", "speed 4.5 cells/s", pytest.approx(ratio)),)
    assert f"of it speed 4.5 cells/s: speaks for flee ({ratio:+.2f})" in str(why)
    by_cause = {reason.cause: reason.log_odds for reason in why.reasons}
    assert by_cause["speed"] == pytest.approx(ratio)
    assert by_cause["walk"] == pytest.approx(math.log(0.7 / 0.2))
    assert sum(by_cause.values()) == pytest.approx(why.total)  # type: ignore[arg-type]
    again = Reader.resume(reader.model, reader.save())
    assert again.why("flee", "fight") == why


def lessons(rng: Random, count: int) -> list[tuple[Event, str]]:
    found = []
    for number in range(count):
        goal = "fight" if (number // 25) % 2 else "flee"
        fast = goal == "flee"
        context = {
            "speed": rng.gammavariate(16.0, 5 / 16) if fast else rng.gammavariate(4.0, 0.5),
            "heading": math.degrees(rng.vonmisesvariate(2.0, 4.0) if fast else rng.vonmisesvariate(0.0, 0.0)),
            "height": rng.gauss(3.0, 1.0) if fast else rng.gauss(-2.0, 0.5),
        }
        found.append((Event("swing" if rng.random() < 0.5 else "walk", context, time=float(number)), goal))
    return found


def check_recovered(measures: Measures, rel: float) -> None:
    speed, slow = measures.density("speed", "flee"), measures.density("speed", "fight")
    assert (speed.mean, speed.deviation) == pytest.approx((5, 5 / 4), rel=rel)  # type: ignore[union-attr]
    assert (slow.mean, slow.deviation) == pytest.approx((2, 1), rel=rel)  # type: ignore[union-attr]
    heading = measures.density("heading", "flee")
    assert (heading.mean, heading.concentration) == pytest.approx((2, 4), rel=2 * rel)  # type: ignore[union-attr]
    assert measures.density("height", "fight").mean == pytest.approx(-2, rel=rel)


def test_lessons_teach_the_densities() -> None:
    model = loads_model(IOHMM_TEXT)
    reader = Reader(model)
    for event, goal in lessons(Random(5), 3000):
        reader.learn(event, goal)
    check_recovered(model.measures, 0.08)
    again = loads_model(format_model(model))
    assert again.measures.density("speed", "flee") == model.measures.density("speed", "flee")
    assert again == model


def test_em_finds_the_densities_without_labels() -> None:
    events = [event for event, _ in lessons(Random(6), 800)]
    text = IOHMM_TEXT.replace(
        "usual: {mean: 0, deviation: 5}", "goals: {fight: {mean: -1, deviation: 3}, flee: {mean: 1, deviation: 3}}"
    )
    result = fit_em(loads_model(text), [events], rounds=30)
    check_recovered(result.model.measures, 0.15)
    rises = [after - before for before, after in zip(result.objectives, result.objectives[1:], strict=False)]
    assert min(rises) > -1e-6


def test_pooling_adds_and_personalizing_shrinks() -> None:
    models = []
    for seed in (1, 2):
        model = loads_model(IOHMM_TEXT)
        for event, goal in lessons(Random(seed), 200):
            model.learn(event, goal)
        models.append(model)
    pool = pool_models(models)
    weights = [model.measures.seen["speed"]["flee"][0] for model in (*models, pool)]
    assert weights == [100.0, 100.0, 200.0]
    own = personalize(pool, 50)
    assert own.measures.density("speed", "flee") == pool.measures.density("speed", "flee")
    assert own.measures.all[0].strength == 50
    pool.fade(0.5)
    assert pool.measures.seen["speed"]["flee"][0] == 100.0


@pytest.mark.parametrize("text", [FFBM_TEXT, FFBM_TEXT.replace("ffbm", "constant"), IOHMM_TEXT])
def test_models_with_measures_are_read_back_equal(text: str) -> None:
    model = loads_model(text)
    assert loads_model(format_model(model)) == model
    assert loads_model(text.split("\nmeasures:")[0]) != model


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x: {distribution: gamma, usual: {mean: 2, concentration: 1}}", "a gamma density has no concentration"),
        ("x: {distribution: gamma, usual: {mean: 2}}", "a gamma density needs a deviation"),
        ("x: {distribution: von_mises, unit: radians, usual: {mean: 2}}", "a von_mises density needs a concentration"),
        (
            "x: {distribution: gaussian, usual: {mean: 2, deviation: 0}}",
            "a deviation of 0, where the resolution is 0.01",
        ),
        ("x: {distribution: gaussian, usual: {mean: 2, deviation: 1, around: y}}", "`around` is for angles"),
        ("x: {distribution: gaussian, resolution: 0, usual: {mean: 2, deviation: 1}}", "a resolution of 0"),
        ("x: {distribution: gaussian, usual: {mean: 2, deviation: 1}, seen: {flee: {sums: 1}}}", "unknown sum 'sums'"),
        (
            "x: {distribution: gaussian, usual: {mean: 2, deviation: 1}, seen: {flee: {weight: 2, sum: 8}}}",
            "no values have these sums",
        ),
    ],
)
def test_faults_name_the_line_and_the_remedy(line: str, message: str) -> None:
    text = IOHMM_TEXT.split("\nmeasures:")[0] + f"\nmeasures:\n  {line}\n"
    with pytest.raises(DefinitionError) as caught:
        loads_model(text)
    assert message in str(caught.value)
    assert ":7:" in str(caught.value)


def test_measures_in_python_are_checked() -> None:
    with pytest.raises(TelosError, match="2 families"):
        Measure("speed", {"a": Gaussian(1, 1), "b": Gamma(1, 1)})
    with pytest.raises(TelosError, match="angle in no unit"):
        Measure("heading", {"a": VonMises(1, 1)})
    with pytest.raises(DefinitionError, match="goal 'level' has no density"):
        IOHMM(measures=[Measure("x", {"explore": Gaussian(1, 1)})])
    nine = [Measure(f"m{number}", {"a": Gaussian(1, 1)}) for number in range(9)]
    with pytest.raises(TelosError, match="at most 8"):
        Measures(nine, ["a"])


def test_a_wrong_value_is_refused_also_where_its_measure_does_not_count() -> None:
    """As in columns, where a bad cell is a bad row: live and logs accept the same events."""
    reader = Reader(loads_model(FFBM_TEXT))
    for context in ({"speed": -1, "moved": False}, {"enemy": math.inf, "moved": False}):
        with pytest.raises(TelosError, match="is measured as a finite number"):
            reader.observe(Event("swing", context))
    assert reader.updates == 0


@pytest.mark.parametrize("value", [1e51, -1e51, 1e308, 10**60, 10**400])
def test_numbers_whose_squares_overflow_are_refused_before_anything_is_learned(value: float) -> None:
    model = loads_model(IOHMM_TEXT)
    with pytest.raises(TelosError, match=r"'height' holds a number beyond 1e\+50, and is measured as a finite number"):
        model.learn(Event("swing", {"height": value}), "fight")
    assert model == loads_model(IOHMM_TEXT)


def test_the_largest_numbers_are_learned_and_saved() -> None:
    model = loads_model(IOHMM_TEXT)
    for height in (1e50, -1e50, 0.0):
        model.learn(Event("swing", {"height": height, "speed": abs(height)}), "fight")
    assert loads_model(format_model(model)) == model
    found = Reader(model).observe(Event("swing", {"height": 1e50, "speed": 1e50}))
    assert found["fight"] == pytest.approx(4 / 6.5)  # 4 of 5 swings, 1 of 2; such densities are all below the floor


@pytest.mark.parametrize(
    ("written", "instead", "message"),
    [
        ("mean: 0, deviation: 5", "mean: 1.0e+70, deviation: 5", "a mean must be at most 1e\\+60"),
        ("mean: 0, deviation: 5", "mean: 0, deviation: 1.0e+70", "a deviation must be at most 1e\\+60"),
        ("concentration: 0.5", "concentration: 1.0e+308", "a concentration must be at most 1e\\+12"),
        ("strength: 1,", "strength: 1.0e+308,", "a strength is at most 1e\\+12 observations"),
        ("strength: 1,", "resolution: 1.0e+308,", "a resolution of 1e\\+308.*; write 1e-06 or more, up to 1e\\+50"),
    ],
)
def test_a_hostile_file_cannot_make_densities_overflow(written: str, instead: str, message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        loads_model(IOHMM_TEXT.replace(written, instead))


@pytest.mark.parametrize("sums", ["1.0e-300, sum: 1.0e+10, squares: 1.0e+300", "1, sum: 1.0e+60, squares: 1.0e+130"])
def test_sums_of_numbers_that_cannot_be_measured_are_refused(sums: str) -> None:
    seen = f"deviation: 5}}, seen: {{fight: {{weight: {sums}}}}}}}"
    text = IOHMM_TEXT.replace("deviation: 5}}", seen) + "counts: {fight: {swing: 1}}\n"
    with pytest.raises(DefinitionError, match="no values have these sums"):
        loads_model(text)


def test_rows_with_a_wrong_value_are_told_by_line_and_left_out_where_asked(tmp_path: Path) -> None:
    text = IOHMM_TEXT.replace("height: {", "size: {distribution: gamma, usual: {mean: 1, deviation: 1}}\n  height: {")
    (tmp_path / "play.csv").write_text(
        "player,time,action,speed,size,height,heading,truth\n"
        "ann,0,swing,1,,,,fight\nann,1,swing,-1,,,,fight\nann,2,swing,,1e60,,,fight\nann,3,swing,,,-7,720,flee\n"
    )
    with pytest.raises(TelosError, match=r"play.csv:3: speed says '-1', not a number of 0 to 1e\+50") as caught:
        telos.train(loads_model(text), tmp_path / "play.csv")
    assert "play.csv:4: size says '1e60'" in str(caught.value)
    with pytest.warns(UserWarning, match="2 rows"):
        learned = telos.train(loads_model(text), tmp_path / "play.csv", skip_bad=True)
    assert learned.measures.seen["speed"] == {"fight": [1.0, 1.0, 0.0]}
    assert learned.measures.seen["height"] == {"flee": [1.0, -7.0, 49.0]}
