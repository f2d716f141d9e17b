"""``telos study``: published experiments run again, and recognisers on logs of people; one sub-command per study.

Studies are imported when they run (``telos.studies.STUDIES``), so that ``telos --help`` is fast.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from telos.cli.common import (
    MAX_COUNT,
    NameFirstGroup,
    in_range,
    jobs_option,
    progress_bar,
    seed_option,
    with_option_groups,
)
from telos.core.errors import TelosError
from telos.files import check_output

if TYPE_CHECKING:
    from telos.studies.results import StudyResult


class _StudyGroup(NameFirstGroup):
    noun = "study"


study = typer.Typer(
    name="study",
    cls=_StudyGroup,
    add_completion=False,
    no_args_is_help=True,
    help="Run a published experiment again with simulated players, or measure recognisers on human ones.\n\n"
    "Examples: telos study gold-flairs --quick; telos study gold-aiide --jobs 4 --report aiide.html; "
    "telos study overcooked logs/overcooked_humans --jobs 2; telos study played recordings --report people.html",
)

# --- options of several studies ---

Quick = Annotated[bool, typer.Option(help="A small study, in about a minute.")]
Ablation = Annotated[
    int,
    typer.Option(
        help="With so many of the seeds, leave out one sentence of the text at a time.", callback=in_range(0, MAX_COUNT)
    ),
]
Folder = Annotated[Path | None, typer.Argument(help="The folder with the log or the problems.", show_default=False)]


def _size_option(about: str, default: str) -> Any:
    return typer.Option(help=about, show_default=default, callback=in_range(1, MAX_COUNT))


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of every study."""

    seed: Annotated[int, seed_option("One seed determines the whole study.")] = 1
    jobs: Annotated[int, jobs_option("Processes that share the work; the result stays the same.")] = 1
    as_json: Annotated[bool, typer.Option("--json", help="Print all figures as one JSON object.")] = False


@dataclass(frozen=True, slots=True)
class ReportOptions(RunOptions):
    """Options of a study with a page of its figures."""

    report: Annotated[Path | None, typer.Option(help="Write a page with all figures to this .html file.")] = None


@dataclass(frozen=True, slots=True)
class FigureOptions(ReportOptions):
    """Options of a study with drawings."""

    figures: Annotated[Path | None, typer.Option(help="Write every figure as an .svg file into this folder.")] = None


@dataclass(frozen=True, slots=True)
class GoldOptions:
    """How a study after Gold is run: as published, over several seeds, with rules from the paper's text."""

    rules: Annotated[
        str, typer.Option(help="Players and games as before (usual), as the paper's text has them (text), or both.")
    ] = "usual"
    seeds: Annotated[
        int,
        typer.Option(help="Repeat the study with so many seeds, at the paper's size.", callback=in_range(1, MAX_COUNT)),
    ] = 1
    ablation: Ablation = 0


@dataclass(frozen=True, slots=True)
class EnsembleOptions:
    """What is done with an ensemble of linear scores and trees; at most one of these."""

    ensemble: Annotated[
        bool,
        typer.Option("--ensemble", help="Nested folds of an ensemble of linear scores and trees, beside its peers."),
    ] = False
    save_model: Annotated[
        Path | None, typer.Option(help="Train that ensemble on all players instead, and write it to this .json file.")
    ] = None
    model: Annotated[
        Path | None,
        typer.Option("--model", help="Score this saved ensemble on the log instead; nothing is trained."),
    ] = None


# --- simulated players ---


Published = Annotated[bool, typer.Option(help="As many players and runs as in the paper.")]


@study.command("gold-flairs")
@with_option_groups
def gold_flairs(
    quick: Quick = False,
    published: Published = False,
    players: Annotated[int | None, _size_option("New players.", "40")] = None,
    runs: Annotated[int | None, _size_option("Runs of the experienced player.", "40")] = None,
    *,
    gold: GoldOptions,
    run: FigureOptions,
) -> None:
    """FFBM, FSM and constant T on experienced and new players (FLAIRS 2010), simulated."""
    _run_gold("flairs", quick, published, {"players": players, "runs": runs}, gold, run)


@study.command("gold-aiide")
@with_option_groups
def gold_aiide(
    quick: Quick = False,
    published: Published = False,
    players: Annotated[int | None, _size_option("New players.", "40")] = None,
    runs: Annotated[int | None, _size_option("Runs of the experimenter.", "12")] = None,
    returning: Annotated[int | None, _size_option("Players who come back.", "all")] = None,
    *,
    gold: GoldOptions,
    run: FigureOptions,
) -> None:
    """Models trained on players, in their first run and when they come back (AIIDE 2010), simulated."""
    _run_gold("aiide", quick, published, {"players": players, "runs": runs, "returning": returning}, gold, run)


def _run_gold(
    name: str, quick: bool, published: bool, numbers: dict[str, int | None], gold: GoldOptions, run: FigureOptions
) -> None:
    """Run a study after Gold once, or over several seeds and with the variants from the text."""
    _check_outputs(run)
    if gold == GoldOptions():
        sizes = _sizes(f"gold.{name}", quick, published, numbers)
        _write(_run(f"gold-{name}", "playing", run, **sizes), run)
        return
    from telos.studies import gold as studies

    sizes = _sizes(f"gold.{name}_seeds", quick, published, numbers)
    settings = {**asdict(gold), "seed": run.seed, "jobs": run.jobs, "progress": progress_bar("playing")}
    _write(getattr(studies, f"run_{name}_seeds")(**sizes, **settings), run)


@study.command("crystal-island")
@with_option_groups
def crystal_island(
    folder: Folder = None,
    data: Annotated[
        Path | None, typer.Option(help="A folder with a log of people, or with several such folders.")
    ] = None,
    quick: Quick = False,
    players: Annotated[int | None, _size_option("Players of the island.", "137")] = None,
    folds: Annotated[int | None, _size_option("Folds by player.", "10")] = None,
    variant: Annotated[
        str | None,
        typer.Option(
            help="How players are simulated: today, or text, as decided from the published text.",
            show_default="today; with --seeds both",
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(help="Score so many seeds, both variants: published beside ours.", callback=in_range(2, 100)),
    ] = None,
    ablation: Ablation = 0,
    scores: Annotated[
        Path | None, typer.Option(help="With --seeds: a file that keeps what is done, to continue from.")
    ] = None,
    *,
    run: FigureOptions,
) -> None:
    """Markov logic and n-grams on an island mystery, simulated, and with --data on public logs of people."""
    _check_outputs(run)
    sizes: dict[str, Any] = {"players": players, "folds": folds}
    if seeds is None:
        if ablation or scores:
            raise TelosError(f"{'--ablation' if ablation else '--scores'} is for several seeds", "say --seeds too")
        sizes |= {"data": data or folder, "quick": quick, "variant": variant or "today"}
        _write(_run("crystal-island", "folds", run, **sizes), run)
        return
    if quick or data or folder:
        raise TelosError("--seeds scores simulated players of the given size", "leave out --quick and --data")
    from telos.studies.crystal_island.over_seeds import run_over_seeds

    given = {name: each for name, each in sizes.items() if each is not None}
    if variant is not None:
        given["variants"] = (variant,)
    given["ablation"] = ablation
    bar = progress_bar("seeds")
    _write(run_over_seeds(seeds=seeds, seed=run.seed, jobs=run.jobs, scores=scores, progress=bar, **given), run)


@study.command()
@with_option_groups
def forge(
    quick: Quick = False,
    runs: Annotated[int | None, _size_option("Players for each plan.", "100")] = None,
    *,
    run: RunOptions,
) -> None:
    """How much time a companion saves who reads the player's plan, simulated."""
    _write(_run("forge", "playing", run, runs=runs, quick=quick), run)


# --- recordings and logs of people ---


@study.command()
@with_option_groups
def played(
    places: Annotated[
        list[Path] | None, typer.Argument(help="Recordings, and folders of them.", show_default=False)
    ] = None,
    *,
    run: ReportOptions,
) -> None:
    """All recognisers on games of people that `telos play` has recorded."""
    _check_outputs(run, places or [])
    _write(_run("played", "reading", run, places or []), run)


@study.command()
@with_option_groups
def readers(
    places: Annotated[
        list[Path] | None, typer.Argument(help="Recordings of people, and folders of them.", show_default=False)
    ] = None,
    quick: Quick = False,
    plays: Annotated[int | None, _size_option("Plays of each plain intent.", "30")] = None,
    games: Annotated[int | None, _size_option("Games with given goals of each kind of player.", "12")] = None,
    *,
    run: ReportOptions,
) -> None:
    """Which recogniser of the adventure reads players best: simulated ones, and people whose recordings you name."""
    _check_outputs(run, places or [])
    sizes = _sizes("readers", quick, False, {"plays": plays, "games": games})
    _write(_run("readers", "reading", run, places or [], **sizes), run)


def _add_folder_study(name: str, about: str) -> None:
    """Add the command of a study that reads a folder which the user brings along."""

    @study.command(name, help=about)
    @with_option_groups
    def run_on_folder(folder: Folder = None, quick: Quick = False, *, run: RunOptions) -> None:
        _write(_run(name, "reading", run, _given_folder(name, folder), quick=quick), run)


def _add_ensemble_study(name: str, about: str) -> None:
    """Add the command of a study on a folder, which also trains and scores ensembles."""
    example = f"telos study {name} FOLDER --save-model m.json; telos study {name} OTHERS --model m.json"

    @study.command(name, help=f"{about}\n\nExamples: {example}")
    @with_option_groups
    def run_on_folder(folder: Folder = None, quick: Quick = False, *, use: EnsembleOptions, run: RunOptions) -> None:
        option = _chosen_option(use)
        given = _given_folder(name, folder)
        if option:
            _run_ensemble(name, given, option, use, quick, run)
        else:
            _write(_run(name, "reading", run, given, quick=quick), run)


_add_ensemble_study("overcooked", "Goals of human cooks, from keys and position alone; ten folds by pair.")
_add_folder_study("overcooked-planning", "Goals of human cooks by planning, beside the trained model.")
_add_ensemble_study("crafter", "Human players of Crafter: are models better that are trained on later play?")
_add_folder_study("crafter-planning", "Human players of Crafter by planning, beside the trained model.")
_add_ensemble_study("starcraft", "Human players of StarCraft: which building comes next, by Markov logic.")
_add_folder_study("monroe", "Plan grammars on the public problems of Monroe county.")
_add_folder_study("kitchen", "Plan grammars on the public problems of a kitchen, with several goals at once.")


def _given_folder(name: str, folder: Path | None) -> Path:
    if folder is None:
        raise TelosError(f"{name} reads what you bring along", f"name its folder, as in: telos study {name} FOLDER")
    return folder


def _chosen_option(use: EnsembleOptions) -> str:
    """Return the option that says what is to be done with an ensemble; empty if none is given."""
    given = {"--ensemble": use.ensemble, "--save-model": use.save_model, "--model": use.model}
    said = [option for option, value in given.items() if value]
    if len(said) > 1:
        raise TelosError(f"{' and '.join(said)} exclude each other", "say one of them")
    return said[0] if said else ""


def _run_ensemble(name: str, folder: Path, option: str, use: EnsembleOptions, quick: bool, run: RunOptions) -> None:
    from telos.studies.humans.nested import run_nested, save_trained, score_model

    if use.model is not None:
        _write(score_model(name, folder, use.model, seed=run.seed), run)
    elif use.save_model is not None:
        path = use.save_model
        if path.suffix != ".json":
            raise TelosError(f"{option} {path}: an ensemble is a .json file", "give a name that ends in .json")
        check_output(path, inputs=[folder / "events.csv.gz", folder])
        _write(save_trained(name, folder, path, quick=quick, seed=run.seed, progress=progress_bar("training")), run)
    else:
        bar = progress_bar("folds")
        _write(run_nested(name, folder, quick=quick, jobs=run.jobs, seed=run.seed, progress=bar), run)


# --- sizes, runs, outputs ---


def _sizes(module: str, quick: bool, published: bool, given: dict[str, int | None]) -> dict[str, int]:
    """Return the size of a study: the given numbers, and for the rest what --quick or --published stand for."""
    if quick and published:
        raise TelosError("--quick and --published contradict each other", "say one of them")
    sizes: dict[str, int] = {}
    if quick or published:
        from importlib import import_module

        found = import_module(f"telos.studies.{module}")
        sizes = dict(found.QUICK if quick else found.AS_PUBLISHED)
    return {**sizes, **{option: number for option, number in given.items() if number is not None}}


def _run(name: str, label: str, run: RunOptions, *arguments: Any, **options: Any) -> "StudyResult":
    from telos.studies import load_study

    return load_study(name)(*arguments, **options, seed=run.seed, jobs=run.jobs, progress=progress_bar(label))


def _check_outputs(run: ReportOptions, inputs: Sequence[Path | None] = ()) -> None:
    """Refuse files that cannot be written before the study runs."""
    report, figures = run.report, _figures_of(run)
    if report is not None and report.suffix.lower() not in (".html", ".htm"):
        raise TelosError("the report is a web page", f"end its name with .html, got {str(report)!r}")
    if report is not None:
        check_output(report, inputs=inputs)
    if figures is not None:
        if not figures.is_dir():
            raise TelosError(f"cannot write figures into {str(figures)!r}: there is no such folder", "make it first")
        check_output(figures / "study.svg")


def _figures_of(run: RunOptions) -> Path | None:
    return run.figures if isinstance(run, FigureOptions) else None


def _write(result: "StudyResult", run: RunOptions) -> None:
    """Write the page and the figures if they are wanted, and print the result as text or JSON.

    Files come first: a reader of the output who leaves early does not lose them.
    """
    from rich.console import Console

    from telos.studies.report import print_result, result_json, save_figures, save_report

    for warning in result.warnings:
        typer.secho(f"note: {warning}", fg=typer.colors.YELLOW, err=True)
    written = []
    report, figures = run.report if isinstance(run, ReportOptions) else None, _figures_of(run)
    if report is not None:
        save_report(result, report)
        written.append(f"written to {report}")
    if figures is not None:
        written.append(f"{len(save_figures(result, figures))} figures written into {figures}")
    if run.as_json:
        typer.echo(result_json(result))
    else:
        print_result(result, Console())
    for line in written:
        typer.echo(line, err=run.as_json)
