"""Web pages of reports: one file, no network, light and dark.

`web_page` puts the parts of a page together; `table`, `bullets` and `paragraph` are its texts, and pictures come from
`telos.svg`, whose style sheet the page has.
"""

from collections.abc import Collection, Iterable, Sequence

from telos.svg import STYLE_SHEET, element, escape_text

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


def web_page(title: str, body: Iterable[str], *, style: str = "") -> str:
    """Return the text of a page; ``body`` is HTML, ``style`` is added to the style sheet."""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape_text(title)}</title><style>{_STYLE}{STYLE_SHEET}{style}</style>"
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n' + "\n".join(body) + "\n</body></html>\n"


def heading(words: str, level: int = 2, *, anchor: str = "") -> str:
    """Return a heading; ``anchor`` is its name in the address of the page."""
    return element(f"h{level}", escape_text(words), **({"id": anchor} if anchor else {}))


def paragraph(words: str, *, tag: str = "") -> str:
    """Return a paragraph of minor text; ``tag`` is a word in a frame before it."""
    marked = f'<span class="tag">{escape_text(tag)}</span> ' if tag else ""
    return f'<p class="soft">{marked}{escape_text(words)}</p>'


def bullets(items: Iterable[str]) -> str:
    """Return a list."""
    return element("ul", "".join(element("li", escape_text(each)) for each in items))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, text_columns: Collection[int] = (0,)) -> str:
    """Return a table that scrolls if it is wide; columns other than ``text_columns`` are numbers.

    >>> table(["goal", "share"], [["fish", "41 %"]])[:64]
    '<div class="scroll"><table><thead><tr><th class="">goal</th><th '
    """

    def cells(name: str, values: Sequence[str]) -> str:
        looks = ("" if place in text_columns else "n" for place in range(len(values)))
        return "".join(element(name, escape_text(each), class_=look) for each, look in zip(values, looks, strict=True))

    inside = "".join(element("tr", cells("td", row)) for row in rows)
    head = element("thead", element("tr", cells("th", columns)))
    return element("div", element("table", head + element("tbody", inside)), class_="scroll")
