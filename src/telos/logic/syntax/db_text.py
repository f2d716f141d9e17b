"""Databases to text: one fact a line, worlds with ``---`` between them."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from telos.logic.database import Database, Facts
from telos.logic.model import MarkovLogic
from telos.logic.syntax.writer import constant_text


def db_text(database: Database, model: MarkovLogic) -> str:
    r"""Return a database as the text of a ``.db`` file, facts in the order in which the model declares predicates.

    >>> from telos.logic.syntax.db import parse_db
    >>> from telos.logic.syntax.mln import parse_mln
    >>> model = parse_mln("Smokes(person)")
    >>> print(db_text(parse_db("!Smokes(Bob)\nSmokes(Anna)", model), model))
    // world
    Smokes(Anna)
    !Smokes(Bob)
    <BLANKLINE>
    """
    types = {name: predicate.types for name, predicate in model.predicates.items()}
    types |= {name: (*function.types, function.returns) for name, function in model.functions.items()}
    words = {kind: [constant_text(name) for name in names] for kind, names in database.constants.items()}
    worlds = [[f"// {name}"] for name in database.worlds]
    for kind, rows in _unsaid(database, types).items():
        for world in dict.fromkeys(rows[:, 0].tolist()):
            names = [words[kind][code] for code in rows[rows[:, 0] == world, 1].tolist()]
            worlds[world].append(f"{kind} = {{{','.join(names)}}}")
    for world, line in _lines(database, types, words):
        worlds[world].append(line)
    return "---\n".join("\n".join(lines) + "\n" for lines in worlds)


def _lines(
    database: Database, types: Mapping[str, tuple[str, ...]], words: Mapping[str, Sequence[str]]
) -> Iterator[tuple[int, str]]:
    for name, kinds in types.items():
        for sign, part in (("", database.true), ("!", database.false)):
            for world, names in _rows(part.get(name), kinds, words):
                yield world, f"{sign}{name}({','.join(names)})" if kinds else f"{sign}{name}"
        for world, names in _rows(database.functions.get(name), kinds, words):
            yield world, f"{names[-1]} = {name}({','.join(names[:-1])})"


def _rows(
    facts: Facts | None, kinds: tuple[str, ...], words: Mapping[str, Sequence[str]]
) -> Iterator[tuple[int, list[str]]]:
    if facts is not None:
        for world, codes in zip(facts.world.tolist(), facts.arguments.tolist(), strict=True):
            yield world, [words[kind][code] for kind, code in zip(kinds, codes, strict=True)]


def _unsaid(database: Database, types: Mapping[str, tuple[str, ...]]) -> dict[str, np.ndarray]:
    """Return the constants that are present in a world though no fact of it mentions them."""
    said: dict[str, set[tuple[int, int]]] = {}
    for part in (database.true, database.false, database.functions):
        for name, facts in part.items():
            for place, kind in enumerate(types[name]):
                said.setdefault(kind, set()).update(
                    zip(facts.world.tolist(), facts.arguments[:, place].tolist(), strict=True)
                )
    unsaid = {}
    for kind, rows in database.present.items():
        left = [row for row in rows.tolist() if tuple(row) not in said.get(kind, ())]
        if left:
            unsaid[kind] = np.array(left)
    return unsaid
