"""``telos serve``: live beliefs, choices and plans for games in any engine."""

import asyncio
import gc
import json
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from telos.cli.common import in_range
from telos.core.errors import TelosError

if TYPE_CHECKING:
    from telos.service import PostgresStore, Service

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MAX_DAYS = 36_500.0


def serve(
    model: Annotated[
        list[str] | None,
        typer.Option(help="A recogniser file, or the name of one; may be repeated. The first is used unless asked."),
    ] = None,
    domain: Annotated[
        list[Path] | None, typer.Option(help="A domain file to plan with; may be repeated.", show_default=False)
    ] = None,
    port: Annotated[int, typer.Option(help="The port; 0 for any.", callback=in_range(0, 65_535))] = 8700,
    host: Annotated[str, typer.Option(help="The address to listen on; others than this machine's need tokens.")] = (
        "127.0.0.1"
    ),
    data: Annotated[
        Path | None,
        typer.Option(help="The folder for events and beliefs; without it they are in memory only."),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(help="postgresql://USER@HOST/DATABASE instead of --data: several services share it."),
    ] = None,
    advertise: Annotated[
        str | None,
        typer.Option(help="With --store: the address at which the other services reach this one.", show_default=False),
    ] = None,
    nats: Annotated[
        str | None, typer.Option(help="nats://HOST: read events from NATS JetStream, and write beliefs to it.")
    ] = None,
    nats_name: Annotated[str, typer.Option(help="With --nats: the first part of subjects and streams.")] = "telos",
    tokens: Annotated[
        Path | None, typer.Option(help="A file with a line for each token: its scopes, then the token.")
    ] = None,
    certificate: Annotated[Path | None, typer.Option(help="For TLS: the certificate, in PEM.")] = None,
    key: Annotated[Path | None, typer.Option(help="For TLS: its private key, in PEM.")] = None,
    origin: Annotated[
        list[str] | None, typer.Option(help="An origin whose pages may ask (CORS); none without it.")
    ] = None,
    rate: Annotated[
        float, typer.Option(help="Requests a second of one client; 0 for any number.", callback=in_range(0, 10**6))
    ] = 0.0,
    keep_days: Annotated[
        float | None,
        typer.Option(help="Delete events after so many days; beliefs stay.", callback=in_range(0, MAX_DAYS)),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the address as a JSON object.")] = False,
) -> None:
    """Serve beliefs about players over HTTP and WebSocket, and plans and choices for characters.

    What is answered has been kept: after a crash, a service with --data goes on with the same beliefs. The address
    itself shows what can be asked.

    Examples: telos serve --model adventure; telos serve --model farm.yaml --domain soldier.yaml --data beliefs
    """
    if host not in LOOPBACK and tokens is None:
        raise TelosError(f"--host {host!r} lets other machines in", "name a file of tokens with --tokens")
    if data is not None and store is not None:
        raise TelosError("events are kept in one place", "give --data or --store, not both")
    if store is not None and not store.startswith(("postgresql://", "postgres://")):
        raise TelosError(f"--store {store}: unknown kind of store", "write postgresql://USER@HOST/DATABASE")
    if advertise is not None and not advertise.startswith(("http://", "https://")):
        raise TelosError(f"--advertise {advertise} is no address", "write http://HOST:PORT")
    if (certificate is None) != (key is None):
        raise TelosError("TLS needs a certificate and its key", "give both, --certificate and --key")
    try:
        service = _service(model or ["adventure"], domain or [], data, store, tokens, origin or [], rate, keep_days)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("telos"):
            raise
        raise TelosError(f"the service needs {error.name}", 'run: pip install "telos[service]"') from None
    if nats is not None:
        _connect_nats(service, nats, nats_name)
    _run(service, host, port, certificate, key, advertise, as_json)


def _service(
    models: list[str],
    domains: list[Path],
    data: Path | None,
    url: str | None,
    tokens: Path | None,
    origins: list[str],
    rate: float,
    keep_days: float | None,
) -> "Service":
    from telos.files.domain_file import load
    from telos.service import CharacterRoom, Limits, ModelShelf, Pages, Service, SqliteStore, Store, Tokens, load_tokens

    store: Store
    known = Tokens() if tokens is None else load_tokens(tokens)
    rooms = CharacterRoom({path.stem: load(path) for path in domains})
    if data is not None:
        _make_folder(data)
    store = SqliteStore(None if data is None else data / "service.db") if url is None else _shared_store(url)
    shelf = ModelShelf(store)
    loaded = [shelf.load(each) for each in models]
    limits = Limits(rate=rate, keep_seconds=None if keep_days is None else keep_days * 86_400)
    hosts = frozenset(LOOPBACK) if tokens is None else frozenset()
    return Service(shelf, store, rooms, loaded[0].name, known, limits, Pages(tuple(origins), hosts))


def _shared_store(url: str) -> "PostgresStore":
    try:
        from telos.service import PostgresStore
    except ModuleNotFoundError as error:
        raise TelosError(f"--store needs {error.name}", 'run: pip install "telos[postgres]"') from None
    return PostgresStore(url)


def _connect_nats(service: "Service", url: str, name: str) -> None:
    try:
        from telos.service import JetStreamBridge
    except ModuleNotFoundError as error:
        raise TelosError(f"--nats needs {error.name}", 'run: pip install "telos[nats]"') from None
    service.bridge = JetStreamBridge(service, url, name)
    asyncio.run(service.bridge.check())


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TelosError(f"{folder}: {error.strerror}", "name a folder that can be written") from None


def _run(
    service: "Service", host: str, port: int, certificate: Path | None, key: Path | None, advertise: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    import uvicorn

    from telos.service import create_app

    # A full collection looks at every player in memory and stops all requests for tenths of a second: the service makes
    # one in ten minutes (`Service.collect`), and the collector only looks at what is young.
    gc.set_threshold(20_000, 20, 1_000_000)
    listener = _listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = f"{'https' if certificate else 'http'}://{shown}:{listener.getsockname()[1]}"
    if service.store.is_shared:
        service.join(advertise or address)
    options: dict[str, Any] = {} if certificate is None else {"ssl_certfile": certificate, "ssl_keyfile": key}

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if not self.should_exit:
                typer.echo(
                    json.dumps({"address": address}) if as_json else f"The service is at {address} (Ctrl-C ends it)"
                )

    config = uvicorn.Config(
        create_app(service), log_config=None, log_level="warning", access_log=False, lifespan="on",
        ws_max_size=service.limits.body_bytes, proxy_headers=False, timeout_graceful_shutdown=5, **options,
    )  # fmt: skip
    with listener:
        try:
            config.load()
        except (OSError, ValueError) as error:
            service.store.close()
            raise TelosError(f"TLS: {error}", "look at --certificate and --key") from None
        Server(config).run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise TelosError(f"{host}:{port}: {error.strerror or error}", "choose another --port or --host") from None
    listener.setblocking(False)
    return listener
