"""The files of Markov logic: ``.mln`` models and ``.db`` databases, parsed, checked and written.

    text ──▶ statements ──▶ declarations, formulas ──▶ type check ──▶ rules with tables of weights
             statements.py  parser.py                  typing.py      mln.py, rules.py (models), db.py (facts)

Start with `parse_mln` and `parse_db`. `format_mln` and `format_formula` (writer.py) and `format_db` write text.
"""

from telos.logic.syntax.db import format_db, load_db, parse_db
from telos.logic.syntax.mln import check_model, load_mln, parse_mln
from telos.logic.syntax.writer import format_formula, format_mln

__all__ = ["check_model", "format_db", "format_formula", "format_mln", "load_db", "load_mln", "parse_db", "parse_mln"]
