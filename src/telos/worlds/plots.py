"""What plots of worlds share: checking the output path, and importing matplotlib."""

from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

from telos.core.errors import TelosError
from telos.files.writing import check_output, write_bytes

FORMATS = (".png", ".svg", ".pdf")


def check_path(path: Path, *, inputs: Iterable[Path | str | None] = ()) -> None:
    """Raise a ``TelosError`` if a plot could not be written to ``path``; called before a long run.

    A plot is never written over one of the ``inputs``.
    """
    if path.suffix.lower() not in FORMATS:
        raise TelosError(f"cannot draw into {str(path)!r}", f"end the name with one of {', '.join(FORMATS)}")
    check_output(path, inputs=inputs)
    figure_class()


def save_figure(figure: Any, path: Path, *, palette: bool = False) -> None:
    """Write a figure; the ending of the name says the format. The file is replaced whole or not at all.

    With ``palette`` a PNG has 128 colours: a third of the size, and the eye sees no difference in a line drawing.
    """
    drawn, kind = BytesIO(), path.suffix.lower().removeprefix(".")
    try:
        figure.savefig(drawn, format=kind)
        if palette and kind == "png":
            from PIL import Image  # comes with matplotlib

            drawn.seek(0)
            small = BytesIO()
            Image.open(drawn).convert("RGB").quantize(128).save(small, format="png", optimize=True)
            drawn = small
    except (OSError, ValueError) as error:
        raise TelosError(f"cannot draw into {str(path)!r}: {error}") from error
    write_bytes(path, drawn.getvalue())


def figure_class() -> Any:
    """Return matplotlib's ``Figure``; matplotlib is an optional dependency."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise TelosError("plots need matplotlib", 'install it with: pip install "telos[worlds]"') from error
    return Figure
