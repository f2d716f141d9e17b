"""Monroe and Kitchen: goals and next actions of public problems, recognised with a lifted plan grammar.

Start with ``run_plan_grammars``. Each problem is read action by action, first with equally likely methods, then with
chances learned on the other half of the problems. Where initial states contain facts that only one goal needs (a tree
on the road), everything is repeated with those facts hidden.
"""

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from telos.core.errors import TelosError, name_hint
from telos.files import parse_json, read_text
from telos.parallel import parallel_map
from telos.recognition.grammar.hddl import (
    HddlDomain,
    HddlLiteral,
    HddlProblem,
    HddlStep,
    read_hddl_domain,
    read_hddl_problem,
)
from telos.recognition.grammar.lifted import (
    FollowCounts,
    LiftedGoal,
    LiftedLimits,
    LiftedReader,
    learn_follow,
    lifted_next_actions,
)
from telos.recognition.grammar.lifted_state import LiftedTables, build_lifted_tables
from telos.studies.results import Progress, StudyResult, Table, no_progress

# In these methods of Monroe's HDDL file nothing ties a place (`?objloc`, `?vehloc`) to where the thing is, so a van may
# be sent anywhere to fetch anything. These preconditions do, after what the actions below need; no plan in the data
# breaks them.
_MONROE = """
m-get-to-as-cargo: (atloc ?obj ?objloc) (fit-in ?obj ?veh)
m-get-to-with-ambulance: (atloc ?obj ?objloc) (fit-in ?obj ?veh)
m-get-in-ambulatory-person: (atloc ?obj ?objloc) (atloc ?veh ?objloc)
m-get-in-load-in: (atloc ?obj ?objloc) (atloc ?veh ?objloc) (can-lift ?person ?obj)
m-get-out-unload: (atloc ?veh ?vehloc) (can-lift ?person ?obj)
m-emt-treat: (atloc ?person ?personloc)
"""
_MANY = LiftedLimits(beam=500, refinements=15_000)  # five dishes by turns have many stories
_CALL = re.compile(r"\(([^()]*)\)")


@dataclass(frozen=True, slots=True)
class ProblemSet:
    """What is particular to one set of problems: the tasks whose steps are the goals, and preconditions added."""

    name: str
    above_goals: tuple[str, ...]
    added: str = ""
    several: bool = False  # several goals at once
    limits: LiftedLimits | None = None  # of the search, if others than usual


PROBLEM_SETS = {
    kind.name: kind
    for kind in (
        ProblemSet("monroe", ("tlt",), _MONROE),
        ProblemSet(
            "kitchen",
            ("makestarter", "makemain", "makedessert"),
            several=True,
            limits=_MANY,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class GrammarCase:
    """One problem: what was seen, all of it, and the goals that it was for."""

    name: str
    problem: HddlProblem
    actions: tuple[HddlStep, ...]
    goals: tuple[HddlStep, ...]


@dataclass(frozen=True, slots=True)
class Problems:
    """All problems of a folder, and what in their initial states tells them apart."""

    kind: ProblemSet
    domain: HddlDomain
    tables: LiftedTables
    goals: tuple[str, ...]
    cases: tuple[GrammarCase, ...]
    special_predicates: frozenset[str]  # that not every initial state has
    special_objects: frozenset[str]


SHARES = tuple(range(10, 101, 10))  # per cent of the plan that was seen
SURE = 0.5  # a goal that is pursued more probably than not counts as returned

Chances = Mapping[tuple[str, str], float]
Rank = tuple[int, int]  # how many were foretold as likelier, and how many as just as likely, itself among them
FAR = (1_000, 1)  # what was not foretold at all


class Lessons(NamedTuple):
    """What was learned from other problems: chances of methods, and how often players go on with what they began."""

    chances: Chances
    follow: float


class ReadTask(NamedTuple):
    """One problem to be read, small enough to be sent to another process."""

    folder: str
    kind: str
    case: int
    hidden: bool
    lessons: Lessons | None


@dataclass(frozen=True, slots=True)
class PartialAnswer:
    """What was right at one share of the plan, by names of goals and with their arguments."""

    top: bool
    top_exact: bool
    precision: float
    recall: float
    precision_exact: float
    recall_exact: float


@dataclass(frozen=True, slots=True)
class CaseReading:
    """All about one problem: answers by share of the plan, ranks of what came next, and methods taken."""

    case: str
    answers: Mapping[int, PartialAnswer]
    ranks: tuple[Rank, ...]  # of the action that came next, with its arguments
    name_ranks: tuple[Rank, ...]
    counts: Mapping[tuple[str, str], float]
    choices: FollowCounts
    lost: float
    unexplained: int


Measures = Mapping[str, Callable[[PartialAnswer], float]]
_SINGLE: Measures = {
    "goal": lambda answer: answer.top,
    "goal with arguments": lambda answer: answer.top_exact,
}
_SEVERAL: Measures = {
    "top-1 is one of them": lambda answer: answer.top,
    "precision": lambda answer: answer.precision,
    "recall": lambda answer: answer.recall,
    "with arguments: top-1 is one of them": lambda answer: answer.top_exact,
    "with arguments: precision": lambda answer: answer.precision_exact,
    "with arguments: recall": lambda answer: answer.recall_exact,
}


@dataclass(frozen=True, slots=True)
class ReadingCondition:
    """All problems read in one way: with chances of methods that are even or learned, with facts shown or hidden."""

    chances: str
    hidden: bool
    reads: tuple[CaseReading, ...]

    @property
    def name(self) -> str:
        """What it is called in tables."""
        return f"{self.chances} chances{', goal-specific facts hidden' if self.hidden else ''}"

    def by_share(self, of: Callable[[PartialAnswer], float]) -> list[float]:
        """Return the mean over problems at each share of the plan."""
        return [fmean(of(read.answers[share]) for read in self.reads) for share in SHARES]

    def next_actions(self) -> dict[str, float]:
        """Return how often the next action was the first, or among the first three, of those foretold."""
        exact = [rank for read in self.reads for rank in read.ranks]
        names = [rank for read in self.reads for rank in read.name_ranks]
        return {
            "top-1": _within(exact, 1),
            "top-3": _within(exact, 3),
            "name top-1": _within(names, 1),
            "name top-3": _within(names, 3),
        }


QUICK = 8  # problems
PRIOR = 0.5  # added to the count of each method


def run_plan_grammars(
    kind: str,
    folder: str | os.PathLike[str],
    *,
    quick: bool = False,
    jobs: int = 1,
    seed: int = 1,
    progress: Progress = no_progress,
) -> StudyResult:
    """Run the study of one kind of problems (monroe, kitchen) on those in ``folder``; nothing in it is random."""
    if kind not in PROBLEM_SETS:
        raise TelosError(f"there are no hierarchical problems {kind!r}", name_hint(kind, PROBLEM_SETS))
    place = str(Path(folder))
    problems = read_problems(place, kind)
    number = min(QUICK, len(problems.cases)) if quick else len(problems.cases)
    if number < 2:
        raise TelosError(f"{place}: {number} problem", "learning on one half needs at least two")
    hides = bool(problems.special_predicates or problems.special_objects)
    conditions: list[ReadingCondition] = []
    for hidden in (False, True) if hides else (False,):
        conditions += _conditions(
            problems, [ReadTask(place, kind, case, hidden, None) for case in range(number)], jobs, progress
        )
    return _result(problems, problems.cases[:number], conditions, quick=quick, seed=seed)


def _result(
    problems: Problems, cases: Sequence[GrammarCase], conditions: Sequence[ReadingCondition], *, quick: bool, seed: int
) -> StudyResult:
    name, predicates = problems.kind.name, sorted(problems.special_predicates)
    objects, majority, bigram = len(problems.special_objects), _majority(cases), _bigram(cases)
    measures = _SEVERAL if problems.kind.several else _SINGLE
    data = {
        "study": name,
        "quick": quick,
        "seed": seed,
        "simulated": True,
        "problems": len(cases),
        "shares": list(SHARES),
        "hidden": {"predicates": predicates, "objects": objects},
        "baselines": {"majority goal": majority, "bigram of names": list(bigram)},
        "conditions": {each.name: _condition_data(each, measures) for each in conditions},
    }
    findings = [
        f"commonest goal: {majority:.1%}; names that mostly follow the last: "
        f"top-1 {bigram[0]:.1%}, top-3 {bigram[1]:.1%}"
    ]
    if predicates:
        findings.append(f"hidden: {', '.join(predicates)}, and {objects} objects that one problem has")
    heading = f"{name}: {len(cases)} public problems, by share of the plan that was seen, in per cent"
    tables = tuple(_condition_table(each, measures) for each in conditions)
    return StudyResult(name, name, heading, seed, data, tables, players="public problems", findings=tuple(findings))


def _conditions(
    problems: Problems, tasks: Sequence[ReadTask], jobs: int, progress: Progress
) -> tuple[ReadingCondition, ReadingCondition]:
    """Read all problems with equal probabilities, then each half with those learned from the other."""
    even = list(progress(parallel_map(read_case, tasks, jobs=jobs), len(tasks)))
    halves = [learned(problems, even[start::2]) for start in (0, 1)]
    lessons = [task._replace(lessons=halves[1 - task.case % 2]) for task in tasks]
    taught = list(progress(parallel_map(read_case, lessons, jobs=jobs), len(lessons)))
    hidden = tasks[0].hidden
    return ReadingCondition("even", hidden, tuple(even)), ReadingCondition("learned", hidden, tuple(taught))


def learned(problems: Problems, reads: Sequence[CaseReading]) -> Lessons:
    """Return what ``reads`` teach: the chances of methods, and how often players go on with what they began."""
    counts: Counter[tuple[str, str]] = Counter()
    for each in reads:
        counts.update(each.counts)
    chances = dict[tuple[str, str], float]()
    for task, methods in problems.domain.methods.items():
        total = sum(counts[task, method.name] + PRIOR for method in methods)
        chances |= {(task, method.name): (counts[task, method.name] + PRIOR) / total for method in methods}
    return Lessons(chances, learn_follow(each.choices for each in reads))


def _majority(cases: Sequence[GrammarCase]) -> float:
    """Return how often the goal that is commonest in the other half is right (or one of those that are)."""
    right = 0
    for place, case in enumerate(cases):
        others = Counter(goal.name for each in cases[1 - place % 2 :: 2] for goal in each.goals)
        commonest = max(sorted(others), key=lambda name: others[name])
        right += commonest in {goal.name for goal in case.goals}
    return right / len(cases)


def _bigram(cases: Sequence[GrammarCase]) -> tuple[float, float]:
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


run_monroe = partial(run_plan_grammars, "monroe")
run_kitchen = partial(run_plan_grammars, "kitchen")


# --- problems: a domain in HDDL, observed plans, their goals ----------------------------------------------------------


MAX_FILE_BYTES = 16_000_000


@lru_cache(maxsize=2)
def read_problems(folder: str, kind: str) -> Problems:
    """Read the problems in a folder with `domain.hddl`, `problems/`, `observations.jsonl` and `labels.jsonl`."""
    place = Path(folder)
    for part in ("domain.hddl", "problems", "observations.jsonl", "labels.jsonl"):
        if not (place / part).exists():
            raise TelosError(f"{os.fspath(place / part)!r} is missing", "name the folder of one hierarchical domain")
    known = PROBLEM_SETS[kind]
    domain = read_hddl_domain(_text(place / "domain.hddl"), name=str(place / "domain.hddl"))
    goals = tuple(
        dict.fromkeys(
            step.name for task in known.above_goals for way in domain.methods.get(task, ()) for step in way.steps
        )
    )
    if not goals:
        raise TelosError(f"{folder} has no task {known.above_goals[0]!r}", f"is it the folder of {kind}?")
    labels = {name: tuple(map(_step, goals)) for name, goals in _rows(place / "labels.jsonl", "goals")}
    cases = tuple(_case(place, name, seen, labels) for name, seen in _rows(place / "observations.jsonl", "obs"))
    if not cases:
        raise TelosError(f"{place / 'observations.jsonl'}: there is no problem in it", "write one a line")
    predicates = [frozenset(fact[0] for fact in case.problem.facts) for case in cases]
    objects = [frozenset(case.problem.objects) for case in cases]
    return Problems(
        known,
        domain,
        build_lifted_tables(domain, _added(known.added)),
        goals,
        cases,
        frozenset().union(*predicates) - frozenset.intersection(*predicates),
        frozenset().union(*objects) - frozenset.intersection(*objects),
    )


def _case(place: Path, name: str, seen: list[object], labels: dict[str, tuple[HddlStep, ...]]) -> GrammarCase:
    if not re.fullmatch(r"[\w-]{1,100}", name) or name not in labels:
        raise TelosError(f"{place}: problem {name!r} has no label, or no name that a file can have")
    file = place / "problems" / f"{name}.hddl"
    if not seen:
        raise TelosError(f"{place}: nothing was seen in problem {name!r}", "leave it out")
    return GrammarCase(name, read_hddl_problem(_text(file), name=str(file)), tuple(map(_step, seen)), labels[name])


def _rows(path: Path, key: str) -> Iterator[tuple[str, list[object]]]:
    """Yield the id of each line of a file, and the list under a key."""
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = parse_json(line)
        except TelosError as error:
            raise error.at(f"{path}:{number}") from None
        if not isinstance(row, dict) or "id" not in row or not isinstance(row.get(key), list):
            remedy = f'write {{"id": "p1", "{key}": ["(name argument)"]}}'
            raise TelosError(f"{path}:{number}: this is not a problem", remedy)
        yield str(row["id"]), row[key]


def _text(path: Path) -> str:
    return read_text(path, limit=MAX_FILE_BYTES)


def _step(said: object) -> HddlStep:
    found = _CALL.fullmatch(str(said).strip().lower())
    words = found[1].split() if found else []
    if not words:
        raise TelosError(f"{said!r} is no action", "write `(name argument …)`")
    return HddlStep(words[0], tuple(words[1:]))


def _added(said: str) -> dict[str, list[HddlLiteral]]:
    found: dict[str, list[HddlLiteral]] = {}
    for line in filter(None, said.splitlines()):
        method, _, needs = line.partition(": ")
        words = [each.split() for each in _CALL.findall(needs)]
        found[method] = [HddlLiteral(predicate, tuple(arguments)) for predicate, *arguments in words]
    return found


# --- reading one problem ----------------------------------------------------------------------------------------------


def read_case(task: ReadTask) -> CaseReading:
    """Read one problem."""
    problems = read_problems(task.folder, task.kind)
    case = problems.cases[task.case]
    reader = _reader(problems, case, task)
    wanted = {max(1, math.ceil(len(case.actions) * share / 100)): share for share in reversed(SHARES)}
    shares_at = {share: max(1, math.ceil(len(case.actions) * share / 100)) for share in SHARES}
    answers: dict[int, PartialAnswer] = {}
    ranks, name_ranks = list[Rank](), list[Rank]()
    for count, action in enumerate(case.actions, start=1):
        exact, by_name = lifted_next_actions(reader)
        ranks.append(_rank(exact, action))
        name_ranks.append(_rank(by_name, action.name))
        reader.observe(action)
        if count in wanted:
            answers[count] = _answer(reader, case)
    by_share = {share: answers[count] for share, count in shares_at.items()}
    counts, choices = reader.method_counts(), reader.choices
    return CaseReading(
        case.name, by_share, tuple(ranks), tuple(name_ranks), counts, choices, reader.lost, reader.unexplained
    )


def _reader(problems: Problems, case: GrammarCase, task: ReadTask) -> LiftedReader:
    return LiftedReader(
        problems.domain,
        case.problem,
        problems.goals,
        chances=task.lessons.chances if task.lessons else None,
        follow=task.lessons.follow if task.lessons else 1.0,
        tables=problems.tables,
        hidden_predicates=problems.special_predicates if task.hidden else (),
        hidden_objects=problems.special_objects if task.hidden else (),
        limits=problems.kind.limits,
    )


def _answer(reader: LiftedReader, case: GrammarCase) -> PartialAnswer:
    names, exact = reader.goal_names(), reader.goal_shares()
    true_names = {goal.name for goal in case.goals}
    true: set[LiftedGoal] = {(goal.name, goal.arguments) for goal in case.goals}
    returned = {name for name, share in names.items() if share > SURE}
    returned_exact = {goal for goal, share in exact.items() if share > SURE}
    return PartialAnswer(
        _top(names) in true_names,
        _top(exact) in true,
        _share(len(returned & true_names), len(returned)),
        _share(len(returned & true_names), len(true_names)),
        _share(len(returned_exact & true), len(returned_exact)),
        _share(len(returned_exact & true), len(true)),
    )


def _top(shares: Mapping[str, float] | Mapping[LiftedGoal, float]) -> object:
    ranked: Iterable[tuple[object, float]] = shares.items()
    return max(ranked, key=lambda pair: pair[1])[0] if shares else None


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _rank(chances: Mapping[Any, float], seen: HddlStep | str) -> Rank:
    mine = chances.get(seen, 0.0)
    if mine <= 0.0:
        return FAR
    better = sum(chance > mine * (1 + 1e-9) for chance in chances.values())
    equal = sum(abs(chance - mine) <= mine * 1e-9 for chance in chances.values())
    return better, equal


# --- measures and tables ----------------------------------------------------------------------------------------------


def _condition_data(condition: ReadingCondition, measures: Measures) -> dict[str, Any]:
    shown = {name: [round(value, 4) for value in condition.by_share(measure)] for name, measure in measures.items()}
    return {
        **shown,
        "next action": {name: round(value, 4) for name, value in condition.next_actions().items()},
        "probability dropped": round(fmean(read.lost for read in condition.reads), 6),
        "actions unexplained": sum(read.unexplained for read in condition.reads),
    }


def _condition_table(condition: ReadingCondition, measures: Measures) -> Table:
    rows = tuple(
        (name, *(f"{100 * value:.0f}" for value in condition.by_share(measure))) for name, measure in measures.items()
    )
    notes = ["next action: " + ", ".join(f"{name} {value:.1%}" for name, value in condition.next_actions().items())]
    if condition.chances == "learned":
        notes.append("learned on one half, tested on the other")
    unexplained = sum(read.unexplained for read in condition.reads)
    if unexplained:
        notes.append(f"actions that no plan explained: {unexplained}")
    lost = fmean(read.lost for read in condition.reads)
    if lost >= 0.0005:
        notes.append(f"probability that the beam dropped: {lost:.1%}")
    return Table((condition.name, *map(str, SHARES)), rows, "; ".join(notes))


def _within(ranks: list[Rank], most: int) -> float:
    """Return how often the first ``most`` have it; of those that are equally likely, any may come first."""
    return fmean(min(1.0, max(0, most - better) / equal) for better, equal in ranks) if ranks else 0.0
