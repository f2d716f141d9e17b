"""A crowd that was saved goes on exactly where steps are objects, begins generators again, and is restored whole."""

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

import telos
from agents.embedding.wood import WOOD, Cutter, SteadyCutter, Wood, live
from telos.core.errors import TelosError
from telos.core.trace import as_json

DOMAIN = telos.loads(WOOD)
NAMES = ("ann", "bob", "cat")
FRAMES = 44


def make(kind: type[Cutter] = SteadyCutter, lines: list[str] | None = None) -> tuple[telos.Crowd, Wood]:
    world, told = Wood(), [] if lines is None else lines
    crowd = telos.Crowd(DOMAIN, trace=lambda record: told.append(as_json(record)))
    for name in NAMES:
        crowd.add(name, kind(world, name), character="cutter")
    return crowd, world


class SteadyWalker(SteadyCutter):
    """Goes and chops in steps that are saved."""

    class goto:  # noqa: N801
        def begin(self, body: Cutter, now: float, place: str) -> None:
            self.place, self.until = place, now + len(place)

        def progress(self, body: Cutter, now: float) -> bool:
            if now >= self.until:
                body.at = self.place
            return now >= self.until


@pytest.mark.parametrize("cut", [1, 3, 7, 8, 12, 13, 21, 30])
def test_a_crowd_of_step_objects_goes_on_exactly(cut: int) -> None:
    lines: list[str] = []
    crowd, world = make(SteadyWalker, lines)
    live(crowd, cut)
    saved = json.loads(json.dumps({"crowd": crowd.save(), "owner": world.owner}))
    begun = len(lines)
    live(crowd, FRAMES - cut, start=cut / 2)
    after: list[str] = []
    again, other = make(SteadyWalker, after)
    other.owner = saved["owner"]
    assert again.restore(saved["crowd"]) == ()
    live(again, FRAMES - cut, start=cut / 2)
    assert after == lines[begun:]
    assert [vars(again[name].body) | {"_member": 0, "wood_world": 0} for name in NAMES] == [
        vars(crowd[name].body) | {"_member": 0, "wood_world": 0} for name in NAMES
    ]
    assert again.save() == crowd.save()


def test_generators_begin_their_step_again() -> None:
    crowd, _ = make(Cutter)
    live(crowd, 8)  # chopping since 2.0 s
    again, world = make(Cutter)
    world.owner = {"oak": "ann", "ash": "bob", "elm": "cat"}
    again.restore(json.loads(json.dumps(crowd.save())))
    assert again["ann"].plan == crowd["ann"].plan
    live(again, 6, start=4.0)
    assert again["ann"].body.wood == 0  # type: ignore[attr-defined]
    live(again, 1, start=7.0)
    assert again["ann"].body.wood == 1  # type: ignore[attr-defined]


def test_what_bodies_save_keeps_its_types() -> None:
    class Packed(Cutter):
        saves = ("bag", "seen", "cell", "notes")

        def __init__(self) -> None:
            super().__init__(Wood())
            self.bag, self.seen, self.cell, self.notes = ["a"], {"b"}, (1, 2), {"c": [1]}

    crowd = telos.Crowd(DOMAIN)
    crowd.add("ann", Packed())
    saved = json.loads(json.dumps(crowd.save()))
    again = telos.Crowd(DOMAIN)
    body = Packed()
    again.add("ann", body)
    body.bag, body.seen, body.cell, body.notes = [], set(), (0, 0), {"c": []}
    again.restore(saved)
    assert (body.bag, body.seen, body.cell, body.notes) == (["a"], {"b"}, (1, 2), {"c": [1]})


class PathWalker(SteadyCutter):
    """Goes along a path that its step object holds in a list, with a set and a mapping beside it."""

    class goto:  # noqa: N801
        def begin(self, body: Cutter, now: float, place: str) -> None:
            self.place, self.path, self.seen, self.notes = place, [(cell, 0) for cell in range(6)], {(9, 9)}, {"a": [1]}

        def progress(self, body: Cutter, now: float) -> bool:
            self.seen.add(self.path.pop(0))
            self.notes["a"].append(len(self.seen))
            if not self.path:
                body.at = self.place
            return not self.path


def test_collections_of_step_objects_are_what_they_were() -> None:
    crowd, _ = make(PathWalker)
    live(crowd, 3)
    again, _ = make(PathWalker)
    again.restore(json.loads(json.dumps(crowd.save())))
    assert json.dumps(again.save()) == json.dumps(crowd.save())
    live(crowd, 2, start=1.5)
    live(again, 2, start=1.5)
    assert again.save() == crowd.save()
    assert again.save()["bodies"]["ann"]["doing"]["step"]["notes"] == {"a": [1, 2, 3, 4, 5]}


def test_saves_in_which_tuples_do_not_say_so_have_the_types_of_the_attributes() -> None:
    class Packed(Cutter):
        saves = ("cell", "seen")

        def __init__(self) -> None:
            super().__init__(Wood())
            self.cell, self.seen = (0, 0), set[str]()

    body = Packed()
    body.restore({"cell": [1, 2], "seen": ["b"]})
    assert (body.cell, body.seen) == ((1, 2), {"b"})


@pytest.mark.parametrize("name", ["progress", "begin", "end", "__class__", "__dict__"])
def test_a_saved_step_cannot_replace_what_its_class_does(name: str) -> None:
    saved = spoil(lambda saved: saved["bodies"]["ann"]["doing"]["step"].update({name: 1}))
    crowd, _ = make()
    with pytest.raises(TelosError, match=rf"doing\.step\.{name} is not an attribute"):
        crowd.restore(saved)
    assert [each.what for each in crowd.restore(saved, lenient=True)] == ["the step in progress"]
    live(crowd, 30, start=4.0)
    assert crowd["ann"].body.wood >= 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("value", [math.inf, -math.inf, 2**60, [-(2**70)], {"a": (math.inf, {2**54})}])
def test_numbers_that_json_lacks_are_what_they_were(value: Any) -> None:
    class Packed(Cutter):
        saves = ("bag",)
        bag: Any = None

    crowd, again, body = telos.Crowd(DOMAIN), telos.Crowd(DOMAIN), Packed(Wood())
    crowd.add("ann", body)
    body.bag = value
    text = json.dumps(crowd.save(), allow_nan=False)
    other = again.add("ann", Packed(Wood())).body
    again.restore(json.loads(text))
    assert vars(other)["bag"] == value


@pytest.mark.parametrize("value", [{"$float": "much"}, {"$int": "x"}, {"$set": [[1]]}])
def test_values_that_are_damaged_are_refused(value: Any) -> None:
    saved = spoil(lambda saved: saved["bodies"]["ann"]["own"].update(gold=value))
    crowd, _ = make()
    with pytest.raises(TelosError, match="cannot be read"):
        crowd.restore(saved)


def test_what_cannot_be_saved_is_named() -> None:
    class Packed(Cutter):
        saves = ("wood_world",)

    crowd = telos.Crowd(DOMAIN)
    crowd.add("ann", Packed(Wood()))
    with pytest.raises(TelosError, match=r"Packed.wood_world holds .*keep names"):
        crowd.save()


def spoil(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    crowd, _ = make()
    live(crowd, 8)
    saved = json.loads(json.dumps(crowd.save()))
    change(saved)
    return dict(saved)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda saved: saved.pop("schedule"), "schedule is missing"),
        (lambda saved: saved.update(format=99), "format 99"),
        (lambda saved: saved["bodies"].pop("bob"), "bodies.bob is missing"),
        (lambda saved: saved["bodies"].update(dan=saved["bodies"]["bob"]), "bodies.dan is a body without a mind"),
        (lambda saved: saved["bodies"]["ann"]["own"].pop("gold"), "gold is missing"),
        (lambda saved: saved["bodies"]["ann"]["own"].update(silver=1), "silver"),
        (lambda saved: saved["bodies"]["ann"]["doing"].update(step=None), "doing.step is missing"),
        (lambda saved: saved["bodies"]["ann"]["doing"].update(status="asleep"), "status must be"),
        (lambda saved: saved["schedule"]["minds"].pop(), "bodies.cat is a body without a mind"),
        (lambda saved: saved["schedule"]["minds"][2].update(retry_at="soon"), "retry_at must be"),
    ],
)
def test_faulty_saves_are_refused_and_change_nothing(change: Callable[[dict[str, Any]], None], words: str) -> None:
    saved = spoil(change)
    crowd, _ = make()
    live(crowd, 3)
    before = json.dumps(crowd.save())
    with pytest.raises(TelosError, match=words):
        crowd.restore(saved)
    assert json.dumps(crowd.save()) == before


def test_a_lenient_restore_leaves_out_who_is_gone() -> None:
    crowd, _ = make()
    live(crowd, 8)
    saved = json.loads(json.dumps(crowd.save()))
    smaller = telos.Crowd(DOMAIN)
    world = Wood()
    for name in ("ann", "dan"):
        smaller.add(name, SteadyCutter(world, name), character="cutter")
    left_out = smaller.restore(saved, lenient=True)
    assert {each.who for each in left_out} == {"bob", "cat", "dan"}
    assert smaller["ann"].plan == crowd["ann"].plan
    live(smaller, 30, start=4.0)
    assert smaller["ann"].body.wood >= 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("now", [float("-inf"), float("inf"), float("nan"), True, "1"])
def test_the_time_of_a_frame_is_a_finite_number(now: Any) -> None:
    crowd, _ = make()
    with pytest.raises(TelosError, match=r"let time only grow|a finite number"):
        crowd.tick(now)
    json.dumps(crowd.save(), allow_nan=False)
