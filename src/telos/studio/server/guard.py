"""Who may come in: on loopback whoever is at this machine, elsewhere whoever has the token."""

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlsplit

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
COOKIE = "telos-token"
MOST_BYTES = 8 * 2**20  # of a request: twice the largest recording


class Guard:
    """Stands before the whole app. Without a ``token`` only addresses of this machine are answered.

    A page of another site must not reach the studio through the visitor's browser: the ``Host`` has to be this
    machine's own (else a name that was made to point here would do), and a WebSocket has to come from a page of ours.
    """

    def __init__(self, app: App, token: str = "") -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is allowed, and refuse the rest."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal:
            await _refuse(scope, receive, send, refusal)
            return
        await self._app(scope, _limited(receive), self._with_cookie(scope, send))

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> str:
        host = headers.get("host", "")
        if not self._token and _name(host) not in LOOPBACK:
            return f"the studio answers at 127.0.0.1, not at {host[:80]!r}"
        origin = headers.get("origin")
        if scope["type"] == "websocket" and origin is not None and urlsplit(origin).netloc != host:
            return "this page is not of the studio"
        if _is_too_long(headers.get("content-length", "0")):
            return f"a request has at most {MOST_BYTES} bytes"
        if self._token and not self._has_token(scope, headers):
            return "a token is needed: open the address that `telos play` has printed"
        return ""

    def _has_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        return any(_same(said, self._token) for said in (_asked(scope), _kept(headers)))

    def _with_cookie(self, scope: Scope, send: Send) -> Send:
        """Let the browser keep a token that came with the address: the page's own requests do not carry it."""
        if scope["type"] != "http" or not self._token or not _same(_asked(scope), self._token):
            return send

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                cookie = f"{COOKIE}={self._token}; Path=/; HttpOnly; SameSite=Strict"
                message["headers"] = [*message.get("headers", ()), (b"set-cookie", cookie.encode())]
            await send(message)

        return sending


def _is_too_long(length: str) -> bool:
    return not (length.isascii() and length.isdecimal()) or len(length) > 12 or int(length) > MOST_BYTES


def _limited(receive: Receive) -> Receive:
    """Cut off a request that is longer than it says, or does not say how long it is."""
    got = 0

    async def receiving() -> Message:
        nonlocal got
        message = await receive()
        got += len(message.get("body", b"")) if message["type"] == "http.request" else 0
        return message if got <= MOST_BYTES else {"type": "http.disconnect"}

    return receiving


def _name(host: str) -> str:
    """Return a host without its port: ``[::1]:80`` and ``localhost:80`` alike."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _asked(scope: Scope) -> str:
    query: bytes = scope["query_string"]
    return parse_qs(query.decode("latin-1")).get("token", [""])[0]


def _kept(headers: dict[str, str]) -> str:
    try:
        cookie = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    return cookie[COOKIE].value if COOKIE in cookie else ""


def _same(said: str, token: str) -> bool:
    return hmac.compare_digest(said.encode(), token.encode())


async def _refuse(scope: Scope, receive: Receive, send: Send, why: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": f"{why}\n".encode()})
