"""Make the dirty log of an invented game, to walk the whole road with: docs/how-to/read-any-log.md.

    python examples/logs/make_dirty_log.py FOLDER [--players 60] [--seed 1] [--faults 5]

Harvest is a farm game that does not exist. Its players are simulated: each pursues one goal after the other (water a
field until it is ripe, fish until there is a catch, sell at the market), with mistakes, over some weeks. The log is
JSON Lines with nested parameters and times with zones, a file a day, some packed. Into it go some faults of every kind:
lines that are cut or no JSON, rows without a player, an action or a time, times that are none, values of another type,
actions of another build, goals that do not exist, rows that stand twice, rows that came late.
"""

import argparse
import gzip
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from random import Random
from typing import Any

GOALS = {
    "harvest": ("field", ["water", "water", "weed", "walk"], "reap"),
    "fish": ("lake", ["cast", "cast", "cast", "walk"], "catch"),
    "sell": ("market", ["offer", "offer", "haggle", "walk"], "deal"),
}
NEXT = {
    "harvest": ["sell", "sell", "fish"],
    "fish": ["sell", "harvest", "fish"],
    "sell": ["harvest", "harvest", "fish"],
}
START = datetime(2026, 3, 2, 8, tzinfo=UTC)
ZONES = [timezone(timedelta(hours=hours)) for hours in (0, 1, -5, 9)]
Row = dict[str, Any]
Fault = Callable[[Row, Random], Row | str]


def play(number: int, rng: Random) -> Iterator[tuple[datetime, Row]]:
    """Yield the events of one player, each with its time."""
    player, zone = f"p{number:03}", rng.choice(ZONES)
    platform = rng.choice(["pc", "phone", "phone"])
    patience = rng.uniform(0.75, 0.98) if platform == "pc" else rng.uniform(0.6, 0.95)
    goal = rng.choice(list(GOALS))
    for session in range(rng.randint(2, 5)):
        now = START + timedelta(days=6 * session + rng.random(), minutes=rng.randint(0, 600))
        gold = 5
        for _ in range(rng.randint(3, 8)):
            area, deeds, end = GOALS[goal]
            given_up = rng.random() > patience
            deeds = [rng.choice(deeds) for _ in range(rng.randint(3, 9))]
            for deed in [*deeds, "walk" if given_up else end]:
                gold += 3 if deed == "deal" else 0
                near_water = area == "lake" or (area == "field" and rng.random() < 0.3)
                params = {"near_water": near_water, "gold": gold, "area": area if rng.random() < 0.95 else "road"}
                row = {
                    "ts": now.astimezone(zone).isoformat(timespec="milliseconds"),
                    "player_id": player,
                    "session": f"{player}-{session}",
                    "event": deed,
                    "params": params,
                    "achieved": goal if deed == end else None,
                    "platform": platform,
                    "build": "1.4.2",
                }
                yield now, row
                now += timedelta(seconds=rng.uniform(0.5, 6))
            goal = rng.choice(NEXT[goal])


def _without(key: str) -> Fault:
    return lambda row, rng: {name: value for name, value in row.items() if name != key}


def _with(key: str, *values: Any) -> Fault:
    return lambda row, rng: {**row, key: rng.choice(values)}


FAULTS: dict[str, Fault] = {
    "cut": lambda row, rng: json.dumps(row)[: rng.randint(5, 60)],
    "no JSON": lambda row, rng: "-- restarted --",
    "no player": _without("player_id"),
    "no action": _with("event", "", None),
    "no time": _without("ts"),
    "bad time": _with("ts", "yesterday", "2026-13-45T99:00:00Z"),
    "bad value": lambda row, rng: {**row, "params": {**row["params"], "gold": rng.choice(["many", "3 coins"])}},
    "unknown action": _with("event", "debug_spawn", "crash_report"),
    "unknown goal": _with("achieved", "dragon"),
}


def dirty(rows: list[tuple[datetime, Row]], faults: int, rng: Random) -> Iterator[tuple[datetime, str]]:
    """Yield the lines of a log with so many faults of each kind, in no particular order where rows are late."""
    plain = [place for place, (_, row) in enumerate(rows) if row["achieved"] is None]
    chosen = iter(rng.sample(plain, faults * (len(FAULTS) + 2)))
    broken = {next(chosen): fault for fault in FAULTS.values() for _ in range(faults)}
    twice, late = ({next(chosen) for _ in range(faults)} for _ in range(2))
    for place, (time, row) in enumerate(rows):
        made = broken[place](row, rng) if place in broken else row
        line = made if isinstance(made, str) else json.dumps(made)
        yield time + timedelta(minutes=1 if place in late else 0), line
        if place in twice:
            yield time, line


def write_log(folder: Path, *, players: int = 60, seed: int = 1, faults: int = 5) -> int:
    """Write the log, a file a day, every other one packed; return the number of its lines."""
    rng = Random(seed)
    rows = sorted((event for number in range(players) for event in play(number, rng)), key=lambda event: event[0])
    by_day: dict[str, list[str]] = {}
    lines = sorted(dirty(rows, faults, rng), key=lambda line: line[0])
    for time, line in lines:
        by_day.setdefault(time.strftime("%Y-%m-%d"), []).append(line)
    folder.mkdir(parents=True, exist_ok=True)
    for number, (day, texts) in enumerate(by_day.items()):
        data = ("\n".join(texts) + "\n").encode()
        if number % 2:
            (folder / f"{day}.jsonl.gz").write_bytes(gzip.compress(data, mtime=0))
        else:
            (folder / f"{day}.jsonl").write_bytes(data)
    return len(lines)


def main() -> None:
    """Write the log."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--players", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=int, default=5)
    options = parser.parse_args()
    lines = write_log(options.folder, players=options.players, seed=options.seed, faults=options.faults)
    print(f"{lines:,} lines of {options.players} simulated players, with {options.faults} faults of each kind")


if __name__ == "__main__":
    main()
