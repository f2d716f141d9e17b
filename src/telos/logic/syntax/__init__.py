"""The field's own files: ``.mln`` models and ``.db`` databases, read and written."""

from telos.logic.syntax.db import db_text, load_db, parse_db
from telos.logic.syntax.mln import checked, load_mln, parse_mln
from telos.logic.syntax.writer import formula_text, mln_text

__all__ = ["checked", "db_text", "formula_text", "load_db", "load_mln", "mln_text", "parse_db", "parse_mln"]
