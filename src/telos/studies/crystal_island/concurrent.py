"""Goals of the island that do not exclude one another: train the formulas on intentions, read other players, score.

A simulated player's intentions are recorded, so each action has all goals that were pursued (``find_pursued``) and the
one that it served. Start with ``train_concurrent`` and ``score_concurrent``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from telos.core.event import Event
from telos.logic.learning import learn
from telos.logic.model import MarkovLogic
from telos.recognition.concurrent import NONE, NOT, ConcurrentLogicModel, ConcurrentLogicReader, join_goals, split_goals
from telos.studies.crystal_island.logs import GoalLog, database, island_log
from telos.telemetry.bulk import ConcurrentScores
from telos.worlds.island.playthrough import IslandRecording, find_pursued
from telos.worlds.island.story import GOALS

PURSUED = "truth"  # the fact of a row that names the goals pursued
PENALTY, STEPS = 30.0, 25


def train_concurrent(
    formulas: MarkovLogic, players: int, seed: int, *, variant: str, jobs: int = 1, steps: int = STEPS
) -> MarkovLogic:
    """Return the formulas with weights learned goal by goal from the intentions of simulated players."""
    log = island_log(players, seed, folds=2, jobs=jobs, variant=variant, intentions=True)
    everyone = range(len(log.groups))
    learned = {}
    for goal, each in split_goals(formulas, GOALS).items():
        one = _log_of_goal(log, goal)
        facts = database(one, each, everyone, one.goals, with_goals=True)
        learned[goal] = learn(each, facts, ["goal"], by="prefix", epochs=steps, l2=PENALTY, warm_up=10).model
    return join_goals(formulas, learned)


def _log_of_goal(log: GoalLog, goal: str) -> GoalLog:
    """Return the log with two values as the truth: the goal, and ``not pursued``."""
    said = log.evidence[PURSUED]
    truth = np.ones(len(log.truth), np.int32)
    if goal in said.names:
        truth[said.row[said.code == said.names.index(goal)]] = 0
    return replace(log, goals=(goal, NOT), truth=truth)


@dataclass(slots=True)
class ServedCounts:
    """How often the goal that an action served was named: of all actions that served one of the seven."""

    actions: int = 0
    right: int = 0
    apart: int = 0  # actions at which another goal was pursued, too
    right_apart: int = 0

    def data(self) -> dict[str, Any]:
        """Return the counts as JSON data."""
        return {
            "actions": self.actions,
            "right": self.right / self.actions if self.actions else None,
            "with_several_goals": self.apart,
            "right_with_several_goals": self.right_apart / self.apart if self.apart else None,
        }


def score_concurrent(
    model: ConcurrentLogicModel, games: Iterable[IslandRecording]
) -> tuple[ConcurrentScores, ServedCounts]:
    """Read players live; score each goal by itself, and which goal each action served."""
    scores, served = ConcurrentScores(model.goals), ServedCounts()
    reader = ConcurrentLogicReader(model)
    for game in games:
        reader.reset()
        truths, chances = [], []
        for event, intention, pursued in zip(game.events, game.intentions, find_pursued(game), strict=True):
            belief = reader.observe(event)
            if event.goal is not None:
                continue
            truths.append([goal in pursued for goal in model.goals])
            chances.append(list(belief.values()))
            if intention in GOALS:
                _count_served(served, reader, event, intention, pursued)
        scores.add(np.array(truths, np.bool_), np.array(chances))
    return scores, served


def _count_served(
    served: ServedCounts, reader: ConcurrentLogicReader, event: Event, intention: str, pursued: Sequence[str]
) -> None:
    chances = reader.serves
    named = max((goal for goal in chances if goal != NONE), key=lambda goal: chances[goal])
    served.actions += 1
    served.right += named == intention
    if len(pursued) > 1:
        served.apart += 1
        served.right_apart += named == intention
