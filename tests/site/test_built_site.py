"""The built site: strict, whole without any other host, and searched in a browser that reaches nothing else.

``TELOS_BUILT_SITE`` names a site that is built, as in ``.ci/run``; without it these tests are slow and build one.
"""

import http.server
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
BUILT = os.environ.get("TELOS_BUILT_SITE", "")
CHROMIUM = Path("/usr/bin/chromium")
pytest.importorskip("mkdocs", reason='the site is built with the extra: pip install "telos[docs]"')
pytestmark = [] if BUILT else [pytest.mark.slow]
LOADS = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}


class References(HTMLParser):
    """What a page loads, where it links to, and the anchors that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if target := found.get(LOADS.get(tag, "")):
            self.loads.append(target)
        if tag == "a" and found.get("href"):
            self.links.append(str(found["href"]))
        if found.get("id"):
            self.anchors.add(str(found["id"]))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if BUILT:
        return Path(BUILT)
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "-f", str(ROOT / "mkdocs.yml"), "-d", str(folder)],
        check=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")},
    )
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, References]:
    return {path: References(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def test_pages_load_nothing_from_other_hosts(site: Path, pages: dict[Path, References]) -> None:
    asked = {load for page in pages.values() for load in page.loads if urlsplit(load).netloc}
    assert asked == set()
    sheets = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert not [url for url in re.findall(r"""url\(["']?([^"')]+)""", sheets) if urlsplit(url).netloc]
    assert not re.search(r"@import[^;]*//", sheets)


def test_every_link_leads_to_a_page_and_an_anchor_that_exist(site: Path, pages: dict[Path, References]) -> None:
    broken = []
    for path, page in pages.items():
        if path.name == "404.html":  # its links are absolute, for a site at the root of a host
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                broken.append(f"{path.relative_to(site)} → {link}")
            elif parts.fragment.startswith("__"):
                continue  # those of the theme's own code lines
            elif parts.fragment and target.suffix == ".html" and parts.fragment not in pages[target].anchors:
                broken.append(f"{path.relative_to(site)} → {link}")
    assert broken == []


def test_pictures_have_words(site: Path) -> None:
    for path in site.rglob("*.html"):
        for picture in re.findall(r"<img[^>]*>", path.read_text(encoding="utf-8")):
            assert re.search(r'alt="[^"]+"', picture), f"{path.relative_to(site)}: {picture}"


# --- in a browser -----------------------------------------------------------------------------------------------------


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files, and logs nothing."""

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), lambda *arguments: QuietHandler(*arguments, directory=str(site))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason='pip install "telos[dev]"')
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is not there: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1360, 390])
def test_pages_fit_the_screen_and_ask_no_other_host(browser: Any, address: str, scheme: str, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 850}, color_scheme=scheme)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    for name in (
        "index.html",
        "how-to/write-a-domain-file.html",
        "reference/telos.planning.html",
        "studies/index.html",
    ):
        page.goto(address + name)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    assert page.evaluate("document.body.dataset.mdColorScheme") == ("slate" if scheme == "dark" else "default")
    assert not [url for url in asked if not url.startswith((address, "data:", "blob:"))]
    context.close()


def test_search_finds_a_page_without_any_other_host(browser: Any, address: str) -> None:
    context = browser.new_context(viewport={"width": 1360, "height": 850})
    context.route(re.compile(rf"^(?!{re.escape(address)}|data:|blob:)"), lambda route: route.abort())
    page = context.new_page()
    page.goto(address + "index.html")
    page.locator("input.md-search__input").click()
    page.keyboard.type("plan grammar")
    first = page.locator(".md-search-result__item a").first
    first.wait_for(timeout=20_000)
    assert "grammar" in first.inner_text().lower()
    page.locator("a[href*='plan-grammars.html']").first.wait_for(timeout=20_000)
    context.close()
