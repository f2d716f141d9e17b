"""MkDocs hooks of the documentation site: navigation, links to files outside ``docs/``, and generated pages.

Nothing lists pages by hand. Navigation comes from folders: a folder's ``README.md`` is its index, the order and the
groups of its links are those of its pages, and pages that it does not mention follow under *More*. Links to files
outside ``docs/`` (examples, data, the changelog) lead to generated pages that show them, so that the site is whole
without a repository beside it. The reference is made in ``reference.py``.
"""

import fnmatch
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from reference import list_packages, write_commands_page, write_files_page, write_package_page, write_reference_index

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
# The tabs, and what is in them: pages, and folders as ``folder/*``. The first folder of a tab is its main part, others
# are sections of it. A page is in the first tab that it fits; the last tab takes the rest.
TABS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Start", ("README.md", "start/README.md", "start/studio.md")),
    ("Tutorials", ("start/*",)),
    ("How-to", ("how-to/*",)),
    ("Concepts", ("concepts/*", "scenes/*")),
    ("Reference", ("reference/*", "glossary.md", "reliability.md")),
    ("Studies", ("studies/*",)),
    ("Project", ("compared-with.md", "architecture.md", "*.md", "decisions/*", "*")),
)
# Pages made of files in the root of the repository.
ROOT_PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "README.md": "README.md",  # its place is taken by the landing page
}
MORE = "More"
LANGUAGES = {".py": "python", ".yaml": "yaml", ".yml": "yaml", ".json": "json", ".jsonl": "json", ".toml": "toml"}
LONGEST = 400  # lines of a file that its page shows

_LINK = re.compile(r"(?<!!)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)#:\s]+)(?P<anchor>#[^)\s]*)?\)")
_FENCE = re.compile(r"^\s*(```|~~~)")
_HEADING = re.compile(r"^## +(.*)$")
_LIST_ITEM = re.compile(r"^(\s*)(?:[-*]|\d+\.) ")


# --- navigation -------------------------------------------------------------------------------------------------------


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Make the navigation from the folders."""
    config.nav = build_navigation(list_pages())
    return config


def list_pages() -> list[str]:
    """Return the paths of all pages in the navigation, authored and generated, relative to ``docs/``."""
    authored = [path.relative_to(DOCS).as_posix() for path in sorted(DOCS.rglob("*.md"))]
    made = [page for source, page in ROOT_PAGES.items() if (ROOT / source).exists() and page != "README.md"]
    return [*authored, *made, *(uri for uri, _ in write_reference())]


def build_navigation(pages: Iterable[str]) -> list[Any]:
    """Return the navigation of these pages as MkDocs wants it.

    >>> build_navigation(["start/first-step.md", "news.md"])
    [{'Tutorials': ['start/first-step.md']}, {'Project': ['news.md']}]
    """
    left = sorted(pages)
    navigation: list[Any] = []
    for name, patterns in TABS:
        entries: list[Any] = []
        for pattern in patterns:
            found = [page for page in left if fnmatch.fnmatchcase(page, pattern)]
            if not pattern.endswith("/*"):
                found = [page for page in found if pattern == "*" or page.count("/") == pattern.count("/")]
            left = [page for page in left if page not in found]
            for folder in dict.fromkeys(map(posixpath.dirname, found)):
                arranged = arrange_folder(folder, [page for page in found if posixpath.dirname(page) == folder])
                is_section = bool(entries) and (pattern.endswith("/*") or (pattern == "*" and folder != ""))
                entries += [{folder.replace("-", " ").capitalize(): arranged}] if is_section else arranged
        if entries:
            navigation.append({name: entries})
    return navigation


def arrange_folder(folder: str, pages: list[str]) -> list[Any]:
    """Return the pages of a folder in the order, and under the headings, of the links in its ``README.md``."""
    index = posixpath.join(folder, "README.md")
    entries: list[Any] = [index] if index in pages else []
    left = [page for page in pages if page != index]
    groups: dict[str, list[str]] = {}
    for heading, target in _read_index(index) if folder else ():
        if target in left:
            left.remove(target)
            groups.setdefault(heading, []).append(target)
    entries += groups.pop("", [])
    entries += [{heading: inside} for heading, inside in groups.items()]
    return entries + ([{MORE: left}] if left and groups else left)


def _read_index(index: str) -> Iterator[tuple[str, str]]:
    """Yield the pages that an index links to, each with the heading above the link."""
    if index == "reference/README.md":
        yield from (("", f"reference/{page}.md") for page in ("commands", "files"))
        yield from ((room, f"reference/{package}.md") for room, package in list_packages())
        return
    heading = ""
    path = DOCS / index
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        if titled := _HEADING.match(line):
            heading = titled[1]
        for link in _LINK.finditer(line):
            yield heading, posixpath.normpath(posixpath.join(posixpath.dirname(index), link["target"]))


# --- generated pages --------------------------------------------------------------------------------------------------


def write_reference() -> list[tuple[str, str]]:
    """Return the pages of the reference: path and text."""
    packages = [(f"reference/{name}.md", write_package_page(name)) for _, name in list_packages()]
    return [
        ("reference/README.md", write_reference_index()),
        ("reference/commands.md", write_commands_page()),
        ("reference/files.md", write_files_page()),
        *packages,
    ]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made, and those of the files that pages link to."""
    for source, page in ROOT_PAGES.items():
        if page != "README.md" and (ROOT / source).exists():
            files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    for uri, text in write_reference():
        files.append(File.generated(config, uri, content=text))
    for target in sorted(find_outside_targets()):
        files.append(File.generated(config, source_page(target), content=_show_source(target)))
    return files


def find_outside_targets() -> set[str]:
    """Return the files and folders outside ``docs/`` that pages link to, and the files in those folders."""
    found: set[str] = set()
    origins = [*(f"docs/{path.relative_to(DOCS).as_posix()}" for path in DOCS.rglob("*.md")), *ROOT_PAGES]
    for origin in origins:
        if (ROOT / origin).exists() and origin != "README.md":
            text = (ROOT / origin).read_text(encoding="utf-8")
            found |= {target for target in map(_resolver(origin), _find_links(text)) if _is_outside(target)}
    for folder in [each for each in found if (ROOT / each).is_dir()]:
        found |= {f"{folder}/{path.name}" for path in sorted((ROOT / folder).iterdir()) if _is_shown(path)}
    return found


def source_page(target: str) -> str:
    """Return the page that shows a file or a folder outside ``docs/``."""
    return f"source/{target}.md"


def _is_outside(target: str) -> bool:
    if target.startswith(("docs/", "../")) or target in ROOT_PAGES:
        return False
    return (ROOT / target).exists()


def _is_shown(path: Path) -> bool:
    """Whether a file is a text that a page can show."""
    if not path.is_file() or path.name.startswith("."):
        return False
    with path.open("rb") as file:
        return b"\0" not in file.read(4096)


def _show_source(target: str) -> str:
    path = ROOT / target
    if path.is_dir():
        inside = [each for each in sorted(path.iterdir()) if _is_shown(each)]
        rows = "\n".join(f"- [{each.name}]({path.name}/{each.name}.md)" for each in inside)
        return f"# `{target}`\n\n{rows}\n"
    lines = path.read_text(encoding="utf-8").splitlines()
    more = f"\n{len(lines) - LONGEST} more lines are in the repository.\n" if len(lines) > LONGEST else ""
    language = LANGUAGES.get(path.suffix, "text")
    code = "\n".join(lines[:LONGEST])
    return f"# `{target}`\n\n`````{language}\n{code}\n`````\n{more}"


# --- text -------------------------------------------------------------------------------------------------------------


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Make a page of the repository one of the site: links, lists and prompts."""
    uri = page.file.src_uri
    if uri.startswith(("source/", "reference/")):
        return markdown
    origin = next((source for source, made in ROOT_PAGES.items() if made == uri != "README.md"), f"docs/{uri}")
    resolve = _resolver(origin)

    def relink(link: re.Match[str]) -> str:
        target = resolve(link["target"])
        if _is_outside(target):
            there = source_page(target)
        elif target in ROOT_PAGES:
            there = ROOT_PAGES[target]
        elif target.startswith("docs/"):
            there = target.removeprefix("docs/")
        else:
            return link[0]  # MkDocs reports it
        return f"[{link['text']}]({posixpath.relpath(there, posixpath.dirname(uri) or '.')}{link['anchor'] or ''})"

    return rewrite_text(markdown, lambda text: _LINK.sub(relink, text))


def rewrite_text(markdown: str, rewrite: Callable[[str], str]) -> str:
    """Apply ``rewrite`` to the text between code, and write lists and prompts as Python-Markdown wants them.

    A list may follow a line of text on other sites, but needs an empty line here; a block of Python with prompts is
    highlighted as a session.
    """
    done: list[str] = []
    lines: list[str] = []  # of the part that is read: text, or code
    is_code = False
    source = markdown.splitlines()
    for number, line in enumerate(source):
        if _FENCE.match(line):
            done.append(_join(lines) if is_code else rewrite(_join(lines)))
            lines = []
            is_code = not is_code
            following = source[number + 1] if number + 1 < len(source) else ""
            if is_code and line.strip() == "```python" and following.lstrip().startswith(">>>"):
                line = line.replace("python", "pycon")
        elif not is_code and _LIST_ITEM.match(line) and lines and lines[-1].strip() and not _is_in_list(lines):
            lines.append("")
        lines.append(line)
    return "".join([*done, _join(lines) if is_code else rewrite(_join(lines))])


def _join(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _is_in_list(lines: list[str]) -> bool:
    """Return whether the last paragraph belongs to a list."""
    for line in reversed(lines):
        if not line.strip():
            return False
        if _LIST_ITEM.match(line):
            return True
    return False


def _find_links(markdown: str) -> list[str]:
    found: list[str] = []

    def remember(text: str) -> str:
        found.extend(link["target"] for link in _LINK.finditer(text))
        return text

    rewrite_text(markdown, remember)
    return found


def _resolver(origin: str) -> Callable[[str], str]:
    """Return a function that gives the path of a link target in the repository."""
    folder = posixpath.dirname(origin)
    return lambda target: posixpath.normpath(posixpath.join(folder, target))
