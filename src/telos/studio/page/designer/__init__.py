"""The designer's tools of the Model and Mind panels: editor, comparison, resolved view, rejected plans and graph."""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.studio.page.designer.comparison import show_comparison
    from telos.studio.page.designer.editor import ModelEditor, SaveDialog
    from telos.studio.page.designer.plan_dialogs import show_graph, show_plan_choice
    from telos.studio.page.designer.resolved_view import ResolvedView, ask_value

__all__ = [
    "ModelEditor",
    "ResolvedView",
    "SaveDialog",
    "ask_value",
    "show_comparison",
    "show_graph",
    "show_plan_choice",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "ModelEditor": "editor",
        "ResolvedView": "resolved_view",
        "SaveDialog": "editor",
        "ask_value": "resolved_view",
        "show_comparison": "comparison",
        "show_graph": "plan_dialogs",
        "show_plan_choice": "plan_dialogs",
    },
)
