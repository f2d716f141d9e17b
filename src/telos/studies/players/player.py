"""``Player``: a simulated player who plans for what the game asks, and acts with human limits."""

import math
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from random import Random

import telos
from telos.core.errors import TelosError
from telos.core.values import Value
from telos.planning.planner import Planner
from telos.studies.players.motor import EVERY, LOOK, STRIKE, STROLL, DelayedInput, Lapses, Stance, Wish, fence, stand
from telos.studies.players.navigation import (
    NOTICE,
    MentalMap,
    Scene,
    Screen,
    Wayfinder,
    around,
    is_on_trail,
    keeps,
    look_ahead,
    toward,
)
from telos.studies.players.presets import NOVICE, Limits, Preset, Style, limits_at
from telos.worlds.adventure.map import DIRECTIONS, AreaMap
from telos.worlds.adventure.rules import FRAMES_A_SECOND
from telos.worlds.adventure.views import AdventureView, Point

# --- goals, beliefs and the plan --------------------------------------------------------------------------------------


FILE = Path(__file__).parent / "adventurer.yaml"
MANNERS = (
    "fight-monster",
    "dodge-monster",
)  # steps that state the manner of moving; the next step states the destination
_WORDS = (("return", "town"), ("kill", "level"), ("chest", "explore"), ("find", "explore"))
_ELBOW_ROOM = 25.0  # pixels beyond the kept distance within which a monster is in the way
_GEM_WORTH = 300.0  # longest detour for a gem in pixels, at full greed; shorter with another goal
_ERRAND = 0.3
_ENOUGH = 10  # kills after which a player in free play prefers another goal


@lru_cache(maxsize=1)
def planner() -> Planner:
    """Return the planner that all players share; its cache helps because situations repeat."""
    return Planner(telos.load(FILE))


def goal_in(instruction: str) -> str | None:
    """Return the goal of an instruction; None if it has none or is not understood.

    >>> goal_in("Find the treasure chest"), goal_in("Return to the bank"), goal_in("")
    ('explore', 'town', None)
    """
    said = instruction.lower()
    return next((goal for word, goal in _WORDS if word in said), None)


def own_goal(view: AdventureView, habits: Style, kills_before: int) -> str:
    """Choose the goal of a player without an instruction, with Telos' own goal selection.

    ``kills_before`` is the number of kills when the last chest was brought home.
    """
    left = max(0, _ENOUGH - (view.kills - kills_before)) / _ENOUGH
    goals = [
        telos.Goal("town", insistence=9 if view.carrying else view.gems_held / _ENOUGH * 4 * (1 - habits.roaming)),
        telos.Goal("level", insistence=(2 + 3 * habits.boldness) * left),
        telos.Goal("explore", insistence=1 + 2 * habits.roaming),
    ]
    return telos.choose(
        [telos.Action(goal.name, changes={goal.name: -1}) for goal in goals], goals, by="simple"
    ).action.name


def believe(view: AdventureView, scene: Scene, known: MentalMap, habits: Style, *, goal: str) -> dict[str, Value]:
    """Return the values of the domain's variables from perception, memory and habits."""
    area, now = view.area, view.time
    in_the_way = scene.nearest < keeps(habits) + _ELBOW_ROOM and goal != "level"
    believed: dict[str, Value] = {
        "prey": "gone" if not scene.foes else "near" if scene.nearest < NOTICE else "far",
        "threatened": in_the_way,
        "gem": "in_sight" if view.gems and _is_worth_it(view, habits, goal) else "gone",
        "chest": "taken" if view.carrying else "in_sight" if view.chest else "unknown",
        "home": "in_sight" if view.town else "away",
    }
    if goal == "explore":
        beside = is_on_trail(view) or bool(known.unsearched_exits(area, view.exits, now))
        way = () if beside else known.way_to_unsearched(area, now)
        believed["unsearched"] = "beside" if beside else "remembered" if way else "unknown"
    if goal == "town":
        way, felt = known.way_home(area, now), known.felt_way_home(area, view.exits)
        believed["way_home"] = "known" if way else "felt" if felt else "lost"
    believed |= dislikes(habits)
    return believed | {"moving_on": 1} if view.safe else believed  # nobody waits for monsters where none come


def dislikes(habits: Style) -> dict[str, Value]:
    """Return the player's dislikes as action costs from 1 to 6.

    >>> dislikes(Style(boldness=1.0))["fighting"], dislikes(Style(boldness=1.0))["dodging"]
    (2, 5)
    """
    return {
        "chasing": 1 + round(4 * habits.baiting),
        "baiting": 1 + round(4 * (1 - habits.baiting)),
        "fighting": 2 + round(4 * (1 - habits.boldness)),  # a fight on the way always costs time
        "dodging": 1 + round(4 * habits.boldness),
        "moving_on": 2 + round(4 * (1 - habits.roaming)),
    }


def steps_to(goal: str, believed: dict[str, Value]) -> tuple[str, ...]:
    """Return the names of the steps of the cheapest plan; none if there is no plan. Gems are picked up on the way.

    >>> steps_to("explore", {"unsearched": "beside", "threatened": True, "dodging": 1})
    ('dodge-monster', 'take-unsearched-exit', 'step-onto-chest')
    """
    if believed.get("gem") == "in_sight" and not believed["threatened"] and believed["prey"] != "near":
        goal = "gather"
    return tuple(step.name for step in planner().plan(believed, goal).steps)


def _is_worth_it(view: AdventureView, habits: Style, goal: str) -> bool:
    reach = _GEM_WORTH * habits.greed * (1.0 if goal == "level" else _ERRAND)
    return any(abs(x - view.x) + abs(y - view.y) < reach for x, y in view.gems)


# --- the player -------------------------------------------------------------------------------------------------------


LESSON = 300.0  # seconds: what a run teaches is learned in its first five minutes
_THINK = 8  # frames from one thought to the next, if nothing happens
_MOOD = 8.0  # mean seconds until the shown habits are drawn again
_PACE = 0.08  # spread of the logarithm of reaction times between people of the same skill
_CORNERED = -1.5  # value of the best way out, below which the player strikes
_FLURRY = 90.0  # pixels; a monster that near makes key hammerers hammer
_FIGHTS = ("strike", "fight-monster")
# Steps that lead over an edge of the screen.
_OVER_EDGES = (
    "take-unsearched-exit",
    "go-back-to-a-fork",
    "try-any-exit",
    "follow-the-way-home",
    "head-for-home",
    "ask-the-next-screen",
    "look-for-monsters",
)


class Player:
    """A simulated player of the adventure: ``input(view)`` returns the keys held in the next frame.

    The player uses only the view, never its ``truth``. The seed determines the player and all its actions.

    >>> ann = Player(1)
    >>> ann.experience < 0.5, ann.style == Player(1).style
    (True, True)
    """

    def __init__(self, seed: int, preset: Preset = NOVICE, *, maze: AreaMap | None = None) -> None:
        if preset.traits.knows_maze and maze is None:
            raise TelosError(f"a player of the kind {preset.name!r} knows the maze", "pass it as maze=rules.map")
        self.seed, self.preset, self._maze = seed, preset, maze
        born = Random(f"player {seed}")
        self.style = preset.style or Style.drawn(born)
        self.experience = min(1.0, max(0.0, preset.experience + born.uniform(-preset.spread, preset.spread)))
        self._pace = math.exp(born.gauss(0.0, _PACE))
        self.runs = 0
        self._begin()

    def after_run(self) -> None:
        """Finish a run: increase the experience and clear the memory for the next run."""
        self.experience = self.skill(LESSON)
        self.runs += 1
        self._begin()

    def skill(self, seconds: float) -> float:
        """Return the experience ``seconds`` into the present run."""
        return self.experience + self.preset.learning * (1.0 - self.experience) * min(1.0, seconds / LESSON)

    def _begin(self) -> None:
        self._rng = rng = Random(f"player {self.seed} run {self.runs}")
        self.limits = self._limits(0.0)
        self.habits = self.style.shown(self.experience, self.limits.unsteadiness, rng)
        self.hands = DelayedInput(rng)
        self.map = MentalMap(self.limits.map_memory, rng)
        self.map.has_bearings = self.preset.traits.knows_bearings
        if self._maze is not None and self.preset.traits.knows_maze:
            self.map.learn_maze(self._maze)
        self._knows_edges = self.preset.traits.knows_edges
        self._stroll, self._strolls_until = Wish(), 0.0
        self.lapses = Lapses(rng)
        self.goal: str | None = None
        self.steps: tuple[str, ...] = ()
        self._ways = Wayfinder(self.map, rng)
        self._stance = Stance(stands=True, waits=True, four_ways=False)
        self._mood_until = 0.0
        self._next_look = self._next_thought = 0
        self._area, self._instruction, self._visited, self._deaths, self._banked = "", "", 0, 0, 0
        self._is_calm, self._are_roamers, self._has_four_ways, self._had_chest = True, False, False, False
        self._monsters: tuple[Point, ...] = ()  # at the last thought

    def _limits(self, seconds: float) -> Limits:
        limits = limits_at(self.skill(seconds))
        return replace(limits, reaction=limits.reaction * self._pace)

    def input(self, view: AdventureView) -> str:
        """Return the keys held in the next frame."""
        self._notice(view)
        if self.hands.are_free and view.frame >= self._next_look:
            self._next_look = view.frame + LOOK
            wish = self._look(view)
            halts = self._is_calm and self._rng.random() < 0.5 * self.habits.halting
            self.hands.want(wish, self.limits, halts=halts)
        return self.hands.keys()

    # --- events that are always noticed -------------------------------------------------------------------------------

    def _notice(self, view: AdventureView) -> None:
        if view.area != self._area or view.deaths != self._deaths:
            self._enter(view)
        if view.instruction != self._instruction:
            self._instruction, self.goal = view.instruction, goal_in(view.instruction)
            self.lapses.pause(view.time, self.limits.reading)
            self._next_thought = view.frame
        if len(view.visited) < self._visited:  # the little map has been wiped: all is to be explored again
            self.map.search_again(view.area, view.time)
        self._visited = len(view.visited)
        self._has_four_ways |= view.facing != view.sword
        if self._had_chest and not view.carrying:
            self._banked = view.kills
        if view.carrying and not self._had_chest and self.preset.traits.knows_taken:
            self.map.note_taken(view.area)
        self._had_chest = view.carrying

    def _enter(self, view: AdventureView) -> None:
        if view.deaths != self._deaths:
            self.lapses.pause(view.time, self.limits.reaction)
        elif self._area:  # an edge was crossed
            self._knows_edges = True
        self._area, self._deaths, self._monsters = view.area, view.deaths, ()
        self._ways.enter(view)
        self._next_thought = view.frame

    # --- perception and planning --------------------------------------------------------------------------------------

    def _look(self, view: AdventureView) -> Wish:
        if view.time >= self._mood_until:
            self._mood_until = view.time + self._rng.uniform(0.5, 1.5) * _MOOD
            self.limits = self._limits(view.time)
            self.habits = self.style.shown(self.skill(view.time), self.limits.unsteadiness, self._rng)
        lead = self.limits.reaction * self.limits.foresight * FRAMES_A_SECOND
        scene = look_ahead(view, self.hands.path(lead), lead, roamers=self._are_roamers)
        self._is_calm = scene.nearest > NOTICE
        lapse = self.lapses.wish(view, scene, self.limits, EVERY)
        if lapse is not None:
            return lapse
        if view.frame >= self._next_thought:
            self._next_thought = view.frame + _THINK
            self._think(view, scene)
        return self._act(view, scene)

    def _think(self, view: AdventureView, scene: Scene) -> None:
        rng, habits = self._rng, self.habits
        self._watch(view)
        stands, waits = rng.random() < habits.stillness, rng.random() < habits.baiting
        self._stance = Stance(stands, waits, self._has_four_ways)
        if not view.phase:
            self.goal = own_goal(view, habits, self._banked)
        if self.goal is None:
            self.steps = ()
            return
        believed = believe(view, scene, self.map, habits, goal=self.goal)
        if believed.get("unsearched") == "unknown":  # all remembered screens are searched, so a chest was overlooked
            self.map.search_again(view.area, view.time)
        if self.lapses.is_in_a_scuffle(view.time):
            believed["fighting"] = 1
        self.steps = steps_to(self.goal, believed)

    def _watch(self, view: AdventureView) -> None:
        """Learn whether monsters approach from anywhere, or only when the player is near."""
        before, now = self._monsters, view.monsters
        if before and len(before) == len(now):
            far = math.sqrt((before[0][0] - view.x) ** 2 + (before[0][1] - view.y) ** 2)
            if far > 1.6 * NOTICE:
                self._are_roamers = before[0] != now[0]
        self._monsters = now

    # --- acting -------------------------------------------------------------------------------------------------------

    def _act(self, view: AdventureView, scene: Scene) -> Wish:
        step = self.steps[0] if self.steps else "wait-for-monsters"
        now = self.hands.bound_for
        if scene.foes and step in _FIGHTS:
            return self._fight(view, scene)
        if scene.nearest < _FLURRY and self._rng.random() < 0.05 * self.habits.mashing:
            return Wish(now, swing=True)
        if step == "wait-for-monsters" or (step == "bait-monster" and self._are_roamers):
            return Wish()
        if step in ("approach-monster", "bait-monster") and scene.foes:
            foe = scene.foes[0]
            diagonals = 0.0 if self.preset.traits.goes_straight else self.habits.diagonals
            return Wish(toward(foe.across, foe.down, diagonals=diagonals, slack=STRIKE, now=now))
        where = next((each for each in self.steps if each not in MANNERS), "")
        if where in _OVER_EDGES and not self._knows_edges:
            return self._walk_about(view)
        way = self._ways.go(where, view, scene, self.limits, self.habits, now)
        if way.worth < _CORNERED and scene.nearest < STRIKE:
            return fence(scene.foes[0], view.sword, self._stance) or Wish(way.direction)
        return Wish(way.direction)

    def _walk_about(self, view: AdventureView) -> Wish:
        """Walk straight for a while in some direction, and then in another, until an edge happens to be crossed."""
        if view.time >= self._strolls_until:
            self._stroll = Wish(self._rng.choice(DIRECTIONS))
            self._strolls_until = view.time + self._rng.uniform(*STROLL)
        return self._stroll

    def _fight(self, view: AdventureView, scene: Scene) -> Wish:
        """Face the nearest monster; give way if it cannot be met, or if a second one comes from another side."""
        foe = scene.foes[0]
        if self.preset.traits.stands_to_fight and self.goal == "level":
            return stand(foe, view.sword, four_ways=self._has_four_ways)
        wish = fence(foe, view.sword, self._stance)
        if wish is not None and (wish.swing or not scene.is_crowded):
            return wish
        screen = Screen(view.width, view.height)
        way = around(scene, (-foe.across, -foe.down), keeps(self.habits), screen, self.hands.bound_for)
        return Wish(way.direction)
