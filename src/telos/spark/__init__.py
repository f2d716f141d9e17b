"""Logs on a cluster: beliefs, training, evaluation, corpora and goal analytics on Spark frames, and live streams.

    Spark frame ──▶ canonical rows (events.py) ──▶ players in order ──▶ batch.py: beliefs, counts, scores, stretches
    batches of Arrow within a partition: frames.py                 ├──▶ folds.py: cross-validation
    sessions, errors in words: session.py                          └──▶ unlabelled.py: a job for each round of EM
    table ──▶ corpora.py: labelled rows, folds
    stream ──▶ streaming.py: state of each player in Spark's state store

Start with ``open_session`` and ``recognize``; the words are those of `telos` for frames of one machine, and so are the
results. ``LocalCluster`` starts a cluster on this machine to try it. How to: docs/how-to/run-on-a-cluster.md.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.spark.batch import evaluate, goals, recognize, train
    from telos.spark.corpora import SparkCorpus, prepare
    from telos.spark.events import SparkLog, open_spark_log
    from telos.spark.folds import cross_validate
    from telos.spark.frames import is_spark_frame, to_polars, to_spark
    from telos.spark.session import open_session
    from telos.spark.standalone import LocalCluster, find_java
    from telos.spark.streaming import recognize_stream
    from telos.spark.unlabelled import train_unlabelled

__all__ = [
    "LocalCluster",
    "SparkCorpus",
    "SparkLog",
    "cross_validate",
    "evaluate",
    "find_java",
    "goals",
    "is_spark_frame",
    "open_session",
    "open_spark_log",
    "prepare",
    "recognize",
    "recognize_stream",
    "to_polars",
    "to_spark",
    "train",
    "train_unlabelled",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        **dict.fromkeys(("evaluate", "goals", "recognize", "train"), "batch"),
        **dict.fromkeys(("SparkLog", "open_spark_log"), "events"),
        **dict.fromkeys(("is_spark_frame", "to_polars", "to_spark"), "frames"),
        **dict.fromkeys(("SparkCorpus", "prepare"), "corpora"),
        "cross_validate": "folds",
        "open_session": "session",
        **dict.fromkeys(("LocalCluster", "find_java"), "standalone"),
        "recognize_stream": "streaming",
        "train_unlabelled": "unlabelled",
    },
)
