"""Explanations in the Beliefs panel: of the present, of the past, and of a clicked event."""

import pytest

pytest.importorskip("nicegui", reason='the studio needs NiceGUI: pip install "telos[studio]"')

from nicegui import Client, ui

from studio.page_client import found, in_page, played, texts, until
from studio.tiny import ALWAYS_WEST, LINE
from telos.studio.explanation import ExplanationLine
from telos.studio.page.beliefs_panel import BeliefsPanel, ExplanationBox
from telos.studio.session import Session


def explained(client: Client) -> str:
    """Return the explanation in the Beliefs panel as plain text."""
    lines = [each for each in client.elements.values() if isinstance(each, ui.label) and "ts-said" in each.classes]
    return "\n".join(each.text for each in lines if each.visible and all(above.visible for above in each.ancestors()))


def reason(session: Session, number: int) -> str:
    """Return the same explanation from the session."""
    return "\n".join(line.words for line in session.explain(number, "last"))


async def is_explained(client: Client, session: Session, number: int) -> None:
    """Wait until an event is explained, which is worked out beside the game."""
    await until(lambda: explained(client) == reason(session, number) != "")


def test_present_is_explained_by_default() -> None:
    def act(client: Client) -> None:
        session = Session(LINE)
        beliefs = BeliefsPanel(session)
        assert any(line.startswith("No event has been observed yet") for line in texts(client))
        session.hold("right")
        session.advance()
        beliefs.refresh()
        assert explained(client).startswith("east 100%")
        assert any(line.startswith("now, ") for line in texts(client))
        assert not any(line.startswith("No event has been observed yet") for line in texts(client))
        session.hold("left")
        for _ in range(3):
            session.advance()
        beliefs.refresh()
        assert explained(client).startswith("west 100%")

    in_page(act)


def test_past_moment_is_explained_by_last_happening() -> None:
    async def act(client: Client) -> None:
        session = played(5)
        beliefs = BeliefsPanel(session)
        session.hold("")
        for _ in range(5):
            session.advance()
        session.scrub(8)
        beliefs.refresh()
        await is_explained(client, session, 4)
        assert "0.5 s  walker goes right" in texts(client)
        session.scrub(0)  # before anything happened
        beliefs.refresh()
        assert explained(client) == ""

    in_page(act)


def test_clicked_event_stays_explained_until_released() -> None:
    async def act(client: Client) -> None:
        session, released = played(5), []
        beliefs = BeliefsPanel(session, on_release=lambda: released.append(True))
        release = found(client, ui.button, "Explain the present again")
        assert not release.visible
        beliefs.explain(2)
        await is_explained(client, session, 2)
        assert "0.3 s  walker goes right" in texts(client)
        session.advance()
        session.scrub(2)
        beliefs.refresh()
        await is_explained(client, session, 2)
        assert "0.3 s  walker goes right" in texts(client)
        assert release.visible
        session.scrub(None)
        beliefs.release()
        assert any(line.startswith("now, ") for line in texts(client))
        assert (release.visible, released) == (False, [True])

    in_page(act)


def test_explanation_is_recomputed_after_model_change() -> None:
    async def act(client: Client) -> None:
        session = played(5)
        beliefs = BeliefsPanel(session)
        beliefs.explain(2)
        await is_explained(client, session, 2)
        before = explained(client)
        session.apply("last", ALWAYS_WEST)
        beliefs.refresh()
        await until(lambda: explained(client) == reason(session, 2) != before)

    in_page(act)


def test_only_changed_lines_of_explanation_are_sent() -> None:
    def act(client: Client) -> None:
        explanation = ExplanationBox()
        first, kill = ExplanationLine(0, "+1.10", "a rather than b"), ExplanationLine(1, "+2.50", "kills a monster")
        explanation.show([first, kill._replace(figure="+2.00"), ExplanationLine(1, "+1.00", "stops")])
        client.outbox.updates.clear()
        explanation.show([first, kill])
        sent = [client.elements[id] for id in client.outbox.updates]
        assert sorted(type(each).__name__ for each in sent) == ["Element", "Label"]  # a row that is hidden, a figure
        client.outbox.updates.clear()
        explanation.show([first, kill])
        assert not client.outbox.updates

    in_page(act)
