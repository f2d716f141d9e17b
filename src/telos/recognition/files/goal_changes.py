"""The `transitions` of a file, and its `prior`: how goals follow one another."""

from telos.core.errors import FaultCode, Path
from telos.recognition.files.chances import updates_of
from telos.recognition.files.page import Page
from telos.recognition.files.shape import FROM
from telos.recognition.sharing import SHARED, shared_out
from telos.recognition.transitions import ANY, Row, TransitionCase, TransitionRules

LASTS = 100.0  # updates, where a file does not say


def read_transitions(page: Page) -> TransitionRules:
    """Return the rules by which goals change; what is wrong with them is noted on the page."""
    path: Path = ("transitions",)
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


def read_prior(page: Page) -> dict[str, float] | None:
    """Return how likely each goal is at first; None for evenly."""
    row = page.row(("prior",))
    if row is None:
        return None
    return _shared(page, ("prior",), row)


def _lasts(page: Page) -> float | dict[str, float]:
    path: Path = ("transitions", "lasts")
    said = page.sheet.entry(*path, default=LASTS)
    if not isinstance(said, dict):
        return updates_of(said) or LASTS
    found = dict.fromkeys(page.goals, LASTS)
    for where, updates in list(page.sheet.items(*path)):
        if page.is_goal(where, str(where[-1]), at_key=True):
            found[str(where[-1])] = updates_of(updates) or LASTS
    for goal in page.goals:
        if goal not in said and not page.sheet.is_touched(*path):
            page.note(f"how long does {goal!r} last?", path, f"add `{goal}: 100 updates`", code=FaultCode.INCOMPLETE)
    return found


def _rows(page: Page, path: Path) -> dict[str, Row]:
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


def _shared(page: Page, path: Path, row: Row) -> dict[str, float] | None:
    """Return a chance for every goal, or None if the row does not add up, which is a fault."""
    if page.sheet.is_touched("goals"):
        return None
    share = SHARED in row.values()
    named = {goal: float(chance) for goal, chance in row.items() if chance != SHARED}
    chances, faults = shared_out(named, page.goals, "goal", share=share)
    page.tell_all(fault.at(*path) for fault in faults)
    return None if faults else dict(zip(page.goals, chances, strict=True))


def _check_rows_are_complete(page: Page, usual: dict[str, Row]) -> None:
    if not usual or ANY in usual or page.sheet.is_touched("transitions"):
        return
    for goal in page.goals:
        if goal not in usual:
            remedy = f"add `from {goal}: {{…}}`, or `lasts` in place of rows"
            page.note(
                f"no row says what follows {goal!r}", ("transitions",), remedy, at_key=True, code=FaultCode.INCOMPLETE
            )
