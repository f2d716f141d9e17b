"""Domain files: read, checked, and turned into domains."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault
from telos.core.files.document import Document
from telos.core.files.draft import Draft
from telos.core.files.shape import check_shape
from telos.core.files.text import read_text
from telos.core.files.yaml_text import read_yaml

# Entries whose value is an expression or a name; a fault in any other is about the key.
_IN_VALUE = frozenset({"preconditions", "effects", "cost", "wants", "relevant", "type", "start"})


def load(path: str | os.PathLike[str], *, functions: Mapping[str, Callable[..., Any]] | None = None) -> Domain:
    """Read the domain file at ``path``; ``functions`` are the game's own, which its expressions call.

    A bad file raises a ``DefinitionError`` that holds all its faults, each with line, column and remedy.
    """
    name = os.fspath(path)
    return loads(read_text(path), name=name, functions=functions)


def loads(text: str, *, name: str = "<text>", functions: Mapping[str, Callable[..., Any]] | None = None) -> Domain:
    r"""Read a domain from the text of a domain file; ``name`` stands for it in faults.

    >>> loads("domain: tiny\nvariables: {ammo: int}\nactions: {shoot: {preconditions: amo >= 1}}")
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: <text>:3:34: unknown variable 'amo' in `amo >= 1`; did you mean 'ammo'?
    """
    document = read_yaml(text, name)
    if document.data is None:
        raise DefinitionError(document.faults)
    faults = list(document.faults)
    broken = {fault.path for fault in faults if fault.path}
    # A shape that the YAML itself already spoilt (a tag, a key twice) is not told again.
    findings = [each for each in check_shape(document.data) if each.fault.path not in broken]
    faults += (document.located(each.fault, at_key=each.at_key) for each in findings)
    broken.update(each.fault.path for each in findings)
    broken.update(each.meant for each in findings if each.meant and each.meant not in document.places)
    draft = Draft(document.data, broken)
    faults += (_located(document, fault) for fault in draft.faults)
    domain = None
    try:
        domain = Domain(
            str(document.data["domain"]) if isinstance(document.data, dict) and "domain" in document.data else name,
            variables=draft.variables,
            actions=draft.actions,
            goals=draft.goals,
            objects=draft.objects,
            handles=draft.handles,
            action_sets=draft.action_sets,
            goal_sets=draft.goal_sets,
            functions=functions,
        )
    except DefinitionError as error:
        faults += (_located(document, draft.in_file(fault)) for fault in error.faults)
    if faults or domain is None:
        # An alias repeats what it points at, faults and all; one mistake is told once.
        told = {(each.line, each.column, each.message): each for each in faults}
        raise DefinitionError(sorted(told.values(), key=lambda fault: (fault.line, fault.column)))
    return domain


def _located(document: Document, fault: Fault) -> Fault:
    at_key = isinstance(fault.path[-1], str) and fault.path[-1] not in _IN_VALUE
    return document.located(fault, at_key=at_key)
