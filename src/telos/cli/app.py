"""The commands of ``telos``: a module each, those about logs in ``logs``, those that run worlds in ``worlds``.

Exit codes: ``main``.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from telos.core.errors import printable

if not os.environ.get("TERMINAL_WIDTH", "80").isdecimal():
    del os.environ["TERMINAL_WIDTH"]  # Typer would fail on it when it prints help

# A command is imported when it is used: `telos play` need not wait for the planner, nor `telos plan` for the studio.
COMMANDS = {
    "check": "telos.cli.check:check",
    "columns": "telos.cli.logs.columns:columns",
    "corpus": "telos.cli.logs.corpus:corpus",
    "evaluate": "telos.cli.logs.evaluate:evaluate",
    "goals": "telos.cli.logs.goals:goals",
    "logic": "telos.cli.logic:logic",
    "new": "telos.cli.new:new",
    "plan": "telos.cli.plan:plan",
    "play": "telos.cli.worlds.play:play",
    "recognize": "telos.cli.logs.recognize:recognize",
    "recognize-plan": "telos.cli.recognize_plan:recognize_plan",
    "schema": "telos.cli.schema:schema",
    "serve": "telos.cli.serve:serve",
    "study": "telos.cli.study:study",
    "tournament": "telos.cli.worlds.tournament:tournament",
    "train": "telos.cli.logs.train:train",
    "watch": "telos.cli.worlds.watch:watch",
}


class LazyGroup(TyperGroup):
    """The commands of ``COMMANDS``, each imported when it is run or listed."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: dict[str, Any] = dict.fromkeys(COMMANDS)  # the names, for suggestions; get_command imports

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command, or return None if there is none of that name."""
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def make_context(self, *arguments: Any, **settings: Any) -> Any:
        """Parse the options before the command."""
        with _printable_messages():
            return super().make_context(*arguments, **settings)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _printable_messages():
            return super().invoke(ctx)


@contextmanager
def _printable_messages() -> Iterator[None]:
    """Shorten and escape what messages about wrong options quote from the command line."""
    try:
        yield
    except Exception as error:
        if hasattr(error, "exit_code") and isinstance(getattr(error, "message", None), str):  # a ClickException
            error.message = printable(error.message)  # type: ignore[attr-defined]
        raise


def load_command(name: str) -> Any:
    """Import the command of that name: a function, or a Typer app with sub-commands."""
    module, _, attribute = COMMANDS[name].partition(":")
    found = getattr(import_module(module), attribute)
    if not isinstance(found, typer.Typer):
        function, found = found, typer.Typer(add_completion=False)
        found.command(name=name)(function)
    command = typer.main.get_command(found)
    command.name = name
    return command


app = typer.Typer(
    name="telos",
    cls=LazyGroup,
    help="Goals in games, both ways: characters that have goals, and players whose goals are read.",
    epilog="Start with: telos play; telos new game camp; telos check FILE. Every command has examples in its --help.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"telos {version('telos')}")
        raise typer.Exit()


@app.callback()
def main(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Goals in games, both ways: characters that have goals, and players whose goals are read."""
