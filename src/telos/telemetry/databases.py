"""A corpus as a database of Markov logic: a world for each sequence, facts for each of its steps."""

from collections.abc import Mapping

import numpy as np

from telos.core.errors import TelosError, name_hint
from telos.logic.database import Codes, Database, database_from_arrays
from telos.logic.model import MarkovLogic
from telos.logic.syntax import format_db
from telos.telemetry.corpus import Corpus
from telos.telemetry.tables import guard_polars, pl


@guard_polars("the corpus cannot be stated as facts")
def to_database(
    corpus: Corpus, predicates: Mapping[str, str], *, goal: str = "goal", model: MarkovLogic | None = None
) -> Database:
    """Return the facts of a corpus: ``{"loc": "place"}`` makes ``loc(3, Camp)`` of step 3 with Camp in column place.

    ``goal`` is the predicate of the labels; none if empty. A world is a player, or ``player/session``; time is the
    step, from 0. A column of true and false makes facts of time alone, ``in_town(3)``. Cells without a value state
    nothing. The types of arguments are those that ``model`` declares, or else ``time`` and the predicate's name.
    """
    frame, wanted = corpus.frame, {**predicates, **({goal: "goal"} if goal else {})}
    for column in wanted.values():
        if column not in frame.columns:
            raise TelosError(f"there is no column {column!r} in the corpus", name_hint(column, frame.columns))
        if frame[column].dtype.is_nested():
            raise TelosError(f"column {column!r} holds {frame[column].dtype}, and constants are names", "take another")
    types = {predicate: _types(predicate, frame[column], model) for predicate, column in wanted.items()}
    constants = _constants(frame, wanted, types)
    world = frame.select(pl.struct("player", "session").rle_id().cast(pl.Int32)).to_series().to_numpy()
    steps = frame["step"].to_numpy()
    facts = {
        predicate: _facts(frame[column], [constants[kind] for kind in types[predicate][1:]], world, steps)
        for predicate, column in wanted.items()
    }
    return database_from_arrays(_worlds(frame, world), constants, facts, types=types)


def facts_text(corpus: Corpus, model: MarkovLogic) -> str:
    """Return a corpus as the text of a ``.db`` file: the facts of those predicates of a model that are its columns."""
    found = [name for name in model.predicates if name != "goal" and name in corpus.frame.columns]
    if not found:
        columns = ", ".join(corpus.frame.columns)
        raise TelosError(f"no predicate of the model is a column of the corpus ({columns})", "name its columns alike")
    return format_db(to_database(corpus, {name: name for name in found}, model=model), model)


def _types(predicate: str, column: pl.Series, model: MarkovLogic | None) -> tuple[str, ...]:
    """Return the types of a predicate's arguments."""
    if model is None:
        return ("time",) if column.dtype == pl.Boolean else ("time", predicate)
    if predicate not in model.predicates:
        raise TelosError(f"the model has no predicate {predicate!r}", name_hint(predicate, model.predicates))
    types = model.predicates[predicate].types
    arguments = 1 if column.dtype == pl.Boolean else 2
    if len(types) != arguments:
        said = f"{predicate}({', '.join(types)})"
        remedy = "take another column or predicate"
        raise TelosError(f"column {column.name!r} gives {arguments} arguments, and the model declares {said}", remedy)
    return types


def _constants(
    frame: pl.DataFrame, wanted: Mapping[str, str], types: Mapping[str, tuple[str, ...]]
) -> dict[str, list[str]]:
    """Return the constants of each type; columns of one type share theirs."""
    columns: dict[str, list[pl.Series]] = {}
    for predicate, column in wanted.items():
        for kind in types[predicate][1:]:
            columns.setdefault(kind, []).append(frame[column].cast(pl.String).rename(""))
    last = frame["step"].max() if frame.height else -1
    assert isinstance(last, int)
    times = [str(step) for step in range(last + 1)]  # so that a step is its own code
    return {
        **dict.fromkeys((each[0] for each in types.values()), times),
        **{kind: _distinct(parts) for kind, parts in columns.items()},
    }


def _distinct(columns: list[pl.Series]) -> list[str]:
    # Each column by itself first: several long ones need not be held as one.
    once = [column.unique(maintain_order=True) for column in columns]
    return pl.concat(once).unique(maintain_order=True).drop_nulls().to_list()


def _worlds(frame: pl.DataFrame, world: Codes) -> list[str]:
    names = frame.select("player", "session").filter(pl.Series(np.diff(world, prepend=-1) != 0)).rows()
    return [f"{player}/{session}" if session else player for player, session in names]


def _facts(column: pl.Series, names: list[list[str]], world: Codes, steps: Codes) -> tuple[Codes, Codes]:
    """Return the worlds and arguments of the facts that a column states; ``names`` are the constants of its values."""
    if not names:
        holds = column.fill_null(False).to_numpy()
        return world[holds], steps[holds][:, None]
    places = list(range(len(names[0])))
    coded = column.cast(pl.String).replace_strict(names[0], places, default=None, return_dtype=pl.Int32)
    holds = coded.is_not_null().to_numpy()
    return world[holds], np.stack([steps[holds], coded.drop_nulls().to_numpy()], axis=1)
