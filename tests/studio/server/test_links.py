"""WebSocket links to a real server: malformed, excessive and half-open ones affect no other game."""

import asyncio
import json
import random
import socket
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from browser.conftest import Studio
from studio.frames import FrameReader
from studio.server.conftest import begun
from studio.server.test_messages import malformed


class Player:
    """A client that keeps all messages of a link."""

    def __init__(self, link: ClientConnection) -> None:
        self.link = link
        self.got: list[dict[str, Any]] = []
        self._frames = FrameReader()
        self.taking = asyncio.create_task(self._take())

    async def _take(self) -> None:
        async for message in self.link:
            self.got.append(self._frames.read(json.loads(message)))

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.got if message["is"] == kind]

    @property
    def live(self) -> list[int]:
        return [frame["n"] for frame in self.of("frame") if frame["live"]]

    async def goes_on(self, frames: int = 10) -> None:
        """Wait for more frames."""
        before = len(self.of("frame"))
        await until(lambda: len(self.of("frame")) >= before + frames)

    async def say(self, **message: object) -> None:
        await self.link.send(json.dumps(message))


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.02)


def played(studio: Studio, *addresses: str, by: Callable[..., Awaitable[None]]) -> None:
    """Open games, connect to each, and play them."""

    async def playing() -> None:
        links = [begun(studio, address) for address in addresses]
        async with asyncio.timeout(90):
            players = [Player(await connect(link, additional_headers=studio.headers)) for link in links]
            try:
                await by(*players)
            finally:
                for player in players:
                    await player.link.close()
                await asyncio.gather(*(player.taking for player in players), return_exceptions=True)

    asyncio.run(playing())


def test_malformed_messages_stop_neither_their_game_nor_another(studio: Studio) -> None:
    rng = random.Random(21)

    async def flood(target: Player, other: Player) -> None:
        await other.goes_on()
        for number in range(4_000):
            await target.link.send(malformed(rng))
            if number % 400 == 0:
                await target.link.send("[" * 500_000)
                await target.link.send(rng.randbytes(500_000))
                await target.say(do="pause", on=False)
        await target.say(do="speed", to=1)
        await target.say(do="pause", on=False)
        while not any("'dance'" in told["text"] for told in target.of("told")):
            await target.say(do="dance")  # the number of queued refusals is limited, so repeat it
            await target.goes_on(3)
        await target.goes_on()
        await other.goes_on()
        assert target.live == sorted(target.live)
        assert other.live == list(range(other.live[0], other.live[-1] + 1))
        assert not other.of("told")

    played(studio, "home?seed=31", "home?seed=32", by=flood)


def test_too_long_message_ends_link_but_not_game(studio: Studio) -> None:
    async def shout(player: Player) -> None:
        await player.goes_on()
        await player.link.send("x" * (2**20 + 1))
        await until(lambda: player.taking.done())
        assert player.link.close_code == 1009
        address = f"ws://{urlsplit(studio.site).netloc}{player.link.request.path}"
        again = Player(await connect(address, additional_headers=studio.headers))
        await again.goes_on()
        assert again.live[0] >= player.live[-1]
        await again.link.close()
        await asyncio.wait([again.taking])
        with pytest.raises(ConnectionClosed):
            await player.taking

    played(studio, "home?seed=33", by=shout)


@pytest.mark.parametrize("name", ["nobody", "a" * 200, "%F0%9F%92%A5"])
def test_link_to_unknown_game_is_closed_with_reason(studio: Studio, name: str) -> None:
    async def knock() -> int | None:
        async with connect(
            f"{studio.site.replace('http', 'ws', 1)}/link/{name}", additional_headers=studio.headers
        ) as link:
            await link.wait_closed()
            return link.close_code

    assert asyncio.run(knock()) == 4404


def test_hundreds_of_short_links_leave_game_at_its_pace(studio: Studio) -> None:
    async def hurry(player: Player) -> None:
        address = f"ws://{urlsplit(studio.site).netloc}{player.link.request.path}"

        async def peek(rng: random.Random) -> None:
            try:
                async with connect(address, additional_headers=studio.headers) as link:
                    if rng.random() < 0.5:
                        await link.recv()
            except ConnectionClosed:
                pass  # another page took the game over

        rng = random.Random(4)
        for _ in range(10):
            await asyncio.gather(*(peek(rng) for _ in range(20)))
        last = Player(await connect(address, additional_headers=studio.headers))
        await last.goes_on(20)
        assert last.live == list(range(last.live[0], last.live[-1] + 1))
        assert [game["open"] for game in studio.games() if game["seed"] == 34] == [True]
        await player.link.close()
        await last.link.close()
        await asyncio.wait([last.taking, player.taking])

    played(studio, "home?seed=34", by=hurry)


def test_many_pages_on_one_game_leave_one_player(studio: Studio) -> None:
    async def crowd(player: Player) -> None:
        address = f"ws://{urlsplit(studio.site).netloc}{player.link.request.path}"
        crowd = [
            player,
            *(
                Player(link)
                for link in await asyncio.gather(
                    *(connect(address, additional_headers=studio.headers) for _ in range(12))
                )
            ),
        ]
        await until(lambda: sum(each.got[-1:] == [{"is": "elsewhere"}] for each in crowd) == len(crowd) - 1)
        (playing,) = [each for each in crowd if each.got[-1:] != [{"is": "elsewhere"}]]
        await playing.goes_on(20)
        assert playing.live == list(range(playing.live[0], playing.live[-1] + 1))
        for each in crowd:
            await each.link.close()

    played(studio, "home?seed=35", by=crowd)


def test_page_that_stands_by_takes_game_back(studio: Studio) -> None:
    async def swap(first: Player) -> None:
        address = f"ws://{urlsplit(studio.site).netloc}{first.link.request.path}"
        await first.goes_on()
        second = Player(await connect(address, additional_headers=studio.headers))
        await second.goes_on()
        await until(lambda: first.got[-1] == {"is": "elsewhere"})
        await first.say(do="speed", to=8)  # a page that stands by changes nothing
        await second.goes_on()
        assert second.of("status")[-1]["speed"] == 1
        await first.say(do="take")
        await first.goes_on()
        await until(lambda: second.got[-1] == {"is": "elsewhere"})
        before = first.live[-1]
        await first.link.close()
        await second.goes_on()
        assert second.live[-1] > before
        await second.link.close()

    played(studio, "home?seed=39", by=swap)


def test_half_open_connections_block_nobody(studio: Studio) -> None:
    place = urlsplit(studio.site)
    half = [socket.create_connection((place.hostname, place.port)) for _ in range(50)]

    async def play(player: Player) -> None:
        await player.goes_on()

    try:
        for number, one in enumerate(half):
            one.sendall(b"GET /link/x HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"[: 10 + number])
        played(studio, "home?seed=36", by=play)
    finally:
        for one in half:
            one.close()


def test_game_that_catches_up_delays_no_other(studio: Studio) -> None:
    async def wait(travelling: Player, other: Player) -> None:
        await travelling.link.send("nonsense")
        await other.goes_on(30)
        assert other.live == list(range(other.live[0], other.live[-1] + 1))

    played(studio, "home?seed=37&at=999999999", "home?seed=38", by=wait)


def test_faults_of_address_are_told_in_one_note(studio: Studio) -> None:
    async def read(player: Player) -> None:
        await until(lambda: bool(player.of("told")))
        await player.goes_on()
        (told,) = player.of("told")
        for fault in (
            "seed must be a whole number",
            "people cannot be '99'",
            "no setting 'peple'; did you mean 'people'",
        ):
            assert fault in told["text"]

    played(studio, "home?seed=-1&people=99&peple=2", by=read)
