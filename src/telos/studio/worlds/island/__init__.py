"""The island in the studio: start with `IslandStage`.

`stage` has the game, its models and minds, `controls` what a visitor may do, `drawing` the pictures.
"""

from telos.studio.worlds.island.stage import ISLAND, IslandStage, island_models

__all__ = ["ISLAND", "IslandStage", "island_models"]
