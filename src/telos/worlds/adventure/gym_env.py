"""The adventure as a Gymnasium environment, for agents that learn to game it (``pip install telos[gym]``)."""

import os
from typing import Any, SupportsFloat

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.adventure.map import DIRECTIONS, STOP, Keys, format_keys
from telos.worlds.adventure.rules import FRAMES_A_SECOND, Rules
from telos.worlds.adventure.views import AdventureView, Point

WAYS = (STOP, *DIRECTIONS)
EDGES = ("north", "east", "south", "west")
SECONDS = 300  # default length of an episode

Observation = dict[str, Any]


class AdventureEnv(gymnasium.Env[Observation, NDArray[np.int64]]):
    """One episode is one game.

    An action is a pair: one of nine directions (0 stands still, 1 is up, then clockwise), and whether the sword key is
    held. It is held for ``frame_skip`` frames.

    The reward of a step is ``PHASE`` for every goal achieved (in a directed game: every phase finished), ``KILL`` for
    every kill while kills are asked for (in free game: always), and ``DEATH`` for every death. An episode terminates
    when all phases are over, and is truncated after ``max_frames`` frames.

    An observation holds what the screen shows and the goal given to the player; offsets are in screens.
    ``info["events"]`` is the tuple of the events of the step, oldest first, as a recogniser's ``observe`` takes them;
    it is empty after a reset and after steps without an event. ``info["truth"]`` is the player's goal; no event has it.
    Importing this module registers it, so that ``gymnasium.make("telos/Adventure-v0", rules="aiide")`` makes one.
    """

    PHASE, KILL, DEATH = 1.0, 0.1, -0.5
    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": FRAMES_A_SECOND}  # noqa: RUF012 (theirs)

    def __init__(
        self,
        rules: str | os.PathLike[str] | Rules = "flairs",
        *,
        directed: bool = True,
        monsters: int | None = None,
        frame_skip: int = 3,
        max_frames: int = SECONDS * FRAMES_A_SECOND,
        render_mode: str | None = None,
    ) -> None:
        if frame_skip < 1 or max_frames < 1:
            raise TelosError(f"frame_skip and max_frames are 1 or more, got {frame_skip} and {max_frames}")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise TelosError(f"render_mode is None or 'rgb_array', got {render_mode!r}")
        self.game = Adventure(rules, directed=directed, monsters=monsters)
        self.render_mode = render_mode
        self._skip, self._most = frame_skip, max_frames
        self._number = len(self.game.view().monsters)
        self.action_space = spaces.MultiDiscrete([len(WAYS), 2])
        self.observation_space = self._space()

    def _space(self) -> spaces.Dict:
        area_map = self.game.rules.map
        here_or_not = spaces.Box(-1.0, 1.0, (3,), np.float32)  # present or not, and the offset
        return spaces.Dict(
            {
                "position": spaces.Box(0.0, 1.0, (2,), np.float32),
                "facing": spaces.Discrete(len(DIRECTIONS)),
                "swinging": spaces.Discrete(2),
                "carrying": spaces.Discrete(2),
                "area": spaces.MultiDiscrete([area_map.columns, area_map.rows]),
                "exits": spaces.MultiBinary(len(EDGES)),
                "visited": spaces.MultiBinary(area_map.columns * area_map.rows),
                "monsters": spaces.Box(-1.0, 1.0, (self._number, 3), np.float32),  # nearest first
                "gem": here_or_not,  # the nearest one
                "chest": here_or_not,
                "town": here_or_not,
                "goal": spaces.Discrete(len(self.game.rules.goals) + 1),  # 0: none was given
            }
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a new game."""
        super().reset(seed=seed)
        self.game.reset(int(self.np_random.integers(2**31)))
        view = self.game.view()
        return self._observation(view), self._info(view, ())

    def step(self, action: NDArray[np.int64]) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Hold an action for ``frame_skip`` frames."""
        if not self.action_space.contains(np.asarray(action)):
            raise TelosError(
                f"{action!r} is not an action of this environment",
                f"give a direction from 0 to {len(WAYS) - 1} and 0 or 1 for the sword, as in [1, 0]",
            )
        way, swing = (int(each) for each in action)
        text = format_keys(Keys(WAYS[way], bool(swing)))
        reward, events = 0.0, list[Event]()
        before = self.game.view()
        for _ in range(self._skip):
            self.game.step({self.game.player: text})
            events += self.game.events
            after = self.game.view()
            reward += self._reward(before, after)
            before = after
        return (
            self._observation(before),
            reward,
            before.done,
            not before.done and before.frame >= self._most,
            self._info(before, tuple(events)),
        )

    def _reward(self, before: AdventureView, after: AdventureView) -> float:
        kills = after.kills - before.kills if before.kills_left is not None else 0
        if self.game.directed:
            goals = after.phase - before.phase + (after.done and not before.done)
        else:
            brought = (
                after.in_town and (before.carrying or before.gems_held) and not (after.carrying or after.gems_held)
            )
            levelled = kills and (after.kills_left or 0) > (before.kills_left or 0)
            goals = sum(map(bool, (after.carrying and not before.carrying, brought, levelled)))
        return self.PHASE * goals + self.KILL * kills + self.DEATH * (after.deaths - before.deaths)

    def _info(self, view: AdventureView, events: tuple[Event, ...]) -> dict[str, Any]:
        counts = {"score": view.score, "kills": view.kills, "deaths": view.deaths}
        return {"truth": view.truth or "", "events": events, **counts}

    def _observation(self, view: AdventureView) -> Observation:
        column, row = (int(part) - 1 for part in view.area.split(","))
        columns = self.game.rules.map.columns
        visited = np.zeros(columns * self.game.rules.map.rows, np.int8)
        for name in view.visited:
            across, down = (int(part) - 1 for part in name.split(","))
            visited[across + down * columns] = 1
        goals = self.game.rules.goals
        return {
            "position": np.array([view.x / view.width, view.y / view.height], np.float32),
            "facing": np.int64(DIRECTIONS.index(view.facing)),
            "swinging": np.int64(view.swinging),
            "carrying": np.int64(view.carrying),
            "area": np.array([column, row], np.int64),
            "exits": np.array([edge in view.exits for edge in EDGES], np.int8),
            "visited": visited,
            "monsters": _offsets(view, view.monsters, self._number),
            "gem": _offsets(view, view.gems, 1)[0],
            "chest": _offsets(view, () if view.chest is None else (view.chest,), 1)[0],
            "town": _offsets(view, () if view.town is None else (view.town,), 1)[0],
            "goal": np.int64(0 if view.truth is None else goals.index(view.truth) + 1),
        }

    def render(self) -> Any:
        """Return the screen as pixels, a quarter as wide and high; None without a ``render_mode``."""
        return None if self.render_mode is None else render_picture(self.game)


def _offsets(view: AdventureView, points: tuple[Point, ...], number: int) -> NDArray[np.float32]:
    """Return a row for each of the nearest points: 1 and the offset in screens; rows of zeros fill up."""
    rows = np.zeros((number, 3), np.float32)
    nearest = sorted(points, key=lambda point: (point[0] - view.x) ** 2 + (point[1] - view.y) ** 2)
    for row, (x, y) in zip(rows, nearest[:number], strict=False):
        row[:] = 1.0, (x - view.x) / view.width, (y - view.y) / view.height
    return rows


def render_picture(game: Adventure, *, scale: int = 4) -> NDArray[np.uint8]:
    """Return the screen as pixels in flat colours."""
    view, rules = game.view(), game.rules
    pixels = np.full((view.height // scale, view.width // scale, 3), (222, 209, 164), np.uint8)
    walls = {"north": pixels[:3], "south": pixels[-3:], "west": pixels[:, :3], "east": pixels[:, -3:]}
    for edge, strip in walls.items():
        if edge not in view.exits:
            strip[:] = (90, 70, 50)
    things: list[tuple[Point, float, tuple[int, int, int]]] = [((view.x, view.y), rules.player.size, (40, 120, 60))]
    things += [(spot, rules.monsters.size, (180, 40, 40)) for spot in view.monsters]
    things += [(spot, rules.gem_size or 0.0, (40, 90, 200)) for spot in view.gems]
    for spot, colour in ((view.town, (130, 130, 140)), (view.chest, (170, 110, 20))):
        things = [(spot, rules.chest.size, colour), *things] if spot else things
    for (x, y), size, colour in things:
        top, left = max(0, int((y - size / 2) / scale)), max(0, int((x - size / 2) / scale))
        pixels[top : int((y + size / 2) / scale) + 1, left : int((x + size / 2) / scale) + 1] = colour
    return pixels


gymnasium.register(id="telos/Adventure-v0", entry_point=f"{__name__}:AdventureEnv")
