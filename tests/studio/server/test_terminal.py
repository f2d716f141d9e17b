"""What the studio prints in the terminal: one line for each record, with nothing that the terminal would obey."""

import logging
import sys

import pytest

pytest.importorskip("nicegui", reason='the studio needs NiceGUI: pip install "telos[studio]"')

from telos.studio.server.app import TerminalFormatter

FORMATTER = TerminalFormatter("%(levelname)s: %(message)s")


@pytest.mark.parametrize(
    "address",
    ["/x\x1b[31m", "/\x07", "/a\r\nERROR: forged", "/\x9b1m", "/\u202egnp", "/\0", "/" + "x" * 9_000],
)
def test_address_is_escaped(address: str) -> None:
    record = logging.makeLogRecord({"msg": "%s not found", "args": (address,), "levelname": "WARNING"})
    line = FORMATTER.format(record)
    assert line.isprintable()
    assert line.startswith("WARNING: /")
    assert len(line) <= 500


def test_error_is_one_line_with_its_place() -> None:
    try:
        raise KeyError("\x1b[31mred\nblack")
    except KeyError:
        record = logging.makeLogRecord({"msg": "it failed", "exc_info": sys.exc_info(), "levelname": "ERROR"})
    line = FORMATTER.format(record)
    assert line.isprintable()
    assert line.startswith("ERROR: it failed: KeyError: ")
    assert "(test_terminal.py:" in line
