"""Telemetry: event logs of players, read row by row or as tables, and made into labelled corpora.

    log file ──▶ rows (logs.py, no polars)   ──▶ recognisers
             ──▶ table (tables.py, polars)   ──▶ corpus (corpus.py) ──▶ Markov-logic database (databases.py)
                 columns.py says which column holds what; raw_lines.py checks files before polars reads them;
                 writing.py writes tables

Start with ``read_log`` for events and with ``read_table`` and ``prepare`` for corpora. Names that need polars are
imported when they are used.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.telemetry.columns import Columns, load_columns, loads_columns, named_columns, usual_columns
    from telos.telemetry.corpus import Corpus, CorpusStatistics, prepare
    from telos.telemetry.databases import facts_text, to_database
    from telos.telemetry.logs import LogRow, read_log, write_log
    from telos.telemetry.tables import from_events, read_table
    from telos.telemetry.writing import write_rows, write_table

__all__ = [
    "Columns",
    "Corpus",
    "CorpusStatistics",
    "LogRow",
    "facts_text",
    "from_events",
    "load_columns",
    "loads_columns",
    "named_columns",
    "prepare",
    "read_log",
    "read_table",
    "to_database",
    "usual_columns",
    "write_log",
    "write_rows",
    "write_table",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        **dict.fromkeys(("Columns", "load_columns", "loads_columns", "named_columns", "usual_columns"), "columns"),
        **dict.fromkeys(("Corpus", "CorpusStatistics", "prepare"), "corpus"),
        **dict.fromkeys(("facts_text", "to_database"), "databases"),
        **dict.fromkeys(("LogRow", "read_log", "write_log"), "logs"),
        **dict.fromkeys(("from_events", "read_table"), "tables"),
        **dict.fromkeys(("write_rows", "write_table"), "writing"),
    },
)
