"""``telos schema install``: one schema for all authored files, mapped in the settings of VS Code without loss."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from telos.cli.main import app
from telos.core.errors import TelosError
from telos.files import editor_schema_text, find_kind, read_yaml

ROOT = Path(__file__).parents[2]
EDITOR = jsonschema.Draft202012Validator(json.loads(editor_schema_text()))
AUTHORED = sorted(
    file
    for folder in ("examples", "src/telos")
    for file in (ROOT / folder).rglob("*.yaml")
    if find_kind(file.read_text(encoding="utf-8")) is not None
)


def install(*words: str) -> str:
    answer = CliRunner().invoke(app, ["schema", "install", *words])
    if isinstance(answer.exception, TelosError):
        raise answer.exception
    assert answer.exit_code == 0, answer.output
    return answer.stdout


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def settings(folder: Path) -> Any:
    return json.loads((folder / ".vscode" / "settings.json").read_text(encoding="utf-8"))


def paths(error: jsonschema.ValidationError) -> Iterator[list[Any]]:
    """Yield where an error is, and where those are that it consists of."""
    yield list(error.absolute_path)
    for part in error.context or ():
        yield from paths(part)


@pytest.mark.parametrize("file", AUTHORED, ids=lambda file: str(file.relative_to(ROOT)))
def test_the_schema_accepts_every_file_of_the_package(file: Path) -> None:
    assert not list(EDITOR.iter_errors(read_yaml(file.read_text(encoding="utf-8")).data))


@pytest.mark.parametrize(
    ("data", "where"),
    [
        ({"domain": "camp", "actons": {}}, []),
        ({"domain": "camp", "goals": {"eat": {"insistance": 3}}}, ["goals", "eat"]),
        ({"recognizer": "ffbm", "goals": "level"}, ["goals"]),
        ({"scene": "yard", "map": 3}, ["map"]),
    ],
)
def test_the_schema_finds_what_is_wrong_in_each_kind(data: Any, where: list[str]) -> None:
    assert where in [path for error in EDITOR.iter_errors(data) for path in paths(error)]


@pytest.mark.parametrize("data", [{"name": "CI", "on": ["push"]}, [1, 2], None, "text", {}])
def test_files_of_other_programs_are_left_alone(data: Any) -> None:
    assert not list(EDITOR.iter_errors(data))


def test_the_mapping_is_written_once(folder: Path) -> None:
    assert "wrote" in install().splitlines()[0]
    written = (folder / ".vscode" / "settings.json").read_bytes()
    assert settings(folder)["yaml.schemas"] == {"./.vscode/telos.schema.json": ["**/*.yaml", "**/*.yml"]}
    assert json.loads((folder / ".vscode" / "telos.schema.json").read_text(encoding="utf-8"))["title"] == "Telos files"
    assert "already" in install().splitlines()[0]
    assert (folder / ".vscode" / "settings.json").read_bytes() == written


def test_other_settings_and_the_indent_stay(folder: Path) -> None:
    (folder / ".vscode").mkdir()
    before = {"editor.rulers": [120], "yaml.schemas": {"other.json": "*.yml"}, "größe": "ü"}
    text = json.dumps(before, indent=2, ensure_ascii=False)
    (folder / ".vscode" / "settings.json").write_text(text, encoding="utf-8")
    install("--files", "minds/*.yaml")
    after = (folder / ".vscode" / "settings.json").read_text(encoding="utf-8")
    mapping = {"other.json": "*.yml", "./.vscode/telos.schema.json": ["minds/*.yaml"]}
    assert json.loads(after) == {**before, "yaml.schemas": mapping}
    assert '\n  "editor.rulers"' in after
    assert "größe" in after


@pytest.mark.parametrize(
    "text", ['{\n  // rulers\n  "editor.rulers": [120]\n}', '{"a": 1,}', "[1]", '{"yaml.schemas": []}']
)
def test_settings_that_cannot_be_merged_stay_untouched(folder: Path, text: str) -> None:
    (folder / ".vscode").mkdir()
    (folder / ".vscode" / "settings.json").write_text(text, encoding="utf-8")
    with pytest.raises(TelosError) as error:
        install()
    assert str(Path(".vscode", "settings.json")) in error.value.message
    assert error.value.remedy
    assert (folder / ".vscode" / "settings.json").read_text(encoding="utf-8") == text
    assert os.listdir(folder / ".vscode") == ["settings.json"]


def test_settings_with_comments_get_the_line_to_add(folder: Path) -> None:
    (folder / ".vscode").mkdir()
    (folder / ".vscode" / "settings.json").write_text("// mine\n{}\n", encoding="utf-8")
    with pytest.raises(TelosError, match="comments would be lost") as error:
        install()
    assert '"yaml.schemas": {"./.vscode/telos.schema.json": ["**/*.yaml", "**/*.yml"]}' in error.value.remedy


def test_the_page_shows_what_is_printed(folder: Path) -> None:
    page = (ROOT / "docs" / "how-to" / "complete-files-in-an-editor.md").read_text(encoding="utf-8")
    assert f"$ telos schema install\n{install()}```" in page


def test_a_missing_folder_is_refused(folder: Path) -> None:
    with pytest.raises(TelosError, match="is not a folder"):
        install("nowhere")
