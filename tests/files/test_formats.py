"""The registry of authored file formats."""

import json
from pathlib import Path

import pytest

from telos.core.errors import TelosError
from telos.files import FORMATS, find_kind, schema_text
from telos.files.schema import schema_text as generated

SOURCES = Path(__file__).parents[2] / "src" / "telos"


@pytest.mark.parametrize("kind", FORMATS)
def test_format_has_a_loader_that_can_be_imported(kind: str) -> None:
    assert callable(FORMATS[kind].load_function())


@pytest.mark.parametrize("kind", FORMATS)
def test_format_has_a_json_schema_with_its_title(kind: str) -> None:
    assert json.loads(schema_text(kind))["title"] == FORMATS[kind].title


def test_committed_schemas_are_all_registered() -> None:
    committed = {file.name for file in SOURCES.rglob("*.schema.json")}
    assert committed == {each.schema_file.partition(":")[2] for each in FORMATS.values() if each.schema_file}


def test_unknown_kind_suggests_the_nearest_one() -> None:
    with pytest.raises(TelosError, match="scene"):
        schema_text("scen")


@pytest.mark.parametrize("kind", FORMATS)
def test_kind_is_found_by_the_key_of_a_file(kind: str) -> None:
    each = FORMATS[kind]
    assert find_kind(f"# comment\n{each.key}: {each.value or 'name'}\n") == kind


def test_schema_of_domain_files_is_generated_from_the_model() -> None:
    from telos.files.domain_file import DomainShape

    assert schema_text("domain") == generated(DomainShape, FORMATS["domain"].title)
