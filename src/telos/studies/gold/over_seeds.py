"""Studies of a paper over several seeds: published figures beside ours, players and games as before and from the text,
and what each sentence of the text changes. ``flairs_seeds`` and ``aiide_seeds`` run them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from telos.core.errors import TelosError, name_hint
from telos.studies.results import (
    Block,
    ChartRow,
    DotChart,
    DotRow,
    Paragraph,
    Section,
    StudyResult,
    Table,
    round_figure,
)
from telos.studies.seeds import (
    MIN_SEEDS,
    Agreement,
    Measured,
    Reported,
    agreement_data,
    agreement_table,
    count_verdicts,
    judge,
    sentence_table,
    subtract_by_seed,
)

TEXT, USUAL = "from the text", "as before"
VARIANTS = {"text": (TEXT,), "usual": (USUAL,), "both": (TEXT, USUAL)}
Sentences = frozenset[str]
Samples = Mapping[str, Measured]  # by key of a reported or shown quantity

_NOTES = (
    "Players are simulated. The variant from the text was decided and committed before any recogniser read its "
    "players; no constant was set by an accuracy. The records 0025 and 0026 hold it sentence by sentence.",
    "Ours: the mean over seeds, each a study of the paper's size; for accuracies with the 95% interval for one more "
    "such study, for differences with that of the mean over seeds. p as in the paper: two-tailed paired t-tests.",
)


@dataclass(frozen=True, slots=True)
class SeedStudy:
    """What differs between the two papers: sentences, reported figures, and further quantities that are only shown."""

    name: str
    title: str
    source: str
    sentences: Mapping[str, str]
    reported: tuple[Reported, ...]
    shown: Mapping[str, str]  # by key of a sample: what it is, per goal and for figures of single runs
    drawn: Mapping[str, str]  # by key of a reported accuracy: its short name in figures and in the table of sentences


def plan_variants(
    study: SeedStudy, rules: str, seeds: tuple[int, ...], ablation: int
) -> list[tuple[str, Sentences, tuple[int, ...]]]:
    """Return what is run: a name (a variant, or the sentence that is left out), its sentences, and its seeds."""
    if rules not in VARIANTS:
        raise TelosError(
            f"there are no rules {rules!r} of this study", name_hint(rules, VARIANTS) or "text, usual or both"
        )
    if not 0 <= ablation <= len(seeds):
        raise TelosError(f"sentences are left out with 0 to {len(seeds)} of the seeds, got {ablation}")
    if ablation and TEXT not in VARIANTS[rules]:
        raise TelosError("only the variant from the text has sentences to leave out", "say --rules text or both")
    every = frozenset(study.sentences)
    plan: list[tuple[str, Sentences, tuple[int, ...]]] = [
        (name, every if name == TEXT else frozenset(), seeds) for name in VARIANTS[rules]
    ]
    return plan + [(left_out, every - {left_out}, seeds[:ablation]) for left_out in study.sentences if ablation]


def collect_samples(by_seed: Sequence[Mapping[str, tuple[float, float | None]]]) -> dict[str, Measured]:
    """Return the values of every quantity over seeds; what some seed does not have is left out."""
    names = [name for name in by_seed[0] if all(name in each for each in by_seed)]
    return {
        name: Measured(
            tuple(each[name][0] for each in by_seed),
            tuple(each[name][1] for each in by_seed) if _has_test(name) else (),
        )
        for name in names
    }


def _has_test(name: str) -> bool:
    return name == "later-first" or "-" in name.partition("/")[2]


def seeds_result(
    study: SeedStudy,
    samples: Mapping[str, Samples],
    seeds: tuple[int, ...],
    ablation: int,
    setting: Mapping[str, int],
) -> StudyResult:
    judged = {
        name: [judge(each, samples[name][each.key]) for each in study.reported]
        for name in (TEXT, USUAL)
        if name in samples
    }
    said = ", ".join(f"{name} {value}" for name, value in {**setting, "seeds": f"{seeds[0]} to {seeds[-1]}"}.items())
    blocks: list[Block] = [agreement_table(judged)]
    blocks += [Section("Further figures, which the paper does not print"), _shown_table(study, samples, list(judged))]
    if ablation:
        blocks += [Section("What each sentence changes"), _sentence_table(study, samples, ablation)]
    blocks.append(Paragraph("Simulated players.", soft=True))
    charts = ChartRow(tuple(_dots(study, name, agreements) for name, agreements in judged.items()))
    return StudyResult(
        study.name,
        study.title,
        f"{study.name}: simulated players ({said})",
        seeds[0],
        _data(study, samples, judged, seeds, ablation, setting),
        tuple(blocks),
        (Section("Published and ours"), blocks[0], charts, *blocks[1:]),
        source=study.source,
        players="simulated players",
        setting=said,
        findings=tuple(f"{name}: {count_verdicts(agreements)}" for name, agreements in judged.items()),
        warnings=() if len(seeds) >= MIN_SEEDS else (f"with fewer than {MIN_SEEDS} seeds nothing can be told",),
        notes=_NOTES,
    )


def _dots(study: SeedStudy, variant: str, agreements: Sequence[Agreement]) -> DotChart:
    """Draw the accuracy of every seed, with the published one."""
    rows = []
    for each in agreements:
        if each.reported.key in study.drawn and each.reported.value is not None:
            values = tuple(value / 100 for value in each.measured.values)
            rows.append(DotRow(study.drawn[each.reported.key], values, each.reported.value / 100))
    return DotChart(f"seeds_{variant.replace(' ', '_')}", f"Accuracy by seed, {variant}", tuple(rows), dot="seed")


def _shown_table(study: SeedStudy, samples: Mapping[str, Samples], variants: Sequence[str]) -> Table:
    rows = [
        (says, *(_mean_text(samples[name].get(key)) for name in variants))
        for key, says in study.shown.items()
        if any(key in samples[name] for name in variants)
    ]
    return Table(("mean over seeds (lowest to highest)", *variants), tuple(rows))


def _mean_text(measured: Measured | None) -> str:
    if measured is None:
        return ""
    low, high = min(measured.values), max(measured.values)
    return f"{measured.mean:.1f} ({low:.1f} to {high:.1f})"


def _sentence_table(study: SeedStudy, samples: Mapping[str, Samples], ablation: int) -> Table:
    note = (
        f"Points of accuracy that the sentence brings: with all sentences, minus all but this one; the mean over "
        f"{ablation} seeds with the 95% interval of the mean. The same seeds are the same players and games."
    )
    return sentence_table(study.sentences, study.drawn, _changes(study, samples), note=note)


def _changes(study: SeedStudy, samples: Mapping[str, Samples]) -> dict[str, dict[str, Measured]]:
    """Return what each sentence adds to the accuracies that it is about."""
    return {
        name: {
            key: subtract_by_seed(samples[TEXT][key].values, samples[name][key].values)
            for key in study.drawn
            if key in samples[name]
        }
        for name in study.sentences
    }


def _data(
    study: SeedStudy,
    samples: Mapping[str, Samples],
    judged: Mapping[str, Sequence[Agreement]],
    seeds: tuple[int, ...],
    ablation: int,
    setting: Mapping[str, int],
) -> dict[str, Any]:
    """Return everything for JSON, in per cent and points."""
    changes = {
        name: {key: [round_figure(value) for value in change.values] for key, change in each.items()}
        for name, each in (_changes(study, samples) if ablation else {}).items()
    }
    return {
        "study": study.name,
        "source": study.source,
        "simulated": True,
        "seeds": list(seeds),
        "setting": dict(setting),
        "variants": {name: agreement_data(agreements) for name, agreements in judged.items()},
        "shown": {
            name: {
                key: [round_figure(each) for each in samples[name][key].values]
                for key in study.shown
                if key in samples[name]
            }
            for name in judged
        },
        "sentences": dict(study.sentences),
        "changes": changes,
        "notes": list(_NOTES),
    }
