"""Weight learning for Markov logic: MIRA, the averaged perceptron, and the likelihood, of all or of each prefix."""

from telos.logic.learning.front import learn, silent, worlds_of
from telos.logic.learning.learned import Epoch, Learned, Stop
from telos.logic.learning.settings import By

__all__ = ["By", "Epoch", "Learned", "Stop", "learn", "silent", "worlds_of"]
