"""Pages that are left while they load: the terminal stays empty, and the studio goes on."""

import random
import re
import socket
import struct
import time
from urllib.parse import urlsplit

from browser.conftest import Studio

LEAVE_AT_ONCE = struct.pack("ii", 1, 0)  # SO_LINGER: a reset in place of a farewell


def leave(studio: Studio, path: str, after: float, *, headers: str = "") -> None:
    """Request an address, and close the connection a while later without reading the answer."""
    place = urlsplit(studio.site)
    with socket.create_connection((place.hostname, place.port)) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LEAVE_AT_ONCE)
        lines = f"GET {path} HTTP/1.1\r\nHost: {place.netloc}\r\nAuthorization: Bearer {studio.token}\r\n{headers}\r\n"
        connection.sendall(lines.encode())
        time.sleep(after)


def test_pages_left_while_loading_print_nothing(studio: Studio) -> None:
    page = studio.fetch("home?seed=51").read().decode()
    files = [f"/{path}" for path in re.findall(r'"/(_nicegui/[^"]+\.(?:js|css))"', page)][:6]
    assert files
    upgrade = (
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    )
    sockets = "/_nicegui_ws/socket.io/?EIO=4&transport="
    rng = random.Random(3)
    before = len((studio.folder / "studio.log").read_text().splitlines())
    for number in range(60):
        leave(studio, rng.choice(files), rng.uniform(0, 0.004))
        leave(studio, f"{sockets}polling", rng.uniform(0, 0.003))
        leave(studio, f"{sockets}websocket", rng.uniform(0, 0.003), headers=upgrade)
        if number % 5 == 0:
            leave(studio, f"/home?seed={number}", rng.uniform(0, 0.05))
            leave(studio, f"/log/nobody{number}", 0)
    assert studio.fetch("home?seed=52").status == 200
    said = (studio.folder / "studio.log").read_text().splitlines()[before:]
    assert said == []
