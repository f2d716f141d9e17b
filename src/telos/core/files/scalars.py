"""Plain YAML words to values, by the core schema of YAML 1.2.

Ours rather than the library's, because YAML 1.1 reads ``yes``, ``no``, ``on`` and ``off`` as true and false, ``1:30``
as 90, and a date as a date: none of it what a designer means.
"""

import re
from typing import Any

MOST_DIGITS = 18  # of a whole number: what fits 64 bits. Longer ones are read as floats, in linear time

_WORDS: dict[str, Any] = {"": None, "~": None}
for _value, _word in ((None, "null"), (True, "true"), (False, "false")):
    _WORDS |= dict.fromkeys((_word, _word.capitalize(), _word.upper()), _value)
for _word in ("inf", "Inf", "INF"):
    _WORDS |= {f".{_word}": float("inf"), f"+.{_word}": float("inf"), f"-.{_word}": float("-inf")}
_WORDS |= dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan"))

_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_OTHER_BASE = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_ESCAPE = re.compile(r"\\(?:x..|u.{4}|U.{8}|.)|.", re.DOTALL)


def resolve(word: str) -> Any:
    """Return the value of an unquoted word.

    >>> [resolve(word) for word in ("true", "yes", "~", "0x1f", "1e3", "ammo >= 1")]
    [True, 'yes', None, 31, 1000.0, 'ammo >= 1']
    """
    if word in _WORDS:
        return _WORDS[word]
    if word[0] not in "+-.0123456789":
        return word  # most words: an expression, a name, a type
    if len(word) <= MOST_DIGITS:
        if _INTEGER.match(word):
            return int(word)
        if _OTHER_BASE.match(word):
            return int(word, base=0)
    return float(word) if _FLOAT.match(word) else word


def width(source: str, offset: int) -> int:
    r"""Return how many characters of ``source``, a scalar as written, come before character ``offset`` of its value.

    A scalar over several lines has no ``source``: we point at its start.

    >>> width("ammo >= 1", 5), width("'ammo >= 1'", 5), width(r'"a\tb"', 2)
    (5, 6, 4)
    """
    quote = source[:1]
    if quote == "'":
        inside = re.findall(r"''|.", source[1:-1], re.DOTALL)
    elif quote == '"':
        inside = _ESCAPE.findall(source[1:-1])
    else:
        return offset if source else 0
    return 1 + sum(len(character) for character in inside[:offset])
