"""YAML text to plain data, with the place of every entry.

Built on the library's stream of events: they come one by one, so a hostile text is left at the first event that goes
too far, and nothing is ever constructed but lists, dictionaries and scalars.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import yaml

from telos.core.errors import Fault, FaultCode, Path
from telos.core.files.document import Document, Entry, Place, in_one_line
from telos.core.files.scalars import resolve
from telos.core.files.yaml_faults import syntax_fault

DEEPEST = 32
MOST_NODES = 200_000  # counted after aliases are followed, so that nine short lines cannot mean a billion entries

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # 25 times as fast, where libyaml is there
_ANCHOR = re.compile(r"&\S*\s*")  # an anchor, which stands before its scalar
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


class Node(NamedTuple):
    """A scalar (its value), a list (its items) or a mapping (its keys and values by turns), as it is written."""

    kind: type
    value: Any
    place: Place
    tag: str = ""
    size: int = 1
    height: int = 0


class _Stop(Exception):
    """Reading on makes no sense."""

    def __init__(self, message: str, mark: Any, suggestion: str = "", *, code: FaultCode = FaultCode.BAD_YAML) -> None:
        super().__init__(message)
        self.fault = Fault(message, suggestion=suggestion, line=mark.line + 1, column=mark.column + 1, code=code)


def read_yaml(text: str, file: str = "<text>") -> Document:
    """Read one YAML document. Never raises: what is wrong stands in ``faults``."""
    composer = _Composer(text)
    fatal: Fault | None = None
    strange = _NOT_TEXT.search(text)
    try:
        if strange:
            raise _Stop(f"{strange[0]!r} is not a character of a text file", _mark(text, strange.start()), "delete it")
        composer.compose()
    except _Stop as stop:
        fatal = stop.fault
    except yaml.YAMLError as error:
        fatal = syntax_fault(error, text)
    if fatal:
        return Document(file, None, {}, (_in_file(fatal, file),))
    if composer.root is None or (composer.root.kind is str and composer.root.value is None):
        fault = Fault(
            "the file is empty", suggestion="start with `domain: name`", line=1, column=1, code=FaultCode.EMPTY
        )
        return Document(file, None, {}, (_in_file(fault, file),))
    reader = _Reader()
    data = reader.data(composer.root, (), None)
    faults = (_in_file(fault, file) for fault in [*composer.faults, *reader.faults])
    return Document(file, data, reader.places, tuple(faults))


def _in_file(fault: Fault, file: str) -> Fault:
    return replace(fault, file=file)


def _mark(text: str, index: int) -> yaml.Mark:
    before = text[:index]
    return yaml.Mark("", index, before.count("\n"), index - before.rfind("\n") - 1, None, 0)


class _Composer:
    """Events to nodes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root: Node | None = None
        self.faults: list[Fault] = []
        self._open: list[tuple[Any, list[Node]]] = []  # the lists and mappings that we are inside of
        self._anchors: dict[str, Node] = {}
        self._count = 0

    def compose(self) -> None:
        documents = 0
        for event in yaml.parse(self.text, Loader=_LOADER):
            if isinstance(event, yaml.CollectionStartEvent):
                if len(self._open) == DEEPEST:
                    raise _Stop(
                        "too deeply nested", event.start_mark, f"at most {DEEPEST} levels", code=FaultCode.TOO_LARGE
                    )
                self._open.append((event, []))
            elif isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.faults.append(
                        _Stop(
                            "a second document", event.start_mark, "one domain a file", code=FaultCode.DUPLICATE
                        ).fault
                    )
                    return
            else:
                self._take(event)

    def _take(self, event: Any) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._add(self._scalar(event), event, event.anchor)
        elif isinstance(event, yaml.CollectionEndEvent):
            start, inside = self._open.pop()
            kind = list if isinstance(event, yaml.SequenceEndEvent) else dict
            size = 1 + sum(child.size for child in inside)
            height = 1 + max((child.height for child in inside), default=0)
            node = Node(kind, inside, _place(start), start.tag or "", size, height)
            self._add(node, start, start.anchor)
        elif isinstance(event, yaml.AliasEvent):
            self._add(self._aliased(event), event, None)

    def _scalar(self, event: Any) -> Node:
        mark, end = event.start_mark, event.end_mark
        column, source = mark.column + 1, ""
        if mark.line == end.line:
            source = self.text[mark.index : end.index]
            if event.anchor and not event.tag:
                bare = _ANCHOR.sub("", source, count=1)
                column, source = column + len(source) - len(bare), bare
        place = Place(mark.line + 1, column, event.value, source)
        value = resolve(event.value) if event.implicit[0] else event.value
        return Node(str, value, place, event.tag or "")

    def _aliased(self, event: Any) -> Node:
        if event.anchor not in self._anchors:
            inside = any(start.anchor == event.anchor for start, _ in self._open)
            message = f"alias *{event.anchor} stands inside of itself" if inside else f"unknown alias *{event.anchor}"
            raise _Stop(
                message,
                event.start_mark,
                "" if inside else f"mark what it repeats with &{event.anchor}",
                code=FaultCode.CIRCULAR,
            )
        node = self._anchors[event.anchor]
        if len(self._open) + node.height > DEEPEST:
            raise _Stop("too deeply nested", event.start_mark, f"at most {DEEPEST} levels", code=FaultCode.TOO_LARGE)
        return node

    def _add(self, node: Node, event: Any, anchor: str | None) -> None:
        self._count += node.size if isinstance(event, yaml.AliasEvent) else 1
        if self._count > MOST_NODES:
            raise _Stop(
                f"more than {MOST_NODES:,} entries",
                event.start_mark,
                "split it into several files",
                code=FaultCode.TOO_LARGE,
            )
        if anchor:
            self._anchors[anchor] = node
        if self._open:
            self._open[-1][1].append(node)
        else:
            self.root = node


def _place(event: Any) -> Place:
    return Place(event.start_mark.line + 1, event.start_mark.column + 1)


class _Reader:
    """Nodes to data; aliases are followed, so every entry has a path of its own."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.places: dict[Path, Entry] = {}

    def data(self, node: Node, path: Path, key: Place | None) -> Any:
        self.places[path] = Entry(key, node.place)
        if node.tag and node.tag != "!":  # a lone ! says that the value is text, which it is
            shown = node.tag.replace("tag:yaml.org,2002:", "!!")
            remedy = "write `not`, or put the text in quotes" if shown[:2] != "!!" else "leave it out"
            self._fault(f"tag {shown!r} is not allowed", node.place, path, remedy, code=FaultCode.UNSUPPORTED)
            return None
        if node.kind is list:
            return [self.data(child, (*path, i), None) for i, child in enumerate(node.value)]
        if node.kind is dict:
            return dict(self._items(node, path))
        return node.value

    def _items(self, node: Node, path: Path) -> Iterator[tuple[str, Any]]:
        seen: dict[str, int] = {}
        for key, value in zip(node.value[::2], node.value[1::2], strict=True):
            if key.kind is not str:
                remedy = "a { or [ at the start of a text needs quotes around it"
                self._fault("a key must be a word", key.place, path, remedy, code=FaultCode.WRONG_TYPE)
                continue
            name = key.place.text  # `1:` and `true:` are names too, if bad ones
            if name in seen:
                remedy = f"the first is on line {seen[name]}"
                self._fault(f"{name!r} stands twice", key.place, (*path, name), remedy, code=FaultCode.DUPLICATE)
                continue
            seen[name] = key.place.line
            yield name, self.data(value, (*path, name), key.place)

    def _fault(self, message: str, place: Place, path: Path, suggestion: str, *, code: FaultCode) -> None:
        text = in_one_line(place.text)
        self.faults.append(Fault(message, text, suggestion, path, line=place.line, column=place.column, code=code))
