"""The graph of all actions and goals of a character: who provides what, in columns."""

import xml.etree.ElementTree as ElementTree

import pytest

from telos.core.action import Action
from telos.core.goal import Goal
from telos.studio.action_graph import ACTION, GOAL, build_graph, count_crossings, graph_svg
from telos.studio.stage import world
from telos.worlds.arena.ai.characters import load_arena_characters, load_arena_domain

SVG = "{http://www.w3.org/2000/svg}"


def links(goals: list[Goal], actions: list[Action], variables: tuple[str, ...] = ()) -> set[tuple[str, str, str]]:
    graph = build_graph(goals, actions, variables)
    nodes = graph.nodes
    return {(nodes[e.provider].name, nodes[e.consumer].name, nodes[e.consumer].needs[e.need]) for e in graph.links}


def test_effect_is_linked_to_condition_that_it_makes_true_only() -> None:
    shoot = Action("shoot", preconditions="loaded and not hidden", effects="target = dead, loaded = false")
    load = Action("load", preconditions="not loaded", effects="loaded = true")
    hide = Action("hide", effects="hidden = true")
    assert links([Goal("kill", wants="target == dead")], [shoot, load, hide]) == {
        ("shoot", "kill", "target == dead"),
        ("load", "shoot", "loaded"),
        ("shoot", "load", "not loaded"),
    }


def test_parameter_and_variable_may_provide_what_label_does_not() -> None:
    goto = Action("goto", parameters={"place": "node"}, effects="at = place")
    halt = Action("halt", effects="at = here")
    rest = Goal("rest", wants="at == bed")
    assert links([rest], [goto, halt]) == {("goto", "rest", "at == bed")}
    assert ("halt", "rest", "at == bed") in links([rest], [goto, halt], ("bed",))


def test_every_action_of_soldier_is_left_of_what_it_serves_but_for_circles() -> None:
    soldier = load_arena_characters()["soldier"]
    graph = build_graph(soldier.goals, soldier.actions, load_arena_domain().layout.slots)
    assert len(graph.nodes) == len(soldier.goals) + len(soldier.actions)
    last = max(node.column for node in graph.nodes)
    assert {node.column for node in graph.nodes if node.kind == GOAL} == {last}
    assert all(node.column < last for node in graph.nodes if node.kind == ACTION)
    backward = [each for each in graph.links if graph.nodes[each.provider].column >= graph.nodes[each.consumer].column]
    assert len(backward) <= 0.15 * len(graph.links)  # what serves cover, and what leaves it, serve each other
    assert count_crossings(graph) <= 60
    served = {graph.nodes[each.consumer].name for each in graph.links}
    assert {goal.name for goal in soldier.goals} <= served


def test_boxes_do_not_overlap_and_plan_is_marked() -> None:
    soldier = load_arena_characters()["soldier"]
    graph = build_graph(soldier.goals, soldier.actions, load_arena_domain().layout.slots)
    root = ElementTree.fromstring(graph_svg(graph, plan=["goto", "attack-from-cover"], goal="kill_enemy", who="<Ann>"))
    boxes = []
    for node in root.iter(f"{SVG}g"):
        if "data-node" in node.attrib:
            box = next(iter(node.iter(f"{SVG}rect")))
            boxes.append([float(box.get(key, "0")) for key in ("x", "y", "width", "height")])
    assert len(boxes) == len(graph.nodes)
    for place, (x, y, width, height) in enumerate(boxes):
        for other_x, other_y, other_width, other_height in boxes[place + 1 :]:
            apart = x + width <= other_x or other_x + other_width <= x
            assert apart or y + height <= other_y or other_y + other_height <= y
    marked = [node.get("data-what") for node in root.iter(f"{SVG}g") if "is-plan" in (node.get("class") or "")]
    assert {each for each in marked if each} == {"goto", "attack-from-cover", "kill_enemy"}


@pytest.mark.parametrize(
    ("name", "settings"), [("home", {}), ("forge", {"play": "key"}), ("island", {"plays": "simulated"})]
)
def test_graphs_of_other_worlds_link_their_goals(name: str, settings: dict[str, str]) -> None:
    stage = world(name).make(3, world(name).complete_settings(settings))
    moment = stage.planning(stage.characters()[0])
    assert moment is not None
    graph = build_graph(moment.goals, moment.actions, moment.domain.layout.slots if moment.domain is not None else ())
    served = {graph.nodes[each.consumer].name for each in graph.links}
    assert sum(goal.name in served for goal in moment.goals) >= len(moment.goals) / 2
