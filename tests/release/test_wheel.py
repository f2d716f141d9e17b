"""The wheel, built and used outside the checkout; and what a release says about itself in several places."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import telos
from telos.files import read_yaml

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_wheel_works_outside_the_checkout() -> None:
    if importlib.util.find_spec("build") is None:
        pytest.skip('the package is built with: pip install "telos[dev]"')
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "check_wheel.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = read_yaml((ROOT / "CITATION.cff").read_text(encoding="utf-8")).data
    assert project["version"] == telos.__version__ == str(citation["version"])
    assert f"## {telos.__version__}\n" in (ROOT / "docs" / "releases.md").read_text(encoding="utf-8")


def test_the_citation_has_what_the_format_asks_for() -> None:
    citation = read_yaml((ROOT / "CITATION.cff").read_text(encoding="utf-8")).data
    assert str(citation["cff-version"]) == "1.2.0"
    assert {"message", "title", "authors"} <= set(citation)
    assert not [each for each in citation["authors"] if "email" in each]


def test_every_extra_is_named_in_the_start_page() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs" / "start" / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z]+)`", page))
    assert set(project["optional-dependencies"]) <= named


def test_every_dependency_is_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(each for extra in project["optional-dependencies"].values() for each in extra),
    ]
    names = {re.split(r"[<>=\[;! ]", each)[0].lower() for each in wanted} - {"telos"}
    rows = (ROOT / "docs" / "decisions" / "dependencies.md").read_text(encoding="utf-8").lower()
    assert not [name for name in sorted(names) if not re.search(rf"\b{re.escape(name)}\b", rows)]
