"""The four recognisers of a rule set of the adventure: the designer's own first, then those it is compared with."""

from functools import lru_cache, partial
from importlib.resources import files

from telos.recognition.files.front import fresh
from telos.recognition.files.load import loads_model
from telos.recognition.recognizer import Recognizer
from telos.studio.stage import Model

FFBM = "ffbm"  # the model that companion and director go by, where there are any
_KINDS = ((FFBM, "FFBM"), ("iohmm", "IOHMM"), ("constant", "constant T"), ("fsm", "FSM"))
_FILES = {  # of these kinds, for each rule set
    "wilds": ("wilds", "flairs-iohmm", "flairs-constant", "flairs-fsm"),
    "flairs": ("flairs", "flairs-iohmm", "flairs-constant", "flairs-fsm"),
    "aiide": ("aiide-ffbm", "aiide-iohmm", "aiide-constant", "aiide-fsm"),
}
RULES = tuple(_FILES)


def adventure_models(rules: str) -> tuple[Model, ...]:
    """Return the recognisers for a rule set, the one for the corner first.

    >>> [model.file for model in adventure_models("flairs")]
    ['flairs.yaml', 'flairs-iohmm.yaml', 'flairs-constant.yaml', 'flairs-fsm.yaml']
    """
    return tuple(
        Model(name, title, _text(file), f"{file}.yaml", make=partial(_made, f"{file}.yaml"))
        for (name, title), file in zip(_KINDS, _FILES[rules], strict=True)
    )


def ffbm_text(rules: str) -> str:
    """Return the text of the model that is shown in the corner."""
    return _text(_FILES[rules][0])


def _made(file: str, text: str) -> Recognizer:
    """Make a recogniser of its own from a text: one that learns must not teach those of other games."""
    return fresh(loads_model(text, name=file))


@lru_cache(maxsize=16)
def _text(file: str) -> str:
    return files("telos.recognition").joinpath("data", f"{file}.yaml").read_text(encoding="utf-8")
