"""Minds of the house on paper: motives, the action that was chosen by them, and why not another."""

from telos.choosing.choice import Choice
from telos.core.errors import TelosError, name_hint
from telos.studio.minds.sheet import FactLine, GoalLine, MindSheet, Need, StepLine
from telos.worlds.home.household import Household
from telos.worlds.home.log import why_unchosen
from telos.worlds.home.views import PersonView


def sheet_of(household: Household, who: str) -> MindSheet:
    """Return somebody's mind: motives by insistence, what they do and for how long, and the table they chose from."""
    person = household.view.person(who)
    decision = household.decisions.get(who)
    is_own = decision is not None and decision.action.name == person.doing
    if decision is None or not is_own:
        story = f"{who} has not chosen this: {why_unchosen(person.doing)}." if person.doing else f"{who} waits."
    else:
        story = f"{decision.why}\n{decision.choice.why()}"
    return MindSheet(
        who=who,
        about=f"lives here, in the {person.room} now" if person.room != "door" else "lives here, in a doorway now",
        time=float(household.view.time),
        doing=_doing(person),
        goals=_goals(household, person),
        plan=_plan(household, person),
        facts=_facts(household, person),
        actions=_actions(household, who),
        why=story,
    )


def _doing(person: PersonView) -> str:
    if person.doing is None:
        return "waits for something to do"
    if person.walking:
        return f"is on the way: {person.words}"
    return f"{person.words}, {person.left} min left"


def _goals(household: Household, person: PersonView) -> tuple[GoalLine, ...]:
    mind = household.minds[person.name]
    changes = {} if person.doing is None else household.home.deed(person.doing).action.changes
    promises = {} if person.doing is None else household.home.deed(person.doing).action.promises
    lines = []
    for goal in mind.goals:
        level, drift = person.levels[goal.name], person.drift[goal.name]
        is_helped = changes.get(goal.name, 0.0) < 0 or promises.get(goal.name, 0.0) < 0
        weight = goal.discontentment(level)
        said = f"{level:.1f} of 10, {drift * 60:+.1f} an hour; counts {weight:.1f}"
        if level >= mind.urgent:
            said += "; cannot wait"
        lines.append(GoalLine(goal.name, round(level, 2), weight > 0, is_helped, said))
    return tuple(sorted(lines, key=lambda line: -line.weight))


def _plan(household: Household, person: PersonView) -> tuple[StepLine, ...]:
    """Return the way and the deed: a mind of motives looks no further than one action."""
    if person.doing is None:
        return ()
    action = household.home.deed(person.doing).action
    body = household.home.bodies[person.name]
    assert body.errand is not None
    where = household.home.plan.room(body.errand.place)
    effects = [f"{name} {by:+g}" for name, by in {**action.promises, **action.changes}.items()]
    needs = tuple(Need(str(part), True) for part in action.preconditions.parts)
    walk = StepLine(f"walk to the {where}", "now" if person.walking else "done", cost=float(body.errand.walk))
    state = "next" if person.walking else "now"
    return walk, StepLine(action.name, state, needs, (*effects, *map(str, action.effects)), float(person.left))


def _facts(household: Household, person: PersonView) -> tuple[FactLine, ...]:
    own = household.home.bodies[person.name].own
    lines = [
        FactLine("place", person.name, 0.0, 1.0, f"in the {person.room}" if person.room != "door" else "in a doorway"),
        FactLine("hands", person.name, 0.0, 1.0, f"carries {person.carrying}" + (", dirty" if own[2] else "")),
    ]
    for name, value in household.view.things.items():
        thing, _, what = name.partition(".")
        if thing != person.name and value is not None:
            lines.append(FactLine("thing", thing, 0.0, 1.0, f"{what}: {str(value).lower()}"))
    return tuple(lines)


def _actions(household: Household, who: str) -> tuple[str, ...]:
    """Return what somebody could ever do: what is for others alone is left out."""
    names = ["potter"]
    for thing in household.home.things.values():
        if thing.name != who and not (thing.name.endswith("s_bed") and thing.name != f"{who}s_bed"):
            names += [action.name for action in thing.posted.actions]
    return tuple(names)


def why_not(household: Household, who: str, what: str) -> str:
    """Say why somebody does not do an action, or does not see to a motive."""
    if what in {goal.name for goal in household.minds[who].goals}:
        return _why_not_motive(household, who, what)
    if what not in (known := _actions(household, who)):
        raise TelosError(f"{what!r} is neither a motive nor an action of {who}", name_hint(what, known))
    person, decision = household.view.person(who), household.decisions.get(who)
    if person.doing == what:
        return f"{what}: {who} is doing just that."
    if decision is not None:
        said = _compared(decision.choice, what)
        if said is not None:
            return said
    try:
        household.home.check({who: what})
    except TelosError as error:
        return f"{what}: {error}."
    return f"{what}: it was not on offer when {who} chose last, or was no help with anything felt then."


def _compared(choice: Choice, what: str) -> str | None:
    """Say what an action was rated at, beside the one that was chosen."""
    chosen = next(row for row in choice.table if row.action is choice.action)
    for row in choice.table:
        if row.action.name == what and row is not chosen:
            moved = ", ".join(
                f"{goal.name} {goal.insistence:.1f} → {row.levels[goal.name]:.1f}"
                for goal in choice.goals
                if abs(row.levels[goal.name] - chosen.levels[goal.name]) > 0.05
            )
            return (
                f"{what}: it would leave a discontentment of {row.value:.2f}, and {chosen.action.name}"
                f" {chosen.value:.2f} (less is better)."
                f" It takes {row.time:.0f} min with the way, and leaves {moved or 'all the same'}."
            )
    return None


def _why_not_motive(household: Household, who: str, motive: str) -> str:
    person, mind = household.view.person(who), household.minds[who]
    goal = next(each for each in mind.goals if each.name == motive)
    level = person.levels[motive]
    weight = goal.discontentment(level)
    if weight <= 0:
        return f"{motive}: at {level:.1f} it is not felt yet."
    decision = household.decisions.get(who)
    if person.doing is not None and household.home.deed(person.doing).action.changes.get(motive, 0.0) < 0:
        return f"{motive}: {person.doing} is for just that."
    helping = {
        offer.action.name
        for offer in household.home.offers(who)
        if offer.action.changes.get(motive, 0.0) < 0 or offer.action.promises.get(motive, 0.0) < 0
    }
    if not helping:
        return f"{motive}: at {level:.1f} it counts {weight:.1f}, but nothing on offer now would help."
    rest = f"{decision.action.name} was the better choice: {decision.why}" if decision is not None else "nobody chose"
    return f"{motive}: at {level:.1f} it counts {weight:.1f}; {', '.join(sorted(helping))} would help, but {rest}."
