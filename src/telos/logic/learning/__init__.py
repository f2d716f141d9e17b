"""Weight learning for Markov logic: MIRA, the averaged perceptron, and the likelihood, of all or of each prefix."""

from telos.logic.learning.learn import learn, silent, worlds_of
from telos.logic.learning.training import By, Epoch, Learned, Stop

__all__ = ["By", "Epoch", "Learned", "Stop", "learn", "silent", "worlds_of"]
