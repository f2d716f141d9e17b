"""Getting ready before the game starts, so that no frame waits for a compiler."""

from telos.planning import native


def warm_up() -> bool:
    """Load the compiled planner now, and say whether there is one; without Numba, planning stays Python.

    The first time on a machine this takes a while; after that the compiled code comes from a cache on disk.
    """
    if not native.is_installed():
        return False
    native.load()
    return True
