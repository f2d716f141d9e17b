"""Functions of the game, with what a planner may know about them: ``constant``, ``table`` and ``vectorised``.

A plain function is asked at most once a plan for the same arguments, one question at a time. These say that it can be
asked less often, or for many arguments at once; expressions call all of them alike.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from telos.core.errors import TelosError
from telos.core.values import MAX_FLOAT, Value

MAX_TABLE_VALUES = 4_000_000

Arguments = tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class GameFunction:
    """A function of the game and what is known about it; made by ``constant``, ``table`` and ``vectorised``."""

    function: Callable[..., Any]
    is_constant: bool = False  # the same arguments always give the same value
    is_vectorised: bool = False  # takes a list for each argument, and returns a value for each place
    values: Mapping[Arguments, float] | None = None  # all of them, if it is a table

    def __call__(self, *arguments: Value) -> Any:
        """Return the value for one set of arguments."""
        if self.is_vectorised:
            return self.ask([arguments])[0]
        return self.function(*arguments)

    def ask(self, questions: Sequence[Arguments]) -> list[Any]:
        """Return the values for several sets of arguments; a vectorised function is called once."""
        if not self.is_vectorised:
            return [self.function(*arguments) for arguments in questions]
        values = self.function(*map(list, zip(*questions, strict=True))) if questions[0] else self.function()
        answers = values.tolist() if hasattr(values, "tolist") else list(values)
        if len(answers) != len(questions):
            raise TelosError(
                f"it returned {len(answers)} values for {len(questions)} sets of arguments",
                "a vectorised function returns one value for each place of its lists",
            )
        return answers


def constant(function: Callable[..., Any]) -> GameFunction:
    """Declare that a function always returns the same value for the same arguments: it is asked once, ever.

    >>> distance = constant(lambda a, b: abs(len(a) - len(b)))
    >>> distance("inn", "forge")
    2
    """
    made = as_game_function(function)
    return GameFunction(made.function, True, made.is_vectorised, made.values)


def vectorised(function: Callable[..., Any]) -> GameFunction:
    """Declare that a function takes a list for each of its arguments and returns a value for each place.

    The planner asks it all questions of a moment at once. ``constant(vectorised(function))`` is both.

    >>> distances = vectorised(lambda sources, targets: [abs(len(a) - len(b)) for a, b in zip(sources, targets)])
    >>> distances("inn", "forge"), distances.ask([("inn", "forge"), ("a", "b")])
    (2, [2, 0])
    """
    made = as_game_function(function)
    if made.values is not None:
        raise TelosError("a table is not called", "give vectorised() a function")
    return GameFunction(made.function, made.is_constant, True)


def table(values: Any, *handles: Sequence[Value]) -> GameFunction:
    """Return a function whose values are all known: the planner looks them up and never calls anything.

    ``values`` maps arguments to values (``{("inn", "forge"): 4.0}``). With ``handles``, a list for each argument or one
    list for all, it may also be a matrix in their order, or a function, which is called for all combinations now.

    >>> distance = table([[0, 4], [4, 0]], ["inn", "forge"])
    >>> distance("inn", "forge")
    4.0
    >>> table({("inn",): 3})("forge")
    Traceback (most recent call last):
    ...
    telos.core.errors.TelosError: the table has no value for ('forge',); give one, or a function for such arguments
    """
    known = _read_table(values, handles)

    def look_up(*arguments: Value) -> float:
        found = known.get(arguments)
        if found is None:
            raise TelosError(
                f"the table has no value for {_short(arguments)}", "give one, or a function for such arguments"
            )
        return found

    return GameFunction(look_up, True, False, known)


def as_game_function(function: Callable[..., Any]) -> GameFunction:
    """Return a function with what is known about it: of a plain one, nothing."""
    if isinstance(function, GameFunction):
        return function
    if not callable(function):
        raise TelosError(f"{function!r} is not a function", "register something that can be called")
    return GameFunction(function)


def _read_table(values: Any, handles: Sequence[Sequence[Value]]) -> dict[Arguments, float]:
    if isinstance(values, Mapping):
        rows = {(key if isinstance(key, tuple) else (key,)): value for key, value in values.items()}
    elif not handles:
        raise TelosError("a table needs the names of its rows and columns", "table(matrix, places)")
    else:
        try:
            rows = _read_rows(values, handles)
        except TypeError as error:
            raise TelosError(
                f"the values are not a table of the handles: {error}",
                "give a list of handles for each argument, and a matrix in their order or a function",
            ) from error
    return {arguments: _check_number(arguments, value) for arguments, value in rows.items()}


def _read_rows(values: Any, handles: Sequence[Sequence[Value]]) -> dict[Arguments, Any]:
    if callable(values) and len(handles) == 1:
        raise TelosError("a table of a function needs a list for each argument", "table(function, places, places)")
    lists = [list(each) for each in handles]
    for each in lists:
        if twice := [handle for handle, count in Counter(each).items() if count > 1]:
            raise TelosError(f"the table has the handle {twice[0]!r} twice", "give each row and column a handle")
    if not callable(values):
        values = values.tolist() if hasattr(values, "tolist") else values
        if len(lists) == 1 and len(values) and isinstance(values[0], Sequence):
            lists *= 2
    if math.prod(map(len, lists)) > MAX_TABLE_VALUES:
        raise TelosError(f"the table has more than {MAX_TABLE_VALUES:,} values", "register a function instead")
    if callable(values):
        return {arguments: values(*arguments) for arguments in itertools.product(*lists)}
    return dict(zip(itertools.product(*lists), _flatten(values, [len(each) for each in lists]), strict=True))


def _flatten(values: Any, shape: Sequence[int]) -> list[Any]:
    if len(values) != shape[0]:
        raise TelosError(f"the table has {len(values)} rows or columns for {shape[0]} handles")
    return list(values) if len(shape) == 1 else [each for row in values for each in _flatten(row, shape[1:])]


def _check_number(arguments: Arguments, value: Any) -> float:
    if hasattr(value, "item") and getattr(value, "size", 1) == 1:
        value = value.item()  # of NumPy
    if isinstance(value, bool):
        return value  # effects set switches to it
    if not isinstance(value, int | float) or not -MAX_FLOAT <= value <= MAX_FLOAT:
        raise TelosError(f"the table has {value!r} for {_short(arguments)}", "give finite numbers")
    return float(value)


def _short(arguments: Arguments) -> str:
    text = repr(arguments)
    return text if len(text) <= 80 else f"{text[:77]}..."
