"""The model that expects goals to change no sooner when one has been achieved: an HMM, to compare with."""

from collections.abc import Mapping, Sequence

from telos.recognition.clock import Clock
from telos.recognition.director_rules import DirectorRule
from telos.recognition.ffbm import FFBM
from telos.recognition.observations import ObservationRules
from telos.recognition.symbols import ELEVEN, SymbolsLike
from telos.recognition.towards import Look
from telos.recognition.transitions import TransitionRules
from telos.recognition.vocabulary import ADVENTURE, Vocabulary


class ConstantT(FFBM):
    """A fast forward Bayesian model whose transitions are always the usual ones, whatever its cases say."""

    def __init__(
        self,
        goals: Sequence[str],
        *,
        transitions: TransitionRules,
        observations: Mapping[str, ObservationRules | Look],
        prior: Mapping[str, float] | Sequence[float] | None = None,
        clock: Clock | None = None,
        outcomes: SymbolsLike = ELEVEN,
        vocabulary: Vocabulary = ADVENTURE,
        name: str = "",
        director: Sequence[DirectorRule] | None = None,
    ) -> None:
        super().__init__(
            goals,
            transitions=transitions.constant,
            observations=observations,
            prior=prior,
            clock=clock,
            outcomes=outcomes,
            vocabulary=vocabulary,
            name=name,
            director=director,
        )

    @classmethod
    def of(cls, model: FFBM) -> "ConstantT":
        """Return what is left of a model when its transitions are always the usual ones."""
        return cls(
            model.goals,
            transitions=model.transitions,
            observations=model.observations,
            prior=model.prior,
            clock=model.clock,
            outcomes=model.outcomes,
            vocabulary=model.vocabulary,
            name=model.name,
            director=model.director,
        )
