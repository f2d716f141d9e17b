"""Goals that do not exclude one another: one chain of two states, pursued or not, for each goal by itself.

A player may pursue several goals at once, leave one for another and come back. The beliefs of these recognisers are
*concurrent* (``Belief.is_concurrent``): they need not sum to 1. There are two kinds of models:

- ``ConcurrentLogicModel``: Markov logic whose predicate is ``goal(time, goal)``, without the ``!`` that makes goals
  exclusive. Formulas may speak of one goal at two neighbouring moments, but not of two goals: so the network falls
  apart into one chain for each goal, and each is read exactly.
- ``ConcurrentGoalModel``: any model of goals that exclude one another (ffbm, iohmm), read one goal at a time. The state
  *not pursued* behaves as the other goals do on average.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.recognition.concurrent.chains import (
        NONE,
        ChainUpdate,
        ConcurrentGoalModel,
        ConcurrentReader,
        attribute_action,
    )
    from telos.recognition.concurrent.logic import (
        NOT,
        ConcurrentLogicModel,
        ConcurrentLogicReader,
        join_goals,
        split_goals,
    )

__all__ = [
    "NONE",
    "NOT",
    "ChainUpdate",
    "ConcurrentGoalModel",
    "ConcurrentLogicModel",
    "ConcurrentLogicReader",
    "ConcurrentReader",
    "attribute_action",
    "join_goals",
    "split_goals",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        **dict.fromkeys(
            ("NONE", "ChainUpdate", "ConcurrentGoalModel", "ConcurrentReader", "attribute_action"), "chains"
        ),
        **dict.fromkeys(("NOT", "ConcurrentLogicModel", "ConcurrentLogicReader", "join_goals", "split_goals"), "logic"),
    },
)
