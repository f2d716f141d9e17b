"""Recognition in bulk: filter, smooth and Viterbi over arrays of events of many players, for any goal model.

    columns of a log ──▶ encoders (a model's conditions on columns) ──▶ symbols, inputs ──▶ kernel ──▶ beliefs
    events           ──▶ encode

Start with ``filter`` and ``encode``; ``PlayersInBulk`` updates many live players at once, ``column_encoder`` is for
columns. The beliefs are those of a live ``Reader`` on the same events. Needs numpy; with Numba it handles millions of
events a second. Frames and files: `telos.telemetry`.
"""

from telos.recognition.bulk.arrays import ModelArrays
from telos.recognition.bulk.events import EncodedEvents, encode
from telos.recognition.bulk.filters import FilterResult, ViterbiResult, filter, smooth, viterbi
from telos.recognition.bulk.players import PlayersInBulk
from telos.recognition.bulk.runner import is_installed

__all__ = [
    "EncodedEvents",
    "FilterResult",
    "ModelArrays",
    "PlayersInBulk",
    "ViterbiResult",
    "encode",
    "filter",
    "is_installed",
    "smooth",
    "viterbi",
]
