"""Shared by several commands: bounds of options, options in groups, progress bars, trace printers, command groups."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

import typer
from typer.core import TyperGroup

from telos.core.errors import TelosError, name_hint
from telos.core.trace import Trace, as_json

Progress = Callable[[Iterable[Any], int], Iterable[Any]]


# --- numbers in options ---

MAX_SEED = 10**15 - 1  # the largest that fits an address of the studio
MAX_JOBS = 1024
MAX_SECONDS = 86_400  # of a world: no fight lasts a day
MAX_COUNT = 1_000_000  # players, fights, runs: more is surely a typing error


def in_range(least: float, most: float, *, is_open: bool = False) -> Callable[..., Any]:
    """Return the callback of a numeric option: values out of range, NaN and infinities are refused before any work.

    With ``is_open`` the least value itself is refused too. Every numeric option has such a callback.
    """
    allowed = f"more than {least} and at most {most}" if is_open else f"from {least} to {most}"

    def check_range(param: typer.CallbackParam, value: Any) -> Any:
        if value is None or (least < value <= most if is_open else least <= value <= most):  # false for NaN
            return value
        option = max(param.opts, key=len)
        raise TelosError(f"{option} must be {allowed}, got {value}")

    check_range.bounds = (least, most)  # type: ignore[attr-defined]  # for the test of all options
    return check_range


def seed_option(about: str) -> Any:
    """Return the declaration of ``--seed``."""
    return typer.Option(help=about, callback=in_range(0, MAX_SEED))


def jobs_option(about: str) -> Any:
    """Return the declaration of ``--jobs``; ``parallel_map`` starts no more processes than are of use."""
    return typer.Option(help=about, callback=in_range(1, MAX_JOBS))


# --- options that several commands have ---


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take groups of options: a parameter whose type is a dataclass stands for an option for each field.

    They stand in the help where the parameter stands in the signature. Parameters after the first group have to be
    keyword-only, as a group has no default of its own.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Size:
    ...     wide: int = 4
    ...     high: int = 3
    >>> @with_option_groups
    ... def draw(name: str, *, size: Size) -> None:
    ...     print(name, size)
    >>> str(inspect.signature(draw)), draw(name="map", wide=9, high=3)
    map Size(wide=9, high=3)
    ('(name: str, *, wide: int = 4, high: int = 3)', None)
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name not in groups:
            parameters.append(parameter.replace(annotation=hints[parameter.name]))
            continue
        options = get_type_hints(groups[parameter.name], include_extras=True)
        for field in fields(groups[parameter.name]):
            kind, annotation = inspect.Parameter.KEYWORD_ONLY, options[field.name]
            parameters.append(inspect.Parameter(field.name, kind, default=field.default, annotation=annotation))

    @wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what Typer reads
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


# --- command groups ---


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


# --- output ---


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
