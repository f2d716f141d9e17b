"""``telos play``: the studio in the browser."""

import json
import os
import secrets
import stat
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
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
_MAX_TOKEN_FILE = 4096  # bytes
_REDIRECT_SECONDS = 60.0  # that a browser has to open the file with the address


def play(
    world: Annotated[
        str, typer.Argument(help="The first world: adventure, arena, home, forge or island.")
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
    as_json: Annotated[bool, typer.Option("--json", help="Print the address as a JSON object.")] = False,
) -> None:
    """Play a world in the browser: watch beliefs, plans and memories, and change the model while it runs.

    Only who has the token is admitted, on this machine too. It is part of the address that is opened and printed.

    Examples: telos play; telos play arena --seed 3; telos play --folder models --record; telos play --host 0.0.0.0
    """
    from telos.worlds.registry import known_world

    known_world(world)
    if not _is_folder(folder):
        raise TelosError(f"{folder} is not a folder", "make it, or name another with --folder")
    secret = read_token(token, token_file)
    _serve(world, folder, record, seed, browser, port, host, secret, as_json)


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
) -> None:
    try:
        with _without("aiohttp"):
            from telos.studio.server.app import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("telos"):
            raise
        raise TelosError(f"the studio needs {error.name}", 'run: pip install "telos[studio]"') from None

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
