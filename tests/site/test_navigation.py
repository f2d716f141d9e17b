"""The site's navigation and generated pages: every page is in exactly one place, and nothing is listed by hand."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
pytest.importorskip("mkdocs", reason='the site is built with the extra: pip install "telos[docs]"')


@pytest.fixture(scope="module")
def documentation() -> Iterator[ModuleType]:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        yield importlib.import_module("documentation")
    finally:
        sys.path.remove(str(ROOT / "tools"))


@pytest.fixture(scope="module")
def reference(documentation: ModuleType) -> ModuleType:
    return sys.modules["reference"]


def leaves(entries: Any) -> Iterator[str]:
    if isinstance(entries, str):
        yield entries
    elif isinstance(entries, dict):
        for inside in entries.values():
            yield from leaves(inside)
    else:
        for each in entries:
            yield from leaves(each)


def test_every_page_is_in_the_navigation_once(documentation: ModuleType) -> None:
    pages = documentation.list_pages()
    assert sorted(leaves(documentation.build_navigation(pages))) == sorted(pages)
    authored = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert authored <= set(pages)


def test_a_new_page_needs_no_list(documentation: ModuleType) -> None:
    navigation = documentation.build_navigation([*documentation.list_pages(), "how-to/zz-new.md", "engines/unity.md"])
    tabs = {name: inside for each in navigation for name, inside in each.items()}
    assert tabs["How-to"][-1] == {"More": ["how-to/zz-new.md"]}
    assert {"Engines": ["engines/unity.md"]} in tabs["Project"]


def test_tabs_are_those_that_a_stranger_looks_for(documentation: ModuleType) -> None:
    names = [name for each in documentation.build_navigation(documentation.list_pages()) for name in each]
    assert names == ["Start", "Tutorials", "How-to", "Concepts", "Reference", "Studies", "Project"]


def test_the_reference_has_the_public_packages_and_no_inner_ones(reference: ModuleType) -> None:
    names = [name for _, name in reference.list_packages()]
    assert {"telos", "telos.checks", "telos.planning", "telos.planning.htn", "telos.recognition"} <= set(names)
    assert not [name for name in names if name.startswith(("telos.cli", "telos.studio.page"))]


def test_the_reference_has_every_command_and_every_kind_of_file(reference: ModuleType) -> None:
    from telos.cli.main import COMMANDS
    from telos.files import FORMATS

    commands, files = reference.write_commands_page(), reference.write_files_page()
    assert not [name for name in COMMANDS if f"## `telos {name}`" not in commands]
    assert "`telos study gold-flairs`" in commands
    assert "`--seed`" in commands
    assert not [kind for kind in FORMATS if f"(kind `{kind}`)" not in files]
    assert "| `insistence` |" in files


def test_lists_get_the_empty_line_that_they_need(documentation: ModuleType) -> None:
    said = documentation.rewrite_text("It has:\n- one\n- two\n\n```yaml\na:\n- b\n```\n", lambda line: line)
    assert said == "It has:\n\n- one\n- two\n\n```yaml\na:\n- b\n```\n"


def test_links_are_found_across_lines_and_not_in_code(documentation: ModuleType) -> None:
    text = "See [a long\nname](docs/a.md).\n\n```sh\ncat [x](docs/b.md)\n```\n"
    assert documentation.rewrite_text(text, lambda part: part.replace("docs/", "")) == text.replace("docs/a", "a")
    assert documentation._find_links(text) == ["docs/a.md"]


def test_examples_of_docstrings_are_fenced() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        fence = importlib.import_module("docstrings").fence_examples
    finally:
        sys.path.remove(str(ROOT / "tools"))
    assert fence("Add.\n\n>>> 1 + 1\n2\n\nThat is all.") == "Add.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nThat is all."
