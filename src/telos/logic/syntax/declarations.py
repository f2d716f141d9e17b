"""Declarations: ``person = {Anna, Bob}``, ``goal(time, goal!)``, ``fluent meet(id, id)``."""

import re
from collections.abc import Sequence

from telos.core.errors import FaultCode
from telos.logic.database import whole
from telos.logic.model import Function, Predicate
from telos.logic.syntax.lexer import Wrong
from telos.logic.syntax.signature import Signature
from telos.logic.syntax.weights import is_weight_name

MOST_IN_RANGE = 10_000_000  # numbers in ``{0,...,n}``: more is a slip of the pen
_WORD = re.compile(r"[^\W\d]\w*\Z")
QUANTIFIERS = {"exist": False, "exists": False, "forall": True}  # the value says whether it is universal


def is_word(token: str) -> bool:
    """Return whether a token can name a predicate, function, type or variable."""
    return _WORD.match(token) is not None


def is_low(name: str) -> bool:
    """Return whether a name is written like a variable: it begins with a small letter or an underscore."""
    return name[0].islower() or name[0] == "_"


def unquoted(token: str) -> str:
    """Return the name of a constant, without its quotes."""
    return token[1:-1] if token[0] in "\"'" else token


def is_atom(tokens: Sequence[str]) -> bool:
    """Return whether a statement is one word with words in parentheses, and nothing more."""
    if not is_word(tokens[0]):
        return False
    return len(tokens) == 1 or (tokens[1] == "(" and tokens[-1] == ")" and tokens.count("(") == 1)


def is_declaration(tokens: Sequence[str], signature: Signature) -> bool:
    """Return whether a statement declares something; the others are formulas.

    A lone atom without a weight declares its predicate if its arguments are types: small words, or marked ``!``.
    Once the predicate is declared it is a formula to be learned, unless all its arguments are types again.
    """
    if len(tokens) > 2 and is_word(tokens[0]) and not is_weight_name(tokens[0]):
        if tokens[1] == "=" and tokens[2] == "{":
            return True
        if is_word(tokens[1]) and tokens[2] == "(" and tokens[1] != "v" and tokens[0].lower() not in QUANTIFIERS:
            return tokens[0] not in signature.predicates
    if not is_atom(tokens):
        return False
    arguments = tokens[2:-1:2] if "!" not in tokens else ()
    if tokens[0] in signature.predicates:
        types = signature.types
        return all(each in types for each in arguments)
    types = signature.types
    return all(is_word(each) and (is_low(each) or each in types) for each in arguments)


def declare(tokens: Sequence[str], signature: Signature, where: str) -> None:
    """Take in a declaration, or raise ``Wrong``."""
    if tokens[1:2] == ["="]:
        _declare_type(tokens, signature)
        return
    returns = "" if len(tokens) == 1 or tokens[1] == "(" else tokens[0]
    at = 1 if returns else 0
    name = tokens[at]
    if name in signature.where:
        learned = f"if it is a formula to be learned, write 0 before it: 0 {''.join(tokens)}"
        remedy = "leave out one of them" if returns else learned
        raise Wrong(at, f"{name} is declared twice, first in {signature.where[name]}", remedy, code=FaultCode.DUPLICATE)
    types, marked = _arguments(tokens, at + 1)
    signature.where[name] = where
    if returns:
        if marked:
            raise Wrong(
                at,
                f"function {name} marks an argument with '!', which only predicates can do",
                code=FaultCode.UNSUPPORTED,
            )
        signature.functions[name] = Function(name, returns, types)
    else:
        signature.predicates[name] = Predicate(name, types, marked)


def _arguments(tokens: Sequence[str], at: int) -> tuple[tuple[str, ...], frozenset[int]]:
    types: list[str] = []
    marked: set[int] = set()
    if at == len(tokens) or (tokens[at : at + 2] == ["(", ")"] and at + 2 == len(tokens)):
        return (), frozenset()
    while at < len(tokens) and tokens[at] in "(,":
        at += 1
        if at == len(tokens) or not is_word(tokens[at]):
            raise Wrong(
                at,
                "an argument of a declaration is the name of a type",
                "for example goal(time, goal!)",
                code=FaultCode.BAD_SYNTAX,
            )
        types.append(tokens[at])
        at += 1
        if at < len(tokens) and tokens[at] == "!":
            marked.add(len(types) - 1)
            at += 1
    if tokens[at:] != [")"]:
        raise Wrong(
            at,
            "a declaration lists types with commas between them",
            "for example goal(time, goal!)",
            code=FaultCode.BAD_SYNTAX,
        )
    return tuple(types), frozenset(marked)


def _declare_type(tokens: Sequence[str], signature: Signature) -> None:
    kind = tokens[0]
    names = signature.declared.setdefault(kind, {})  # several lists for one type add up, as in Alchemy
    names.update(dict.fromkeys(listed(tokens)))


def listed(tokens: Sequence[str]) -> list[str]:
    """Return the constants of ``person = {Anna, Bob}`` or ``time = {0,...,13}``."""
    if tokens[-1] != "}":
        raise Wrong(len(tokens), "the list of constants does not end with '}'", code=FaultCode.BAD_SYNTAX)
    names: list[str] = []
    at = 3
    while at < len(tokens) - 1:
        if tokens[at] == "...":
            names += _range(tokens, at, names)
            at += 3
        else:
            name, at = _listed_name(tokens, at)
            names.append(name)
        if tokens[at] not in (",", "}"):
            raise Wrong(
                at,
                f"found {tokens[at]!r} in a list of constants",
                "separate names with commas, or quote them",
                code=FaultCode.BAD_SYNTAX,
            )
        at += 1
    return names


def _listed_name(tokens: Sequence[str], at: int) -> tuple[str, int]:
    if tokens[at] == "-" and tokens[at + 1][0].isdigit():
        return f"-{tokens[at + 1]}", at + 2
    if tokens[at][0].isalnum() or tokens[at][0] in "_\"'":
        return unquoted(tokens[at]), at + 1
    raise Wrong(
        at,
        f"found {tokens[at]!r} where a constant should stand",
        "quote names with other signs",
        code=FaultCode.BAD_SYNTAX,
    )


def _range(tokens: Sequence[str], at: int, names: list[str]) -> list[str]:
    last = tokens[at + 2] if tokens[at + 1] == "," and at + 2 < len(tokens) else ""
    if not names or not whole(names[-1]) or not whole(last):
        raise Wrong(at, "'...' stands between two whole numbers", "for example {0,...,13}", code=FaultCode.BAD_SYNTAX)
    if not 0 <= int(last) - int(names[-1]) <= MOST_IN_RANGE:
        raise Wrong(at, f"a range from {names[-1]} to {last} has no numbers, or too many", code=FaultCode.OUT_OF_RANGE)
    return [str(number) for number in range(int(names[-1]) + 1, int(last) + 1)]
