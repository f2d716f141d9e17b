"""The layout that the terminal pictures share: a header with the title at its right, a map, and a panel beside it."""

from rich.style import Style
from rich.text import Text

GAP = 2  # columns between the map and the panel
EIGHTHS = " ▏▎▍▌▋▊▉"  # the last cell of a bar


def styled(text: str, style: str | Style) -> Text:
    """Return a text to which more can be appended without inheriting its style."""
    line = Text()
    line.append(text, style=style)
    return line


def labelled(name: str, value: str, *, width: int) -> Text:
    """Return a dim label of the given width and its value."""
    line = styled(f"{name:<{width}}", "dim")
    line.append(value)
    return line


def with_title(line: Text, title: str, width: int) -> Text:
    """Return a header line with the title right-aligned."""
    line.append(" " * max(1, width - line.cell_len - len(title) - 1))
    line.append(title, style="dim")
    return line


def cut(line: Text, width: int) -> Text:
    """Return the line cut to the width of the terminal."""
    line.truncate(width)
    return line


def fitted(line: Text, width: int) -> Text:
    """Return the line on one row of the terminal, cut with an ellipsis."""
    line.truncate(width, overflow="ellipsis")
    line.no_wrap = True
    return line


def beside(left: Text, right: Text, room: int) -> Text:
    """Return ``left``, cut or padded to ``room`` columns, and ``right`` after a gap."""
    left.truncate(room, overflow="ellipsis")
    left.pad_right(room + GAP - left.cell_len)
    left.append_text(right)
    return left
