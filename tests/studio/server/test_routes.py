"""HTTP routes: no file from outside, read-only, no cross-site access."""

import json
import re
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from browser.conftest import Studio

UP = ("../", "..%2f", "%2e%2e/", "..%5c", "%252e%252e%252f", "....//")
WAYS_OUT = ["/etc/passwd", "//etc/passwd", *(f"{12 * up}etc/passwd" for up in UP)]


def asked(
    studio: Studio, path: str, method: str = "GET", *, with_token: bool = True, **headers: str
) -> tuple[int, bytes]:
    """Request a path verbatim, without the normalisation of a client."""
    headers |= studio.headers if with_token else {}
    connection = HTTPConnection(urlsplit(studio.site).netloc, timeout=30)
    connection.putrequest(method, path, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


@pytest.fixture(scope="module")
def folders(studio: Studio) -> list[str]:
    """All folders from which a page requests files."""
    page = asked(studio, "/home")[1].decode()
    found = {each.rsplit("/", 1)[0] for each in re.findall(r"/(_nicegui/[^\"' ]+)", page)}
    assert len(found) > 3, page
    return ["", "link/", "adventure/", *sorted(f"{each}/" for each in found)]


def test_no_path_leaves_folders_of_studio(studio: Studio, folders: list[str]) -> None:
    for folder in folders:
        for way in WAYS_OUT:
            status, body = asked(studio, f"/{folder}{way}")
            assert b"root:" not in body, f"{folder}{way}"
            assert status < 500, f"{folder}{way}"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "FROBNICATE"])
def test_pages_are_read_only(studio: Studio, method: str) -> None:
    before = len(studio.games())
    for path in ("/", "/home", "/games"):
        assert asked(studio, path, method, content_length="0")[0] in (400, 404, 405)
    assert len(studio.games()) <= before  # a closed game may be freed meanwhile


def test_cross_site_page_starts_no_game(studio: Studio) -> None:
    before = len(studio.games())
    assert asked(studio, "/home", Origin="http://evil.example")[0] == 403
    assert (
        asked(studio, "/home", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors", Sec_Fetch_Dest="image")[0] == 403
    )
    assert asked(studio, "/_nicegui_ws/socket.io/?EIO=4&transport=polling", Origin="http://evil.example")[0] == 403
    assert len(studio.games()) <= before  # a closed game may be freed meanwhile


def test_nothing_is_readable_without_token(studio: Studio, folders: list[str]) -> None:
    before = len(studio.games())
    page = studio.fetch("home?seed=3").read().decode()
    files = set(re.findall(r"/_nicegui/[^\"' <>\\\\]+", page))
    assert len(files) > 5
    others = {"/", "/home", "/games", "/favicon.ico", "/docs", "/_nicegui_ws/socket.io/?EIO=4&transport=polling"}
    for path in files | others | {f"/{folder}x" for folder in folders}:
        for method in ("GET", "HEAD", "POST", "OPTIONS"):
            for headers in (
                {},
                {"Cookie": "telos-token-8484=x"},
                {"Authorization": "Bearer x"},
                {"X_Forwarded_For": "1"},
            ):
                status, body = asked(studio, path, method, with_token=False, Content_Length="0", **headers)
                assert status == 403, path
                assert len(body) < 2_000
                assert studio.token.encode() not in body
    assert len(studio.games()) <= before + 1
    for path in ("link/x", "_nicegui_ws/socket.io/?EIO=4&transport=websocket"):
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13"}
        key = {"Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ=="}
        assert asked(studio, f"/{path}", with_token=False, **upgrade, **key)[0] == 403


def test_hostile_names_reach_neither_file_system_nor_terminal(studio: Studio, folders: list[str]) -> None:
    names = ["%00", "a%00.js", "%1b%5b31mred", "%07", "%0d%0aERROR", "%c2%9b1m", "x" * 256, "x" * 5_000, "%e9" * 250]
    names += ["x/%00/y", "/".join("abc" * 300), "%2e%2e%00", "%ff%fe", "con", "%F0%9F%92%A5", "%E2%80%AE", "a" * 199]
    for folder in [*folders, "x/y/"]:
        for name in names:
            status = asked(studio, f"/{folder}{name}")[0]
            assert status < 500, f"{folder}{name}"
    said = (studio.folder / "studio.log").read_bytes()
    assert not set(said) & (set(range(32)) - {10})
    assert "\u202e" not in said.decode()
    assert "\x9b" not in said.decode()


def test_log_of_game_is_filtered_and_exported(studio: Studio) -> None:
    game = re.findall(r"/link/([\w-]+)", asked(studio, "/home")[1].decode())[0]
    status, body = asked(studio, f"/log/{game}?detail=3&count=5&find=x")
    answer = json.loads(body)
    assert (status, answer["total"], answer["rows"], answer["matches"]) == (200, 0, [], 0)
    for kind in ("text", "jsonl"):
        assert asked(studio, f"/log/{game}?as={kind}")[0] == 200
    assert asked(studio, f"/log/{game}?start=x")[0] == 400
    assert asked(studio, "/log/nobody")[0] == 404
    assert asked(studio, f"/log/{game}", with_token=False)[0] in (401, 403)
