"""What comes next in a plan that is read with a lifted grammar: actions with arguments, and how likely each is."""

import heapq
import math

from telos.recognition.grammar.hddl import Step
from telos.recognition.grammar.lifted import LiftedReader
from telos.recognition.grammar.stories import Node, Story

STORIES = 12  # at most: the likeliest speak for all
ENOUGH = 0.98  # of the probability
REFINEMENTS = 150  # tried for each of them
LEAST = 3e-3  # of a story's weight: what is less likely is left out
MOST_INSTANCES = 400  # of one action; where more are possible, only its name is foretold


def next_actions(reader: LiftedReader) -> tuple[dict[Step, float], dict[str, float]]:
    """Return how likely each action is next: with its arguments, and by name alone.

    What is missing to 1 is the end of the plan, and what is too unlikely to be worth the search.
    """
    exact: dict[Step, float] = {}
    by_name: dict[str, float] = {}
    told = _likeliest(reader.stories)
    total = math.fsum(story.weight for story in told)
    for story in told:
        for at, node in _first_actions(reader, story):
            weight = at.weight / total
            by_name[node.name] = by_name.get(node.name, 0.0) + weight
            pattern, types = reader.binder.pattern(at.bound, node)
            found = reader.scene.instances(reader.domain.operators[node.name], types, pattern)
            for arguments in found if len(found) <= MOST_INSTANCES else ():
                step = Step(node.name, arguments)
                exact[step] = exact.get(step, 0.0) + weight / len(found)
    return exact, by_name


def _likeliest(stories: list[Story]) -> list[Story]:
    """Return the stories that are worth asking; they come the likeliest first."""
    told, total = list[Story](), 0.0
    for story in stories[:STORIES]:
        told.append(story)
        total += story.weight
        if total >= ENOUGH:
            break
    return told


def _first_actions(reader: LiftedReader, story: Story) -> list[tuple[Story, Node]]:
    """Return the actions that a story may go on with, each with the story refined as far as that."""
    queue: list[tuple[float, int, Story, frozenset[int] | None]] = [(-story.weight, 0, story, None)]
    found: list[tuple[Story, Node]] = []
    count = 0
    for _ in range(REFINEMENTS):
        if not queue:
            break
        _, _, at, among = heapq.heappop(queue)
        for story_at, node in reader.ready(at, among):
            if story_at.weight < story.weight * LEAST:
                continue
            if node.name in reader.domain.operators:
                found.append((story_at, node))
                continue
            for after, parts in reader.refined(story_at, node):
                count += 1
                heapq.heappush(queue, (-after.weight, count, after, parts))
    return found
