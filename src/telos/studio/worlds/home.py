"""The house in the studio: `HomeStage`, residents that act on their motives, to watch, to poke or to direct.

`resident_mind` and `resident_why_not` explain their choices.
"""

from collections.abc import Mapping, Sequence

from telos.agents.motives import Decision
from telos.choosing.choose import Choice
from telos.core.errors import DefinitionError, Fault, TelosError, name_hint
from telos.core.goal import Goal
from telos.core.trace import as_json
from telos.core.values import Value
from telos.planning.alternatives import Alternative
from telos.studio.mind_view import FactLine, GoalLine, MindView, Need, StepLine
from telos.studio.plan_choice import MAX_ALTERNATIVES, PlanChoice, PlanningMoment
from telos.studio.stage import (
    CHOICE_KEYS,
    ClickTarget,
    Happening,
    Hud,
    Inputs,
    Model,
    PlayerChoice,
    Poke,
    Setting,
    Stage,
    StudioWorld,
)
from telos.studio.worlds.home_drawing import (
    HEIGHT,
    SYMBOLS,
    WIDTH,
    draw_floor_plan,
    draw_scene,
    middle,
    person_positions,
)
from telos.studio.worlds.shapes import Picture
from telos.worlds.home import home as home_world
from telos.worlds.home.house import NAMES, SECOND_FRIDGE
from telos.worlds.home.household import Household
from telos.worlds.home.motives_file import load_motives_text, parse_motives
from telos.worlds.home.trace import Accident, Began, Delivered, HomeChoice, Poked, why_unchosen
from telos.worlds.home.views import PersonView

NOBODY = "nobody"
MOTIVES = "motives"  # the file of the house
_ABOUT_MOTIVES = "What the people in the house need: how fast each need grows, and how much it counts."
_POKE = "poke "
_REACH = 20.0  # of a click, in picture units
_TITLES = {
    "get-snack": "Have a snack", "take-ingredients": "Take ingredients to cook", "insert": "Fill the oven",
    "cook": "Cook", "take-out": "Take the meal out of the oven", "eat": "Eat at the table", "use": "Use the toilet",
    "wash-hands": "Wash hands", "shower": "Take a shower", "watch-tv": "Watch television",
    "play": "Play on the console", "read": "Read in the study", "ring-friend": "Phone a friend", "sleep": "Sleep",
    "chat": "Chat", "potter": "Potter about",
}  # fmt: skip


class HomeStage(Stage):
    """A household, one minute per step. A command is a poke, or an action for the resident that the user directs."""

    name, title = "home", "A house, and people who live in it by their motives"
    rate, size, symbols = 10.0, (WIDTH, HEIGHT), SYMBOLS
    unit = "min"
    needs_pad = False

    def __init__(self, seed: int, *, people: int = 4, you: str = NOBODY) -> None:
        self._records: list[object] = []
        self._wanted = you
        self.you = you if you in NAMES[:people] else None  # only if that resident exists
        self.is_played = self.you is not None
        self.keys = CHOICE_KEYS if self.you is not None else ()
        played = () if self.you is None else (self.you,)
        self.household = Household(people, seed=seed, played=played, trace=self._records.append)
        self._seed = seed
        self._motives = load_motives_text()
        self._backdrops: dict[str, Picture] = {}

    # --- playing ------------------------------------------------------------------------------------------------------

    def step(self, inputs: Inputs) -> Sequence[Happening]:
        """Advance by one minute; an invalid command raises before anything has changed."""
        asked = [line.strip() for line in inputs.asked]
        done = list(dict.fromkeys(line.removeprefix(_POKE).strip() for line in asked if line.startswith(_POKE)))
        commands = dict(self._parse(line) for line in asked if not line.startswith(_POKE))
        for name in done:
            home_world.find_poke(self.household.home, name)
        self.household.home.check(commands)
        known = len(self._records)
        for name in done:
            self.household.poke(name)
        self.household.step(self._still_possible(commands) if done else commands)
        happened = (self._happening(record) for record in self._records[known:])
        return [happening for happening in happened if happening is not None]

    def _parse(self, line: str) -> tuple[str, str]:
        """Return the resident and the action of ``Ada: toilet.use``, or of an action for the directed resident."""
        who, colon, action = line.partition(":")
        if not colon and self.you is None:
            raise TelosError(f"the command {line!r} names no resident", f"write `{NAMES[0]}: {line}`")
        return (who.strip(), action.strip()) if colon else (str(self.you), line)

    def _still_possible(self, commands: Mapping[str, str]) -> dict[str, str]:
        """Return the commands, or none if a poke of the same minute has made them impossible."""
        try:
            self.household.home.check(commands)
        except TelosError:
            return {}
        return dict(commands)

    # --- the picture --------------------------------------------------------------------------------------------------

    def backdrop(self) -> tuple[str, Picture]:
        """Return the house; its key changes when furniture is added."""
        plan = self.household.home.plan
        key = f"home {len(plan.furniture)}"
        if key not in self._backdrops:
            self._backdrops[key] = draw_floor_plan(plan)
        return key, self._backdrops[key]

    def picture(self) -> Picture:
        """Return the residents, the light, and a card per resident."""
        return draw_scene(self.household.home.plan, self.household.view)

    def hud(self) -> Hud:
        """Return the clock, the food left, and the problems of the house."""
        view, food = self.household.view, str(self.household.home.food)
        return Hud(self._task(), counts=(("food", food),), clock=f"day {view.day}, {view.clock}")

    def _task(self) -> str:
        """Return who waits for a command, and the problems of the house."""
        view = self.household.view
        problems = [f"the {room} is locked" for room in sorted(view.locked)]
        problems += [] if view.has_power else ["the power is out"]
        lines = [", ".join(problems).capitalize()] if problems else []
        if self.you is not None and view.person(self.you).doing is None:
            lines = [f"{self.you} waits: click a thing or a person, or choose below", *lines]
        elif self.you is None and self._wanted != NOBODY:
            lines = [f"{self._wanted} does not live here: start a game with more people", *lines]
        return ". ".join(lines) or ("Poke the house, and see how they react" if self.you is None else "")

    @property
    def time(self) -> float:
        """The minutes since the start of day 1."""
        return float(self.household.view.time)

    # --- the instruments ----------------------------------------------------------------------------------------------

    def bands(self) -> Mapping[str, str]:
        """Return each resident's activity."""
        return {each.name: "walk" if each.walking else each.kind for each in self.household.view.people}

    def action_rows(self) -> Sequence[str]:
        """Return all rows: who cooks stops for a moment between the steps of a meal."""
        return self.characters()

    def curves(self) -> Mapping[str, Mapping[str, float]]:
        """Return the motives of each resident; 1 is the strongest."""
        return {
            person.name: {motive: min(1.0, level / 10) for motive, level in person.levels.items()}
            for person in self.household.view.people
        }

    def facts(self) -> Mapping[str, Value]:
        """Return the hour, the food left, the problems of the house, and the state of each resident."""
        view, home = self.household.view, self.household.home
        facts: dict[str, Value] = {
            "hour": view.time // 60 % 24,
            "day": view.day,
            "food": home.food,
            "power": view.has_power,
            "bathroom_locked": home_world.BATHROOM in view.locked,
        }
        for person in view.people:
            facts[f"{person.name}.doing"] = person.doing or "nothing"
            facts[f"{person.name}.kind"] = person.kind
            facts[f"{person.name}.room"] = person.room.replace(" ", "_")
            facts |= {f"{person.name}.{motive}": round(level, 3) for motive, level in person.levels.items()}
        return facts

    def characters(self) -> Sequence[str]:
        """Return all residents."""
        return self.household.view.players

    def mind(self, who: str) -> MindView | None:
        """Return the mind of a resident."""
        return resident_mind(self.household, who) if who in self.household.minds else None

    def why_not(self, who: str, what: str) -> str:
        """Explain why a resident does not perform an action or satisfy a motive."""
        if who not in self.household.minds:
            return super().why_not(who, what)
        return resident_why_not(self.household, who, what)

    def sources(self, who: str) -> Sequence[str]:
        """Return the file of motives, which all residents live by."""
        return (MOTIVES,) if who in self.household.minds else ()

    def planning(self, who: str) -> PlanningMoment | None:
        """Return the motives and all actions of a resident: a mind of motives plans no further than one action."""
        mind = self.household.minds.get(who)
        if mind is None:
            return None
        actions = tuple(self.household.home.activity(name).action for name in _actions(self.household, who))
        person = self.household.view.person(who)
        steps = tuple(each for each in actions if each.name == person.doing)
        goal = max(mind.goals, key=lambda goal: sum(-step.changes.get(goal.name, 0.0) for step in steps))
        return PlanningMoment(mind.goals, actions, goal=goal if steps else None, steps=steps)

    def plan_choice(self, who: str) -> PlanChoice:
        """Return the table of a resident's last choice: what each action would leave of discontentment."""
        decision = self.household.decisions.get(who)
        if decision is None:
            raise TelosError(f"{who} has not chosen anything yet", "look again after a minute")
        return to_plan_choice(who, decision)

    def pokes(self) -> Sequence[Poke]:
        """Return the possible interventions."""
        return [Poke(each.name, each.title) for each in home_world.available_pokes(self.household.home)]

    def commands(self) -> Sequence[str]:
        """Return the actions that the directed resident could perform now."""
        if self.you is None or not self.household.view.person(self.you).interruptible:
            return ()
        return [offer.action.name for offer in self.household.home.offers(self.you)]

    # --- the file -----------------------------------------------------------------------------------------------------

    def models(self) -> Sequence[Model]:
        """Return the motives of the residents."""
        return (Model(MOTIVES, "Motives", self._motives, f"{MOTIVES}.yaml", about=_ABOUT_MOTIVES, check=find_faults),)

    def apply(self, name: str, text: str) -> str:
        """Let the residents live by new motives from now on; an invalid text changes nothing."""
        if name != MOTIVES:
            raise TelosError(f"there is no file {name!r} in this house", name_hint(name, [MOTIVES]))
        before = self.household.minds[self.household.view.players[0]]
        self.household.set_motives(parse_motives(text, file=f"{MOTIVES}.yaml"))
        self._motives = text
        after = self.household.minds[self.household.view.players[0]]
        changed = [new.name for old, new in zip(before.goals, after.goals, strict=True) if _counts(old) != _counts(new)]
        return f"Everybody lives by the new motives from now on. Changed: {', '.join(changed) or 'no level or rate'}."

    # --- what the user may click --------------------------------------------------------------------------------------

    def choices(self) -> Sequence[PlayerChoice]:
        """Return what the directed resident could do now; without one, the interventions."""
        if self.you is None:
            return [PlayerChoice(poke.title, f"{_POKE}{poke.name}") for poke in self.pokes()]
        return [PlayerChoice(_title(command), command) for command in self.commands()]

    def targets(self) -> Sequence[ClickTarget]:
        """Return the furniture and people that the directed resident could use or talk to now."""
        if self.you is None:
            return ()
        plan, things = self.household.home.plan, self.household.home.things
        people = person_positions(plan, self.household.view)
        by_thing: dict[str, list[PlayerChoice]] = {}
        for choice in self.choices():
            by_thing.setdefault(choice.command.rpartition(".")[0], []).append(choice)
        found = []
        for name, choices in by_thing.items():
            cells = plan.furniture.get(things[name].symbol, ()) if name in things else ()
            if name in people or cells:
                x, y = people[name] if name in people else middle(cells)
                found.append(ClickTarget(name, name.replace("_", " "), x, y, _REACH, tuple(choices)))
        return found

    def _happening(self, record: object) -> Happening | None:
        """Return a trace record as a happening, if the timeline shows it."""
        match record:
            case HomeChoice():
                why = record.why if record.because is None else f"{record.because}; {record.why}"
                return Happening(record.time, record.person, record.words, why=why)
            case Began() if not self._is_chosen(record):
                return Happening(record.time, record.person, record.words, why=why_unchosen(record.action))
            case Accident():
                return Happening(record.time, record.person, "has an accident", "bad", why="the bathroom was locked")
            case Delivered():
                return Happening(record.time, "grocer", "fills the fridge", "game")
            case Poked():
                return Happening(record.time, "you", record.words, "game", why="an observer did this")
        return None

    def _is_chosen(self, record: Began) -> bool:
        """Return whether a started action was chosen: the choice is on the timeline already."""
        decision = self.household.decisions.get(record.person)
        return decision is not None and decision.action.name == record.action

    def recording(self) -> tuple[str, bytes]:
        """Return the trace so far, as ``telos watch home --json`` prints it."""
        lines = "".join(f"{as_json(record)}\n" for record in self._records)
        return f"home-seed{self._seed}.jsonl", lines.encode()


def _title(command: str) -> str:
    """Return an action as a choice.

    >>> _title("fridge.get-snack"), _title("Ben.chat"), _title("potter")
    ('Have a snack', 'Chat with Ben', 'Potter about')
    """
    thing, _, deed = command.rpartition(".")
    title = _TITLES.get(deed, deed.replace("-", " ").capitalize())
    if deed == "chat":
        return f"{title} with {thing}"
    return f"{title} (second fridge)" if thing == SECOND_FRIDGE else title


def find_faults(text: str) -> Sequence[Fault]:
    """Return all faults of a file of motives."""
    try:
        parse_motives(text, file=f"{MOTIVES}.yaml")
    except DefinitionError as error:
        return error.faults
    return ()


def _counts(motive: Goal) -> tuple[float, ...]:
    """Return what tells two motives apart: the drift, and how much some levels count."""
    return motive.drift, *(round(motive.discontentment(level), 9) for level in (1.0, 2.5, 5.0, 7.5, 10.0))


def _make(seed: int, settings: Mapping[str, str]) -> HomeStage:
    return HomeStage(seed, people=int(settings["people"]), you=settings["you"])


HOME = StudioWorld(
    "home",
    "Home",
    "People who act on their motives. Lock the bathroom, drop a fridge, and see how they react.",
    (
        Setting("people", "People", "4", tuple(map(str, range(1, len(NAMES) + 1)))),
        Setting(
            "you",
            "You play",
            NOBODY,
            (NOBODY, *NAMES),
            "the resident that you direct; the others decide themselves",
            {NOBODY: "Nobody"},
        ),
    ),
    _make,
)


# --- minds ------------------------------------------------------------------------------------------------------------


def resident_mind(household: Household, who: str) -> MindView:
    """Return a resident's mind: motives by insistence, the current action, and the table of the last choice."""
    person = household.view.person(who)
    decision = household.decisions.get(who)
    is_own = decision is not None and decision.action.name == person.doing
    if decision is None or not is_own:
        story = f"{who} did not choose this: {why_unchosen(person.doing)}." if person.doing else f"{who} waits."
    else:
        story = f"{decision.why}\n{decision.choice.why()}"
    return MindView(
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
    changes = {} if person.doing is None else household.home.activity(person.doing).action.changes
    promises = {} if person.doing is None else household.home.activity(person.doing).action.promises
    lines = []
    for goal in mind.goals:
        level, drift = person.levels[goal.name], person.drift[goal.name]
        is_helped = changes.get(goal.name, 0.0) < 0 or promises.get(goal.name, 0.0) < 0
        weight = goal.discontentment(level)
        reason = f"{level:.1f} of 10, {drift * 60:+.1f} an hour; counts {weight:.1f}"
        if level >= mind.urgent:
            reason += "; cannot wait"
        lines.append(GoalLine(goal.name, round(level, 2), weight > 0, is_helped, reason))
    return tuple(sorted(lines, key=lambda line: -line.weight))


def _plan(household: Household, person: PersonView) -> tuple[StepLine, ...]:
    """Return the walk and the action: a mind of motives plans no further than one action."""
    if person.doing is None:
        return ()
    action = household.home.activity(person.doing).action
    body = household.home.bodies[person.name]
    assert body.current is not None
    where = household.home.plan.room_at(body.current.place)
    effects = [f"{name} {by:+g}" for name, by in {**action.promises, **action.changes}.items()]
    needs = tuple(Need(str(part), True) for part in action.preconditions.parts)
    walk = StepLine(f"walk to the {where}", "now" if person.walking else "done", cost=float(body.current.walk))
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
    """Return all actions that a resident may ever perform."""
    names = ["potter"]
    for thing in household.home.things.values():
        if thing.name != who and not (thing.name.endswith("s_bed") and thing.name != f"{who}s_bed"):
            names += [action.name for action in thing.posted.actions]
    return tuple(names)


def to_plan_choice(who: str, decision: Decision) -> PlanChoice:
    """Return a choice by motives as a plan of one step, beside the best other actions."""
    choice = decision.choice
    others = sorted((value, action.name) for action, value, _ in choice.rated if action is not choice.action)
    found = []
    for value, name in others[:MAX_ALTERNATIVES]:
        extra = value - choice.value
        why = f"it leaves {extra:.3g} more" if extra > 0 else "it leaves the same, and stands later in the list"
        found.append(Alternative((), (name,), value, extra, why))
    return PlanChoice(who, decision.why, (choice.action.name,), choice.value, tuple(found), "discontentment")


def resident_why_not(household: Household, who: str, what: str) -> str:
    """Explain why a resident does not perform an action or satisfy a motive."""
    if what in {goal.name for goal in household.minds[who].goals}:
        return _why_not_motive(household, who, what)
    if what not in (known := _actions(household, who)):
        raise TelosError(f"{what!r} is neither a motive nor an action of {who}", name_hint(what, known))
    person, decision = household.view.person(who), household.decisions.get(who)
    if person.doing == what:
        return f"{what}: {who} is doing this now."
    if decision is not None:
        said = _compare_with_choice(decision.choice, what)
        if said is not None:
            return said
    try:
        household.home.check({who: what})
    except TelosError as error:
        return f"{what}: {error}."
    return f"{what}: it was not available when {who} chose last, or helped no motive at that time."


def _compare_with_choice(choice: Choice, what: str) -> str | None:
    """Return the value of an action beside that of the chosen one."""
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
                f" It takes {row.time:.0f} min with the walk, and leaves {moved or 'all the same'}."
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
    if person.doing is not None and household.home.activity(person.doing).action.changes.get(motive, 0.0) < 0:
        return f"{motive}: {person.doing} satisfies it."
    helping = {
        offer.action.name
        for offer in household.home.offers(who)
        if offer.action.changes.get(motive, 0.0) < 0 or offer.action.promises.get(motive, 0.0) < 0
    }
    if not helping:
        return f"{motive}: at {level:.1f} it counts {weight:.1f}, but no available action would help."
    rest = (
        f"{decision.action.name} was the better choice: {decision.why}"
        if decision is not None
        else "there was no choice"
    )
    return f"{motive}: at {level:.1f} it counts {weight:.1f}; {', '.join(sorted(helping))} would help, but {rest}."
