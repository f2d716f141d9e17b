"""What looking ahead found: a sequence, and where each of its steps leads."""

from dataclasses import dataclass

from telos.choosing.choice import Rating, table_lines
from telos.choosing.model import WorldModel
from telos.core.action import Action
from telos.core.frozen import FrozenMap


@dataclass(frozen=True, slots=True)
class Found:
    """The bare answer of a search."""

    actions: tuple[Action, ...]
    value: float
    tried: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Outlook:
    """The best sequence of actions, and what it leads to; empty if nothing at all can be done."""

    model: WorldModel
    depth: int
    found: Found

    @property
    def actions(self) -> tuple[Action, ...]:
        """Return the whole sequence."""
        return self.found.actions

    @property
    def action(self) -> Action | None:
        """Return the action to do now, or None if nothing can be done."""
        return self.actions[0] if self.actions else None

    @property
    def value(self) -> float:
        """Return the discontentment that is left at the end."""
        return self.found.value

    @property
    def tried(self) -> int:
        """Return how many actions the search tried."""
        return self.found.tried

    @property
    def complete(self) -> bool:
        """Whether the search saw all that could matter; if not, its budget ran out first."""
        return self.found.complete

    @property
    def table(self) -> tuple[Rating, ...]:
        """Return a row for each step of the sequence: the action, the discontentment after it, each goal's level."""
        rows, model = [], self.model
        for action in self.actions:
            model = model.after(action)
            levels = FrozenMap({goal.name: goal.insistence for goal in model.goals})
            rows.append(Rating(action, model.discontentment, levels))
        return tuple(rows)

    def why(self) -> str:
        """Say what the sequence is and what it leads to, step by step."""
        before = self.model.discontentment
        doubt = "" if self.complete else f" The budget ran out after {self.tried} actions: there may be better."
        if not self.actions:
            return f"{self._why_nothing()}{doubt}"
        order = ", then ".join(action.name for action in self.actions)
        short = "" if len(self.actions) == self.depth else f" Nothing can follow, though {self.depth} were asked for."
        reason = f"{order}: discontentment goes from {before:g} to {self.value:g}.{short}{doubt}"
        return "\n".join([reason, *table_lines(self.table, self.model.goals, chosen=self.action)])

    def _why_nothing(self) -> str:
        if not self.complete:
            return "No sequence was found."
        if self.model.possible:
            return f"Nothing is worth doing: every possible action raises discontentment above {self.value:g}."
        return f"Nothing can be done: no action is possible in {self.model.state!r}."
