"""The log of simulated players of the island, prepared as the chapter does it."""

from telos.studies.markov.from_table import DONE, LAST, SINCE, read_log, with_past
from telos.studies.markov.goal_log import GoalLog
from telos.telemetry.columns import Columns
from telos.telemetry.frames import pl
from telos.telemetry.recording import evened, rows_of_plays
from telos.worlds.island.corpus import Progress, record_players

LENGTHS = (0, 10, 30, 60, 100, 200)  # actions since the last goal, in a few steps
PREDICATES = ("action", "loc", "state", "argument", SINCE, LAST, DONE)
COLUMNS = Columns(player="player", action="action", achieved="achieved")


def island_log(players: int, seed: int, *, folds: int, jobs: int = 1, progress: Progress | None = None) -> GoalLog:
    """Return what so many simulated players did, each action with the goal that was achieved next."""
    games = record_players(players, seed, jobs, progress)
    table = pl.DataFrame(evened(rows_of_plays(games)), infer_schema_length=None)
    table = table.with_columns(pl.col("achieved").cast(pl.String))  # all empty if nobody achieves anything
    table = with_past(table, "achieved", ["player"], LENGTHS)
    return read_log("island", table, COLUMNS, PREDICATES, is_simulated=True, folds=folds, seed=seed)
