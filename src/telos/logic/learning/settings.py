"""How to learn: the choices that a caller makes, checked once."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from telos.core.errors import TelosError, name_hint

By: TypeAlias = Literal["mira", "perceptron", "likelihood", "prefix"]

EPOCHS = {"mira": 100, "perceptron": 100, "likelihood": 60, "prefix": 20}  # where a corpus of 70,000 steps levels off
WARM_UP = 50  # steps of the likelihood, before those for prefixes


@dataclass(frozen=True, slots=True)
class Settings:
    """The choices of one call of ``learn``."""

    by: By
    epochs: int | None
    seed: int
    patience: int
    aggressiveness: float
    l2: float
    average: bool
    loss_augmented: bool
    warm_up: int

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if self.by not in get_args(By):
            raise TelosError(f"there is no learner {self.by!r}", name_hint(self.by, get_args(By)))
        for name, least in (("epochs", 1), ("patience", 1), ("warm_up", 0), ("l2", 0)):
            value = getattr(self, name)
            if value is not None and not value >= least:
                raise TelosError(f"{name} must be at least {least}, got {value}")
        if not self.aggressiveness > 0:
            raise TelosError(f"aggressiveness must be more than 0, got {self.aggressiveness}", "1 is usual")

    @property
    def is_online(self) -> bool:
        """Whether the weights move after every world."""
        return self.by in ("mira", "perceptron")

    def total(self, warm_up: int) -> int:
        """Return how many epochs there are in all."""
        return (EPOCHS[self.by] if self.epochs is None else self.epochs) + warm_up
