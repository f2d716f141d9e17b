"""Files: written whole or not at all, read within limits; authored YAML with every fault reported at once.

    reading.py   read_text, read_bytes, open_input, parse_json
    writing.py   open_output, write_text, write_bytes, check_output, temporary_folder

    text ──▶ Document ──▶ Definition ──▶ loader of the format ──▶ Domain, …
             yaml.py      definition.py (model, positions, faults)
                          schema.py (FileModel, field types, JSON Schema)

Start with `load` (domain_file.py), which is also the example for other formats: it declares a `FileModel` for each
mapping, reads the validated model of a `Definition`, and raises all faults together. `FORMATS` lists every format.
Data that ``save()`` returned is checked by `read_snapshot` (snapshots.py).
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.files.definition import Definition, fill_lines, raise_faults
    from telos.files.domain_file import load, loads
    from telos.files.formats import FORMATS, FileFormat, editor_schema_text, find_kind, schema_text
    from telos.files.reading import check_end_mark, decode_text, open_input, parse_json, read_bytes, read_text
    from telos.files.schema import FieldType, FileModel
    from telos.files.snapshots import (
        SNAPSHOT_FORMAT,
        Chance,
        Chances,
        Count,
        Finite,
        Items,
        NonNegative,
        PlainValue,
        Row,
        SavedTree,
        SavedValue,
        SnapshotModel,
        SnapshotPart,
        check_known,
        check_length,
        read_snapshot,
        snapshot_error,
        unchanged_on_error,
    )
    from telos.files.writing import (
        add_end_mark,
        check_output,
        open_output,
        temporary_folder,
        write_bytes,
        write_text,
    )
    from telos.files.yaml import Document, read_yaml

__all__ = [
    "FORMATS",
    "SNAPSHOT_FORMAT",
    "Chance",
    "Chances",
    "Count",
    "Definition",
    "Document",
    "FieldType",
    "FileFormat",
    "FileModel",
    "Finite",
    "Items",
    "NonNegative",
    "PlainValue",
    "Row",
    "SavedTree",
    "SavedValue",
    "SnapshotModel",
    "SnapshotPart",
    "add_end_mark",
    "check_end_mark",
    "check_known",
    "check_length",
    "check_output",
    "decode_text",
    "editor_schema_text",
    "fill_lines",
    "find_kind",
    "load",
    "loads",
    "open_input",
    "open_output",
    "parse_json",
    "raise_faults",
    "read_bytes",
    "read_snapshot",
    "read_text",
    "read_yaml",
    "schema_text",
    "snapshot_error",
    "temporary_folder",
    "unchanged_on_error",
    "write_bytes",
    "write_text",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "FORMATS": "formats",
        "SNAPSHOT_FORMAT": "snapshots",
        "Chance": "snapshots",
        "Chances": "snapshots",
        "Count": "snapshots",
        "Definition": "definition",
        "Document": "yaml",
        "FieldType": "schema",
        "FileFormat": "formats",
        "FileModel": "schema",
        "Finite": "snapshots",
        "Items": "snapshots",
        "NonNegative": "snapshots",
        "PlainValue": "snapshots",
        "Row": "snapshots",
        "SnapshotModel": "snapshots",
        "SnapshotPart": "snapshots",
        "SavedTree": "snapshots",
        "SavedValue": "snapshots",
        "add_end_mark": "writing",
        "check_end_mark": "reading",
        "check_known": "snapshots",
        "check_length": "snapshots",
        "check_output": "writing",
        "decode_text": "reading",
        "editor_schema_text": "formats",
        "fill_lines": "definition",
        "find_kind": "formats",
        "load": "domain_file",
        "loads": "domain_file",
        "open_input": "reading",
        "open_output": "writing",
        "parse_json": "reading",
        "raise_faults": "definition",
        "read_bytes": "reading",
        "read_snapshot": "snapshots",
        "read_text": "reading",
        "read_yaml": "yaml",
        "schema_text": "formats",
        "snapshot_error": "snapshots",
        "temporary_folder": "writing",
        "unchanged_on_error": "snapshots",
        "write_bytes": "writing",
        "write_text": "writing",
    },
)
