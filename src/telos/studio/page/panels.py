"""The tabs of the page: `Panels` shows one or two panels beside the picture."""

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType

from nicegui import ui

from telos.studio.page.widgets import Divider, box, icon_button, set_class, tooltip, with_key

PANELS = ("beliefs", "mind", "model", "score", "log")
WIDE = 1700  # pixels; from this width on, two panels are shown side by side


class Panels:
    """The tabs and their panels. Hidden panels stay in the page, so that they keep scroll position and cursor."""

    def __init__(
        self,
        builders: dict[str, Callable[[], None]],
        on_show: Callable[[str], None],
        *,
        keys: Collection[str],
        order: Sequence[str] = PANELS,
        hidden: Collection[str] = (),
        titles: Mapping[str, str] = MappingProxyType({}),
        wide: bool = False,
    ) -> None:
        """``hidden`` panels have no tab until they are shown by ``show``; ``titles`` replaces names of tabs."""
        self._on_show, self._keys, self._titles = on_show, keys, titles
        self.hidden = set(hidden)
        self._wide = wide
        self._recent = list(order)  # the one shown last is first
        self._tabs: dict[str, ui.button] = {}
        self._boxes: dict[str, ui.element] = {}
        with box("ts-panels"):
            self._divider = Divider("panel", "Width of the panels")
            with box("ts-tabbar"):
                with box("ts-tabs") as tabs:
                    tabs.props["role"] = "tablist"
                    for number, name in enumerate(PANELS, 1):
                        self._tabs[name] = self._tab(name, number)
                with box("ts-tools"):
                    _pane_button("open_in_full", "Larger or smaller panel", "enlarge").classes("ts-widen")
                    _pane_button("close", "Close the panel", "closeSheet").classes("ts-close-sheet")
            with box("ts-panel-row"):
                for name in PANELS:
                    with box("ts-panel") as self._boxes[name]:
                        self._boxes[name].props["role"] = "tabpanel"
                        self._boxes[name].props["aria-label"] = name.capitalize()
                        builders[name]()
        self._arrange()

    @property
    def shown(self) -> tuple[str, ...]:
        """The visible panels."""
        offered = [name for name in self._recent if name not in self.hidden]
        return tuple(offered[: 2 if self._wide else 1])

    def show(self, name: str) -> None:
        """Show a panel, and open the sheet that holds it on a small screen."""
        self._divider.reveal()
        self._select(name)

    def _select(self, name: str) -> None:
        was_shown = name in self.shown
        self.hidden.discard(name)
        self._recent.remove(name)
        self._recent.insert(0, name)
        if not was_shown:
            self._arrange()
            self._on_show(name)

    def widen(self, wide: bool) -> None:
        """Show two panels in a wide window, otherwise one."""
        if wide == self._wide:
            return
        self._wide = wide
        self._arrange()
        for name in self.shown:
            self._on_show(name)

    def _tab(self, name: str, number: int) -> ui.button:
        title = self._titles.get(name, name.capitalize())
        tab = ui.button(title, on_click=lambda: self._select(name), color=None)
        tab.props("flat dense no-caps role=tab").classes("ts-tab")
        tooltip(tab, with_key(title, str(number) if str(number) in self._keys else ""))
        return tab

    def _arrange(self) -> None:
        for name, tab in self._tabs.items():
            on = name in self.shown
            set_class(tab, "ts-on", on, aria="aria-selected")
            tab.set_visibility(name not in self.hidden)
            self._boxes[name].set_visibility(on)


def _pane_button(icon: str, says: str, call: str) -> ui.button:
    """Return a button that calls a function of ``panes.js``, without asking the server."""
    button = icon_button(icon, says, tip="left")
    button.on("click", js_handler=f'() => import("telos-studio/panes.js").then((panes) => panes.{call}())')
    return button
