"""The study as one web page that needs no network: findings, tables, pictures, and how it was done."""

from collections.abc import Iterator
from html import escape
from pathlib import Path

from telos.studies.crystal_island import CrystalIsland
from telos.studies.crystal_island_charts import pictures
from telos.studies.crystal_island_findings import said_anova
from telos.studies.crystal_island_published import NOTES, PEERS, PUBLISHED, SOURCE
from telos.studies.markov.contenders import MAJORITY
from telos.studies.markov.outcome import AHEAD, ONLINE, Decoding, Outcome
from telos.studies.report_page import framed, listed, table, write_page, write_pictures
from telos.studies.statistics import said_p

TITLE = "Reading goals with Markov logic: the island, and people"


def save_report(study: CrystalIsland, path: Path) -> None:
    """Write the page of the study."""
    write_page(page(study), path)


def save_figures(study: CrystalIsland, folder: Path) -> list[Path]:
    """Write every picture as a file of its own, and return where."""
    found = (pictures(each) for each in (study.simulated, *study.human.values()))
    return write_pictures("crystal-island", dict(pair for each in found for pair in each), folder)


def page(study: CrystalIsland) -> str:
    """Return the page of the study, whole."""
    body = [
        f"<h1>{escape(TITLE)}</h1>",
        f'<p class="soft">After {escape(SOURCE)}. Seed {study.seed}{", quick" if study.quick else ""}.</p>',
        "<h2>Findings</h2>",
        f'<div class="findings">{listed(study.findings)}</div>',
        *_section("The island", study.simulated),
    ]
    for name, found in study.human.items():
        body += _section({"crafter": "Crafter", "starcraft": "StarCraft II"}[name], found)
    body += ["<h2>How it was done</h2>", listed(NOTES)]
    return framed(TITLE, body)


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
        yield listed(found.notes)


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
    return table(head, rows)


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
    return table(list(PEERS[log]), [[f"{value:.1f}" for value in PEERS[log].values()]])
