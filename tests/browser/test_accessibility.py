"""axe-core finds no serious fault: every world, both themes, all panels, menus and dialogs."""

from typing import Any

import pytest

from browser.conftest import Studio, reach, until

AXE = pytest.importorskip(
    "axe_playwright_python.base", reason='axe-core is not installed: pip install "telos[dev]"'
).AXE_SCRIPT
WORLDS = {
    "adventure": "adventure?seed=7&plays=newcomer&at=300",
    "arena": "arena?seed=3&at=75",
    "home": "home?seed=7&at=100",
    "forge": "forge?seed=3&play=key&at=60",
    "island": "island?seed=7&at=200",
}
# Lines of the picture that make way for somebody beneath them (.telos-aside) are pale for as long as that lasts.
RUN = """async () => {
  for (const each of document.getAnimations()) each.finish?.call(each);
  const { violations } = await axe.run({ exclude: [[".telos-aside"]] }, { resultTypes: ["violations"] });
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).flatMap(({ id, nodes }) =>
    nodes.map(({ html, any, all, none }) => [id, html.slice(0, 160), [...any, ...all, ...none][0]?.message ?? ""]));
}"""


class Audit:
    """The serious faults that axe-core finds in the states of one page, each once."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.found: dict[tuple[str, str], str] = {}

    def look(self, where: str) -> None:
        self.page.mouse.move(2, 2)
        self.page.wait_for_timeout(450)  # menus and dialogs fade in
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE)
        for rule, html, why in self.page.evaluate(RUN):
            self.found.setdefault((rule, html), f"{where}: {why}")


def audit(browser: Any, studio: Studio, world: str, theme: str) -> dict[tuple[str, str], str]:
    """Open a world, and look at all its panels, menus and dialogs."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 720}, color_scheme=theme, reduced_motion="reduce", bypass_csp=True
    )
    try:
        page = context.new_page()
        page.goto(studio.url(WORLDS[world]))
        reach(page)
        until(page, "link.status.paused && window.did_handshake")
        seen = Audit(page)
        for tab in page.get_by_role("tab").all():
            if tab.is_visible():
                tab.click()
                seen.look(f"{theme} {tab.inner_text()}")
        for name in ("New game", "Recordings", "Help"):
            page.get_by_role("button", name=name).first.click()
            seen.look(f"{theme} {name}")
            page.keyboard.press("Escape")
            page.wait_for_timeout(300)
        if world == "adventure":
            page.get_by_role("tab", name="Model").click()
            page.get_by_role("button", name="Save").first.click()
            seen.look(f"{theme} Save")
        return seen.found
    finally:
        context.close()


def test_axe_finds_no_serious_fault_in_adventure(browser: Any, studio: Studio) -> None:
    assert audit(browser, studio, "adventure", "light") == {}


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("world", WORLDS)
def test_axe_finds_no_serious_fault(browser: Any, studio: Studio, world: str, theme: str) -> None:
    assert audit(browser, studio, world, theme) == {}
