"""Lifted parsing with parameters."""

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

# By how many tasks the last action had made way for, and how many others there were: how often one of the first came
# next, and how often it was so.
FollowCounts: TypeAlias = dict[tuple[int, int], list[float]]

MAX_FOLLOW = 64.0
UNEXPLAINED_CHANCE = 1e-6  # the chance of an action that no story explains; it then changes nothing


_Queued: TypeAlias = tuple[float, int, LiftedHypothesis, frozenset[int] | None]


@dataclass(frozen=True, slots=True)
class LiftedLimits:
    """How far the search goes: stories kept, refinements tried for an action, and what is too unlikely."""

    beam: int = 200
    refinements: int = 4_000
    least: float = 1e-3  # of the likeliest explanation found: what is less likely is given up


class LiftedReader:
    """Keeps stories about one actor. ``chances`` are those of methods, by task and name; even if not given.

    ``goals`` names the tasks that count as goals, wherever they come up. Where several tasks may come next, one that
    the last action has made way for is ``follow`` times as likely as another.
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
        self.stories = [LiftedHypothesis(1.0, nodes, {}, (), self._goals_among(nodes), frozenset(), None, None)]
        self.lost, self.log_likelihood, self.unexplained = 0.0, 0.0, 0

    def chance(self, task: str, method: str) -> float:
        """Return how often a method is taken."""
        return self._chances.get((task, method), 1.0 / len(self.domain.methods[task]))

    def observe(self, action: HddlStep) -> bool:
        """Take in an action; False if no story explains it, and so only the world has changed."""
        operator = self.domain.operators.get(action.name)
        if operator is None or len(operator.parameters) != len(action.arguments):
            raise TelosError(f"({action.name} {' '.join(action.arguments)}) is no action of the domain")
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
        found.sort(key=lambda story: -story.weight)
        kept = found[: self.limits.beam]
        total = math.fsum(story.weight for story in found)
        rest = math.fsum(story.weight for story in kept)
        self.lost = 1.0 - (1.0 - self.lost) * rest / total
        self.log_likelihood += math.log(rest)
        self.stories = [story._replace(weight=story.weight / rest) for story in kept]
        for story in self.stories:
            if story.choice is not None:
                fresh, others, followed = story.choice
                counted = self.choices.setdefault((fresh, others), [0.0, 0.0])
                counted[0] += story.weight * followed
                counted[1] += story.weight

    def _explained(self, action: HddlStep) -> Iterator[LiftedHypothesis]:
        """Yield the stories in which ``action`` comes next: the likeliest are refined first, and soon found enough."""
        queue: list[_Queued] = [(-story.weight, -place, story, None) for place, story in enumerate(self.stories)]
        heapq.heapify(queue)
        best, count = 0.0, 0
        for _ in range(self.limits.refinements):
            if not queue or -queue[0][0] < best * self.limits.least:
                return
            _, _, story, among = heapq.heappop(queue)
            for at, node in self.ready(story, among):
                if node.name in self.domain.operators:
                    for after in self._matched(at, node, action) if node.name == action.name else ():
                        best = max(best, after.weight)
                        yield after
                elif action.name in self.tables.first[node.name] or node.name in self.tables.may_be_nothing:
                    for after, parts in self.refined(at, node, action.name):
                        count += 1  # breaks ties by age
                        heapq.heappush(queue, (-after.weight, count, after, parts))

    def ready(
        self, story: LiftedHypothesis, among: frozenset[int] | None
    ) -> Iterator[tuple[LiftedHypothesis, TaskNode]]:
        """Yield the nodes that may come next, each with the story in which it does."""
        nodes = [node for node in story.nodes if not node.before and (among is None or node.number in among)]
        fresh = sum(node.number in story.fresh for node in nodes) if among is None else 0
        total = fresh * self._follow + len(nodes) - fresh
        for node in nodes:
            follows = among is None and node.number in story.fresh
            weight = story.weight * (self._follow if follows else 1.0) / total
            choice = (fresh, len(nodes) - fresh, follows) if among is None else story.choice
            yield story._replace(weight=weight, choice=choice), node

    def _matched(self, story: LiftedHypothesis, node: TaskNode, action: HddlStep) -> Iterator[LiftedHypothesis]:
        share = self.binder.share(story.bound, node)
        bound = self.binder.united(story.bound, node.arguments, action.arguments)
        waiting = None if bound is None else self._still_waiting(story.waiting, bound)
        if bound is None or waiting is None:
            return
        yield story._replace(
            weight=story.weight * share,
            nodes=remove_node(story.nodes, node.number),
            bound=bound,
            waiting=waiting,
            fresh=enabled_by(story.nodes, node.number),
        )

    def _still_waiting(self, waiting: tuple[PendingLiteral, ...], bound: Bindings) -> tuple[PendingLiteral, ...] | None:
        """Return what cannot be judged yet; None if something turns out not to hold."""
        left = []
        for each in waiting:
            literal = ground_literal(each, bound)
            if literal is None:
                left.append(each)
            elif not self.scene.holds(literal):
                return None
        return tuple(left)

    def refined(
        self, story: LiftedHypothesis, node: TaskNode, action: str | None = None
    ) -> Iterator[tuple[LiftedHypothesis, frozenset[int] | None]]:
        """Yield a story with a task replaced by the steps of each method that may begin with an action (any)."""
        for method in self.domain.methods[node.name]:
            key = node.name, method.name
            empties = all(step.name in self.tables.may_be_nothing for step in method.steps)
            if action is not None and action not in self.tables.first_by[key] and not empties:
                continue
            for bound, added, share, names in self.binder.entered(story.bound, node, method):
                waiting = self._still_waiting((*story.waiting, *added), bound)
                if waiting is None:
                    continue
                parts = self._parts(node, method.steps, method.before, names)
                nodes = (
                    replace_node(story.nodes, node.number, parts) if parts else remove_node(story.nodes, node.number)
                )
                after = story._replace(
                    weight=story.weight * self.chance(*key) * share,
                    nodes=nodes,
                    bound=bound,
                    waiting=waiting,
                    goals=(*story.goals, *self._goals_among(parts)),
                    fresh=story.fresh if parts else story.fresh | enabled_by(story.nodes, node.number),
                    methods=(key, story.methods),
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
        """Return how likely it is that each goal is pursued; arguments that are not known yet are None.

        Several may be pursued at once, so this need not sum to 1.
        """
        shares: dict[LiftedGoal, float] = {}
        for story in self.stories:
            for goal in dict.fromkeys(self._known(story, *each) for each in story.goals):
                shares[goal] = shares.get(goal, 0.0) + story.weight
        return shares

    def goal_names(self) -> dict[str, float]:
        """Return how likely it is that a goal of each name is pursued."""
        shares: dict[str, float] = {}
        for story in self.stories:
            for name in sorted({name for name, _ in story.goals}):
                shares[name] = shares.get(name, 0.0) + story.weight
        return shares

    @staticmethod
    def _known(story: LiftedHypothesis, name: str, arguments: tuple[int | str, ...]) -> LiftedGoal:
        values = (value_of(story.bound, term) for term in arguments)
        return name, tuple(value if isinstance(value, str) else None for value in values)

    def method_counts(self) -> dict[tuple[str, str], float]:
        """Return how often each method was taken, on average over the stories that are complete, or over all."""
        nothing = self.tables.may_be_nothing
        over = [story for story in self.stories if all(node.name in nothing for node in story.nodes)]
        counts: dict[tuple[str, str], float] = {}
        total = math.fsum(story.weight for story in over or self.stories)
        for story in over or self.stories:
            for key in methods_of(story):
                counts[key] = counts.get(key, 0.0) + story.weight / total
        return counts


def learn_follow(all_choices: Iterable[FollowCounts]) -> float:
    """Return the ``follow`` under which the choices made are likeliest."""
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

MAX_HYPOTHESES = 12  # at most: the likeliest speak for all
COVERED_SHARE = 0.98  # of the probability
MAX_REFINEMENTS = 150  # tried for each of them
MIN_RELATIVE_WEIGHT = 3e-3  # of a story's weight: what is less likely is left out
MAX_INSTANCES = 400  # of one action; where more are possible, only its name is foretold


def lifted_next_actions(reader: LiftedReader) -> tuple[dict[HddlStep, float], dict[str, float]]:
    """Return how likely each action is next: with its arguments, and by name alone.

    What is missing to 1 is the end of the plan, and what is too unlikely to be worth the search.
    """
    exact: dict[HddlStep, float] = {}
    by_name: dict[str, float] = {}
    told = _likeliest(reader.stories)
    total = math.fsum(story.weight for story in told)
    for story in told:
        for at, node in _first_actions(reader, story):
            weight = at.weight / total
            by_name[node.name] = by_name.get(node.name, 0.0) + weight
            pattern, types = reader.binder.pattern(at.bound, node)
            found = reader.scene.instances(reader.domain.operators[node.name], types, pattern)
            for arguments in found if len(found) <= MAX_INSTANCES else ():
                step = HddlStep(node.name, arguments)
                exact[step] = exact.get(step, 0.0) + weight / len(found)
    return exact, by_name


def _likeliest(stories: list[LiftedHypothesis]) -> list[LiftedHypothesis]:
    """Return the stories that are worth asking; they come the likeliest first."""
    told, total = list[LiftedHypothesis](), 0.0
    for story in stories[:MAX_HYPOTHESES]:
        told.append(story)
        total += story.weight
        if total >= COVERED_SHARE:
            break
    return told


def _first_actions(reader: LiftedReader, story: LiftedHypothesis) -> list[tuple[LiftedHypothesis, TaskNode]]:
    """Return the actions that a story may go on with, each with the story refined as far as that."""
    queue: list[tuple[float, int, LiftedHypothesis, frozenset[int] | None]] = [(-story.weight, 0, story, None)]
    found: list[tuple[LiftedHypothesis, TaskNode]] = []
    count = 0
    for _ in range(MAX_REFINEMENTS):
        if not queue:
            break
        _, _, at, among = heapq.heappop(queue)
        for story_at, node in reader.ready(at, among):
            if story_at.weight < story.weight * MIN_RELATIVE_WEIGHT:
                continue
            if node.name in reader.domain.operators:
                found.append((story_at, node))
                continue
            for after, parts in reader.refined(story_at, node):
                count += 1
                heapq.heappush(queue, (-after.weight, count, after, parts))
    return found
