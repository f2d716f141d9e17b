"""The scenes that come with the package, and those of others."""

import os
from pathlib import Path

from telos.core.errors import TelosError, name_hint
from telos.core.files.text import read_text
from telos.worlds.arena.scene import Scene
from telos.worlds.arena.scene_files import read_scene

DATA = Path(__file__).parent / "data"
CHARACTERS, MAPS, SCENES = DATA / "characters", DATA / "maps", DATA / "scenes"


def scene_names() -> tuple[str, ...]:
    """Return the names of the scenes that come with the package."""
    return tuple(sorted(file.stem for file in SCENES.glob("*.yaml")))


def load_scene(scene: str | os.PathLike[str], *, characters: Path = CHARACTERS) -> Scene:
    """Read a scene of the package by its name, or any scene file by its path.

    ``characters`` is the folder with a file for each character. Maps are looked for in the folder ``maps`` beside
    the one that the scene is in, then in the package. A bad file raises a ``DefinitionError`` with all its faults.
    """
    file = Path(scene)
    if isinstance(scene, str) and file.name == scene and not file.suffix:
        if scene not in scene_names():
            remedy = name_hint(scene, scene_names()) or "name a file, as in ./flank.yaml"
            raise TelosError(f"unknown scene {scene!r}", remedy)
        file = SCENES / f"{scene}.yaml"
    known = [each.stem for each in characters.glob("*.yaml")]
    maps = [file.absolute().parent.parent / "maps", MAPS]
    return read_scene(read_text(file), file=os.fspath(file), maps=maps, characters=known)
