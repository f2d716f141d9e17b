"""The data-frame engine, or word of how to get it."""

from telos.core.errors import TelosError

try:
    import polars as pl
except ModuleNotFoundError:
    raise TelosError(
        "tables are worked on with polars, which is not installed", 'pip install "telos[telemetry]"'
    ) from None

__all__ = ["pl"]
