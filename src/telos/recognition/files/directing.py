"""The `director` of a file: rules by which the game adapts to what it believes about its player."""

from dataclasses import replace

from telos.core.errors import FaultCode, Path
from telos.core.files.times import seconds_of
from telos.recognition.director_rules import DirectorRule, director_faults, pay_faults, say_faults
from telos.recognition.files.page import Page


def read_director(page: Page) -> tuple[DirectorRule, ...] | None:
    """Return the rules, or None if the file has none; what is wrong with them is noted on the page."""
    if page.sheet.entry("director") == []:
        remedy = "add one, as in `{if: level > 0.9, pay: {kill: 0.5}}`, or leave `director` out"
        page.sheet.fault("there are no rules", ("director",), remedy, at_key=True, code=FaultCode.EMPTY)
    count = len(page.sheet.entry("director", default=()))
    rules = [_rule(page, ("director", number)) for number in range(count)]
    return tuple(rule for rule in rules if rule is not None) or None


def _rule(page: Page, path: Path) -> DirectorRule | None:
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
    hold = seconds_of(sheet.entry(*path, "for", default=0.0)) or 0.0
    return DirectorRule(condition, until=until, hold=hold, pay=pay, say=say, again_after=seconds_of(again))


def _check_say(page: Page, path: Path, say: str) -> None:
    if page.knows_words:
        for fault in say_faults(say, page.words, page.goals):
            page.tell(replace(fault, path=path))
