"""The domain that manoeuvres plan in: counts as variables, orders as actions, and the functions of `SquadFacts`."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.values import Variable
from telos.planning.htn.network import Task
from telos.squads.manoeuvres.facts import FUNCTIONS, SquadFacts
from telos.squads.squad import EXCLUSIVE_TASKS, Order, OrderTask, node_position

KINDS = ("member", "enemy", "node")
LASTING_TASKS = frozenset({"suppress", "follow", "guard_rear", "watch"})  # carried on until another order or the end

# Who has got an order so far in a plan, and the node that it takes.
Given: TypeAlias = tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class OrderForm:
    """An order as a task of a manoeuvre: its name, and what comes after ``who`` with the kind of each."""

    task: OrderTask
    parameters: tuple[tuple[str, str], ...]

    @property
    def action(self) -> Action:
        """Return the order as an action of the squad domain.

        Nobody gets two at once, no node is taken twice, and nobody follows or watches over himself.
        """
        kinds = {"who": "member", **dict(self.parameters)}
        takes_node = self.task in EXCLUSIVE_TASKS
        needs = ["is_free(who, given)", *(["is_untaken(place, given)"] if takes_node else [])]
        needs += ["who != comrade"] if "comrade" in kinds else []
        given = "with_order(given, who, place)" if takes_node else "with_order(given, who, none)"
        return Action(
            self.task, parameters=kinds, preconditions=needs, effects=[f"given = {given}", "ordered = ordered + 1"]
        )


ORDER_FORMS: dict[str, OrderForm] = {
    each.task: each
    for each in (
        OrderForm("suppress", (("foe", "enemy"),)),
        OrderForm("cover", (("place", "node"),)),
        OrderForm("advance", (("place", "node"),)),
        OrderForm("lead", (("place", "node"),)),
        OrderForm("abreast", (("place", "node"), ("comrade", "member"))),
        OrderForm("follow", (("comrade", "member"),)),
        OrderForm("guard_rear", (("comrade", "member"),)),
        OrderForm("search", (("place", "node"),)),
        OrderForm("watch", (("place", "node"), ("comrade", "member"))),
    )
}


def make_squad_domain() -> Domain:
    """Return a domain in which the actions are orders."""
    counts = ("members", "enemies", "seen", "exposed", "ordered")
    # The kind of `given` cannot be written in a file, so that no task can have one.
    return Domain(
        "squad",
        variables=[*(Variable(name, "int") for name in counts), Variable("given", "orders_given", ())],
        actions=[form.action for form in ORDER_FORMS.values()],
        functions={
            **{name: function.call for name, function in FUNCTIONS.items()},
            "is_free": _is_free,
            "is_untaken": _is_untaken,
            "with_order": _with_order,
        },
    )


def _is_free(who: str, given: Given) -> bool:
    return all(name != who for name, _ in given)


def _is_untaken(place: str, given: Given) -> bool:
    return all(node != place for _, node in given)


def _with_order(given: Given, who: str, place: str | None) -> Given:
    return (*given, (who, place))


def make_orders(tasks: Iterable[Task], facts: SquadFacts) -> dict[str, Order]:
    """Return the orders of a plan's primitive tasks, by member."""
    return {str(task.arguments[0]): _make_order(task, facts) for task in tasks}


def _make_order(task: Task, facts: SquadFacts) -> Order:
    form = ORDER_FORMS[task.name]
    who, *others = map(str, task.arguments)
    given = dict(zip(dict(form.parameters), others, strict=True))
    place, squad = given.get("place"), facts.squad
    member = [each for each in squad.members if each.name == who]
    return Order(
        form.task,
        node=place,
        place=None if place is None else node_position(place, [*member, *squad.members], facts.now),
        target=given.get("foe") or given.get("comrade"),
        room=facts.room(who, place) if place is not None and form.task in ("search", "watch") else None,
    )
