"""``telos logic``: inference and learning with Markov logic, on the field's own ``.mln`` and ``.db`` files."""

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from telos.cli.logic_learn import learn

if TYPE_CHECKING:
    from telos.logic.answers import Unsatisfiable
    from telos.logic.explaining import Explanation
    from telos.logic.infer import Answer

MOST_SHOWN = 200  # atoms: more are for --json, and whoever reads that

logic = typer.Typer(help="Markov logic: weighted formulas, what follows from them, and weights learned from examples.")


@logic.callback(invoke_without_command=True, no_args_is_help=True)
def about() -> None:
    """Markov logic: weighted formulas, what follows from them, and weights learned from examples."""


@logic.command()
def infer(
    model: Annotated[Path, typer.Argument(help="A model: predicates and weighted formulas (.mln).")],
    data: Annotated[list[Path], typer.Argument(help="What is known (.db). Each file is a world of its own.")],
    query: Annotated[list[str], typer.Option("--query", "-q", help="The predicates asked about: goal, or goal,mood.")],
    method: Annotated[str, typer.Option(help="auto, exact, cpi, walksat, gibbs or mcsat.")] = "auto",
    marginal: Annotated[bool, typer.Option("--marginal", help="Tell chances and not the most probable world.")] = False,
    seed: Annotated[int, typer.Option(help="For the methods that draw lots.")] = 0,
    closed: Annotated[list[str] | None, typer.Option(help="Predicates of which all that is true is said.")] = None,
    opened: Annotated[list[str] | None, typer.Option("--open", help="Predicates of which more may be true.")] = None,
    why: Annotated[str | None, typer.Option(help="Say what speaks for and against this atom.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")] = False,
) -> None:
    """Find the most probable world of what is asked, or the chance of every atom.

    Exits 0; 1 if no world keeps all hard formulas, and names a smallest set that cannot hold; 2 on bad input.

    Examples: telos logic infer smoking.mln people.db --query Smokes; telos logic infer m.mln d.db -q goal --marginal
    """
    from telos.logic.infer import Answer  # here, so that `telos --help` need not wait
    from telos.logic.infer import infer as find
    from telos.logic.syntax import load_db, load_mln

    rules = load_mln(model)
    answer = find(
        rules, load_db(data, rules), _listed(query), method=method, marginal=marginal, seed=seed,
        opened=_listed(opened), closed=_listed(closed),
    )  # fmt: skip
    if not isinstance(answer, Answer):
        _tell_conflict(answer, as_json)
        raise typer.Exit(1)
    reasons = None if why is None else answer.why(_meant(why, answer.atoms))
    if as_json:
        typer.echo(json.dumps(_as_json(answer, reasons), allow_nan=False))
    else:
        _tell(answer)
        if reasons is not None:
            typer.echo(f"\n{reasons}")


logic.command()(learn)


def _listed(names: list[str] | None) -> list[str]:
    """Take lists apart: an option may be given often, or once with commas."""
    return [part.strip() for name in names or [] for part in name.split(",") if part.strip()]


def _as_json(answer: "Answer", reasons: "Explanation | None") -> dict[str, Any]:
    said: dict[str, Any] = {
        "atoms": dict(answer.atoms),
        "score": answer.score,
        "exact": answer.exact,
        "gap": answer.gap,
        "method": answer.method,
    }
    for name, value in (("log_z", answer.log_z), ("error", answer.error), ("r_hat", answer.r_hat)):
        if value is not None:
            said[name] = value if math.isfinite(value) else None
    if reasons is not None:
        parts = [{"formula": part.text, "with": part.about, "value": part.value} for part in reasons.parts]
        odds = {"chosen": reasons.chosen, "against": reasons.against, "total": reasons.total}
        said["why"] = {**odds, "parts": parts, "must_hold": list(reasons.forbidden)}
    return said


def _tell(answer: "Answer") -> None:
    """Print the true atoms, or the likeliest, and how sure that is."""
    from rich.console import Console
    from rich.table import Table

    is_world = answer.score is not None
    rows = [(atom, value) for atom, value in answer.atoms.items() if value or not is_world]
    if not is_world:
        rows.sort(key=lambda row: -row[1])
    table = Table("true in the most probable world" if is_world else "atom", box=None, header_style="bold")
    if not is_world:
        table.add_column("chance", justify="right")
    for atom, value in rows[:MOST_SHOWN]:
        table.add_row(atom, *([] if is_world else [f"{value:.4f}"]))
    Console(highlight=False, soft_wrap=True).print(table)
    if len(rows) > MOST_SHOWN:
        typer.echo(f" … and {len(rows) - MOST_SHOWN:,} more; --json tells all")
    typer.echo(_sureness(answer, len(rows) if is_world else None))


def _sureness(answer: "Answer", true: int | None) -> str:
    """Say in a line how the answer was found, and how good it is."""
    if answer.score is not None:
        count = f"{true:,} of {len(answer.atoms):,} atoms are true"
        proof = "no world scores more" if answer.exact else f"another may score up to {answer.gap:.6g} more"
        return f"{count}; score {answer.score:.6g}, and {proof} ({answer.method})"
    if answer.exact:
        return f"exact chances ({answer.method}); log Z {answer.log_z:.6g}"
    return f"estimated by {answer.method}: standard error {answer.error:.2g}, R-hat {answer.r_hat:.3f} (near 1 is good)"


def _tell_conflict(conflict: "Unsatisfiable", as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"unsatisfiable": list(conflict.conflict)}))
        return
    typer.echo("unsatisfiable: no world keeps all hard formulas. These cannot hold together:")
    for words in conflict.conflict:
        typer.echo(f"  {words}")


def _meant(said: str, atoms: Iterable[str]) -> str:
    """Return the atom that was said, whatever the spaces in it."""
    return next((atom for atom in atoms if atom.replace(" ", "") == said.replace(" ", "")), said)
