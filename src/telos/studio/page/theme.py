"""Dark and light: `Theme` of one page, and the palette as CSS (`theme_css`)."""

from pathlib import Path

from nicegui import ui

from telos.studio.worlds.shapes import GOALS, ROLES, goal_place

_COOKIE = "telos-theme"
# In the head, before anything is painted: the cookie, otherwise what the system prefers. shell.js changes it later.
_HEAD = """
<script>
  (() => {
    const known = /(?:^|; )%s=(dark|light)/.exec(document.cookie)?.[1];
    const theme = known ?? (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark");
    document.documentElement.classList.add(`telos-${theme}`);
    document.documentElement.style.colorScheme = theme;
  })();
</script>
"""


class Theme:
    """The theme of one page as the server knows it: the cookie's, until the browser reports what it shows."""

    def __init__(self) -> None:
        ui.add_head_html(_HEAD % _COOKIE + f"<style>html {{ background: var(--telos-page); }}\n{theme_css()}</style>")
        self.dark = ui.context.client.request.cookies.get(_COOKIE) != "light"


# --- palette ----------------------------------------------------------------------------------------------------------


def theme_css() -> str:
    """Return the CSS of the elements: the palette as variables (``--telos-ink``, ``--telos-goal0``), and studio.css.

    A page is light unless its root has the class ``telos-dark``; ``body--dark`` is that of a page without our head.
    """
    return "\n".join(
        [
            _variables(":root", 1),
            _variables(":root.telos-dark, body.body--dark", 0),
            Path(__file__).with_name("assets").joinpath("studio.css").read_text("utf-8"),
        ]
    )


def goal_colour(goal: str) -> str:
    """Return the CSS colour of a goal, which is the same in every chart.

    >>> goal_colour("explore")
    'var(--telos-goal1)'
    """
    return f"var(--telos-goal{goal_place(goal)})"


def _variables(selector: str, side: int) -> str:
    lines = [f"  --telos-{role}: {pair[side]};" for role, pair in ROLES.items()]
    lines += [f"  --telos-goal{at}: {pair[side]};" for at, pair in enumerate(GOALS)]
    return "\n".join([f"{selector} {{", *lines, "}"])
