"""The files behind a game: `Library` opens and saves them, `find_faults` checks them, `compare` runs two versions.

`completions` returns what may stand at the cursor of the editor.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.studio.models.compare import ModelComparison, compare, find_faults
    from telos.studio.models.completion import Completion, completions
    from telos.studio.models.library import Library, StoredFile

__all__ = ["Completion", "Library", "ModelComparison", "StoredFile", "compare", "completions", "find_faults"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "Completion": "completion",
        "Library": "library",
        "ModelComparison": "compare",
        "StoredFile": "library",
        "compare": "compare",
        "completions": "completion",
        "find_faults": "compare",
    },
)
