"""Which entries of the context a model reads, so that a log that lacks one can be told."""

from collections.abc import Iterator

from telos.core.conditions import Condition
from telos.core.expressions import names
from telos.core.state import Layout
from telos.recognition.ffbm import FFBM
from telos.recognition.files.load import FileModel, Model
from telos.recognition.files.machine import Machine
from telos.recognition.iohmm import IOHMM
from telos.recognition.wording import labelled


def entries_read(model: Model) -> frozenset[str]:
    """Return the entries of the context that decide what a model makes of an event.

    >>> from telos.recognition.files.front import named_model
    >>> sorted(entries_read(named_model("flairs-fsm")))
    ['attacked', 'nearer_town', 'new_area']
    """
    if not isinstance(model, FFBM | IOHMM | Machine):
        return model.context
    layout = Layout(model.vocabulary.variables(model.goals))
    said = (names(labelled(condition.expression, layout)) for condition in _conditions(model))
    looks = model.observations.values() if isinstance(model, FFBM) else ()
    exits = frozenset(entry for rules in looks for entry in rules.entries)
    return exits.union(*said) & frozenset(model.vocabulary.context)


def _conditions(model: FileModel) -> Iterator[Condition]:
    if isinstance(model, Machine):
        yield from (condition for condition, _ in model.rules)
        return
    yield from (case.condition for case in model.transitions.cases)
    if isinstance(model, FFBM):
        yield from model.outcomes.conditions
        yield from (condition for rules in model.observations.values() for condition in rules.conditions)
    else:
        yield from model.symbols.conditions
