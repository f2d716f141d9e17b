"""Dials turn one number of a model each; unturned, the models are those of the papers."""

from random import Random

import pytest

from studies.scoring_plays import some_play
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.files.load import named_model
from telos.recognition.iohmm import IOHMM, copy_model
from telos.studies.gold.sensitivity import (
    AIIDE_DIALS,
    FACTORS,
    FLAIRS_DIALS,
    Dial,
    aiide_model,
    all_at_once,
    flairs_model,
    one_at_a_time,
)
from telos.studies.scoring import evidence_of


def test_unturned_models_say_the_same_as_those_of_the_papers() -> None:
    moments = some_play(3)
    assert evidence_of(flairs_model(), moments) == evidence_of(named_model("flairs"), moments)  # type: ignore[arg-type]
    model = named_model("aiide")
    assert isinstance(model, IOHMM)
    mine = copy_model(model, counts={"level": {"swing": 9}, "explore": {"stop": 4}})
    moments = [(event, "level") for event, _ in some_play(3, rules="aiide")]
    assert evidence_of(aiide_model(mine), moments) == evidence_of(mine, moments)


@pytest.mark.parametrize("dial", FLAIRS_DIALS, ids=lambda dial: dial.keyword)
def test_every_dial_of_the_first_model_changes_what_it_says(dial: Dial) -> None:
    moments = some_play(4, 3_000)
    chest = {**moments[-1][0].context, "chest_taken": True, "in_town": False}
    moments.append((Event("up", chest, time=moments[-1][0].time), "explore"))
    turned = flairs_model(**{dial.keyword: dial.turned(2)})
    assert evidence_of(turned, moments) != evidence_of(flairs_model(), moments)


def test_the_dials_stand_at_the_numbers_of_the_models() -> None:
    moments = some_play(3)
    standing = flairs_model(**{dial.keyword: dial.value for dial in FLAIRS_DIALS})
    assert evidence_of(standing, moments) == evidence_of(flairs_model(), moments)
    model = named_model("aiide")
    assert isinstance(model, IOHMM)
    assert aiide_model(model, **{dial.keyword: dial.value for dial in AIIDE_DIALS}) == aiide_model(model)


@pytest.mark.parametrize("dial", [*FLAIRS_DIALS, *AIIDE_DIALS], ids=lambda dial: dial.keyword)
def test_turning_up_raises_and_a_chance_stays_one(dial: Dial) -> None:
    values = [dial.turned(factor) for factor in FACTORS]
    assert values == sorted(values)
    assert len(set(values)) == len(values)
    assert values[0] == dial.value / 2
    assert values[2] == dial.value
    assert not dial.is_chance or 0 < values[-1] < 1


def test_a_factor_of_nothing_is_refused() -> None:
    with pytest.raises(TelosError, match="above 0, got 0"):
        FLAIRS_DIALS[0].turned(0)


def test_all_at_once_is_fixed_by_its_seed() -> None:
    moments = some_play(2, 200)

    def said(seed: int) -> list[object]:
        models = all_at_once(FLAIRS_DIALS, flairs_model, draws=3, rng=Random(seed))
        return [evidence_of(model, moments) for model in models]

    assert said(1) == said(1) != said(2)
    assert len(one_at_a_time(FLAIRS_DIALS, flairs_model)) == len(FLAIRS_DIALS) * len(FACTORS)
