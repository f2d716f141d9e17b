"""Makes the ready recogniser ``island.mln``: formulas that read a player live, with weights from simulated players.

    python -m telos.studies.trained_island > src/telos/recognition/data/trained/island.mln

The formulas are those of ``island-narrative.mln`` but for the ones that tie goals together: they help to read a whole
story with hindsight, and live they lean on what has not happened yet. The players are others than any study's.
"""

from dataclasses import replace

from telos.logic.formulas import Atom, iter_atoms
from telos.logic.learning import learn
from telos.logic.model import MarkovLogic, Rule
from telos.logic.syntax import format_mln, load_mln
from telos.studies.crystal_island.logs import database, island_log
from telos.studies.crystal_island.models import DATA

PLAYERS, SEED = 100, 2011
PENALTY, STEPS = 200.0, 25
LEAST = 0.005  # weights below this are left out: the file is for people, too
HEAD = """\
// What a player of the island is after, live: what is done, where, how far the story has come, and what was achieved.
// Weights of {players} simulated players. Made with: python -m telos.studies.trained_island

"""


def live_island() -> MarkovLogic:
    """Return the formulas with their weights."""
    formulas = load_mln(DATA / "island-narrative.mln")
    formulas = replace(formulas, rules=tuple(rule for rule in formulas.rules if _is_of_one_moment(rule)))
    log = island_log(PLAYERS, SEED, folds=2)
    facts = database(log, formulas, range(len(log.start) - 1), log.goals, told=True)
    learned = learn(formulas, facts, ["goal"], by="likelihood", l2=PENALTY, epochs=STEPS).model
    return replace(learned, rules=tuple(_rounded(rule) for rule in learned.rules))


def _is_of_one_moment(rule: Rule) -> bool:
    return sum(isinstance(each, Atom) and each.predicate == "goal" for each in iter_atoms(rule.formula)) == 1


def _rounded(rule: Rule) -> Rule:
    return replace(
        rule, weights={key: round(weight, 3) for key, weight in rule.weights.items() if abs(weight) >= LEAST}
    )


if __name__ == "__main__":
    print(HEAD.format(players=PLAYERS) + format_mln(live_island()), end="")
