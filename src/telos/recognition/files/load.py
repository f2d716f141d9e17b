"""Recognizer(), files to models."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, TypeAlias, TypeVar, Unpack, overload

from telos.core.conditions import ALWAYS, Condition
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, FaultCode, KeyPath, TelosError, name_hint
from telos.core.expressions import Literal, names_in
from telos.core.parser import parse_expression
from telos.core.state import Layout
from telos.core.values import Kind, Type
from telos.files.definition import Definition, raise_faults
from telos.files.schema import parse_duration
from telos.files.yaml import read_text, read_yaml
from telos.recognition.director import DirectorRule, director_faults, pay_faults, say_faults
from telos.recognition.distributions import OTHERS, SHARED, complete_distribution
from telos.recognition.ffbm import FFBM, ConstantT
from telos.recognition.files.schema import (
    FROM,
    TOWARDS,
    ConstantShape,
    FfbmShape,
    FsmShape,
    IohmmShape,
    RecognizerShape,
    key_findings,
    parse_chance,
    parse_updates,
    read_kind,
    shape_for,
)
from telos.recognition.filtering import DEFAULT_HISTORY, Clock, Reader
from telos.recognition.fsm import RANDOM_START, FSMModel
from telos.recognition.iohmm import IOHMM
from telos.recognition.observations import (
    AIIDE_SYMBOLS,
    FLAIRS_SYMBOLS,
    FixedObservation,
    HeadingObservation,
    ObservationModel,
    ObservationRules,
    Symbols,
)
from telos.recognition.recognizer import Recognizer
from telos.recognition.transitions import ANY, LearnedTransitions, Row, TransitionCase, TransitionRules, row_name
from telos.recognition.vocabulary import ADVENTURE, Vocabulary, condition_faults, resolve_labels

if TYPE_CHECKING:
    from telos.recognition.by_planning.reader import PlanModelOptions, PlanReader
    from telos.recognition.grammar.grammar import PlanGrammar
    from telos.recognition.markov_logic import MarkovLogicModel


# --- page -------------------------------------------------------------------------------------------------------------
# A recogniser file while it is read: what all sorts have in common, and the faults so far.


MAX_FILE_GOALS = 200
Made = TypeVar("Made")
ConditionFaults: TypeAlias = Callable[[Condition, Vocabulary, tuple[str, ...]], list[Fault]]


class RecognizerDefinition:
    """The entries of a recogniser file that can be trusted: its goals, the words of its game, and its clock."""

    def __init__(self, text: str, file: str) -> None:
        data = read_yaml(text, file).data
        self.shape: type[RecognizerShape]
        self.shape, unknown = shape_for(data)
        self.sheet = sheet = Definition(text, file, self.shape, "a recogniser file")
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
        self.sheet.faults.append(self.sheet.document.locate(fault, at_key=at_key))

    def note(
        self,
        message: str,
        path: KeyPath,
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

    def made(self, path: KeyPath, make: Callable[[], Made], default: Made) -> Made:
        """Return what ``make`` makes; what it refuses is a fault of the entry at ``path``."""
        try:
            return make()
        except DefinitionError as error:
            self.tell_all(fault.at(*path) for fault in error.faults)
        except TelosError as error:
            self.tell(Fault(error.message, suggestion=error.remedy, path=path), at_key=True)
        return default

    def condition(self, path: KeyPath, faults_of: ConditionFaults = condition_faults) -> Condition:
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

    def row(self, path: KeyPath) -> dict[str, float | str] | None:
        """Return the chances at ``path`` as numbers; None if any of them is faulty or the row is not there."""
        if self.sheet.entry(*path) is None or self.sheet.is_touched(*path):
            return None
        found: dict[str, float | str] = {}
        for where, said in list(self.sheet.items(*path)):
            name = str(where[-1])
            chance = parse_chance(said)
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

    def is_goal(self, path: KeyPath, name: str, *, at_key: bool) -> bool:
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
        return self.made(("clock",), lambda: Clock(on, None if every is None else parse_duration(every)), Clock())

    def _goals(self) -> tuple[str, ...]:
        found: list[str] = []
        said = list(self.sheet.items("goals"))
        if len(said) > MAX_FILE_GOALS:  # there is a chance for each goal to follow each
            self.sheet.fault(
                f"there are {len(said)} goals",
                ("goals",),
                f"name at most {MAX_FILE_GOALS}",
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


def _is_under(path: KeyPath, top: KeyPath) -> bool:
    return path[: len(top)] == top


# --- looks ------------------------------------------------------------------------------------------------------------
# The `observations` of a file: what each goal looks like, or what can be seen at all, and how often it was.


ANY_EXIT, EXITS = "any_exit", "exits"  # a file says the first, the context the second


def read_symbols(page: RecognizerDefinition, key: str, usual: Symbols) -> Symbols:
    """Return what can be seen, in order; ``usual`` if the file does not say."""
    pairs: list[tuple[str, Condition]] = []
    told = list(page.sheet.items(key))
    for number, (path, said) in enumerate(told, start=1):
        name = str(path[-1])
        pairs.append((name, page.condition(path)))
        if name == OTHERS:
            page.sheet.fault(
                f"{OTHERS!r} cannot be seen",
                path,
                "it stands for all that is not named",
                at_key=True,
                code=FaultCode.UNREACHABLE,
            )
        if said is True and number < len(told):
            page.note(
                f"nothing after {name!r} can be seen", path, "put it last", at_key=True, code=FaultCode.UNREACHABLE
            )
    return usual if not pairs or page.sheet.is_touched(key) else Symbols(pairs)


def read_looks(page: RecognizerDefinition, outcomes: Symbols) -> dict[str, ObservationRules]:
    """Return what each goal looks like; a goal that looks like nothing is a fault."""
    found: dict[str, ObservationRules] = {}
    for path, said in list(page.sheet.items("observations")):
        goal = str(path[-1])
        if page.is_goal(path, goal, at_key=True):
            found[goal] = _rules(page, path, outcomes) if isinstance(said, list) else _single(page, path, outcomes)
    for goal in page.goals:
        if goal not in page.sheet.entry("observations", default={}) and not page.sheet.is_touched("observations"):
            remedy = f"add `{goal}: towards any_exit`, or a mapping"
            page.note(
                f"nothing says what {goal!r} looks like",
                ("observations",),
                remedy,
                at_key=True,
                code=FaultCode.INCOMPLETE,
            )
    return found


def _single(page: RecognizerDefinition, path: KeyPath, outcomes: Symbols) -> ObservationRules:
    return ObservationRules.of(_look(page, path, outcomes))


def _rules(page: RecognizerDefinition, path: KeyPath, outcomes: Symbols) -> ObservationRules:
    rules: list[tuple[Condition | None, ObservationModel]] = []
    said = page.sheet.entry(*path, default=[])
    for i, rule in enumerate(said):
        where = (*path, i)
        is_else = isinstance(rule, dict) and "else" in rule
        condition = None if is_else else page.condition((*where, "if"))
        rules.append((condition, _look(page, (*where, "else" if is_else else "then"), outcomes)))
        if is_else and i < len(said) - 1:
            page.note(
                "no rule after `else` can hold",
                (*where, "else"),
                "put it last",
                at_key=True,
                code=FaultCode.UNREACHABLE,
            )
    if all(condition is not None for condition, _ in rules) and not page.sheet.is_touched(*path):
        message = f"{path[-1]!r} looks like nothing when none of its conditions holds"
        page.note(
            message, path, "end with `- else: towards any_exit`, or a mapping", at_key=True, code=FaultCode.INCOMPLETE
        )
    return ObservationRules(rules)


def _look(page: RecognizerDefinition, path: KeyPath, outcomes: Symbols) -> ObservationModel:
    """Return one look, which adds up; if it does not, that is a fault."""
    said = page.sheet.entry(*path)
    towards = TOWARDS.match(said) if isinstance(said, str) else None
    if towards:
        return _towards(page, path, towards[1], outcomes)
    row = page.row(path)
    if row is None:
        return FixedObservation({})
    named = {name: float(chance) for name, chance in row.items() if chance != SHARED}
    look = FixedObservation(named, SHARED if SHARED in row.values() else None)
    if not page.sheet.is_touched("outcomes"):
        page.tell_all(replace(fault.at(*path), message=_said(path, fault)) for fault in look.faults(outcomes.names))
    return look


def _said(path: KeyPath, fault: Fault) -> str:
    """Say whose look does not add up; a fault of a single entry speaks for itself."""
    return fault.message if fault.path else f"{path[1]!r} {fault.message}"


def _towards(page: RecognizerDefinition, path: KeyPath, said: str, outcomes: Symbols) -> HeadingObservation:
    entry = EXITS if said == ANY_EXIT else said
    edges = [name for name, kind in page.words.context.items() if kind.kind is Kind.HANDLE and kind.handle == "edges"]
    if entry not in edges and not page.sheet.is_touched("context"):
        known = [ANY_EXIT if name == EXITS else name for name in edges]
        remedy = name_hint(said, known) or "list some in the context, as in `exits: edges`"
        page.tell(
            Fault(
                f"unknown exits {said!r}",
                suggestion=remedy,
                path=path,
                offset=len("towards "),
                code=FaultCode.UNKNOWN_NAME,
            )
        )
    look = HeadingObservation(entry)
    if not page.sheet.is_touched("outcomes"):
        page.tell_all(fault.at(*path) for fault in look.faults(outcomes.names))
    return look


def read_counts(
    page: RecognizerDefinition, path: KeyPath, rows: tuple[str, ...], names: tuple[str, ...]
) -> dict[str, dict[str, float]]:
    """Return how often each of ``names`` was seen in each of ``rows``."""
    found: dict[str, dict[str, float]] = {}
    for where, said in list(page.sheet.items(*path)):
        row = str(where[-1])
        if row not in rows:
            page.sheet.fault(
                f"unknown row {row!r}", where, name_hint(row, rows), at_key=True, code=FaultCode.UNKNOWN_NAME
            )
            continue
        found[row] = {}
        for each, count in list(page.sheet.items(*path, row)) if isinstance(said, Mapping) else ():
            name = str(each[-1])
            if name in names:
                found[row][name] = float(count)
            else:
                page.sheet.fault(
                    f"unknown outcome {name!r}", each, name_hint(name, names), at_key=True, code=FaultCode.UNKNOWN_NAME
                )
    return found


# --- goal changes -----------------------------------------------------------------------------------------------------
# The `transitions` of a file, and its `prior`: how goals follow one another.


DEFAULT_DURATION = 100.0  # updates, where a file does not say


def read_transitions(page: RecognizerDefinition) -> TransitionRules:
    """Return the rules by which goals change; what is wrong with them is noted on the page."""
    path: KeyPath = ("transitions",)
    usual = _rows(page, path)
    if usual and page.sheet.entry(*path, "lasts") is not None:
        remedy = "leave one of them out"
        page.sheet.fault(
            "both `lasts` and rows say how goals usually change",
            (*path, "lasts"),
            remedy,
            at_key=True,
            code=FaultCode.CONFLICT,
        )
    lasts, cases = _lasts(page), []
    for i in range(len(page.sheet.entry(*path, "when", default=()))):
        where = (*path, "when", i)
        rows = _rows(page, where)
        if not page.sheet.is_touched(*where) and len(page.sheet.entry(*where)) == 1:
            page.note("nothing changes in this case", where, "add `from any: {…}`", code=FaultCode.EMPTY)
        cases.append(TransitionCase(page.condition((*where, "if")), rows))
    _check_rows_are_complete(page, usual)
    return TransitionRules(None if usual else lasts, usual or None, cases)


def read_prior(page: RecognizerDefinition) -> dict[str, float] | None:
    """Return how likely each goal is at first; None for evenly."""
    row = page.row(("prior",))
    if row is None:
        return None
    return _shared(page, ("prior",), row)


def _lasts(page: RecognizerDefinition) -> float | dict[str, float]:
    path: KeyPath = ("transitions", "lasts")
    said = page.sheet.entry(*path, default=DEFAULT_DURATION)
    if not isinstance(said, dict):
        return parse_updates(said) or DEFAULT_DURATION
    found = dict.fromkeys(page.goals, DEFAULT_DURATION)
    for where, updates in list(page.sheet.items(*path)):
        if page.is_goal(where, str(where[-1]), at_key=True):
            found[str(where[-1])] = parse_updates(updates) or DEFAULT_DURATION
    for goal in page.goals:
        if goal not in said and not page.sheet.is_touched(*path):
            page.note(f"how long does {goal!r} last?", path, f"add `{goal}: 100 updates`", code=FaultCode.INCOMPLETE)
    return found


def _rows(page: RecognizerDefinition, path: KeyPath) -> dict[str, Row]:
    """Return the rows under `from …` at ``path``, each checked and complete."""
    found: dict[str, Row] = {}
    for where, _ in list(page.sheet.items(*path)):
        key = str(where[-1])
        source = key.removeprefix(FROM).strip()
        if not key.startswith(FROM) or (source != ANY and not page.is_goal(where, source, at_key=True)):
            continue
        row = page.row(where)
        if row is not None and _shared(page, where, row) is not None:
            found[source] = row
    return found


def _shared(page: RecognizerDefinition, path: KeyPath, row: Row) -> dict[str, float] | None:
    """Return a chance for every goal, or None if the row does not add up, which is a fault."""
    if page.sheet.is_touched("goals"):
        return None
    share = SHARED in row.values()
    named = {goal: float(chance) for goal, chance in row.items() if chance != SHARED}
    chances, faults = complete_distribution(named, page.goals, "goal", share=share)
    page.tell_all(fault.at(*path) for fault in faults)
    return None if faults else dict(zip(page.goals, chances, strict=True))


def _check_rows_are_complete(page: RecognizerDefinition, usual: dict[str, Row]) -> None:
    if not usual or ANY in usual or page.sheet.is_touched("transitions"):
        return
    for goal in page.goals:
        if goal not in usual:
            remedy = f"add `from {goal}: {{…}}`, or `lasts` in place of rows"
            page.note(
                f"no row says what follows {goal!r}", ("transitions",), remedy, at_key=True, code=FaultCode.INCOMPLETE
            )


# --- directing --------------------------------------------------------------------------------------------------------
# The `director` of a file: rules by which the game adapts to what it believes about its player.


def read_director(page: RecognizerDefinition) -> tuple[DirectorRule, ...] | None:
    """Return the rules, or None if the file has none; what is wrong with them is noted on the page."""
    if page.sheet.entry("director") == []:
        remedy = "add one, as in `{if: level > 0.9, pay: {kill: 0.5}}`, or leave `director` out"
        page.sheet.fault("there are no rules", ("director",), remedy, at_key=True, code=FaultCode.EMPTY)
    count = len(page.sheet.entry("director", default=()))
    rules = [_rule(page, ("director", number)) for number in range(count)]
    return tuple(rule for rule in rules if rule is not None) or None


def _rule(page: RecognizerDefinition, path: KeyPath) -> DirectorRule | None:
    sheet = page.sheet
    condition = page.condition((*path, "if"), director_faults)
    is_until = sheet.entry(*path, "until") is not None
    until = page.condition((*path, "until"), director_faults) if is_until else None
    pay, say = sheet.entry(*path, "pay", default={}), sheet.entry(*path, "say", default="")
    again = sheet.entry(*path, "again after")
    _check_say(page, (*path, "say"), say)
    if page.knows_words:
        page.tell_all(fault.at(*path, "pay") for fault in pay_faults(pay, page.words))
    if sheet.is_touched(*path):
        return None
    if not pay and not say:
        page.note("this rule changes nothing", path, "add `pay: {kill: 0.5}` or `say: …`", code=FaultCode.EMPTY)
        return None
    if again is not None and not say:
        remedy = "add `say: …`, or leave it out"
        page.note(
            "nothing is said, so nothing can be said again",
            (*path, "again after"),
            remedy,
            at_key=True,
            code=FaultCode.INCOMPLETE,
        )
        return None
    hold = parse_duration(sheet.entry(*path, "for", default=0.0)) or 0.0
    return DirectorRule(condition, until=until, hold=hold, pay=pay, say=say, again_after=parse_duration(again))


def _check_say(page: RecognizerDefinition, path: KeyPath, say: str) -> None:
    if page.knows_words:
        for fault in say_faults(say, page.words, page.goals):
            page.tell(replace(fault, path=path))


# --- load -------------------------------------------------------------------------------------------------------------
# Recogniser files: read, checked, and turned into models.


FileModel: TypeAlias = FFBM | IOHMM | FSMModel  # what a recogniser file holds
RecognizerModel: TypeAlias = "FFBM | IOHMM | FSMModel | MarkovLogicModel | PlanGrammar"


def load_model(path: str | os.PathLike[str]) -> FileModel:
    """Read the recogniser file at ``path``.

    A bad file raises a ``DefinitionError`` that holds all its faults, each with line, column and remedy.
    """
    return loads_model(read_text(path), name=os.fspath(path))


def loads_model(text: str, *, name: str = "<text>") -> FileModel:
    r"""Read a model from the text of a recogniser file; ``name`` stands for it in faults.

    >>> loads_model("recognizer: fsm\ngoals: [level, town]\nrules: [{if: atacked, then: level}]")
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: <text>:3:14: unknown variable 'atacked'; did you mean 'attacked'?
    """
    page = RecognizerDefinition(text, name)
    model = _READERS[page.shape](page)
    if page.sheet.faults:
        raise_faults(page.sheet.faults)
    assert model is not None  # it is made where there are no faults
    return model


def _ffbm(page: RecognizerDefinition) -> FFBM | None:
    outcomes = read_symbols(page, "outcomes", FLAIRS_SYMBOLS)
    transitions, observations = read_transitions(page), read_looks(page, outcomes)
    prior, clock, director = read_prior(page), page.clock(), read_director(page)
    if page.sheet.faults:
        return None
    sort = ConstantT if page.shape is ConstantShape else FFBM
    made: FFBM | None = page.made(
        ("recognizer",),
        lambda: sort(
            page.goals,
            transitions=transitions,
            observations=observations,
            prior=prior,
            clock=clock,
            outcomes=outcomes,
            vocabulary=page.words,
            name=page.sheet.entry("name", default=""),
            director=director,
        ),
        None,
    )
    return made


def _iohmm(page: RecognizerDefinition) -> IOHMM | None:
    symbols = read_symbols(page, "observations", AIIDE_SYMBOLS)
    transitions, prior, clock = read_transitions(page), read_prior(page), page.clock()
    counts = _counts(page, ("counts",), symbols.names)
    pseudo = page.sheet.entry("pseudo_counts", default=1.0)
    if isinstance(pseudo, dict):
        pseudo = _counts(page, ("pseudo_counts",), symbols.names)
    learned, director = _learned(page, transitions), read_director(page)
    if page.sheet.faults:
        return None
    made: IOHMM | None = page.made(
        ("recognizer",),
        lambda: IOHMM(
            page.goals,
            symbols=symbols,
            transitions=transitions,
            counts=counts,
            pseudo_counts=pseudo,
            discount=page.sheet.entry("discount", default=1.0),
            learned=learned,
            prior=prior,
            clock=clock,
            vocabulary=page.words,
            name=page.sheet.entry("name", default=""),
            director=director,
        ),
        None,
    )
    return made


def _counts(page: RecognizerDefinition, path: KeyPath, names: tuple[str, ...]) -> dict[str, dict[str, float]]:
    if page.sheet.is_touched("goals") or page.sheet.is_touched("observations"):
        return {}  # their names are not known
    return read_counts(page, path, page.goals, names)


def _learned(page: RecognizerDefinition, rules: TransitionRules) -> LearnedTransitions | None:
    path: KeyPath = ("learned_transitions",)
    if page.sheet.entry(*path) is None or page.sheet.is_touched("goals") or page.sheet.is_touched("transitions"):
        return None
    cases = [tuple(page.goals), *(case.sources(page.goals) for case in rules.cases)]
    rows = tuple(row_name(number, goal) for number, sources in enumerate(cases) for goal in sources)
    counts = read_counts(page, (*path, "counts"), rows, page.goals)
    return LearnedTransitions(page.sheet.entry(*path, "strength", default=10.0), seen=counts)


def _fsm(page: RecognizerDefinition) -> FSMModel | None:
    rules = []
    for i in range(len(page.sheet.entry("rules", default=()))):
        path: KeyPath = ("rules", i)
        condition, goal = page.condition((*path, "if")), page.sheet.entry(*path, "then")
        if goal is not None and page.is_goal((*path, "then"), goal, at_key=False):
            rules.append((condition, goal))
    if page.sheet.entry("rules") == []:
        page.sheet.fault(
            "there are no rules",
            ("rules",),
            "add one, as in `{if: attacked, then: level}`",
            at_key=True,
            code=FaultCode.EMPTY,
        )
    start = page.sheet.entry("start", default=RANDOM_START)
    if start != RANDOM_START:
        page.is_goal(("start",), start, at_key=False)
    director = read_director(page)
    if page.sheet.faults:
        return None
    first = None if start == RANDOM_START else start
    return FSMModel(page.goals, tuple(rules), first, page.words, page.sheet.entry("name", default=""), director)


_READERS: dict[type[RecognizerShape], Callable[[RecognizerDefinition], FileModel | None]] = {
    FfbmShape: _ffbm,
    ConstantShape: _ffbm,
    IohmmShape: _iohmm,
    FsmShape: _fsm,
}


# --- front ------------------------------------------------------------------------------------------------------------
# Recognisers by name: a designer's file, a trained model, or one of those that come along.


__all__ = ["RecognizerModel", "built_in_names", "create_recognizer", "named_model", "recognizer"]

_DATA = Path(__file__).parents[1] / "data"


@overload
def recognizer(source: Domain, *, seed: int = ..., **options: Unpack["PlanModelOptions"]) -> "PlanReader": ...
@overload
def recognizer(source: str | os.PathLike[str], *, seed: int = ...) -> Recognizer: ...
def recognizer(
    source: str | os.PathLike[str] | Domain, *, seed: int = 0, **options: Unpack["PlanModelOptions"]
) -> Recognizer:
    """Return a recogniser for one player: from a file, by the name of one that comes along, or from a domain.

    ``seed`` is for those that start with a guess. A ``Domain`` is read with by planning: ``goals`` are those that the
    player may have, ``start`` is where she starts, ``temperature`` how much cost she may waste before a goal becomes e
    times less likely, ``prior`` what is thought of each goal before, and ``microseconds`` what an update may take; see
    ``PlanModel`` for the other options.

    >>> recognizer("flairs").goals
    ('level', 'explore', 'town')
    """
    if isinstance(source, Domain):
        from telos.recognition.by_planning.reader import PlanModel, PlanReader  # most readers need no planner

        return PlanReader(PlanModel(source, **options))
    if options:
        raise TelosError(f"{', '.join(options)}: for a Domain that is read with", "a recogniser file says its own")
    return create_recognizer(named_model(source), seed=seed)


def named_model(path_or_name: str | os.PathLike[str]) -> RecognizerModel:
    """Return the model in a file, or one that comes along; a file in the way of a name wins.

    A name that ends in ``.mln`` is a Markov logic model.
    """
    said = os.fspath(path_or_name)
    is_path = said.endswith((".yaml", ".yml", ".mln")) or os.sep in said
    if Path(said).is_file():
        return _loaded(said)
    built_in = next((file for file in _built_in() if said in (file.stem, file.name)), None)
    if built_in is not None:
        return _loaded(built_in)
    if is_path:
        return _loaded(said)  # which says why it cannot be read
    raise TelosError(f"no recogniser {said!r}", f"{name_hint(said, built_in_names())}, or name a .yaml or .mln file")


def _loaded(path: str | os.PathLike[str]) -> RecognizerModel:
    if os.fspath(path).endswith(".mln"):
        from telos.recognition.markov_logic import load_logic_model  # it needs NumPy, which is an extra

        return load_logic_model(path)
    text = read_text(path)
    if "grammar" in text:
        from telos.recognition.grammar.files import is_grammar, loads_grammar  # most files are none

        if is_grammar(text):
            return loads_grammar(text, name=os.fspath(path))
    return loads_model(text, name=os.fspath(path))


def built_in_names() -> tuple[str, ...]:
    """Return the names of the recognisers that come along."""
    return tuple(sorted(file.stem for file in _built_in()))


def _built_in() -> list[Path]:
    """Return the files of ready recognisers; the formulas beside them have no weights before they are learned."""
    return [*_DATA.glob("*.yaml"), *(_DATA / "trained").glob("*.mln")]


def create_recognizer(model: RecognizerModel, *, seed: int = 0, remembers: int = DEFAULT_HISTORY) -> Recognizer:
    """Return a recogniser that has seen nothing yet; any number of them may share one model."""
    if isinstance(model, FSMModel):
        return model.recognizer(Random(seed))
    if isinstance(model, FFBM | IOHMM):
        return Reader(model, remembers=remembers)
    from telos.recognition.grammar.grammar import PlanGrammar

    if isinstance(model, PlanGrammar):
        from telos.recognition.grammar.reader import PlanGrammarReader

        return PlanGrammarReader(model)
    from telos.recognition.markov_logic import MarkovLogicReader  # it needs NumPy, which is an extra

    return MarkovLogicReader(model)


# --- entries ----------------------------------------------------------------------------------------------------------
# Which entries of the context a model reads, so that a log that lacks one can be told.


def context_read(model: RecognizerModel) -> frozenset[str]:
    """Return the entries of the context that decide what a model makes of an event.

    >>> from telos.recognition.files.load import named_model
    >>> sorted(context_read(named_model("flairs-fsm")))
    ['attacked', 'nearer_town', 'new_area']
    """
    if not isinstance(model, FFBM | IOHMM | FSMModel):
        return model.context
    layout = Layout(model.vocabulary.variables(model.goals))
    said = (names_in(resolve_labels(condition.expression, layout)) for condition in _conditions(model))
    looks = model.observations.values() if isinstance(model, FFBM) else ()
    exits = frozenset(entry for rules in looks for entry in rules.entries)
    return exits.union(*said) & frozenset(model.vocabulary.context)


def _conditions(model: FileModel) -> Iterator[Condition]:
    if isinstance(model, FSMModel):
        yield from (condition for condition, _ in model.rules)
        return
    yield from (case.condition for case in model.transitions.cases)
    if isinstance(model, FFBM):
        yield from model.outcomes.conditions
        yield from (condition for rules in model.observations.values() for condition in rules.conditions)
    else:
        yield from model.symbols.conditions
