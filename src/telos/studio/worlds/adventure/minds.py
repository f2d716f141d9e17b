"""What the studio shows of minds: simulated players, the companion, the monsters and the director."""

from collections.abc import Mapping

from telos.agents.explain import why_not
from telos.core.errors import TelosError, name_hint
from telos.core.values import Value
from telos.studies.players import EXPERIENCED, NOVICE, Player
from telos.studio.mind_view import GoalLine, MindView, StepLine, build_mind_view
from telos.studio.stage import Happening
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.events import Adapted, CompanionLine
from telos.worlds.adventure.rules import Rules
from telos.worlds.adventure.rules_file import COMPANION
from telos.worlds.adventure.views import AdventureView

PRESETS = {"newcomer": NOVICE, "experienced": EXPERIENCED}

# --- who plays --------------------------------------------------------------------------------------------------------


class PlayerSlot:
    """Who plays: the person at the keyboard, or a simulated player of the studies, who sees only the view."""

    def __init__(self, plays: str, seed: int, rules: Rules) -> None:
        preset = PRESETS.get(plays)
        self._rules = rules
        self.player = None if preset is None else Player(seed, preset)

    def held(self, held: str, view: AdventureView) -> str:
        """Return the keys that are held down in the next frame."""
        return held if self.player is None else self.player.input(view)

    @property
    def goal(self) -> str | None:
        """The goal of a simulated player, as the rules name it; None for a person."""
        goal = None if self.player is None else self.player.goal
        return self._rules.goal_of("town") if goal == "town" else goal

    @property
    def step(self) -> str:
        """The current step of a simulated player's plan."""
        return self.player.steps[0].replace("-", " ") if self.player is not None and self.player.steps else ""

    def why_not(self, what: str) -> str:
        """Explain why a simulated player does not pursue a goal or take a step."""
        player = self.player
        if player is None:
            raise TelosError(
                '"why not" is only available for simulated players', "start a game with a simulated player"
            )
        if what in (self.goal, *player.steps):
            return f"{what}: this is what the player is doing."
        if what in self._rules.goals:
            return f"{what}: the game asks for {self.goal}." if self.goal else f"{what}: the player has no goal now."
        return f"{what}: it is not part of the cheapest plan for {self.goal}."

    def mind(self, view: AdventureView) -> MindView | None:
        """Return the mind of a simulated player: the goal and its plan."""
        player = self.player
        if player is None:
            return None
        reason = "the game asks for it" if view.phase else "it has the most left to do"
        goals = tuple(
            GoalLine(
                goal, float(goal == self.goal), True, goal == self.goal, reason if goal == self.goal else "not now"
            )
            for goal in self._rules.goals
        )
        plan = tuple(StepLine(step, "next" if number else "now") for number, step in enumerate(player.steps))
        return MindView(
            who=view.players[0],
            about=f"simulated player, {player.preset.name}",
            time=view.time,
            doing=f"{self.step}, for {self.goal}" if self.step else "looks around",
            goals=goals,
            plan=plan,
            focus=tuple((name, f"{getattr(player.habits, name):.2f}") for name in ("boldness", "baiting", "roaming")),
            why=f"Skill {player.skill(view.time):.2f}; reacts within {player.limits.reaction * 1000:.0f} ms.",
        )


# --- companion, monsters and director ---------------------------------------------------------------------------------


class TraceListener:
    """Collects the speech and the adaptations in the trace of a game."""

    def __init__(self) -> None:
        self._records: list[CompanionLine | Adapted] = []

    def __call__(self, record: object) -> None:
        if isinstance(record, CompanionLine | Adapted):
            self._records.append(record)

    def take(self, game: Adventure) -> list[Happening]:
        """Return what was collected since the last call, as happenings."""
        if not self._records:
            return []
        records, self._records = self._records, []
        return [_trace_happening(record, game) for record in records]


def _trace_happening(record: CompanionLine | Adapted, game: Adventure) -> Happening:
    if isinstance(record, CompanionLine):
        return Happening(record.time, record.who, record.text, "said", why=_format_belief(game))
    director = None if game.reading is None else game.reading.director
    pay = ", ".join(f"a {what} pays {factor:.0%}" for what, factor in record.pay.items()) or "everything pays in full"
    return Happening(
        record.time, "game", record.hint or pay, "game", why=director.why() if director is not None else ""
    )


def _format_belief(game: Adventure) -> str:
    belief = game.belief
    return "" if belief is None else "Belief: " + ", ".join(f"{goal} {p:.0%}" for goal, p in belief.items())


def company_mind(game: Adventure, view: AdventureView, who: str) -> MindView | None:
    """Return the mind of the companion or of a monster; None if there is no such character now."""
    mind = game.minds.get(who)
    if mind is None:
        return None
    if who != COMPANION:
        return build_mind_view(mind, view.time, about=who.partition("-")[0])
    lines = [(said.time, said.text) for said in game.lines]
    name = game.rules.companion.name if game.rules.companion is not None else who
    return build_mind_view(mind, view.time, about=f"{name}, your companion. {_format_belief(game)}", lines=lines)


def company_why_not(game: Adventure, who: str, what: str) -> str:
    """Explain why the companion or a monster does not pursue a goal or perform an action."""
    minds = game.minds
    if who not in minds:
        raise TelosError(
            f"there is no character {who!r} with a mind", name_hint(who, minds) if minds else "choose the rules `wilds`"
        )
    return why_not(minds[who], what)


def company_bands(game: Adventure, view: AdventureView) -> Mapping[str, str]:
    """Return the companion's goal."""
    rules = game.rules.companion
    if rules is None:
        return {}
    return {rules.name: (view.companion.goal or "") if view.companion is not None else ""}


def company_curves(game: Adventure) -> Mapping[str, Mapping[str, float]]:
    """Return what a kill and a chest pay now, if the game has a director."""
    if game.reading is None:
        return {}
    pay = game.pay
    return {"pays": {what: min(1.0, pay.get(what, 1.0)) for what in ("kill", "chest")}}


def company_facts(game: Adventure, view: AdventureView) -> Mapping[str, Value]:
    """Return the values of the companion and the director for watchpoints."""
    rules, companion = game.rules.companion, view.companion
    if rules is None:
        return {}
    state = {"goal": "", "doing": "away", "reading": ""}
    if companion is not None:
        state = {"goal": companion.goal or "", "doing": companion.doing, "reading": companion.reading or ""}
    return {**{f"{rules.name}.{name}": value for name, value in state.items()}, "pay": game.pay.get("kill", 1.0)}
