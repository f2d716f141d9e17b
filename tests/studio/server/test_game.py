"""A game with a page: pacing, messages and failures."""

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest

from studio.frames import FrameReader
from studio.tiny import ALWAYS_WEST, LINE
from telos.studio.recording import frame_difference, to_json
from telos.studio.server.game import Game
from telos.studio.session import Session
from telos.studio.stage import world


class Page:
    """A page that keeps all messages."""

    def __init__(self, *, slow: float = 0.0) -> None:
        self.got: list[dict[str, Any]] = []
        self.sizes: list[int] = []
        self._slow, self._frames = slow, FrameReader()

    async def send(self, text: str) -> None:
        self.got.append(self._frames.read(json.loads(text)))
        self.sizes.append(len(text))
        await asyncio.sleep(self._slow)

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.got if message["is"] == kind]


async def looked_at(game: Game, page: Page, *acts: Any, seconds: float = 0.35) -> None:
    """Play for a while, and again after each of the acts."""
    playing = asyncio.create_task(game.play(page.send))
    await asyncio.sleep(seconds)
    for act in acts:
        act()
        await asyncio.sleep(seconds)
    playing.cancel()
    with suppress(asyncio.CancelledError):
        await playing


def test_page_gets_hello_and_every_frame_in_order() -> None:
    game, page = Game(Session(LINE)), Page()
    asyncio.run(looked_at(game, page))
    assert [message["is"] for message in page.got[:5]] == ["hello", "history", "status", "backdrop", "frame"]
    numbers = [frame["n"] for frame in page.of("frame")]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    assert len(page.of("backdrop")) == 1
    assert not game.is_linked


def test_game_without_page_stands_still() -> None:
    game, page = Game(Session(LINE)), Page()
    asyncio.run(looked_at(game, page))
    last = game.session.last

    async def wait() -> None:
        await asyncio.sleep(0.3)

    asyncio.run(wait())
    assert game.session.last == last


def test_scrub_sends_that_frame_and_reports_pause() -> None:
    game, page = Game(Session(LINE)), Page()
    game.session.hold("right")
    asyncio.run(looked_at(game, page, lambda: game.on_message('{"do": "scrub", "to": 1}')))
    shown = page.of("frame")[-1]
    assert (shown["n"], shown["live"], shown["hud"]["counts"]) == (1, False, [["x", "1"]])
    assert page.of("status")[-1]["paused"] is True
    assert page.of("status")[-1]["shown"] == 1


def test_refusals_are_sent_to_page() -> None:
    game, page = Game(Session(LINE), note="Welcome back."), Page()
    asyncio.run(
        looked_at(game, page, lambda: game.on_message("nonsense"), lambda: game.on_message('{"do":"ask","text":"fly"}'))
    )
    welcome, refusal, error = [told["text"] for told in page.of("told")]
    assert welcome == "Welcome back."
    assert "JSON" in refusal
    assert "'fly'" in error


def test_applied_model_sends_history_again() -> None:
    game, page = Game(Session(LINE)), Page()
    game.session.hold("right")
    asyncio.run(looked_at(game, page, lambda: game.session.apply("last", ALWAYS_WEST)))
    assert len(page.of("history")) == 2
    assert page.of("frame")[-1]["beliefs"]["last"]["west"] == 1.0


def test_fast_game_skips_frames_and_loses_no_happening() -> None:
    game, page = Game(Session(LINE)), Page()
    game.session.set_speed(8)
    game.session.hold("right")
    asyncio.run(looked_at(game, page, seconds=0.6))
    frames = page.of("frame")
    assert len(frames) < game.session.last
    told = [number for frame in frames for number, *_ in frame["happened"]]
    assert told == list(range(len(told)))


def test_slow_game_reports_its_pace() -> None:
    game, page = Game(Session(LINE)), Page(slow=0.1)  # 10 frames a second are meant, and each takes that long to send
    game.session.set_speed(2)
    asyncio.run(looked_at(game, page, seconds=2.6))
    assert any(status["slow"].startswith("The machine is busy: ") for status in page.of("status"))


def test_link_to_moment_catches_up_and_shows_it() -> None:
    game, page = Game(Session(LINE, 4, {"wind": "on"})), Page()
    game.target_frame, game.shows_target = 30, True
    asyncio.run(looked_at(game, page))
    frames = page.of("frame")
    assert [frame["n"] for frame in frames] == [30]
    alone = Session(LINE, 4, {"wind": "on"})
    for _ in range(30):
        alone.advance()
    assert frames[0]["pic"] == json.loads(alone.frame())["pic"]


def test_waiting_game_takes_no_step_before_first_key() -> None:
    game, page = Game(Session(LINE, 0, {"begins": "with a key"})), Page()
    taken = []
    asyncio.run(
        looked_at(
            game,
            page,
            lambda: taken.append(game.session.last),
            lambda: game.on_message('{"do": "held", "keys": "left"}'),
        )
    )
    assert taken == [0]
    assert game.session.last > 0


def test_single_step_sends_its_happenings() -> None:
    game, page = Game(Session(LINE)), Page()
    game.session.pause(True)
    game.session.hold("right")
    step = lambda: game.on_message('{"do": "step"}')  # noqa: E731
    asyncio.run(looked_at(game, page, step, step))
    assert [number for frame in page.of("frame") for number, *_ in frame["happened"]] == [0, 1]


def test_failing_world_stops_game_and_reports_once(caplog: pytest.LogCaptureFixture) -> None:
    game, page = Game(Session(LINE)), Page()
    game.session.stage.curves = lambda: 1 / 0  # type: ignore[method-assign]
    play_on = lambda: game.session.pause(False)  # noqa: E731
    asyncio.run(looked_at(game, page, play_on, lambda: game.on_message('{"do": "step"}')))
    assert "ZeroDivisionError" in game.session.stopped
    assert page.of("status")[-1]["paused"] is True
    assert len(page.of("told")) == 1
    assert len(caplog.records) == 1


def test_catching_up_ends_where_world_fails() -> None:
    game, page = Game(Session(LINE)), Page()
    game.target_frame, game.session.stage.curves = 30, lambda: 1 / 0  # type: ignore[method-assign]
    asyncio.run(looked_at(game, page))
    assert "ZeroDivisionError" in page.of("told")[0]["text"]


def test_messages_are_ignored_while_catching_up() -> None:
    game = Game(Session(LINE))
    game.target_frame = 30
    game.on_message('{"do": "held", "keys": "left"}')
    game.on_message("nonsense")
    asyncio.run(looked_at(game, page := Page()))
    assert {entry.held for entry, _ in game.session.log.runs} == {""}
    assert not page.of("told")


def test_stuck_page_delays_only_its_own_game() -> None:
    stuck, other, page = Game(Session(LINE)), Game(Session(LINE)), Page()

    async def never(text: str) -> None:
        await asyncio.Event().wait()

    async def playing() -> None:
        task = stuck.start(never)
        for number in range(10_000):
            stuck.on_message(f"nonsense {number}")
        await looked_at(other, page)
        await stuck.release()
        assert task.cancelled()

    asyncio.run(playing())
    assert stuck.session.last == 0
    assert len(stuck._notes) <= 20
    assert other.session.last > 1


def test_concurrent_pages_do_not_both_play() -> None:
    game = Game(Session(LINE))

    async def come() -> asyncio.Task[None]:
        await game.release()
        return game.start(Page().send)

    async def coming() -> list[bool]:
        tasks = await asyncio.gather(come(), come(), come())
        tasks += await asyncio.gather(come(), come(), come())
        await asyncio.sleep(0.05)
        done = [task.done() for task in tasks]
        await game.release()
        return done

    assert asyncio.run(coming()) == [True] * 5 + [False]


def test_keys_are_released_with_page() -> None:
    game = Game(Session(LINE))
    asyncio.run(looked_at(game, Page(), lambda: game.on_message('{"do": "held", "keys": "right"}')))
    x = game.session.stage.x
    asyncio.run(looked_at(game, Page()))
    assert x > 0
    assert game.session.stage.x == x


def test_speed_change_or_pause_is_not_reported_as_slow() -> None:
    game, page = Game(Session(LINE)), Page()
    acts = (lambda: game.session.set_speed(4), lambda: game.session.pause(True), lambda: game.session.pause(False))
    asyncio.run(looked_at(game, page, *acts, seconds=1.3))
    slow = [status["slow"] for status in page.of("status") if status["slow"] and status["speed"] == 4]
    assert not any(said.startswith("The machine is busy: 1") for said in slow)  # the ten of the speed before


def test_replay_goes_to_its_end_without_showing_the_way() -> None:
    recorded = Session(LINE)
    for _ in range(400):
        recorded.advance()
    game, page = Game(Session(LINE, script=recorded.log.entries())), Page()
    asyncio.run(looked_at(game, page, lambda: game.on_message('{"do": "seek", "to": 400}'), seconds=0.5))
    assert page.of("status")[0]["replay"] == {"steps": 400, "seconds": 40.0}
    assert page.of("frame")[-1]["n"] == 400
    assert len(page.of("frame")) < 50
    assert page.of("status")[-1]["stopped"].startswith("the recording ends here")
    assert page.of("status")[-1]["replay"] is None


def test_page_that_is_hidden_gets_nothing_until_it_is_seen() -> None:
    game, page = Game(Session(LINE)), Page()
    seen: list[int] = []

    def hide() -> None:
        game.on_message('{"do": "look", "at": "hidden"}')

    def count() -> None:
        seen.extend((len(page.got), game.session.last))

    asyncio.run(looked_at(game, page, hide, count, count, lambda: game.on_message('{"do": "look", "at": ""}')))
    assert seen[0] == seen[2]
    assert seen[3] > seen[1]
    assert [message["is"] for message in page.got[seen[0] : seen[0] + 3]] == ["history", "status", "frame"]


@pytest.mark.parametrize("name", ["adventure", "arena", "home", "forge", "island"])
def test_differences_between_frames_make_the_frames(name: str) -> None:
    session, reader, base = Session(world(name), 3), FrameReader(), None
    session.hold("right")
    whole = sent = 0
    for _ in range(120):
        session.advance()
        data = session.frame_data
        text = to_json(data if base is None else frame_difference(base, data))
        assert reader.read(json.loads(text)) == json.loads(to_json(data))
        base = data
        whole, sent = whole + len(to_json(data)), sent + len(text)
    assert sent < 0.8 * whole


def test_frames_after_first_are_differences() -> None:
    game, page = Game(Session(LINE)), Page()
    asyncio.run(looked_at(game, page))
    sizes = [size for size, message in zip(page.sizes, page.got, strict=True) if message["is"] == "frame"]
    assert max(sizes[1:]) < sizes[0]
    assert page.of("frame")[-1]["hud"] == page.of("frame")[0]["hud"]
