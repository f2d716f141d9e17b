"""The addresses in the package's metadata: of the repository and the site that a release is made from.

Neither is written into the source, which may be published from anywhere: ``TELOS_REPOSITORY`` and ``TELOS_SITE`` name
them when a release is built (docs/releases.md), and without them the metadata have no addresses.
"""

import os
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class AddressHook(MetadataHookInterface):
    """Fills in ``project.urls``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the addresses that are known."""
        repository = os.environ.get("TELOS_REPOSITORY", "").rstrip("/")
        site = os.environ.get("TELOS_SITE", "").rstrip("/")
        urls = {"Documentation": f"{site}/" if site else ""}
        if repository:
            urls |= {
                "Repository": repository,
                "Issues": f"{repository}/issues",
                "Changelog": f"{repository}/blob/main/CHANGELOG.md",
            }
        metadata["urls"] = {name: address for name, address in urls.items() if address}
