"""A simulated player: wants what the game asks for, plans it with a Telos domain, and has human hands and habits."""

import math
from dataclasses import replace
from random import Random

from telos.core.values import Value
from telos.studies.players.fencing import STRIKE, Stance, fence
from telos.studies.players.hands import Hands, Wish
from telos.studies.players.intentions import goal_in, steps_to
from telos.studies.players.mental_map import BACK, MentalMap, beyond
from telos.studies.players.presets import NOVICE, Preset, limits_at
from telos.studies.players.perception import NOTICE, Scene, look_ahead
from telos.studies.players.steering import Screen, around, toward
from telos.studies.players.style import Style
from telos.worlds.adventure.directions import DIRECTIONS, STOP
from telos.worlds.adventure.rules import FRAMES_A_SECOND
from telos.worlds.adventure.views import AdventureView

_LOOK = 2  # frames from one look to the next
_THINK = 8  # frames from one thought to the next, if nothing happens
_MOOD = 8.0  # seconds that habits show in the same way
_CLOSE = 70.0  # pixels; a monster that near can frighten
_STUCK = 25.0  # seconds on one spot
_CORNERED = -1.5  # the worth of the best way out, below which one had better strike
_FIGHTS = ("strike", "fight-monster")


class Player:
    """Somebody who plays the adventure: ``input(view)`` is what they hold down in the next frame.

    Everything they know comes from the view, and not from its ``truth``. One seed fixes who they are and all they do.
    """

    def __init__(self, seed: int, preset: Preset = NOVICE) -> None:
        self.seed, self.preset = seed, preset
        born = Random(f"player {seed}")
        self.style = preset.style or Style.drawn(born)
        self.experience = min(1.0, max(0.0, preset.experience + born.uniform(-preset.spread, preset.spread)))
        self._pace = math.exp(born.gauss(0.0, 0.08))  # some are quicker than others, for good
        self.runs = 0
        self._begin()

    def after_run(self) -> None:
        """Have a run behind oneself: experience grows, and the next run starts with an empty head."""
        self.experience += self.preset.learning * (1.0 - self.experience)
        self.runs += 1
        self._begin()

    def _begin(self) -> None:
        self._rng = rng = Random(f"player {self.seed} run {self.runs}")
        limits = limits_at(self.experience)
        self.limits = replace(limits, reaction=limits.reaction * self._pace)
        self.hands = Hands(rng)
        self.map = MentalMap(self.limits.map_memory, rng)
        self.goal: str | None = None
        self.steps: tuple[str, ...] = ()
        self.habits = self.style
        self.stuck = 0  # how often nothing but a random walk helped
        self._mood_until = self._lapse_until = self._scuffle_until = 0.0
        self._lapse = Wish()
        self._area, self._came_from, self._instruction = "", "", ""
        self._visited = 0
        self._target: tuple[float, float] | None = None
        self._exit = ""
        self._next_look = self._next_thought = 0
        self._four_ways, self._is_calm = False, True
        self._stance = Stance(stands=True, waits=True, four_ways=False)
        self._spot, self._spot_since = (0.0, 0.0, ""), 0.0
        self._roamers, self._last_seen = False, ("", (), 0)  # type: tuple[bool, tuple[str, tuple[tuple[float, float], ...], int]]

    def input(self, view: AdventureView) -> str:
        """Return what is held down in the next frame."""
        self._notice(view)
        if self.hands.are_free and view.frame >= self._next_look:
            self._next_look = view.frame + _LOOK
            wish = self._wish(view)
            self.hands.want(wish, self.limits, halts=self._is_calm and self._rng.random() < 0.5 * self.habits.halting)
        return self.hands.keys()

    # --- perceiving ---------------------------------------------------------------------------------------------------

    def _notice(self, view: AdventureView) -> None:
        if view.area != self._area:
            self._enter(view)
        if view.instruction != self._instruction:
            self._instruction = view.instruction
            self.goal = goal_in(view.instruction)
            self._pause(view, self.limits.reading)
            self._next_thought = view.frame
        if len(view.visited) < self._visited:
            self.map.start_over(view.area, view.time)
        self._visited = len(view.visited)
        if view.facing != view.sword:
            self._four_ways = True

    def _enter(self, view: AdventureView) -> None:
        column_row = (view.area, self._area)
        edge = next((edge for edge in view.exits if beyond(view.area, edge) == self._area), "")
        self._came_from = edge if column_row[1] else ""
        self._area = view.area
        self._exit, self._target = "", None
        self.map.see(view.area, view.exits, view.time)
        if view.town is not None:
            self.map.town = view.area
        self._next_thought = view.frame

    def _pause(self, view: AdventureView, seconds: float) -> None:
        self._lapse, self._lapse_until = Wish(), view.time + self._rng.expovariate(1 / seconds)

    # --- one look -----------------------------------------------------------------------------------------------------

    def _wish(self, view: AdventureView) -> Wish:
        rng, now = self._rng, view.time
        if now >= self._mood_until:
            self._mood_until = now + rng.uniform(0.5, 1.5) * _MOOD
            self.habits = self.style.shown(self.experience, self.limits.unsteadiness, rng)
        lead = self.limits.reaction * self.limits.foresight * FRAMES_A_SECOND
        scene = look_ahead(view, self.hands.path(lead), lead, roamers=self._roamers)
        self._is_calm = scene.nearest > NOTICE
        if now < self._lapse_until and not (self._lapse == Wish() and scene.nearest < STRIKE):
            return self._lapse
        if self._lapses(view, scene):
            return self._lapse
        if view.frame >= self._next_thought:
            self._next_thought = view.frame + _THINK
            self._think(view, scene)
        return self._act(view, scene)

    def _lapses(self, view: AdventureView, scene: Scene) -> bool:
        """Whether one just loses the thread: in thought, in fright, or for no reason."""
        rng, limits, seconds = self._rng, self.limits, _LOOK / FRAMES_A_SECOND
        if scene.nearest < _CLOSE and rng.random() < limits.panic * seconds:
            direction = rng.choice(DIRECTIONS)
            self._lapse, self._lapse_until = Wish(direction, swing=rng.random() < 0.5), view.time + rng.uniform(0.2, 0.6)
            return True
        if rng.random() < limits.wandering * seconds:
            self._lapse, self._lapse_until = Wish(rng.choice(DIRECTIONS)), view.time + rng.uniform(0.5, 2.5)
            return True
        if scene.nearest > NOTICE and rng.random() < limits.pauses * seconds:
            self._pause(view, 0.6)
            return True
        if rng.random() < limits.scuffles * seconds:
            self._scuffle_until = view.time + 2.0
        return self._is_stuck(view)

    def _is_stuck(self, view: AdventureView) -> bool:
        x, y, area = self._spot
        if area != view.area or abs(x - view.x) + abs(y - view.y) > 60 or view.kills_left is not None:
            self._spot, self._spot_since = (view.x, view.y, view.area), view.time
        elif view.time - self._spot_since > _STUCK:
            self.stuck += 1
            self._spot_since, self._exit, self._target = view.time, "", None
            self._lapse, self._lapse_until = Wish(self._rng.choice(DIRECTIONS)), view.time + 1.5
            return True
        return False

    # --- one thought --------------------------------------------------------------------------------------------------

    def _think(self, view: AdventureView, scene: Scene) -> None:
        self._watch_monsters(view)
        rng, habits = self._rng, self.habits
        self._stance = Stance(
            stands=rng.random() < habits.stillness, waits=rng.random() < habits.baiting, four_ways=self._four_ways
        )
        goal = self.goal
        if goal is None:
            self.steps = ()
            return
        believed = self._believe(view, scene)
        if believed["gem"] == "in_sight" and goal != "gather" and not believed["threatened"] and self._wants_gem(view):
            goal = "gather"
        before = self.steps
        self.steps = steps_to(goal, believed)
        if self.steps[-1:] != before[-1:] or [s for s in self.steps if s not in _MANNERS][:1] != [
            s for s in before if s not in _MANNERS
        ][:1]:
            self._exit, self._target = "", None

    def _watch_monsters(self, view: AdventureView) -> None:
        area, monsters, _ = self._last_seen
        if area == view.area and monsters and len(monsters) == len(view.monsters):
            (x, y), (old_x, old_y) = view.monsters[0], monsters[0]
            far = math.sqrt((old_x - view.x) ** 2 + (old_y - view.y) ** 2)
            if far > 1.6 * NOTICE:
                self._roamers = (x, y) != (old_x, old_y)
        self._last_seen = (view.area, view.monsters, view.frame)

    def _wants_gem(self, view: AdventureView) -> bool:
        reach = 300 * self.habits.greed * (0.3 if self.goal != "level" else 1.0)
        return any(abs(x - view.x) + abs(y - view.y) < reach for x, y in view.gems)

    @property
    def _keep(self) -> float:
        return 45.0 + 60.0 * self.habits.distance

    def _believe(self, view: AdventureView, scene: Scene) -> dict[str, Value]:
        habits, now = self.habits, view.time
        beside = any(not self.map.is_searched(beyond(view.area, edge), now) for edge in view.exits)
        remembered = beside or bool(self.map.way_to_unsearched(view.area, now))
        known = bool(self.map.way_home(view.area, now))
        felt = bool(self.map.felt_way_home(view.area, view.exits))
        return {
            "prey": "gone" if not scene.foes else "near" if scene.nearest < NOTICE else "far",
            "threatened": scene.nearest < self._keep + 25 and self.goal != "level",
            "gem": "in_sight" if view.gems else "gone",
            "chest": "taken" if view.carrying else "in_sight" if view.chest else "unknown",
            "home": "in_sight" if view.town else "away",
            "unsearched": "beside" if beside else "remembered" if remembered else "unknown",
            "way_home": "known" if known else "felt" if felt else "lost",
            "chasing": 1 + round(4 * habits.baiting),
            "baiting": 1 + round(4 * (1 - habits.baiting)),
            "fighting": 1 if now < self._scuffle_until else 1 + round(4 * (1 - habits.boldness)),
            "dodging": 1 + round(4 * habits.boldness),
            "moving_on": 2 + round(4 * (1 - habits.roaming)),
        }

    # --- doing it -----------------------------------------------------------------------------------------------------

    def _act(self, view: AdventureView, scene: Scene) -> Wish:
        step = self.steps[0] if self.steps else ""
        if scene.foes and step in _FIGHTS:
            return self._fight(view, scene)
        if scene.nearest < STRIKE + 20 and self._rng.random() < 0.1 * self.habits.mashing:
            return Wish(self.hands.bound_for, swing=True)
        if step == "bait-monster" and self._roamers:
            return Wish()
        if step in ("approach-monster", "bait-monster") and scene.foes:
            foe = scene.foes[0]
            way = toward(foe.across, foe.down, diagonals=self.habits.diagonals, slack=20, now=self.hands.bound_for)
            return Wish(way)
        if step in ("", "wait-for-monsters"):
            return Wish()
        return self._go(view, scene)

    def _fight(self, view: AdventureView, scene: Scene) -> Wish:
        foe = scene.foes[0]
        wish = fence(foe, view.sword, self._stance)
        if wish is not None and (wish.swing or not self._is_crowded(scene)):
            return wish
        screen = Screen(view.width, view.height)
        way = around(scene, (-foe.across, -foe.down), self._keep, screen, self.hands.bound_for)
        return Wish(way.direction)

    def _is_crowded(self, scene: Scene) -> bool:
        """Whether a second monster comes from another side."""
        first = scene.foes[0]
        return any(
            foe.away < first.away + 50 and foe.across * first.across + foe.down * first.down < 0.5 * foe.away * first.away
            for foe in scene.foes[1:4]
            if foe.away < NOTICE
        )

    def _go(self, view: AdventureView, scene: Scene) -> Wish:
        step = next((each for each in self.steps if each not in _MANNERS), "")
        if self._target is None or step == "pick-up-gem":
            self._target = self._destination(step, view)
        x, y = self._target[0] - scene.x, self._target[1] - scene.y
        if scene.nearest < self._keep + 80:
            screen = Screen(view.width, view.height, (self._exit,) if self._exit else ())
            way = around(scene, (x, y), self._keep, screen, self.hands.bound_for)
            cornered = way.worth < _CORNERED and scene.nearest < STRIKE
            return (cornered and fence(scene.foes[0], view.sword, self._stance)) or Wish(way.direction)
        return Wish(toward(x, y, diagonals=self.habits.diagonals, slack=10, now=self.hands.bound_for))

    def _destination(self, step: str, view: AdventureView) -> tuple[float, float]:
        self._exit = ""
        if step == "step-onto-chest" and view.chest:
            return view.chest
        if step == "step-into-town" and view.town:
            return view.town
        if step == "pick-up-gem" and view.gems:
            return min(view.gems, key=lambda gem: abs(gem[0] - view.x) + abs(gem[1] - view.y))
        self._exit = self._chosen_exit(step, view)
        return self._crossing(view)

    def _chosen_exit(self, step: str, view: AdventureView) -> str:
        rng, now, area = self._rng, view.time, view.area
        if rng.random() < self.limits.wrong_turns:
            return rng.choice(view.exits)
        choices: tuple[str, ...] = ()
        if step == "take-unsearched-exit":
            choices = tuple(e for e in view.exits if not self.map.is_searched(beyond(area, e), now))
        elif step == "go-back-to-a-fork":
            choices = self.map.way_to_unsearched(area, now)[:1]
        elif step == "follow-the-way-home":
            choices = self.map.way_home(area, now)[:1]
        elif step == "head-for-home":
            choices = self.map.felt_way_home(area, view.exits)
        choices = choices or tuple(e for e in view.exits if e != self._came_from) or view.exits
        return rng.choice(choices)

    def _crossing(self, view: AdventureView) -> tuple[float, float]:
        """Return where to cross the edge: straight ahead, or along the nearest side, or by the middle."""
        pull = (self.habits.edges - 0.5) * 2

        def lane(here: float, size: float) -> float:
            side = 30.0 if here < size / 2 else size - 30.0
            return here + (side - here) * pull if pull > 0 else here + (size / 2 - here) * -pull

        return {
            "north": (lane(view.x, view.width), -30.0),
            "south": (lane(view.x, view.width), view.height + 30.0),
            "west": (-30.0, lane(view.y, view.height)),
            "east": (view.width + 30.0, lane(view.y, view.height)),
        }[self._exit]


_MANNERS = ("fight-monster", "dodge-monster")  # how one goes, not where
__all__ = ["BACK", "STOP", "Player"]
