"""The models of a service: named, versioned, and exchanged while it runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, cast

from telos.core.errors import TelosError, name_hint
from telos.files import read_text
from telos.recognition.files.load import RecognizerModel, create_recognizer, model_file, parse_model
from telos.recognition.recognizer import Recognizer
from telos.service.messages import ProblemCode, ServiceError, check_name, damaged
from telos.service.store import ModelRow, Store, StoreConflict

MAX_MODEL_BYTES = 4_000_000
MAX_TRIES = 5  # to add a version of a model while other processes add some, too


@dataclass(frozen=True, slots=True)
class LiveModel:
    """One version of a model."""

    name: str
    version: int
    file: str
    text: str
    model: RecognizerModel

    @property
    def goals(self) -> tuple[str, ...]:
        return tuple(self.model.goals)

    def recognizer(self, seed: int) -> Recognizer:
        """Return a recogniser that has observed nothing."""
        return create_recognizer(self.model, seed=seed)

    def resume(self, saved: Mapping[str, Any]) -> Recognizer:
        """Return a recogniser that continues from a saved state."""
        fresh: Any = self.recognizer(seed=0)
        if not hasattr(fresh, "resume"):  # state machines restore themselves in place
            fresh.restore(saved)
            return cast(Recognizer, fresh)
        return cast(Recognizer, type(fresh).resume(self.model, saved))


class ModelShelf:
    """All versions of all models; the last version of each is the present one."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._rows: dict[tuple[str, int], ModelRow] = {}
        self._loaded: dict[tuple[str, int], LiveModel] = {}
        self._last: dict[str, int] = {}
        self.refresh()

    def refresh(self) -> None:
        """Read the versions that other processes have added to the store."""
        self._rows = {(row.name, row.version): row for row in self._store.models()}
        for name, version in sorted(self._rows):
            self._last[name] = version

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._last)

    def current(self, name: str) -> LiveModel:
        """Return the present version of a model."""
        if name not in self._last:
            raise ServiceError(ProblemCode.NOT_FOUND, f"there is no model {name!r}", name_hint(name, self._last))
        return self.version(name, self._last[name])

    def version(self, name: str, version: int) -> LiveModel:
        """Return a version of a model."""
        found = self._loaded.get((name, version))
        if found is None:
            if (name, version) not in self._rows:
                self.refresh()
            if (name, version) not in self._rows:
                raise damaged(f"it has no version {version} of the model {name!r}")
            row = self._rows[name, version]
            try:
                found = LiveModel(*row, read_model(row.file, row.text))
            except ServiceError as error:
                raise damaged(f"version {version} of the model {name!r}: {error.message}") from None
            self._loaded[name, version] = found
        return found

    def put(self, name: str, file: str, text: str) -> LiveModel:
        """Check a model and make it the present version; the same text again changes nothing."""
        check_name("model", name)
        parsed = read_model(check_name("file", PurePath(file).name), text)
        for _ in range(MAX_TRIES):
            last = self._last.get(name)
            if last is not None and (self._rows[name, last].text, self._rows[name, last].file) == (text, file):
                return self.current(name)
            row = ModelRow(name, (last or 0) + 1, file, text)
            try:
                self._store.add_model(row)
            except StoreConflict:  # another process was faster
                self.refresh()
                continue
            found = LiveModel(*row, parsed)
            self._rows[name, row.version], self._loaded[name, row.version] = row, found
            self._last[name] = row.version
            return found
        raise ServiceError(ProblemCode.UNAVAILABLE, f"other processes exchange {name!r}, too", "send it again later")

    def load(self, path_or_name: str) -> LiveModel:
        """Put the model of a file, or a built-in one, on the shelf under the name of its file."""
        path = PurePath(model_file(path_or_name))
        return self.put(path.stem, path.name, read_text(Path(path), limit=MAX_MODEL_BYTES))


def read_model(file: str, text: str) -> RecognizerModel:
    """Return the model in the text of a file; faults name the file as it was given.

    The text may come from another machine, and no file of this one is read for it.
    """
    if len(text.encode("utf-8", errors="replace")) > MAX_MODEL_BYTES:
        raise ServiceError(ProblemCode.TOO_LARGE, f"{file}: a model has at most {MAX_MODEL_BYTES:,} bytes")
    try:
        return parse_model(text, name=file)
    except TelosError as error:
        raise ServiceError(ProblemCode.INVALID, str(error)) from None
