"""One problem of hierarchical goal recognition, read action by action, and what was right on the way."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from telos.recognition.grammar.hddl import Step
from telos.recognition.grammar.lifted import Choices, Goal, LiftedReader
from telos.recognition.grammar.lifted_next import next_actions
from telos.studies.hierarchical_data import Case, Problems, read_problems

SHARES = tuple(range(10, 101, 10))  # per cent of the plan that was seen
SURE = 0.5  # a goal that is pursued more probably than not counts as returned

Chances = Mapping[tuple[str, str], float]
Rank = tuple[int, int]  # how many were foretold as likelier, and how many as just as likely, itself among them
FAR = (1_000, 1)  # what was not foretold at all


class Lessons(NamedTuple):
    """What was learned from other problems: chances of methods, and how often players go on with what they began."""

    chances: Chances
    follow: float


class Task(NamedTuple):
    """One problem to be read, small enough to be sent to another process."""

    folder: str
    kind: str
    case: int
    hidden: bool
    lessons: Lessons | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What was right at one share of the plan, by names of goals and with their arguments."""

    top: bool
    top_exact: bool
    precision: float
    recall: float
    precision_exact: float
    recall_exact: float


@dataclass(frozen=True, slots=True)
class Read:
    """All about one problem: answers by share of the plan, ranks of what came next, and methods taken."""

    case: str
    answers: Mapping[int, Answer]
    ranks: tuple[Rank, ...]  # of the action that came next, with its arguments
    name_ranks: tuple[Rank, ...]
    counts: Mapping[tuple[str, str], float]
    choices: Choices
    lost: float
    unexplained: int


def read_case(task: Task) -> Read:
    """Read one problem."""
    problems = read_problems(task.folder, task.kind)
    case = problems.cases[task.case]
    reader = _reader(problems, case, task)
    wanted = {max(1, math.ceil(len(case.actions) * share / 100)): share for share in reversed(SHARES)}
    shares_at = {share: max(1, math.ceil(len(case.actions) * share / 100)) for share in SHARES}
    answers: dict[int, Answer] = {}
    ranks, name_ranks = list[Rank](), list[Rank]()
    for count, action in enumerate(case.actions, start=1):
        exact, by_name = next_actions(reader)
        ranks.append(_rank(exact, action))
        name_ranks.append(_rank(by_name, action.name))
        reader.observe(action)
        if count in wanted:
            answers[count] = _answer(reader, case)
    by_share = {share: answers[count] for share, count in shares_at.items()}
    counts, choices = reader.method_counts(), reader.choices
    return Read(case.name, by_share, tuple(ranks), tuple(name_ranks), counts, choices, reader.lost, reader.unexplained)


def _reader(problems: Problems, case: Case, task: Task) -> LiftedReader:
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


def _answer(reader: LiftedReader, case: Case) -> Answer:
    names, exact = reader.goal_names(), reader.goal_shares()
    true_names = {goal.name for goal in case.goals}
    true: set[Goal] = {(goal.name, goal.arguments) for goal in case.goals}
    returned = {name for name, share in names.items() if share > SURE}
    returned_exact = {goal for goal, share in exact.items() if share > SURE}
    return Answer(
        _top(names) in true_names,
        _top(exact) in true,
        _share(len(returned & true_names), len(returned)),
        _share(len(returned & true_names), len(true_names)),
        _share(len(returned_exact & true), len(returned_exact)),
        _share(len(returned_exact & true), len(true)),
    )


def _top(shares: Mapping[str, float] | Mapping[Goal, float]) -> object:
    ranked: Iterable[tuple[object, float]] = shares.items()
    return max(ranked, key=lambda pair: pair[1])[0] if shares else None


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _rank(chances: Mapping[Any, float], seen: Step | str) -> Rank:
    mine = chances.get(seen, 0.0)
    if mine <= 0.0:
        return FAR
    better = sum(chance > mine * (1 + 1e-9) for chance in chances.values())
    equal = sum(abs(chance - mine) <= mine * 1e-9 for chance in chances.values())
    return better, equal
