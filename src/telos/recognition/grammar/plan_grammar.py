"""Plan grammars: the ways to do each task, with their chances, and the tasks that a player may be after."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from telos.core.errors import DefinitionError
from telos.core.frozen import FrozenMap
from telos.recognition.grammar.faults import grammar_faults
from telos.recognition.grammar.productions import Production, even, tidy_step
from telos.recognition.grammar.tables import Tables, tables
from telos.recognition.grammar.tolerance import Tolerance


@dataclass(frozen=True, slots=True, init=False)
class PlanGrammar:
    """A probabilistic context-free grammar of plans, checked when made; it holds no belief, so readers may share it.

    ``goals`` are the tasks that a player may be after, with the chance of each; even if only named. Steps that no
    production does are actions. Left recursion and cycles of units are allowed, methods without steps are not.

    >>> fetch = Production("fetch", "walk", ("goto", "take"), 1.0)
    >>> PlanGrammar([fetch], ["fetch"]).actions
    ('goto', 'take')
    """

    productions: tuple[Production, ...]
    goals: FrozenMap[str, float]
    tolerance: Tolerance
    actions: tuple[str, ...]
    tables: Tables = field(compare=False, repr=False)

    @property
    def context(self) -> frozenset[str]:
        """The entries of an event's context that it reads: none, actions are all it knows."""
        return frozenset()

    def __init__(
        self,
        productions: Iterable[Production],
        goals: Mapping[str, float] | Iterable[str],
        *,
        tolerance: Tolerance | None = None,
    ) -> None:
        made = tuple(
            Production(each.task, each.method, tuple(map(tidy_step, each.steps)), each.chance) for each in productions
        )
        prior = dict(goals) if isinstance(goals, Mapping) else even(goals)
        found = grammar_faults(made, prior)
        if found:
            raise DefinitionError(found)
        tasks = {each.task for each in made}
        put = object.__setattr__
        put(self, "productions", made)
        put(self, "goals", FrozenMap(prior))
        put(self, "tolerance", tolerance or Tolerance())
        put(self, "actions", tuple(sorted({step for each in made for step in each.steps} - tasks)))
        put(self, "tables", tables(made, prior, self.actions))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, in the order in which they were first given."""
        return tuple(dict.fromkeys(each.task for each in self.productions))

    def with_chances(self, chances: Mapping[tuple[str, str], float], goals: Mapping[str, float]) -> "PlanGrammar":
        """Return the grammar with other chances, by task and method, and other chances of goals."""
        changed = (
            Production(each.task, each.method, each.steps, chances[each.task, each.method]) for each in self.productions
        )
        return PlanGrammar(changed, goals, tolerance=self.tolerance)
