"""Lines to rules: formulas that differ in nothing but constants become one rule with a table of weights."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from telos.logic.formulas import Constant, Formula, Term, Variable, rewritten
from telos.logic.model import Key, Rule


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A formula without its constants and without the names of its variables.

    ``slots`` are the terms that stood where the blanks are now: constants that were left out of a shape (their number),
    or variables marked ``+``. ``names`` are the variables, in the order of their first use.
    """

    formula: Formula
    slots: tuple[int | Variable, ...]
    names: tuple[str, ...]


def skeleton(formula: Formula, plus: Sequence[str]) -> Skeleton:
    """Return what two formulas have in common that differ in constants and in the names of variables."""
    slots: list[int | Variable] = []
    names: dict[str, str] = {}

    def name(said: str) -> str:
        return names.setdefault(said, f"x{len(names)}")

    def term(each: Variable | Constant) -> Term:
        if isinstance(each, Variable) and each.name not in plus:
            return Variable(name(each.name), each.shift)
        slots.append(each if isinstance(each, Variable) else int(each.name[1:]))
        return Constant(f"\0{len(slots) - 1}")

    common = rewritten(formula, term, name)
    return Skeleton(common, tuple(slots), tuple(names))


@dataclass(frozen=True, slots=True)
class Line:
    """One formula of a file: its shape's skeleton, its constants by slot, and its weight, if it has one."""

    formula: Formula  # with blanks
    plus: tuple[str, ...]
    skeleton: Skeleton
    constants: tuple[str, ...]
    weight: float | None
    hard: bool
    kinds: tuple[str, ...]  # of the constants, "" where a slot may not vary: inside functions and equations
    source: str
    text: Callable[[], str]

    def filled(self) -> Formula:
        """Return the formula with its constants."""
        return filled(self.formula, [Constant(each) for each in self.constants])


def filled(formula: Formula, terms: Sequence[Term]) -> Formula:
    """Return a formula with terms in place of its blanks."""
    return rewritten(formula, lambda each: terms[int(each.name[1:])] if each.name[0] == "\0" else each)


@dataclass(slots=True)
class _Template:
    """A line with ``+`` and no weight of its own, which takes in the lines that spell out its choices."""

    line: Line
    weights: dict[Key, float] = field(default_factory=dict)

    def key(self, line: Line) -> Key | None:
        """Return the choice that a line spells out, or None if it is no case of this template."""
        choice: dict[str, str] = {}
        for mine, theirs in zip(self.line.skeleton.slots, line.skeleton.slots, strict=True):
            said = line.constants[_number(theirs)]
            if isinstance(mine, int):
                if self.line.constants[mine] != said:
                    return None
                continue
            if mine.shift:
                if not said.removeprefix("-").isdecimal():
                    return None
                said = str(int(said) - mine.shift)
            if choice.setdefault(mine.name, said) != said:
                return None
        return tuple([choice[name] for name in self.line.plus])

    def rule(self) -> Rule:
        line = self.line
        return Rule(line.filled(), line.plus, self.weights, source=line.source, text=line.text())


def _number(slot: int | Variable) -> int:
    if isinstance(slot, Variable):  # only templates have variables in slots, and no template is a case of another
        raise TypeError(slot.name)
    return slot


def grouped(lines: Sequence[Line], taken: frozenset[str]) -> tuple[Rule, ...]:
    """Return the rules of a file's lines, each where its first line stands. ``taken`` are names not to invent."""
    templates: dict[Formula, list[_Template]] = {}
    found: dict[int, Rule | _Template | _Group] = {}
    for at, line in enumerate(lines):
        if line.plus and not line.hard and not line.weight:
            same = templates.setdefault(line.skeleton.formula, [])
            if not any(each.line.filled() == line.filled() for each in same):
                same.append(_Template(line))
                found[at] = same[-1]
        elif line.plus or line.hard:
            found[at] = _plain(line)
    groups: dict[tuple[Formula, tuple[str, ...]], _Group] = {}
    for at, line in enumerate(lines):
        if line.plus or line.hard or _taken_in(line, templates.get(line.skeleton.formula, ())):
            continue
        fixed = tuple([said for said, kind in zip(line.constants, line.kinds, strict=True) if not kind])
        group = groups.get((line.skeleton.formula, fixed))
        if group is None:
            group = found[at] = groups[line.skeleton.formula, fixed] = _Group(taken=taken)
        group.lines.append(line)
    return tuple([rule for at in sorted(found) for rule in _rules(found[at])])


def _taken_in(line: Line, templates: Sequence[_Template]) -> bool:
    for template in templates:
        key = template.key(line)
        if key is not None:
            template.weights[key] = template.weights.get(key, 0.0) + (line.weight or 0.0)
            return True
    return False


def _plain(line: Line) -> Rule:
    formula = line.filled()
    if line.hard:
        return Rule(formula, hard=True, source=line.source, text=line.text())
    if line.plus:
        return Rule(formula, line.plus, source=line.source, text=line.text(), otherwise=line.weight or 0.0)
    weights: Mapping[Key, float] = {} if line.weight is None else {(): line.weight}
    return Rule(formula, weights=weights, source=line.source, text=line.text())


def _rules(found: "Rule | _Template | _Group") -> Sequence[Rule]:
    if isinstance(found, Rule):
        return (found,)
    return (found.rule(),) if isinstance(found, _Template) else found.rules()


@dataclass(slots=True)
class _Group:
    """Lines with one skeleton and no template: those of their constants that vary get a variable with ``+``."""

    taken: frozenset[str]
    lines: list[Line] = field(default_factory=list)

    def rules(self) -> Sequence[Rule]:
        first = self.lines[0]
        columns = list(zip(*(self._in_order(line) for line in self.lines), strict=True))
        vary = [slot for slot, column in enumerate(columns) if any(each != column[0] for each in column)]
        if not vary:
            return [_plain(line) for line in self.lines]
        order = [_number(slot) for slot in first.skeleton.slots]
        names = invented([first.kinds[order[slot]] for slot in vary], {*first.skeleton.names, *self.taken})
        terms: list[Term] = [Constant(each) for each in first.constants]
        for slot, name in zip(vary, names, strict=True):
            terms[order[slot]] = Variable(name)
        weights: dict[Key, float] = {}
        keys = zip(*(columns[slot] for slot in vary), strict=True)
        for line, key in zip(self.lines, keys, strict=True):
            weights[key] = weights.get(key, 0.0) + (line.weight or 0.0)
        return [Rule(filled(first.formula, terms), tuple(names), weights, source=first.source)]

    def _in_order(self, line: Line) -> list[str]:
        """Return the constants in the order of the skeleton, which ``:-`` may have turned round."""
        return [line.constants[_number(slot)] for slot in line.skeleton.slots]


def invented(kinds: Sequence[str], taken: set[str]) -> list[str]:
    """Return a readable variable for each type: its first letter, numbered where two would be the same.

    >>> invented(["action", "goal", "goal"], {"t"})
    ['a', 'g1', 'g2']
    """
    names: list[str] = []
    for kind in kinds:
        letter = kind[0].lower() if kind[0].isalpha() and kind[0] not in "vV" else "x"  # v is the sign for "or"
        alone = [each[0].lower() for each in kinds].count(kind[0].lower()) == 1
        number = 0 if alone else 1
        while (name := f"{letter}{number or ''}") in taken or name in names:
            number += 1
        names.append(name)
    return names
