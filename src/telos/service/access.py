"""Who may do what, and how much: tokens with scopes, limits of size, and limits of rate.

A token file has a line for each token: its scopes, then the token; ``#`` begins a comment.

    write,read   rJ3kV0yYt6Qz…     # the game's servers
    read         8hK1mWc5nB2x…     # dashboards
    admin        Zq7Lr9PpT4sD…     # operators: everything
"""

import hmac
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from telos.core.errors import TelosError, name_hint
from telos.files import read_text
from telos.service.messages import ProblemCode, ServiceError

MIN_TOKEN = 16  # characters
MAX_FAULTS = 20  # that are told at once
MAX_CLIENTS = 100_000  # whose rate is remembered


class Scope(StrEnum):
    """What a token allows; ``admin`` includes the others."""

    WRITE = "write"
    READ = "read"
    ADMIN = "admin"


_SCOPES = tuple(each.value for each in Scope)


@dataclass(frozen=True, slots=True)
class Token:
    """The digest of a token, and what it allows."""

    digest: bytes
    scopes: frozenset[Scope]

    def allows(self, scope: Scope) -> bool:
        """Whether the token has a scope."""
        return scope in self.scopes or Scope.ADMIN in self.scopes


@dataclass(frozen=True, slots=True)
class Tokens:
    """All tokens of a service; without any, everybody may do everything, which only loopback is allowed to."""

    known: tuple[Token, ...] = ()

    def check(self, header: str | None, scope: Scope | None) -> str:
        """Return a name of the client for rate limits, or raise if it may not do this; ``header`` is Authorization.

        Without a scope any known token will do.
        """
        if not self.known:
            return ""
        kind, _, secret = (header or "").partition(" ")
        if kind.lower() != "bearer" or not secret:
            raise ServiceError(ProblemCode.UNAUTHORIZED, "a token is required", "send Authorization: Bearer TOKEN")
        digest = sha256(secret.strip().encode()).digest()
        # All are compared, each in constant time, so that the time tells nothing about any.
        found = [token for token in self.known if hmac.compare_digest(token.digest, digest)]
        if not found:
            raise ServiceError(ProblemCode.UNAUTHORIZED, "the token is unknown", "ask who runs the service for one")
        if scope is not None and not any(token.allows(scope) for token in found):
            raise ServiceError(ProblemCode.FORBIDDEN, f"the token has not the scope {scope.value!r}", "use another")
        return digest.hex()[:16]


@dataclass(frozen=True, slots=True)
class Pages:
    """Which web pages may ask: those of the service itself, and those of the named origins.

    Any page in a browser can send requests to loopback. Browsers name the page in ``Origin``; the name in ``Host``
    tells a page whose own domain was made to lead to this machine, if ``hosts`` names those of the service.
    """

    origins: tuple[str, ...] = ()
    hosts: frozenset[str] = frozenset()  # empty: any

    def check(self, headers: Mapping[str, str]) -> None:
        """Raise if a request comes from a page that may not ask."""
        address = headers.get("host", "")
        try:
            host = urlsplit(f"//{address}").hostname or ""
        except ValueError:  # no address at all, such as "[x"
            host = ""
        if self.hosts and host not in self.hosts:
            raise ServiceError(
                ProblemCode.FORBIDDEN, f"this service is not at {host[:80]!r}", "use --tokens to let others in"
            )
        origin = headers.get("origin")
        if origin is not None and origin not in self.origins and origin.partition("://")[2] != address:
            raise ServiceError(ProblemCode.FORBIDDEN, "this origin is not allowed", "name it with --origin")


def load_tokens(path: Path) -> Tokens:
    """Read a token file; every fault names its line."""
    found, faults = [], []
    for number, line in enumerate(read_text(path, limit=1_000_000).splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            found.append(_parse_token(words))
        except TelosError as error:
            faults.append(str(error.at(f"{path}:{number}")))
            if len(faults) == MAX_FAULTS:
                faults.append("and perhaps more")
                break
    if faults:
        raise TelosError("\n".join(faults))
    if not found:
        raise TelosError(f"{path}: no tokens", "write a line for each: its scopes, then the token")
    return Tokens(tuple(found))


def _parse_token(words: Sequence[str]) -> Token:
    if len(words) != 2:
        raise TelosError(f"{len(words)} words in a line", "write scopes without blanks, then the token")
    scopes = words[0].split(",")
    for scope in scopes:
        if scope not in _SCOPES:
            raise TelosError(f"unknown scope {scope!r}", name_hint(scope, _SCOPES))
    if len(words[1]) < MIN_TOKEN:
        raise TelosError(f"a token of {len(words[1])} characters can be guessed", f"use {MIN_TOKEN} or more")
    return Token(sha256(words[1].encode()).digest(), frozenset(map(Scope, scopes)))


@dataclass(slots=True)
class RateLimit:
    """So many requests a second for each client, with a burst of two seconds' worth; 0 is no limit.

    >>> limit = RateLimit(10, clock=lambda: 0.0)
    >>> [limit.wait("ann") for _ in range(21)][-1]
    0.1
    """

    rate: float = 0.0
    clock: Callable[[], float] = time.monotonic
    _left: "OrderedDict[str, tuple[float, float]]" = field(default_factory=OrderedDict)

    def wait(self, client: str, cost: float = 1.0) -> float:
        """Return 0 and count a request, or the seconds after which it would be allowed."""
        if not self.rate:
            return 0.0
        now, most = self.clock(), 2 * self.rate
        left, then = self._left.pop(client, (most, now))
        left = min(most, left + (now - then) * self.rate)
        allowed = left >= min(cost, most)
        self._left[client] = (left - cost if allowed else left, now)
        if len(self._left) > MAX_CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if allowed else (min(cost, most) - left) / self.rate
