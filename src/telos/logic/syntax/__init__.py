"""The field's own files: ``.mln`` models and ``.db`` databases, read and written."""

from telos.logic.syntax.checking import checked
from telos.logic.syntax.db import load_db, parse_db
from telos.logic.syntax.db_text import db_text
from telos.logic.syntax.mln import load_mln, parse_mln
from telos.logic.syntax.mln_text import mln_text
from telos.logic.syntax.writer import formula_text

__all__ = ["checked", "db_text", "formula_text", "load_db", "load_mln", "mln_text", "parse_db", "parse_mln"]
