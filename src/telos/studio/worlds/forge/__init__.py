"""The forge in the studio: start with `ForgeStage`.

`stage` has the game, its models and minds, `controls` what the player may do and say, `drawing` the pictures.
"""

from telos.studio.worlds.forge.stage import FORGE, ForgeStage, make_grammar_reader

__all__ = ["FORGE", "ForgeStage", "make_grammar_reader"]
