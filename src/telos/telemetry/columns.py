"""Which column of an event table holds what, so that the log of any game can be made a corpus."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from telos.core.conditions import ALWAYS, Condition
from telos.core.errors import TelosError
from telos.core.frozen import FrozenMap

OWN = ("player", "session", "step", "action", "goal", "fold")  # what every corpus has, beside its features


@dataclass(frozen=True, slots=True)
class Columns:
    """Where a table holds the parts of a corpus. An empty name stands for a column that is not there.

    A goal is achieved by the rows for which ``when`` holds and whose ``achieved`` column names a goal; or else by the
    actions in ``goals``. A sequence is what one player did in one session, in the order of ``order`` (or else of the
    rows). ``features`` maps names to columns, ``bins`` maps features to the lower edges of their bins. Rows for which
    ``drop`` holds are left out of the corpus, and so are those with one of the ``drop_values`` of a column; but goals
    that they achieve count.
    """

    action: str
    achieved: str = ""
    when: Condition = ALWAYS
    goals: Mapping[str, str] = FrozenMap()
    player: str = ""
    session: str = ""
    order: str = ""
    sort: bool = False  # the rows may come in any order
    group: str = ""  # what folds keep together; the player, if left out
    features: Mapping[str, str] = FrozenMap()
    bins: Mapping[str, tuple[float, ...]] = FrozenMap()
    drop: Condition | None = None
    drop_values: Mapping[str, tuple[str, ...]] = FrozenMap()  # for values that no condition can spell, such as pick-up
    name: str = ""

    def __post_init__(self) -> None:
        for feature in self.features:
            if feature in OWN:
                raise TelosError(
                    f"a feature cannot be called {feature!r}, as every corpus has that", "give it another name"
                )

    @property
    def needed(self) -> tuple[str, ...]:
        """Return every column that a table must have, but for those that only conditions speak of."""
        parts = (self.player, self.session, self.order, self.action, self.achieved, self.group)
        return tuple(dict.fromkeys([*filter(None, parts), *self.features.values(), *self.drop_values]))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the columns that hold names, whatever they look like: player 007 is not player 7."""
        parts = (self.player, self.session, self.action, self.achieved, self.group)
        return tuple(dict.fromkeys(filter(None, parts)))


def usual_columns(table: Iterable[str]) -> Columns:
    """Return the columns of a table that calls them as Telos does; what is none of these is a feature.

    >>> usual_columns(["player", "time", "action", "loc", "goal"]).features
    {'loc': 'loc'}
    """
    names = list(table)
    achieved = next((name for name in ("achieved", "goal") if name in names), "")
    if "action" not in names or not achieved:
        missing = "action" if "action" not in names else "achieved"
        raise TelosError(f"there is no column {missing!r}", "write a file that says what the columns are: --columns")
    order = next((name for name in ("step", "time") if name in names), "")
    known = {"player", "session", "step", "time", "action", "fold", "goal", "achieved", "truth", "human"}
    return Columns(
        action="action",
        achieved=achieved,
        player="player" if "player" in names else "",
        session="session" if "session" in names else "",
        order=order,
        features=FrozenMap({name: name for name in names if name not in known}),
    )
