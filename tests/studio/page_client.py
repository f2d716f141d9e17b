"""A NiceGUI page without a browser, for tests that press its buttons and read its texts."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("nicegui", reason='the studio needs NiceGUI: pip install "telos[studio]"')

from nicegui import Client, core, ui
from nicegui.events import GenericEventArguments, handle_event
from nicegui.page import page as page_settings
from starlette.requests import Request

from studio.tiny import LINE
from telos.studio.session import Session


def in_page(act: Callable[[Client], Any], *, cookie: str = "") -> None:
    """Run a function inside a page that is being built, for a browser with this cookie."""

    async def run() -> None:
        core.loop = asyncio.get_running_loop()
        headers = [(b"cookie", cookie.encode())] if cookie else []
        request = Request({"type": "http", "method": "GET", "path": "/", "headers": headers, "query_string": b""})
        client = Client(page_settings("/for-tests"), request=request)
        try:
            with client:
                answer = act(client)
                if inspect.isawaitable(answer):
                    await answer
        finally:
            client.delete()
            core.loop = None

    asyncio.run(run())


def found(client: Client, kind: type[Any], words: str) -> Any:
    """Return the element of a type whose label, text or ARIA label starts with the given words."""
    for element in client.elements.values():
        said = [element.props.get("label"), element.props.get("aria-label"), getattr(element, "text", None)]
        if isinstance(element, kind) and any(str(each or "").startswith(words) for each in said):
            return element
    raise AssertionError(f"there is no {kind.__name__} with {words!r}")


def send(element: ui.element, event: str, args: Any = None) -> None:
    """Send an event of an element, as the browser would."""
    for listener in list(element._event_listeners.values()):
        if listener.type == event:
            handle_event(listener.handler, GenericEventArguments(sender=element, client=element.client, args=args))


def texts(client: Client) -> list[str]:
    """Return the texts of all visible labels."""
    labels = [each for each in client.elements.values() if isinstance(each, ui.label)]
    return [each.text for each in labels if each.visible and all(above.visible for above in each.ancestors())]


def played(steps: int, held: str = "right") -> Session:
    session = Session(LINE)
    session.hold(held)
    for _ in range(steps):
        session.advance()
    return session


async def until(holds: Callable[[], object], seconds: float = 20) -> None:
    """Wait until a condition holds."""
    for _ in range(int(seconds / 0.02)):
        if holds():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the condition never became true")
