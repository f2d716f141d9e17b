"""``telos study monroe`` and ``telos study kitchen``: goals and next actions read with a lifted plan grammar.

Each problem is read action by action. Methods are first as likely as one another; then their chances are learned on
one half of the problems and tested on the other, both ways round. Where initial states name facts that only one goal
needs (a tree on the road), everything is done again with those hidden.
"""

import os
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

from telos.core.errors import TelosError, name_hint
from telos.recognition.grammar.lifted import learned_follow
from telos.studies.hierarchical_data import KINDS, Case, Problems, read_problems
from telos.studies.hierarchical_reading import Lessons, Read, Task, read_case
from telos.studies.hierarchical_report import Condition, HierarchicalStudy
from telos.studies.humans.results import Watched, unwatched
from telos.studies.scoring_pool import shared_out

QUICK = 8  # problems
PRIOR = 0.5  # added to the count of each method


def run_hierarchical(
    kind: str,
    folder: str | os.PathLike[str],
    *,
    quick: bool = False,
    jobs: int = 1,
    seed: int = 1,
    watched: Watched = unwatched,
) -> HierarchicalStudy:
    """Run the study of one kind of problems (monroe, kitchen) on those in ``folder``; nothing in it is random."""
    if kind not in KINDS:
        raise TelosError(f"there are no hierarchical problems {kind!r}", name_hint(kind, KINDS))
    place = str(Path(folder))
    problems = read_problems(place, kind)
    number = min(QUICK, len(problems.cases)) if quick else len(problems.cases)
    if number < 2:
        raise TelosError(f"{place}: {number} problem", "learning on one half needs at least two")
    hides = bool(problems.special_predicates or problems.special_objects)
    conditions: list[Condition] = []
    for hidden in (False, True) if hides else (False,):
        conditions += _conditions(
            problems, [Task(place, kind, case, hidden, None) for case in range(number)], jobs, watched
        )
    cases = problems.cases[:number]
    return HierarchicalStudy(
        kind=kind,
        quick=quick,
        seed=seed,
        several=problems.kind.several,
        conditions=tuple(conditions),
        special=(tuple(sorted(problems.special_predicates)), len(problems.special_objects)),
        majority=_majority(cases),
        bigram=_bigram(cases),
    )


def _conditions(problems: Problems, tasks: Sequence[Task], jobs: int, watched: Watched) -> tuple[Condition, Condition]:
    """Read all problems with even chances, and then each half with what the other one has taught."""
    even = list(watched(shared_out(read_case, tasks, jobs=jobs), len(tasks)))
    halves = [learned(problems, even[start::2]) for start in (0, 1)]
    lessons = [task._replace(lessons=halves[1 - task.case % 2]) for task in tasks]
    taught = list(watched(shared_out(read_case, lessons, jobs=jobs), len(lessons)))
    hidden = tasks[0].hidden
    return Condition("even", hidden, tuple(even)), Condition("learned", hidden, tuple(taught))


def learned(problems: Problems, reads: Sequence[Read]) -> Lessons:
    """Return what ``reads`` teach: the chances of methods, and how often players go on with what they began."""
    counts: Counter[tuple[str, str]] = Counter()
    for each in reads:
        counts.update(each.counts)
    chances = dict[tuple[str, str], float]()
    for task, methods in problems.domain.methods.items():
        total = sum(counts[task, method.name] + PRIOR for method in methods)
        chances |= {(task, method.name): (counts[task, method.name] + PRIOR) / total for method in methods}
    return Lessons(chances, learned_follow(each.choices for each in reads))


def _majority(cases: Sequence[Case]) -> float:
    """Return how often the goal that is commonest in the other half is right (or one of those that are)."""
    right = 0
    for place, case in enumerate(cases):
        others = Counter(goal.name for each in cases[1 - place % 2 :: 2] for goal in each.goals)
        commonest = max(sorted(others), key=lambda name: others[name])
        right += commonest in {goal.name for goal in case.goals}
    return right / len(cases)


def _bigram(cases: Sequence[Case]) -> tuple[float, float]:
    """Return how often the names that most often follow the last one in the other half are right: the first, three."""
    first = three = total = 0
    for place, case in enumerate(cases):
        following: dict[str, Counter[str]] = {}
        for each in cases[1 - place % 2 :: 2]:
            for before, after in pairwise(["", *(action.name for action in each.actions)]):
                following.setdefault(before, Counter())[after] += 1
        for before, after in pairwise(["", *(action.name for action in case.actions)]):
            counts = following.get(before, Counter())
            ranked = sorted(counts, key=lambda name: (-counts[name], name))
            first += after in ranked[:1]
            three += after in ranked[:3]
            total += 1
    return first / total, three / total


STUDIES = {kind: partial(run_hierarchical, kind) for kind in KINDS}
"""By name: ``run(folder, quick=, jobs=, seed=, watched=)``."""
