"""Domain files: YAML that designers write, read with every fault named by line."""

from telos.core.files.load import load, loads

__all__ = ["load", "loads"]
