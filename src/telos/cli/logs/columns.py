"""``telos columns``: propose a column file for a log, and list the presets."""

import json
from pathlib import Path
from typing import Annotated

import typer

from telos.cli.logs.options import LogArgument
from telos.core.errors import TelosError

columns = typer.Typer(
    add_completion=False,
    name="columns",
    help="Column files: which column of a log holds what.",
    no_args_is_help=True,
)


@columns.command()
def guess(
    log: LogArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the column file here.", show_default="standard output")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Propose a column file from the first rows of a log: names, times and their unit, nested entries, goals, facts.

    What could not be decided is said in comments of the file. Exits 0; 1 if no column looks like the player's actions,
    which has to be written into the file by hand.

    Example: telos columns guess events.jsonl.gz -o farm-columns.yaml
    """
    from telos.files.writing import check_output, write_text
    from telos.telemetry import guess_columns

    if output is not None:
        if output.suffix not in (".yaml", ".yml"):
            raise TelosError(f"--output {output}: a column file is YAML", "give a name that ends in .yaml")
        check_output(output, inputs=[*map(Path, log)])
    found = guess_columns(log[0] if len(log) == 1 else list(log))
    if output is not None:
        write_text(output, found.text)
    if as_json:
        place = None if output is None else str(output)
        shown = {"log": log[0] if len(log) == 1 else log, "output": place, "columns": found.text}
        typer.echo(json.dumps({**shown, "found": found.reasons, "undecided": found.undecided}))
    else:
        if output is None:
            typer.echo(found.text, nl=False)
        for text in found.undecided:
            typer.echo(f"to decide: {text}", err=True)
        if output is not None:
            typer.echo(f"written to {output}; check it, then: telos corpus prepare {log[0]} --columns {output}")
    if "CHANGE_ME" in found.text:
        raise typer.Exit(1)


@columns.command()
def presets(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False) -> None:
    """List the layouts that are known by name: `--columns NAME`, or `preset: NAME` in a column file."""
    from telos.files.reading import read_text
    from telos.telemetry.columns import BUILT_IN, built_in_columns

    about = {}
    for name in built_in_columns():
        lines = read_text(BUILT_IN / f"{name}.yaml").splitlines()
        about[name] = " ".join(line.lstrip("# ") for line in lines if line.startswith("#"))
    if as_json:
        typer.echo(json.dumps(about))
        return
    for name, text in about.items():
        typer.echo(f"{name:<14} {text}")
