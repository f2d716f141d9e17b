"""Small invented logs in the shape of the two human ones: players who do what their goal asks for, with some slips."""

import csv
import gzip
from pathlib import Path
from random import Random

KITCHEN = {"onions": 0, "pot": 4}  # one corridor of five places; what is used stands above its ends
ROUND = ("get_onion", "pot_onion")
COOK_COLUMNS = [
    *("pair", "trial", "layout", "player", "step", "action", "x", "y", "facing", "facing_tile", "held"),
    *("d_onions", "d_dishes", "d_pot", "d_serving", "event", "goal"),
]
THINGS = ("tree", "water", "stone", "coal", "iron", "table", "furnace", "cow", "zombie", "skeleton", "plant")
UNLOCKS = [
    *("collect_coal", "collect_drink", "collect_iron", "collect_sapling", "collect_stone", "collect_wood"),
    *("defeat_skeleton", "defeat_zombie", "eat_cow", "make_stone_pickaxe", "make_wood_pickaxe"),
    *("make_wood_sword", "place_furnace", "place_plant", "place_table", "wake_up"),
]
CRAFT_COLUMNS = [
    *("player", "phase", "episode", "step", "action", "facing_tile"),
    *(f"d_{thing}" for thing in THINGS),
    "wood",
    *(f"has_{name}" for name in UNLOCKS),
    *("unlock", "goal"),
]


def kitchen(pairs: int = 4, rounds: int = 12, seed: int = 1) -> list[dict[str, object]]:
    """Return a log of cooks who carry onions from one end of a corridor to the other."""
    rng = Random(seed)
    rows: list[dict[str, object]] = []
    for pair in range(pairs):
        for seat in range(2):
            rows += _cook(f"G{pair}", f"G{pair}-{seat}", rounds, rng)
    return rows


def _cook(pair: str, player: str, rounds: int, rng: Random) -> list[dict[str, object]]:
    x, rows = 2, []
    for goal in ROUND * rounds:
        target = "onions" if goal == "get_onion" else "pot"
        while True:
            at = next((tile for tile, place in KITCHEN.items() if place == x), "counter")
            key = "interact" if x == KITCHEN[target] else "left" if x > KITCHEN[target] else "right"
            key = "stay" if rng.random() < 0.2 else key
            is_done = key == "interact"
            distances = {"d_onions": x, "d_pot": 4 - x, "d_dishes": 9, "d_serving": 9}
            rows.append(
                {"pair": pair, "trial": f"{pair}-hall", "layout": "hall", "player": player, "step": len(rows)}
                | {"action": key, "x": x, "y": 1, "facing": "up", "facing_tile": at, "held": "none", **distances}
                | {"event": goal if is_done else "", "goal": goal}
            )
            if is_done:
                break
            x += {"left": -1, "right": 1}.get(key, 0)
    return rows


def crafting(players: int = 4, episodes: int = 10, seed: int = 1) -> list[dict[str, object]]:
    """Return a log of players who walk to a tree, hit it, and then to some water and drink."""
    rng = Random(seed)
    rows: list[dict[str, object]] = []
    for player in range(players):
        for episode in range(episodes):
            code, phase = f"P{player}-{episode:02d}", "trial" if episode < 2 else "main"
            rows += _episode(f"P{player}", code, phase, rng)
    return rows


def _episode(player: str, episode: str, phase: str, rng: Random) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    done: set[str] = set()
    for goal, thing in (("collect_wood", "tree"), ("collect_drink", "water")):
        for distance in range(rng.randint(3, 6), 0, -1):
            is_done = distance == 1
            row: dict[str, object] = {"player": player, "phase": phase, "episode": episode, "step": len(rows) + 1}
            row |= {"action": "do" if is_done else "move_left", "facing_tile": thing if is_done else "grass"}
            row |= {f"d_{each}": distance if each == thing else -1 for each in THINGS}
            row |= {"wood": len(done), **{f"has_{name}": int(name in done) for name in UNLOCKS}}
            rows.append(row | {"unlock": goal if is_done else "", "goal": goal})
        done.add(goal)
    return rows


def saved(rows: list[dict[str, object]], columns: list[str], folder: Path) -> Path:
    """Write a log as the human ones are, and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / "events.csv.gz", "wt", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, columns)
        table.writeheader()
        table.writerows(rows)
    return folder
