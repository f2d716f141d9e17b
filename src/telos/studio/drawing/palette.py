"""The colours of the studio, by role: one pair of hex values each, for the dark and the light theme."""

ROLES: dict[str, tuple[str, str]] = {  # role: (dark, light)
    "ground": ("#1b2430", "#eef1ea"),
    "ground2": ("#202b39", "#e5eadf"),
    "grass": ("#22382f", "#d5e5c8"),
    "path": ("#2d3340", "#e9dfc8"),
    "floor": ("#262c38", "#f3eee4"),
    "floor2": ("#2b3240", "#ebe4d6"),
    "water": ("#17364d", "#b9dcef"),
    "wall": ("#4a566a", "#6d7889"),
    "wall2": ("#39445a", "#8b96a6"),
    "wood": ("#7a5b3c", "#a97f52"),
    "stone": ("#5d6778", "#a3acb9"),
    "leaf": ("#3f7a54", "#6fae6b"),
    "roof": ("#9c4f46", "#c4675b"),
    "fire": ("#f0883e", "#e36f1e"),
    "gold": ("#e3b341", "#c8921a"),
    "gem": ("#56c8d8", "#1796a8"),
    "player": ("#58a6ff", "#1769c9"),
    "friend": ("#56d364", "#238636"),
    "foe": ("#f0616d", "#c93c48"),
    "side0": ("#58a6ff", "#1769c9"),
    "side1": ("#f0616d", "#c93c48"),
    "danger": ("#ff7b72", "#cf222e"),
    "good": ("#56d364", "#1a7f37"),
    "warn": ("#e3b341", "#9a6700"),
    "ink": ("#e6edf3", "#1f2733"),
    "faint": ("#8b98a9", "#5b6675"),
    "line": ("#313c4d", "#d3d9e0"),
    "panel": ("#151c26", "#ffffff"),
    "page": ("#0e141c", "#f5f6f4"),
    "accent": ("#a78bfa", "#6d4fd6"),
    "shadow": ("#00000066", "#1f273326"),
    "tint": ("#8b98a9", "#5b6675"),  # what a placed symbol's own ``tint`` stands in for
}
GOALS: tuple[
    tuple[str, str], ...
] = (  # the colour of the first goal, the second, …: told apart by the colour-blind too
    ("#f2a65a", "#c76a12"),
    ("#5aa9e6", "#1b6fb3"),
    ("#8fd694", "#2e8540"),
    ("#e57ba8", "#b83b74"),
    ("#b39ddb", "#6a4fb0"),
    ("#e6d36a", "#8a7400"),
    ("#6fd3c9", "#137f76"),
    ("#c9a27e", "#8a5a2b"),
)
