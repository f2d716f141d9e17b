"""``telos logic``: inference and weight learning with Markov logic, on ``.mln`` and ``.db`` files."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any

import typer

from telos.cli.common import MAX_COUNT, MAX_SECONDS, in_range, seed_option
from telos.core.errors import DefinitionError, TelosError
from telos.files import add_end_mark, check_output, parse_json, read_text, write_text

if TYPE_CHECKING:
    from telos.logic.database import Database
    from telos.logic.inference import AtomExplanation, InferenceResult
    from telos.logic.learning import Epoch, LearningResult
    from telos.logic.model import MarkovLogic
    from telos.logic.network import Unsatisfiable


# --- learn ---

SAVE_EVERY = 5  # epochs, with --resume: an interruption costs at most so many
MAX_STATE_BYTES = 512_000_000
REMEDY = "name another file for --resume"


def learn(
    model: Annotated[Path, typer.Argument(help="A model: predicates and formulas; weights are not needed (.mln).")],
    data: Annotated[list[Path], typer.Argument(help="Known worlds with the queried predicates (.db), one per file.")],
    query: Annotated[list[str], typer.Option("--query", "-q", help="The predicates to predict: goal, or goal,mood.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file for the model with its weights.")],
    by: Annotated[str, typer.Option(help="mira, perceptron, likelihood or prefix.")] = "mira",
    epochs: Annotated[
        int | None,
        typer.Option(help="At most so many passes.", show_default="by method", callback=in_range(0, MAX_COUNT)),
    ] = None,
    l2: Annotated[
        float, typer.Option(help="likelihood, prefix: strength of the L2 penalty.", callback=in_range(0, 1e12))
    ] = 1.0,
    seed: Annotated[int, seed_option("For the order of the worlds, and which are held out.")] = 0,
    held_out: Annotated[
        float, typer.Option(help="Stop when this share of the worlds no longer improves.", callback=in_range(0, 1))
    ] = 0.0,
    resume: Annotated[
        Path | None, typer.Option(help="Save the state of learning in this file, and continue from it if it exists.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of lines.")] = False,
) -> None:
    """Learn the weights of a model, and write it to a readable file.

    Example: telos logic learn goals.mln ann.db bob.db --query goal --held-out 0.1 -o learned.mln
    """
    from telos.logic.syntax import format_mln, load_db, load_mln

    check_output(output, inputs=[model, *data, resume])
    if resume is not None:
        check_output(resume, inputs=[model, *data])
        if resume.resolve() == output.resolve():
            raise TelosError(f"{resume}: --resume and --output are the same file", "name two files")
    rules = load_mln(model)
    database = load_db(data, rules)
    asked = [part.strip() for name in query for part in name.split(",") if part.strip()]
    options = {"by": by, "l2": l2, "seed": seed, "held_out": _draw_held_out(database.worlds, held_out, seed)}
    with _epoch_bar(by, epochs) as progress:
        learned = _learn_weights(rules, database, asked, epochs, resume, {**options, "progress": progress})
    write_text(output, add_end_mark(format_mln(learned.model), "//"), inputs=[model, *data, resume])
    if as_json:
        typer.echo(json.dumps({"model": str(model), "output": str(output), **_figures(learned, database)}))
    else:
        _print_learned(learned, len(database.worlds), output)


def _learn_weights(
    model: "MarkovLogic",
    database: "Database",
    query: Sequence[str],
    epochs: int | None,
    resume: Path | None,
    options: dict[str, Any],
) -> "LearningResult":
    """Learn in one run, or with ``resume`` a few epochs at a time, saving the state after each."""
    from telos.logic.learning import LearningStop
    from telos.logic.learning import learn as make
    from telos.logic.learning.snapshots import format_state
    from telos.logic.learning.training import EPOCHS

    if resume is None:
        return make(model, database, query, epochs=epochs, **options)
    last = EPOCHS.get(options["by"], 1) if epochs is None else epochs
    learned = _read_state(resume, options["by"]) if resume.exists() else None
    made = 0 if learned is None else max(0, len(learned.epochs) - learned.state["warm_up"])
    for until in (*range(min(made, last) + SAVE_EVERY, last, SAVE_EVERY), last):
        earlier, learned = learned, make(model, database, query, epochs=until, start=learned, **options)
        if earlier is not None and earlier.state["mark"] != learned.state["mark"]:
            raise TelosError(
                f"{resume}: this is the state of another model, of other data or of other options",
                "name another file for --resume",
            )
        try:
            text = json.dumps(format_state(learned), allow_nan=False)
        except ValueError:
            raise TelosError("learning went beyond finite numbers", "raise --l2, or learn by mira") from None
        write_text(resume, text)
        if learned.stopped is not LearningStop.EPOCHS:
            break
    assert learned is not None
    return learned


def _read_state(file: Path, by: str) -> "LearningResult":
    """Read the state that an earlier run saved."""
    from telos.logic.learning.snapshots import read_state

    try:
        learned = read_state(parse_json(read_text(file, limit=MAX_STATE_BYTES)))
    except DefinitionError as error:
        if any(fault.file == str(file) for fault in error.faults):
            raise
        raise TelosError(f"{file}: the saved model has faults: {error.faults[0]}", REMEDY) from None
    except TelosError as error:
        raise TelosError(f"{file}: this is not a saved state: {error.message}", REMEDY) from None
    if learned.by != by:
        raise TelosError(f"{file}: this is the state of learning by {learned.by}, not by {by}", REMEDY)
    return learned


def _draw_held_out(worlds: Sequence[str], share: float, seed: int) -> tuple[str, ...]:
    """Return the worlds to hold out: a share of them, drawn by the seed."""
    if not 0.0 <= share < 1.0:
        raise TelosError(f"--held-out takes a share from 0 to below 1, got {share}")
    if share == 0.0:
        return ()
    if len(worlds) < 2:
        raise TelosError("--held-out needs at least two worlds, one to learn from and one to watch", "add a .db file")
    count = min(len(worlds) - 1, max(1, round(share * len(worlds))))
    return tuple(Random(seed).sample(list(worlds), count))


@contextmanager
def _epoch_bar(by: str, epochs: int | None) -> "Iterator[Callable[[Epoch], None]]":
    """Yield a function that moves a progress bar after each epoch, or does nothing outside a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    from telos.logic.learning import ignore_progress
    from telos.logic.learning.training import EPOCHS, WARM_UP

    waiting = Console(stderr=True)
    if not waiting.is_terminal:
        yield ignore_progress
        return
    total = (epochs or EPOCHS.get(by, 1)) + (WARM_UP if by == "prefix" else 0)
    with Progress(console=waiting, transient=True) as progress:
        task = progress.add_task("learning", total=total)

        def update(epoch: "Epoch") -> None:
            label = f"{epoch.phase}, {epoch.accuracy or 0.0:.1%} right"
            progress.update(task, completed=epoch.number, description=label)

        yield update


def _figures(learned: "LearningResult", database: "Database") -> dict[str, Any]:
    return {
        "by": learned.by,
        "worlds": len(database.worlds),
        "weights": sum(len(rule.weights) for rule in learned.model.rules),
        "stopped": learned.stopped.value,
        "notes": list(learned.notes),
        "closed_without_facts": list(learned.closed_without_facts),
        "epochs": [asdict(epoch) for epoch in learned.epochs],
    }


def _print_learned(learned: "LearningResult", worlds: int, output: Path) -> None:
    count = sum(len(rule.weights) for rule in learned.model.rules)
    typer.echo(f"learned {_count(count, 'weight')} from {_count(worlds, 'world')} by {learned.by}")
    if learned.epochs:
        last = learned.epochs[-1]
        watched = "" if last.held_out_accuracy is None else f", {last.held_out_accuracy:.1%} of those held out"
        typer.echo(
            f"{_count(last.number, 'epoch')}: {last.accuracy or 0.0:.1%} right{watched}; {learned.stopped.value}"
        )
    for note in learned.notes:
        typer.echo(f"note: {note}")
    typer.echo(f"written to {output}")


def _count(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


# --- infer ---

MAX_SHOWN = 200  # atoms in a table; --json has them all

logic = typer.Typer(
    add_completion=False,
    help="Markov logic: weighted formulas, what follows from them, and weights learned from examples.",
)


@logic.callback(invoke_without_command=True, no_args_is_help=True)
def about() -> None:
    """Markov logic: weighted formulas, what follows from them, and weights learned from examples."""


@logic.command()
def infer(
    model: Annotated[Path, typer.Argument(help="A model: predicates and weighted formulas (.mln).")],
    data: Annotated[list[Path], typer.Argument(help="What is known (.db). Each file is a world of its own.")],
    query: Annotated[list[str], typer.Option("--query", "-q", help="The predicates asked about: goal, or goal,mood.")],
    method: Annotated[str, typer.Option(help="auto, exact, cpi, walksat, gibbs or mcsat.")] = "auto",
    marginal: Annotated[bool, typer.Option("--marginal", help="Print probabilities, not the best world.")] = False,
    seed: Annotated[int, seed_option("For the methods that sample.")] = 0,
    closed: Annotated[
        list[str] | None, typer.Option(help="Predicates whose true atoms are all listed, whatever the model says.")
    ] = None,
    opened: Annotated[
        list[str] | None, typer.Option("--open", help="Hidden predicates that are not asked about; others are closed.")
    ] = None,
    seconds: Annotated[
        float, typer.Option(help="Return the best answer after this time.", callback=in_range(0, MAX_SECONDS))
    ] = 60.0,
    why: Annotated[str | None, typer.Option(help="Explain what speaks for and against this atom.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")] = False,
) -> None:
    """Find the most probable world of the queried atoms, or the probability of each.

    Exits 0; 1 if no world keeps all hard formulas, and names a smallest set that cannot hold; 2 on bad input.

    Examples: telos logic infer smoking.mln people.db --query Smokes; telos logic infer m.mln d.db -q goal --marginal
    """
    from telos.logic.inference import InferenceResult
    from telos.logic.inference import infer as find
    from telos.logic.syntax import load_db, load_mln

    rules = load_mln(model)
    answer = find(
        rules, load_db(data, rules), _split_names(query), method=method, marginal=marginal, seed=seed,
        opened=_split_names(opened), closed=_split_names(closed), seconds=seconds,
    )  # fmt: skip
    if not isinstance(answer, InferenceResult):
        _print_conflict(answer, as_json)
        raise typer.Exit(1)
    reasons = None if why is None else answer.why(_find_atom(why, answer.atoms))
    if as_json:
        typer.echo(json.dumps(_to_json(answer, reasons), allow_nan=False))
    else:
        _print_answer(answer)
        if reasons is not None:
            typer.echo(f"\n{reasons}")


logic.command()(learn)


def _split_names(names: list[str] | None) -> list[str]:
    """Split comma-separated names; the option may also be repeated."""
    return [part.strip() for name in names or [] for part in name.split(",") if part.strip()]


def _to_json(answer: "InferenceResult", reasons: "AtomExplanation | None") -> dict[str, Any]:
    data: dict[str, Any] = {
        "atoms": dict(answer.atoms),
        "score": answer.score,
        "exact": answer.exact,
        "gap": answer.gap,
        "method": answer.method,
        "stopped": answer.stopped,
        **_assumed(answer),
    }
    for name, value in (("log_z", answer.log_z), ("error", answer.error), ("r_hat", answer.r_hat)):
        if value is not None:
            data[name] = value if math.isfinite(value) else None
    if answer.samples is not None:
        data["samples"] = answer.samples
    if reasons is not None:
        parts = [{"formula": part.text, "with": part.about, "value": part.value} for part in reasons.parts]
        odds = {"chosen": reasons.chosen, "against": reasons.against, "total": reasons.total}
        data["why"] = {**odds, "parts": parts, "must_hold": list(reasons.forbidden)}
    return data


def _assumed(answer: "InferenceResult | Unsatisfiable") -> dict[str, list[str]]:
    """Return the predicates that were taken to be closed or open without a fact."""
    return {
        "closed_without_facts": list(answer.closed_without_facts),
        "open_without_facts": list(answer.open_without_facts),
    }


def _print_assumed(answer: "InferenceResult | Unsatisfiable") -> None:
    if answer.closed_without_facts:
        names = ", ".join(answer.closed_without_facts)
        typer.echo(f"note: no facts of {names}: taken to be closed, all false (--open if hidden)")
    if answer.open_without_facts:
        typer.echo(f"note: no facts of {', '.join(answer.open_without_facts)}: open, as declared")


def _print_answer(answer: "InferenceResult") -> None:
    """Print the true atoms, or the atoms by probability, and how certain the answer is."""
    from rich.console import Console
    from rich.table import Table

    is_world = answer.score is not None
    rows = [(atom, value) for atom, value in answer.atoms.items() if value or not is_world]
    if not is_world:
        rows.sort(key=lambda row: -row[1])
    table = Table("true in the most probable world" if is_world else "atom", box=None, header_style="bold")
    if not is_world:
        table.add_column("chance", justify="right")
    for atom, value in rows[:MAX_SHOWN]:
        table.add_row(atom, *([] if is_world else [f"{value:.4f}"]))
    Console(highlight=False, soft_wrap=True).print(table)
    if len(rows) > MAX_SHOWN:
        typer.echo(f" … and {len(rows) - MAX_SHOWN:,} more; --json tells all")
    typer.echo(_format_certainty(answer, len(rows) if is_world else None))
    if answer.stopped:
        typer.echo("note: the time was up before the method was done; --seconds gives it more")
    _print_assumed(answer)


def _format_certainty(answer: "InferenceResult", true: int | None) -> str:
    """Return a line about the method and the quality of the answer."""
    if answer.score is not None:
        count = f"{true:,} of {len(answer.atoms):,} atoms are true"
        proof = "no world scores more" if answer.exact else f"another may score up to {answer.gap:.6g} more"
        return f"{count}; score {answer.score:.6g}, and {proof} ({answer.method})"
    if answer.exact:
        return f"exact chances ({answer.method}); log Z {answer.log_z:.6g}"
    if answer.error is None or not math.isfinite(answer.error):
        return f"estimated by {answer.method} from one chain of {_count(answer.samples or 0, 'sample')}"
    drawn = f"{_count(answer.samples or 0, 'sample')} of {answer.method}" if answer.stopped else answer.method
    return f"estimated by {drawn}: standard error {answer.error:.2g}, R-hat {answer.r_hat:.3f} (near 1 is good)"


def _print_conflict(conflict: "Unsatisfiable", as_json: bool) -> None:
    if as_json:
        data = {"unsatisfiable": list(conflict.conflict), "minimal": conflict.minimal, **_assumed(conflict)}
        typer.echo(json.dumps(data))
        return
    typer.echo("unsatisfiable: no world keeps all hard formulas. These cannot hold together:")
    for words in conflict.conflict[:MAX_SHOWN]:
        typer.echo(f"  {words}")
    if len(conflict.conflict) > MAX_SHOWN:
        typer.echo(f"  … and {len(conflict.conflict) - MAX_SHOWN:,} more; --json tells all")
    if not conflict.minimal:
        typer.echo("note: the time was up; fewer of these may suffice")
    _print_assumed(conflict)


def _find_atom(text: str, atoms: Iterable[str]) -> str:
    """Return the atom with this text, ignoring spaces."""
    return next((atom for atom in atoms if atom.replace(" ", "") == text.replace(" ", "")), text)
