"""Papers that a player fills in (`FormButtons`): a button for each in the strip, which opens a dialog of its fields."""

from collections.abc import Callable

from nicegui import ui

from telos.studio.page.widgets import box, text_button
from telos.studio.session import Session
from telos.studio.stage import Form, FormField


class FormButtons:
    """A button for each form of the stage. Its dialog sends the commands of all lines that were changed."""

    def __init__(self, session: Session, send: Callable[[str], None]) -> None:
        self._session, self._send = session, send
        self._titles: tuple[str, ...] = ()
        self._place = box("ts-forms")

    def refresh(self) -> None:
        """Show a button for each form that there is now."""
        titles = tuple(form.title for form in self._session.stage.forms())
        if titles == self._titles:
            return
        self._titles = titles
        self._place.clear()
        with self._place:
            for number, form in enumerate(self._session.stage.forms()):
                text_button(form.title, form.about, lambda at=number: self.open(at), icon="assignment", tip="above")

    def open(self, number: int) -> None:
        """Open the dialog of a form, with its present values."""
        forms = self._session.stage.forms()
        if number < len(forms):
            FormDialog(forms[number], self._send)


class FormDialog:
    """The dialog of one form; closing it writes nothing down."""

    def __init__(self, form: Form, send: Callable[[str], None]) -> None:
        self._form, self._send = form, send
        self._chosen: dict[int, str] = {}  # the commands of changed lines
        with ui.dialog(value=True) as self._dialog, box("ts-dialog ts-form"):
            self._dialog.on_value_change(lambda event: None if event.value else self._dialog.delete())
            with box("ts-dialog-head"):
                ui.label(form.title)
                text_button("Close", "Close without writing", self._dialog.close, key="Esc")
            ui.label(form.about).classes("ts-prose")
            with box("ts-form-fields"):
                for number, field in enumerate(form.fields):
                    self._field(number, field)
            with box("ts-form-end"):
                text_button("Write it down", "Write the chosen lines on the paper", self._write).classes("ts-main")
                if form.submit is not None:
                    text_button(form.submit.title, "Hand it in as it is now", self._submit)

    def _field(self, number: int, field: FormField) -> None:
        options = {choice.command: choice.title for choice in field.choices}
        value = next((choice.command for choice in field.choices if choice.title == field.value), None)
        ui.label(field.title)
        menu = ui.select(options, value=value).props("dense outlined options-dense")
        menu.props["aria-label"] = field.title
        menu.on_value_change(lambda event: self._choose(number, event.value, before=value))

    def _choose(self, number: int, command: str, *, before: str | None) -> None:
        self._chosen.pop(number, None)
        if command != before:
            self._chosen[number] = command

    def _write(self) -> None:
        self._dialog.close()
        for number in sorted(self._chosen):
            self._send(self._chosen[number])

    def _submit(self) -> None:
        assert self._form.submit is not None
        self._write()
        self._send(self._form.submit.command)
