"""``telos``: the command line.

Exit codes: 0 for yes or done, 1 for a negative answer, 2 for bad input, said in a line that names it and the remedy.
"""

import io
import os
import sys
from importlib.metadata import version
from typing import Annotated

import typer

from telos.cli.check import check
from telos.cli.corpus import corpus
from telos.cli.evaluate import evaluate
from telos.cli.logic import logic
from telos.cli.plan import plan
from telos.cli.play import play
from telos.cli.recognize import recognize
from telos.cli.recognize_plan import recognize_plan
from telos.cli.study import study
from telos.cli.tournament import tournament
from telos.cli.train import train
from telos.cli.watch import watch
from telos.core.errors import TelosError

app = typer.Typer(
    name="telos",
    help="Goals in games, both ways: characters that have goals, and players whose goals are read.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(check)
app.add_typer(corpus)
app.command()(evaluate)
app.add_typer(logic, name="logic")
app.command()(plan)
app.command()(play)
app.command()(recognize)
app.command(name="recognize-plan")(recognize_plan)
app.command()(study)
app.command()(tournament)
app.command()(train)
app.command()(watch)


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


def run() -> None:
    """Run the command line. Bad input is told in a few red lines, never as a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # an arrow that a terminal cannot show is no reason to stop
    try:
        app()
    except TelosError as error:
        typer.secho(str(error), fg=typer.colors.RED, err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        _let_go_of_a_closed_pipe()


def _let_go_of_a_closed_pipe() -> None:
    """Flush now, while a reader that left early (``| head``) can still be forgiven; Python would complain at exit."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
