"""The mind of a simulated visitor on paper: wishes, the errand, and what is remembered. Looking changes nothing."""

from collections.abc import Iterator

from telos.core.errors import TelosError, name_hint
from telos.studio.minds.sheet import FactLine, GoalLine, MindSheet, StepLine
from telos.worlds.island.domain import the_domain
from telos.worlds.island.islander import IDLE, Islander
from telos.worlds.island.log import WANTS, plain
from telos.worlds.island.recollection import PLACE
from telos.worlds.island.tempers_files import the_styles


def island_sheet(islander: Islander, who: str, now: float) -> MindSheet:
    """Return what goes on in a visitor."""
    return MindSheet(
        who=who,
        about=f"{islander.temper.style}: {the_styles().about[islander.temper.style]}",
        time=now,
        doing=_doing(islander),
        goals=tuple(_goals(islander)),
        plan=tuple(_plan(islander)),
        facts=tuple(_facts(islander, now)),
        focus=tuple(_focus(islander)),
        actions=the_domain().action_sets["body"],
        why=_story(islander),
    )


def island_why_not(islander: Islander, what: str) -> str:
    """Say why a visitor does not pursue a goal, or does not do an action."""
    pursued = islander.intention
    if what in islander.levels:
        return _why_not_goal(islander, what)
    actions = the_domain().action_sets["body"]
    if what not in actions:
        raise TelosError(f"{what!r} is neither a goal nor an action", name_hint(what, [*islander.levels, *actions]))
    if islander.errand is not None and what in {step.name for step in islander.errand.steps}:
        return f"{what}: it is part of the plan."
    needs = the_domain().action(what).preconditions
    return f"{what}: it is no part of the cheapest plan for {pursued}. It would need: {needs}."


def _why_not_goal(islander: Islander, goal: str) -> str:
    pursued, level = islander.intention, islander.levels[goal]
    if goal == pursued:
        return f"{goal}: it is what they pursue."
    if goal not in islander.wishes:
        return f"{goal}: they know of nothing that it could be about now."
    if pursued == IDLE:
        return f"{goal}: nothing has been chosen yet."
    return (
        f"{goal}: its wish is at {level:.1f}, that for {pursued} at {islander.levels[pursued]:.1f}; when they chose, "
        f"{pursued} left less discontent, the way there and the time for it counted in."
    )


def _doing(islander: Islander) -> str:
    return "looks for something to do" if islander.errand is None else f"wants to {WANTS[islander.errand.goal]}"


def _goals(islander: Islander) -> Iterator[GoalLine]:
    wishes, pursued = islander.wishes, islander.intention
    for name, level in sorted(islander.levels.items(), key=lambda each: -each[1]):
        can = "can be done" if name in wishes else "nothing known that it could be about"
        why = "pursued" if name == pursued else can
        yield GoalLine(name, round(level, 2), name in wishes or name == pursued, name == pursued, why)


def _plan(islander: Islander) -> Iterator[StepLine]:
    errand = islander.errand
    for number, step in enumerate(errand.steps if errand else ()):
        effects = tuple(str(effect) for effect in step.effects)
        yield StepLine(str(step), "next" if number else "now", effects=effects)


def _facts(islander: Islander, now: float) -> Iterator[FactLine]:
    memory = islander.known.memory
    for fact in memory:
        if now < memory.gone_at(fact):
            where = fact.get(PLACE)
            text = f"at {plain(str(where))}" if where is not None else ""
            age = max(0.0, now - fact.time)
            yield FactLine(fact.kind, fact.subject, age, min(1.0, memory.confidence(fact, now)), text)


def _focus(islander: Islander) -> Iterator[tuple[str, str]]:
    errand = islander.errand
    if errand is not None:
        about = errand.focus
        told = (
            ("spot", about.spot),
            ("about", about.subject),
            ("detail", about.detail),
            ("source", about.source or ""),
        )
        yield from ((slot, plain(value)) for slot, value in told if value)


def _story(islander: Islander) -> str:
    wish, errand = islander.wish, islander.errand
    if errand is None or wish is None:
        return "Nothing is being pursued."
    second = f", ahead of {wish.runner_up}" if wish.runner_up else ""
    lines = [f"Wants to {WANTS[errand.goal]}: {errand.goal} was at {wish.level:.1f} when it was chosen{second}."]
    steps = " → ".join(map(str, errand.steps))
    return "\n".join([*lines, f"Left of the plan: {steps}.", f"{errand.given} commands were given for it so far."])
