"""A corpus: what players did, each action with the goal that it led to, in folds."""

from dataclasses import dataclass

from telos.telemetry.frames import pl
from telos.telemetry.statistics import CorpusStatistics, statistics_of


@dataclass(frozen=True, slots=True)
class Corpus:
    """Labelled actions, and the goals that were achieved.

    ``frame`` has the columns player, session, step (from 0, in its sequence), action, the features, goal and fold; the
    rows of a sequence stand together. ``achieved`` has a row for each achieving action: player, session, goal, fold.
    """

    frame: pl.DataFrame
    achieved: pl.DataFrame
    features: tuple[str, ...] = ()
    rows_read: int = 0
    players_read: int = 0

    @property
    def folds(self) -> int:
        """Return how many folds there are."""
        return self.frame["fold"].n_unique()

    def split(self, fold: int) -> tuple["Corpus", "Corpus"]:
        """Return what to train on and what to test on when a fold is held out."""
        held = pl.col("fold") == fold
        return self._only(~held), self._only(held)

    def _only(self, rows: pl.Expr) -> "Corpus":
        frame = self.frame.filter(rows)
        return Corpus(frame, self.achieved.filter(rows), self.features, frame.height, frame["player"].n_unique())

    def statistics(self) -> CorpusStatistics:
        """Return the figures that describe the corpus."""
        return statistics_of(self.frame, self.achieved, rows_read=self.rows_read, players_read=self.players_read)
