"""A house whose inhabitants act on their motives: goal-oriented behaviour with smart objects.

    house (data) ──▶ floor (plan, places) ──▶ home (the world) ◀──▶ household (minds) ──▶ trace, terminal, plot

``Home`` is the world, ``Household`` runs it with minds; ``POKES`` lists what an onlooker may do to it.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.worlds.home.floor import FloorPlan
    from telos.worlds.home.home import POKES, Home, Offer, apply_poke, available_pokes
    from telos.worlds.home.household import Household
    from telos.worlds.home.motives_file import MotiveTable, parse_motives
    from telos.worlds.home.terminal import HomeScreen
    from telos.worlds.home.trace import HomeLog
    from telos.worlds.home.views import HomeView, PersonView

__all__ = [
    "POKES",
    "FloorPlan",
    "Home",
    "HomeLog",
    "HomeScreen",
    "HomeView",
    "Household",
    "MotiveTable",
    "Offer",
    "PersonView",
    "apply_poke",
    "available_pokes",
    "parse_motives",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "POKES": "home",
        "FloorPlan": "floor",
        "Home": "home",
        "HomeLog": "trace",
        "HomeScreen": "terminal",
        "HomeView": "views",
        "Household": "household",
        "MotiveTable": "motives_file",
        "Offer": "home",
        "PersonView": "views",
        "apply_poke": "home",
        "available_pokes": "home",
        "parse_motives": "motives_file",
    },
)
