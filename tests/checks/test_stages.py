"""The promises of a stage: every world of the studio keeps them, and a stage that breaks one is found out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from studio.tiny import LINE, Line
from telos.checks import check_stage
from telos.studio.stage import Happening, Hud, Inputs, Poke, world
from telos.worlds.registry import WORLDS

PLAYED: list[tuple[str, dict[str, str], tuple[str, ...]]] = [
    ("adventure", {"plays": "you"}, ("up", "right+swing", "", "left")),
    ("adventure", {"plays": "newcomer", "rules": "aiide"}, ("",)),
    ("arena", {"play": "fight"}, ("left", "shoot", "")),
    ("forge", {"play": "you"}, ("right", "", "1")),
    ("home", {"you": "Ada"}, ("",)),
    ("island", {"plays": "simulated"}, ("",)),
]


@pytest.mark.parametrize("name", list(WORLDS))
def test_studio_worlds_keep_the_contract(name: str) -> None:
    check_stage(world(name))


@pytest.mark.parametrize(("name", "settings", "held"), PLAYED)
def test_studio_worlds_keep_the_contract_while_played(
    name: str, settings: dict[str, str], held: tuple[str, ...]
) -> None:
    check_stage(world(name), settings, held=held, seed=3, steps=150)


class Restless(Line):
    def bands(self) -> Mapping[str, str]:
        self.x += 1
        return super().bands()


class Garish(Line):
    def picture(self) -> Any:
        return [["c", 1, 1, 1, "pink", "", 1]]


class Nameless(Line):
    def picture(self) -> Any:
        return [["s", "walker", "cube", 1, 1, 0, 1, {}]]


class Backwards(Line):
    @property
    def time(self) -> float:
        return -float(self.steps)


class Hasty(Line):
    def step(self, inputs: Inputs) -> Sequence[Happening]:
        self.steps += 1
        return super().step(inputs)


class Beyond(Line):
    def curves(self) -> Mapping[str, Mapping[str, float]]:
        return {"walker": {"x": 1.5}}


class Twice(Line):
    def pokes(self) -> Sequence[Poke]:
        return (Poke("jump", "Jump"), Poke("jump", "Leap"))


class Loose(Line):
    luck = 0

    def hud(self) -> Hud:
        Loose.luck += 1
        return Hud(task=f"Walk {Loose.luck}")


@pytest.mark.parametrize(
    ("broken", "word"),
    [
        (Restless, "changed what happened"),
        (Garish, "pink"),
        (Nameless, "cube"),
        (Backwards, "time"),
        (Hasty, "refused"),
        (Beyond, "leave 0 to 1"),
        (Twice, "pokes"),
        (Loose, "must show the same"),
    ],
)
def test_check_stage_finds_a_broken_promise(broken: type[Line], word: str) -> None:
    with pytest.raises(AssertionError, match=word):
        check_stage(replace(LINE, make=broken), held=("right",))
