"""``telos play``: the studio in the browser."""

import json
import secrets
import threading
import webbrowser
from pathlib import Path
from typing import Annotated, Any

import typer

from telos.core.errors import TelosError

FIRST_SEED = 2  # an adventure in which a player who walks straight on meets no monster for some seconds


def play(
    world: Annotated[
        str, typer.Argument(help="The first world: adventure, arena, home, forge or island.")
    ] = "adventure",
    folder: Annotated[
        Path, typer.Option(help="Where models are opened and saved; no file outside it is touched.")
    ] = Path(),
    record: Annotated[bool, typer.Option("--record", help="Write every game into recordings/ in the folder.")] = False,
    seed: Annotated[int, typer.Option(help="The seed of the first game.")] = FIRST_SEED,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser; otherwise print its address.")] = True,
    port: Annotated[
        int | None, typer.Option(help="The port, 0 for any; without it, the first free one from 8484 on.")
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; any but this machine's own needs a token.")
    ] = "127.0.0.1",
    token: Annotated[
        str | None, typer.Option(help="The token for --host; without it, one is made and printed.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the address as a JSON object.")] = False,
) -> None:
    """Play a world in the browser: watch beliefs, plans and memories, and change the model while it runs.

    Examples: telos play; telos play arena --seed 3; telos play --folder models --record; telos play --host 0.0.0.0
    """
    from telos.studio.recording import MAX_SEED
    from telos.studio.server.auth import LOOPBACK
    from telos.worlds.registry import known_world

    known_world(world)
    if not 0 <= seed < MAX_SEED:
        raise TelosError(f"a seed is a whole number, zero or more and below {MAX_SEED}, got {seed}")
    if not folder.is_dir():
        raise TelosError(f"{folder} is not a folder", "make it, or name another with --folder")
    if host in LOOPBACK and token is None:
        token = ""
    _serve(
        world, folder, record, seed, browser, port, host, secrets.token_urlsafe(16) if token is None else token, as_json
    )


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
        if browser:
            # In a thread: opening a browser may block until the studio answers.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    options: dict[str, Any] = {"folder": folder, "record": record, "seed": seed, "first": world}
    serve(host, port, token=token, ready=ready, **options)
