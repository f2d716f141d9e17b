"""What several commands share: progress bars, traces printed as they come, and groups that take options first."""

from collections.abc import Callable, Iterable
from typing import Any

import typer
from typer.core import TyperGroup

from telos.core.errors import TelosError, name_hint
from telos.core.trace import Trace, as_json

Progress = Callable[[Iterable[Any], int], Iterable[Any]]


class NameFirstGroup(TyperGroup):
    """A command group that also accepts options before the sub-command: ``telos watch --seed 3 arena``.

    ``watch`` and ``study`` were single commands once, and scripts write it both ways. ``noun`` is what a sub-command
    stands for, for the error about an unknown one.
    """

    noun = "command"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Move the name of the sub-command to the front."""
        for place, word in enumerate(args):
            if word in self.commands:
                args = [word, *args[:place], *args[place + 1 :]]
                break
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Refuse an unknown name in one line, with the nearest known one."""
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            raise TelosError(f"there is no {self.noun} {args[0]!r}", name_hint(args[0], self.commands))
        return super().resolve_command(ctx, args)


def progress_bar(label: str) -> Progress:
    """Return a function that iterates with a progress bar on stderr, if stderr is a terminal."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)

    def iterate(items: Iterable[Any], total: float) -> Iterable[Any]:
        return track(items, label, total, console=console, transient=True, disable=not console.is_terminal)

    return iterate


def is_terminal() -> bool:
    """Whether stdout is a terminal that pictures can be drawn in."""
    from rich.console import Console

    return Console().is_terminal


def print_json_line(record: object) -> None:
    """Print a trace record as one line of JSON."""
    typer.echo(as_json(record))


def print_lines(describe: Callable[[object], str | None]) -> Trace:
    """Return a trace that prints every record for which ``describe`` has a line."""

    def print_record(record: object) -> None:
        line = describe(record)
        if line is not None:
            typer.echo(line)

    return print_record
