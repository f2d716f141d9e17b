"""Small logs for the tests of Markov-logic studies."""

from random import Random

import polars as pl

from telos.studies.crystal_island.logs import GoalLog, read_log, with_past
from telos.telemetry.columns import Columns

COLUMNS = Columns(player="player", action="action", achieved="achieved")
PREDICATES = ("action", "loc", "state", "since", "last", "done")


def table(players: int, *, seed: int = 1, goals: tuple[str, ...] = ("cook", "nurse", "test")) -> pl.DataFrame:
    """Return players who wander, and mostly do what suits the goal that they achieve next."""
    rng = Random(seed)
    rows: list[tuple[str | None, ...]] = []
    for player in range(players):
        for state, goal in enumerate(rng.choices(goals, k=5)):
            for _ in range(rng.randint(2, 9)):
                suits = rng.random() < 0.6
                action = f"do-{goal}" if suits else rng.choice(("walk", "read"))
                place = f"at-{goal}" if rng.random() < 0.5 else "square"
                rows.append((f"p{player}", action, place, f"s{min(state, 2)}", None))
            rows.append((f"p{player}", "achieve", "square", f"s{min(state, 2)}", goal))
        rows.append((f"p{player}", "walk", "square", "s2", None))
    names = ["player", "action", "loc", "state", "achieved"]
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def small_log(players: int = 6, folds: int = 3, *, seed: int = 1, is_simulated: bool = True) -> GoalLog:
    """Return the log of such players."""
    return log_of(table(players, seed=seed), folds, is_simulated=is_simulated)


def log_of(rows: pl.DataFrame, folds: int, *, is_simulated: bool = True) -> GoalLog:
    """Return the log in a table."""
    told = with_past(rows, "achieved", ["player"], (0, 3))
    return read_log("small", told, COLUMNS, PREDICATES, is_simulated=is_simulated, folds=folds, seed=1)
