"""The registry of authored file formats."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


def undescribed(schema: dict[str, Any]) -> list[str]:
    """Return the fields of a schema that no text explains, neither their own nor that of what they refer to."""
    shapes = schema.get("$defs", {})

    def is_described(field: dict[str, Any]) -> bool:
        referred = shapes.get(str(field.get("$ref", "")).rpartition("/")[2], {})
        return bool(field.get("description") or referred.get("description"))

    def walk(part: Any, path: str) -> Iterator[str]:
        if isinstance(part, dict):
            fields = part.get("properties")
            for name, field in fields.items() if isinstance(fields, dict) else ():
                if not is_described(field):
                    yield f"{path}/{name}"
            for name, inside in part.items():
                yield from walk(inside, f"{path}/{name}")
        elif isinstance(part, list):
            for place, inside in enumerate(part):
                yield from walk(inside, f"{path}/{place}")

    return list(walk(schema, ""))


@pytest.mark.parametrize("kind", FORMATS)
def test_every_field_is_described_for_editors(kind: str) -> None:
    assert undescribed(json.loads(schema_text(kind))) == []


def test_a_field_without_description_is_found() -> None:
    assert undescribed({"properties": {"at": {"type": "string"}, "by": {"description": "Who."}}}) == ["/at"]
