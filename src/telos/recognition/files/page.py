"""A recogniser file while it is read: what all sorts have in common, and the faults so far."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeAlias, TypeVar

from telos.core.conditions import ALWAYS, Condition
from telos.core.errors import DefinitionError, Fault, FaultCode, Path, TelosError, name_hint
from telos.core.expressions import Literal
from telos.core.files.sheet import Sheet
from telos.core.files.times import seconds_of
from telos.core.files.yaml_text import read_yaml
from telos.core.parser import parse_expression
from telos.core.values import Type
from telos.recognition.clock import Clock
from telos.recognition.files.chances import chance_of
from telos.recognition.files.context import read_kind
from telos.recognition.files.keys import key_findings
from telos.recognition.files.shape import RecognizerShape, shape_for
from telos.recognition.sharing import OTHERS, SHARED
from telos.recognition.vocabulary import ADVENTURE, Vocabulary
from telos.recognition.wording import condition_faults

MOST_GOALS = 200
Made = TypeVar("Made")
ConditionFaults: TypeAlias = Callable[[Condition, Vocabulary, tuple[str, ...]], list[Fault]]


class Page:
    """The entries of a recogniser file that can be trusted: its goals, the words of its game, and its clock."""

    def __init__(self, text: str, file: str) -> None:
        data = read_yaml(text, file).data
        self.shape: type[RecognizerShape]
        self.shape, unknown = shape_for(data)
        self.sheet = sheet = Sheet(text, file, self.shape, "a recogniser file")
        if unknown:
            sheet.faults = [each for each in sheet.faults if each.path != ("recognizer",)]
            self.tell(unknown)
        for finding in key_findings(data):
            # A row under a key that cannot have one is told by its key alone.
            sheet.faults = [each for each in sheet.faults if not _is_under(each.path, finding.fault.path)]
            sheet.faults = [each for each in sheet.faults if each.path != finding.meant]
            found = finding.fault
            sheet.fault(found.message, found.path, found.suggestion, at_key=True, code=found.code)
        self.goals = self._goals()
        self.words = self._words()
        # Conditions are judged only where their words are known.
        self.knows_words = not any(sheet.is_touched(key) for key in ("context", "actions", "moments", "goals"))

    def tell(self, fault: Fault, *, at_key: bool = False) -> None:
        """Note a fault where its path and offset lead."""
        self.sheet.faults.append(self.sheet.document.located(fault, at_key=at_key))

    def note(
        self,
        message: str,
        path: Path,
        suggestion: str,
        *,
        at_key: bool = False,
        code: FaultCode = FaultCode.INVALID,
    ) -> None:
        """Note a fault that leaves the entry at ``path`` good for whatever else is to be checked."""
        self.tell(Fault(message, suggestion=suggestion, path=path, code=code), at_key=at_key)

    def tell_all(self, faults: Iterable[Fault]) -> None:
        """Note faults of a part; what is wrong with a number is told at the number, all else at its key."""
        for fault in faults:
            self.tell(fault, at_key=fault.code is not FaultCode.NOT_A_PROBABILITY)

    def made(self, path: Path, make: Callable[[], Made], default: Made) -> Made:
        """Return what ``make`` makes; what it refuses is a fault of the entry at ``path``."""
        try:
            return make()
        except DefinitionError as error:
            self.tell_all(fault.at(*path) for fault in error.faults)
        except TelosError as error:
            self.tell(Fault(error.message, suggestion=error.remedy, path=path), at_key=True)
        return default

    def condition(self, path: Path, faults_of: ConditionFaults = condition_faults) -> Condition:
        """Return the condition at ``path``; one that cannot be read or asked is a fault, and counts as always true."""
        said = self.sheet.entry(*path, default=True)
        if isinstance(said, bool):
            return ALWAYS if said else Condition(Literal(False))
        try:
            condition = Condition(parse_expression(said))
        except DefinitionError as error:
            for fault in error.faults:
                self.tell(replace(fault, path=path))
            return ALWAYS
        faults = faults_of(condition, self.words, self.goals) if self.knows_words else []
        for fault in faults:
            self.tell(replace(fault, path=path, text=said))
        return ALWAYS if faults else condition

    def row(self, path: Path) -> dict[str, float | str] | None:
        """Return the chances at ``path`` as numbers; None if any of them is faulty or the row is not there."""
        if self.sheet.entry(*path) is None or self.sheet.is_touched(*path):
            return None
        found: dict[str, float | str] = {}
        for where, said in list(self.sheet.items(*path)):
            name = str(where[-1])
            chance = chance_of(said)
            if (name == OTHERS) != (said == SHARED):
                remedy = f"write `{OTHERS}: {SHARED}`, or a chance"
                self.sheet.fault(f"{name!r} is said to be {said!r}", where, remedy, code=FaultCode.WRONG_TYPE)
            elif chance is not None and chance > 1:
                self.sheet.fault(
                    f"{said!r} is more than 1", where, "a chance is at most 1", code=FaultCode.OUT_OF_RANGE
                )
            else:
                found[name] = said if chance is None else float(chance)
        return None if self.sheet.is_touched(*path) else found

    def is_goal(self, path: Path, name: str, *, at_key: bool) -> bool:
        """Whether a goal of that name is there; if not, it is a fault."""
        if name in self.goals or self.sheet.is_touched("goals"):
            return name in self.goals
        self.sheet.fault(
            f"unknown goal {name!r}", path, name_hint(name, self.goals), at_key=at_key, code=FaultCode.UNKNOWN_NAME
        )
        return False

    def clock(self) -> Clock:
        """Return which events count; all but ticks if the file does not say."""
        sheet = self.sheet
        every, on = sheet.entry("clock", "every"), sheet.entry("clock", "on", default=Clock().on)
        cause = self.words.context.get("cause")
        for where, said in list(sheet.items("clock", "on")):
            if cause is not None and cause.labels and said not in cause.labels:
                sheet.fault(
                    f"unknown cause {said!r}", where, name_hint(said, cause.labels), code=FaultCode.UNKNOWN_NAME
                )
        if sheet.entry("clock") is None or sheet.is_touched("clock"):
            return Clock()
        return self.made(("clock",), lambda: Clock(on, None if every is None else seconds_of(every)), Clock())

    def _goals(self) -> tuple[str, ...]:
        found: list[str] = []
        said = list(self.sheet.items("goals"))
        if len(said) > MOST_GOALS:  # there is a chance for each goal to follow each
            self.sheet.fault(
                f"there are {len(said)} goals",
                ("goals",),
                f"name at most {MOST_GOALS}",
                at_key=True,
                code=FaultCode.TOO_LARGE,
            )
            return ()
        for where, goal in said:
            if goal in found:
                self.note(f"goal {goal!r} stands twice", where, "leave one out", code=FaultCode.DUPLICATE)
            elif goal in (OTHERS, "any", "random"):
                self.sheet.fault(
                    f"{goal!r} cannot be a goal",
                    where,
                    "it has a meaning of its own in these files",
                    code=FaultCode.BAD_NAME,
                )
            else:
                found.append(goal)
        if self.sheet.entry("goals") == []:
            self.sheet.fault("there are no goals", ("goals",), "name two or more", at_key=True, code=FaultCode.EMPTY)
        return tuple(found)

    def _words(self) -> Vocabulary:
        sheet = self.sheet
        actions = tuple(said for _, said in sheet.items("actions"))
        said = sheet.entry("context", default="adventure")
        if said == "adventure":
            moments = sheet.entry("moments", default=ADVENTURE.moments)
            usual, context = ADVENTURE.actions, dict(ADVENTURE.context)
        else:
            moments, usual = sheet.entry("moments", default=()), ()
            kinds = {str(path[-1]): read_kind(sheet, path, kind) for path, kind in list(sheet.items("context"))}
            good_kinds = [name for name in kinds if not sheet.is_touched("context", name)]
            context = {name: Type.of(kinds[name]) for name in good_kinds}
        good = [name for name in moments if isinstance(name, str)]
        for i, name in enumerate(good):
            if name not in context and not sheet.is_touched("context"):
                sheet.fault(
                    f"unknown context {name!r}", ("moments", i), name_hint(name, context), code=FaultCode.UNKNOWN_NAME
                )
        known = [name for name in good if name in context]
        empty = Vocabulary()
        return self.made(("context",), lambda: Vocabulary(actions or usual, context, moments=known), empty)


def _is_under(path: Path, top: Path) -> bool:
    return path[: len(top)] == top
