"""``.mln`` files: ``load_mln`` and ``parse_mln`` read a model, ``check_model`` checks one that was built in Python."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError
from telos.logic.formulas import (
    And,
    Atom,
    Constant,
    Formula,
    Not,
    Or,
    Term,
    Variable,
    iter_atoms,
    rename_apart,
    rewrite_terms,
)
from telos.logic.model import Key, MarkovLogic, Rule
from telos.logic.syntax.db import read_logic_text
from telos.logic.syntax.parser import (
    QUANTIFIERS,
    FormulaParser,
    FormulaPattern,
    SourceText,
    Statement,
    StatementError,
    constant_names,
    declare,
    is_declaration,
    is_word,
    parse_weight,
    split_statements,
    starts_weight,
    strip_comments,
    unquote,
)
from telos.logic.syntax.typing import Signature, check_types, iter_table_constants, signature_of
from telos.logic.syntax.writer import format_formula

_BEFORE, _AFTER = ("(", ","), (",", ")")
_SECTIONS = ("domains", "predicates", "formulas")
_UNSUPPORTED = {
    "unique": "write the pairs out, or add a formula such as !(x = y) to the premise",
    "fixweight": "learning changes every soft weight: use a hard formula instead",
    "fuzzy": "Telos has no fuzzy truth values",
}


def load_mln(path: str | Path) -> MarkovLogic:
    """Read a model from a file and the files that it includes; a ``.gz`` file is unpacked.

    All faults are raised together in a ``DefinitionError``; nothing is loaded partially.
    """
    path = Path(path)
    return _load_model(read_logic_text(path), str(path), path)


def parse_mln(text: str, source: str = "") -> MarkovLogic:
    """Read a model from a text.

    >>> model = parse_mln('''
    ... Smokes(person)
    ... Cancer(person)
    ... 1.5 Smokes(x) => Cancer(x)
    ... ''')
    >>> model.rules[0].weights
    {(): 1.5}
    """
    return _load_model(text, source, Path(source) if source else None)


def _load_model(text: str, source: str, path: Path | None) -> MarkovLogic:
    loader = _MlnLoader()
    loader.read_declarations(strip_comments(text, source), path)
    lines = loader.parse_lines()
    if loader.faults:
        order = {file.source.name: place for place, file in enumerate(loader.files)}
        raise DefinitionError(sorted(loader.faults, key=lambda fault: (order[fault.file], fault.line, fault.column)))
    signature = loader.signature
    taken = frozenset(name for names in signature.declared.values() for name in names)
    rules = group_rules(lines, taken)
    for rule in rules:
        if rule.plus:
            for kind, name in iter_table_constants(rule, check_types(rule.formula, signature).types):
                signature.add_constant(kind, name)
    closed = frozenset(signature.declared)
    return MarkovLogic(signature.predicates, rules, signature.functions, signature.constants(), source, closed)


# --- models built in Python -------------------------------------------------------------------------------------------


def check_model(model: MarkovLogic) -> MarkovLogic:
    """Return the model with all constants of its rules in ``constants``, or raise all its faults.

    >>> from telos.logic.formulas import Atom, Variable
    >>> from telos.logic.model import Predicate
    >>> check_model(MarkovLogic({"likes": Predicate("likes", ("person",))}, (Rule(Atom("like", (Variable("x"),))),)))
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: rules › 0: unknown predicate 'like' in `like(x)`; did you mean 'likes'?
    """
    signature = signature_of(model)
    faults = [*_declaration_faults(model)]
    for at, rule in enumerate(model.rules):
        faults += [fault.at("rules", at) for fault in _rule_faults(rule, signature)]
    if faults:
        raise DefinitionError(faults)
    rules = tuple([replace(rule, formula=rename_apart(rule.formula)) for rule in model.rules])
    return replace(model, rules=rules, constants=signature.constants())


def _declaration_faults(model: MarkovLogic) -> Iterator[Fault]:
    for name, predicate in model.predicates.items():
        path = ("predicates", name)
        if name != predicate.name or not is_word(name) or name == "v" or name.lower() in QUANTIFIERS:
            yield Fault(
                f"{predicate.name!r} cannot be the name of a predicate",
                path=path,
                suggestion="use a plain word",
                code=FaultCode.BAD_NAME,
            )
        if any(place not in range(len(predicate.types)) for place in predicate.exactly_one):
            yield Fault(
                "'!' marks an argument that is not there",
                path=path,
                suggestion="count arguments from 0",
                code=FaultCode.OUT_OF_RANGE,
            )
    for name, function in model.functions.items():
        if name != function.name or not is_word(name) or name in model.predicates:
            message = f"{function.name!r} cannot be the name of a function"
            yield Fault(
                message,
                path=("functions", name),
                suggestion="use a word that no predicate has",
                code=FaultCode.BAD_NAME,
            )


def _rule_faults(rule: Rule, signature: Signature) -> Iterator[Fault]:
    if _has_empty_part(rule.formula):
        yield Fault("a conjunction or disjunction has no parts", suggestion="give it two or more", code=FaultCode.EMPTY)
        return
    text = format_formula(rule.formula, rule.plus)
    found = check_types(rule.formula, signature, rule.plus)
    for finding in found.findings:
        yield Fault(finding.message, text, finding.suggestion, code=finding.code)
    if found.findings:
        return
    if len(set(rule.plus)) != len(rule.plus):
        yield Fault("the same variable is marked '+' twice", text, code=FaultCode.DUPLICATE)
    if rule.hard and (rule.weights or rule.otherwise):
        yield Fault("a hard formula has no weights", text, "leave out one of them", code=FaultCode.EMPTY)
    for _, name, kind in found.constants:
        yield from _constant_faults(signature, kind, name, text)
    yield from _weight_faults(rule, text)
    for kind, name in iter_table_constants(rule, found.types):
        yield from _constant_faults(signature, kind, name, text)


def _has_empty_part(formula: Formula) -> bool:
    if isinstance(formula, And | Or) and not formula.parts:
        return True
    parts = getattr(formula, "parts", None) or [
        getattr(formula, name) for name in ("part", "premise", "conclusion", "left", "right") if hasattr(formula, name)
    ]
    return any(_has_empty_part(part) for part in parts)


def _weight_faults(rule: Rule, text: str) -> Iterator[Fault]:
    for key, value in (*rule.weights.items(), (("otherwise",), rule.otherwise)):
        if not math.isfinite(value):
            yield Fault(
                f"the weight of {key} is {value}",
                text,
                "give a number, or make the formula hard",
                code=FaultCode.OUT_OF_RANGE,
            )
    for key in rule.weights:
        if len(key) != len(rule.plus):
            yield Fault(
                f"the key {key} names {len(key)} constants, but {len(rule.plus)} variables are marked '+'",
                text,
                code=FaultCode.WRONG_COUNT,
            )


def _constant_faults(signature: Signature, kind: str, name: str, text: str) -> Iterator[Fault]:
    error = signature.add_constant(kind, name)
    if error:
        yield Fault(error, text, signature.suggest_constant(kind, name), code=FaultCode.UNKNOWN_NAME)


# --- lines to rules ---------------------------------------------------------------------------------------------------
# Formulas that differ only in constants become one rule with a table of weights.


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
    weights: dict[Key, float] = field(default_factory=dict)

    def key(self, line: FormulaLine) -> Key | None:
        """Return the constants that a line has for the ``+`` variables, or None if it is not an instance."""
        choice: dict[str, str] = {}
        for mine, theirs in zip(self.line.skeleton.slots, line.skeleton.slots, strict=True):
            constant = line.constants[_slot_number(theirs)]
            if isinstance(mine, int):
                if self.line.constants[mine] != constant:
                    return None
                continue
            if mine.shift:
                if not constant.removeprefix("-").isdecimal():
                    return None
                constant = str(int(constant) - mine.shift)
            if choice.setdefault(mine.name, constant) != constant:
                return None
        return tuple([choice[name] for name in self.line.plus])

    def rule(self) -> Rule:
        line = self.line
        return Rule(line.fill(), line.plus, self.weights, source=line.source, text=line.text())


def _slot_number(slot: int | Variable) -> int:
    if isinstance(slot, Variable):  # only templates have variables in slots, and no template is an instance of another
        raise TypeError(slot.name)
    return slot


def group_rules(lines: Sequence[FormulaLine], taken: frozenset[str]) -> tuple[Rule, ...]:
    """Return the rules of a file, each at the place of its first line; ``taken`` are names not to invent."""
    templates: dict[Formula, list[_TemplateRule]] = {}
    found: dict[int, Rule | _TemplateRule | _LineGroup] = {}
    for at, line in enumerate(lines):
        if line.plus and not line.hard and not line.weight:
            same = templates.setdefault(line.skeleton.formula, [])
            if not any(each.line.fill() == line.fill() for each in same):
                same.append(_TemplateRule(line))
                found[at] = same[-1]
        elif line.plus or line.hard:
            found[at] = _single_rule(line)
    groups: dict[tuple[Formula, tuple[str, ...]], _LineGroup] = {}
    for at, line in enumerate(lines):
        if line.plus or line.hard or _add_to_template(line, templates.get(line.skeleton.formula, ())):
            continue
        fixed = tuple([constant for constant, kind in zip(line.constants, line.kinds, strict=True) if not kind])
        group = groups.get((line.skeleton.formula, fixed))
        if group is None:
            group = found[at] = groups[line.skeleton.formula, fixed] = _LineGroup(taken=taken)
        group.lines.append(line)
    return tuple([rule for at in sorted(found) for rule in _to_rules(found[at])])


def _add_to_template(line: FormulaLine, templates: Sequence[_TemplateRule]) -> bool:
    for template in templates:
        key = template.key(line)
        if key is not None:
            template.weights[key] = template.weights.get(key, 0.0) + (line.weight or 0.0)
            return True
    return False


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
    names: list[str] = []
    for kind in kinds:
        letter = kind[0].lower() if kind[0].isalpha() and kind[0] not in "vV" else "x"  # v is the sign for "or"
        alone = [each[0].lower() for each in kinds].count(kind[0].lower()) == 1
        number = 0 if alone else 1
        while (name := f"{letter}{number or ''}") in taken or name in names:
            number += 1
        names.append(name)
    return names


# --- files ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _CheckedPattern:
    """A parsed and checked pattern, reused for every further line of the same form."""

    pattern: FormulaPattern
    skeleton: Skeleton
    kinds: tuple[str, ...]  # of each slot
    vary: tuple[str, ...]  # the same, but "" where grouping must not put a variable


@dataclass(slots=True)
class _SourceFile:
    source: SourceText
    marked: bool  # variables are written ?x
    formulas: list[Statement] = field(default_factory=list)


class _MlnLoader:
    """Reads a file and its includes: declarations first, because formulas may stand before them."""

    def __init__(self) -> None:
        self.signature = Signature()
        self.faults: list[Fault] = []
        self.files: list[_SourceFile] = []
        self._open: list[Path] = []
        self._patterns: dict[tuple[bool, tuple[str, ...]], _CheckedPattern] = {}
        self._lowercase_constants: set[str] = set()  # constants written like variables

    def read_declarations(self, source: SourceText, path: Path | None) -> None:
        """Read the declarations of a file, and keep its formulas for later."""
        found = list(split_statements(source))
        marked = any(token[0] == "?" for statement in found for token in statement.tokens)
        file = _SourceFile(source, marked)
        self.files.append(file)
        self._open.append(path.resolve() if path else Path())
        for statement in found:
            tokens = statement.tokens
            try:
                if tokens[0] == "#":
                    self._read_directive(tokens, path)
                elif is_declaration(tokens, self.signature):
                    declare(tokens, self.signature, f"{source.name}:{statement.first + 1}")
                else:
                    file.formulas.append(statement)
            except StatementError as error:
                self.faults.append(source.fault(statement, error))
        self._open.pop()

    def _read_directive(self, tokens: Sequence[str], path: Path | None) -> None:
        word = tokens[1] if len(tokens) > 1 else ""
        if word in _SECTIONS and len(tokens) == 2:
            return  # section headings of Alchemy 2 files
        if word in _UNSUPPORTED:
            raise StatementError(
                0, f"#{word} of pracmln is not supported", _UNSUPPORTED[word], code=FaultCode.UNSUPPORTED
            )
        if word != "include" or len(tokens) != 3 or tokens[2][0] not in "\"'":
            raise StatementError(
                0, f"unknown directive '#{word}'", 'known: #include "other.mln"', code=FaultCode.UNKNOWN_NAME
            )
        if path is None:
            raise StatementError(
                2, "a text without a path cannot include files", "load it from a file", code=FaultCode.UNSUPPORTED
            )
        other = path.parent / unquote(tokens[2])
        if other.resolve() in self._open:
            raise StatementError(
                2, f"{other} includes itself", "leave out one of the includes", code=FaultCode.CIRCULAR
            )
        try:
            text = read_logic_text(other)
        except TelosError as error:
            raise StatementError(2, str(error), code=FaultCode.INVALID) from None
        self.read_declarations(strip_comments(text, str(other)), other)

    def parse_lines(self) -> list[FormulaLine]:
        """Return the formulas of all files, parsed with all declarations known."""
        found: list[FormulaLine] = []
        self._lowercase_constants = {
            name for names in self.signature.declared.values() for name in names if name[:1].islower()
        }
        for file in self.files:
            for statement in file.formulas:
                try:
                    found.append(self._parse_line(file, statement))
                except StatementError as error:
                    self.faults += [file.source.fault(statement, each) for each in (error, *error.others)]
        return found

    def _parse_line(self, file: _SourceFile, statement: Statement) -> FormulaLine:
        tokens, end, hard = statement.tokens, len(statement.tokens), False
        value, start = self._parse_weight(tokens)
        if tokens[end - 1] == ".":
            end, hard = end - 1, True
        elif "::" in tokens:
            end = tokens.index("::")
            value, after = parse_weight(tokens, end + 1)
            if after < len(tokens):
                raise StatementError(after, f"found {tokens[after]!r} after the weight")
        if hard and value is not None:
            raise StatementError(
                0, "a formula has a weight or a full stop, not both", "leave out one of them", code=FaultCode.CONFLICT
            )
        _reject_constraint(tokens, self.signature)
        known, constants = self._parse_formula(file, tokens[start:end], start)
        plus, formula = known.pattern.plus, known.pattern.formula
        if value is not None and math.isinf(value):
            hard, formula = True, formula if value > 0 else Not(formula)  # -inf: the negation must hold
        text = partial(file.source.text, statement, start)
        source = f"{file.source.name}:{statement.first + 1}"
        return FormulaLine(
            formula, () if hard else plus, known.skeleton, constants, value, hard, known.vary, source, text
        )

    def _parse_weight(self, tokens: Sequence[str]) -> tuple[float | None, int]:
        if not starts_weight(tokens) or tokens[0] in self.signature.predicates:
            return None, 0
        value, start = parse_weight(tokens)
        if start == len(tokens):
            raise StatementError(start, "a weight without a formula")
        return value, start

    def _parse_formula(
        self, file: _SourceFile, tokens: list[str], start: int
    ) -> tuple[_CheckedPattern, tuple[str, ...]]:
        """Return the pattern of a formula and its constants; errors are shifted by ``start`` tokens."""
        try:
            known = self._get_pattern(tokens, file.marked)
            constants = constant_names(tokens, known.pattern)
            self._add_constants(known, constants)
        except StatementError as error:
            raise error.shifted(start) from None
        return known, constants

    def _get_pattern(self, tokens: list[str], marked: bool) -> _CheckedPattern:
        key = (marked, tuple(self._mask_constants(tokens, marked)))
        known = self._patterns.get(key)
        if known is None:
            pattern = FormulaParser(tokens, self.signature, marked=marked).read()
            known = self._check_pattern(pattern)
            masked = {at for at, token in enumerate(key[1]) if not token}
            if masked <= set(pattern.slots):  # otherwise lines with the same key may differ
                self._patterns[key] = known
        return known

    def _mask_constants(self, tokens: list[str], marked: bool) -> list[str]:
        """Return the tokens of a formula with certain constants replaced by the empty string."""
        key = list(tokens)
        for at in range(1, len(tokens) - 1):
            token = tokens[at]
            if tokens[at + 1] not in _AFTER or tokens[at - 1] not in _BEFORE or token in self.signature.predicates:
                continue
            if token[0] not in "?_+" and (marked or not token[0].islower() or token in self._lowercase_constants):
                key[at] = ""
        return key

    def _check_pattern(self, pattern: FormulaPattern) -> _CheckedPattern:
        result = check_types(pattern.formula, self.signature, pattern.plus)
        if result.findings:
            first, *others = [
                StatementError(pattern.marks[each.mark], each.message, each.suggestion, code=each.code)
                for each in result.findings
            ]
            first.others = tuple(others)
            raise first
        kinds = [""] * len(pattern.slots)
        for _, name, kind in result.constants:
            kinds[int(name[1:])] = kind
        direct = {
            int(term.name[1:])
            for atom in iter_atoms(pattern.formula)
            if isinstance(atom, Atom)
            for term in atom.arguments
            if isinstance(term, Constant)
        }
        vary = tuple([kind if slot in direct else "" for slot, kind in enumerate(kinds)])
        pattern = replace(pattern, formula=rename_apart(pattern.formula))
        return _CheckedPattern(pattern, to_skeleton(pattern.formula, pattern.plus), tuple(kinds), vary)

    def _add_constants(self, known: _CheckedPattern, constants: tuple[str, ...]) -> None:
        for slot, (constant, kind) in enumerate(zip(constants, known.kinds, strict=True)):
            mentioned = self.signature.mentioned.get(kind)
            if mentioned is None or constant not in mentioned:
                error = self.signature.add_constant(kind, constant) if kind else ""
                if error:
                    raise StatementError(
                        known.pattern.slots[slot],
                        error,
                        self.signature.suggest_constant(kind, constant),
                        code=FaultCode.UNKNOWN_NAME,
                    )


def _reject_constraint(tokens: Sequence[str], signature: Signature) -> None:
    if tokens[0] == "P" and "P" not in signature.predicates and len(tokens) > 3 and tokens[-2] == "=":
        raise StatementError(
            0,
            "constraints such as P(x) = 0.1 are not supported",
            "learn the weight, or give log(0.1/0.9)",
            code=FaultCode.UNSUPPORTED,
        )
