"""Access control: `AuthMiddleware` admits only requests that carry the token of the studio, on this machine too.

    address with ?token=… ──▶ cookie, and the address without the token ──▶ pages, files and sockets with the cookie

Programs that keep no cookies (`curl`, `urllib`) get the page at once from an address with the token.
Paths that could name no file here (control characters, very long names) are refused before any route sees them.
"""

import asyncio
import hmac
import logging
import re
from collections.abc import Awaitable, Callable, MutableMapping
from html import escape
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from telos.core.errors import TelosError

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers: TypeAlias = dict[str, str]
RawHeaders: TypeAlias = list[tuple[bytes, bytes]]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
COOKIE = "telos-token"
MAX_REQUEST_BYTES = 8 * 2**20  # twice the largest recording
MIN_TOKEN, MAX_TOKEN = 8, 500  # characters
_MAX_PATH, _MAX_PART = 1_000, 200  # bytes of a path and of a name in it: file systems have names of up to 255
_MAX_FIELDS = 100  # parameters of an address
_GONE_TIMEOUT = 0.05  # seconds in which the server says that a client is gone
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::[0-9]{1,5})?\Z", re.IGNORECASE)

# NiceGUI's pages need inline scripts; but nothing is loaded from other sites, and no other site may frame them.
_POLICY = "; ".join(
    [
        "default-src 'self'", "script-src 'self' 'unsafe-inline' 'unsafe-eval'", "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:", "font-src 'self' data:", "object-src 'none'", "base-uri 'self'",
        "form-action 'self'", "frame-ancestors 'none'",
    ]
)  # fmt: skip
_OWN_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
_HEADERS = (
    (b"referrer-policy", b"same-origin"),  # an address may contain the token
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Telos studio</title>{head}'
    '<meta name="viewport" content="width=device-width"><style>:root{{color-scheme:light dark}}'
    "body{{font:16px/1.5 sans-serif;margin:3rem auto;max-width:36rem;padding:0 1rem}}</style>{body}</html>\n"
)
_ASK = (
    "<h1>This studio needs its token</h1><p>Open the address that <code>telos play</code> has printed in the terminal, "
    "or paste the token, the part of that address after <code>token=</code>:</p>"
    '<form method="get">{hidden}<input name="token" type="password" autocomplete="off" aria-label="Token" autofocus> '
    "<button>Open</button></form>"
)
_AGAIN = '<p>If this browser has opened the studio before, <a href="">open this page again</a>.</p>'
_NO_TOKEN = "a token is required: open the address that `telos play` has printed"

_LOG = logging.getLogger("telos.studio")


def check_token(token: str) -> str:
    """Return a token that was chosen by the user, or raise if it is too short or cannot be sent."""
    if not MIN_TOKEN <= len(token) <= MAX_TOKEN:
        raise TelosError(
            f"a token has {MIN_TOKEN} to {MAX_TOKEN} characters, this one has {len(token)}",
            "choose another, or leave it out to have one made",
        )
    if not token.isprintable():
        raise TelosError("a token consists of printable characters", "choose another, or leave it out to have one made")
    return token


class AuthMiddleware:
    """ASGI middleware around the whole app, which only requests with the ``token`` reach.

    The token comes with the address, in the header ``Authorization: Bearer …``, or in a cookie, which an address with
    the token sets. Pages of other sites must not reach the studio through the visitor's browser either: cross-site
    requests are refused, except for navigation by a link, and if the studio ``is_local``, its ``Host`` must be a
    loopback name (against DNS rebinding).
    """

    def __init__(self, app: App, token: str, *, is_local: bool = True) -> None:
        if not token:
            raise ValueError("a studio has a token")
        self._app, self._token, self._is_local = app, token, is_local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward allowed requests and refuse all others."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal:
            status = 400 if _is_bad_path(scope["path"]) else 403
            await _refuse(scope, receive, send, refusal, status)
        elif not self._has_token(scope, headers):
            await _refuse(scope, receive, send, _NO_TOKEN, page=_ask_for_token(scope, headers))
        elif self._is_entry(scope) and "sec-fetch-mode" in headers:
            await self._enter(scope, headers, send)
        else:
            added = self._cookie(scope) if self._is_entry(scope) else []
            await self._forward(scope, _limit_size(receive), _with_headers(scope, send, added))

    def _refusal(self, scope: Scope, headers: Headers) -> str:
        host = headers.get("host", "")
        if _is_bad_path(scope["path"]):
            return "there is no such address"
        if sum(name.lower() == b"host" for name, _ in scope["headers"]) > 1:
            return "a request has one host"
        if self._is_local and _host_name(host) not in LOOPBACK:
            return f"the studio only answers at 127.0.0.1, not at {host[:80]!r}"
        if _is_cross_site(headers, host):
            return "cross-site requests are refused"
        if _is_too_long(headers.get("content-length", "0")):
            return f"a request has at most {MAX_REQUEST_BYTES} bytes"
        return ""

    def _has_token(self, scope: Scope, headers: Headers) -> bool:
        given = (_query_token(scope), _cookie_token(scope, headers), _header_token(headers))
        return any(_is_same(each, self._token) for each in given)

    def _is_entry(self, scope: Scope) -> bool:
        """Return whether the address that is opened contains the token."""
        is_read = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        return is_read and _is_same(_query_token(scope), self._token)

    async def _enter(self, scope: Scope, headers: Headers, send: Send) -> None:
        """Keep the token in a cookie, and lead to the same address without it.

        A browser that comes from elsewhere (a file, a link) sends no SameSite=Strict cookie along a redirect, so it
        gets a page that leads on.
        """
        onward, added = _without_token(scope), self._cookie(scope)
        if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
            await _answer(send, 303, "", [*added, (b"location", onward.encode())])
            return
        head = f'<meta http-equiv="refresh" content="0; url={escape(onward)}">'
        body = f'<p><a href="{escape(onward)}">Open the studio</a></p>'
        await _answer(send, 200, _PAGE.format(head=head, body=body), added)

    def _cookie(self, scope: Scope) -> RawHeaders:
        """Return the headers that keep the token in a cookie."""
        cookie = f"{_cookie_name(scope)}={quote(self._token, safe='')}; Path=/; HttpOnly; SameSite=Strict"
        return [(b"set-cookie", cookie.encode()), (b"cache-control", b"no-store")]

    async def _forward(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the app; a failure is one line in the terminal, and status 500 if nothing was answered yet.

        Without a client, the libraries fail in several ways: a page that is left while it loads is no failure.
        """
        is_answered = is_gone = False

        async def send_noting(message: Message) -> None:
            nonlocal is_answered
            is_answered = True
            await send(message)

        async def receive_noting() -> Message:
            nonlocal is_gone
            message = await receive()
            is_gone |= message["type"] in ("http.disconnect", "websocket.disconnect")
            return message

        try:
            await self._app(scope, receive_noting, send_noting)
        except Exception as error:
            if is_gone or await _is_gone(receive):
                _LOG.debug("%s was left", scope["path"], exc_info=error)
                return
            _LOG.error("%s failed: %s: %s", scope["path"], type(error).__name__, error)
            _LOG.debug("the failure in full", exc_info=error)
            if not is_answered:
                await _refuse(scope, None, send, "the studio failed to answer; its terminal says why", 500)


async def _is_gone(receive: Receive) -> bool:
    """Return whether the client of a request that has failed is gone."""
    try:
        message = await asyncio.wait_for(receive(), _GONE_TIMEOUT)
    except TimeoutError:
        return False  # it waits for an answer
    return bool(message["type"] in ("http.disconnect", "websocket.disconnect"))


def _with_headers(scope: Scope, send: Send, extra: RawHeaders) -> Send:
    """Add the security headers, and ``extra`` ones, to an answer."""
    if scope["type"] != "http":
        return send
    added = [(b"content-security-policy", _POLICY.encode()), *_HEADERS, *extra]

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *added]
        await send(message)

    return send_with_headers


def _is_bad_path(path: str) -> bool:
    """Return whether a path can name nothing here, and could upset whoever looks for it or prints it."""
    is_long = len(path) > _MAX_PATH or any(len(part.encode("utf-8", "replace")) > _MAX_PART for part in path.split("/"))
    return is_long or _CONTROL.search(path) is not None


def _is_cross_site(headers: Headers, host: str) -> bool:
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
    """Return a host without its port and brackets (``[::1]:80``, ``localhost:80``); empty if it is malformed."""
    found = _HOST.match(host)
    return (found[1] or found[2]).lower() if found else ""


def _netloc(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


# --- tokens -----------------------------------------------------------------------------------------------------------


def _query_token(scope: Scope) -> str:
    return next((value for name, value in _query(scope) if name == "token"), "")


def _query(scope: Scope) -> list[tuple[str, str]]:
    """Return the parameters of an address; none if there are very many."""
    try:
        return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError:
        return []


def _without_token(scope: Scope) -> str:
    """Return the address of a request without its token; its path has one leading slash, so it leads nowhere else."""
    path = "/" + quote(scope["path"].lstrip("/\\"), safe="/:@,.;~-_!*()$")
    kept = urlencode([(name, value) for name, value in _query(scope) if name != "token"])
    return f"{path}?{kept}" if kept else path


def _cookie_name(scope: Scope) -> str:
    """Return the name of the cookie; it contains the port, as browsers share cookies between the ports of a host."""
    return f"{COOKIE}-{(scope.get('server') or ('', ''))[1]}"


def _cookie_token(scope: Scope, headers: Headers) -> str:
    """Return the token from the cookies; malformed cookies of other local servers are skipped."""
    for cookie in headers.get("cookie", "").split(";"):
        name, _, value = cookie.strip().partition("=")
        if name == _cookie_name(scope):
            return unquote(value)
    return ""


def _header_token(headers: Headers) -> str:
    """Return the token from ``Authorization: Bearer …``, for programs."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    return unquote(token.strip()) if kind.lower() == "bearer" else ""


def _is_same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode("utf-8", "replace"))


# --- answers ----------------------------------------------------------------------------------------------------------


def _ask_for_token(scope: Scope, headers: Headers) -> str:
    """Return the page that asks for the token; its form keeps the other parameters of the address."""
    kept = [(escape(name), escape(value)) for name, value in _query(scope) if name != "token"]
    hidden = "".join(f'<input type="hidden" name="{name}" value="{value}">' for name, value in kept)
    is_followed = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")  # so no cookie was sent
    return _PAGE.format(head="", body=_ASK.format(hidden=hidden) + (_AGAIN if is_followed else ""))


async def _refuse(
    scope: Scope, receive: Receive | None, send: Send, why: str, status: int = 403, *, page: str = ""
) -> None:
    """Answer that a request is refused; a socket is closed before it is accepted."""
    if scope["type"] == "websocket":
        if receive is not None:
            await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    await _answer(send, status, page or f"{why}\n", [(b"cache-control", b"no-store")])


async def _answer(send: Send, status: int, text: str, headers: RawHeaders) -> None:
    kind = b"text/html" if text.startswith("<!doctype") else b"text/plain"
    added = [
        (b"content-security-policy", _OWN_POLICY.encode()),
        *_HEADERS,
        (b"content-type", kind + b"; charset=utf-8"),
    ]
    body = text.encode()
    added.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": [*added, *headers]})
    await send({"type": "http.response.body", "body": body})
