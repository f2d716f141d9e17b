"""Weight learning: MIRA, the averaged perceptron, and L-BFGS on the likelihood of worlds or of prefixes.

    model, database ──▶ Network, truth ──▶ TrainingWorlds ──▶ learner ──▶ LearningResult
                        grounding/          worlds.py, kernel.py   training.py

Start with `learn` (learn.py).
"""

from telos.logic.learning.learn import build_worlds, ignore_progress, learn
from telos.logic.learning.training import Epoch, LearningMethod, LearningResult, LearningStop

__all__ = ["Epoch", "LearningMethod", "LearningResult", "LearningStop", "build_worlds", "ignore_progress", "learn"]
