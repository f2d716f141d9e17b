"""Telemetry: event logs of players in any layout, as streams of events in canonical columns, and labelled corpora.

    any table ──▶ sources/ ──▶ event_log.py: batches of canonical columns (canonical.py, ordering.py, report.py)
    log file  ──▶ rows (logs.py, no polars)   ──▶ recognisers
              ──▶ table (tables.py, polars)   ──▶ corpus (corpus.py) ──▶ Markov-logic database (databases.py)
                 columns.py says which column holds what, guessing.py proposes it; fields.py compiles names and
                 expressions; raw_lines.py checks files before polars reads them; writing.py writes tables

Start with ``open_log`` for events, ``open_model_log`` for those that models read, and ``prepare`` for corpora.
``read_log`` yields rows without polars. Names that need polars are imported when they are used.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.telemetry.columns import (
        Columns,
        ContextColumn,
        load_columns,
        loads_columns,
        named_columns,
        usual_columns,
    )
    from telos.telemetry.corpus import Corpus, CorpusStatistics, prepare
    from telos.telemetry.databases import facts_text, to_database
    from telos.telemetry.event_log import Log, open_log
    from telos.telemetry.guessing import ColumnGuess, guess_columns
    from telos.telemetry.logs import LogRow, read_log, write_log
    from telos.telemetry.model_logs import open_model_log
    from telos.telemetry.report import LogReport, RowFault
    from telos.telemetry.sources import return_like, to_polars
    from telos.telemetry.tables import from_events, read_table
    from telos.telemetry.writing import write_rows, write_table

__all__ = [
    "ColumnGuess",
    "Columns",
    "ContextColumn",
    "Corpus",
    "CorpusStatistics",
    "Log",
    "LogReport",
    "LogRow",
    "RowFault",
    "facts_text",
    "from_events",
    "guess_columns",
    "load_columns",
    "loads_columns",
    "named_columns",
    "open_log",
    "open_model_log",
    "prepare",
    "read_log",
    "read_table",
    "return_like",
    "to_database",
    "to_polars",
    "usual_columns",
    "write_log",
    "write_rows",
    "write_table",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        **dict.fromkeys(
            ("Columns", "ContextColumn", "load_columns", "loads_columns", "named_columns", "usual_columns"), "columns"
        ),
        **dict.fromkeys(("Log", "open_log"), "event_log"),
        **dict.fromkeys(("ColumnGuess", "guess_columns"), "guessing"),
        "open_model_log": "model_logs",
        **dict.fromkeys(("LogReport", "RowFault"), "report"),
        **dict.fromkeys(("return_like", "to_polars"), "sources"),
        **dict.fromkeys(("Corpus", "CorpusStatistics", "prepare"), "corpus"),
        **dict.fromkeys(("facts_text", "to_database"), "databases"),
        **dict.fromkeys(("LogRow", "read_log", "write_log"), "logs"),
        **dict.fromkeys(("from_events", "read_table"), "tables"),
        **dict.fromkeys(("write_rows", "write_table"), "writing"),
    },
)
