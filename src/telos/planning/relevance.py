"""Which actions and variables can matter for a goal at all.

An action matters if it can bring about something that the goal, or another action that matters, asks for. Whatever
plan there is, leaving the other actions out of it leaves a plan that is no dearer, so the search need not know them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from telos.core.expressions import names
from telos.planning.conditions import Atom, Is, Needs, Step


@dataclass
class Wanted:
    """What is asked for so far: values of variables, directions of numbers, or all there is to know of a variable."""

    atoms: set[tuple[str, int]] = field(default_factory=set)
    directions: set[tuple[str, bool]] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)
    variables: set[str] = field(default_factory=set)

    def add_atoms(self, atoms: Iterable[Atom]) -> None:
        for atom in atoms:
            self.variables.add(atom.variable)
            if isinstance(atom, Is):
                self.atoms.add((atom.variable, atom.code))
            else:
                self.directions.add((atom.variable, atom.up))

    def add_whole(self, variables: Iterable[str]) -> None:
        self.whole.update(variables)
        self.variables.update(self.whole)

    def is_served(self, step: Step) -> bool:
        """Whether a step can bring about something that is wanted."""
        does = step.does
        return (
            any((name, code) in self.atoms or name in self.whole for name, code in does.puts.items())
            or any((name, by > 0) in self.directions or name in self.whole for name, by in does.adds.items() if by)
            or any(name in self.variables for name in does.works_out)
        )


def relevant(steps: Sequence[Step], goal: Needs, goal_reads: Iterable[str]) -> tuple[list[Step], set[str]]:
    """Return the steps that can matter for a goal, in order, and the variables that do."""
    wanted = Wanted()
    wanted.add_atoms(goal.atoms)
    wanted.add_whole(goal_reads)
    kept: set[int] = set()
    waiting = dict(enumerate(steps))
    grew = True
    while grew:
        before = (len(kept), len(wanted.atoms), len(wanted.directions), len(wanted.whole))
        for number, step in list(waiting.items()):
            if wanted.is_served(step):
                del waiting[number]
                kept.add(number)
                wanted.add_atoms(step.needs.atoms)
                wanted.add_whole(step.reads())
        for number in kept:
            for variable, value in steps[number].does.works_out.items():
                if variable in wanted.variables:
                    wanted.add_whole({variable})
                    wanted.add_whole(name for name in names(value) if name in steps[number].names.layout.slots)
        grew = before != (len(kept), len(wanted.atoms), len(wanted.directions), len(wanted.whole))
    return [steps[number] for number in sorted(kept)], wanted.variables
