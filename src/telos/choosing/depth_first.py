"""Plain depth-first look-ahead, as the lecture gives it: no recursion, memory for one model a level."""

from collections.abc import Iterator

from telos.choosing.model import WorldModel
from telos.choosing.outlook import Found
from telos.core.action import Action


def search_depth_first(model: WorldModel, depth: int, improving: bool, budget: int) -> Found:
    """Try every sequence of ``depth`` actions, what brings relief soonest first, and keep the first of the best."""
    models, taken = [model], list[Action]()
    untried: list[Iterator[Action]] = [_in_order(model, improving)]
    is_leaf = [True]  # for each level: whether nothing has followed the model there
    best: tuple[Action, ...] = ()
    best_value, tried = float("inf"), 0
    while models:
        action = next(untried[-1], None) if len(taken) < depth else None
        if action is None:
            if is_leaf[-1] and models[-1].discontentment < best_value:
                best, best_value = tuple(taken), models[-1].discontentment
            for level in (models, untried, is_leaf):
                level.pop()
            taken = taken[:-1]
            continue
        if tried == budget:
            return Found(best, best_value if best else model.discontentment, tried, complete=False)
        tried += 1
        is_leaf[-1] = False
        models.append(models[-1].after(action))
        taken.append(action)
        untried.append(_in_order(models[-1], improving))
        is_leaf.append(True)
    return Found(best, best_value, tried, complete=True)


def _in_order(model: WorldModel, improving: bool) -> Iterator[Action]:
    """Yield the possible actions, those that leave the least discontentment first, equals as listed."""
    rated = [(model.after(action).discontentment, action) for action in model.possible]
    rated.sort(key=lambda pair: pair[0])
    for value, action in rated:
        if not improving or value <= model.discontentment:
            yield action
