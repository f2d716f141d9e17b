"""Lazy package exports: public names that are imported from their module when they are first used."""

from sys import modules

TYPE_CHECKING = False  # as in typing, which takes longer to import than all else that `import telos` needs
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def lazy_exports(package: str, homes: "Mapping[str, str]") -> "tuple[Callable[[str], Any], Callable[[], list[str]]]":
    """Return ``__getattr__`` and ``__dir__`` of a package whose public names stand in ``homes``, name to submodule.

    A name whose home is the empty text is a submodule itself.

    A package front that would load NumPy, Numba or a data-frame library calls it once, at module level:

        __getattr__, __dir__ = lazy_exports(__name__, {"Planner": "planner", "plan_many": "batch"})
    """

    def load_name(name: str) -> "Any":
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module  # here: `import telos` needs it no sooner

        home = homes[name]
        value = getattr(import_module(f"{package}.{home}"), name) if home else import_module(f"{package}.{name}")
        setattr(modules[package], name, value)  # the next use finds it without this function
        return value

    def list_names() -> list[str]:
        return sorted({*vars(modules[package]), *homes})

    return load_name, list_names
