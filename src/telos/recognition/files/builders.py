"""Models from recogniser files: one builder per kind, and readers for the sections that kinds share.

A builder takes a ``RecognizerDefinition``, adds every fault that it finds, and returns a model if there is none.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from telos.core.conditions import Condition
from telos.core.errors import DefinitionError, Fault, FaultCode, KeyPath, name_hint
from telos.core.expressions import Expression, parse_expression
from telos.core.values import KEYWORDS, VARIABLE_NAME, ValueKind
from telos.files.schema import parse_duration
from telos.recognition.director import (
    ALL_EARNINGS,
    DirectorRule,
    director_faults,
    formula_faults,
    pay_faults,
    say_faults,
)
from telos.recognition.distributions import OTHERS, SHARED, complete_distribution
from telos.recognition.ffbm import FFBM, ConstantT
from telos.recognition.files.coverage import uncovered_actions
from telos.recognition.files.definition import RecognizerDefinition
from telos.recognition.files.measures import read_measures
from telos.recognition.files.schema import ANY_EXIT, EXITS, FROM, TOWARDS, FsmShape, IohmmShape, parse_updates
from telos.recognition.fsm import RANDOM_START, FSMModel
from telos.recognition.iohmm import IOHMM
from telos.recognition.measures import Measures
from telos.recognition.observations import (
    AIIDE_SYMBOLS,
    FLAIRS_SYMBOLS,
    FixedObservation,
    HeadingObservation,
    ObservationModel,
    ObservationRules,
    Symbols,
)
from telos.recognition.transitions import ANY, LearnedTransitions, Row, TransitionCase, TransitionRules, row_name
from telos.recognition.vocabulary import DIRECTIONS

CountTable: TypeAlias = dict[str, dict[str, float]]

MAX_LISTED_ACTIONS = 5  # in the fault of actions that are no outcome
OTHER_ACTIONS = "other"  # the outcome of actions that no look names
DEFAULT_DURATION = 100.0  # updates that a goal lasts where a file does not say


# --- one builder per kind ---------------------------------------------------------------------------------------------


def build_ffbm(definition: RecognizerDefinition) -> FFBM | None:
    """Build a fast forward Bayesian model; None after a fault."""
    return _build_ffbm(definition, FFBM)


def build_constant(definition: RecognizerDefinition) -> FFBM | None:
    """Build a fast forward Bayesian model with constant transitions; None after a fault."""
    return _build_ffbm(definition, ConstantT)


def _build_ffbm(definition: RecognizerDefinition, model_class: type[FFBM]) -> FFBM | None:
    outcomes = read_symbols(definition, "outcomes", usual_outcomes(definition))
    transitions, observations = read_transitions(definition), read_observations(definition, outcomes)
    prior, clock, director = read_prior(definition), definition.read_clock(), read_director(definition)
    measures, _ = read_measures(definition, is_trained=False)
    entries = None if definition.faults else definition.model
    if entries is None:
        return None
    built: FFBM | None = definition.build(
        ("recognizer",),
        lambda: model_class(
            definition.goals,
            transitions=transitions,
            observations=observations,
            prior=prior,
            clock=clock,
            outcomes=outcomes,
            vocabulary=definition.vocabulary,
            name=entries.name,
            director=director,
            measures=measures,
        ),
        None,
    )
    return built


def build_iohmm(definition: RecognizerDefinition) -> IOHMM | None:
    """Build an input-output hidden Markov model; None after a fault."""
    symbols = read_symbols(definition, "observations", AIIDE_SYMBOLS)
    transitions, prior, clock = read_transitions(definition), read_prior(definition), definition.read_clock()
    counts = _read_goal_counts(definition, ("counts",), symbols.names)
    pseudo_counts = _read_goal_counts(definition, ("pseudo_counts",), symbols.names)
    learned_counts, director = _read_learned_counts(definition, transitions), read_director(definition)
    measures, seen = read_measures(definition, is_trained=True)
    entries = None if definition.faults else definition.model
    if not isinstance(entries, IohmmShape):
        return None
    learned = None
    if entries.learned_transitions is not None:
        learned = LearnedTransitions(entries.learned_transitions.strength, seen=learned_counts)
    built: IOHMM | None = definition.build(
        ("recognizer",),
        lambda: IOHMM(
            definition.goals,
            symbols=symbols,
            transitions=transitions,
            counts=counts,
            pseudo_counts=pseudo_counts if isinstance(entries.pseudo_counts, Mapping) else entries.pseudo_counts,
            discount=entries.discount,
            learned=learned,
            prior=prior,
            clock=clock,
            vocabulary=definition.vocabulary,
            name=entries.name,
            director=director,
            measures=Measures(measures, definition.goals, seen=seen),
        ),
        None,
    )
    return built


def build_fsm(definition: RecognizerDefinition) -> FSMModel | None:
    """Build a finite-state machine; None after a fault."""
    rules = []
    for i in range(len(definition.entry("rules", default=()))):
        path: KeyPath = ("rules", i)
        condition, goal = definition.condition((*path, "if")), definition.entry(*path, "then")
        if goal is not None and definition.check_goal((*path, "then"), goal, at_key=False):
            rules.append((condition, goal))
    if definition.entry("rules") == []:
        remedy = "add one, as in `{if: attacked, then: level}`"
        definition.fault("there are no rules", ("rules",), remedy, at_key=True, code=FaultCode.EMPTY)
    start = definition.entry("start", default=RANDOM_START)
    if start != RANDOM_START:
        definition.check_goal(("start",), start, at_key=False)
    director = read_director(definition)
    entries = None if definition.faults else definition.model
    if not isinstance(entries, FsmShape):
        return None
    first = None if entries.start == RANDOM_START else entries.start
    return FSMModel(definition.goals, tuple(rules), first, definition.vocabulary, entries.name, director)


def usual_outcomes(definition: RecognizerDefinition) -> Symbols:
    """Return the outcomes of a file that lists none: those of the adventure, or the actions that its looks name."""
    if definition.entry("outcomes") or definition.is_touched("outcomes"):
        return FLAIRS_SYMBOLS  # it is not asked for
    rows = [look for look in definition.looks() if isinstance(look, dict)]
    names = dict.fromkeys(str(name) for row in rows for name in row if name != OTHERS)
    if definition.is_of_the_adventure or not (names or any(definition.headings())):
        return FLAIRS_SYMBOLS
    named = [*names, *(way for way in DIRECTIONS if any(definition.headings()) and way not in names)]
    for name in named:
        if not VARIABLE_NAME.match(name) or name in KEYWORDS:
            message, remedy = (
                f"no condition can name the action {name!r}",
                "list the `outcomes`, as in `{hit: action == swing}`",
            )
            definition.report(message, ("observations",), remedy, at_key=True, code=FaultCode.BAD_NAME)
            return FLAIRS_SYMBOLS
    pairs: list[tuple[str, str | None]] = [(name, f"action == {name}") for name in named if name != OTHER_ACTIONS]
    has_others = OTHER_ACTIONS in names or any(OTHERS in row for row in rows)
    if not has_others:
        definition.close_actions(named)
    return Symbols([*pairs, *([(OTHER_ACTIONS, None)] if has_others else [])])


# --- observations -----------------------------------------------------------------------------------------------------


def read_symbols(definition: RecognizerDefinition, key: str, default: Symbols) -> Symbols:
    """Return the outcomes under ``key`` in order; ``default`` if the file has none."""
    pairs: list[tuple[str, Condition]] = []
    listed = list(definition.items(key))
    for number, (path, written) in enumerate(listed, start=1):
        name = str(path[-1])
        pairs.append((name, definition.condition(path)))
        if name == "others":
            definition.fault(
                "'others' cannot be observed",
                path,
                "choose another name: it means all outcomes that are not named",
                at_key=True,
                code=FaultCode.UNREACHABLE,
            )
        if written is True and number < len(listed):
            message = f"nothing after {name!r} can be observed"
            definition.report(message, path, "put it last", at_key=True, code=FaultCode.UNREACHABLE)
    if not pairs or definition.is_touched(key):
        return default
    _check_coverage(definition, key, pairs)
    return Symbols(pairs)


def _check_coverage(definition: RecognizerDefinition, key: str, pairs: list[tuple[str, Condition]]) -> None:
    """Report the actions of the file that can be no outcome: observing one of them would fail."""
    if not definition.is_vocabulary_known:
        return
    conditions = [condition for _, condition in pairs]
    left = uncovered_actions(conditions, definition.vocabulary, definition.goals)
    if left:
        shown = ", ".join(map(repr, left[:MAX_LISTED_ACTIONS])) + (", …" if len(left) > MAX_LISTED_ACTIONS else "")
        definition.report(
            f"an event with the action {shown} is none of these",
            (key,),
            "end with `other: true`, or name the action in a condition",
            at_key=True,
            code=FaultCode.INCOMPLETE,
        )


def read_observations(definition: RecognizerDefinition, outcomes: Symbols) -> dict[str, ObservationRules]:
    """Return the observation rules of each goal; a goal without any is a fault."""
    found: dict[str, ObservationRules] = {}
    for path, written in list(definition.items("observations")):
        goal = str(path[-1])
        if not definition.check_goal(path, goal, at_key=True):
            continue
        if isinstance(written, list):
            found[goal] = _read_rules(definition, path, outcomes)
        else:
            found[goal] = ObservationRules.of(_read_observation(definition, path, outcomes))
    for goal in definition.goals:
        if goal not in definition.entry("observations", default={}) and not definition.is_touched("observations"):
            definition.report(
                f"goal {goal!r} has no observations",
                ("observations",),
                f"add `{goal}: {example_look(definition, outcomes)}`",
                at_key=True,
                code=FaultCode.INCOMPLETE,
            )
    return found


def example_look(definition: RecognizerDefinition, outcomes: Symbols) -> str:
    """Return a look that this file may give to a goal, for remedies."""
    edges = edge_entries(definition)
    if edges:
        return f"towards {ANY_EXIT if EXITS in edges else edges[0]}"
    return f"{{{outcomes.names[0]}: 0.8, others: shared}}" if len(outcomes) > 1 else f"{{{outcomes.names[0]}: 1}}"


def edge_entries(definition: RecognizerDefinition) -> list[str]:
    """Return the context entries that list exits."""
    context = definition.vocabulary.context
    return [name for name, kind in context.items() if kind.kind is ValueKind.HANDLE and kind.handle == "edges"]


def _read_rules(definition: RecognizerDefinition, path: KeyPath, outcomes: Symbols) -> ObservationRules:
    rules: list[tuple[Condition | None, ObservationModel]] = []
    written = definition.entry(*path, default=[])
    for i, rule in enumerate(written):
        where = (*path, i)
        is_else = isinstance(rule, dict) and "else" in rule
        condition = None if is_else else definition.condition((*where, "if"))
        rules.append((condition, _read_observation(definition, (*where, "else" if is_else else "then"), outcomes)))
        if is_else and i < len(written) - 1:
            definition.report(
                "no rule after `else` can hold",
                (*where, "else"),
                "put it last",
                at_key=True,
                code=FaultCode.UNREACHABLE,
            )
    if all(condition is not None for condition, _ in rules) and not definition.is_touched(*path):
        definition.report(
            f"goal {path[-1]!r} has no observation when none of its conditions holds",
            path,
            f"end with `- else: {example_look(definition, outcomes)}`",
            at_key=True,
            code=FaultCode.INCOMPLETE,
        )
    return ObservationRules(rules)


def _read_observation(definition: RecognizerDefinition, path: KeyPath, outcomes: Symbols) -> ObservationModel:
    """Return the observation model at ``path``; one that is not a distribution over the outcomes is a fault."""
    written = definition.entry(*path)
    towards = TOWARDS.match(written) if isinstance(written, str) else None
    if towards:
        return _read_heading(definition, path, towards[1], outcomes)
    row = definition.row(path)
    if row is None:
        return FixedObservation({})
    named = {name: float(chance) for name, chance in row.items() if chance != SHARED}
    model = FixedObservation(named, SHARED if SHARED in row.values() else None)
    if not definition.is_touched("outcomes"):
        faults = model.faults(outcomes.names)
        definition.add_all(replace(fault.at(*path), message=_name_goal(path, fault)) for fault in faults)
    return model


def _name_goal(path: KeyPath, fault: Fault) -> str:
    """Return the message with the goal in front; the fault of a single entry needs none."""
    return fault.message if fault.path else f"{path[1]!r} {fault.message}"


def _read_heading(
    definition: RecognizerDefinition, path: KeyPath, written: str, outcomes: Symbols
) -> HeadingObservation:
    entry = EXITS if written == ANY_EXIT else written
    edges = edge_entries(definition)
    if entry not in edges and not definition.is_touched("context"):
        known = [ANY_EXIT if name == EXITS else name for name in edges]
        remedy = name_hint(written, known) or f"the context lists none; as in `{example_look(definition, outcomes)}`"
        offset = len("towards ")
        definition.add(
            Fault(
                f"unknown exits {written!r}",
                suggestion=remedy,
                path=path,
                offset=offset,
                code=FaultCode.UNKNOWN_NAME,
            )
        )
    model = HeadingObservation(entry)
    if not definition.is_touched("outcomes"):
        definition.add_all(fault.at(*path) for fault in model.faults(outcomes.names))
    return model


# --- counts -----------------------------------------------------------------------------------------------------------


def read_counts(
    definition: RecognizerDefinition, path: KeyPath, rows: tuple[str, ...], names: tuple[str, ...]
) -> CountTable:
    """Return the table of counts at ``path``: how often each of ``names`` was observed in each of ``rows``."""
    found: CountTable = {}
    for where, written in list(definition.items(*path)):
        row = str(where[-1])
        if row not in rows:
            remedy = name_hint(row, rows)
            definition.fault(f"unknown row {row!r}", where, remedy, at_key=True, code=FaultCode.UNKNOWN_NAME)
            continue
        found[row] = {}
        for each, count in list(definition.items(*path, row)) if isinstance(written, Mapping) else ():
            name = str(each[-1])
            if name in names:
                found[row][name] = float(count)
            else:
                remedy = name_hint(name, names)
                definition.fault(f"unknown outcome {name!r}", each, remedy, at_key=True, code=FaultCode.UNKNOWN_NAME)
    return found


def _read_goal_counts(definition: RecognizerDefinition, path: KeyPath, names: tuple[str, ...]) -> CountTable:
    if not isinstance(definition.entry(*path), dict):
        return {}  # missing, or one number for all
    if definition.is_touched("goals") or definition.is_touched("observations"):
        return {}  # the names of rows and columns are not known
    return read_counts(definition, path, definition.goals, names)


def _read_learned_counts(definition: RecognizerDefinition, rules: TransitionRules) -> CountTable:
    path: KeyPath = ("learned_transitions",)
    if definition.entry(*path) is None or definition.is_touched("goals") or definition.is_touched("transitions"):
        return {}
    goals = definition.goals
    cases = [tuple(goals), *(case.sources(goals) for case in rules.cases)]
    rows = tuple(row_name(number, goal) for number, sources in enumerate(cases) for goal in sources)
    return read_counts(definition, (*path, "counts"), rows, goals)


# --- transitions and prior --------------------------------------------------------------------------------------------


def read_transitions(definition: RecognizerDefinition) -> TransitionRules:
    """Return the rules by which goals change, and add the faults in them."""
    path: KeyPath = ("transitions",)
    usual = _read_rows(definition, path)
    if usual and definition.entry(*path, "lasts") is not None:
        definition.fault(
            "both `lasts` and rows say how goals usually change",
            (*path, "lasts"),
            "leave one of them out",
            at_key=True,
            code=FaultCode.CONFLICT,
        )
    durations, cases = _read_durations(definition), []
    for i in range(len(definition.entry(*path, "when", default=()))):
        where = (*path, "when", i)
        rows = _read_rows(definition, where)
        if not definition.is_touched(*where) and len(definition.entry(*where)) == 1:
            definition.report("nothing changes in this case", where, "add `from any: {…}`", code=FaultCode.EMPTY)
        cases.append(TransitionCase(definition.condition((*where, "if")), rows))
    _check_rows_are_complete(definition, usual)
    return TransitionRules(None if usual else durations, usual or None, cases)


def read_prior(definition: RecognizerDefinition) -> dict[str, float] | None:
    """Return the chance of each goal before the first event; None for equal chances."""
    row = definition.row(("prior",))
    return None if row is None else _complete_row(definition, ("prior",), row)


def _read_durations(definition: RecognizerDefinition) -> float | dict[str, float]:
    path: KeyPath = ("transitions", "lasts")
    written = definition.entry(*path, default=DEFAULT_DURATION)
    if not isinstance(written, dict):
        return parse_updates(written) or DEFAULT_DURATION
    found = dict.fromkeys(definition.goals, DEFAULT_DURATION)
    for where, updates in list(definition.items(*path)):
        if definition.check_goal(where, str(where[-1]), at_key=True):
            found[str(where[-1])] = parse_updates(updates) or DEFAULT_DURATION
    for goal in definition.goals:
        if goal not in written and not definition.is_touched(*path):
            message, remedy = f"nothing says how long {goal!r} lasts", f"add `{goal}: 100 updates`"
            definition.report(message, path, remedy, code=FaultCode.INCOMPLETE)
    return found


def _read_rows(definition: RecognizerDefinition, path: KeyPath) -> dict[str, Row]:
    """Return the rows under `from …` at ``path``, each checked and complete."""
    found: dict[str, Row] = {}
    for where, _ in list(definition.items(*path)):
        key = str(where[-1])
        source = key.removeprefix(FROM).strip()
        if not key.startswith(FROM) or (source != ANY and not definition.check_goal(where, source, at_key=True)):
            continue
        row = definition.row(where)
        if row is not None and _complete_row(definition, where, row) is not None:
            found[source] = row
    return found


def _complete_row(definition: RecognizerDefinition, path: KeyPath, row: Row) -> dict[str, float] | None:
    """Return a chance for every goal; None, and a fault, if they do not sum to 1."""
    if definition.is_touched("goals"):
        return None
    share = SHARED in row.values()
    named = {goal: float(chance) for goal, chance in row.items() if chance != SHARED}
    chances, faults = complete_distribution(named, definition.goals, "goal", share=share)
    definition.add_all(fault.at(*path) for fault in faults)
    return None if faults else dict(zip(definition.goals, chances, strict=True))


def _check_rows_are_complete(definition: RecognizerDefinition, usual: dict[str, Row]) -> None:
    if not usual or ANY in usual or definition.is_touched("transitions"):
        return
    for goal in definition.goals:
        if goal not in usual:
            message = f"no row says what follows {goal!r}"
            remedy = f"add `from {goal}: {{…}}`, or `lasts` in place of rows"
            definition.report(message, ("transitions",), remedy, at_key=True, code=FaultCode.INCOMPLETE)


# --- director ---------------------------------------------------------------------------------------------------------


def read_director(definition: RecognizerDefinition) -> tuple[DirectorRule, ...] | None:
    """Return the director's rules, and add the faults in them; None if the file has no rules."""
    if definition.entry("director") == []:
        remedy = "add one, as in `{if: level > 0.9, pay: {kill: 0.5}}`, or leave `director` out"
        definition.fault("there are no rules", ("director",), remedy, at_key=True, code=FaultCode.EMPTY)
    count = len(definition.entry("director", default=()))
    rules = [_read_director_rule(definition, ("director", number)) for number in range(count)]
    return tuple(rule for rule in rules if rule is not None) or None


def _read_factor(definition: RecognizerDefinition, path: KeyPath, written: float | str) -> float | Expression:
    """Return a factor of pay; a formula is a number of 0 or more whatever is believed."""
    if not isinstance(written, str):
        return written
    try:
        formula = parse_expression(written)
    except DefinitionError as error:
        faults = list(error.faults)
    else:
        known = definition.is_vocabulary_known
        faults = formula_faults(formula, definition.vocabulary, definition.goals) if known else []
        if not faults:
            return formula
    for fault in faults:
        definition.fault(fault.message, path, fault.suggestion, code=fault.code)
    return 1.0


def _read_director_rule(definition: RecognizerDefinition, path: KeyPath) -> DirectorRule | None:
    condition = definition.condition((*path, "if"), director_faults)
    has_until = definition.entry(*path, "until") is not None
    until = definition.condition((*path, "until"), director_faults) if has_until else None
    pay, say = definition.entry(*path, "pay", default={}), definition.entry(*path, "say", default="")
    again = definition.entry(*path, "again after")
    if definition.is_vocabulary_known:
        for fault in say_faults(say, definition.vocabulary, definition.goals):
            definition.add(replace(fault, path=(*path, "say")))
        named = pay if isinstance(pay, dict) else ()
        definition.add_all(fault.at(*path, "pay") for fault in pay_faults(named, definition.vocabulary))
    if isinstance(pay, dict):
        pay = {what: _read_factor(definition, (*path, "pay", what), factor) for what, factor in pay.items()}
    else:
        pay = {ALL_EARNINGS: _read_factor(definition, (*path, "pay"), pay)}
    if definition.is_touched(*path):
        return None
    if not pay and not say:
        definition.report("this rule changes nothing", path, "add `pay: {kill: 0.5}` or `say: …`", code=FaultCode.EMPTY)
        return None
    if again is not None and not say:
        definition.report(
            "`again after` needs a line to say",
            (*path, "again after"),
            "add `say: …`, or leave it out",
            at_key=True,
            code=FaultCode.INCOMPLETE,
        )
        return None
    hold = parse_duration(definition.entry(*path, "for", default=0.0)) or 0.0
    return DirectorRule(condition, until=until, hold=hold, pay=pay, say=say, again_after=parse_duration(again))
