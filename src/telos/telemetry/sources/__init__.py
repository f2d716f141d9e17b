"""Sources of events: files, folders, globs and frames, each as a stream of raw batches with the place of every row.

    CSV, JSON Lines (plain, .gz, .zst) ──▶ text.py    blocks of whole lines; bad lines are set aside
    Parquet, frames, Arrow tables      ──▶ tables.py  batches of typed columns

Start with ``open_source``.
"""

from telos.telemetry.sources.opening import Source, find_files, open_source
from telos.telemetry.sources.raw import BadLine, RawBatch
from telos.telemetry.sources.tables import return_like, to_polars

__all__ = ["BadLine", "RawBatch", "Source", "find_files", "open_source", "return_like", "to_polars"]
