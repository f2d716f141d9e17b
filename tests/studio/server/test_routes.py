"""HTTP routes: no file from outside, read-only, no cross-site access."""

import re
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from browser.conftest import Studio

UP = ("../", "..%2f", "%2e%2e/", "..%5c", "%252e%252e%252f", "....//")
WAYS_OUT = ["/etc/passwd", "//etc/passwd", *(f"{12 * up}etc/passwd" for up in UP)]


def asked(studio: Studio, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes]:
    """Request a path verbatim, without the normalisation of a client."""
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
