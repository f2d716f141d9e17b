"""Manoeuvres: squad behaviours that designers write as task networks in YAML files.

`load_manoeuvre` reads a file (files.py). `Manoeuvre` plans and watches (manoeuvre.py), with orders as actions
(domain.py) and what the squad knows as functions (facts.py). The manoeuvres of the package are in data/.
"""

from telos.squads.manoeuvres.domain import ORDER_FORMS
from telos.squads.manoeuvres.facts import FUNCTIONS, SquadFacts, SquadFunction
from telos.squads.manoeuvres.files import load_built_in, load_manoeuvre, loads_manoeuvre, manoeuvre_names
from telos.squads.manoeuvres.manoeuvre import Manoeuvre, Stage

__all__ = [
    "FUNCTIONS",
    "ORDER_FORMS",
    "Manoeuvre",
    "SquadFacts",
    "SquadFunction",
    "Stage",
    "load_built_in",
    "load_manoeuvre",
    "loads_manoeuvre",
    "manoeuvre_names",
]
