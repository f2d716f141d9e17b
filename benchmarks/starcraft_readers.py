"""What does each part of the reader of StarCraft II contribute? Variants on one log of people, in folds by group.

    python benchmarks/starcraft_readers.py FOLDER [--deals 3] [--folds 6] [--json]

FOLDER holds the log (`events.csv.gz`). Groups of players are dealt into folds at random, several times. All that is
fitted is fitted on the other folds, as in `telos study starcraft FOLDER --ensemble`, which has ten other folds. Figures
are means over the deals; differences are to the reader as it is, with a 95 % bootstrap over groups.
"""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from telos.recognition.ensemble.model import find_open
from telos.recognition.ensemble.training import EnsembleSettings, macro_f1
from telos.studies.humans.ensembles import GAMES, LabelledSequence, read_sequences
from telos.studies.humans.experts import calibration_error
from telos.studies.humans.nested import SETTINGS, game_rows, goals_of, requirements, train_on_rows
from telos.studies.humans.peers import PEER_TREES

GAME, OURS = GAMES["starcraft"], SETTINGS["starcraft"]
FREE = replace(GAME, requires={})
AS_BEFORE = replace(PEER_TREES["starcraft"], ridge=0.00005, linear_steps=20, shrink=0.2, even=100.0)
HELD = 1e6  # a component alone
VARIANTS = {
    "as it is": (GAME, OURS),
    "before: linear scores and trees, no tech tree": (FREE, AS_BEFORE),
    "linear scores alone, among all goals": (
        GAME,
        replace(AS_BEFORE, rounds=0, centre=(0.5, 0.0), even=HELD),
    ),
    "linear scores alone, among goals not yet achieved": (
        FREE,
        replace(OURS, paths=None, centre=(0.5, 0.0), even=HELD),
    ),
    "linear scores alone, among goals that the tech tree allows": (
        GAME,
        replace(OURS, paths=None, centre=(0.5, 0.0), even=HELD),
    ),
    "paths alone": (GAME, replace(OURS, centre=(0.0, 0.0, 0.5), linear_steps=1, even=HELD)),
    "weights fitted for each race": (GAME, replace(OURS, even=1e-6, shrink=0.2)),
    "a temperature for each race": (GAME, replace(OURS, common_temperature=False)),
    "three inner folds": (GAME, replace(OURS, folds=3)),
}
RESAMPLES = 1000
SPREAD = 1.0  # of the random order in which groups are dealt out

Beliefs = NDArray[np.float64]


def deal_at_random(sequences: list[LabelledSequence], folds: int, seed: int) -> list[int]:
    """Return the fold of each sequence: groups in random order, larger ones rather first, each to the smallest."""
    rng, sizes = np.random.default_rng(seed), dict[str, int]()
    for sequence in sequences:
        sizes[sequence.group] = sizes.get(sequence.group, 0) + len(sequence.events)
    keys = {group: np.log(size) + rng.normal() * SPREAD for group, size in sorted(sizes.items())}
    load, fold = np.zeros(folds), dict[str, int]()
    for group in sorted(keys, key=lambda each: -keys[each]):
        fold[group] = int(load.argmin())
        load[fold[group]] += sizes[group]
    return [fold[sequence.group] for sequence in sequences]


def read_folds(
    sequences: list[LabelledSequence], folds: int, seed: int, variants: dict[str, tuple[Any, EnsembleSettings]]
) -> tuple[dict[str, Beliefs], NDArray[Any], NDArray[Any]]:
    """Return the beliefs of each variant on the scored rows of all folds, the truth, and the groups of players."""
    goals = goals_of(sequences)
    dealt = deal_at_random(sequences, folds, seed)
    found: dict[str, list[Beliefs]] = {name: [] for name in variants}
    truth, groups = list[int](), list[str]()
    for held_out in range(folds):
        training = [each for each, at in zip(sequences, dealt, strict=True) if at != held_out]
        test = [each for each, at in zip(sequences, dealt, strict=True) if at == held_out]
        program, known = GAME.program(training), goals_of(training)
        rows, unseen = game_rows(GAME, program, training, known), game_rows(GAME, program, test, known)
        events = [each.events for each in test]
        for name, (game, settings) in variants.items():
            is_open = find_open([each.events for each in training], known, True, requirements(game, known))
            model = train_on_rows(game, program, rows._replace(is_open=is_open), known, settings)
            beliefs = np.zeros((int(unseen.is_scored.sum()), len(goals)))
            read = model.read_rows(unseen.features, events)[unseen.is_scored]
            beliefs[:, [goals.index(goal) for goal in known]] = read
            found[name].append(beliefs)
        truth += [goals.index(goal) for goal in unseen.truth[unseen.is_scored].tolist()]
        groups += unseen.groups[unseen.is_scored].tolist()
    return {name: np.concatenate(each) for name, each in found.items()}, np.array(truth), np.array(groups)


def compare(hits: dict[str, NDArray[Any]], first: str, rng: np.random.Generator) -> dict[str, list[float]]:
    """Return how much more rows each variant reads rightly than the first, in %, and a bootstrap over groups."""
    sizes = hits["rows"]
    found = {}
    for name in VARIANTS:
        gains = hits[name] - hits[first]
        draws = []
        for _ in range(RESAMPLES):
            drawn = rng.integers(len(sizes), size=len(sizes))
            draws.append(100.0 * gains[drawn].sum() / sizes[drawn].sum())
        bounds = np.quantile(draws, [0.025, 0.975]).tolist()
        found[name] = [100.0 * float(gains.sum() / sizes.sum()), *bounds]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="What each part of the reader of StarCraft II contributes.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--deals", type=int, default=3)
    parser.add_argument("--folds", type=int, default=6)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sequences = read_sequences(options.folder, GAME)
    names = sorted({sequence.group for sequence in sequences})
    figures: dict[str, list[tuple[float, float, float]]] = {name: [] for name in VARIANTS}
    hits = {name: np.zeros(len(names)) for name in (*VARIANTS, "rows")}
    for deal in track(range(1, options.deals + 1), "deals", console=Console(stderr=True)):
        beliefs, truth, groups = read_folds(sequences, options.folds, deal, VARIANTS)
        place = np.searchsorted(names, groups)
        hits["rows"] += np.bincount(place, minlength=len(names))
        for name, each in beliefs.items():
            best = each.argmax(axis=1)
            hits[name] += np.bincount(place, best == truth, minlength=len(names))
            right = float((best == truth).mean())
            figures[name].append((right, macro_f1(best, truth), calibration_error(each, truth)))
    gains = compare(hits, next(iter(VARIANTS)), np.random.default_rng(1))
    means = {name: np.mean(each, axis=0).tolist() for name, each in figures.items()}
    if options.json:
        keys = ("accuracy", "macro_f1", "ece")
        data = {name: dict(zip(keys, means[name], strict=True)) | {"gain": gains[name]} for name in VARIANTS}
        json.dump({"deals": options.deals, "folds": options.folds, "variants": data}, sys.stdout, indent=1)
        return
    table = Table("variant", "right, %", "macro-F1", "ECE", "difference [95%]")
    for name, (right, macro, ece) in means.items():
        gain, low, high = gains[name]
        table.add_row(
            name, f"{100 * right:.1f}", f"{macro:.3f}", f"{ece:.3f}", f"{gain:+.1f} [{low:+.1f}, {high:+.1f}]"
        )
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
