"""Models with measures of an invented game, and random logs of it in which values are missing."""

from random import Random
from typing import Any

import polars as pl

HEAD = """
goals: [a, b, c]
context:
  {speed: number, height: number, heading: number, door: number, quick: bool, chest_taken: bool, cause: [input, tick]}
moments: [quick]
clock: {on: [input], every: 1 s}
transitions: {lasts: 8 updates, when: [{if: chest_taken, from any: {a: 0.6, others: shared}}]}
"""
MEASURES = """
measures:
  speed:
    distribution: gamma
    if: quick
    strength: 3
    goals: {a: {mean: 2, deviation: 1}, b: {mean: 5, deviation: 1.5}, c: {mean: 1, deviation: 2}}
  height: {distribution: gaussian, usual: {mean: 0, deviation: 3}, goals: {b: {mean: 4, deviation: 1}}}
  heading:
    distribution: von_mises
    unit: degrees
    usual: {mean: 0, concentration: 0}
    goals: {a: {mean: 10, concentration: 3, around: door}, c: {mean: 90, concentration: 1}}
"""
FFBM_TEXT = f"""recognizer: ffbm{HEAD}
outcomes: {{hit: action == hit, other: true}}
observations: {{a: {{hit: 0.7, other: 0.3}}, b: {{hit: 0.4, other: 0.6}}, c: {{hit: 0.1, other: 0.9}}}}
{MEASURES}"""
IOHMM_TEXT = f"""recognizer: iohmm{HEAD}
observations: {{hit: action == hit, other: true}}
counts: {{a: {{hit: 6, other: 2}}, b: {{hit: 3, other: 5}}, c: {{other: 9}}}}
{MEASURES}"""
TEXTS = {"ffbm": FFBM_TEXT, "iohmm": IOHMM_TEXT}


def draw_frame(seed: int, rows: int = 60) -> pl.DataFrame:
    rng = Random(seed)

    def maybe(value: Any) -> Any:
        return None if rng.random() < 0.25 else value

    found = []
    for number in range(rows):
        found.append(
            {
                "player": rng.choice(["ann", "bo"]),
                "time": number * 0.4,
                "action": rng.choice(["hit", "walk"]),
                "cause": rng.choice(["input", "tick"]),
                "speed": maybe(rng.choice([0.0, rng.gammavariate(2, 1.5), 1e7])),
                "height": maybe(rng.gauss(0, 4)),
                "heading": maybe(rng.uniform(-720, 720)),
                "door": maybe(rng.uniform(-180, 180)),
                "quick": rng.random() < 0.5,
                "chest_taken": rng.random() < 0.1,
                "truth": maybe(rng.choice("abc")),
            }
        )
    return pl.DataFrame(found, schema_overrides=dict.fromkeys(("speed", "height", "heading", "door"), pl.Float64))
