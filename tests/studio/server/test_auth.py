"""Access control: hosts, origins, tokens and request sizes."""

import asyncio
from typing import Any

import pytest

from telos.studio.server.auth import MAX_REQUEST_BYTES, AuthMiddleware


def answer(
    guard: AuthMiddleware, *, kind: str = "http", host: str = "127.0.0.1:8484", query: str = "", **headers: str
) -> Any:
    """Send a request and return the answer."""
    sent: list[Any] = []
    raw = [(b"host", host.encode()), *((key.encode(), value.encode()) for key, value in headers.items())]
    scope = {"type": kind, "headers": raw, "query_string": query.encode(), "path": "/", "server": ("10.0.0.1", 8484)}

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
def test_local_request_needs_no_token(host: str) -> None:
    assert came_in(answer(AuthMiddleware(inside), host=host))


@pytest.mark.parametrize("host", ["evil.example", "192.168.0.7:8484", "127.0.0.1.evil.example", "", "[", "a b"])
def test_foreign_host_is_refused(host: str) -> None:
    refused = answer(AuthMiddleware(inside), host=host)
    assert refused[0]["status"] == 403
    assert b"127.0.0.1" in refused[1]["body"]


def test_cross_site_websocket_is_refused() -> None:
    assert came_in(answer(AuthMiddleware(inside), kind="websocket", origin="http://127.0.0.1:8484"))
    refused = answer(AuthMiddleware(inside), kind="websocket", origin="http://evil.example")
    assert [(message["type"], message["code"]) for message in refused] == [("websocket.close", 1008)]


def test_token_is_required_if_set() -> None:
    guard = AuthMiddleware(inside, "s3cret")
    for kind in ("http", "websocket"):
        assert not came_in(answer(guard, kind=kind, host="10.0.0.1"))
        assert not came_in(answer(guard, kind=kind, host="10.0.0.1", query="token=wrong"))
        assert not came_in(answer(guard, kind=kind, host="10.0.0.1", cookie="telos-token-8484=wrong"))
        assert not came_in(answer(guard, kind=kind, host="10.0.0.1", cookie="telos-token-8484=\x01;;="))
        assert came_in(answer(guard, kind=kind, host="10.0.0.1", query="token=s3cret"))
        assert came_in(answer(guard, kind=kind, host="10.0.0.1", cookie="a=b; telos-token-8484=s3cret"))


def test_token_of_address_is_stored_in_cookie() -> None:
    (start,) = answer(AuthMiddleware(inside, "s3cret"), host="10.0.0.1", query="token=s3cret")
    assert (b"set-cookie", b"telos-token-8484=s3cret; Path=/; HttpOnly; SameSite=Strict") in start["headers"]
    (start,) = answer(AuthMiddleware(inside, "s3cret"), host="10.0.0.1", cookie="telos-token-8484=s3cret")
    assert b"set-cookie" not in dict(start["headers"])


def test_token_with_special_characters_survives_malformed_cookies() -> None:
    guard = AuthMiddleware(inside, "sésame; öffne dich")
    (start,) = answer(guard, host="10.0.0.1", query="token=s%C3%A9same%3B+%C3%B6ffne+dich")
    kept = dict(start["headers"])[b"set-cookie"].decode().split(";")[0]
    assert came_in(answer(guard, host="10.0.0.1", cookie=f'[x]="; {kept}; a=b'))


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "http://[", ""])
def test_cross_origin_request_is_refused(kind: str, origin: str) -> None:
    assert not came_in(answer(AuthMiddleware(inside), kind=kind, origin=origin))
    assert came_in(answer(AuthMiddleware(inside), kind=kind, origin="http://127.0.0.1:8484"))


def test_cross_site_image_is_refused_and_link_is_allowed() -> None:
    def asked(site: str, mode: str, dest: str) -> bool:
        told = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest}
        return came_in(answer(AuthMiddleware(inside), **told))

    assert not asked("cross-site", "no-cors", "image")
    assert not asked("same-site", "no-cors", "script")
    assert not asked("cross-site", "navigate", "iframe")
    assert asked("cross-site", "navigate", "document")
    assert asked("same-origin", "cors", "empty")
    assert asked("none", "navigate", "document")


def test_pages_load_nothing_from_elsewhere_and_send_no_referrer() -> None:
    headers = dict(answer(AuthMiddleware(inside))[0]["headers"])
    assert headers[b"content-security-policy"].startswith(b"default-src 'self'; ")
    assert b"http" not in headers[b"content-security-policy"]
    assert headers[b"referrer-policy"] == b"same-origin"


@pytest.mark.parametrize("length", [str(MAX_REQUEST_BYTES + 1), "9" * 30, "-1", "x", "\u0663"])
def test_too_long_or_invalid_content_length_is_refused(length: str) -> None:
    assert answer(AuthMiddleware(inside), **{"content-length": length.encode().decode("latin-1")})[0]["status"] == 403
    assert came_in(answer(AuthMiddleware(inside), **{"content-length": str(MAX_REQUEST_BYTES)}))


def test_body_longer_than_declared_is_cut_off() -> None:
    taken: list[str] = []

    async def greedy(scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive())["type"] == "http.request":
            taken.append(message["type"])

    async def endless() -> Any:
        return {"type": "http.request", "body": b"x" * 2**20, "more_body": True}

    scope = {"type": "http", "headers": [(b"host", b"localhost")], "query_string": b"", "path": "/"}
    asyncio.run(AuthMiddleware(greedy)(scope, endless, endless))
    assert len(taken) == MAX_REQUEST_BYTES // 2**20
