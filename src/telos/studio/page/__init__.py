"""The page of a game, built with NiceGUI: `build_page` (page.py) lays out the canvas, timeline, controls and panels.

Each panel has a module (`beliefs_panel`, `mind_panel`, `model_panel`, `score_panel`), and the tabs are in `panels`. The
menus of the header are in `game_menu`, the strip below the picture and the keys in `controls`, the help in `help`, dark
and light in `theme`, and the shared elements in `widgets`. The scripts under assets/ draw in the browser.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.studio.page.page import build_page

__all__ = ["build_page"]

__getattr__, __dir__ = lazy_exports(__name__, {"build_page": "page"})
