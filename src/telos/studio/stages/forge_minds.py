"""Minds of the village on paper: the companion's, and that of a player who is simulated."""

from dataclasses import replace

from telos.agents.explaining import why_not
from telos.core.errors import TelosError, name_hint
from telos.studio.minds.of_mind import sheet_of
from telos.studio.minds.sheet import FactLine, GoalLine, MindSheet, StepLine
from telos.worlds.forge.commands import deeds_of
from telos.worlds.forge.companion import Companion
from telos.worlds.forge.domain import PLANS
from telos.worlds.forge.forge import COMPANION, PLAYER
from telos.worlds.forge.log import PLANS as PLAN_WORDS
from telos.worlds.forge.log import WANTS, deed
from telos.worlds.forge.player import SimulatedPlayer
from telos.worlds.forge.scene import Scene


def companion_sheet(companion: Companion, scene: Scene) -> MindSheet:
    """Return the companion's mind, with what it believes about the player in its story."""
    lines = [(time, words) for time, who, words in scene.said if who == COMPANION]
    about = f"companion, who {scene.mode}" + (
        f"; takes you to be after: {companion.reading}" if companion.reading else ""
    )
    sheet = sheet_of(companion.mind, scene.world.time, about=about, lines=lines)
    goal = companion.mind.goal
    doing = deed(scene.world.view().person(COMPANION).doing)
    return replace(sheet, doing=f"{doing}, to {WANTS[goal]}" if goal in WANTS else doing, why=companion.why())


def player_sheet(player: SimulatedPlayer, scene: Scene) -> MindSheet:
    """Return what a simulated player is after: one plan of three, its steps, and what is counted on."""
    person, now = scene.world.people[PLAYER], scene.world.time
    facts = [FactLine("place", PLAYER, 0.0, 1.0, f"at the {person.place}")]
    facts.append(FactLine("hands", PLAYER, 0.0, 1.0, f"{person.hands}, pocket {person.pocket}"))
    if player.promise is not None:
        facts.append(FactLine("promise", COMPANION, 0.0, 1.0, f"will see to: {player.promise}"))
    goals = tuple(
        GoalLine(plan, float(plan == player.plan), True, plan == player.plan, PLAN_WORDS[plan]) for plan in PLANS
    )
    steps = tuple(StepLine(step, "now" if place == 0 else "next") for place, step in enumerate(player.steps))
    asked = "for nothing" if not player.asked else "once" if player.asked == 1 else f"{player.asked} times"
    return MindSheet(
        who=PLAYER,
        about="a simulated player, within human limits",
        time=now,
        doing=deed(scene.world.view().person(PLAYER).doing),
        goals=goals,
        plan=steps,
        facts=tuple(facts),
        lines=tuple((time, words) for time, who, words in scene.said if who == PLAYER),
        actions=tuple(deeds_of(scene.world.domain, PLAYER)),
        why=f"The player wants to {PLAN_WORDS[player.plan]}, and has asked {asked}.",
    )


def why_not_of_companion(companion: Companion, what: str) -> str:
    """Say why the companion does not pursue a goal, or does not do an action."""
    return why_not(companion.mind, what)


def why_not_of_player(player: SimulatedPlayer, what: str) -> str:
    """Say why a simulated player does not follow a plan, or does not do an action."""
    if what in PLANS:
        if what == player.plan:
            return f"{what}: it is what the player is after."
        return f"{what}: this player was given the plan {player.plan}; to read that is up to you."
    actions = deeds_of(player.world.domain, PLAYER)
    if what not in actions:
        raise TelosError(f"{what!r} is neither a plan nor an action of the player", name_hint(what, [*PLANS, *actions]))
    if what in player.steps:
        return f"{what}: it is part of the plan."
    unmet = actions[what].preconditions.unmet(player.world.state_of(PLAYER))
    if unmet:
        return f"{what}: it needs {unmet[0]}."
    return f"{what}: it is possible, but no part of the cheapest way to {PLAN_WORDS[player.plan]}."
