"""The adventure as a Gymnasium environment, with Gymnasium's own checker."""

from random import Random

import pytest

gymnasium = pytest.importorskip("gymnasium", reason="needs the extra telos[gym]")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.utils.seeding import np_random  # noqa: E402

import telos  # noqa: E402
from telos.core.errors import TelosError  # noqa: E402
from telos.core.event import Event  # noqa: E402
from telos.worlds.adventure.adventure import Adventure  # noqa: E402
from telos.worlds.adventure.gym_env import WAYS, AdventureEnv, render_picture  # noqa: E402
from telos.worlds.adventure.map import Keys, format_keys, parse_keys  # noqa: E402
from worlds.adventure.walker import Expert  # noqa: E402


@pytest.mark.parametrize("rules", ["flairs", "aiide"])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("render_mode", [None, "rgb_array"])
def test_env_passes_the_gymnasium_checker(rules: str, directed: bool, render_mode: str | None) -> None:
    env = gymnasium.make("telos/Adventure-v0", rules=rules, directed=directed, render_mode=render_mode)
    check_env(env.unwrapped)


@pytest.mark.parametrize("rules", ["flairs", "aiide"])
def test_observations_lie_in_their_space_and_rewards_match_docs(rules: str) -> None:
    env = AdventureEnv(rules, frame_skip=1, max_frames=100_000)
    observation, info = env.reset(seed=3)
    expert, total, kills, done = Expert(env.game), 0.0, 0, False
    while not done:
        counts = env.game.view().kills_left is not None
        before = env.game.view().kills
        observation, reward, done, truncated, info = env.step(_action(expert.input()))
        assert observation in env.observation_space
        assert not truncated
        total += float(reward)
        kills += counts * (env.game.view().kills - before)
    view = env.game.view()
    assert total == pytest.approx(len(env.game.rules.phases) * env.PHASE + kills * env.KILL + view.deaths * env.DEATH)
    assert info["kills"] == view.kills


def test_free_play_goals_are_rewarded() -> None:
    env = AdventureEnv("aiide", directed=False, monsters=0, frame_skip=1)
    env.reset(seed=0)
    expert, total = Expert(env.game), 0.0
    while not env.game.view().score:
        total += float(env.step(_action(expert.input()))[1])
    assert total == 2 * env.PHASE  # found and brought to the bank


def test_episode_is_truncated_after_max_frames() -> None:
    env = AdventureEnv("flairs", directed=False, frame_skip=4, max_frames=10)
    env.reset(seed=0)
    ends = [env.step(_action("up"))[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]


def test_same_seed_gives_the_same_episode() -> None:
    env = AdventureEnv("aiide")
    one, two = env.reset(seed=9)[0], env.reset(seed=9)[0]
    assert all((one[key] == two[key]).all() for key in one)


@pytest.mark.parametrize(("rules", "frame_skip"), [("flairs", 1), ("aiide", 3), ("aiide", 7)])
def test_recogniser_fed_from_info_equals_the_one_fed_from_the_world(rules: str, frame_skip: int) -> None:
    env = AdventureEnv(rules, frame_skip=frame_skip)
    _, info = env.reset(seed=5)
    assert info["events"] == ()
    world = Adventure(rules)
    world.reset(int(np_random(5)[0].integers(2**31)))
    from_info, from_world = (telos.recognizer("aiide-ffbm") for _ in range(2))
    seen, truth, inputs = list[Event](), list[Event](), Random(2)
    for _ in range(400 // frame_skip):
        action = _action(inputs.choice(["up", "right", "down+left", "swing", "right+swing"]))
        for _ in range(inputs.randint(1, 8)):
            info = env.step(action)[-1]
            seen += info["events"]
            for event in info["events"]:
                from_info.observe(event)
            for _ in range(frame_skip):
                world.step({world.player: format_keys(Keys(WAYS[action[0]], bool(action[1])))})
                truth += world.events
                for event in world.events:
                    from_world.observe(event)
    assert len(seen) > 20
    assert seen == truth
    assert from_info.belief == from_world.belief != telos.recognizer("aiide-ffbm").belief


def test_invalid_settings_are_rejected() -> None:
    with pytest.raises(TelosError, match="frame_skip"):
        AdventureEnv(frame_skip=0)
    with pytest.raises(TelosError, match="render_mode"):
        AdventureEnv(render_mode="human")


def test_picture_shows_the_player_in_the_centre_at_first() -> None:
    env = AdventureEnv("flairs", render_mode="rgb_array")
    env.reset(seed=0)
    pixels = render_picture(env.game)
    assert pixels.shape == (120, 160, 3)
    assert tuple(pixels[60, 80]) == (40, 120, 60)
    assert (env.render() == pixels).all()


def _action(text: str) -> list[int]:
    keys = parse_keys(text)
    return [WAYS.index(keys.direction), int(keys.swing)]


@pytest.mark.parametrize("action", [5, [9, 0], [0], "up", [0.5, 1.0], None])
def test_action_outside_of_its_space_is_refused(action: object) -> None:
    env = AdventureEnv("flairs")
    env.reset(seed=0)
    with pytest.raises(TelosError, match=r"not an action.*\[1, 0\]"):
        env.step(action)  # type: ignore[arg-type]
    env.step([1, 0])  # type: ignore[arg-type]
