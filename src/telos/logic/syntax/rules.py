"""Lines of a model to rules: lines that differ only in constants and weights become one rule with a table of weights.

Start with ``group_rules``.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from telos.core.errors import TelosError
from telos.logic.database import is_whole_number
from telos.logic.formulas import (
    Constant,
    Formula,
    Term,
    Variable,
    rewrite_terms,
)
from telos.logic.model import Key, Rule

MAX_FORMS = 100  # of templates with one skeleton: which arguments are marked ``+``, and their shifts


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A formula without its constants and without the names of its variables.

    ``slots`` are the terms in place of the placeholders: indices of constants left out of a pattern, or variables
    marked ``+``. ``names`` are the variables in order of first use.
    """

    formula: Formula
    slots: tuple[int | Variable, ...]
    names: tuple[str, ...]


def to_skeleton(formula: Formula, plus: Sequence[str]) -> Skeleton:
    """Return the common form of formulas that differ in constants and in names of variables."""
    slots: list[int | Variable] = []
    names: dict[str, str] = {}

    def name(old: str) -> str:
        return names.setdefault(old, f"x{len(names)}")

    def term(each: Variable | Constant) -> Term:
        if isinstance(each, Variable) and each.name not in plus:
            return Variable(name(each.name), each.shift)
        slots.append(each if isinstance(each, Variable) else int(each.name[1:]))
        return Constant(f"\0{len(slots) - 1}")

    common = rewrite_terms(formula, term, name)
    return Skeleton(common, tuple(slots), tuple(names))


@dataclass(frozen=True, slots=True)
class FormulaLine:
    """One formula of a file: its pattern, its skeleton, its constants by slot, and its weight, if any."""

    formula: Formula  # with placeholders
    plus: tuple[str, ...]
    skeleton: Skeleton
    constants: tuple[str, ...]
    weight: float | None
    hard: bool
    kinds: tuple[str, ...]  # of the constants, "" where a slot may not vary: inside functions and equations
    source: str
    text: Callable[[], str]

    def fill(self) -> Formula:
        """Return the formula with its constants."""
        return fill_slots(self.formula, [Constant(each) for each in self.constants])


def fill_slots(formula: Formula, terms: Sequence[Term]) -> Formula:
    """Return a formula with terms in place of its placeholders."""
    return rewrite_terms(formula, lambda each: terms[int(each.name[1:])] if each.name[0] == "\0" else each)


@dataclass(slots=True)
class _TemplateRule:
    """A line with ``+`` and no weight, which collects the lines with its constants written out."""

    line: FormulaLine
    order: int
    weights: dict[Key, float] = field(default_factory=dict)

    @property
    def form(self) -> tuple[Variable | None, ...]:
        """The ``+`` variables by slot, None for a constant."""
        return tuple([slot if isinstance(slot, Variable) else None for slot in self.line.skeleton.slots])

    @property
    def fixed(self) -> tuple[str, ...]:
        """The constants of the other slots."""
        return tuple([self.line.constants[slot] for slot in self.line.skeleton.slots if isinstance(slot, int)])

    def key(self, constants: Sequence[str]) -> Key | None:
        """Return the constants that a line has for the ``+`` variables, or None if it is not an instance.

        ``constants`` are those of the line by slot; the fixed ones are the same.
        """
        choice: dict[str, str] = {}
        for mine, constant in zip(self.line.skeleton.slots, constants, strict=True):
            if isinstance(mine, int):
                continue
            if mine.shift:
                if not is_whole_number(constant):
                    return None
                constant = str(int(constant) - mine.shift)
            if choice.setdefault(mine.name, constant) != constant:
                return None
        return tuple([choice[name] for name in self.line.plus])

    def rule(self) -> Rule:
        line = self.line
        return Rule(line.fill(), line.plus, self.weights, source=line.source, text=line.text())


class _Templates:
    """Templates, found by skeleton, by form and by the constants that are not marked ``+``."""

    def __init__(self) -> None:
        self._found: dict[Formula, dict[tuple[Variable | None, ...], dict[tuple[str, ...], _TemplateRule]]] = {}
        self._count = 0

    def add(self, line: FormulaLine) -> _TemplateRule | None:
        """Return the template of a line, None if an earlier line is the same."""
        template = _TemplateRule(line, self._count)
        forms = self._found.setdefault(line.skeleton.formula, {})
        if len(forms) == MAX_FORMS and template.form not in forms:
            message = f"{line.source}: more than {MAX_FORMS} templates differ only in their '+' variables"
            raise TelosError(message, "use another predicate for some of them")
        same = forms.setdefault(template.form, {})
        if template.fixed in same:
            return None
        self._count += 1
        same[template.fixed] = template
        return template

    def add_weight(self, line: FormulaLine) -> bool:
        """Add the weight of a line to the first template of which it is an instance, if there is one."""
        forms = self._found.get(line.skeleton.formula)
        if forms is None:
            return False
        constants = [line.constants[_slot_number(slot)] for slot in line.skeleton.slots]
        matches: list[tuple[int, Key, _TemplateRule]] = []
        for form, templates in forms.items():
            fixed = tuple([name for slot, name in zip(form, constants, strict=True) if slot is None])
            template = templates.get(fixed)
            key = None if template is None else template.key(constants)
            if template is not None and key is not None:
                matches.append((template.order, key, template))
        if not matches:
            return False
        _, key, template = min(matches, key=lambda match: match[0])
        template.weights[key] = template.weights.get(key, 0.0) + (line.weight or 0.0)
        return True


def _slot_number(slot: int | Variable) -> int:
    if isinstance(slot, Variable):  # only templates have variables in slots, and no template is an instance of another
        raise TypeError(slot.name)
    return slot


def group_rules(lines: Sequence[FormulaLine], taken: frozenset[str]) -> tuple[Rule, ...]:
    """Return the rules of a file, each at the place of its first line; ``taken`` are names not to invent."""
    templates = _Templates()
    found: dict[int, Rule | _TemplateRule | _LineGroup] = {}
    for at, line in enumerate(lines):
        if line.plus and not line.hard and not line.weight:
            template = templates.add(line)
            if template is not None:
                found[at] = template
        elif line.plus or line.hard:
            found[at] = _single_rule(line)
    groups: dict[tuple[Formula, tuple[str, ...]], _LineGroup] = {}
    for at, line in enumerate(lines):
        if line.plus or line.hard or templates.add_weight(line):
            continue
        fixed = tuple([constant for constant, kind in zip(line.constants, line.kinds, strict=True) if not kind])
        group = groups.get((line.skeleton.formula, fixed))
        if group is None:
            group = found[at] = groups[line.skeleton.formula, fixed] = _LineGroup(taken=taken)
        group.lines.append(line)
    return tuple([rule for at in sorted(found) for rule in _to_rules(found[at])])


def _single_rule(line: FormulaLine) -> Rule:
    formula = line.fill()
    if line.hard:
        return Rule(formula, hard=True, source=line.source, text=line.text())
    if line.plus:
        return Rule(formula, line.plus, source=line.source, text=line.text(), otherwise=line.weight or 0.0)
    weights: Mapping[Key, float] = {} if line.weight is None else {(): line.weight}
    return Rule(formula, weights=weights, source=line.source, text=line.text())


def _to_rules(found: "Rule | _TemplateRule | _LineGroup") -> Sequence[Rule]:
    if isinstance(found, Rule):
        return (found,)
    return (found.rule(),) if isinstance(found, _TemplateRule) else found.rules()


@dataclass(slots=True)
class _LineGroup:
    """Lines with one skeleton and no template: where their constants vary, they get a ``+`` variable."""

    taken: frozenset[str]
    lines: list[FormulaLine] = field(default_factory=list)

    def rules(self) -> Sequence[Rule]:
        first = self.lines[0]
        columns = list(zip(*(self._in_order(line) for line in self.lines), strict=True))
        vary = [slot for slot, column in enumerate(columns) if any(each != column[0] for each in column)]
        if not vary:
            return [_single_rule(line) for line in self.lines]
        order = [_slot_number(slot) for slot in first.skeleton.slots]
        names = invent_variables([first.kinds[order[slot]] for slot in vary], {*first.skeleton.names, *self.taken})
        terms: list[Term] = [Constant(each) for each in first.constants]
        for slot, name in zip(vary, names, strict=True):
            terms[order[slot]] = Variable(name)
        weights: dict[Key, float] = {}
        keys = zip(*(columns[slot] for slot in vary), strict=True)
        for line, key in zip(self.lines, keys, strict=True):
            weights[key] = weights.get(key, 0.0) + (line.weight or 0.0)
        return [Rule(fill_slots(first.formula, terms), tuple(names), weights, source=first.source)]

    def _in_order(self, line: FormulaLine) -> list[str]:
        """Return the constants in the order of the skeleton, which ``:-`` may have reversed."""
        return [line.constants[_slot_number(slot)] for slot in line.skeleton.slots]


def invent_variables(kinds: Sequence[str], taken: set[str]) -> list[str]:
    """Return a readable variable for each type: its first letter, numbered where needed.

    >>> invent_variables(["action", "goal", "goal"], {"t"})
    ['a', 'g1', 'g2']
    """
    names: dict[str, None] = {}
    counts = Counter(kind[0].lower() for kind in kinds)
    last: dict[str, int] = {}
    for kind in kinds:
        letter = kind[0].lower() if kind[0].isalpha() and kind[0] not in "vV" else "x"  # v is the sign for "or"
        number = max(last.get(letter, 0), 0 if counts[kind[0].lower()] == 1 else 1)
        while (name := f"{letter}{number or ''}") in taken or name in names:
            number += 1
        names[name], last[letter] = None, number
    return list(names)
