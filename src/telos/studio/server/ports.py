"""Finding a port: the usual one, or the next that is free."""

import os
import socket

from telos.core.errors import TelosError

USUAL = 8484
_TRIES = 50


def listening(host: str, port: int | None = None) -> socket.socket:
    """Return a socket that listens: at ``port`` if one is asked for (0: any), else at the first free one of ours."""
    if port is not None and not 0 <= port <= 65_535:
        raise TelosError(f"a port is a number from 0 to 65535, got {port}", "leave --port out to take a free one")
    ports = range(USUAL, USUAL + _TRIES) if port is None else (port,)
    for each in ports:
        try:
            return _bound(host, each)
        except OSError as error:
            reason = error
    if port is None:
        try:
            return _bound(host, 0)
        except OSError as error:
            raise TelosError(f"cannot listen at {host}: {error.strerror or error}", "try --host 0.0.0.0") from None
    raise TelosError(
        f"cannot listen at {host} port {port}: {reason.strerror or reason}", "leave --port out to take a free one"
    )


def _bound(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except (socket.gaierror, UnicodeError) as error:
        why = getattr(error, "strerror", None) or "this is no name of a host"
        raise TelosError(f"there is no host {host[:80]!r}: {why}", "try --host 0.0.0.0") from None
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere it would let two studios share a port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(256)
    except OSError:
        made.close()
        raise
    return made
