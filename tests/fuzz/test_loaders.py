"""Every loader takes a mutated file or refuses it in time with an error that names the fault.

``python tests/fuzz/runner.py`` runs more of it, and repeats single cases.
"""

import pytest

from fuzz.runner import FILES, SNAPSHOTS, Report, run

pytest.importorskip("polars")
pytest.importorskip("pddl")
SEED = 15


def check(report: Report) -> None:
    assert not report.bad_seeds, "good files must load:\n" + "\n".join(report.bad_seeds)
    assert not report.failures, f"{len(report.failures)} of {report.runs} cases:\n{report.problems()}"
    assert report.loaded, "a share of the mutated files must load, or nothing behind the parsers is tested"


def test_mutated_files_load_or_are_refused() -> None:
    check(run(FILES, 1_200, seed=SEED))


def test_mutated_snapshots_are_refused_or_continue() -> None:
    check(run(SNAPSHOTS, 600, seed=SEED))


@pytest.mark.slow
def test_100_000_mutated_files_load_or_are_refused() -> None:
    check(run(FILES, 100_000, seed=SEED + 1, jobs=2))


@pytest.mark.slow
def test_10_000_mutated_snapshots_are_refused_or_continue() -> None:
    check(run(SNAPSHOTS, 10_000, seed=SEED + 1, jobs=2))
