"""Draw the picture of the village in the docs: ``python docs/images/village.py``."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
os.environ["SDL_VIDEODRIVER"] = "dummy"
sys.path.insert(0, str(HERE.parents[1] / "examples" / "village"))

import pygame  # noqa: E402
from village import World  # noqa: E402
from window import PANEL, TILE, draw  # noqa: E402

FRAMES, CHOSEN = 640, "Gil"


def main() -> None:
    world = World()
    for _ in range(FRAMES):
        world.tick()
    pygame.font.init()
    columns, rows = (1 + max(each) for each in zip(*world.ground, strict=True))
    picture = pygame.Surface((columns * TILE + PANEL, rows * TILE))
    draw(picture, world, CHOSEN)
    pygame.image.save(picture, HERE / "village.png")


if __name__ == "__main__":
    main()
