"""``.db`` files: read a database (``load_db``, ``parse_db``), write one (``format_db``)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.files import read_text
from telos.logic.database import Database, DatabaseBuilder, FactTable
from telos.logic.model import MarkovLogic
from telos.logic.syntax.parser import MAX_FAULTS, parse_constants, unquote
from telos.logic.syntax.statements import TOKEN, SourceText, Statement, StatementError, check_tokens, strip_comments
from telos.logic.syntax.typing import Signature, signature_of
from telos.logic.syntax.writer import format_constant

# Constants in a database need quotes only if they contain a space or one of these signs. For a line without blanks
# around it; no two repetitions that match the same characters are neighbours, so the time is linear.
_FACT = re.compile(r"(!?)\s*([^\W\d]\w*)\s*(?:\(([^()\"'={}?]*)\)\s*)?\.?\Z")
MAX_DB_BYTES = 512_000_000
MAX_LISTED = 4_000_000  # constants that the lists of a database name, ranges written out
_EXAMPLE = "write for example Smokes(Anna)"
_WORLD_RULE = re.compile(r"\s*-{3,}\s*$")


def load_db(paths: str | Path | Sequence[str | Path], model: MarkovLogic) -> Database:
    """Read a database from one file or several; a file is one world, or several separated by lines of ``---``.

    Worlds are named after their files. A ``.gz`` file is unpacked. All faults are raised together in a
    ``DefinitionError``.
    """
    many = [paths] if isinstance(paths, str | Path) else list(paths)
    if not many:
        raise TelosError("no database was given", "name at least one .db file")
    loader = _DbLoader(model)
    for path in map(Path, many):
        name = path.name.removesuffix(".gz").removesuffix(".db")
        loader.read(strip_comments(read_text(path, limit=MAX_DB_BYTES), str(path)), name)
    return loader.build()


def parse_db(text: str, model: MarkovLogic, source: str = "") -> Database:
    r"""Read a database from a text.

    >>> from telos.logic.syntax.mln import parse_mln
    >>> known = parse_db("Smokes(Anna)\n!Smokes(Bob)", parse_mln("Smokes(person)"))
    >>> known.constants["person"], known.false["Smokes"].arguments.tolist()
    (('Anna', 'Bob'), [[1]])
    """
    loader = _DbLoader(model)
    loader.read(strip_comments(text, source), Path(source).stem if source else "world")
    return loader.build()


class _DbLoader:
    """Reads the facts of one file after the other."""

    def __init__(self, model: MarkovLogic) -> None:
        self._model = model
        self._signature: Signature = signature_of(model)
        functions = {name: (*each.types, each.returns) for name, each in model.functions.items()}
        self._types = {name: each.types for name, each in model.predicates.items()} | functions
        self._builder = DatabaseBuilder(self._types, model.constants)
        self._checked: dict[str, set[str]] = {}  # constants already checked, by type
        self._faults: list[Fault] = []
        self._listed = 0

    def read(self, source: SourceText, name: str) -> None:
        """Read a file as one world, or as one for each part between ``---`` lines that has facts."""
        parts: list[list[tuple[int, str]]] = [[]]
        for number, line in enumerate(source.bare):
            if _WORLD_RULE.match(line):
                parts.append([])
            elif line and not line.isspace():
                parts[-1].append((number, line))
        worlds = [part for part in parts if part] or parts[:1]
        for count, part in enumerate(worlds, start=1):
            self._builder.world(name if len(worlds) == 1 else f"{name}:{count}")
            for number, line in part:
                if len(self._faults) == MAX_FAULTS:
                    return
                try:
                    self._read_line(line.strip())
                except StatementError as error:
                    self._faults.append(source.fault(Statement(TOKEN.findall(line), number, number), error))

    def build(self) -> Database:
        """Return the database, or raise all faults."""
        if self._faults:
            raise DefinitionError(self._faults)
        return self._builder.build()

    def _read_line(self, line: str) -> None:
        found = _FACT.match(line)
        if found is None:
            tokens = TOKEN.findall(line)
            check_tokens(tokens)
            self._read_other(tokens)
            return
        negated, predicate, inside = found.groups()
        names = [each.strip() for each in inside.split(",")] if inside and not inside.isspace() else []
        self._read_fact(line, "false" if negated else "true", predicate, names)

    def _read_fact(self, line: str, part: str, predicate: str, names: Sequence[str]) -> None:
        declared = self._model.predicates.get(predicate)
        if declared is None:
            raise StatementError(
                _find_token(line, predicate),
                f"unknown predicate {predicate!r}",
                self._suggest(predicate),
                code=FaultCode.UNKNOWN_NAME,
            )
        self._check(line, predicate, names, declared.types)
        self._add(line, part, predicate, names)

    def _suggest(self, predicate: str) -> str:
        return name_hint(predicate, self._model.predicates) or "the model declares none"

    def _add(self, line: str, part: str, predicate: str, names: Sequence[str]) -> None:
        try:
            self._builder.add(part, predicate, names)
        except TelosError as error:
            raise StatementError(
                _find_token(line, predicate), error.message, error.remedy, code=FaultCode.INVALID
            ) from None

    def _check(self, line: str, name: str, names: Sequence[str], types: tuple[str, ...]) -> None:
        if len(names) != len(types):
            wanted = f"declared as {name}({', '.join(types)})"
            raise StatementError(
                _find_token(line, name),
                f"{name} takes {len(types)} arguments, not {len(names)}",
                wanted,
                code=FaultCode.WRONG_COUNT,
            )
        for constant, kind in zip(names, types, strict=True):
            checked = self._checked.setdefault(kind, set())
            if constant not in checked:
                self._check_constant(line, constant, kind)
                checked.add(constant)

    def _check_constant(self, line: str, constant: str, kind: str) -> None:
        if not constant or any(sign.isspace() for sign in constant):
            raise StatementError(
                _find_token(line, constant.split()[0]) if constant else 0, "an argument is one name", "put it in quotes"
            )
        check_tokens([constant])
        error = self._signature.add_constant(kind, constant)
        if error:
            raise StatementError(
                _find_token(line, constant),
                error,
                self._signature.suggest_constant(kind, constant),
                code=FaultCode.UNKNOWN_NAME,
            )

    def _read_other(self, tokens: list[str]) -> None:
        """Read a line other than a plain fact: a list of constants, a function, a fact with quoted names."""
        if tokens[1:3] == ["=", "{"]:
            self._read_constants(tokens)
        elif tokens[1:2] == ["="] and len(tokens) > 3 and tokens[3] == "(":
            self._read_function(tokens)
        elif tokens[0][0] in "?*":
            message = "open facts ('?') are not supported"
            raise StatementError(0, message, "leave the line out, and query the predicate", code=FaultCode.UNSUPPORTED)
        elif tokens[0][0].isdigit() or tokens[0][0] == ".":
            message = "weighted evidence is not supported: a fact is true, false (!) or absent"
            raise StatementError(
                0, message, "write the weight into the model, before a formula", code=FaultCode.UNSUPPORTED
            )
        else:
            at = 1 if tokens[0] == "!" else 0
            names = self._parse_names(tokens, at + 1)
            self._read_quoted_fact(tokens, "false" if at else "true", tokens[at] if at < len(tokens) else "", names)

    def _read_quoted_fact(self, tokens: list[str], part: str, predicate: str, names: list[str]) -> None:
        declared = self._model.predicates.get(predicate)
        if declared is None:
            raise StatementError(
                0, f"unknown predicate {predicate!r}", self._suggest(predicate), code=FaultCode.UNKNOWN_NAME
            )
        line = " ".join(tokens)
        if len(names) != len(declared.types):
            self._check(line, predicate, names, declared.types)
        for constant, kind in zip(names, declared.types, strict=True):
            error = self._signature.add_constant(kind, constant)
            if error:
                raise StatementError(
                    0, error, self._signature.suggest_constant(kind, constant), code=FaultCode.UNKNOWN_NAME
                )
        self._add(line, part, predicate, names)

    def _parse_names(self, tokens: list[str], at: int) -> list[str]:
        end = len(tokens) - (tokens[-1] == ".")
        if at >= end or tokens[at] != "(" or tokens[end - 1] != ")":
            raise StatementError(
                min(at, len(tokens) - 1), "a fact is a predicate with constants in parentheses", _EXAMPLE
            )
        names = tokens[at + 1 : end - 1 : 2]
        if any(comma != "," for comma in tokens[at + 2 : end - 1 : 2]) or (end - at) % 2 == 0:
            raise StatementError(
                at + 1, "the arguments of a fact are constants with commas between them", "quote other signs"
            )
        return [unquote(each) for each in names]

    def _read_function(self, tokens: list[str]) -> None:
        function = self._model.functions.get(tokens[2])
        if function is None:
            raise StatementError(
                2,
                f"unknown function {tokens[2]!r}",
                name_hint(tokens[2], self._model.functions),
                code=FaultCode.UNKNOWN_NAME,
            )
        names = [*self._parse_names(tokens, 3), unquote(tokens[0])]
        line = " ".join(tokens)
        if len(names) - 1 != len(function.types):
            self._check(line, function.name, names[:-1], function.types)
        self._check(line, function.name, names, (*function.types, function.returns))
        self._add(line, "functions", function.name, names)

    def _read_constants(self, tokens: list[str]) -> None:
        kind = tokens[0]
        names = parse_constants(tokens)
        self._listed += len(names)
        if self._listed > MAX_LISTED:
            raise StatementError(
                0, f"the lists of constants have more than {MAX_LISTED:,} names", code=FaultCode.TOO_LARGE
            )
        for name in names:
            error = self._signature.add_constant(kind, name)
            if error:
                at = next((place for place, token in enumerate(tokens) if unquote(token) == name), 0)
                raise StatementError(
                    at, error, self._signature.suggest_constant(kind, name), code=FaultCode.UNKNOWN_NAME
                )
            self._builder.mention(kind, name)


def _find_token(line: str, name: str) -> int:
    """Return the index of the token with a name, for the position of a fault."""
    return next((at for at, token in enumerate(TOKEN.findall(line)) if unquote(token) == name), 0)


# --- writing ----------------------------------------------------------------------------------------------------------


def format_db(database: Database, model: MarkovLogic) -> str:
    r"""Return a database as the text of a ``.db`` file, facts in the order of the model's predicates.

    >>> from telos.logic.syntax.db import parse_db
    >>> from telos.logic.syntax.mln import parse_mln
    >>> model = parse_mln("Smokes(person)")
    >>> print(format_db(parse_db("!Smokes(Bob)\nSmokes(Anna)", model), model))
    // world
    Smokes(Anna)
    !Smokes(Bob)
    <BLANKLINE>
    """
    types = {name: predicate.types for name, predicate in model.predicates.items()}
    types |= {name: (*function.types, function.returns) for name, function in model.functions.items()}
    words = {kind: [format_constant(name) for name in names] for kind, names in database.constants.items()}
    worlds = [[f"// {name}"] for name in database.worlds]
    for kind, rows in _unmentioned(database, types).items():
        for world in dict.fromkeys(rows[:, 0].tolist()):
            names = [words[kind][code] for code in rows[rows[:, 0] == world, 1].tolist()]
            worlds[world].append(f"{kind} = {{{','.join(names)}}}")
    for world, line in _fact_lines(database, types, words):
        worlds[world].append(line)
    return "---\n".join("\n".join(lines) + "\n" for lines in worlds)


def _fact_lines(
    database: Database, types: Mapping[str, tuple[str, ...]], words: Mapping[str, Sequence[str]]
) -> Iterator[tuple[int, str]]:
    for name, kinds in types.items():
        for sign, part in (("", database.true), ("!", database.false)):
            for world, names in _fact_rows(part.get(name), kinds, words):
                yield world, f"{sign}{name}({','.join(names)})" if kinds else f"{sign}{name}"
        for world, names in _fact_rows(database.functions.get(name), kinds, words):
            yield world, f"{names[-1]} = {name}({','.join(names[:-1])})"


def _fact_rows(
    facts: FactTable | None, kinds: tuple[str, ...], words: Mapping[str, Sequence[str]]
) -> Iterator[tuple[int, list[str]]]:
    if facts is not None:
        for world, codes in zip(facts.world.tolist(), facts.arguments.tolist(), strict=True):
            yield world, [words[kind][code] for kind, code in zip(kinds, codes, strict=True)]


def _unmentioned(database: Database, types: Mapping[str, tuple[str, ...]]) -> dict[str, np.ndarray]:
    """Return the constants that exist in a world although no fact of it mentions them."""
    mentioned: dict[str, set[tuple[int, int]]] = {}
    for part in (database.true, database.false, database.functions):
        for name, facts in part.items():
            for place, kind in enumerate(types[name]):
                mentioned.setdefault(kind, set()).update(
                    zip(facts.world.tolist(), facts.arguments[:, place].tolist(), strict=True)
                )
    unmentioned = {}
    for kind, rows in database.present.items():
        left = [row for row in rows.tolist() if tuple(row) not in mentioned.get(kind, ())]
        if left:
            unmentioned[kind] = np.array(left)
    return unmentioned
