"""The game's functions while planning: which calls a search needs, their values, and the time that they take.

``FunctionAnswers`` asks the functions of a domain and keeps the values of constant ones; ``SearchCalls`` is the side
of one search: the kernel's index of a call, its arguments, its value.
"""

import time
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import isfinite
from typing import Any, TypeAlias

from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.core.expressions import BUILT_IN
from telos.core.state import State
from telos.core.values import Value, check_finite
from telos.planning.encoding import HandleTable
from telos.planning.functions import GameFunction, as_game_function
from telos.planning.operators import GameCall, decode_value
from telos.planning.task import CompiledTask

# A call of a game function, and values of such calls.
Question: TypeAlias = tuple[str, tuple[Value, ...]]
CallbackCache: TypeAlias = dict[Question, float]

MAX_EXACT = 2**53  # whole numbers up to here are exact as floats
MAX_MEANINGS = 8  # of the calls of a task, whose decoded calls are kept
_CACHE_KEY = "game functions"


class FunctionAnswers:
    """Asks the functions of a domain; values of constant ones are kept for all its planners.

    ``calls`` and ``seconds`` say how often the game was asked, and how long it took.
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._constants: CallbackCache = {}
        self.calls = 0
        self.seconds = 0.0

    @classmethod
    def of(cls, domain: Domain) -> "FunctionAnswers":
        """Return the answers of a domain, which its planners share."""
        found: FunctionAnswers | None = domain.cache.get(_CACHE_KEY)
        if found is None:
            found = domain.cache.setdefault(_CACHE_KEY, cls(domain))
        return found

    def is_constant(self, function: str) -> bool:
        """Whether the values of a function never change."""
        found = self._domain.layout.functions.get(function)
        return isinstance(found, GameFunction) and found.is_constant

    def table(self, function: str) -> Mapping[tuple[Value, ...], float] | None:
        """Return all values of a function that is a table, else None."""
        found = self._domain.layout.functions.get(function)
        return found.values if isinstance(found, GameFunction) else None

    def ask(self, questions: Iterable[Question], called: CallbackCache, deadline: float | None = None) -> CallbackCache:
        """Return the values of calls; past the deadline, those that are known by then.

        What is in ``called`` is not asked again; new values of functions that are not constant are added to it.
        """
        found: CallbackCache = {}
        waiting: dict[str, dict[Question, None]] = {}  # each question once
        for question in questions:
            if question in called:
                found[question] = called[question]
            elif question in self._constants:
                found[question] = self._constants[question]
            else:
                waiting.setdefault(question[0], {})[question] = None
        for name, asked in waiting.items():
            values = self._call(name, list(asked), deadline)
            found |= values
            keep = self._constants if self.is_constant(name) else called
            keep |= values
        return found

    def _call(self, name: str, asked: Sequence[Question], deadline: float | None) -> CallbackCache:
        """Call one function: for all questions at once if it takes many, else until the deadline."""
        functions = self._domain.layout.functions
        if name not in functions:
            known = name_hint(name, [*functions, *BUILT_IN])
            raise TelosError(f"function {name!r} is not registered", f"pass functions={{{name!r}: ...}} ({known})")
        function = as_game_function(functions[name])
        found: CallbackCache = {}
        start = time.perf_counter()
        question = asked[0]
        try:
            if function.is_vectorised:
                answers = function.ask([arguments for _, arguments in asked])
                for question, value in zip(asked, answers, strict=True):
                    found[question] = self._check(question, value)
                self.calls += 1
                return found
            call = function.function
            for question in asked:
                value = call(*question[1])
                self.calls += 1
                found[question] = self._check(question, value)
                if deadline is not None and time.perf_counter() >= deadline:
                    break
        except _BadValue as error:
            raise error.error from None
        except Exception as error:
            message = f"raised {type(error).__name__}: {error}"
            raise TelosError(f"{self._describe(question)} {message}") from error
        finally:
            self.seconds += time.perf_counter() - start
        return found

    def _check(self, question: Question, value: Any) -> float:
        if value.__class__ is float and isfinite(value):
            return value  # fast path: no error message is formatted
        if hasattr(value, "item"):
            value = value.item()  # of NumPy
        if value.__class__ in (int, bool) and abs(value) < MAX_EXACT:
            return float(value)
        try:
            return check_finite(self._describe(question), value)
        except TelosError as error:
            raise _BadValue(error) from None

    def _describe(self, question: Question) -> str:
        name, arguments = question
        users = ", ".join(repr(each) for each in self._domain.users_of(name))
        return f"{users}: {name}({', '.join(map(repr, arguments))})"


class _BadValue(Exception):
    """A value that no function may return; ``error`` says why."""

    def __init__(self, error: TelosError) -> None:
        super().__init__(str(error))
        self.error = error


class SearchCalls:
    """The game's side of one search; see ``telos.planning.search.GameCalls``."""

    def __init__(
        self,
        answers: FunctionAnswers,
        decoded: "DecodedCalls",
        state: State,
        handles: HandleTable,
        called: CallbackCache,
    ) -> None:
        self._answers, self._compiled = answers, decoded.compiled
        self._state, self._handles, self._called = state, handles, called
        self.meaning: Hashable = (handles.signature, tuple(state[name] for name in decoded.fixed_arguments))
        self._questions = decoded.questions(self.meaning)
        self._constant = {name for name in decoded.functions if answers.is_constant(name)}
        self.are_constant = len(self._constant) == len(decoded.functions)

    def known(self) -> Iterator[tuple[int, float]]:
        """Yield the values of tables."""
        task = self._compiled.kernel_task
        for call, start in zip(self._compiled.game_calls, task.table_from, strict=True):
            values = self._answers.table(call.function)
            if values is None:
                continue
            sizes = [range(self._compiled.encoding.sizes[name]) for name in call.variables]
            for number, codes in enumerate(product(*sizes)):
                value = values.get(self._arguments(call, dict(zip(call.variables, codes, strict=True))))
                if value is not None:
                    yield start + number, float(value)

    def is_constant(self, index: int) -> bool:
        """Whether a call's value never changes."""
        return bool(self._constant) and self._question(index)[0] in self._constant

    def answer(self, indices: Sequence[int], deadline: float | None = None) -> dict[int, float]:
        """Return the values of calls; past the deadline, of some of them."""
        questions = [self._question(index) for index in indices]
        found = self._answers.ask(questions, self._called, deadline)
        return {index: found[question] for index, question in zip(indices, questions, strict=True) if question in found}

    def _question(self, index: int) -> Question:
        """Return the call that an index stands for, with its arguments."""
        question = self._questions.get(index)
        if question is None:
            question = self._questions[index] = self._decode(index)
        return question

    def _decode(self, index: int) -> Question:
        compiled = self._compiled
        table_from = compiled.kernel_task.table_from
        table = bisect_right(table_from, index) - 1
        call = compiled.game_calls[table]
        rest, codes = index - table_from[table], dict[str, int]()
        for name in reversed(call.variables):
            rest, codes[name] = divmod(rest, compiled.encoding.sizes[name])
        return call.function, self._arguments(call, codes)

    def _arguments(self, call: GameCall, codes: Mapping[str, int]) -> tuple[Value, ...]:
        arguments = list[Value]()
        for argument in call.arguments:
            if argument.variable in codes:
                kind = self._state.layout.variable(argument.variable).type
                arguments.append(decode_value(kind, codes[argument.variable], self._handles))
            elif argument.variable:
                arguments.append(self._state[argument.variable])
            elif argument.kind:
                arguments.append(self._handles.decode(argument.kind, argument.code))
            else:
                arguments.append(argument.value)
        return tuple(arguments)


class DecodedCalls:
    """The calls of a task by index, as far as they were decoded, for each meaning of the indices."""

    def __init__(self, compiled: CompiledTask) -> None:
        self.compiled = compiled
        self.functions = frozenset(call.function for call in compiled.game_calls)
        names = (each.variable for call in compiled.game_calls for each in call.arguments if each.variable)
        changing = {name for call in compiled.game_calls for name in call.variables}
        # The variables that calls read and no action changes.
        self.fixed_arguments = tuple(dict.fromkeys(name for name in names if name not in changing))
        self._questions: OrderedDict[Hashable, dict[int, Question]] = OrderedDict()

    def questions(self, meaning: Hashable) -> dict[int, Question]:
        """Return the decoded calls for a meaning; to be added to."""
        found = self._questions.get(meaning)
        if found is None:
            found = self._questions[meaning] = {}
            while len(self._questions) > MAX_MEANINGS:
                self._questions.popitem(last=False)
        return found
