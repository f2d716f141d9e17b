"""Who may come in: on loopback whoever is at this machine, elsewhere whoever has the token."""

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
MOST_BYTES = 8 * 2**20  # of a request: twice the largest recording

# NiceGUI's pages are put together by scripts in them; but nothing comes from elsewhere, and no other site shows them.
_POLICY = "; ".join(
    [
        "default-src 'self'", "script-src 'self' 'unsafe-inline' 'unsafe-eval'", "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:", "font-src 'self' data:", "object-src 'none'", "base-uri 'self'",
        "form-action 'self'", "frame-ancestors 'none'",
    ]
)  # fmt: skip
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"referrer-policy", b"same-origin"),  # an address may have the token in it
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class Guard:
    """Stands before the whole app. Without a ``token`` only addresses of this machine are answered.

    A page of another site must not reach the studio through the visitor's browser: the ``Host`` has to be this
    machine's own (else a name that was made to point here would do), and what another page asks for is refused, unless
    it is a link that somebody follows.
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
        await self._app(scope, _limited(receive), self._with_headers(scope, send))

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> str:
        host = headers.get("host", "")
        if not self._token and _name(host) not in LOOPBACK:
            return f"the studio answers at 127.0.0.1, not at {host[:80]!r}"
        if _is_of_another_site(headers, host):
            return "this page is not of the studio"
        if _is_too_long(headers.get("content-length", "0")):
            return f"a request has at most {MOST_BYTES} bytes"
        if self._token and not self._has_token(scope, headers):
            return "a token is needed: open the address that `telos play` has printed"
        return ""

    def _has_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        return any(_same(said, self._token) for said in (_asked(scope), _kept(scope, headers)))

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        """Tell the browser what our pages may do, and let it keep a token that came with the address.

        The page's own requests do not carry the token.
        """
        if scope["type"] != "http":
            return send
        added = list(_HEADERS)
        if self._token and _same(_asked(scope), self._token):
            cookie = f"{_cookie(scope)}={quote(self._token, safe='')}; Path=/; HttpOnly; SameSite=Strict"
            added.append((b"set-cookie", cookie.encode()))

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *added]
            await send(message)

        return sending


def _is_of_another_site(headers: dict[str, str], host: str) -> bool:
    """Whether a page of another site asks, as far as the browser tells; to follow a link to here is allowed."""
    origin = headers.get("origin")
    if origin is not None and _netloc(origin) != host:
        return True
    is_followed = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not is_followed


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


def _netloc(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _asked(scope: Scope) -> str:
    query: bytes = scope["query_string"]
    return parse_qs(query.decode("latin-1")).get("token", [""])[0]


def _cookie(scope: Scope) -> str:
    """Return the name of our cookie: browsers send cookies to all ports of a host, and each studio has a token."""
    return f"{COOKIE}-{(scope.get('server') or ('', ''))[1]}"


def _kept(scope: Scope, headers: dict[str, str]) -> str:
    """Return the token that the browser has kept; strange cookies of others at this machine do not matter."""
    for cookie in headers.get("cookie", "").split(";"):
        name, _, value = cookie.strip().partition("=")
        if name == _cookie(scope):
            return unquote(value)
    return ""


def _same(said: str, token: str) -> bool:
    return hmac.compare_digest(said.encode("utf-8", "replace"), token.encode("utf-8", "replace"))


async def _refuse(scope: Scope, receive: Receive, send: Send, why: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": f"{why}\n".encode()})
