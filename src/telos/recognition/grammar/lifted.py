"""LiftedReader: plan recognition with a lifted grammar, whose tasks have parameters bound by observation.

A hypothesis is the tasks that are left and the bindings of their variables. An action is explained by refining a task
that may come first until it begins with that action. Equal hypotheses are merged; of the rest the likeliest are kept,
and the lost probability is reported.
"""

import heapq
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from telos.core.errors import TelosError
from telos.recognition.grammar.hddl import HddlDomain, HddlProblem, HddlStep
from telos.recognition.grammar.lifted_state import (
    Bindings,
    LiftedHypothesis,
    LiftedTables,
    ObservedWorld,
    PendingLiteral,
    TaskNode,
    VariableBinder,
    build_lifted_tables,
    canonical_key,
    enabled_by,
    ground_literal,
    methods_of,
    remove_node,
    replace_node,
    value_of,
)

# --- reader -----------------------------------------------------------------------------------------------------------

LiftedGoal: TypeAlias = tuple[str, tuple[str | None, ...]]

# By the number of tasks that the last action enabled and the number of other tasks: how often an enabled one came next,
# and how often there was this choice.
FollowCounts: TypeAlias = dict[tuple[int, int], list[float]]

MAX_FOLLOW = 64.0
UNEXPLAINED_CHANCE = 1e-6  # the chance of an action that no hypothesis explains; it changes nothing


_Queued: TypeAlias = tuple[float, int, LiftedHypothesis, frozenset[int] | None]


@dataclass(frozen=True, slots=True)
class LiftedLimits:
    """Limits of the search: hypotheses kept, refinements tried per action, and the smallest weight."""

    beam: int = 200
    refinements: int = 4_000
    least: float = 1e-3  # of the likeliest explanation found: less likely ones are dropped


class LiftedReader:
    """Keeps hypotheses about one actor. ``chances`` are those of methods, by task and name; by default equal.

    ``goals`` names the tasks that count as goals, on any level. If several tasks may come next, one that the last
    action enabled is ``follow`` times as likely as another.
    """

    def __init__(
        self,
        domain: HddlDomain,
        problem: HddlProblem,
        goals: Iterable[str],
        *,
        chances: Mapping[tuple[str, str], float] | None = None,
        follow: float = 1.0,
        tables: LiftedTables | None = None,
        hidden_predicates: Iterable[str] = (),
        hidden_objects: Iterable[str] = (),
        limits: LiftedLimits | None = None,
    ) -> None:
        self.domain, self.tables = domain, tables or build_lifted_tables(domain)
        self.limits, self.goals = limits or LiftedLimits(), frozenset(goals)
        self.scene = ObservedWorld(domain, problem, hidden_predicates=hidden_predicates, hidden_objects=hidden_objects)
        self.binder = VariableBinder(self.scene, self.tables)
        self._chances, self._follow = chances or {}, follow
        self.choices: FollowCounts = {}
        self._numbers = 0
        nodes = tuple(self._node(step) for step in problem.tasks)
        self.hypotheses = [LiftedHypothesis(1.0, nodes, {}, (), self._goals_among(nodes), frozenset(), None, None)]
        self.lost, self.log_likelihood, self.unexplained = 0.0, 0.0, 0

    def chance(self, task: str, method: str) -> float:
        """Return the chance of a method."""
        return self._chances.get((task, method), 1.0 / len(self.domain.methods[task]))

    def observe(self, action: HddlStep) -> bool:
        """Update with an action; False if no hypothesis explains it, and only the world changed."""
        operator = self.domain.operators.get(action.name)
        if operator is None or len(operator.parameters) != len(action.arguments):
            raise TelosError(f"({action.name} {' '.join(action.arguments)}) is not an action of the domain")
        found: dict[object, LiftedHypothesis] = {}
        for after in self._explained(action):
            key = canonical_key(after)
            known = found.get(key)
            if known is None:
                found[key] = after
            else:
                likelier = after if after.weight > known.weight else known
                found[key] = likelier._replace(weight=known.weight + after.weight)
        self.scene.apply(operator, action.arguments)
        if not found:
            self.unexplained += 1
            self.log_likelihood += math.log(UNEXPLAINED_CHANCE)
            return False
        self._keep(list(found.values()))
        return True

    def _keep(self, found: list[LiftedHypothesis]) -> None:
        found.sort(key=lambda hypothesis: -hypothesis.weight)
        kept = found[: self.limits.beam]
        total = math.fsum(hypothesis.weight for hypothesis in found)
        rest = math.fsum(hypothesis.weight for hypothesis in kept)
        self.lost = 1.0 - (1.0 - self.lost) * rest / total
        self.log_likelihood += math.log(rest)
        self.hypotheses = [hypothesis._replace(weight=hypothesis.weight / rest) for hypothesis in kept]
        for hypothesis in self.hypotheses:
            if hypothesis.choice is not None:
                fresh, others, followed = hypothesis.choice
                counted = self.choices.setdefault((fresh, others), [0.0, 0.0])
                counted[0] += hypothesis.weight * followed
                counted[1] += hypothesis.weight

    def _explained(self, action: HddlStep) -> Iterator[LiftedHypothesis]:
        """Yield the hypotheses in which ``action`` comes next; the likeliest are refined first."""
        queue: list[_Queued] = [
            (-hypothesis.weight, -place, hypothesis, None) for place, hypothesis in enumerate(self.hypotheses)
        ]
        heapq.heapify(queue)
        best, count = 0.0, 0
        for _ in range(self.limits.refinements):
            if not queue or -queue[0][0] < best * self.limits.least:
                return
            _, _, hypothesis, among = heapq.heappop(queue)
            for at, node in self.ready(hypothesis, among):
                if node.name in self.domain.operators:
                    for after in self._matched(at, node, action) if node.name == action.name else ():
                        best = max(best, after.weight)
                        yield after
                elif action.name in self.tables.first[node.name] or node.name in self.tables.may_be_nothing:
                    for after, parts in self.refined(at, node, action.name):
                        count += 1  # breaks ties by age
                        heapq.heappush(queue, (-after.weight, count, after, parts))

    def ready(
        self, hypothesis: LiftedHypothesis, among: frozenset[int] | None
    ) -> Iterator[tuple[LiftedHypothesis, TaskNode]]:
        """Yield the nodes that may come next, each with its hypothesis."""
        nodes = [node for node in hypothesis.nodes if not node.before and (among is None or node.number in among)]
        fresh = sum(node.number in hypothesis.fresh for node in nodes) if among is None else 0
        total = fresh * self._follow + len(nodes) - fresh
        for node in nodes:
            follows = among is None and node.number in hypothesis.fresh
            weight = hypothesis.weight * (self._follow if follows else 1.0) / total
            choice = (fresh, len(nodes) - fresh, follows) if among is None else hypothesis.choice
            yield hypothesis._replace(weight=weight, choice=choice), node

    def _matched(self, hypothesis: LiftedHypothesis, node: TaskNode, action: HddlStep) -> Iterator[LiftedHypothesis]:
        share = self.binder.share(hypothesis.bound, node)
        bound = self.binder.unify(hypothesis.bound, node.arguments, action.arguments)
        waiting = None if bound is None else self._still_waiting(hypothesis.waiting, bound)
        if bound is None or waiting is None:
            return
        yield hypothesis._replace(
            weight=hypothesis.weight * share,
            nodes=remove_node(hypothesis.nodes, node.number),
            bound=bound,
            waiting=waiting,
            fresh=enabled_by(hypothesis.nodes, node.number),
        )

    def _still_waiting(self, waiting: tuple[PendingLiteral, ...], bound: Bindings) -> tuple[PendingLiteral, ...] | None:
        """Return the literals that are still unbound; None if one is false."""
        left = []
        for each in waiting:
            literal = ground_literal(each, bound)
            if literal is None:
                left.append(each)
            elif not self.scene.holds(literal):
                return None
        return tuple(left)

    def refined(
        self, hypothesis: LiftedHypothesis, node: TaskNode, action: str | None = None
    ) -> Iterator[tuple[LiftedHypothesis, frozenset[int] | None]]:
        """Yield a hypothesis with a task replaced by the steps of each method that may begin with ``action``."""
        for method in self.domain.methods[node.name]:
            key = node.name, method.name
            empties = all(step.name in self.tables.may_be_nothing for step in method.steps)
            if action is not None and action not in self.tables.first_by[key] and not empties:
                continue
            for bound, added, share, names in self.binder.enter(hypothesis.bound, node, method):
                waiting = self._still_waiting((*hypothesis.waiting, *added), bound)
                if waiting is None:
                    continue
                parts = self._parts(node, method.steps, method.before, names)
                nodes = (
                    replace_node(hypothesis.nodes, node.number, parts)
                    if parts
                    else remove_node(hypothesis.nodes, node.number)
                )
                after = hypothesis._replace(
                    weight=hypothesis.weight * self.chance(*key) * share,
                    nodes=nodes,
                    bound=bound,
                    waiting=waiting,
                    goals=(*hypothesis.goals, *self._goals_among(parts)),
                    fresh=hypothesis.fresh if parts else hypothesis.fresh | enabled_by(hypothesis.nodes, node.number),
                    methods=(key, hypothesis.methods),
                )
                yield after, frozenset(part.number for part in parts) if parts else None

    def _parts(
        self,
        node: TaskNode,
        steps: tuple[HddlStep, ...],
        before: tuple[frozenset[int], ...],
        names: Mapping[str, int],
    ) -> list[TaskNode]:
        first = self._numbers + 1
        self._numbers += len(steps)
        return [
            TaskNode(
                first + place,
                step.name,
                tuple(names.get(name, name) for name in step.arguments),
                frozenset(first + each for each in before[place]),
            )
            for place, step in enumerate(steps)
        ]

    def _node(self, step: HddlStep) -> TaskNode:
        self._numbers += 1
        return TaskNode(self._numbers, step.name, step.arguments, frozenset())

    def _goals_among(self, nodes: Iterable[TaskNode]) -> tuple[tuple[str, tuple[int | str, ...]], ...]:
        return tuple((node.name, node.arguments) for node in nodes if node.name in self.goals)

    def goal_shares(self) -> dict[LiftedGoal, float]:
        """Return the chance that each goal is pursued; unknown arguments are None.

        Several may be pursued at once, so this need not sum to 1.
        """
        shares: dict[LiftedGoal, float] = {}
        for hypothesis in self.hypotheses:
            for goal in dict.fromkeys(self._known(hypothesis, *each) for each in hypothesis.goals):
                shares[goal] = shares.get(goal, 0.0) + hypothesis.weight
        return shares

    def goal_names(self) -> dict[str, float]:
        """Return the chance that a goal of each name is pursued."""
        shares: dict[str, float] = {}
        for hypothesis in self.hypotheses:
            for name in sorted({name for name, _ in hypothesis.goals}):
                shares[name] = shares.get(name, 0.0) + hypothesis.weight
        return shares

    @staticmethod
    def _known(hypothesis: LiftedHypothesis, name: str, arguments: tuple[int | str, ...]) -> LiftedGoal:
        values = (value_of(hypothesis.bound, term) for term in arguments)
        return name, tuple(value if isinstance(value, str) else None for value in values)

    def method_counts(self) -> dict[tuple[str, str], float]:
        """Return the expected count of each method, over complete hypotheses if there are any, else over all."""
        nothing = self.tables.may_be_nothing
        over = [hypothesis for hypothesis in self.hypotheses if all(node.name in nothing for node in hypothesis.nodes)]
        counts: dict[tuple[str, str], float] = {}
        total = math.fsum(hypothesis.weight for hypothesis in over or self.hypotheses)
        for hypothesis in over or self.hypotheses:
            for key in methods_of(hypothesis):
                counts[key] = counts.get(key, 0.0) + hypothesis.weight / total
        return counts


def learn_follow(all_choices: Iterable[FollowCounts]) -> float:
    """Return the ``follow`` that makes the counted choices likeliest."""
    counted = [each for choices in all_choices for each in choices.items() if each[0][0] and each[0][1]]

    def surplus(follow: float) -> float:
        return sum(
            chosen - total * follow * fresh / (follow * fresh + others) for (fresh, others), (chosen, total) in counted
        )

    low, high = MAX_FOLLOW**-1.0, MAX_FOLLOW
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if surplus(middle) > 0 else (low, middle)
    return math.sqrt(low * high) if counted else 1.0


# --- next actions -----------------------------------------------------------------------------------------------------

MAX_HYPOTHESES = 12  # at most: the likeliest represent all
COVERED_SHARE = 0.98  # of the probability
MAX_REFINEMENTS = 150  # per hypothesis
MIN_RELATIVE_WEIGHT = 3e-3  # of a hypothesis's weight: less likely actions are left out
MAX_INSTANCES = 400  # of one action; if there are more, only its name is predicted


def lifted_next_actions(reader: LiftedReader) -> tuple[dict[HddlStep, float], dict[str, float]]:
    """Return the chance of each next action: with its arguments, and by name alone.

    The rest to 1 is the end of the plan, and what is too unlikely to be searched.
    """
    exact: dict[HddlStep, float] = {}
    by_name: dict[str, float] = {}
    told = _likeliest(reader.hypotheses)
    total = math.fsum(hypothesis.weight for hypothesis in told)
    for hypothesis in told:
        for at, node in _first_actions(reader, hypothesis):
            weight = at.weight / total
            by_name[node.name] = by_name.get(node.name, 0.0) + weight
            pattern, types = reader.binder.pattern(at.bound, node)
            found = reader.scene.instances(reader.domain.operators[node.name], types, pattern)
            for arguments in found if len(found) <= MAX_INSTANCES else ():
                step = HddlStep(node.name, arguments)
                exact[step] = exact.get(step, 0.0) + weight / len(found)
    return exact, by_name


def _likeliest(hypotheses: list[LiftedHypothesis]) -> list[LiftedHypothesis]:
    """Return the likeliest hypotheses that cover most of the probability."""
    told, total = list[LiftedHypothesis](), 0.0
    for hypothesis in hypotheses[:MAX_HYPOTHESES]:
        told.append(hypothesis)
        total += hypothesis.weight
        if total >= COVERED_SHARE:
            break
    return told


def _first_actions(reader: LiftedReader, hypothesis: LiftedHypothesis) -> list[tuple[LiftedHypothesis, TaskNode]]:
    """Return the actions that may come next in a hypothesis, each with the hypothesis refined so far."""
    queue: list[tuple[float, int, LiftedHypothesis, frozenset[int] | None]] = [
        (-hypothesis.weight, 0, hypothesis, None)
    ]
    found: list[tuple[LiftedHypothesis, TaskNode]] = []
    count = 0
    for _ in range(MAX_REFINEMENTS):
        if not queue:
            break
        _, _, at, among = heapq.heappop(queue)
        for story_at, node in reader.ready(at, among):
            if story_at.weight < hypothesis.weight * MIN_RELATIVE_WEIGHT:
                continue
            if node.name in reader.domain.operators:
                found.append((story_at, node))
                continue
            for after, parts in reader.refined(story_at, node):
                count += 1
                heapq.heappush(queue, (-after.weight, count, after, parts))
    return found
