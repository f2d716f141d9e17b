"""The front door: its names, its lightness, and the examples of the documentation."""

import doctest
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import telos

ROOT = Path(__file__).parents[1]
HEAVY = {"numpy", "numba", "matplotlib", "rich", "typer", "pydantic", "yaml", "asyncio", "http", "polars", "scipy"}
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_public_names_are_exactly_those_listed() -> None:
    assert sorted(telos.__all__) == telos.__all__
    assert set(telos.__all__) == set(telos._HOMES)
    assert all(getattr(telos, name) for name in telos.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'chose'"):
        telos.chose  # noqa: B018


def test_import_and_choose_load_no_heavy_library() -> None:
    code = (
        "import sys, json, telos\n"
        "telos.choose([telos.Action('a', changes={'g': -1})], [telos.Goal('g', 2)])\n"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    loaded = json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout)
    assert not HEAVY & set(loaded)


def modules() -> list[str]:
    return [each.name for each in pkgutil.walk_packages(telos.__path__, "telos.")]


@pytest.mark.parametrize("name", modules())
def test_docstring_examples_run(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_documentation_examples_run(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    failed, _ = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_example_scripts_print_what_they_promise(script: Path) -> None:
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    promised = [
        line.removeprefix("# → ") for line in script.read_text(encoding="utf-8").splitlines() if line.startswith("# → ")
    ]
    assert promised, f"{script.name} promises no output; end it with lines that start with '# → '"
    printed = done.stdout.splitlines()
    for line in promised:
        assert line in printed


def test_links_between_pages_exist() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"
