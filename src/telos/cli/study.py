"""``telos study``: published experiments, run again with simulated players, their figures beside ours."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from telos.cli.study_folders import FROM_FOLDERS, read_folder
from telos.cli.study_forge import FORGE, read_forge
from telos.cli.study_island import ISLAND, read_island
from telos.cli.study_played import PLAYED, read_played
from telos.core.errors import TelosError, name_hint

if TYPE_CHECKING:
    from telos.studies.results import Study

STUDIES = ("gold-flairs", "gold-aiide")
_NAMES = (*STUDIES, ISLAND, FORGE, PLAYED, *FROM_FOLDERS)
_QUICK = {"gold-flairs": {"players": 8, "runs": 8, "draws": 5}, "gold-aiide": {"players": 5, "runs": 3}}
_Watched = Callable[[Iterable[Any], int], Iterable[Any]]


def study(
    name: Annotated[
        str,
        typer.Argument(
            help="gold-flairs, gold-aiide, crystal-island, forge; with a folder: overcooked, crafter (both also with "
            "-planning), starcraft, monroe or kitchen; with recordings: played."
        ),
    ],
    places: Annotated[
        list[Path] | None,
        typer.Argument(
            help="The folder with the players' log, or with the problems; for played, recordings and folders of them.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[bool, typer.Option(help="A few players and runs, in about a minute.")] = False,
    published: Annotated[bool, typer.Option(help="As many players and runs as in the paper.")] = False,
    players: Annotated[int | None, typer.Option(help="New players; of the island.", show_default="40, 137")] = None,
    runs: Annotated[
        int | None, typer.Option(help="Runs of the experienced player; of the forge.", show_default="40, 12, 100")
    ] = None,
    returning: Annotated[
        int | None, typer.Option(help="gold-aiide: how many players come back.", show_default="all")
    ] = None,
    folds: Annotated[int | None, typer.Option(help="crystal-island: folds by player.", show_default="10")] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="crystal-island: a folder with a log of people, or with several such folders."),
    ] = None,
    seed: Annotated[int, typer.Option(help="One seed fixes the whole study.")] = 1,
    jobs: Annotated[int, typer.Option(help="Processes that share the work; the answer stays the same.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print all figures as one JSON object.")] = False,
    report: Annotated[Path | None, typer.Option(help="Write a page with all figures to this .html file.")] = None,
    figures: Annotated[Path | None, typer.Option(help="Write every figure as an .svg file into this folder.")] = None,
) -> None:
    """Run a published experiment again, with simulated players, or put the recognisers to human ones.

    gold-flairs: FFBM, FSM and constant T on experienced and new players. gold-aiide: models that are trained on
    players, in their first run and when they come back. crystal-island: Markov logic and n-grams on an island mystery,
    and with --data on public logs of people. overcooked, crafter, starcraft: ten folds by player over a public log
    of people, which you bring along. forge: what a companion who reads plans is good for. monroe, kitchen: plan
    grammars on public problems. played: games of people that `telos play` has recorded.

    Examples: telos study gold-flairs --quick; telos study gold-aiide --jobs 4 --report aiide.html;
    telos study overcooked logs/overcooked_humans --jobs 2; telos study played recordings --report people.html
    """
    if name == PLAYED:
        _check_places(report, None)
        others: dict[str, object] = {"quick": quick, "published": published, "players": players, "runs": runs}
        others |= {"returning": returning, "folds": folds, "data": data, "figures": figures}
        read_played(places or [], seed=seed, jobs=jobs, as_json=as_json, report=report, refused=others)
        return
    folder = _only_one(name, places or [])
    if name == ISLAND:
        _check_places(report, figures)
        others = {"published": published, "runs": runs, "returning": returning}
        sizes: dict[str, Any] = {"players": players, "folds": folds, "data": data or folder}
        told: dict[str, Any] = {"as_json": as_json, "report": report, "figures": figures, "refused": others}
        read_island(**sizes, quick=quick, seed=seed, jobs=jobs, **told)
        return
    if name == FORGE:
        others = {"published": published, "players": players, "returning": returning, "folds": folds}
        others |= {"data": data or folder, "report": report, "figures": figures}
        read_forge(runs=runs, quick=quick, seed=seed, jobs=jobs, as_json=as_json, refused=others)
        return
    if folds is not None or data is not None:
        raise TelosError(f"--folds and --data are for {ISLAND}", f"leave them out for {name}")
    if name in FROM_FOLDERS:
        numbers = {"published": published, "players": players, "runs": runs, "returning": returning}
        refused: dict[str, object] = {**numbers, "report": report, "figures": figures}
        read_folder(name, folder, quick=quick, seed=seed, jobs=jobs, as_json=as_json, refused=refused)
        return
    if folder is not None:
        raise TelosError(f"{name} has simulated players and reads no folder", f"leave out {str(folder)!r}")
    options = _options(name, quick, published, {"players": players, "runs": runs, "returning": returning})
    _check_places(report, figures)
    done = _run(name, {**options, "seed": seed, "jobs": jobs})
    if as_json:
        typer.echo(json.dumps(done.figures(), indent=2))
    else:
        _tell(done)
    _save(done, report, figures, quiet=as_json)


def _only_one(name: str, places: list[Path]) -> Path | None:
    if len(places) > 1:
        raise TelosError(f"{name} reads one folder, got {len(places)}", f"leave out {str(places[1])!r}")
    return places[0] if places else None


def _options(name: str, quick: bool, published: bool, said: dict[str, int | None]) -> dict[str, int]:
    """Return how large the study is to be: what was said, and for the rest what --quick or --published mean."""
    if name not in STUDIES:
        raise TelosError(f"there is no study {name!r}", name_hint(name, _NAMES))
    if quick and published:
        raise TelosError("--quick and --published contradict each other", "say one of them")
    if name == "gold-flairs" and said["returning"] is not None:
        raise TelosError("nobody comes back in gold-flairs", "leave out --returning")
    options = dict(_QUICK[name]) if quick else {}
    if published:
        from telos.studies import gold_aiide, gold_flairs

        options = dict((gold_flairs if name == "gold-flairs" else gold_aiide).AS_PUBLISHED)
    return {**options, **{option: number for option, number in said.items() if number is not None}}


def _check_places(report: Path | None, figures: Path | None) -> None:
    """Refuse what could not be written before minutes are spent on it."""
    if report is not None and report.suffix.lower() not in (".html", ".htm"):
        raise TelosError("the report is a web page", f"end its name with .html, got {str(report)!r}")
    if report is not None and (report.is_dir() or not report.parent.is_dir()):
        raise TelosError(f"cannot write the report to {str(report)!r}: there is no such folder", "name another file")
    if figures is not None and not figures.is_dir():
        raise TelosError(f"cannot write figures into {str(figures)!r}: there is no such folder", "make it first")


def _save(done: "Study", report: Path | None, figures: Path | None, *, quiet: bool) -> None:
    from telos.studies.report import save_figures, save_report

    if report is not None:
        save_report(done, report)
        typer.echo(f"written to {report}", err=quiet)
    if figures is not None:
        written = save_figures(done, figures)
        typer.echo(f"{len(written)} figures written into {figures}", err=quiet)


def _run(name: str, options: dict[str, int]) -> "Study":
    """Run a study, with a bar for whoever waits at a terminal."""
    from rich.console import Console
    from rich.progress import track

    from telos.studies import gold_aiide, gold_flairs  # here, so that `telos --help` need not wait for worlds

    waiting = Console(stderr=True)

    def watched(done: Iterable[Any], total: int) -> Iterable[Any]:
        return track(done, "playing", total, console=waiting, transient=True, disable=not waiting.is_terminal)

    if name == "gold-flairs":
        return gold_flairs.run_study(**options, watched=watched)
    return gold_aiide.run_study(**options, watched=watched)


def _tell(done: "Study") -> None:
    from rich.console import Console

    console = Console(highlight=False)
    setting = ", ".join(f"{name} {value}" for name, value in done.setting.items())
    console.print(f"{done.name}: simulated players ({setting}, seed {done.seed})")
    console.print(f"after {done.source}\n")
    _tell_scores(done, console)
    _tell_tests(done, console)
    for each in done.findings:
        console.print(f"- {each}")


def _tell_scores(done: "Study", console: Any) -> None:
    from rich.table import Table

    for condition in done.conditions:
        table = Table(box=None, pad_edge=False, title=None)
        table.add_column(condition.name, no_wrap=True)
        for heading in ("simulated", "95% interval", "published"):
            table.add_column(heading, justify="right", no_wrap=True)
        for method, score in condition.scores.items():
            low, high = score.interval
            printed = "" if score.published is None else f"{score.published:g}%"
            table.add_row(done.labels[method], f"{score.accuracy:.1%}", f"{low:.1%}-{high:.1%}", printed)
        console.print(table)
        console.print(f"[dim]{condition.says}[/]\n")


def _tell_tests(done: "Study", console: Any) -> None:
    from rich.table import Table

    from telos.studies.statistics import said_p

    table = Table(box=None, pad_edge=False)
    table.add_column("paired t-test")
    for heading in ("points", "simulated", "published"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("in kind")
    for test in done.tests:
        printed = "" if test.published is None else test.published.says
        verdict = "" if test.published is None else test.verdict
        label = f"{test.condition}: {done.labels[test.first]} - {done.labels[test.second]}"
        table.add_row(label, f"{test.test.difference * 100:+.1f}", said_p(test.test.p), printed, verdict)
    console.print(table)
    console.print()
