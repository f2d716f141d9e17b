"""What a database says of the hidden atoms of a network: the truth that is learned from, and compared with."""

import numpy as np

from telos.logic.database import Database
from telos.logic.grounding.keys import Places, packed
from telos.logic.network import Ints, Network


def truth_of(network: Network, database: Database) -> Ints:
    """Return the value of each variable by the facts: a plain atom that is not stated is false.

    A block of which no value is stated has -1: there is no telling.
    """
    truth = np.zeros(len(network.sizes), np.int32)
    names = network.atoms
    for run, predicate in enumerate(names.predicates):
        own = slice(names.start[run], names.start[run + 1])
        blocks = bool(names.values[run])
        if blocks:
            truth[own] = -1
        facts = database.true.get(predicate)
        if facts is None or not len(facts.world) or own.start == own.stop:
            continue
        rows = names.arguments[run]
        plain = np.flatnonzero(rows[0] >= 0)
        radices = (len(database.worlds), *(len(names.constants[run][place]) for place in plain))
        keys = packed([network.world[own], *(rows[:, place] for place in plain)], radices)
        place_of = Places(keys, int(np.prod(radices)))
        said = place_of.of(packed([facts.world, *(facts.arguments[:, place] for place in plain)], radices))
        marked = np.flatnonzero(rows[0] < 0)
        value = np.ones(len(said), np.int32)
        if blocks:
            sizes = [len(names.constants[run][place]) for place in marked]
            value = packed([facts.arguments[:, place] for place in marked], sizes).astype(np.int32)
        found = said >= 0
        truth[own.start + said[found]] = value[found]
    return truth
