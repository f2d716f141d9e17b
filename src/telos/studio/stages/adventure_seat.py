"""Who plays the adventure: whoever sits at the keyboard, or one of the simulated players of the studies."""

from telos.core.errors import TelosError
from telos.studies.players import EXPERIENCED, NOVICE, Player
from telos.studio.minds.sheet import GoalLine, MindSheet, StepLine
from telos.worlds.adventure.rules import Rules
from telos.worlds.adventure.views import AdventureView

YOU = "you"
PRESETS = {"newcomer": NOVICE, "experienced": EXPERIENCED}


class Seat:
    """The place at the keyboard. A simulated player looks at the view, as people do at the screen."""

    def __init__(self, plays: str, seed: int, rules: Rules) -> None:
        preset = PRESETS.get(plays)
        self._rules = rules
        self.player = None if preset is None else Player(seed, preset)

    def held(self, held: str, view: AdventureView) -> str:
        """Return what is held down in the next frame."""
        return held if self.player is None else self.player.input(view)

    @property
    def goal(self) -> str | None:
        """Return what a simulated player is after, in the words of the rules; None for people, who do not say."""
        goal = None if self.player is None else self.player.goal
        return self._rules.goal_of("town") if goal == "town" else goal

    @property
    def step(self) -> str:
        """Return the step of the plan that a simulated player is at."""
        return self.player.steps[0].replace("-", " ") if self.player is not None and self.player.steps else ""

    def why_not(self, what: str) -> str:
        """Say why a simulated player does not pursue a goal, or take a step."""
        player = self.player
        if player is None:
            raise TelosError("people are not asked why here", "let a simulated player play")
        if what in (self.goal, *player.steps):
            return f"{what}: it is what they are at."
        if what in self._rules.goals:
            return f"{what}: the game asks for {self.goal}." if self.goal else f"{what}: nothing is wanted now."
        return f"{what}: it is no part of the cheapest plan for {self.goal}."

    def sheet(self, view: AdventureView) -> MindSheet | None:
        """Return a simulated player's mind on paper: the goal, and the plan for it."""
        player = self.player
        if player is None:
            return None
        told = "the game asks for it" if view.phase else "it is what they have most left of"
        goals = tuple(
            GoalLine(goal, float(goal == self.goal), True, goal == self.goal, told if goal == self.goal else "not now")
            for goal in self._rules.goals
        )
        plan = tuple(StepLine(step, "next" if number else "now") for number, step in enumerate(player.steps))
        return MindSheet(
            who=view.players[0],
            about=f"simulated player, {player.preset.name}",
            time=view.time,
            doing=f"{self.step}, for {self.goal}" if self.step else "looks around",
            goals=goals,
            plan=plan,
            focus=tuple((name, f"{getattr(player.habits, name):.2f}") for name in ("boldness", "baiting", "roaming")),
            why=f"Skill {player.skill(view.time):.2f}; reacts within {player.limits.reaction * 1000:.0f} ms.",
        )
