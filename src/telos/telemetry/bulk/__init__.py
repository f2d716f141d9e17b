"""Players of whole logs, in columns: beliefs, training and evaluation, frame in and frame out.

    frames ──▶ columns (batches.py) ──▶ rows that count, evidence (encoding.py) ──▶ beliefs (reading.py)
                                        state of each player (players.py)       ──▶ counts (training.py)
                                                                                ──▶ scores (evaluation.py, folds.py)
    models without columns: one event at a time (live.py)

Start with ``read_frame``, ``train_frame`` and ``evaluate_frame``. ``BeliefReader``, ``TrainingCounts`` and
``ScoreCounts`` do the same batch by batch; their states and tables are frames, so that any process can continue, and
counts of parts of a log can be added up: ``merge_counts``, ``merge_scores``.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.telemetry.bulk.concurrent import (
        ConcurrentCounts,
        ConcurrentScores,
        ConcurrentTrainingCounts,
        join_truth,
        split_truth,
        train_concurrent,
    )
    from telos.telemetry.bulk.evaluation import (
        Evaluation,
        ScoreCounts,
        cross_validate,
        evaluate_batches,
        evaluate_frame,
        merge_scores,
    )
    from telos.telemetry.bulk.folds import FoldDealer, FoldedModel, train_in_folds
    from telos.telemetry.bulk.live import LiveReader, create_reader
    from telos.telemetry.bulk.reading import BeliefReader, read_batches, read_frame
    from telos.telemetry.bulk.training import (
        TrainingCounts,
        merge_counts,
        train_batches,
        train_frame,
        trained_model,
    )

__all__ = [
    "BeliefReader",
    "ConcurrentCounts",
    "ConcurrentScores",
    "ConcurrentTrainingCounts",
    "Evaluation",
    "FoldDealer",
    "FoldedModel",
    "LiveReader",
    "ScoreCounts",
    "TrainingCounts",
    "create_reader",
    "cross_validate",
    "evaluate_batches",
    "evaluate_frame",
    "join_truth",
    "merge_counts",
    "merge_scores",
    "read_batches",
    "read_frame",
    "split_truth",
    "train_batches",
    "train_concurrent",
    "train_frame",
    "train_in_folds",
    "trained_model",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        **dict.fromkeys(
            ("Evaluation", "ScoreCounts", "cross_validate", "evaluate_batches", "evaluate_frame", "merge_scores"),
            "evaluation",
        ),
        **dict.fromkeys(
            (
                "ConcurrentCounts",
                "ConcurrentScores",
                "ConcurrentTrainingCounts",
                "join_truth",
                "split_truth",
                "train_concurrent",
            ),
            "concurrent",
        ),
        **dict.fromkeys(("FoldDealer", "FoldedModel", "train_in_folds"), "folds"),
        **dict.fromkeys(("LiveReader", "create_reader"), "live"),
        **dict.fromkeys(("BeliefReader", "read_batches", "read_frame"), "reading"),
        **dict.fromkeys(
            ("TrainingCounts", "merge_counts", "train_batches", "train_frame", "trained_model"), "training"
        ),
    },
)
