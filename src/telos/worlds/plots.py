"""What plots of worlds share: checking the output path, and importing matplotlib."""

from pathlib import Path
from typing import Any

from telos.core.errors import TelosError

FORMATS = (".png", ".svg", ".pdf")


def check_path(path: Path) -> None:
    """Raise a ``TelosError`` if a plot could not be written to ``path``; called before a long run."""
    if path.suffix.lower() not in FORMATS:
        raise TelosError(f"cannot draw into {str(path)!r}", f"end the name with one of {', '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise TelosError(f"cannot draw into {str(path)!r}: there is no folder {str(path.parent)!r}")
    figure_class()


def figure_class() -> Any:
    """Return matplotlib's ``Figure``; matplotlib is an optional dependency."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise TelosError("plots need matplotlib", 'install it with: pip install "telos[worlds]"') from error
    return Figure
