"""Pages of an attached game: links to moments, pages that are opened again, and what they are told."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("nicegui", reason='the studio needs pip install "telos[studio]"')

from studio.attached.test_stage import ANN, Told
from telos.core.errors import TelosError
from telos.studio import stage as stage_module
from telos.studio.attached import attached_world
from telos.studio.attached.recording import RecordedSource
from telos.studio.server.game import Game
from telos.studio.server.hub import ABSENCE, Hub
from telos.studio.stage import known_name, offer_world, world_names


@pytest.fixture(autouse=True)
def nothing_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage_module, "_offered", {})


def traces(count: int) -> list[dict[str, Any]]:
    return [{"time": at / 10, "minds": [{**ANN, "x": at}]} for at in range(count)]


async def until_sends(game: Game, what: Callable[[list[dict[str, Any]]], object]) -> list[dict[str, Any]]:
    """Play a game for a page until it has been sent something."""
    sent: list[dict[str, Any]] = []
    done = asyncio.Event()

    async def send(text: str) -> None:
        sent.append(json.loads(text))
        if what(sent):
            done.set()

    playing = game.start(send)
    try:
        await asyncio.wait_for(done.wait(), 30)
    finally:
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
    return sent


def test_offered_world_is_the_only_one_of_its_studio() -> None:
    assert "adventure" in world_names()
    offer_world(attached_world(Told()))
    assert world_names() == ("attached",)
    assert known_name("attached") == "attached"
    with pytest.raises(TelosError, match="no world 'attachment'"):
        known_name("attachment")


def test_link_to_moment_shows_it_in_view_of_its_own() -> None:
    offer_world(attached_world(Told(*traces(30))))

    async def open_link() -> list[dict[str, Any]]:
        hub = Hub()
        first = hub.open("attached", 0, {}, now=0.0)
        await until_sends(first, lambda sent: sent[-1]["is"] == "frame" and sent[-1]["n"] == 30)
        linked = hub.open("attached", 0, {}, game="no such game", at=12, now=0.0)
        return await until_sends(linked, lambda sent: sent[-1]["is"] == "frame")

    sent = asyncio.run(open_link())
    assert sent[-1]["n"] == 12
    assert not [each for each in sent if each["is"] == "told"]  # nothing was lost


def test_link_beyond_what_has_come_does_not_hang() -> None:
    offer_world(attached_world(Told(*traces(5))))

    async def open_link() -> Game:
        linked = Hub().open("attached", 0, {}, at=3_000, now=0.0)
        await until_sends(linked, lambda sent: sent[-1]["is"] == "frame")
        return linked

    assert asyncio.run(open_link()).session.shown == 5


def test_page_that_is_opened_again_later_has_whole_timeline() -> None:
    offer_world(attached_world(Told(*traces(30))))

    async def come_back() -> list[dict[str, Any]]:
        hub = Hub()
        first = hub.enter("attached", visitor="somebody", now=0.0)
        await until_sends(first, lambda sent: sent[-1]["is"] == "frame" and sent[-1]["n"] == 30)
        first.left_at = 0.0
        hub.sweep(ABSENCE + 1)
        assert not hub.games
        again = hub.enter("attached", visitor="somebody", now=0.0)
        return await until_sends(again, lambda sent: sent[-1]["is"] == "frame" and sent[-1]["n"] == 30)

    sent = asyncio.run(come_back())
    assert not [each for each in sent if each["is"] == "told"]


def test_page_begins_anew_when_game_tells_of_reader_or_other_map() -> None:
    source = Told(*traces(3))
    offer_world(attached_world(source))

    async def play() -> list[dict[str, Any]]:
        game = Hub().open("attached", 0, {}, now=0.0)

        def tell(sent: list[dict[str, Any]]) -> bool:
            hellos = [each for each in sent if each["is"] == "hello"]
            if len(hellos) == 1 and sent[-1]["is"] == "frame" and sent[-1]["n"] == 3:
                source.tell({"beliefs": [{"reader": "ann", "goals": {"rest": 1}}], "map": {"width": 9, "height": 9}})
            return len(hellos) == 2 and sent[-1]["is"] == "frame"

        return await until_sends(game, tell)

    sent = asyncio.run(play())
    first, second = (each for each in sent if each["is"] == "hello")
    assert (first["readers"], second["readers"]) == ([], [["ann", "ann"]])
    assert first["size"] != second["size"]
    after = sent[sent.index(second) :]
    assert [each["is"] for each in after if each["is"] in ("history", "backdrop")] == ["history", "backdrop"]
    assert "base" not in after[-1]  # a whole frame


def test_recording_goes_on_to_its_end_and_can_be_sought_in() -> None:
    source = RecordedSource("farm", Told(*traces(40)).traces())
    offer_world(attached_world(source, steps=source.count, rate=30.0))

    async def play() -> Game:
        game = Hub().open("recording", 0, {}, at=25, now=0.0)
        await until_sends(game, lambda sent: sent[-1]["is"] == "frame" and sent[-1]["n"] == 25)
        game.session.seek(40)
        await until_sends(game, lambda sent: sent[-1]["is"] == "frame" and sent[-1]["n"] == 40)
        return game

    session = asyncio.run(play()).session
    assert session.stopped == "the recording ends here"
    assert not session.is_scripted
