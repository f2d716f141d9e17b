"""``.mln`` files: ``load_mln`` and ``parse_mln`` read a model, ``check_model`` checks one that was built in Python."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.files import read_text
from telos.files.reading import unreadable
from telos.logic.formulas import (
    And,
    Atom,
    Constant,
    Formula,
    Not,
    Or,
    iter_atoms,
    rename_apart,
)
from telos.logic.model import MarkovLogic, Rule
from telos.logic.syntax.parser import (
    MAX_FAULTS,
    MAX_RANGE,
    QUANTIFIERS,
    FormulaParser,
    FormulaPattern,
    constant_names,
    declare,
    is_declaration,
    is_word,
    unquote,
)
from telos.logic.syntax.rules import FormulaLine, Skeleton, group_rules, to_skeleton
from telos.logic.syntax.statements import (
    MAX_WEIGHT,
    SourceText,
    Statement,
    StatementError,
    check_tokens,
    parse_weight,
    split_statements,
    starts_weight,
    strip_comments,
)
from telos.logic.syntax.typing import Signature, check_types, iter_table_constants, signature_of
from telos.logic.syntax.writer import format_formula

MAX_MLN_BYTES = 64_000_000  # of a model with all that it includes
MAX_INCLUDES = 100  # files that a model includes, repeated ones too
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
    model = _load_model(read_text(path, limit=MAX_MLN_BYTES), str(path), path)
    if not model.predicates and not model.constants:
        raise unreadable(
            str(path), "the file declares nothing", "it was cut short, or is no model", code=FaultCode.EMPTY
        )
    return model


def parse_mln(text: str, source: str = "", *, includes: bool = True) -> MarkovLogic:
    """Read a model from a text; ``source`` is the file that it stands for.

    Without ``includes`` it may name no other file: for texts of others, who must not read files of this machine.

    >>> model = parse_mln('''
    ... Smokes(person)
    ... Cancer(person)
    ... 1.5 Smokes(x) => Cancer(x)
    ... ''')
    >>> model.rules[0].weights
    {(): 1.5}
    """
    return _load_model(text, source, Path(source) if source and includes else None)


def _load_model(text: str, source: str, path: Path | None) -> MarkovLogic:
    loader = _MlnLoader()
    loader.read_declarations(strip_comments(text, source), path)
    loader.check_opened()
    lines = loader.parse_lines()
    if loader.faults:
        order = {file.source.name: place for place, file in enumerate(loader.files)}
        found = sorted(loader.faults, key=lambda fault: (order[fault.file], fault.line, fault.column))
        raise DefinitionError(found[:MAX_FAULTS])
    signature = loader.signature
    taken = frozenset(name for names in signature.declared.values() for name in names)
    rules = group_rules(lines, taken)
    for rule in rules:
        if rule.plus:
            for kind, name in iter_table_constants(rule, check_types(rule.formula, signature).types):
                signature.add_constant(kind, name)
    closed = frozenset(signature.declared)
    opened = frozenset(loader.opened)
    return MarkovLogic(signature.predicates, rules, signature.functions, signature.constants(), source, closed, opened)


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
    for name in sorted(model.opened - set(model.predicates)):
        yield Fault(
            f"unknown predicate {name!r}",
            path=("opened",),
            suggestion=name_hint(name, model.predicates),
            code=FaultCode.UNKNOWN_NAME,
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
        if not abs(value) <= MAX_WEIGHT:
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
        self.opened: dict[str, tuple[SourceText, Statement, int]] = {}  # the place of each predicate declared open
        self._patterns: dict[tuple[bool, tuple[str, ...]], _CheckedPattern] = {}
        self._size = 0  # characters of all files
        self._listed = 0  # constants of all lists
        self._lowercase_constants: set[str] = set()  # constants written like variables

    def read_declarations(self, source: SourceText, path: Path | None) -> None:
        """Read the declarations of a file, and keep its formulas for later."""
        found = list(split_statements(source))
        marked = any(token[0] == "?" for statement in found for token in statement.tokens)
        file = _SourceFile(source, marked)
        self.files.append(file)
        self._size += sum(map(len, source.lines))
        self._open.append(path.resolve() if path else Path())
        for statement in found:
            if len(self.faults) >= MAX_FAULTS:
                break
            try:
                check_tokens(statement.tokens)
                self._read_statement(statement, file, path)
            except StatementError as error:
                self.faults.append(source.fault(statement, error))
        self._open.pop()

    def _read_statement(self, statement: Statement, file: _SourceFile, path: Path | None) -> None:
        tokens = statement.tokens
        if tokens[0] == "#":
            self._read_directive(statement, file, path)
        elif is_declaration(tokens, self.signature):
            before = len(self.signature.declared.get(tokens[0], ()))
            declare(tokens, self.signature, f"{file.source.name}:{statement.first + 1}")
            if "..." in tokens:
                self._count_listed(len(self.signature.declared[tokens[0]]) - before)
        else:
            file.formulas.append(statement)

    def _count_listed(self, count: int) -> None:
        self._listed += count
        if self._listed > MAX_RANGE:
            message = f"the ranges of the model have more than {MAX_RANGE:,} numbers"
            raise StatementError(0, message, "declare fewer", code=FaultCode.TOO_LARGE)

    def _read_directive(self, statement: Statement, file: _SourceFile, path: Path | None) -> None:
        tokens = statement.tokens
        word = tokens[1] if len(tokens) > 1 else ""
        if word in _SECTIONS and len(tokens) == 2:
            return  # section headings of Alchemy 2 files
        if word in _UNSUPPORTED:
            raise StatementError(
                0, f"#{word} of pracmln is not supported", _UNSUPPORTED[word], code=FaultCode.UNSUPPORTED
            )
        if word == "open":
            self._read_open(statement, file)
            return
        if word != "include" or len(tokens) != 3 or tokens[2][0] not in "\"'":
            raise StatementError(
                0,
                f"unknown directive '#{word}'",
                'known: #include "other.mln", #open predicate',
                code=FaultCode.UNKNOWN_NAME,
            )
        if path is None:
            raise StatementError(
                2,
                "this text cannot include files",
                "load it from a file, or put all into one",
                code=FaultCode.UNSUPPORTED,
            )
        self._include(path.parent, unquote(tokens[2]))

    def _read_open(self, statement: Statement, file: _SourceFile) -> None:
        """Read ``#open mood, trust``: predicates that are hidden although nobody asks about them."""
        tokens = statement.tokens
        if len(tokens) % 2 == 0 or any(comma != "," for comma in tokens[3::2]):
            raise StatementError(2, "#open lists predicates with commas between them", "for example #open mood, trust")
        for at in range(2, len(tokens), 2):
            self.opened.setdefault(tokens[at], (file.source, statement, at))

    def check_opened(self) -> None:
        """Note the predicates that are declared open and not declared otherwise."""
        for name, (source, statement, at) in self.opened.items():
            if name not in self.signature.predicates:
                hint = name_hint(name, self.signature.predicates)
                error = StatementError(at, f"unknown predicate {name!r}", hint, code=FaultCode.UNKNOWN_NAME)
                self.faults.append(source.fault(statement, error))

    def _include(self, folder: Path, name: str) -> None:
        other = folder / name
        try:
            is_open = other.resolve() in self._open
        except (OSError, ValueError, RuntimeError):  # over-long, a zero character, a circle of links
            raise StatementError(2, "this is not the name of a file", code=FaultCode.UNREADABLE) from None
        if is_open:
            raise StatementError(
                2, f"{other} includes itself", "leave out one of the includes", code=FaultCode.CIRCULAR
            )
        if len(self.files) > MAX_INCLUDES:
            raise StatementError(
                2, f"the model includes more than {MAX_INCLUDES} files", "join some of them", code=FaultCode.TOO_LARGE
            )
        try:
            text = read_text(other, limit=max(0, MAX_MLN_BYTES - self._size))
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
                if len(self.faults) >= MAX_FAULTS:
                    return found
                try:
                    found.append(self._parse_line(file, statement))
                except StatementError as error:
                    every = (error, *error.others)[: MAX_FAULTS - len(self.faults)]
                    self.faults += [file.source.fault(statement, each) for each in every]
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
