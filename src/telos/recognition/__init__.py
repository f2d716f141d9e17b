"""Recognising what a player is after: a belief over goals, updated with every event.

    Event ──▶ EventGate ──▶ GoalModel.evidence ──▶ forward step ──▶ Belief ──▶ Director
              filtering.py   ffbm, iohmm, ...        filtering.py               director.py

Start with `telos.recognizer`: it takes a file, the name of a built-in model, or a planning domain. Models: `FFBM`,
`IOHMM`, `FeatureIOHMM`, `FSMModel`, `MarkovLogicModel`; plan recognition: by_planning/, strips/, grammar/. After a
session: `find_story`, `find_surprises` (hindsight.py). Logs of many players: the module `bulk`. Files: files/.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.recognition.director import Advice, Director, DirectorRule, create_director
    from telos.recognition.em import EMResult, fit_em
    from telos.recognition.feature_hmm import Feature, FeatureIOHMM, GoalChanges
    from telos.recognition.ffbm import FFBM, ConstantT
    from telos.recognition.files.load import (
        built_in_names,
        create_recognizer,
        format_model,
        load_model,
        loads_model,
        named_model,
        save_model,
    )
    from telos.recognition.filtering import BeliefReasons, Clock, EventGate, Reader
    from telos.recognition.fsm import FSM, FSMModel
    from telos.recognition.hindsight import (
        GoalSpan,
        LaggedReader,
        Surprise,
        best_path,
        find_story,
        find_surprises,
        smooth,
        write_recap,
    )
    from telos.recognition.iohmm import IOHMM, copy_model, find_best_strength, personalize, pool_models
    from telos.recognition.markov_logic import MarkovLogicModel, MarkovLogicReader
    from telos.recognition.observations import FixedObservation, HeadingObservation, ObservationRules, Symbols
    from telos.recognition.player_models import Readers, StyleReader, UnknownGoalReader, calibrate_threshold
    from telos.recognition.recognizer import (
        BeliefUpdated,
        EventIgnored,
        Evidence,
        GoalModel,
        Learner,
        Recognizer,
    )
    from telos.recognition.transitions import LearnedTransitions, TransitionCase, TransitionRules
    from telos.recognition.vocabulary import ADVENTURE, Vocabulary

_HOMES = {
    "ADVENTURE": "vocabulary",
    "Advice": "director",
    "BeliefReasons": "filtering",
    "BeliefUpdated": "recognizer",
    "Clock": "filtering",
    "ConstantT": "ffbm",
    "Director": "director",
    "DirectorRule": "director",
    "EMResult": "em",
    "EventGate": "filtering",
    "EventIgnored": "recognizer",
    "Evidence": "recognizer",
    "FFBM": "ffbm",
    "FSM": "fsm",
    "FSMModel": "fsm",
    "Feature": "feature_hmm",
    "FeatureIOHMM": "feature_hmm",
    "FixedObservation": "observations",
    "GoalChanges": "feature_hmm",
    "GoalModel": "recognizer",
    "GoalSpan": "hindsight",
    "HeadingObservation": "observations",
    "IOHMM": "iohmm",
    "LaggedReader": "hindsight",
    "LearnedTransitions": "transitions",
    "Learner": "recognizer",
    "MarkovLogicModel": "markov_logic",
    "MarkovLogicReader": "markov_logic",
    "ObservationRules": "observations",
    "Reader": "filtering",
    "Readers": "player_models",
    "Recognizer": "recognizer",
    "StyleReader": "player_models",
    "Surprise": "hindsight",
    "Symbols": "observations",
    "TransitionCase": "transitions",
    "TransitionRules": "transitions",
    "UnknownGoalReader": "player_models",
    "Vocabulary": "vocabulary",
    "best_path": "hindsight",
    "built_in_names": "files.load",
    "calibrate_threshold": "player_models",
    "copy_model": "iohmm",
    "create_director": "director",
    "create_recognizer": "files.load",
    "find_best_strength": "iohmm",
    "find_story": "hindsight",
    "find_surprises": "hindsight",
    "fit_em": "em",
    "format_model": "files.load",
    "load_model": "files.load",
    "loads_model": "files.load",
    "named_model": "files.load",
    "personalize": "iohmm",
    "pool_models": "iohmm",
    "save_model": "files.load",
    "smooth": "hindsight",
    "write_recap": "hindsight",
}

__all__ = [
    "ADVENTURE",
    "FFBM",
    "FSM",
    "IOHMM",
    "Advice",
    "BeliefReasons",
    "BeliefUpdated",
    "Clock",
    "ConstantT",
    "Director",
    "DirectorRule",
    "EMResult",
    "EventGate",
    "EventIgnored",
    "Evidence",
    "FSMModel",
    "Feature",
    "FeatureIOHMM",
    "FixedObservation",
    "GoalChanges",
    "GoalModel",
    "GoalSpan",
    "HeadingObservation",
    "LaggedReader",
    "LearnedTransitions",
    "Learner",
    "MarkovLogicModel",
    "MarkovLogicReader",
    "ObservationRules",
    "Reader",
    "Readers",
    "Recognizer",
    "StyleReader",
    "Surprise",
    "Symbols",
    "TransitionCase",
    "TransitionRules",
    "UnknownGoalReader",
    "Vocabulary",
    "best_path",
    "built_in_names",
    "calibrate_threshold",
    "copy_model",
    "create_director",
    "create_recognizer",
    "find_best_strength",
    "find_story",
    "find_surprises",
    "fit_em",
    "format_model",
    "load_model",
    "loads_model",
    "named_model",
    "personalize",
    "pool_models",
    "save_model",
    "smooth",
    "write_recap",
]

__getattr__, __dir__ = lazy_exports(__name__, _HOMES)
