"""Saved models: replaced in one step, and a file that was cut short is refused instead of read as another model."""

from pathlib import Path

import pytest

from telos.core.errors import DefinitionError, FaultCode, TelosError
from telos.core.event import Event
from telos.recognition.files.load import (
    format_model,
    load_model,
    loads_model,
    model_lines,
    named_model,
    save_model,
)
from telos.recognition.filtering import Reader
from telos.recognition.iohmm import IOHMM


def trained() -> IOHMM:
    model = named_model("aiide")
    assert isinstance(model, IOHMM)
    reader = Reader(model)
    for second in range(30):
        reader.learn(Event("swing", {"toward_monster": True}, time=second), "level" if second % 3 else "return")
    return model


def test_every_prefix_of_a_trained_model_is_refused(tmp_path: Path) -> None:
    file, model = tmp_path / "me.yaml", trained()
    save_model(model, file)
    whole = file.read_bytes()
    for cut in range(len(whole)):
        file.write_bytes(whole[:cut])
        if not whole[cut:].strip():
            assert load_model(file) == model
            continue
        with pytest.raises(DefinitionError):
            load_model(file)


@pytest.mark.parametrize("name", ["flairs", "flairs-fsm", "aiide-constant", "aiide-iohmm"])
def test_prefixes_of_other_models_are_refused(name: str) -> None:
    model = named_model(name)
    text = format_model(model)  # type: ignore[arg-type]
    for cut in {*range(0, len(text) - 1, 7), *(at for at, sign in enumerate(text[:-1]) if sign == "\n")}:
        with pytest.raises(DefinitionError):
            loads_model(text[:cut])
    assert loads_model(text) == model


def test_a_cut_model_says_that_it_is_cut() -> None:
    text = format_model(trained())
    with pytest.raises(DefinitionError, match="cut short") as caught:
        loads_model(text[: text.index("counts:")], name="me.yaml")
    assert caught.value.faults[0].code is FaultCode.INCOMPLETE


def test_models_saved_without_an_end_mark_still_load() -> None:
    model = trained()
    assert loads_model("\n".join(model_lines(model))) == model


def test_a_model_that_cannot_be_written_leaves_the_old_file(tmp_path: Path, full_device: Path) -> None:
    file = tmp_path / "me.yaml"
    save_model(named_model("flairs"), file)  # type: ignore[arg-type]
    before = file.read_bytes()
    with pytest.raises(TelosError):
        save_model(named_model("island"), file)  # type: ignore[arg-type]
    assert file.read_bytes() == before
    (tmp_path / "full.yaml").symlink_to(full_device)
    with pytest.raises(TelosError, match=r"full\.yaml: cannot be written: No space left on device"):
        save_model(trained(), tmp_path / "full.yaml")
