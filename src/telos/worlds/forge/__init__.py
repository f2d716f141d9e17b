"""A village scene: a locked door, three plans to open it, and a companion that recognises the player's plan and helps.

    domain (forge.yaml) ──▶ forge (the world) ◀── player (simulated)      both act through commands
                                  ▲
                                  └── companion (mind, recogniser) ◀── speech (ambiguous requests)

``ForgeScene`` runs them together step by step; trace records tell what happened, ``describe`` puts them into words.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.worlds.forge.companion import ForgeCompanion, load_plan_grammar
    from telos.worlds.forge.domain import DOMAIN, PLANS, Village, load_forge_domain, load_village
    from telos.worlds.forge.forge import Forge
    from telos.worlds.forge.player import PlayerLimits, SimulatedPlayer
    from telos.worlds.forge.scene import ForgeScene, ForgeSceneView
    from telos.worlds.forge.speech import load_utterances, parse_utterances, understand
    from telos.worlds.forge.terminal import ForgeFrame
    from telos.worlds.forge.trace import BeliefUpdated, DoorOpened, ForgeSpeech, PlanChanged, describe
    from telos.worlds.forge.views import ForgeView, VillagerView

__all__ = [
    "DOMAIN",
    "PLANS",
    "BeliefUpdated",
    "DoorOpened",
    "Forge",
    "ForgeCompanion",
    "ForgeFrame",
    "ForgeScene",
    "ForgeSceneView",
    "ForgeSpeech",
    "ForgeView",
    "PlanChanged",
    "PlayerLimits",
    "SimulatedPlayer",
    "Village",
    "VillagerView",
    "describe",
    "load_forge_domain",
    "load_plan_grammar",
    "load_utterances",
    "load_village",
    "parse_utterances",
    "understand",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "DOMAIN": "domain",
        "PLANS": "domain",
        "BeliefUpdated": "trace",
        "DoorOpened": "trace",
        "Forge": "forge",
        "ForgeCompanion": "companion",
        "ForgeFrame": "terminal",
        "ForgeScene": "scene",
        "ForgeSceneView": "scene",
        "ForgeSpeech": "trace",
        "ForgeView": "views",
        "PlanChanged": "trace",
        "PlayerLimits": "player",
        "SimulatedPlayer": "player",
        "Village": "domain",
        "VillagerView": "views",
        "describe": "trace",
        "load_forge_domain": "domain",
        "load_plan_grammar": "companion",
        "load_utterances": "speech",
        "load_village": "domain",
        "parse_utterances": "speech",
        "understand": "speech",
    },
)
