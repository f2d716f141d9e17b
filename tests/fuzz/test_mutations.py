"""The mutation engine itself: seeded, damaging, and over every registered format."""

import gzip
import json
from random import Random

import pytest

from fuzz import seeds
from fuzz.mutations import MUTATIONS, mutate_data, mutate_file
from fuzz.runner import case_generator
from fuzz.targets import file_targets
from telos.files.formats import FORMATS


def test_seed_determines_the_mutation() -> None:
    good = seeds.SMOKING.encode()
    made = [mutate_file(good, case_generator("mln", 1, case), [good]) for case in range(50)]
    assert made == [mutate_file(good, case_generator("mln", 1, case), [good]) for case in range(50)]
    assert len(set(made)) > 30


def test_every_mutation_changes_some_file() -> None:
    good = b'{"player": "ann", "time": 3}\ngoals: [a, b]\nname: &x {y: 1}\n'
    for mutation in MUTATIONS:
        assert any(mutation(good, Random(seed), [good]) != good for seed in range(20)), mutation


def test_contents_of_packed_files_are_mutated_too() -> None:
    good = seeds.packed(seeds.CORPUS_LOG)
    made = [mutate_file(good, Random(seed), [good], "log.csv.gz") for seed in range(40)]
    assert any(_unpacks(data) and gzip.decompress(data) != seeds.CORPUS_LOG.encode() for data in made)
    assert not all(_unpacks(data) for data in made)


def _unpacks(data: bytes) -> bool:
    try:
        return bool(gzip.decompress(data))
    except Exception:  # whatever damage does
        return False


def test_data_is_copied_before_it_is_changed() -> None:
    good = {"chances": [0.5, 0.5], "player": "ann", "inner": {"a": [1, {"b": None}]}}
    before = json.dumps(good)
    made = [mutate_data(good, Random(seed)) for seed in range(100)]
    assert json.dumps(good) == before
    assert sum(each != good for each in made) > 80


@pytest.mark.parametrize("kind", FORMATS)
def test_every_registered_format_is_a_target(kind: str) -> None:
    pytest.importorskip("polars")
    assert file_targets()[kind].good
