"""How fast are players read in bulk? Telos beside hmmlearn, pomegranate and plain numpy, in one run on the same data.

    python benchmarks/filtering.py [--seed 7] [--json] [--quick]

Three goals, nine symbols, one transition matrix (peers know no more than one), 2,000 players with 1,000 events each.
Everybody filters, smooths (forward-backward) and finds the best path (Viterbi), and must come to the same numbers; a
peer that is not installed is left out. hmmlearn has no filtered beliefs to give, so its forward pass is timed by
``score``; pomegranate is set to 64-bit floats, as all the others use. Plain numpy is what one writes in an afternoon:
all players at once, one step after the other.

Then Telos alone, on more: with inputs that choose between two matrices, sequences of all lengths, one player by
herself, a million players updated in one call, and a live reader. Figures are millions of events a second: the median
and the best of several runs by the clock on the wall, and by time of the processors, which says what the same machine
would do if nobody else used it. The first run of everything is not counted, as Numba compiles in it.
"""

import argparse
import json
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from telos.core.event import Event
from telos.recognition import bulk
from telos.recognition.filtering import Reader
from telos.recognition.iohmm import IOHMM

FILTER_AIM, WITHIN_AIM = 100e6, 3.0  # events a second on two cores; smoothing and Viterbi within so many times of that
GOALS, SYMBOLS = 3, 9
STAY = np.array([[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]])
ACHIEVED = np.array([[0.025, 0.025, 0.95], [0.025, 0.025, 0.95], [0.5, 0.5, 0.0]])

Array = NDArray[np.float64]
Work = Callable[[], Any]
Figures = dict[str, Any]
OURS: dict[str, Callable[..., Any]] = {"filter": bulk.filter, "smooth": bulk.smooth, "viterbi": bulk.viterbi}
QUESTIONS = tuple(OURS)


def rates(work: Work, events: int, runs: int) -> Figures:
    """Return events a second: by the wall, and by the processors."""
    work()
    walls, works = [], []
    for _ in range(runs):
        start, used = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - start)
        works.append(time.process_time() - used)
    return {
        "median": events / statistics.median(walls),
        "best": events / min(walls),
        "worst": events / max(walls),
        "per_core": events / statistics.median(works),
    }


class PlainNumpy:
    """The three algorithms, for all players at once."""

    def __init__(self, symbols: NDArray[np.uint8], likelihoods: Array) -> None:
        self.symbols, self.likelihoods = symbols, likelihoods
        self.start = np.full((len(symbols), GOALS), 1 / GOALS)

    def filter(self) -> tuple[Array, Array]:
        chances, logs = self.start, np.zeros(len(self.symbols))
        for seen in self.symbols.T:
            chances = (chances @ STAY) * self.likelihoods[seen]
            totals = chances.sum(axis=1)
            chances = chances / totals[:, None]
            logs += np.log(totals)
        return chances, logs

    def smooth(self) -> Array:
        chances, beliefs = self.start, np.empty((*self.symbols.shape, GOALS))
        for step, seen in enumerate(self.symbols.T):
            chances = (chances @ STAY) * self.likelihoods[seen]
            chances = beliefs[:, step] = chances / chances.sum(axis=1, keepdims=True)
        later = np.ones_like(self.start)
        for step in range(self.symbols.shape[1] - 1, 0, -1):
            later = (later * self.likelihoods[self.symbols[:, step]]) @ STAY.T
            later /= later.sum(axis=1, keepdims=True)
            beliefs[:, step - 1] *= later
        beliefs /= beliefs.sum(axis=2, keepdims=True)
        return beliefs

    def viterbi(self) -> Array:
        moves, sights, scores = np.log(STAY), np.log(self.likelihoods), np.log(self.start)
        came_from = np.empty((*self.symbols.shape, GOALS), np.uint8)
        for step, seen in enumerate(self.symbols.T):
            ways = scores[:, :, None] + moves
            came_from[:, step] = ways.argmax(axis=1)
            scores = ways.max(axis=1) + sights[seen]
        path = np.empty(self.symbols.shape, np.uint8)
        goal, everybody = scores.argmax(axis=1), np.arange(len(scores))
        for step in range(self.symbols.shape[1] - 1, -1, -1):
            path[:, step] = goal
            goal = came_from[everybody, step, goal]
        return np.asarray(scores.max(axis=1))


def hmmlearn_of(symbols: NDArray[np.uint8], likelihoods: Array) -> dict[str, Work]:
    """Return how hmmlearn answers; its start is the belief at the first event, ours that before it."""
    model = import_module("hmmlearn.hmm").CategoricalHMM(GOALS)
    model.startprob_, model.transmat_ = np.full(GOALS, 1 / GOALS) @ STAY, STAY
    model.emissionprob_, model.n_features = likelihoods.T, SYMBOLS
    flat, lengths = symbols.reshape(-1, 1).astype(np.int64), [symbols.shape[1]] * len(symbols)
    return {
        "filter": lambda: model.score(flat, lengths),
        "smooth": lambda: model.predict_proba(flat, lengths).reshape(*symbols.shape, GOALS),
        "viterbi": lambda: model.decode(flat, lengths)[0],
    }


def pomegranate_of(symbols: NDArray[np.uint8], likelihoods: Array) -> dict[str, Work]:
    """Return how pomegranate answers."""
    torch = import_module("torch")
    torch.set_default_dtype(torch.float64)
    categorical = import_module("pomegranate.distributions").Categorical
    sights = [categorical(torch.tensor(likelihoods.T[goal : goal + 1].copy())) for goal in range(GOALS)]
    start = torch.tensor(np.full(GOALS, 1 / GOALS) @ STAY)
    model = import_module("pomegranate.hmm").DenseHMM(sights, edges=torch.tensor(STAY), starts=start)
    events = torch.tensor(symbols[:, :, None].astype(np.int64))
    return {
        "filter": lambda: model.forward(events)[:, -1].softmax(dim=-1).numpy(),
        "smooth": lambda: model.predict_proba(events).numpy(),
        "viterbi": lambda: model.viterbi(events),
    }


def peers(symbols: NDArray[np.uint8], likelihoods: Array, runs: int) -> Figures:
    """Return how fast everybody is on the same data, once they have agreed."""
    players, steps = symbols.shape
    model = bulk.ModelArrays("abc", [STAY], likelihoods)
    known, plain = (model, symbols.ravel()), PlainNumpy(symbols, likelihoods)
    ends = [steps] * players
    rows: dict[str, dict[str, Work]] = {
        "telos": {name: partial(OURS[name], *known, lengths=ends) for name in QUESTIONS},
        "telos, 1 thread": {name: partial(OURS[name], *known, lengths=ends, threads=1) for name in QUESTIONS},
    }
    rows["plain numpy"] = {name: getattr(plain, name) for name in QUESTIONS}
    if find_spec("hmmlearn"):
        rows["hmmlearn"] = hmmlearn_of(symbols, likelihoods)
    if find_spec("pomegranate"):
        rows["pomegranate"] = pomegranate_of(symbols, likelihoods)
    agree(rows)
    return {
        who: {name: rates(works[name], symbols.size, runs if "telos" in who else min(runs, 3)) for name in QUESTIONS}
        for who, works in rows.items()
    }


def agree(rows: dict[str, dict[str, Work]]) -> None:
    """Hold everybody's answers against ours."""
    filtered, smoothed, explained = (rows["telos"][name]() for name in QUESTIONS)
    beliefs, logs = rows["plain numpy"]["filter"]()
    np.testing.assert_allclose(beliefs, filtered.beliefs, atol=1e-9)
    np.testing.assert_allclose(logs, filtered.log_likelihoods, rtol=1e-9)
    np.testing.assert_allclose(rows["plain numpy"]["viterbi"](), explained.log_likelihoods, rtol=1e-9)
    if "hmmlearn" in rows:
        np.testing.assert_allclose(rows["hmmlearn"]["filter"](), filtered.log_likelihoods.sum(), rtol=1e-9)
    if "pomegranate" in rows:
        np.testing.assert_allclose(rows["pomegranate"]["filter"](), filtered.beliefs, atol=1e-6)
    for who in set(rows) - {"telos", "telos, 1 thread"}:
        np.testing.assert_allclose(rows[who]["smooth"]().reshape(smoothed.beliefs.shape), smoothed.beliefs, atol=1e-6)


def more(rng: np.random.Generator, likelihoods: Array, scale: int, runs: int) -> Figures:
    """Return how fast Telos is where the peers do not follow."""
    players, steps = 10 * scale, 1_000
    model = bulk.ModelArrays("abc", [STAY, ACHIEVED], likelihoods)
    symbols = rng.integers(0, SYMBOLS, players * steps).astype(np.uint8)
    inputs = (rng.random(players * steps) < 0.01).astype(np.uint8)
    given, ends, room = (model, symbols, inputs), [steps] * players, np.empty((symbols.size, GOALS))
    cuts = np.concatenate([[0], np.sort(rng.integers(0, symbols.size, players - 1)), [symbols.size]])
    works: dict[str, Work] = {f"{name}, with inputs": partial(OURS[name], *given, lengths=ends) for name in QUESTIONS}
    works |= {
        "smooth, into the same array": partial(bulk.smooth, *given, lengths=ends, out=room),
        "filter, every belief kept": partial(bulk.filter, *given, lengths=ends, beliefs=True),
        "filter, all lengths": partial(bulk.filter, *given, offsets=cuts),
        "filter, one long game": partial(bulk.filter, *given),
    }
    found = {what: rates(work, symbols.size, runs) for what, work in works.items()}
    crowd = bulk.PlayersInBulk(model, 500 * scale)
    turn = rng.integers(0, SYMBOLS, len(crowd)).astype(np.uint8)
    found[f"update of {len(crowd):,} players"] = rates(lambda: crowd.update(turn), len(crowd), 5 * runs)
    found["live reader"] = live(20_000, runs)
    return found


def live(count: int, runs: int) -> Figures:
    """Return how fast one reader takes in events, one by one."""
    model = IOHMM(counts={"level": {"swing": 7}})
    events = [Event("swing" if at % 3 else "stop", time=float(at)) for at in range(count)]

    def work() -> None:
        reader = Reader(model)
        for event in events:
            reader.observe(event)

    return rates(work, count, runs)


def aims(figures: Figures) -> list[Figures]:
    """Return what was aimed at beside what was measured."""
    own = figures["more"]
    base = own["filter, with inputs"]
    found = [("filter ≥ 100 M events a second on two cores", base, FILTER_AIM)]
    for name in QUESTIONS[1:]:
        aim = f"{name} within {WITHIN_AIM:g}x of {FILTER_AIM / 1e6:g} M"
        found.append((aim, own[f"{name}, with inputs"], FILTER_AIM / WITHIN_AIM))
    return [
        {
            "aim": aim,
            "value": each["median"],
            "two_cores_to_itself": 2 * each["per_core"],
            "limit": limit,
            "met": each["median"] >= limit,
        }
        for aim, each, limit in found
    ]


def show(console: Console, figures: Figures) -> None:
    """Print the tables."""
    for name in QUESTIONS:
        table = Table("", "median", "best", "worst", "a core", "telos is", title=f"{name}, M events a second")
        ours = figures["peers"]["telos"][name]["median"]
        for who, found in figures["peers"].items():
            times = f"{ours / found[name]['median']:,.1f}x"
            table.add_row(who, *_cells(found[name]), times)
        console.print(table)
    table = Table("", "median", "best", "worst", "a core", title="telos, M events a second")
    for what, found in figures["more"].items():
        table.add_row(what, *_cells(found))
    console.print(table)
    own = figures["more"]
    for name in ("smooth, with inputs", "smooth, into the same array", "viterbi, with inputs"):
        ratio = own["filter, with inputs"]["per_core"] / own[name]["per_core"]
        console.print(f"{name}: {ratio:.1f} times as long as filtering, by time of the processors")
    for each in figures["aims"]:
        met = "met   " if each["met"] else "MISSED"
        console.print(
            f"{met} {each['aim']}: {each['value'] / 1e6:.0f} M by the wall, "
            f"{each['two_cores_to_itself'] / 1e6:.0f} M by time of two processors"
        )


def _cells(found: Figures) -> list[str]:
    return [f"{found[name] / 1e6:.3g}" for name in ("median", "best", "worst", "per_core")]


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="How fast are players read in bulk?")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="a tenth of the data, fewer runs")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # the peers' own
    rng = np.random.default_rng(options.seed)
    scale, runs = (200, 3) if options.quick else (2_000, 9)
    likelihoods = np.ascontiguousarray(rng.dirichlet(np.ones(SYMBOLS), GOALS).T)
    symbols = rng.integers(0, SYMBOLS, (scale, 1_000)).astype(np.uint8)
    figures: Figures = {"peers": peers(symbols, likelihoods, runs), "more": more(rng, likelihoods, scale, runs)}
    figures["aims"] = aims(figures)
    if options.json:
        json.dump(figures, sys.stdout, indent=2)
    else:
        show(Console(), figures)


if __name__ == "__main__":
    main()
