"""Domain files: YAML that designers write, read with every fault named by line."""

from telos.files.domain_file import load, loads

__all__ = ["load", "loads"]
