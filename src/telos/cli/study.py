"""``telos study``: published experiments run again, and recognisers on logs of people; one sub-command per study.

Studies are imported when they run (``telos.studies.STUDIES``), so that ``telos --help`` is fast.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from telos.cli.common import MAX_COUNT, NameFirstGroup, in_range, jobs_option, progress_bar, seed_option
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

Quick = Annotated[bool, typer.Option(help="A small study, in about a minute.")]
Published = Annotated[bool, typer.Option(help="As many players and runs as in the paper.")]
Seed = Annotated[int, seed_option("One seed determines the whole study.")]
Jobs = Annotated[int, jobs_option("Processes that share the work; the result stays the same.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print all figures as one JSON object.")]
Report = Annotated[Path | None, typer.Option(help="Write a page with all figures to this .html file.")]
Figures = Annotated[Path | None, typer.Option(help="Write every figure as an .svg file into this folder.")]
Rules = Annotated[
    str, typer.Option(help="Players and games as before (usual), as the paper's text has them (text), or both.")
]
Seeds = Annotated[
    int, typer.Option(help="Repeat the study with so many seeds, at the paper's size.", callback=in_range(1, MAX_COUNT))
]
Ablation = Annotated[
    int,
    typer.Option(
        help="With so many of the seeds, leave out one sentence of the text at a time.", callback=in_range(0, MAX_COUNT)
    ),
]
Ensemble = Annotated[
    bool, typer.Option("--ensemble", help="Nested folds of an ensemble of linear scores and trees, beside its peers.")
]
SaveModel = Annotated[
    Path | None, typer.Option(help="Train that ensemble on all players instead, and write it to this .json file.")
]
SavedModel = Annotated[
    Path | None, typer.Option("--model", help="Score this saved ensemble on the log instead; nothing is trained.")
]
Folder = Annotated[Path | None, typer.Argument(help="The folder with the log or the problems.", show_default=False)]


def _size_option(about: str, default: str) -> Any:
    return typer.Option(help=about, show_default=default, callback=in_range(1, MAX_COUNT))


@study.command("gold-flairs")
def gold_flairs(
    quick: Quick = False,
    published: Published = False,
    players: Annotated[int | None, _size_option("New players.", "40")] = None,
    runs: Annotated[int | None, _size_option("Runs of the experienced player.", "40")] = None,
    rules: Rules = "usual",
    seeds: Seeds = 1,
    ablation: Ablation = 0,
    seed: Seed = 1,
    jobs: Jobs = 1,
    as_json: AsJson = False,
    report: Report = None,
    figures: Figures = None,
) -> None:
    """FFBM, FSM and constant T on experienced and new players (FLAIRS 2010), simulated."""
    _check_outputs(report, figures)
    if rules != "usual" or seeds > 1 or ablation:
        sizes = _sizes("gold.flairs_seeds", quick, published, {"players": players, "runs": runs})
        options = {"rules": rules, "seeds": seeds, "ablation": ablation, "seed": seed, "jobs": jobs}
        return _write(_run_seeds("run_flairs_seeds", **sizes, **options), as_json, report, figures)
    sizes = _sizes("gold.flairs", quick, published, {"players": players, "runs": runs})
    return _write(_run("gold-flairs", "playing", **sizes, seed=seed, jobs=jobs), as_json, report, figures)


@study.command("gold-aiide")
def gold_aiide(
    quick: Quick = False,
    published: Published = False,
    players: Annotated[int | None, _size_option("New players.", "40")] = None,
    runs: Annotated[int | None, _size_option("Runs of the experimenter.", "12")] = None,
    returning: Annotated[int | None, _size_option("Players who come back.", "all")] = None,
    rules: Rules = "usual",
    seeds: Seeds = 1,
    ablation: Ablation = 0,
    seed: Seed = 1,
    jobs: Jobs = 1,
    as_json: AsJson = False,
    report: Report = None,
    figures: Figures = None,
) -> None:
    """Models trained on players, in their first run and when they come back (AIIDE 2010), simulated."""
    _check_outputs(report, figures)
    numbers = {"players": players, "runs": runs, "returning": returning}
    if rules != "usual" or seeds > 1 or ablation:
        sizes = _sizes("gold.aiide_seeds", quick, published, numbers)
        options = {"rules": rules, "seeds": seeds, "ablation": ablation, "seed": seed, "jobs": jobs}
        return _write(_run_seeds("run_aiide_seeds", **sizes, **options), as_json, report, figures)
    sizes = _sizes("gold.aiide", quick, published, numbers)
    return _write(_run("gold-aiide", "playing", **sizes, seed=seed, jobs=jobs), as_json, report, figures)


@study.command("crystal-island")
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
    seed: Seed = 1,
    jobs: Jobs = 1,
    as_json: AsJson = False,
    report: Report = None,
    figures: Figures = None,
) -> None:
    """Markov logic and n-grams on an island mystery, simulated, and with --data on public logs of people."""
    _check_outputs(report, figures)
    if seeds is not None:
        if quick or data or folder:
            raise TelosError("--seeds scores simulated players of the given size", "leave out --quick and --data")
        sizes_given = {"players": players, "folds": folds}
        given: dict[str, Any] = {name: each for name, each in sizes_given.items() if each is not None}
        if variant is not None:
            given["variants"] = (variant,)
        from telos.studies.crystal_island.over_seeds import run_over_seeds

        given["ablation"] = ablation
        bar = progress_bar("seeds")
        found = run_over_seeds(seeds=seeds, seed=seed, jobs=jobs, scores=scores, progress=bar, **given)
        _write(found, as_json, report, figures)
        return
    if ablation or scores:
        raise TelosError(f"{'--ablation' if ablation else '--scores'} is for several seeds", "say --seeds too")
    sizes: dict[str, Any] = {
        "players": players,
        "folds": folds,
        "data": data or folder,
        "quick": quick,
        "variant": variant or "today",
    }
    _write(_run("crystal-island", "folds", **sizes, seed=seed, jobs=jobs), as_json, report, figures)


@study.command()
def forge(
    quick: Quick = False,
    runs: Annotated[int | None, _size_option("Players for each plan.", "100")] = None,
    seed: Seed = 1,
    jobs: Jobs = 1,
    as_json: AsJson = False,
) -> None:
    """How much time a companion saves who reads the player's plan, simulated."""
    _write(_run("forge", "playing", runs=runs, quick=quick, seed=seed, jobs=jobs), as_json)


@study.command()
def played(
    places: Annotated[
        list[Path] | None, typer.Argument(help="Recordings, and folders of them.", show_default=False)
    ] = None,
    seed: Seed = 1,
    jobs: Jobs = 1,
    as_json: AsJson = False,
    report: Report = None,
) -> None:
    """All recognisers on games of people that `telos play` has recorded."""
    _check_outputs(report, None, places or [])
    _write(_run("played", "reading", places or [], seed=seed, jobs=jobs), as_json, report)


@study.command()
def readers(
    places: Annotated[
        list[Path] | None, typer.Argument(help="Recordings of people, and folders of them.", show_default=False)
    ] = None,
    quick: Quick = False,
    plays: Annotated[int | None, _size_option("Plays of each plain intent.", "30")] = None,
    games: Annotated[int | None, _size_option("Games with given goals of each kind of player.", "12")] = None,
    seed: Seed = 1,
    jobs: Jobs = 1,
    as_json: AsJson = False,
    report: Report = None,
) -> None:
    """Which recogniser of the adventure reads players best: simulated ones, and people whose recordings you name."""
    _check_outputs(report, None, places or [])
    sizes = _sizes("readers", quick, False, {"plays": plays, "games": games})
    _write(_run("readers", "reading", places or [], **sizes, seed=seed, jobs=jobs), as_json, report)


@study.command()
def overcooked(
    folder: Folder = None,
    quick: Quick = False,
    seed: Seed = 1,
    jobs: Jobs = 1,
    ensemble: Ensemble = False,
    save_model: SaveModel = None,
    model: SavedModel = None,
    as_json: AsJson = False,
) -> None:
    """Goals of human cooks, from keys and position alone; ten folds by pair.

    Examples: telos study overcooked FOLDER --save-model m.json; telos study overcooked OTHERS --model m.json
    """
    chosen = _chosen_ensemble(ensemble, save_model, model)
    if chosen is None:
        _run_on_folder("overcooked", folder, quick=quick, seed=seed, jobs=jobs, as_json=as_json)
    else:
        _run_ensemble("overcooked", folder, chosen, quick=quick, seed=seed, jobs=jobs, as_json=as_json)


@study.command("overcooked-planning")
def overcooked_planning(
    folder: Folder = None, quick: Quick = False, seed: Seed = 1, jobs: Jobs = 1, as_json: AsJson = False
) -> None:
    """Goals of human cooks by planning, beside the trained model."""
    _run_on_folder("overcooked-planning", folder, quick=quick, seed=seed, jobs=jobs, as_json=as_json)


@study.command()
def crafter(
    folder: Folder = None,
    quick: Quick = False,
    seed: Seed = 1,
    jobs: Jobs = 1,
    ensemble: Ensemble = False,
    save_model: SaveModel = None,
    model: SavedModel = None,
    as_json: AsJson = False,
) -> None:
    """Human players of Crafter: are models better that are trained on later play?

    Examples: telos study crafter FOLDER --save-model m.json; telos study crafter OTHERS --model m.json
    """
    chosen = _chosen_ensemble(ensemble, save_model, model)
    if chosen is None:
        _run_on_folder("crafter", folder, quick=quick, seed=seed, jobs=jobs, as_json=as_json)
    else:
        _run_ensemble("crafter", folder, chosen, quick=quick, seed=seed, jobs=jobs, as_json=as_json)


@study.command("crafter-planning")
def crafter_planning(
    folder: Folder = None, quick: Quick = False, seed: Seed = 1, jobs: Jobs = 1, as_json: AsJson = False
) -> None:
    """Human players of Crafter by planning, beside the trained model."""
    _run_on_folder("crafter-planning", folder, quick=quick, seed=seed, jobs=jobs, as_json=as_json)


@study.command()
def starcraft(
    folder: Folder = None,
    quick: Quick = False,
    seed: Seed = 1,
    jobs: Jobs = 1,
    ensemble: Ensemble = False,
    save_model: SaveModel = None,
    model: SavedModel = None,
    as_json: AsJson = False,
) -> None:
    """Human players of StarCraft: which building comes next, by Markov logic.

    Examples: telos study starcraft FOLDER --save-model m.json; telos study starcraft OTHERS --model m.json
    """
    chosen = _chosen_ensemble(ensemble, save_model, model)
    if chosen is None:
        _run_on_folder("starcraft", folder, quick=quick, seed=seed, jobs=jobs, as_json=as_json)
    else:
        _run_ensemble("starcraft", folder, chosen, quick=quick, seed=seed, jobs=jobs, as_json=as_json)


@study.command()
def monroe(
    folder: Folder = None, quick: Quick = False, seed: Seed = 1, jobs: Jobs = 1, as_json: AsJson = False
) -> None:
    """Plan grammars on the public problems of Monroe county."""
    _run_on_folder("monroe", folder, quick=quick, seed=seed, jobs=jobs, as_json=as_json)


@study.command()
def kitchen(
    folder: Folder = None, quick: Quick = False, seed: Seed = 1, jobs: Jobs = 1, as_json: AsJson = False
) -> None:
    """Plan grammars on the public problems of a kitchen, with several goals at once."""
    _run_on_folder("kitchen", folder, quick=quick, seed=seed, jobs=jobs, as_json=as_json)


def _run_on_folder(name: str, folder: Path | None, *, quick: bool, seed: int, jobs: int, as_json: bool) -> None:
    if folder is None:
        raise TelosError(f"{name} reads what you bring along", f"name its folder, as in: telos study {name} FOLDER")
    _write(_run(name, "reading", folder, quick=quick, seed=seed, jobs=jobs), as_json)


def _chosen_ensemble(ensemble: bool, save_model: Path | None, model: Path | None) -> tuple[str, Path | None] | None:
    """Return what is to be done with an ensemble; None if none of the options is given."""
    given = {"--ensemble": ensemble or None, "--save-model": save_model, "--model": model}
    said = [option for option, value in given.items() if value is not None]
    if len(said) > 1:
        raise TelosError(f"{' and '.join(said)} exclude each other", "say one of them")
    return (said[0], save_model or model) if said else None


def _run_ensemble(
    name: str, folder: Path | None, chosen: tuple[str, Path | None], *, quick: bool, seed: int, jobs: int, as_json: bool
) -> None:
    option, path = chosen
    if folder is None:
        raise TelosError(f"{name} reads what you bring along", f"name its folder, as in: telos study {name} FOLDER")
    from telos.studies.humans.nested import run_nested, save_trained, score_model

    if option == "--ensemble":
        _write(run_nested(name, folder, quick=quick, jobs=jobs, seed=seed, progress=progress_bar("folds")), as_json)
        return
    assert path is not None
    if option == "--model":
        _write(score_model(name, folder, path, seed=seed), as_json)
        return
    if path.suffix != ".json":
        raise TelosError(f"--save-model {path}: an ensemble is a .json file", "give a name that ends in .json")
    check_output(path, inputs=[folder / "events.csv.gz", folder])
    _write(save_trained(name, folder, path, quick=quick, seed=seed, progress=progress_bar("training")), as_json)


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


def _run(name: str, label: str, *arguments: Any, **options: Any) -> "StudyResult":
    from telos.studies import load_study

    return load_study(name)(*arguments, **options, progress=progress_bar(label))


def _run_seeds(name: str, **options: Any) -> "StudyResult":
    """Run a study after Gold over several seeds, with the variants from the text."""
    from telos.studies import gold

    result: StudyResult = getattr(gold, name)(**options, progress=progress_bar("playing"))
    return result


def _check_outputs(report: Path | None, figures: Path | None, inputs: Sequence[Path | None] = ()) -> None:
    """Refuse files that cannot be written before the study runs."""
    if report is not None and report.suffix.lower() not in (".html", ".htm"):
        raise TelosError("the report is a web page", f"end its name with .html, got {str(report)!r}")
    if report is not None:
        check_output(report, inputs=inputs)
    if figures is not None:
        if not figures.is_dir():
            raise TelosError(f"cannot write figures into {str(figures)!r}: there is no such folder", "make it first")
        check_output(figures / "study.svg")


def _write(result: "StudyResult", as_json: bool, report: Path | None = None, figures: Path | None = None) -> None:
    """Write the page and the figures if they are wanted, and print the result as text or JSON.

    Files come first: a reader of the output who leaves early does not lose them.
    """
    from rich.console import Console

    from telos.studies.report import print_result, result_json, save_figures, save_report

    for warning in result.warnings:
        typer.secho(f"note: {warning}", fg=typer.colors.YELLOW, err=True)
    written = []
    if report is not None:
        save_report(result, report)
        written.append(f"written to {report}")
    if figures is not None:
        written.append(f"{len(save_figures(result, figures))} figures written into {figures}")
    if as_json:
        typer.echo(result_json(result))
    else:
        print_result(result, Console())
    for line in written:
        typer.echo(line, err=as_json)
