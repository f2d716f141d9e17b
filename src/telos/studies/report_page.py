"""What every page of a study shares: its frame and looks, tables, lists, and how it is written to disk."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from telos.core.errors import TelosError
from telos.studies.figures_svg import STYLE_SHEET, alone

_STYLE = """
:root { color-scheme: light dark; --ink: #1f2430; --soft: #5f6773; --rule: #e3e6ea; --paper: #ffffff; --wash: #f5f6f8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --soft: #a3abb8; --rule: #333a45; --paper: #171a20; --wash: #1e222a; } }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 66rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .2rem; } h2 { font-size: 1.3rem; margin: 2.6rem 0 .6rem; }
h3 { margin: 1.6rem 0 .4rem; }
.soft { color: var(--soft); } .tag { border: 1px solid var(--soft); border-radius: 1rem; padding: 0 .6rem;
  font-size: .85rem; }
.row { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1rem; align-items: start; }
figure { margin: 0; } figcaption { color: var(--soft); font-size: .85rem; } svg { width: 100%; height: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--rule); } th { font-weight: 600; }
th { vertical-align: bottom; } td.n, th.n { text-align: right; } td.n { white-space: nowrap; }
td:first-child { min-width: 13rem; } td:last-child { white-space: normal; }
li { margin: .35rem 0; } .findings { background: var(--wash); border-radius: .5rem; padding: .8rem 1.2rem; }
"""


def framed(title: str, body: Iterable[str]) -> str:
    """Return a whole page that needs no network."""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}{STYLE_SHEET}</style>"
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n' + "\n".join(body) + "\n</body></html>\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; all but its first column are numbers."""

    def cells(tag: str, values: Sequence[str]) -> str:
        return "".join(f'<{tag} class="{"n" if at else ""}">{escape(each)}</{tag}>' for at, each in enumerate(values))

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{cells("th", head)}</tr></thead><tbody>{body}</tbody></table></div>'


def listed(said: Iterable[str]) -> str:
    """Return sentences as a list."""
    return f"<ul>{''.join(f'<li>{escape(each)}</li>' for each in said)}</ul>"


def write_page(page: str, path: Path) -> None:
    """Write a page to a file."""
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise TelosError(f"cannot write the report to {str(path)!r}: {error.strerror}", "name another file") from error


def write_pictures(study: str, pictures: Mapping[str, str], folder: Path) -> list[Path]:
    """Write every picture as a file of its own, ``study-NAME-PICTURE.svg``, and return where."""
    written = []
    for key, picture in pictures.items():
        path = folder / f"study-{study}-{key.replace('_', '-')}.svg"
        try:
            path.write_text(alone(picture), encoding="utf-8")
        except OSError as error:
            raise TelosError(f"cannot write {str(path)!r}: {error.strerror}", "name another folder") from error
        written.append(path)
    return written
