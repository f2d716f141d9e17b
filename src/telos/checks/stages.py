"""The promises of a stage, as a test that anyone's world can be put to before it is shown in the studio."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from telos.core.errors import TelosError
from telos.studio.drawing.palette import ROLES
from telos.studio.drawing.shapes import Picture, Symbols
from telos.studio.stage import Happening, Inputs, Stage, World

_NONSENSE = Inputs(asked=("no stage knows what this is",))
_COLOURS = {"r": (5, 7), "c": (4, 5), "l": (5,), "p": (2, 3), "t": (4,)}  # where a shape of each kind has them


def check_stage(
    world: World,
    settings: Mapping[str, str] | None = None,
    *,
    held: Sequence[str] = ("",),
    seed: int = 7,
    steps: int = 60,
) -> None:
    """Raise ``AssertionError`` at the first promise that a world of the studio breaks; ``held`` are keys, in turn."""
    chosen = world.chosen(settings or {})
    watched, alone = world.make(seed, chosen), world.make(seed, chosen)
    _check_models(watched)
    for number in range(steps):
        inputs = Inputs(held[number % len(held)])
        before = watched.time
        _look(watched)  # at one of them often, at the other never
        happened, again = watched.step(inputs), alone.step(inputs)
        assert [_told(each) for each in happened] == [_told(each) for each in again], "looking on changed what happened"
        assert watched.time >= before, f"time ran backwards, from {before} to {watched.time}"
        if watched.over:
            break
    assert _shown(watched) == _shown(alone), (
        "the same seed and inputs must show the same, however often it is looked at"
    )
    _check_refusal(watched)


def _look(stage: Stage) -> None:
    """Look at everything, and check that what is seen can be shown."""
    key, backdrop = stage.backdrop()
    assert (key, backdrop) == stage.backdrop(), "looking at the backdrop changed it"
    for picture in (backdrop, stage.picture()):
        _check_picture(picture, stage.symbols)
    json.dumps([stage.picture(), stage.hud().task, dict(stage.bands()), list(stage.commands())], allow_nan=False)
    for group, values in stage.curves().items():
        assert all(0 <= value <= 1 for value in values.values()), f"the curves of {group!r} leave 0 to 1: {values}"
    for who in stage.characters():
        sheet = stage.mind(who)
        assert sheet is None or sheet.who, f"the mind of {who!r} is nobody's"
    assert stage.mind("nobody of this name") is None, "nobody has no mind"
    names = [poke.name for poke in stage.pokes()]
    assert len(set(names)) == len(names), f"two pokes are called the same: {names}"


def _check_picture(picture: Picture, symbols: Symbols) -> None:
    for shape in picture:
        used: list[str] = []
        if shape[0] == "s":
            assert shape[2] in symbols, f"the symbol {shape[2]!r} is not among those of the stage"
            used += [colour for fill, _, stroke, _ in symbols[shape[2]] for colour in (fill, stroke)]
            used += [str(shape[7].get(option, "")) for option in ("tint", "glow")]
        else:
            assert shape[0] in _COLOURS, f"nobody can draw a {shape[0]!r}"
            used += [shape[at] for at in _COLOURS[shape[0]]]
        strange = [colour for colour in used if colour and colour.partition("/")[0] not in ROLES]
        assert not strange, f"{strange[0]!r} is no role of the palette"


def _check_models(stage: Stage) -> None:
    names = [model.name for model in stage.models()]
    assert len(set(names)) == len(names), f"two models are called the same: {names}"
    for model in stage.models():
        if model.make is not None:
            assert model.make(model.text).goals, f"the model {model.name!r} tells no goals apart"
        if model.check is not None:
            assert not model.check(model.text), f"the model {model.name!r} has faults as it is"


def _check_refusal(stage: Stage) -> None:
    """What makes no sense is refused before anything happens, or is no matter."""
    before = _shown(stage)
    try:
        stage.step(_NONSENSE)
    except TelosError:
        assert _shown(stage) == before, "a refused step changed the world"


def _shown(stage: Stage) -> Any:
    return stage.time, stage.truth, stage.backdrop(), stage.picture(), stage.hud(), dict(stage.bands())


def _told(happening: Happening) -> Any:
    return happening.time, happening.who, happening.label, happening.kind, happening.event
