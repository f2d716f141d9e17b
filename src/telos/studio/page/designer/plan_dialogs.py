"""Dialogs of the Mind panel: the rejected plans (`show_plan_choice`), and all actions and goals (`show_graph`)."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from telos.core.errors import TelosError
from telos.planning.alternatives import Alternative
from telos.planning.search_graph import embed_graph
from telos.studio.action_graph import build_graph, graph_svg
from telos.studio.page.widgets import box, empty_label, heading, text_button
from telos.studio.plan_choice import PlanChoice, PlanningMoment, record_moment, step_names

Open = Callable[[str, str], bool]  # kind and name -> whether there is a definition to show


class GraphView(Element, component="graph_view.js"):
    """A large drawing that can be moved and zoomed; ``on_open`` receives the kind and the name of a clicked node."""

    def __init__(
        self, svg: str, *, says: str = "", on_open: Callable[[str, str], Any] | None = None, start: str = "left"
    ) -> None:
        super().__init__()
        self._props["svg"] = svg  # our own drawing, with escaped texts
        self._props["says"] = says
        self._props["start"] = start
        if on_open is not None:
            self.on("open", lambda event: _pass_node(event, on_open))


def show_plan_choice(choice: PlanChoice, moment: PlanningMoment | None) -> None:
    """Open a dialog with the plan, the plans that were rejected with their costs, and on demand the search."""
    with ui.dialog().props('aria-label="Why this plan"') as dialog, box("ts-dialog ts-choice"):
        with box("ts-dialog-head"):
            ui.label(f"Why this plan? {choice.who}, for {choice.goal}")
            text_button("Close", "Close the comparison", dialog.close, key="Esc")
        ui.label(choice.summary()).classes("ts-prose")
        with box("ts-scroll"):
            _choice_rows(choice)
        if moment is not None and moment.state is not None:
            button = text_button("Show the search", "Search again, and show the states that the search saw")
            with box("ts-search") as search:
                search.set_visibility(False)
            button.on_click(lambda: _show_search(choice.who, moment, search, button))
    dialog.on("hide", dialog.delete, args=[])
    dialog.open()


def _choice_rows(choice: PlanChoice) -> None:
    most = max([choice.cost, *(each.cost for each in choice.alternatives if each.found)], default=0.0)
    heading("The plan")
    reason = "it is the cheapest known" if choice.measure == "cost" else f"it leaves the least {choice.measure}"
    _plan_row(choice.steps, choice.cost, most, reason, is_chosen=True)
    others = [each for each in choice.alternatives if each.found]
    heading("Rejected plans", about="The cheapest plans that avoid a step of the plan")
    for each in others:
        _plan_row(each.steps, each.cost, most, each.why, avoids=each)
    if not others:
        empty_label("No other plan reaches the goal from here.")
    needed = [each for each in choice.alternatives if not each.found]
    if needed:
        heading("Steps that it cannot do without")
        for each in needed:
            ui.label(f"{', '.join(each.avoids)}: {each.why}").classes("ts-list")


def _plan_row(
    steps: Sequence[str],
    cost: float,
    most: float,
    why: str,
    *,
    is_chosen: bool = False,
    avoids: Alternative | None = None,
) -> None:
    with box(f"ts-plan-row{' ts-chosen' if is_chosen else ''}"):
        ui.label("–" if math.isnan(cost) else f"{cost:.3g}").classes("ts-plan-cost")
        with box("ts-grow"):
            ui.label(" → ".join(steps)).classes("ts-plan-steps")
            without = f"without {', '.join(avoids.avoids)}; " if avoids is not None and avoids.avoids else ""
            ui.label(f"{without}{why}").classes("ts-hint")
            share = 0 if math.isnan(cost) or most <= 0 else round(100 * max(0.0, cost) / most)
            with box("ts-meter ts-plan-meter"):
                ui.element("i").style(f"width: {share}%")


def _show_search(who: str, moment: PlanningMoment, place: ui.element, button: ui.button) -> None:
    button.set_visibility(False)
    place.set_visibility(True)
    with place:
        try:
            graph = record_moment(who, moment)
        except TelosError as error:
            empty_label(str(error))
            return
        GraphView(embed_graph(graph), says="Coloured: the plan. Dashed: seen, but not pursued.")


def show_graph(who: str, moment: PlanningMoment, on_open: Open) -> None:
    """Open a dialog with all actions and goals of a character, and the links between them."""
    variables = moment.domain.layout.slots if moment.domain is not None else ()
    graph = build_graph(moment.goals, moment.actions, variables)
    plan = step_names([str(step) for step in moment.steps])
    goal = moment.goal.name if moment.goal is not None else None
    with ui.dialog().props('aria-label="All goals and actions"') as dialog, box("ts-dialog ts-graph-dialog"):
        with box("ts-dialog-head"):
            ui.label(f"What {who} can do, and what for")
            text_button("Close", "Close the graph", dialog.close, key="Esc")

        def show_definition(kind: str, name: str) -> None:
            if on_open(kind, name):
                dialog.close()

        says = "Coloured: the current plan. Click a node to see its definition."
        GraphView(graph_svg(graph, plan=plan, goal=goal, who=who), says=says, on_open=show_definition, start="right")
    dialog.on("hide", dialog.delete, args=[])
    dialog.open()


def _pass_node(event: GenericEventArguments, handler: Callable[[str, str], Any]) -> None:
    match event.args:
        case [str(kind), str(name)]:
            handler(kind, name)
