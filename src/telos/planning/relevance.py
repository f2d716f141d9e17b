"""Which actions and variables can matter for a goal at all.

An action matters if it can bring about something that the goal, or another action that matters, asks for. Whatever
plan there is, leaving the other actions out of it leaves a plan that is no dearer, so the search need not know them.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from telos.core.expressions import names
from telos.planning.conditions import Atom, Is, Needs, Step


def relevant(steps: Sequence[Step], goal: Needs, goal_reads: Iterable[str]) -> tuple[list[Step], set[str]]:
    """Return the steps that can matter for a goal, in order, and the variables that do."""
    wanted = _Wanted(steps)
    wanted.atoms(goal.atoms)
    wanted.whole(goal_reads)
    while wanted.open:
        step = steps[wanted.open.pop()]
        wanted.atoms(step.needs.atoms)
        wanted.whole(step.reads())
        for variable, value in step.does.works_out.items():
            if variable in wanted.variables:
                wanted.whole([variable, *(name for name in names(value) if name in step.names.layout.slots)])
    return [steps[number] for number in sorted(wanted.kept)], wanted.variables


class _Wanted:
    """What is asked for so far, and the steps that serve it; ``open`` are those not yet asked for their own needs."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.variables: set[str] = set()
        self.kept: set[int] = set()
        self.open: list[int] = []
        self._asked: set[Hashable] = set()
        # Which steps bring about what: a value of a variable, a number's move up or down, anything of a variable.
        self._makers: dict[Hashable, list[int]] = defaultdict(list)
        self._writers: dict[str, list[int]] = defaultdict(list)
        self._working: dict[str, list[int]] = defaultdict(list)
        for number, step in enumerate(steps):
            for name, code in step.does.puts.items():
                self._makers[name, "is", code].append(number)
                self._writers[name].append(number)
            for name, by in step.does.adds.items():
                if by:
                    self._makers[name, "moves", by > 0].append(number)
                    self._writers[name].append(number)
            for name in step.does.works_out:
                self._working[name].append(number)
                self._writers[name].append(number)

    def atoms(self, atoms: Iterable[Atom]) -> None:
        """Ask for atoms: whoever can make them true matters."""
        for atom in atoms:
            key = (atom.variable, "is", atom.code) if isinstance(atom, Is) else (atom.variable, "moves", atom.up)
            if key not in self._asked:
                self._asked.add(key)
                self._ask(atom.variable, self._makers[key])

    def whole(self, variables: Iterable[str]) -> None:
        """Ask for all there is to know of variables: whoever writes them matters."""
        for name in variables:
            if name not in self._asked:
                self._asked.add(name)
                self._ask(name, self._writers[name])

    def _ask(self, variable: str, makers: Iterable[int]) -> None:
        is_new = variable not in self.variables
        self.variables.add(variable)
        for number in (*makers, *self._working[variable]):
            # A step that works out a variable which was not known to matter has to be asked what it reads for it.
            if number not in self.kept or (is_new and number in self._working[variable]):
                self.kept.add(number)
                self.open.append(number)
