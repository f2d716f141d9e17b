"""The studies after Gold: ``flairs`` and ``aiide`` with one seed, and both over several seeds (``flairs_seeds``,
``aiide_seeds``), with players and games as before and as the texts of the papers describe them (``variants``).
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.studies.gold.aiide_seeds import run_aiide_seeds
    from telos.studies.gold.flairs_seeds import run_flairs_seeds
    from telos.studies.gold.variants import AIIDE_SENTENCES, FLAIRS_SENTENCES, aiide_variant, flairs_variant

__all__ = [
    "AIIDE_SENTENCES",
    "FLAIRS_SENTENCES",
    "aiide_variant",
    "flairs_variant",
    "run_aiide_seeds",
    "run_flairs_seeds",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "AIIDE_SENTENCES": "variants",
        "FLAIRS_SENTENCES": "variants",
        "aiide_variant": "variants",
        "flairs_variant": "variants",
        "run_aiide_seeds": "aiide_seeds",
        "run_flairs_seeds": "flairs_seeds",
    },
)
