"""Writers killed at random moments leave the old file or the new one, whole to the byte."""

import signal
from pathlib import Path
from random import Random

import pytest

from crash.writers import WRITERS, fill, kill_once, measure

pytest.importorskip("polars")
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
SAMPLE = ("train", "recognize", "prepare csv", "learn")


def kill_often(name: str, folder: Path, kills: int) -> list[str]:
    fill(folder)
    rng, baseline = Random(f"kills {name}"), measure(WRITERS[name], folder)
    found = [kill_once(WRITERS[name], folder, baseline, rng, SIGNALS[i % len(SIGNALS)]) for i in range(kills)]
    return [each for each in found if each]


@pytest.mark.parametrize("name", SAMPLE)
def test_killed_writer_leaves_a_whole_file(name: str, tmp_path: Path) -> None:
    assert kill_often(name, tmp_path, 3) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_writer_killed_often_leaves_a_whole_file(name: str, tmp_path: Path) -> None:
    assert kill_often(name, tmp_path, 20) == []
