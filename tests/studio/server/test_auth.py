"""Access control: hosts, origins, tokens and request sizes."""

import asyncio
from typing import Any
from urllib.parse import quote

import pytest

from telos.core.errors import TelosError
from telos.studio.server.auth import MAX_REQUEST_BYTES, AuthMiddleware, check_token

TOKEN = "s3cret-and-long"
OPENED = {"sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
FOLLOWED = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


def answer(
    guard: AuthMiddleware,
    *,
    kind: str = "http",
    host: str = "127.0.0.1:8484",
    path: str = "/",
    query: str = "",
    method: str = "GET",
    token: str = f"Bearer {TOKEN}",
    **headers: str,
) -> Any:
    """Send a request, with the token in a header, and return the answer."""
    sent: list[Any] = []
    headers |= {"authorization": token} if token else {}
    raw = [(b"host", host.encode()), *((key.encode(), value.encode()) for key, value in headers.items())]
    scope = {"type": kind, "headers": raw, "query_string": query.encode(), "path": path, "server": ("10.0.0.1", 8484)}
    scope |= {"method": method} if kind == "http" else {}

    async def receive() -> Any:
        return {"type": f"{kind}.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(guard(scope, receive, send))
    return sent


async def inside(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})


def came_in(messages: Any) -> bool:
    return messages[0].get("status") == 200 or messages[0]["type"] == "websocket.accept"


@pytest.mark.parametrize("host", ["127.0.0.1:8484", "localhost:8484", "[::1]:8484", "localhost"])
def test_local_host_is_answered_with_token_only(host: str) -> None:
    assert came_in(answer(AuthMiddleware(inside, TOKEN), host=host))
    assert not came_in(answer(AuthMiddleware(inside, TOKEN), host=host, token=""))


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "192.168.0.7:8484",
        "127.0.0.1.evil.example",
        "",
        "[",
        "a b",
        "x@127.0.0.1",
        "127.0.0.1:8484/x",
        "127.0.0.1#",
        "localhost:x",
        "[127.0.0.1",
        "\x1b[31m",
    ],
)
def test_foreign_host_is_refused(host: str) -> None:
    refused = answer(AuthMiddleware(inside, TOKEN), host=host)
    assert refused[0]["status"] == 403
    assert b"127.0.0.1" in refused[1]["body"]


def test_cross_site_websocket_is_refused() -> None:
    assert came_in(answer(AuthMiddleware(inside, TOKEN), kind="websocket", origin="http://127.0.0.1:8484"))
    refused = answer(AuthMiddleware(inside, TOKEN), kind="websocket", origin="http://evil.example")
    assert [(message["type"], message["code"]) for message in refused] == [("websocket.close", 1008)]


def test_token_is_required_everywhere() -> None:
    guard = AuthMiddleware(inside, TOKEN)
    wrong = ["", "wrong", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "\0", "%00", "é" * 9]
    for kind in ("http", "websocket"):
        for path in ("/", "/games", "/favicon.ico", "/_nicegui/3/static/x.js", "/_nicegui_ws/socket.io/", "/link/x"):
            for each in wrong:
                latin = each.encode().decode("latin-1")
                assert not came_in(answer(guard, kind=kind, path=path, token="", query=f"token={quote(each)}"))
                assert not came_in(answer(guard, kind=kind, path=path, token="", cookie=f"telos-token-8484={latin}"))
                assert not came_in(answer(guard, kind=kind, path=path, token=f"Bearer {latin}"))
            assert not came_in(answer(guard, kind=kind, path=path, token=f"Basic {TOKEN}"))
            assert not came_in(answer(guard, kind=kind, path=path, token="", cookie=f"telos-token-9999={TOKEN}"))
            assert came_in(answer(guard, kind=kind, path=path, token="", cookie=f"a=b; telos-token-8484={TOKEN}"))
            assert came_in(answer(guard, kind=kind, path=path))
    assert came_in(answer(guard, kind="websocket", token="", query=f"token={TOKEN}"))


def test_studio_without_token_is_misuse() -> None:
    with pytest.raises(ValueError, match="token"):
        AuthMiddleware(inside, "")


def test_refused_visitor_is_asked_for_token_and_keeps_the_address() -> None:
    start, body = answer(
        AuthMiddleware(inside, TOKEN), token="", path="/home", query="seed=3&game=%22%3E%3Cscript&token=no"
    )
    assert start["status"] == 403
    page = body["body"].decode()
    assert 'name="token"' in page
    assert "telos play" in page
    assert '<input type="hidden" name="seed" value="3">' in page
    assert "<script" not in page
    assert TOKEN not in page
    assert "open this page again" not in page
    page = answer(AuthMiddleware(inside, TOKEN), token="", **FOLLOWED)[1]["body"].decode()
    assert "open this page again" in page  # a link of another site sends no cookie


def test_token_of_address_moves_into_cookie() -> None:
    asked = {"path": "/home", "query": f"seed=3&token={TOKEN}&at=4", "token": ""}
    start, _ = answer(AuthMiddleware(inside, TOKEN), **asked, **OPENED)
    headers = dict(start["headers"])
    assert (start["status"], headers[b"location"]) == (303, b"/home?seed=3&at=4")
    assert headers[b"set-cookie"] == f"telos-token-8484={TOKEN}; Path=/; HttpOnly; SameSite=Strict".encode()
    assert headers[b"cache-control"] == b"no-store"
    start, body = answer(AuthMiddleware(inside, TOKEN), **asked, **FOLLOWED)
    assert (start["status"], dict(start["headers"])[b"set-cookie"]) == (200, headers[b"set-cookie"])
    assert b'content="0; url=/home?seed=3&amp;at=4"' in body["body"]
    assert TOKEN.encode() not in body["body"]
    start = answer(AuthMiddleware(inside, TOKEN), token="", cookie=f"telos-token-8484={TOKEN}")[0]
    assert b"set-cookie" not in dict(start["headers"])


@pytest.mark.parametrize("path", ["//evil.example", "/\\evil.example", "///evil.example/x", "\\\\evil.example"])
def test_address_with_token_leads_nowhere_else(path: str) -> None:
    start = answer(AuthMiddleware(inside, TOKEN), token="", path=path, query=f"token={TOKEN}", **OPENED)[0]
    assert dict(start["headers"])[b"location"].startswith(b"/evil.example")


def test_program_without_cookies_gets_the_page_from_the_address() -> None:
    start = answer(AuthMiddleware(inside, TOKEN), token="", query=f"token={TOKEN}")[0]
    assert start["status"] == 200
    assert dict(start["headers"])[b"set-cookie"].startswith(f"telos-token-8484={TOKEN};".encode())
    assert not came_in(answer(AuthMiddleware(inside, TOKEN), token="", query=f"token={TOKEN}x"))


def test_token_with_special_characters_survives_malformed_cookies() -> None:
    guard = AuthMiddleware(inside, "sésame; öffne dich", is_local=False)
    start = answer(guard, host="10.0.0.1", query="token=s%C3%A9same%3B+%C3%B6ffne+dich")[0]
    kept = dict(start["headers"])[b"set-cookie"].decode().split(";")[0]
    assert came_in(answer(guard, host="10.0.0.1", token="", cookie=f'[x]="; {kept}; a=b'))


@pytest.mark.parametrize("token", ["", "short", "x" * 501, "with\x1bescape", "two\nlines of it"])
def test_unusable_token_is_refused(token: str) -> None:
    with pytest.raises(TelosError, match="a token"):
        check_token(token)


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "path", ["/x\0", "/\x1b[31m", "/a\x07", "/a\nb", "/\x7f", "/\x9b1m", "/" + "a" * 201, "/" + "é" * 101, "/a/b" * 300]
)
def test_path_that_names_nothing_is_refused_before_routing(kind: str, path: str) -> None:
    refused = answer(AuthMiddleware(inside, TOKEN), kind=kind, path=path)[0]
    assert refused.get("status") == 400 or refused["type"] == "websocket.close"


def test_failure_of_app_is_one_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def failing(scope: Any, receive: Any, send: Any) -> None:
        raise RuntimeError("no such thing")

    start, body = answer(AuthMiddleware(failing, TOKEN), path="/games")
    assert (start["status"], b"no such thing" in body["body"]) == (500, False)
    assert [record.getMessage() for record in caplog.records] == ["/games failed: RuntimeError: no such thing"]
    assert answer(AuthMiddleware(failing, TOKEN), kind="websocket")[0]["type"] == "websocket.close"


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "http://[", ""])
def test_cross_origin_request_is_refused(kind: str, origin: str) -> None:
    assert not came_in(answer(AuthMiddleware(inside, TOKEN), kind=kind, origin=origin))
    assert came_in(answer(AuthMiddleware(inside, TOKEN), kind=kind, origin="http://127.0.0.1:8484"))


def test_cross_site_image_is_refused_and_link_is_allowed() -> None:
    def asked(site: str, mode: str, dest: str) -> bool:
        told = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest}
        return came_in(answer(AuthMiddleware(inside, TOKEN), **told))

    assert not asked("cross-site", "no-cors", "image")
    assert not asked("same-site", "no-cors", "script")
    assert not asked("cross-site", "navigate", "iframe")
    assert asked("cross-site", "navigate", "document")
    assert asked("same-origin", "cors", "empty")
    assert asked("none", "navigate", "document")


def test_two_hosts_in_a_request_are_refused() -> None:
    assert answer(AuthMiddleware(inside, TOKEN), Host="127.0.0.1:8484")[0]["status"] == 403


def test_pages_load_nothing_from_elsewhere_and_send_no_referrer() -> None:
    headers = dict(answer(AuthMiddleware(inside, TOKEN))[0]["headers"])
    assert headers[b"content-security-policy"].startswith(b"default-src 'self'; ")
    assert b"http" not in headers[b"content-security-policy"]
    assert headers[b"referrer-policy"] == b"same-origin"


@pytest.mark.parametrize("length", [str(MAX_REQUEST_BYTES + 1), "9" * 30, "-1", "x", "\u0663"])
def test_too_long_or_invalid_content_length_is_refused(length: str) -> None:
    assert (
        answer(AuthMiddleware(inside, TOKEN), **{"content-length": length.encode().decode("latin-1")})[0]["status"]
        == 403
    )
    assert came_in(answer(AuthMiddleware(inside, TOKEN), **{"content-length": str(MAX_REQUEST_BYTES)}))


def test_body_longer_than_declared_is_cut_off() -> None:
    taken: list[str] = []

    async def greedy(scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive())["type"] == "http.request":
            taken.append(message["type"])

    async def endless() -> Any:
        return {"type": "http.request", "body": b"x" * 2**20, "more_body": True}

    scope = {
        "type": "http",
        "method": "POST",
        "headers": [(b"host", b"localhost"), (b"authorization", f"Bearer {TOKEN}".encode())],
        "query_string": b"",
        "path": "/",
    }
    asyncio.run(AuthMiddleware(greedy, TOKEN)(scope, endless, endless))
    assert len(taken) == MAX_REQUEST_BYTES // 2**20
