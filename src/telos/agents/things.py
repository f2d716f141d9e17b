"""``ThingAttention``: what a mind knows of things of one kind, and which of them it plans with.

A thing is a fact: its kind is the name of an ``ObjectTemplate``, its subject the name of the thing, and its attributes
are parameters and variables of the template, and ``present``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from telos.agents.memory import Attends, Fact, WorkingMemory
from telos.core.errors import TelosError
from telos.core.template import PRESENT, ObjectTemplate
from telos.core.values import Value, check_not_negative

Score: TypeAlias = Callable[[Fact, WorkingMemory, float], float | None]


class ThingAttention:
    """Puts the things that a mind knows of into the slots of their template, the best first.

    ``score`` rates a fact, higher being better; None excludes it. Without it, the things that were noticed first have
    the slots. A thing keeps its slot until it is gone, or one that waits is better by more than ``margin``. A slot that
    becomes free is filled again at the next look, when plans with the thing that was there have been dropped.

    >>> tree = ObjectTemplate("tree", parameters={"place": "node"}, slots=1)
    >>> trees, memory = ThingAttention(tree), WorkingMemory()
    >>> memory.note(Fact("tree", "oak", 0.0, attributes={"place": "hill"}))
    True
    >>> trees.choose(memory, now=0.0), memory.focus
    ('oak', {'tree_1': 'oak'})
    >>> trees.believe(memory, now=0.0)
    {'tree_1.present': True, 'tree_1.place': 'hill'}
    """

    def __init__(self, template: ObjectTemplate, score: Score | None = None, *, margin: float = 0.0) -> None:
        self.template, self.score = template, score
        self.margin = check_not_negative("margin", margin)
        self.focus = template.name
        self._own = tuple(variable.name for variable in template.variables)
        self._vacant = dict.fromkeys(template.slots)

    def choose(self, memory: WorkingMemory, now: float) -> str | None:
        """Fill the slots, and return the best thing that is known.

        A ``TelosError`` names a thing that lacks a parameter; such things are left out.
        """
        slots, held = self.template.slots, memory.focus
        if not memory.all_of(self.template.name, now):  # mostly there is nothing to choose from
            held.update(self._vacant)
            return None
        rated, fault = self._rate(memory, now)
        empty = [slot for slot in slots if held.get(slot) is None]
        for slot in slots:
            if held.setdefault(slot, None) not in rated:
                held[slot] = None
        waiting = self._waiting(memory, rated)
        for slot, thing in zip(empty, waiting, strict=False):
            held[slot] = thing
        if not empty and len(waiting) > 0 and None not in (held[slot] for slot in slots):
            worst = min(slots, key=lambda slot: rated[str(held[slot])])
            if rated[waiting[0]] - rated[str(held[worst])] > self.margin:
                held[worst] = None
        if fault is not None:
            raise fault
        return max(rated, key=rated.__getitem__, default=None)

    def is_settled(self, memory: WorkingMemory, now: float) -> bool:
        """Whether no thing waits for a slot that is free."""
        if not memory.all_of(self.template.name, now):
            return True
        if all(memory.focus.get(slot) is not None for slot in self.template.slots):
            return True
        return not self._waiting(memory, self._rate(memory, now)[0])

    def believe(self, memory: WorkingMemory, now: float) -> dict[str, Value]:
        """Return the variables of all instances and slots of which something is known."""
        found: dict[str, Value] = {}
        if not memory.all_of(self.template.name, now):
            return found
        for name in self.template.instances:
            fact = memory.recall(self.template.name, name, now)
            if fact is not None:  # the parameters of an instance never change
                found |= _variables(name, fact, (PRESENT, *self._own))
        for slot in self.template.slots:
            thing = memory.focus.get(slot)
            fact = None if thing is None else memory.recall(self.template.name, thing, now)
            if fact is not None:
                found[f"{slot}.{PRESENT}"] = True
                found |= _variables(slot, fact, (*self.template.parameters, *self._own))
        return found

    def _rate(self, memory: WorkingMemory, now: float) -> tuple[dict[str, float], TelosError | None]:
        """Return the scores of the things that may have a slot, and the fault of one that lacks a parameter."""
        rated: dict[str, float] = {}
        fault: TelosError | None = None
        for fact in memory.all_of(self.template.name, now):
            if fact.subject in self.template.instances or not fact.get(PRESENT, True):
                continue
            lacking = [name for name in self.template.parameters if fact.get(name) is None]
            if lacking:
                what = f"the {self.template.name} {fact.subject!r} is a fact without {lacking[0]!r}"
                fault = TelosError(what, f"let sensors give it {', '.join(self.template.parameters)}")
                continue
            score = 0.0 if self.score is None else self.score(fact, memory, now)
            if score is not None:
                rated[fact.subject] = score
        return rated, fault

    def _waiting(self, memory: WorkingMemory, rated: Mapping[str, float]) -> list[str]:
        """Return the things that have no slot, the best first; of equals, the one that was noticed first."""
        held = {memory.focus.get(slot) for slot in self.template.slots}
        return sorted((thing for thing in rated if thing not in held), key=lambda thing: -rated[thing])


def _variables(owner: str, fact: Fact, names: Iterable[str]) -> dict[str, Value]:
    return {f"{owner}.{name}": fact[name] for name in names if name in fact.attributes}


def thing_attentions(templates: Iterable[ObjectTemplate], given: Sequence[Attends]) -> Iterator[ThingAttention]:
    """Yield the attention to the things of every template: the given one, or one without a score."""
    own = {each.template.name: each for each in given if isinstance(each, ThingAttention)}
    for template in templates:
        yield own.get(template.name) or ThingAttention(template)


def thing_in_focus(memory: WorkingMemory, owner: str) -> str:
    """Return the thing that a smart object stands for: what is in the slot of that name, or the object itself.

    >>> memory = WorkingMemory()
    >>> memory.focus["tree_13"] = "oak"
    >>> thing_in_focus(memory, "tree_13"), thing_in_focus(memory, "oven")
    ('oak', 'oven')
    """
    return memory.focus.get(owner) or owner
