"""Models from the field's ``.mln`` files."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError
from telos.logic.formulas import Atom, Constant, Not, apart, atoms
from telos.logic.model import MarkovLogic
from telos.logic.syntax.declarations import declare, is_declaration, unquoted
from telos.logic.syntax.files import read_text
from telos.logic.syntax.grouping import Line, Skeleton, grouped, skeleton
from telos.logic.syntax.lexer import Source, Statement, Wrong, source_of, statements
from telos.logic.syntax.reader import FormulaReader, Shape, constant_names
from telos.logic.syntax.signature import Signature
from telos.logic.syntax.typed import table_constants, typed
from telos.logic.syntax.weights import starts_weight, weight

_BEFORE, _AFTER = ("(", ","), (",", ")")
_SECTIONS = ("domains", "predicates", "formulas")
_FOREIGN = {
    "unique": "write the pairs out, or add a formula such as !(x = y) to the premise",
    "fixweight": "learning changes every soft weight: fix one with a hard formula, or in Python",
    "fuzzy": "Telos knows true and false only",
}


def load_mln(path: str | Path) -> MarkovLogic:
    """Read a model from a file, with the files that it includes; ``.gz`` is read as it is.

    All that is wrong with it is said at once, in a ``DefinitionError``, and nothing is half-loaded.
    """
    path = Path(path)
    return _model(read_text(path), str(path), path)


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
    return _model(text, source, Path(source) if source else None)


def _model(text: str, source: str, path: Path | None) -> MarkovLogic:
    loading = _Loading()
    loading.declarations(source_of(text, source), path)
    lines = loading.lines()
    if loading.faults:
        order = {file.source.name: place for place, file in enumerate(loading.files)}
        raise DefinitionError(sorted(loading.faults, key=lambda fault: (order[fault.file], fault.line, fault.column)))
    signature = loading.signature
    taken = frozenset(name for names in signature.declared.values() for name in names)
    rules = grouped(lines, taken)
    for rule in rules:
        if rule.plus:
            for kind, name in table_constants(rule, typed(rule.formula, signature).types):
                signature.join(kind, name)
    closed = frozenset(signature.declared)
    return MarkovLogic(signature.predicates, rules, signature.functions, signature.constants(), source, closed)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is kept of a line's form, so that the next line of the same form costs next to nothing."""

    shape: Shape
    skeleton: Skeleton
    kinds: tuple[str, ...]  # of each slot
    vary: tuple[str, ...]  # the same, but "" where grouping may not put a variable


@dataclass(slots=True)
class _File:
    source: Source
    marked: bool  # variables are written ?x
    formulas: list[Statement] = field(default_factory=list)


class _Loading:
    """Reads a file and what it includes: declarations first, because formulas may stand before them."""

    def __init__(self) -> None:
        self.signature = Signature()
        self.faults: list[Fault] = []
        self.files: list[_File] = []
        self._open: list[Path] = []
        self._known: dict[tuple[bool, tuple[str, ...]], _Known] = {}
        self._small: set[str] = set()  # constants that are written like variables

    def declarations(self, source: Source, path: Path | None) -> None:
        """Take in the declarations of a file, and keep its formulas for later."""
        found = list(statements(source))
        marked = any(token[0] == "?" for statement in found for token in statement.tokens)
        file = _File(source, marked)
        self.files.append(file)
        self._open.append(path.resolve() if path else Path())
        for statement in found:
            tokens = statement.tokens
            try:
                if tokens[0] == "#":
                    self._directive(tokens, path)
                elif is_declaration(tokens, self.signature):
                    declare(tokens, self.signature, f"{source.name}:{statement.first + 1}")
                else:
                    file.formulas.append(statement)
            except Wrong as wrong:
                self.faults.append(source.fault(statement, wrong))
        self._open.pop()

    def _directive(self, tokens: Sequence[str], path: Path | None) -> None:
        word = tokens[1] if len(tokens) > 1 else ""
        if word in _SECTIONS and len(tokens) == 2:
            return  # headings in the files of Alchemy 2
        if word in _FOREIGN:
            raise Wrong(0, f"#{word} is pracmln's, and not known here", _FOREIGN[word], code=FaultCode.UNSUPPORTED)
        if word != "include" or len(tokens) != 3 or tokens[2][0] not in "\"'":
            raise Wrong(0, f"unknown directive '#{word}'", 'known: #include "other.mln"', code=FaultCode.UNKNOWN_NAME)
        if path is None:
            raise Wrong(
                2, "a text without a file cannot include others", "load it from a file", code=FaultCode.UNSUPPORTED
            )
        other = path.parent / unquoted(tokens[2])
        if other.resolve() in self._open:
            raise Wrong(2, f"{other} includes itself", "leave out one of the includes", code=FaultCode.CIRCULAR)
        try:
            text = read_text(other)
        except TelosError as error:
            raise Wrong(2, str(error)) from None
        self.declarations(source_of(text, str(other)), other)

    def lines(self) -> list[Line]:
        """Return the formulas of all files, read with all declarations known."""
        found: list[Line] = []
        self._small = {name for names in self.signature.declared.values() for name in names if name[:1].islower()}
        for file in self.files:
            for statement in file.formulas:
                try:
                    found.append(self._line(file, statement))
                except Wrong as wrong:
                    self.faults += [file.source.fault(statement, each) for each in (wrong, *wrong.also)]
        return found

    def _line(self, file: _File, statement: Statement) -> Line:
        tokens, end, hard = statement.tokens, len(statement.tokens), False
        said, start = self._weight(tokens)
        if tokens[end - 1] == ".":
            end, hard = end - 1, True
        elif "::" in tokens:
            end = tokens.index("::")
            said, after = weight(tokens, end + 1)
            if after < len(tokens):
                raise Wrong(after, f"found {tokens[after]!r} after the weight", code=FaultCode.BAD_SYNTAX)
        if hard and said is not None:
            raise Wrong(
                0, "a formula has a weight or a full stop, not both", "leave out one of them", code=FaultCode.CONFLICT
            )
        _refuse_constraint(tokens, self.signature)
        known, constants = self._formula(file, tokens[start:end], start)
        plus, formula = known.shape.plus, known.shape.formula
        if said is not None and math.isinf(said):
            hard, formula = True, formula if said > 0 else Not(formula)  # never true, so its negation always is
        text = partial(file.source.text, statement, start)
        source = f"{file.source.name}:{statement.first + 1}"
        return Line(formula, () if hard else plus, known.skeleton, constants, said, hard, known.vary, source, text)

    def _weight(self, tokens: Sequence[str]) -> tuple[float | None, int]:
        if not starts_weight(tokens) or tokens[0] in self.signature.predicates:
            return None, 0
        said, start = weight(tokens)
        if start == len(tokens):
            raise Wrong(start, "a weight without a formula", code=FaultCode.BAD_SYNTAX)
        return said, start

    def _formula(self, file: _File, tokens: list[str], start: int) -> tuple[_Known, tuple[str, ...]]:
        """Return the form of a formula and its constants; what is wrong is said with ``start`` tokens before it."""
        try:
            known = self._shape(tokens, file.marked)
            constants = constant_names(tokens, known.shape)
            self._join(known, constants)
        except Wrong as wrong:
            raise wrong.moved(start) from None
        return known, constants

    def _shape(self, tokens: list[str], marked: bool) -> _Known:
        key = (marked, tuple(self._masked(tokens, marked)))
        known = self._known.get(key)
        if known is None:
            shape = FormulaReader(tokens, self.signature, marked=marked).read()
            known = self._checked(shape)
            masked = {at for at, token in enumerate(key[1]) if not token}
            if masked <= set(shape.slots):  # otherwise the key says less than the tokens do
                self._known[key] = known
        return known

    def _masked(self, tokens: list[str], marked: bool) -> list[str]:
        """Return the tokens of a formula with what is surely a constant left out."""
        key = list(tokens)
        for at in range(1, len(tokens) - 1):
            token = tokens[at]
            if tokens[at + 1] not in _AFTER or tokens[at - 1] not in _BEFORE or token in self.signature.predicates:
                continue
            if token[0] not in "?_+" and (marked or not token[0].islower() or token in self._small):
                key[at] = ""
        return key

    def _checked(self, shape: Shape) -> _Known:
        result = typed(shape.formula, self.signature, shape.plus)
        if result.findings:
            first, *others = [
                Wrong(shape.marks[each.mark], each.message, each.suggestion, code=each.code) for each in result.findings
            ]
            first.also = tuple(others)
            raise first
        kinds = [""] * len(shape.slots)
        for _, name, kind in result.constants:
            kinds[int(name[1:])] = kind
        direct = {
            int(term.name[1:])
            for atom in atoms(shape.formula)
            if isinstance(atom, Atom)
            for term in atom.arguments
            if isinstance(term, Constant)
        }
        vary = tuple([kind if slot in direct else "" for slot, kind in enumerate(kinds)])
        shape = replace(shape, formula=apart(shape.formula))
        return _Known(shape, skeleton(shape.formula, shape.plus), tuple(kinds), vary)

    def _join(self, known: _Known, constants: tuple[str, ...]) -> None:
        for slot, (said, kind) in enumerate(zip(constants, known.kinds, strict=True)):
            joined = self.signature.joined.get(kind)
            if joined is None or said not in joined:
                wrong = self.signature.join(kind, said) if kind else ""
                if wrong:
                    raise Wrong(
                        known.shape.slots[slot],
                        wrong,
                        self.signature.nearest_constant(kind, said),
                        code=FaultCode.UNKNOWN_NAME,
                    )


def _refuse_constraint(tokens: Sequence[str], signature: Signature) -> None:
    if tokens[0] == "P" and "P" not in signature.predicates and len(tokens) > 3 and tokens[-2] == "=":
        raise Wrong(
            0,
            "constraints such as P(x) = 0.1 are not known here",
            "learn the weight, or give log(0.1/0.9)",
            code=FaultCode.UNSUPPORTED,
        )
