"""The study of the first paper: FFBM, a finite state machine and a constant matrix, on experienced and new players."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random

from telos.core.errors import TelosError
from telos.studies.gold_flairs_charts import charts, what_players_do
from telos.studies.gold_flairs_runs import GOALS, KINDS, METHODS, Kind, Played, Run, played
from telos.studies.report_findings import findings
from telos.studies.report_parts import Grid, Study
from telos.studies.scoring_contest import Comparison, Condition, Published, compared, scored
from telos.studies.scoring_pool import shared_out
from telos.studies.statistics import need_scipy

NAME = "gold-flairs"
SOURCE = (
    "K. Gold: Designer-Driven Intention Recognition in an Action-Adventure Game Using Fast Forward Bayesian Models "
    "(FLAIRS 2010)"
)
AS_PUBLISHED = {"players": 10, "runs": 10}
# Percents of Figure 3, and the tests of the section on results.
ACCURACIES = {
    "experienced": {"ffbm": 90.0, "fsm": 70.0, "constant": 70.0},
    "new": {"ffbm": 59.0, "fsm": 46.0, "constant": 44.0},
}
TESTS = {
    ("experienced", "ffbm", "fsm"): (0.0003, "p < 0.0003"),
    ("experienced", "ffbm", "constant"): (0.0003, "p < 0.0003"),
    ("experienced", "constant", "fsm"): (0.88, "p = 0.88"),
    ("new", "ffbm", "fsm"): (0.03, "p < 0.03"),
    ("new", "ffbm", "constant"): (0.0002, "p < 0.0002"),
    ("new", "constant", "fsm"): (0.66, "p = 0.66"),
}
NOTES = (
    "Players are simulated; no preset was set in the light of an accuracy. The original logs are not public.",
    "experienced: one player in every run (five monsters an area); new: another first-time player in every run (three "
    "monsters); veterans, which are ours: another experienced player in every run (five monsters).",
    "A method is scored at every update of the FFBM (a changed input, a changed area), by whether its likeliest goal "
    "is the one given to the player. The accuracy of a condition is the mean over its runs.",
    "An update in the very frame in which a goal is reached still belongs to the phase that it ends.",
    "Intervals are bootstrap percentiles over runs. 'Just after a change' is the accuracy in the first ten updates "
    "after a goal has changed; 'updates until right' is how long it takes to be right after a change.",
    "'Chest rule only' and 'town rule only' are the FFBM with one of its two extra matrices, to see what it is worth.",
    "'Any swing is still' is the FFBM for a game in which nobody walks on while swinging; the paper does not say "
    "whether one can, and in ours one can.",
    "'Town rule on arrival' is the FFBM whose town rule holds when the town is entered, and not while one stays.",
    "Sensitivity: a number that cannot be doubled because it is a chance has its complement halved instead.",
)


def run_study(
    *,
    players: int = 40,
    runs: int = 40,
    seed: int = 1,
    jobs: int = 1,
    draws: int = 40,
    watched: Callable[[Iterable[Played], int], Iterable[Played]] = lambda played, total: played,
) -> Study:
    """Run the study; ``seed`` fixes it, however many ``jobs`` share the work.

    ``watched`` is handed the runs as they come, with their number, to pass them on: a place for a progress bar.
    """
    need_scipy()
    if players < 2 or runs < 2:
        raise TelosError(f"a paired test needs at least 2 players and 2 runs, got {players} and {runs}")
    if seed < 0:
        raise TelosError(f"a seed is a whole number, zero or more, got {seed}")
    schedule = [
        Run(kind, number, seed, draws) for kind in KINDS for number in range(runs if kind.is_one_person else players)
    ]
    done = list(watched(shared_out(played, schedule, jobs=jobs), len(schedule)))
    by_kind = {kind.name: [each for each in done if each.kind == kind.name and each.is_done] for kind in KINDS}
    for kind, finished in by_kind.items():
        if len(finished) < 2:
            raise TelosError(f"only {len(finished)} of the {kind!r} runs were finished", "play more of them")
    conditions = tuple(_condition(kind, by_kind[kind.name], seed) for kind in KINDS)
    tests, grids = _tests(by_kind, seed), what_players_do(by_kind)
    unfinished = sum(not each.is_done for each in done)
    return Study(
        NAME,
        "Reading experienced and new players: FFBM, FSM and constant T",
        SOURCE,
        seed,
        {"players": players, "runs": runs, "unfinished": unfinished},
        METHODS,
        conditions,
        tests,
        charts(by_kind, seed),
        (*findings(tests, METHODS), *_further(by_kind, conditions), *_why(by_kind, grids, conditions)),
        NOTES,
        grids,
    )


def _condition(kind: Kind, done: Sequence[Played], seed: int) -> Condition:
    scores = {}
    for method in METHODS:
        rng = Random(f"{seed} {kind.name} {method}")
        published = ACCURACIES.get(kind.name, {}).get(method)
        tallies = [each.tallies[method] for each in done if each.tallies]
        scores[method] = scored(method, tallies, goals=GOALS, rng=rng, published=published)
    who = (
        "runs of one experienced player" if kind.is_one_person else f"different {kind.preset.name} players, a run each"
    )
    minutes = sum(each.seconds for each in done) / len(done) / 60
    updates = sum(tally.updates for tally in (each.tallies["ffbm"] for each in done if each.tallies)) / len(done)
    says = f"{len(done)} {who} (simulated); {minutes:.1f} minutes and {updates:.0f} updates a run"
    return Condition(kind.name, says, scores)


def _tests(by_kind: Mapping[str, Sequence[Played]], seed: int) -> tuple[Comparison, ...]:
    wanted = [*TESTS, *(("veterans", first, second) for _, first, second in list(TESTS)[:3])]
    tests = []
    for kind, first, second in wanted:
        published = None
        if (kind, first, second) in TESTS:
            accuracies, (p, says) = ACCURACIES[kind], TESTS[kind, first, second]
            published = Published(accuracies[first], accuracies[second], p, says)
        pairs = [(each.tallies[first], each.tallies[second]) for each in by_kind[kind] if each.tallies]
        rng = Random(f"{seed} {kind} {first} {second}")
        tests.append(compared(kind, first, second, pairs, goals=GOALS, rng=rng, published=published))
    return tuple(tests)


def _further(by_kind: Mapping[str, Sequence[Played]], conditions: Sequence[Condition]) -> list[str]:
    """Say what the paper asks for but does not measure, and what its rules are worth one by one."""
    said = [_experience(conditions)]
    for condition in conditions:
        accuracy = {method: score.accuracy for method, score in condition.scores.items()}
        said.append(
            f"{condition.name}: of the {100 * (accuracy['ffbm'] - accuracy['constant']):+.1f} points between FFBM and "
            f"constant T, the town rule alone brings {100 * (accuracy['town_only'] - accuracy['constant']):+.1f} and "
            f"the chest rule alone {100 * (accuracy['chest_only'] - accuracy['constant']):+.1f}."
        )
    for kind, done in by_kind.items():
        turned = [each.turned for each in done if each.turned]
        means = {key: sum(each[key] for each in turned) / len(turned) for key in turned[0]}
        drawn = [sum(values) / len(values) for values in zip(*(each.drawn for each in done), strict=True)]
        least, most = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
        said.append(
            f"{kind}: turning one number between half and twice its value leaves the FFBM between {means[least]:.0%} "
            f"({least[0]} x {least[1]:.2g}) and {means[most]:.0%} ({most[0]} x {most[1]:.2g}); turning all at once, "
            f"between {min(drawn):.0%} and {max(drawn):.0%} in {len(drawn)} draws."
        )
    return said


def _experience(conditions: Sequence[Condition]) -> str:
    """Say whether an experienced player is easier to read, which the paper finds by far."""
    scores = {condition.name: condition.scores["ffbm"].accuracy for condition in conditions}
    ours = 100 * (scores["experienced"] - scores["new"])
    printed = ACCURACIES["experienced"]["ffbm"] - ACCURACIES["new"]["ffbm"]
    return (
        f"The FFBM is right {ours:+.1f} points more often about the experienced player than about new ones; published: "
        f"{printed:+.0f}. These are different people, so there is no paired test."
    )


def _why(
    by_kind: Mapping[str, Sequence[Played]], grids: tuple[Grid, Grid], conditions: Sequence[Condition]
) -> list[str]:
    """Say where the FFBM fails most, and what players do there."""
    (did, told), said = (dict(grid.rows) for grid in grids), []
    there, in_all = (sum(each.in_town[at] for done in by_kind.values() for each in done) for at in (0, 1))
    said.append(
        f"{there / (in_all or 1):.0%} of the updates in phases of level are in the town's area. There the town rule "
        "makes level and explore equally likely again at every update, so the belief has no memory."
    )
    for condition in conditions:
        by_goal = condition.scores["ffbm"].by_goal
        worst = min(by_goal, key=by_goal.__getitem__)
        place = f"{condition.name}, {worst}"
        parts = zip(grids[0].headings, did[place], told[place], strict=False)
        updates = ", ".join(f"{name} {share:.0%} ({bits:+.1f} bits)" for name, share, bits in parts)
        said.append(
            f"{condition.name}: the FFBM is right least often in phases of {worst} ({by_goal[worst]:.0%}). "
            f"There the updates are: {updates}; on average they tell {told[place][-1]:+.2f} bits for {worst}."
        )
    return said
