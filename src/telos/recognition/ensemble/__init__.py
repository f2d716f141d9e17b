"""Ensembles: linear scores, decision trees and paths over online features of events, combined and calibrated.

Start with `telos.recognizer("model.json")`; models are trained by `telos study … --save-model` or `train_part`.
"""

from telos.recognition.ensemble.features import (
    CodedEntry,
    FeatureGroup,
    FeatureProgram,
    FeatureStream,
    FilterTables,
    NumberEntry,
)
from telos.recognition.ensemble.files import load_ensemble, parse_ensemble, save_ensemble
from telos.recognition.ensemble.model import EnsembleModel, EnsemblePart, EnsembleReader, EnsembleReasons
from telos.recognition.ensemble.paths import PathScores, PathSettings
from telos.recognition.ensemble.scores import LinearScores, TreeScores
from telos.recognition.ensemble.training import EnsembleSettings, TrainingRows, train_part

__all__ = [
    "CodedEntry",
    "EnsembleModel",
    "EnsemblePart",
    "EnsembleReader",
    "EnsembleReasons",
    "EnsembleSettings",
    "FeatureGroup",
    "FeatureProgram",
    "FeatureStream",
    "FilterTables",
    "LinearScores",
    "NumberEntry",
    "PathScores",
    "PathSettings",
    "TrainingRows",
    "TreeScores",
    "load_ensemble",
    "parse_ensemble",
    "save_ensemble",
    "train_part",
]
