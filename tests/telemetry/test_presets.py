"""Presets read logs in the published layouts of telemetry services, from the raw log to beliefs."""

from pathlib import Path

import pytest

import telos
from telemetry.preset_samples import PLAYERS, SAMPLES
from telos.recognition import loads_model
from telos.telemetry import prepare, write_table
from telos.telemetry.columns import built_in_columns, named_columns

MODEL = """
recognizer: iohmm
goals: [fish, sell]
context: {{near_water: bool, gold: int}}
observations: {{casts: action == {cast} and near_water, sells: action == {offer} and gold > 5, other: true}}
"""
FACTS = {"near_water": "bool", "gold": "int"}


@pytest.mark.parametrize("preset", SAMPLES)
def test_a_published_layout_goes_the_whole_road(preset: str, tmp_path: Path) -> None:
    sample = SAMPLES[preset]
    log, own = tmp_path / sample.file, tmp_path / "own.yaml"
    log.write_text(sample.text(), encoding="utf-8")
    achieved = f"achieved: {{actions: {{{sample.catch}: fish, {sample.deal}: sell}}}}\n" if preset != "steam" else ""
    facts = f"{named_columns(preset).facts}." if named_columns(preset).facts else ""
    where = ", ".join(f"{fact}: {{column: {facts}{fact}, type: {kind}}}" for fact, kind in FACTS.items())
    context = f"context: {{{where}}}"
    own.write_text(f"columns: own\npreset: {preset}\n{achieved}{context}\n", encoding="utf-8")
    corpus = prepare(log, own, folds=2)
    assert corpus.statistics().goals == {"fish": 12, "sell": 12}
    assert corpus.frame.height == 4 * 3 * 7
    assert corpus.frame.filter(player=corpus.frame["player"][0])["time"].diff().drop_nulls().min() == 4
    write_table(corpus.frame, tmp_path / "corpus.parquet")
    trained = telos.train(
        loads_model(MODEL.format(cast=sample.cast, offer=sample.offer)), str(tmp_path / "corpus.parquet")
    )
    report = telos.evaluate(trained, str(tmp_path / "corpus.parquet"), folds=2)
    assert report["model 1"].accuracy > 0.6
    # The raw log is read by the name of the preset alone: facts are found where the layout has them.
    beliefs = telos.recognize(trained, str(log), columns=preset)
    assert beliefs.height == 27 * 4
    assert beliefs["player"].n_unique() == len(PLAYERS)
    first = beliefs.filter(player=beliefs["player"][0])
    assert first["top"][1] == "fish"
    assert first["top"][7] == "sell"


def test_every_preset_of_a_service_is_tested() -> None:
    corpora = {"crafter", "island", "overcooked", "starcraft"}
    assert set(built_in_columns()) == corpora | set(SAMPLES)
