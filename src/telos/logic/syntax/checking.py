"""The same care for models that are built in Python as for those that are read from files."""

import math
from collections.abc import Iterator
from dataclasses import replace

from telos.core.errors import DefinitionError, Fault, FaultCode
from telos.logic.formulas import And, Formula, Or, apart
from telos.logic.model import MarkovLogic, Rule
from telos.logic.syntax.declarations import QUANTIFIERS, is_word
from telos.logic.syntax.signature import Signature, signature_of
from telos.logic.syntax.typed import table_constants, typed
from telos.logic.syntax.writer import formula_text


def checked(model: MarkovLogic) -> MarkovLogic:
    """Return a model whose ``constants`` hold all that its rules name, or raise all that is wrong with it.

    >>> from telos.logic.formulas import Atom, Variable
    >>> from telos.logic.model import Predicate
    >>> checked(MarkovLogic({"likes": Predicate("likes", ("person",))}, (Rule(Atom("like", (Variable("x"),))),)))
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: rules › 0: unknown predicate 'like' in `like(x)`; did you mean 'likes'?
    """
    signature = signature_of(model)
    faults = [*_declaration_faults(model)]
    for at, rule in enumerate(model.rules):
        faults += [fault.at("rules", at) for fault in _rule_faults(rule, signature)]
    if faults:
        raise DefinitionError(faults)
    rules = tuple([replace(rule, formula=apart(rule.formula)) for rule in model.rules])
    return replace(model, rules=rules, constants=signature.constants())


def _declaration_faults(model: MarkovLogic) -> Iterator[Fault]:
    for name, predicate in model.predicates.items():
        path = ("predicates", name)
        if name != predicate.name or not is_word(name) or name == "v" or name.lower() in QUANTIFIERS:
            yield Fault(
                f"{predicate.name!r} cannot be the name of a predicate",
                path=path,
                suggestion="use a plain word",
                code=FaultCode.BAD_NAME,
            )
        if any(place not in range(len(predicate.types)) for place in predicate.exactly_one):
            yield Fault(
                "'!' marks an argument that is not there",
                path=path,
                suggestion="count arguments from 0",
                code=FaultCode.OUT_OF_RANGE,
            )
    for name, function in model.functions.items():
        if name != function.name or not is_word(name) or name in model.predicates:
            said = f"{function.name!r} cannot be the name of a function"
            yield Fault(
                said, path=("functions", name), suggestion="use a word that no predicate has", code=FaultCode.BAD_NAME
            )


def _rule_faults(rule: Rule, signature: Signature) -> Iterator[Fault]:
    if _hollow(rule.formula):
        yield Fault("a conjunction or disjunction has no parts", suggestion="give it two or more", code=FaultCode.EMPTY)
        return
    text = formula_text(rule.formula, rule.plus)
    found = typed(rule.formula, signature, rule.plus)
    for finding in found.findings:
        yield Fault(finding.message, text, finding.suggestion, code=finding.code)
    if found.findings:
        return
    if len(set(rule.plus)) != len(rule.plus):
        yield Fault("the same variable is marked '+' twice", text, code=FaultCode.DUPLICATE)
    if rule.hard and (rule.weights or rule.otherwise):
        yield Fault("a hard formula has no weights", text, "leave out one of them", code=FaultCode.EMPTY)
    for _, name, kind in found.constants:
        yield from _join(signature, kind, name, text)
    yield from _weight_faults(rule, text)
    for kind, name in table_constants(rule, found.types):
        yield from _join(signature, kind, name, text)


def _hollow(formula: Formula) -> bool:
    if isinstance(formula, And | Or) and not formula.parts:
        return True
    parts = getattr(formula, "parts", None) or [
        getattr(formula, name) for name in ("part", "premise", "conclusion", "left", "right") if hasattr(formula, name)
    ]
    return any(_hollow(part) for part in parts)


def _weight_faults(rule: Rule, text: str) -> Iterator[Fault]:
    for key, weight in (*rule.weights.items(), (("otherwise",), rule.otherwise)):
        if not math.isfinite(weight):
            yield Fault(
                f"the weight of {key} is {weight}",
                text,
                "give a number, or make the formula hard",
                code=FaultCode.OUT_OF_RANGE,
            )
    for key in rule.weights:
        if len(key) != len(rule.plus):
            yield Fault(
                f"the key {key} names {len(key)} constants, but {len(rule.plus)} variables are marked '+'",
                text,
                code=FaultCode.WRONG_COUNT,
            )


def _join(signature: Signature, kind: str, name: str, text: str) -> Iterator[Fault]:
    wrong = signature.join(kind, name)
    if wrong:
        yield Fault(wrong, text, signature.nearest_constant(kind, name), code=FaultCode.UNKNOWN_NAME)
