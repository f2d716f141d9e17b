"""RecognizerDefinition: a parsed recogniser file with what all kinds have in common (goals, vocabulary, clock)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

from telos.core.conditions import ALWAYS, Condition
from telos.core.errors import DefinitionError, Fault, FaultCode, KeyPath, TelosError, name_hint
from telos.core.expressions import Expression, Literal, parse_expression
from telos.core.values import Type
from telos.files.definition import Definition
from telos.files.schema import parse_duration
from telos.files.yaml import read_yaml
from telos.recognition.distributions import OTHERS, SHARED
from telos.recognition.files.schema import (
    ADVENTURE_WORD,
    ANY_EXIT,
    EXITS,
    OPEN_WORD,
    TOWARDS,
    IohmmShape,
    RecognizerShape,
    find_shape,
    key_findings,
    parse_chance,
    read_kind,
)
from telos.recognition.filtering import TICK, Clock
from telos.recognition.recognizer import RESERVED_GOALS
from telos.recognition.vocabulary import ADVENTURE, ContextReader, Vocabulary, condition_faults

_VOCABULARY_KEYS = ("vocabulary", "context", "actions", "moments", "goals")
MAX_FILE_GOALS = 200  # a model holds a chance for each goal to follow each
Built = TypeVar("Built")
ConditionFaults: TypeAlias = Callable[[Condition, Vocabulary, tuple[str, ...]], list[Fault]]


class RecognizerDefinition(Definition[RecognizerShape]):
    """The valid entries of a recogniser file: its goals, the vocabulary of its game and its clock, and all faults.

    ``shapes`` gives the schema for each word that may stand after ``recognizer:``.
    """

    def __init__(self, text: str, file: str, shapes: Mapping[str, type[RecognizerShape]]) -> None:
        data = read_yaml(text, file).data
        self.shape, unknown = find_shape(data, shapes)
        super().__init__(text, file, self.shape, "a recogniser file")
        if unknown:
            self.faults = [each for each in self.faults if each.path != ("recognizer",)]
            self.add(unknown)
        for finding in key_findings(data):
            # A row under an unknown key is reported by its key alone.
            self.faults = [each for each in self.faults if not _is_under(each.path, finding.fault.path)]
            self.faults = [each for each in self.faults if each.path != finding.meant]
            found = finding.fault
            self.fault(found.message, found.path, found.suggestion, at_key=True, code=found.code)
        self.goals = self._read_goals()
        self.vocabulary = self._read_vocabulary()
        # Conditions are checked only if the names that they may use are known.
        self.is_vocabulary_known = not any(map(self.is_touched, _VOCABULARY_KEYS))

    # --- faults -------------------------------------------------------------------------------------------------------

    def add(self, fault: Fault, *, at_key: bool = False) -> None:
        """Add a fault at the position of its path and offset; the entry stays usable for further checks."""
        self.faults.append(self.document.locate(fault, at_key=at_key))

    def report(
        self,
        message: str,
        path: KeyPath,
        suggestion: str,
        *,
        at_key: bool = False,
        code: FaultCode = FaultCode.INVALID,
    ) -> None:
        """Add a fault with these words; unlike after ``fault``, the entry stays usable for further checks."""
        self.add(Fault(message, suggestion=suggestion, path=path, code=code), at_key=at_key)

    def add_all(self, faults: Iterable[Fault]) -> None:
        """Add faults: those of a number at the number, all others at the key."""
        for fault in faults:
            self.add(fault, at_key=fault.code is not FaultCode.NOT_A_PROBABILITY)

    def build(self, path: KeyPath, make: Callable[[], Built], default: Built) -> Built:
        """Return ``make()``; if it raises, add the errors as faults of the entry at ``path`` and return ``default``."""
        try:
            return make()
        except DefinitionError as error:
            self.add_all(fault.at(*path) for fault in error.faults)
        except TelosError as error:
            self.add(Fault(error.message, suggestion=error.remedy, path=path), at_key=True)
        return default

    # --- entries ------------------------------------------------------------------------------------------------------

    def condition(self, path: KeyPath, faults_of: ConditionFaults = condition_faults) -> Condition:
        """Return the condition at ``path``; after a fault in it, one that always holds."""
        written = self.entry(*path, default=True)
        if isinstance(written, bool):
            return ALWAYS if written else Condition(Literal(False))
        try:
            condition = Condition(parse_expression(written))
        except DefinitionError as error:
            for fault in error.faults:
                self.add(replace(fault, path=path))
            return ALWAYS
        faults = faults_of(condition, self.vocabulary, self.goals) if self.is_vocabulary_known else []
        for fault in faults:
            self.add(replace(fault, path=path, text=written))
        return ALWAYS if faults else condition

    def row(self, path: KeyPath) -> dict[str, float | str] | None:
        """Return the chances at ``path`` as numbers; None if the row is missing or one of them is faulty."""
        if self.entry(*path) is None or self.is_touched(*path):
            return None
        found: dict[str, float | str] = {}
        for where, written in list(self.items(*path)):
            name = str(where[-1])
            chance = parse_chance(written)
            if (name == OTHERS) != (written == SHARED):
                remedy = f"write `{OTHERS}: {SHARED}`, or a chance"
                self.fault(f"{name!r} is {written!r}", where, remedy, code=FaultCode.WRONG_TYPE)
            elif chance is not None and chance > 1:
                self.fault(f"{written!r} is more than 1", where, "a chance is at most 1", code=FaultCode.OUT_OF_RANGE)
            else:
                found[name] = written if chance is None else float(chance)
        return None if self.is_touched(*path) else found

    def check_goal(self, path: KeyPath, name: str, *, at_key: bool) -> bool:
        """Whether ``name`` is a goal of the file; if not, add a fault."""
        if name in self.goals or self.is_touched("goals"):
            return name in self.goals
        self.fault(
            f"unknown goal {name!r}", path, name_hint(name, self.goals), at_key=at_key, code=FaultCode.UNKNOWN_NAME
        )
        return False

    def read_clock(self) -> Clock | None:
        """Return which events count; by default all but ticks. None for an open vocabulary without a clock."""
        if self.vocabulary.is_open and self.entry("clock") is None and not self.is_touched("clock"):
            return None
        cause = self.vocabulary.context.get("cause")
        events = tuple(label for label in cause.labels if label != TICK) if cause is not None else ()
        every, on = self.entry("clock", "every"), self.entry("clock", "on", default=events or Clock().on)
        for where, written in list(self.items("clock", "on")):
            if cause is not None and cause.labels and written not in cause.labels:
                remedy = name_hint(written, cause.labels)
                self.fault(f"unknown cause {written!r}", where, remedy, code=FaultCode.UNKNOWN_NAME)
        if self.is_touched("clock"):
            return Clock()
        return self.build(("clock",), lambda: Clock(on, None if every is None else parse_duration(every)), Clock())

    def _read_goals(self) -> tuple[str, ...]:
        found: list[str] = []
        written = list(self.items("goals"))
        if len(written) > MAX_FILE_GOALS:
            message, remedy = f"there are {len(written)} goals", f"name at most {MAX_FILE_GOALS}"
            self.fault(message, ("goals",), remedy, at_key=True, code=FaultCode.TOO_LARGE)
            return ()
        for where, goal in written:
            if goal in found:
                self.report(f"goal {goal!r} is listed twice", where, "leave one out", code=FaultCode.DUPLICATE)
            elif goal in RESERVED_GOALS:
                remedy = "choose another name: these files reserve it"
                self.fault(f"{goal!r} cannot be a goal", where, remedy, code=FaultCode.BAD_NAME)
            else:
                found.append(goal)
        if self.entry("goals") == []:
            self.fault("there are no goals", ("goals",), "name two or more", at_key=True, code=FaultCode.EMPTY)
        return tuple(found)

    def close_actions(self, actions: Sequence[str]) -> None:
        """Allow these actions only, unless the file lists them: every look gives all chances to them."""
        words = self.vocabulary
        if not words.actions:
            self.vocabulary = Vocabulary(actions, words.context, moments=words.moments, is_open=words.is_open)

    # --- vocabulary ---------------------------------------------------------------------------------------------------

    @property
    def is_of_the_adventure(self) -> bool:
        """Whether the file asks for the words of the adventure."""
        return bool(self.entry("vocabulary") == ADVENTURE_WORD)

    def _read_vocabulary(self) -> Vocabulary:
        base = ADVENTURE if self.is_of_the_adventure else Vocabulary()
        actions = tuple(action for _, action in self.items("actions")) or base.actions
        kinds = {str(path[-1]): read_kind(self, path, kind) for path, kind in list(self.items("context"))}
        valid = [name for name in kinds if not self.is_touched("context", name)]
        context = {**base.context, **{name: Type.of(kinds[name]) for name in valid}}
        has_context = isinstance(self.document.data, dict) and "context" in self.document.data
        is_open = self.entry("vocabulary", default="" if has_context else OPEN_WORD) == OPEN_WORD
        if is_open:
            context = self._read_conditions(context)
        moments = self.entry("moments", default=base.moments)
        named = [name for name in moments if isinstance(name, str)]
        for i, name in enumerate(named):
            if name not in context and not self.is_touched("context"):
                remedy = name_hint(name, context)
                self.fault(f"unknown context {name!r}", ("moments", i), remedy, code=FaultCode.UNKNOWN_NAME)
        known = [name for name in named if name in context]
        return self.build(
            ("context",), lambda: Vocabulary(actions, context, moments=known, is_open=is_open), Vocabulary()
        )

    def _read_conditions(self, listed: Mapping[str, Type]) -> dict[str, Type]:
        """Return the listed context with the entries that the conditions of the file read, typed by their use."""
        reader = ContextReader(listed)
        for entry in self.headings():
            reader.add(entry, "edges")
        for entry in self.measured():
            reader.add(entry, "number")
        found = [(path, expression) for path, text in self._condition_texts() if (expression := _parsed(text))]
        for path, expression in found:
            reader.read(expression, self.goals if path[0] == "director" else ())
        for expression in self._pay_formulas():
            reader.read(expression, [*self.goals, *(f"belief.{goal}" for goal in self.goals)], wanted="number")
        for path, expression in found:
            for fault in reader.faults(expression):
                self.add(replace(fault, path=path, text=str(self.entry(*path))))
        if self.entry("clock") is not None:
            reader.add("cause", "text")
        return reader.context()

    def _pay_formulas(self) -> Iterator[Expression]:
        """Yield the formulas of pay that can be parsed."""
        for path, _ in list(self.items("director")):
            pay = self.entry(*path, "pay")
            for factor in list(pay.values()) if isinstance(pay, dict) else (pay,):
                formula = _parsed(factor) if isinstance(factor, str) else None
                if formula is not None:
                    yield formula

    def _condition_texts(self) -> Iterator[tuple[KeyPath, str]]:
        """Yield the conditions of the file, with their paths."""
        for path, _ in list(self.items("measures")):
            if isinstance(self.entry(*path, "if"), str):
                yield (*path, "if"), self.entry(*path, "if")
        places = [("transitions", "when"), ("rules",), ("director",), ("outcomes",), ("observations",)]
        for top in places:
            for path, written in list(self.items(*top)):
                if isinstance(written, str):
                    if top != ("observations",) or issubclass(self.shape, IohmmShape):
                        yield path, written
                    continue
                listed = list(self.items(*path)) if isinstance(written, list) else []
                rules = [(path, written)] if isinstance(written, dict) else listed
                for where, rule in rules:
                    for key in ("if", "until"):
                        if isinstance(rule, dict) and isinstance(self.entry(*where, key), str):
                            yield (*where, key), self.entry(*where, key)

    def headings(self) -> Iterator[str]:
        """Yield the context entries that looks head for: `towards exits`."""
        if issubclass(self.shape, IohmmShape):
            return
        for look in self.looks():
            towards = TOWARDS.match(look) if isinstance(look, str) else None
            if towards:
                yield EXITS if towards[1] == ANY_EXIT else towards[1]

    def measured(self) -> Iterator[str]:
        """Yield the context entries that measures read."""
        for path, _ in list(self.items("measures")):
            yield str(path[-1])
            densities = [(*path, "usual"), *(where for where, _ in list(self.items(*path, "goals")))]
            for where in densities:
                around = self.entry(*where, "around")
                if isinstance(around, str):
                    yield around

    def looks(self) -> Iterator[Any]:
        """Yield what each goal looks like, under each condition: a row of chances, or `towards exits`."""
        for path, written in list(self.items("observations")):
            if not isinstance(written, list):
                yield written
                continue
            for _, rule in list(self.items(*path)):
                if isinstance(rule, dict):
                    yield rule.get("then", rule.get("else"))


def _parsed(text: str) -> Expression | None:
    try:
        return parse_expression(text)
    except DefinitionError:
        return None  # told when the condition is read


def _is_under(path: KeyPath, top: KeyPath) -> bool:
    return path[: len(top)] == top
