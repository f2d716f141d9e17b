"""The minds' benchmark, its peer: a soldier as a behaviour tree of py_trees, with the same goals and the same deeds.

A selector of the soldier's goals by priority; each is a sequence of what makes it relevant and a selector of the ways
that lead there. What a plan finds by itself (reload first, walk there first) is written out by hand. The tree looks at
the world directly: it neither senses nor remembers, plans nor explains, so its time is that of deciding alone.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TypeAlias

from agents_field import COVER, Field

from telos.agents.memory import Fact
from telos.worlds.arena.ai.characters import load_arena_characters
from telos.worlds.arena.sim.fighter import Fighter

py_trees: Any = import_module("py_trees")
SUCCESS, FAILURE, RUNNING = (getattr(py_trees.common.Status, name) for name in ("SUCCESS", "FAILURE", "RUNNING"))


class Soldier:
    """What a tree knows: its body, its enemy, and what it has felt a moment ago."""

    def __init__(self, field: Field, name: str) -> None:
        self.field, self.name = field, name
        self.body: Fighter = field.arena.fighter(name)
        self.foe = field.foes.get(name)
        self.felt: dict[str, float] = {}  # until when
        self.doing = ""

    def feel(self, fact: Fact) -> None:
        """Keep in mind what happened, for as long as a soldier does; cover that was lost is not gone back to."""
        self.felt[fact.kind] = fact.time + load_arena_characters()["soldier"].memory[fact.kind]

    def is_felt(self, kind: str) -> bool:
        return self.felt.get(kind, 0.0) > self.field.time

    def has_foe(self) -> bool:
        return self.foe is not None and not self.foe.down

    def sees_foe(self) -> bool:
        return self.foe is not None and not self.foe.down and self.foe.is_shown

    def is_close(self) -> bool:
        return self.foe is not None and self.body.distance_to(self.foe.fighter.position) <= self.body.reach

    def cover(self) -> str:
        """Return the cover to make for: the nearest, or the one after it once that is lost."""
        place = self.body.position
        near = sorted(COVER, key=lambda node: abs(node.x - place[0]) + abs(node.y - place[1]))
        return near[1 if self.is_felt("unsafe") else 0].name

    def in_cover(self) -> bool:
        return self.field.arena.node_under(self.name) is not None and not self.is_felt("unsafe")

    def do(self, command: str) -> Any:
        """Go on with a command, or begin it; return how it goes."""
        if self.doing != command:
            self.doing = command
            self.field.begin(self.body, command)
            return RUNNING
        if self.body.act is not None:
            return RUNNING
        self.doing = ""
        return SUCCESS if self.body.status == "done" else FAILURE


Test: TypeAlias = Callable[[Soldier], bool]
Way: TypeAlias = tuple[Sequence[str], str]  # what must hold, and what is done then

TESTS: dict[str, Test] = {
    "foe": Soldier.has_foe,
    "foe seen": Soldier.sees_foe,
    "foe close": Soldier.is_close,
    "in cover": Soldier.in_cover,
    "in the open": lambda me: not me.in_cover(),
    "loaded": lambda me: me.body.rounds > 0,
    "empty": lambda me: me.body.rounds <= 0,
    "magazine": lambda me: me.body.magazines > 0,
    "has grenade": lambda me: me.body.grenades > 0,
    "hurt": lambda me: me.body.health < 45,
    "danger": lambda me: me.is_felt("fire") or me.has_foe(),
    "on the ground": lambda me: not me.body.on_wall,
    "in breath": lambda me: not me.body.out_of_breath,
}
FELT = ("fire", "hit", "aimed_at", "grenade", "cover_lost", "order", "request", "ally", "barrier", "thing", "node")
TESTS |= {kind: lambda me, kind=kind: me.is_felt(kind) for kind in FELT}  # type: ignore[misc]

GOALS: dict[str, tuple[Sequence[str], Sequence[Way]]] = {
    "escape": (["grenade"], [(["node", "in breath"], "goto cover"), ([], "animate hunker")]),
    "warn ally": (["grenade", "ally"], [([], "animate shout foe")]),
    "dodge": (
        ["aimed_at"],
        [
            (["in cover"], "animate duck"),
            (["in the open", "on the ground"], "animate roll"),
            (["in the open"], "animate shuffle"),
        ],
    ),
    "help comrade": (["request"], [(["barrier"], "use d1 open")]),
    "follow order": (
        ["order"],
        [
            (["loaded", "foe"], "animate suppress foe"),
            (["node", "in breath"], "goto cover"),
            (["ally"], "animate look_back"),
            ([], "animate idle"),
        ],
    ),
    "cover": (["danger", "in the open", "foe"], [(["on the ground", "in breath"], "goto cover run")]),
    "ambush": (["cover_lost", "node"], [([], "goto cover run")]),
    "heal": (["hurt", "thing"], [([], "use k1 use")]),
    "kill enemy": (
        ["foe"],
        [
            (["hit", "in cover", "loaded"], "animate blind_fire foe"),
            (["in cover", "foe seen", "loaded"], "animate fire_from_cover foe"),
            (["foe seen", "foe close"], "animate melee foe"),
            (["foe seen", "loaded", "on the ground"], "animate fire foe"),
            (["empty", "magazine"], "animate reload"),
            (["has grenade", "foe"], "animate throw foe"),
            (["barrier", "on the ground"], "use d1 kick"),
            (["empty", "thing"], "use k1 take"),
        ],
    ),
    "check noise": (["node", "foe"], [(["on the ground"], "goto cover walk")]),
    "stay ready": (["empty"], [(["magazine"], "animate reload"), (["thing"], "use k1 take")]),
    "patrol": (["node"], [(["on the ground"], "animate look")]),
}


class Watch(py_trees.behaviour.Behaviour):  # type: ignore[misc]
    """A condition."""

    def __init__(self, name: str, soldier: Soldier) -> None:
        super().__init__(name)
        self.soldier, self.test = soldier, TESTS[name]

    def update(self) -> Any:
        return SUCCESS if self.test(self.soldier) else FAILURE


class Do(py_trees.behaviour.Behaviour):  # type: ignore[misc]
    """An action."""

    def __init__(self, name: str, soldier: Soldier) -> None:
        super().__init__(name)
        self.soldier = soldier

    def update(self) -> Any:
        command = self.name
        if "foe" in command and self.soldier.foe is not None:
            command = command.replace("foe", self.soldier.foe.fighter.name)
        if "goto cover" in command:
            command = f"goto {self.soldier.cover()} run"
        return self.soldier.do(command)


def tree_of(soldier: Soldier) -> Any:
    """Return the root of one soldier's tree."""
    root = py_trees.composites.Selector("soldier", memory=False)
    for goal, (relevant, ways) in GOALS.items():
        choice = py_trees.composites.Selector(f"ways to {goal}", memory=False)
        for tests, command in ways:
            choice.add_child(_sequence(command, [*(Watch(name, soldier) for name in tests), Do(command, soldier)]))
        root.add_child(_sequence(goal, [*(Watch(name, soldier) for name in relevant), choice]))
    return root


def _sequence(name: str, children: Sequence[Any]) -> Any:
    made = py_trees.composites.Sequence(name, memory=False)
    made.add_children(children)
    return made


def size_of(root: Any) -> tuple[int, int]:
    """Return how many nodes a tree has, and how many of them are leaves."""
    nodes = list(root.iterate())
    return len(nodes), sum(not node.children for node in nodes)
