"""Access control: `AuthMiddleware` admits local requests, and remote ones only with the token."""

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias
from urllib.parse import parse_qs, quote, unquote, urlsplit

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
COOKIE = "telos-token"
MAX_REQUEST_BYTES = 8 * 2**20  # twice the largest recording

# NiceGUI's pages need inline scripts; but nothing is loaded from other sites, and no other site may frame them.
_POLICY = "; ".join(
    [
        "default-src 'self'", "script-src 'self' 'unsafe-inline' 'unsafe-eval'", "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:", "font-src 'self' data:", "object-src 'none'", "base-uri 'self'",
        "form-action 'self'", "frame-ancestors 'none'",
    ]
)  # fmt: skip
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"referrer-policy", b"same-origin"),  # an address may contain the token
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class AuthMiddleware:
    """ASGI middleware around the whole app. Without a ``token``, only loopback hosts are accepted.

    Pages of other sites must not reach the studio through the visitor's browser: the ``Host`` must be a loopback name
    (against DNS rebinding), and cross-site requests are refused, except for navigation by a link.
    """

    def __init__(self, app: App, token: str = "") -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward allowed requests and refuse all others."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal:
            await _refuse(scope, receive, send, refusal)
            return
        await self._app(scope, _limit_size(receive), self._with_headers(scope, send))

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> str:
        host = headers.get("host", "")
        if not self._token and _host_name(host) not in LOOPBACK:
            return f"the studio only answers at 127.0.0.1, not at {host[:80]!r}"
        if _is_cross_site(headers, host):
            return "cross-site requests are refused"
        if _is_too_long(headers.get("content-length", "0")):
            return f"a request has at most {MAX_REQUEST_BYTES} bytes"
        if self._token and not self._has_token(scope, headers):
            return "a token is required: open the address that `telos play` has printed"
        return ""

    def _has_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        return any(_is_same(token, self._token) for token in (_query_token(scope), _cookie_token(scope, headers)))

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        """Add the security headers, and a cookie for a token that came with the address.

        The page's own requests do not carry the token, so they need the cookie.
        """
        if scope["type"] != "http":
            return send
        added = list(_HEADERS)
        if self._token and _is_same(_query_token(scope), self._token):
            cookie = f"{_cookie_name(scope)}={quote(self._token, safe='')}; Path=/; HttpOnly; SameSite=Strict"
            added.append((b"set-cookie", cookie.encode()))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *added]
            await send(message)

        return send_with_headers


def _is_cross_site(headers: dict[str, str], host: str) -> bool:
    """Return whether the request comes from a page of another site; following a link to the studio is allowed."""
    origin = headers.get("origin")
    if origin is not None and _netloc(origin) != host:
        return True
    is_followed = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not is_followed


def _is_too_long(length: str) -> bool:
    return not (length.isascii() and length.isdecimal()) or len(length) > 12 or int(length) > MAX_REQUEST_BYTES


def _limit_size(receive: Receive) -> Receive:
    """Disconnect a request whose body exceeds the limit, whatever its declared length."""
    received = 0

    async def receive_limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b"")) if message["type"] == "http.request" else 0
        return message if received <= MAX_REQUEST_BYTES else {"type": "http.disconnect"}

    return receive_limited


def _host_name(host: str) -> str:
    """Return a host without its port and brackets (``[::1]:80``, ``localhost:80``)."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _netloc(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _query_token(scope: Scope) -> str:
    query: bytes = scope["query_string"]
    return parse_qs(query.decode("latin-1")).get("token", [""])[0]


def _cookie_name(scope: Scope) -> str:
    """Return the name of the cookie; it contains the port, as browsers share cookies between the ports of a host."""
    return f"{COOKIE}-{(scope.get('server') or ('', ''))[1]}"


def _cookie_token(scope: Scope, headers: dict[str, str]) -> str:
    """Return the token from the cookies; malformed cookies of other local servers are skipped."""
    for cookie in headers.get("cookie", "").split(";"):
        name, _, value = cookie.strip().partition("=")
        if name == _cookie_name(scope):
            return unquote(value)
    return ""


def _is_same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode("utf-8", "replace"))


async def _refuse(scope: Scope, receive: Receive, send: Send, why: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": f"{why}\n".encode()})
