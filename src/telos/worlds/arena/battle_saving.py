"""Saving a fight as plain data, and going on from it exactly: bodies, minds, squads and talk."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from telos.core.errors import TelosError

if TYPE_CHECKING:
    from telos.worlds.arena.battle import Battle


def save_battle(battle: "Battle") -> dict[str, Any]:
    """Return all that changes about a fight between two steps, as plain data that JSON can hold."""
    return {
        "scene": battle.scene.name,
        "seed": battle.seed,
        "arena": battle.arena.save(),
        "crowd": battle.crowd.save(),
        "limbs": {name: limbs.save() for name, limbs in battle.limbs.items()},
        # Those of the minds are with the crowd. The dead keep theirs, which their squads may still look into.
        "memories": {name: each.memory.save() for name, each in battle.comrades.items() if name not in battle.minds},
        "coordinators": {each.side: each.save() for each in battle.coordinators},
        "occasions": battle.occasions.save(),
        "dialogue": None if battle.dialogue is None else battle.dialogue.save(),
    }


def restore_battle(battle: "Battle", saved: Mapping[str, Any]) -> None:
    """Make a battle that has just begun the one that was saved; the trace goes on from there."""
    _check_same(battle, saved)
    battle.arena.restore(saved["arena"])  # which refuses another cast
    thinking = {each["name"] for each in saved["crowd"]["minds"]}
    for name in [name for name in battle.minds if name not in thinking]:  # they had fallen
        battle.crowd.leave(battle.minds.pop(name))
    for name, limbs in battle.limbs.items():
        limbs.restore(saved["limbs"][name])
    battle.crowd.restore(saved["crowd"])
    for name, memory in saved["memories"].items():
        battle.comrades[name].memory.restore(memory)
    for coordinator in battle.coordinators:
        coordinator.restore(saved["coordinators"][coordinator.side], battle.comrades.values())
    battle.occasions.restore(saved["occasions"])
    if battle.dialogue is not None:
        battle.dialogue.restore(saved["dialogue"])
    battle.view = battle.arena.view()


def _check_same(battle: "Battle", saved: Mapping[str, Any]) -> None:
    """Refuse what was saved from another fight, before anything is changed."""
    if (saved["scene"], saved["seed"]) != (battle.scene.name, battle.seed):
        raise TelosError(
            f"this was saved from {saved['scene']!r} with seed {saved['seed']}, not from {battle.scene.name!r} with "
            f"seed {battle.seed}",
            "restore it in a battle of the same scene and seed",
        )
    sides = [each.side for each in battle.coordinators]
    if list(saved["coordinators"]) != sides or (saved["dialogue"] is None) != (battle.dialogue is None):
        raise TelosError(
            f"{saved['scene']!r} was saved with other squads or other talk", "make the battle with the same ones"
        )
    if battle.arena.time > 0:
        raise TelosError(f"this battle is {battle.arena.time:g} s old", "restore what was saved in one that just began")
