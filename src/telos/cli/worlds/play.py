"""``telos play``: the studio in the browser."""

import json
import os
import secrets
import stat
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path
from typing import Annotated, Any

import typer

from telos.cli.common import in_range, seed_option
from telos.core.errors import TelosError
from telos.exits import temporary_files
from telos.files import read_text

TOKEN_VARIABLE = "TELOS_TOKEN"
ATTACH_VARIABLE = "TELOS_ATTACH_TOKEN"
_MAX_TOKEN_FILE = 4096  # bytes
_REDIRECT_SECONDS = 60.0  # that a browser has to open the file with the address


def play(
    world: Annotated[
        str,
        typer.Argument(help="The first world: adventure, arena, home, forge or island. Or a recording of a game."),
    ] = "adventure",
    folder: Annotated[
        Path, typer.Option(help="Where models are opened and saved; no file outside it is touched.")
    ] = Path(),
    record: Annotated[bool, typer.Option("--record", help="Write every game into recordings/ in the folder.")] = False,
    seed: Annotated[int, seed_option("The seed of the first game.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser; otherwise print its address.")] = True,
    port: Annotated[
        int | None,
        typer.Option(
            help="The port, 0 for any; without it, the first free one from 8484 on.", callback=in_range(0, 65_535)
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 admits other machines.")] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(help=f"-: read the token from standard input. Never the token itself; see {TOKEN_VARIABLE}."),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(help=f"A file with the token. Without it: the variable {TOKEN_VARIABLE}, or a new token."),
    ] = None,
    attach: Annotated[
        str | None,
        typer.Option(
            help="Look on at a game that runs: the address that telos.studio.attach() has printed, or that of a "
            "service that the game sends its traces to, such as 127.0.0.1:8700/GAME.",
            show_default=False,
        ),
    ] = None,
    attach_token: Annotated[
        Path | None,
        typer.Option(
            help=f"With --attach: a file with the token of the game or service. Without it: {ATTACH_VARIABLE}, or the "
            "token that the game has left for its user.",
            show_default=False,
        ),
    ] = None,
    record_to: Annotated[
        Path | None,
        typer.Option(help="With --attach: write what is seen into this file; telos play FILE shows it again."),
    ] = None,
    compare: Annotated[
        tuple[Path, Path] | None,
        typer.Option(help="Show two recordings side by side.", metavar="FILE FILE", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the address as a JSON object.")] = False,
) -> None:
    """Play a world in the browser: watch beliefs, plans and memories, and change the model while it runs.

    With --attach, look on at a game of your own instead. Only who has the token is admitted, on this machine too. It
    is part of the address that is opened and printed.

    Examples: telos play; telos play arena --seed 3; telos play --folder models --record; telos play --host 0.0.0.0;
    telos play --attach 127.0.0.1:8710 --record-to evening.jsonl; telos play evening.jsonl
    """
    from telos.worlds.registry import known_world

    is_recording = world not in _worlds() and (world.endswith((".jsonl", ".gz")) or Path(world).is_file())
    if not is_recording:
        known_world(world)
    _check_attached(attach, attach_token, record_to, compare, world if is_recording else None)
    if not _is_folder(folder):
        raise TelosError(f"{folder} is not a folder", "make it, or name another with --folder")
    secret = read_token(token, token_file)
    finish: Callable[[], None] = _nothing
    if attach is not None or compare is not None or is_recording:
        with _optional_modules():
            world, finish = _offer(attach, attach_token, record_to, compare, world)
    _serve(world, folder, record, seed, browser, port, host, secret, as_json, finish)


def _worlds() -> Collection[str]:
    from telos.worlds.registry import WORLDS

    return WORLDS


def _nothing() -> None:
    """Nothing is to be finished."""


def _check_attached(
    attach: str | None, token: Path | None, record_to: Path | None, compare: object, recording: str | None
) -> None:
    """Raise for options that do not go together."""
    if sum(each is not None for each in (attach, compare, recording)) > 1:
        raise TelosError("--attach, --compare and a recording exclude each other", "leave all but one out")
    for option, given in (("--attach-token", token), ("--record-to", record_to)):
        if given is not None and attach is None:
            raise TelosError(f"{option} goes with --attach", "name the address of a game with --attach")


def _offer(
    attach: str | None, token: Path | None, record_to: Path | None, compare: tuple[Path, Path] | None, file: str
) -> tuple[str, Callable[[], None]]:
    """Let the studio show a game that runs elsewhere, or recordings; return its name, and what to do at the end."""
    from telos.studio.attached import LiveSource, TraceRecorder, attached_world, load_recording, parse_address
    from telos.studio.attached.compare import compared_world
    from telos.studio.stage import offer_world

    finish = _nothing
    if compare is not None:
        offered = compared_world(load_recording(compare[0]), load_recording(compare[1]))
    elif attach is None:
        source = load_recording(Path(file))
        offered = attached_world(source, steps=source.count, rate=source.rate)
    else:
        address, secret = parse_address(attach), os.environ.pop(ATTACH_VARIABLE, None)
        secret = secret if token is None else read_text(token, limit=_MAX_TOKEN_FILE).strip()
        recorder = None if record_to is None else TraceRecorder(record_to)
        live = LiveSource(address, token=secret, keep=_ignore if recorder is None else recorder.write)
        offered = attached_world(live)

        def finish() -> None:
            live.close()
            if recorder is not None:
                try:
                    count = recorder.close()
                except TelosError as error:
                    typer.echo(str(error), err=True)
                    return
                typer.echo(f"{record_to} has {count:,} traces; telos play {record_to} shows them", err=True)

    offer_world(offered)
    return offered.name, finish


def _ignore(trace: object) -> None:
    """Nothing is recorded."""


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # a name that is too long, or contains a zero byte
        return False


def read_token(option: str | None, file: Path | None) -> str:
    """Return the token: from standard input or a file, from the environment, or a new one.

    It is never an argument, which every user of the machine can read while the studio runs.
    """
    from telos.studio.server.auth import check_token

    inherited = os.environ.pop(TOKEN_VARIABLE, None)  # taken out: browsers that are started do not need it
    if option not in (None, "-"):
        raise TelosError(
            "a token given as an argument can be read by all users of this machine",
            f"put it into the variable {TOKEN_VARIABLE}, name a file with --token-file, or pipe it to --token -",
        )
    if option == "-" and file is not None:
        raise TelosError("--token and --token-file exclude each other", "leave one out")
    if option == "-":
        return check_token(sys.stdin.readline(_MAX_TOKEN_FILE).strip())
    if file is not None:
        token = read_text(file, limit=_MAX_TOKEN_FILE).strip()
        with suppress(OSError):
            if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
                typer.echo(f"{file} can be read by other users; run: chmod 600 {file}", err=True)
        return check_token(token)
    return secrets.token_urlsafe(24) if inherited is None else check_token(inherited.strip())


@contextmanager
def _optional_modules() -> Iterator[None]:
    """Say how to install what the studio needs."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("telos"):
            raise
        raise TelosError(f"the studio needs {error.name}", 'run: pip install "telos[studio]"') from None


@contextmanager
def _without(module: str) -> Iterator[None]:
    """Let imports of an optional module fail meanwhile.

    python-engineio imports aiohttp for its clients, of which a studio has none: that is a sixth of the whole import.
    """
    is_new = module not in sys.modules
    if is_new:
        sys.modules[module] = None  # type: ignore[assignment]  # the import system's own mark for a missing module
    try:
        yield
    finally:
        if is_new:
            del sys.modules[module]


def _serve(
    world: str,
    folder: Path,
    record: bool,
    seed: int,
    browser: bool,
    port: int | None,
    host: str,
    token: str,
    as_json: bool,
    finish: Callable[[], None],
) -> None:
    with _optional_modules(), _without("aiohttp"):
        from telos.studio.server.app import serve

    def ready(address: str) -> None:
        if as_json:
            typer.echo(json.dumps({"address": address, "folder": str(folder.resolve())}))
        else:
            typer.echo(f"The studio is at {address} (Ctrl-C ends it)")
        if browser and (page := write_redirect(address)) is not None:
            pages.append(page)
            # In a thread: opening a browser may block until the studio answers.
            threading.Thread(target=_open_browser, args=(page, ended), daemon=True).start()

    def end() -> None:
        ended.set()
        finish()
        for page in pages:
            _remove(page)

    pages: list[Path] = []
    ended = threading.Event()
    options: dict[str, Any] = {"folder": folder, "record": record, "seed": seed, "first": world}
    serve(host, port, token=token, ready=ready, end=end, **options)


def write_redirect(address: str) -> Path | None:
    """Write a page that leads to an address into a file that only this user can read; None if that fails.

    The browser is given this file: its arguments can be read by all users, and the address contains the token.
    """
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Telos studio</title>'
        f'<meta http-equiv="refresh" content="0; url={escape(address)}">'
        f'<a href="{escape(address)}">Open the studio</a></html>\n'
    )
    try:
        handle, name = tempfile.mkstemp(prefix="telos-studio-", suffix=".html")
        temporary_files.add(name)  # it contains the token: whatever ends the studio removes it
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(page)
    except OSError:
        return None  # the address was printed
    return Path(name)


def _open_browser(page: Path, ended: threading.Event) -> None:
    webbrowser.open(page.as_uri())
    ended.wait(_REDIRECT_SECONDS)
    _remove(page)


def _remove(page: Path) -> None:
    with suppress(OSError):
        page.unlink(missing_ok=True)
