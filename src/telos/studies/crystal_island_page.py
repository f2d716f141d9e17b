"""The study as one web page that needs no network: findings, tables, pictures, and how it was done."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from telos.core.errors import TelosError
from telos.studies.crystal_island import CrystalIsland
from telos.studies.crystal_island_charts import pictures
from telos.studies.crystal_island_findings import said_anova
from telos.studies.crystal_island_published import NOTES, PEERS, PUBLISHED, SOURCE
from telos.studies.figures_svg import STYLE_SHEET, alone
from telos.studies.markov.contenders import MAJORITY
from telos.studies.markov.outcome import AHEAD, ONLINE, Decoding, Outcome
from telos.studies.statistics import said_p

TITLE = "Reading goals with Markov logic: the island, and people"
_STYLE = """
:root { color-scheme: light dark; --ink: #1f2430; --soft: #5f6773; --rule: #e3e6ea; --paper: #ffffff; --wash: #f5f6f8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --soft: #a3abb8; --rule: #333a45; --paper: #171a20; --wash: #1e222a; } }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 66rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .2rem; } h2 { font-size: 1.3rem; margin: 2.6rem 0 .6rem; }
h3 { margin: 1.6rem 0 .4rem; }
.soft { color: var(--soft); } .tag { border: 1px solid var(--soft); border-radius: 1rem; padding: 0 .6rem;
  font-size: .85rem; }
.row { display: grid; grid-template-columns: repeat(auto-fit, minmax(26rem, 1fr)); gap: 1rem; align-items: start; }
figure { margin: 0; } svg { width: 100%; height: auto; } .scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--rule); } th { font-weight: 600; }
th { vertical-align: bottom; } td.n, th.n { text-align: right; } td.n { white-space: nowrap; }
li { margin: .35rem 0; } .findings { background: var(--wash); border-radius: .5rem; padding: .8rem 1.2rem; }
"""


def save_report(study: CrystalIsland, path: Path) -> None:
    """Write the page of the study."""
    try:
        path.write_text(page(study), encoding="utf-8")
    except OSError as error:
        raise TelosError(f"cannot write the report to {str(path)!r}: {error.strerror}; name another file") from error


def save_figures(study: CrystalIsland, folder: Path) -> list[Path]:
    """Write every picture as a file of its own, and return where."""
    written = []
    for found in (study.simulated, *study.human.values()):
        for key, picture in pictures(found):
            path = folder / f"study-crystal-island-{key}.svg"
            try:
                path.write_text(alone(picture), encoding="utf-8")
            except OSError as error:
                raise TelosError(f"cannot write {str(path)!r}: {error.strerror}; name another folder") from error
            written.append(path)
    return written


def page(study: CrystalIsland) -> str:
    """Return the page of the study, whole."""
    body = [
        f"<h1>{escape(TITLE)}</h1>",
        f'<p class="soft">After {escape(SOURCE)}. Seed {study.seed}{", quick" if study.quick else ""}.</p>',
        "<h2>Findings</h2>",
        f'<div class="findings">{_list(study.findings)}</div>',
        *_section("The island", study.simulated),
    ]
    for name, found in study.human.items():
        body += _section({"crafter": "Crafter", "starcraft": "StarCraft II"}[name], found)
    body += ["<h2>How it was done</h2>", _list(NOTES)]
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(TITLE)}</title><style>{_STYLE}{STYLE_SHEET}</style>"
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n' + "\n".join(body) + "\n</body></html>\n"


def _section(title: str, found: Outcome) -> Iterator[str]:
    who = "simulated players" if found.is_simulated else "human players"
    counts = f"{found.players} players, {found.actions:,} actions, {found.goals:,} goals achieved"
    yield f'<h2>{escape(title)}</h2><p class="soft"><span class="tag">{who}</span> {counts}</p>'
    for way, words in ((AHEAD, "With look-ahead, as in the chapter"), (ONLINE, "Online, as a game would read")):
        yield f"<h3>{words}</h3>{_scores(found, way)}{_tests(found, way)}"
    if not found.is_simulated:
        yield f"<h3>Measured by others on these rows, in per cent</h3>{_peers(found.log)}"
    drawn = [f"<figure>{picture}</figure>" for _, picture in pictures(found)]
    yield f'<h3>Fold by fold</h3><div class="row">{"".join(drawn[:2])}</div>'
    yield f'<h3>As the goal unfolds, and how far beliefs can be trusted</h3><div class="row">{"".join(drawn[2:])}</div>'
    if found.notes:
        yield _list(found.notes)


def _scores(found: Outcome, way: str) -> str:
    base = found.scores[MAJORITY].decodings[way].mean
    has_printed = found.is_simulated and way == AHEAD
    head = ["", "F1", "± sd", "improvement", "macro-F1", "convergence rate", "convergence point"]
    head += ["published"] if has_printed else []
    head += ["calibration error"] if way == ONLINE else []
    head += ["unseen"] if way == ONLINE and not found.is_simulated else []
    rows = []
    for key, score in found.scores.items():
        if way in score.decodings:
            row = [score.label, *_cells(score.decodings[way], base, is_base=key == MAJORITY)]
            row += [_printed(key)] if has_printed else []
            row += [f"{score.calibration.error:.3f}"] if way == ONLINE else []
            row += [f"{score.unseen:.1%}"] if way == ONLINE and score.unseen is not None else []
            rows.append(row)
    return _table(head, rows)


def _cells(decoding: Decoding, base: float, *, is_base: bool) -> list[str]:
    point = decoding.convergence.point
    return [
        f"{decoding.mean:.3f}",
        f"{decoding.sd:.3f}",
        "" if is_base or not base else f"{decoding.mean / base - 1:+.0%}",
        f"{decoding.macro_f1:.3f}",
        f"{decoding.convergence.rate:.0%}",
        "" if point is None else f"{point:.0%}",
    ]


def _printed(key: str) -> str:
    share: dict[str, float] = PUBLISHED["f1"]  # type: ignore[assignment]
    better: dict[str, float] = PUBLISHED["improvement"]  # type: ignore[assignment]
    if key not in share:
        return ""
    return f"{share[key]:.3f}" + (f" ({better[key]:+.0%})" if key in better else "")


def _tests(found: Outcome, way: str) -> str:
    told = [f"{each.first} − {each.second} {each.difference:+.3f} ({said_p(each.p)})" for each in found.pairs[way]]
    said = f"Unigram, bigram and factored: {said_anova(found.anovas[way])}. {'; '.join(told)}."
    if found.is_simulated and way == AHEAD:
        said += " Published: F(2,18) = 71.87, p < .0001; all pairs p < .01."
    return f'<p class="soft">{escape(said)}</p>'


def _peers(log: str) -> str:
    return _table(list(PEERS[log]), [[f"{value:.1f}" for value in PEERS[log].values()]])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def cells(tag: str, values: Sequence[str]) -> str:
        return "".join(f'<{tag} class="{"n" if at else ""}">{escape(each)}</{tag}>' for at, each in enumerate(values))

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{cells("th", head)}</tr></thead><tbody>{body}</tbody></table></div>'


def _list(said: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(each)}</li>' for each in said)}</ul>"
