"""The `observations` of a file: what each goal looks like, or what can be seen at all, and how often it was."""

from collections.abc import Mapping
from dataclasses import replace

from telos.core.conditions import Condition
from telos.core.errors import Fault, FaultCode, Path, name_hint
from telos.core.values import Kind
from telos.recognition.files.page import Page
from telos.recognition.files.shape import TOWARDS
from telos.recognition.observations import ObservationRules
from telos.recognition.sharing import OTHERS, SHARED
from telos.recognition.symbols import Symbols
from telos.recognition.towards import Look, Table, Towards

ANY_EXIT, EXITS = "any_exit", "exits"  # a file says the first, the context the second


def read_symbols(page: Page, key: str, usual: Symbols) -> Symbols:
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


def read_looks(page: Page, outcomes: Symbols) -> dict[str, ObservationRules]:
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


def _single(page: Page, path: Path, outcomes: Symbols) -> ObservationRules:
    return ObservationRules.of(_look(page, path, outcomes))


def _rules(page: Page, path: Path, outcomes: Symbols) -> ObservationRules:
    rules: list[tuple[Condition | None, Look]] = []
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


def _look(page: Page, path: Path, outcomes: Symbols) -> Look:
    """Return one look, which adds up; if it does not, that is a fault."""
    said = page.sheet.entry(*path)
    towards = TOWARDS.match(said) if isinstance(said, str) else None
    if towards:
        return _towards(page, path, towards[1], outcomes)
    row = page.row(path)
    if row is None:
        return Table({})
    named = {name: float(chance) for name, chance in row.items() if chance != SHARED}
    look = Table(named, SHARED if SHARED in row.values() else None)
    if not page.sheet.is_touched("outcomes"):
        page.tell_all(replace(fault.at(*path), message=_said(path, fault)) for fault in look.faults(outcomes.names))
    return look


def _said(path: Path, fault: Fault) -> str:
    """Say whose look does not add up; a fault of a single entry speaks for itself."""
    return fault.message if fault.path else f"{path[1]!r} {fault.message}"


def _towards(page: Page, path: Path, said: str, outcomes: Symbols) -> Towards:
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
    look = Towards(entry)
    if not page.sheet.is_touched("outcomes"):
        page.tell_all(fault.at(*path) for fault in look.faults(outcomes.names))
    return look


def read_counts(page: Page, path: Path, rows: tuple[str, ...], names: tuple[str, ...]) -> dict[str, dict[str, float]]:
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
