"""``telos recognize-plan``: goal recognition on STRIPS problems, such as the public benchmarks."""

import json
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from telos.cli.common import in_range, jobs_option, progress_bar
from telos.core.errors import TelosError

if TYPE_CHECKING:
    from rich.console import Console

    from telos.recognition.strips.benchmark import BenchmarkScore, CaseResult, RecognitionSettings
    from telos.recognition.strips.problem import CaseLabel, RecognitionCase

_MAX_BUDGET = 10**15
_MAX_COST = 1e12  # in actions
_MAX_SHOWN = 40  # problems in a table; --json has them all


def recognize_plan(
    folder: Annotated[
        Path, typer.Argument(help="A collection, one instance folder, or an original folder or archive.")
    ],
    labels: Annotated[Path | None, typer.Option(help="The true goals, as JSON Lines: score the answers.")] = None,
    only: Annotated[Path | None, typer.Option(help="A table whose column id names the problems to take.")] = None,
    jobs: Annotated[int, jobs_option("Processes that share the work; the answers stay the same.")] = 1,
    budget: Annotated[
        int | None,
        typer.Option(
            help="Microseconds that the recognition of a problem may take.",
            show_default="250000",
            callback=in_range(0, _MAX_BUDGET),
        ),
    ] = None,
    work: Annotated[
        int | None,
        typer.Option(
            help="Instead of --budget: count the work of searches, so that a run repeats exactly.",
            callback=in_range(0, _MAX_BUDGET),
        ),
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option(
            help="How wasteful people may be, in actions.",
            show_default="0.7",
            callback=in_range(0, _MAX_COST, is_open=True),
        ),
    ] = None,
    noise: Annotated[
        float | None,
        typer.Option(
            help="What taking an observation for wrong costs, in actions.",
            show_default="2",
            callback=in_range(0, _MAX_COST),
        ),
    ] = None,
    within: Annotated[
        float | None,
        typer.Option(
            help="Return the goals that are at least so likely, as a share of the likeliest: lower returns more.",
            show_default="0.3; with ramirez-geffner 1",
            callback=in_range(0, 1, is_open=True),
        ),
    ] = None,
    protocol: Annotated[
        str, typer.Option(help="What was seen: any steps of a plan (sampled), or its first ones, all of them (prefix).")
    ] = "sampled",
    method: Annotated[
        str, typer.Option(help="telos, or ramirez-geffner: the exact cost difference of 2010, without noise.")
    ] = "telos",
    beta: Annotated[
        float | None,
        typer.Option(
            help="With --method ramirez-geffner: how much a unit of cost counts.",
            show_default="1",
            callback=in_range(0, _MAX_COST, is_open=True),
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Recognise the goals of agents from some of their actions, by planning for every goal they may have.

    Prints for each problem the goals that are returned, the belief in the likeliest and the time; with the true goals
    (--labels, or real_hyp.dat in the original layout) accuracy, spread and credit beside published figures.

    Examples: telos recognize-plan problems --labels problems/labels.jsonl --only problems/quick.csv --jobs 2;
    telos recognize-plan block-words_p03_hyp-10_30_2.tar.bz2;
    telos recognize-plan so-far --protocol prefix; telos recognize-plan problems --method ramirez-geffner --beta 0.5
    """
    _check_method(method, beta, temperature, noise)
    _check_extras()
    from telos.recognition.strips.problem import read_cases, read_labels  # here, so that `telos --help` need not wait

    cases = read_cases(folder, only)
    truth = read_labels(labels) if labels is not None else _true_goals(cases)
    given = {"budget": budget, "work": work, "temperature": temperature, "noise": noise, "within": within, "beta": beta}
    answers = _recognize_cases(cases, _settings({**given, "protocol": protocol, "method": method}), jobs)
    if as_json:
        typer.echo(json.dumps(_figures(answers, truth), allow_nan=False))
    else:
        _print_answers(answers, truth)


def _check_extras() -> None:
    if find_spec("numpy") is None:
        raise TelosError("recognition by planning needs numpy", 'run: pip install "telos[planning,recognition]"')


def _check_method(method: str, beta: float | None, temperature: float | None, noise: float | None) -> None:
    """Refuse options of the other method."""
    other = {"--temperature": temperature, "--noise": noise} if method == "ramirez-geffner" else {"--beta": beta}
    for option, value in other.items():
        if value is not None:
            raise TelosError(f"{option} does not go with --method {method}", f"leave {option} out")


def _settings(given: dict[str, Any]) -> "RecognitionSettings":
    from telos.recognition.strips.benchmark import RecognitionSettings

    return RecognitionSettings(**{name: value for name, value in given.items() if value is not None})


def _true_goals(cases: "Iterable[RecognitionCase]") -> "dict[str, CaseLabel]":
    from telos.recognition.strips.problem import read_true_goal

    found = {case.id: read_true_goal(case.place) for case in cases if case.observability is None}
    return {name: label for name, label in found.items() if label is not None}


def _recognize_cases(
    cases: "tuple[RecognitionCase, ...]", settings: "RecognitionSettings", jobs: int
) -> "list[CaseResult]":
    """Recognise all problems, with a progress bar."""
    from telos.recognition.strips.benchmark import recognize_all

    answers = recognize_all(cases, settings, jobs=jobs)
    return list(progress_bar("recognising")(answers, len(cases)))


def _score(answers: "list[CaseResult]", truth: "dict[str, CaseLabel]") -> "dict[str, list[BenchmarkScore]]":
    from telos.recognition.strips.benchmark import score_groups

    return score_groups([(each, truth[each.case.id]) for each in answers if each.case.id in truth])


def _figures(answers: "list[CaseResult]", truth: "dict[str, CaseLabel]") -> dict[str, Any]:
    """Return answers and scores as JSON data; only ``seconds`` differ from run to run."""
    from dataclasses import asdict

    from telos.recognition.strips.benchmark import PUBLISHED_SCORES

    data: dict[str, Any] = {"problems": [_problem_json(each, truth.get(each.case.id)) for each in answers]}
    if truth:
        scored = _score(answers, truth)
        data["scores"] = {kind: [asdict(row) for row in rows] for kind, rows in scored.items()}
        data["published"] = [asdict(row) for row in PUBLISHED_SCORES]
    return data


def _problem_json(answer: "CaseResult", label: "CaseLabel | None") -> dict[str, Any]:
    reading = answer.reading
    data = {
        "id": answer.case.id,
        "chosen": list(reading.chosen),
        "belief": [round(chance, 6) for chance in reading.belief.values()],
        "goals": list(answer.goals),
        "complete": reading.complete,
        "notes": list(reading.notes),
        "seconds": round(answer.seconds, 4),
    }
    return data if label is None else {**data, "right": bool(label.real & set(reading.chosen))}


def _print_answers(answers: "list[CaseResult]", truth: "dict[str, CaseLabel]") -> None:
    from rich.console import Console

    console = Console(highlight=False)
    if len(answers) == 1:
        reading = answers[0].reading
        console.print(reading.why(), soft_wrap=True, markup=False)
        console.print(f"returned: {', '.join(map(str, reading.chosen)) or 'none'} ({answers[0].seconds:.2f} s)")
    elif not truth or len(answers) <= _MAX_SHOWN:
        _print_problems(console, answers, truth)
    if truth:
        _print_scores(console, _score(answers, truth))
    odd = sum(1 for each in answers if each.reading.notes)
    if odd and len(answers) > 1:
        console.print(f"{odd} of {len(answers)} problems have something odd about them; --json has the notes")


def _print_problems(console: "Console", answers: "list[CaseResult]", truth: "dict[str, CaseLabel]") -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    headings = ["problem", "seen", "goal numbers", "likeliest", "belief", "seconds", "proved"]
    for heading in [*headings, "right"] if truth else headings:
        table.add_column(heading, justify="left" if heading in ("problem", "likeliest") else "right", no_wrap=True)
    for each in answers[:_MAX_SHOWN]:
        reading, label = each.reading, truth.get(each.case.id)
        right = "" if label is None else "yes" if label.real & set(reading.chosen) else "no"
        top = list(reading.belief).index(reading.belief.top)
        table.add_row(
            each.case.id,
            str(len(each.case.observations)),
            " ".join(map(str, reading.chosen)) or "none",
            f"{top}: {reading.belief.top[:28]}",
            f"{reading.belief[reading.belief.top]:.0%}",
            f"{each.seconds:.2f}",
            "yes" if reading.complete else "so far",
            *([right] if truth else []),
        )
    console.print(table)
    if len(answers) > _MAX_SHOWN:
        console.print(f"… and {len(answers) - _MAX_SHOWN} more; --json has them all")


def _print_scores(console: "Console", scored: "dict[str, list[BenchmarkScore]]") -> None:
    from rich.table import Table

    from telos.recognition.strips.benchmark import PUBLISHED_SCORES

    for kind, rows in scored.items():
        table = Table(title=kind, box=None, pad_edge=False, title_justify="left")
        table.add_column("problems")
        for heading in ("n", "accuracy", "spread", "credit", "agreement", "median s", "proved"):
            table.add_column(heading, justify="right")
        for row in (*rows, *(PUBLISHED_SCORES if kind == "lp clean" else ())):
            table.add_row(*_cells(row))
        console.print(table)


def _cells(row: "BenchmarkScore") -> tuple[str, ...]:
    def format_number(figure: float | None, form: str) -> str:
        return "" if figure is None else format(figure, form)

    measured = (
        format_number(row.agreement, ".3f"),
        format_number(row.seconds, ".2f"),
        format_number(row.complete, ".0%"),
    )
    return row.name, str(row.problems or ""), f"{row.accuracy:.3f}", f"{row.spread:.2f}", f"{row.credit:.3f}", *measured
