"""A Griffe extension: examples in docstrings become sessions of Python, and are not read as Markdown."""

from typing import Any

import griffe


class DocstringExamples(griffe.Extension):
    """Fences the doctests of every docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of an object that was loaded."""
        if obj.docstring is not None:
            obj.docstring.value = fence_examples(obj.docstring.value)


def fence_examples(text: str) -> str:
    r"""Put a fence around each doctest, which ends at an empty line.

    >>> print(fence_examples("Add.\n\n>>> 1 + 1\n2"))
    Add.
    <BLANKLINE>
    ```pycon
    >>> 1 + 1
    2
    ```
    """
    lines: list[str] = []
    indent: str | None = None  # of the example that is open
    for line in [*text.splitlines(), ""]:
        bare = line.lstrip()
        if indent is None and bare.startswith(">>>"):
            indent = line[: len(line) - len(bare)]
            if lines and lines[-1].strip():
                lines.append("")
            lines.append(f"{indent}```pycon")
        elif indent is not None and not bare:
            lines.append(f"{indent}```")
            indent = None
        lines.append(line)
    return "\n".join(lines).rstrip("\n")
