"""A goal and the actions that can matter for it, put together into a task for the kernel."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from telos.core.action import Action
from telos.core.binding import BUILT_IN
from telos.core.conditions import Condition
from telos.core.expressions import functions
from telos.core.expressions import names as names_in
from telos.core.state import Layout
from telos.core.values import BOOL, NUMBER
from telos.planning import heads
from telos.planning.conditions import Is, Names, Needs, Step, needs_of
from telos.planning.encoding import Encoding, Handles
from telos.planning.grounding import Operator
from telos.planning.landmarks import Fact, facts_of
from telos.planning.programs import Programs, Question
from telos.planning.relevance import relevant
from telos.planning.task import Task


@dataclass(frozen=True, slots=True)
class Assembled:
    """A task, and what is needed to talk about it: its encoding, its operators, and what it may ask the game."""

    task: Task
    encoding: Encoding
    operators: tuple[Operator, ...]
    actions: tuple[Action, ...] | None  # the operators' actions, if none of them has parameters to fill in
    questions: tuple[Question, ...]
    deepest: int  # how many values its programs stack up at most


def assemble(
    wants: Condition, steps: Sequence[Step], layout: Layout, handles: Handles, fixed: Mapping[str, int]
) -> Assembled:
    """Put together the task of reaching ``wants``; ``fixed`` holds the codes of variables that nothing changes."""
    known = Names(layout, handles, fixed)
    goal = needs_of(wants, known)
    reads = {name for each in goal.opaque for name in names_in(each) if name in layout.slots and name not in fixed}
    kept, variables = relevant(steps, goal, reads)
    kept.sort(key=_asks)  # what only the game can tell is tried last, so that it is asked less often
    encoding = Encoding([each for each in layout.variables if each.name in variables], handles.counts())
    changing = frozenset(name for step in kept for name in (*step.does.puts, *step.does.adds, *step.does.works_out))
    programs = Programs(encoding, changing)
    columns = _Columns(encoding, programs)
    for step in kept:
        columns.add(step)
    goal_mask, goal_value = columns.masks(goal)
    goal_tests = [programs.add(each, known, BOOL) for each in goal.tests]
    facts, own = facts_of(goal, kept)
    tables = programs.tables()
    parts: dict[str, Any] = {**columns.arrays, **_fact_arrays(facts, own, encoding)}
    task = Task(
        words=encoding.words,
        numbers=len(encoding.numbers),
        operators=len(kept),
        **parts,
        program_from=programs.start,
        code=programs.code,
        constant=programs.constant,
        goal_mask=goal_mask,
        goal_value=goal_value,
        goal_tests=goal_tests,
        table_from=tables["table_from"],
        radix_from=tables["radix_from"],
        radix=tables["radix"],
        answers=[math.nan] * tables["answers"][0],
    )
    operators = tuple(step.operator for step in kept)
    actions = None if any(each.arguments for each in operators) else tuple(each.action for each in operators)
    return Assembled(task, encoding, operators, actions, tuple(programs.questions), programs.deepest)


def _asks(step: Step) -> bool:
    cost = () if isinstance(step.cost, float) else (step.cost,)
    return any(functions(each) - BUILT_IN.keys() for each in (*step.needs.opaque, *cost))


class _Columns:
    """The operators' arrays while they grow."""

    def __init__(self, encoding: Encoding, programs: Programs) -> None:
        self.encoding, self.programs = encoding, programs
        self.arrays: dict[str, list[Any]] = {
            name: [] for name in ("need_mask", "need_value", "clear", "put", "tests", "writes", "cost", "cost_program")
        }
        self.arrays.update(test_from=[0], write_from=[0])

    def add(self, step: Step) -> None:
        arrays, encoding = self.arrays, self.encoding
        mask, value = self.masks(step.needs)
        arrays["need_mask"] += mask
        arrays["need_value"] += value
        clear, put = [-1] * encoding.words, [0] * encoding.words
        for name, code in step.does.puts.items():
            if name in encoding.fields:
                place = encoding.fields[name]
                clear[place.word] &= ~place.in_place
                put[place.word] |= code << place.shift
        arrays["clear"] += clear
        arrays["put"] += put
        arrays["tests"] += [self.programs.add(each, step.names, BOOL) for each in step.needs.tests]
        arrays["test_from"].append(len(arrays["tests"]))
        self._writes(step)
        arrays["write_from"].append(len(arrays["writes"]) // 5)
        arrays["cost"].append(step.least_cost)
        arrays["cost_program"].append(
            -1 if isinstance(step.cost, float) else self.programs.add(step.cost, step.names, NUMBER)
        )

    def masks(self, needs: Needs) -> tuple[list[int], list[int]]:
        """Return what to look at in each word, and what must stand there; a contradiction can never be met."""
        mask, value = [0] * self.encoding.words, [0] * self.encoding.words
        for atom in needs.atoms:
            if isinstance(atom, Is):
                place = self.encoding.fields[atom.variable]
                bits = atom.code << place.shift
                if mask[place.word] & place.in_place and value[place.word] & place.in_place != bits:
                    value[place.word] = -1  # `target == alive and target == dead`
                mask[place.word] |= place.in_place
                if value[place.word] >= 0:
                    value[place.word] |= bits
        return mask, value

    def _writes(self, step: Step) -> None:
        effects = {effect.variable: effect.value for effect in step.operator.action.effects}
        for name in (*step.does.adds, *step.does.works_out):
            if name in self.encoding.numbers:
                program = self.programs.add(effects[name], step.names, NUMBER)
                self.arrays["writes"] += (0, self.encoding.numbers[name], 0, 0, program)
            elif name in self.encoding.fields:
                place = self.encoding.fields[name]
                program = self.programs.add(effects[name], step.names, step.names.type_of(name))
                self.arrays["writes"] += (1, place.word, place.shift, place.mask, program)


def _fact_arrays(facts: Sequence[Fact], own: int, encoding: Encoding) -> dict[str, Any]:
    atom_from, atoms, constants, singles = [0], list[int](), list[float](), list[int]()
    for fact in facts:
        singles += _single(fact, encoding)
        for atom in fact.atoms:
            if isinstance(atom, Is):
                place = encoding.fields[atom.variable]
                atoms += (heads.IS, place.word, place.in_place, atom.code << place.shift)
                constants.append(0.0)
            else:
                kind = heads.AT_LEAST_ATOM if atom.up else heads.AT_MOST_ATOM
                atoms += (kind, encoding.numbers[atom.variable], 0, 0)
                constants.append(atom.constant)
        atom_from.append(len(constants))
    return {
        "facts": len(facts),
        "atom_from": atom_from,
        "atoms": atoms,
        "atom_constant": constants,
        "singles": singles,
        "need_from": [0, *itertools.accumulate(len(fact.needs) for fact in facts)],
        "fact_needs": [need for fact in facts for need in fact.needs],
        "goal_facts": own,
        "weight": [fact.weight for fact in facts],
        "gain": [fact.gain for fact in facts],
    }


def _single(fact: Fact, encoding: Encoding) -> tuple[int, int, int]:
    (atom, *others) = fact.atoms
    if others or not isinstance(atom, Is):
        return 0, 0, 0
    place = encoding.fields[atom.variable]
    return place.word, place.in_place, atom.code << place.shift
