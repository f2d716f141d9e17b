"""Recorded games as one web page: the figures of each, and of all that can be pooled."""

from collections.abc import Iterable
from html import escape
from pathlib import Path

from telos.studies.figures_svg import COLOURS, Scale, box, diamond, stroke, svg, text
from telos.studies.played_results import METHODS, NOTES, Played, PlayedStudy
from telos.studies.report_page import framed, listed, table, write_page
from telos.studies.scoring_contest import Score

_TITLE = "Games that people played"
_WIDTH, _ROW, _LEFT, _RIGHT = 760.0, 30.0, 170.0, 60.0
_CHANCE = 1 / 3  # of three goals


def save_page(study: PlayedStudy, path: Path) -> None:
    """Write the page of a study."""
    write_page(page(study), path)


def page(study: PlayedStudy) -> str:
    """Return the page of a study, whole."""
    count = f"{len(study.games)} recorded game{'' if len(study.games) == 1 else 's'}"
    body = [
        f"<h1>{_TITLE}</h1>",
        f'<p class="soft"><span class="tag">human players</span> {count}, seed {study.seed}</p>',
        *([f'<div class="findings">{listed(study.warnings)}</div>'] if study.warnings else []),
        *_pooled(study),
        *_games(study),
        *_believed(study),
        "<h2>How it was done</h2>",
        listed(NOTES),
    ]
    return framed(_TITLE, body)


def _pooled(study: PlayedStudy) -> Iterable[str]:
    for condition, scores in study.pooled.items():
        yield f"<h2>Accuracy: {escape(condition)}</h2><figure>{bars(condition, scores)}</figure>"
        goals = list(dict.fromkeys(goal for score in scores.values() for goal in score.by_goal))
        rows = [_row(score, goals) for score in scores.values()]
        yield table(["", "human", "95% interval", "games", "published", *goals], rows)


def _row(score: Score, goals: list[str]) -> list[str]:
    low, high = score.interval
    return [
        METHODS[score.method],
        f"{score.accuracy:.1%}",
        f"{low:.1%} to {high:.1%}",
        str(len(score.values)),
        "" if score.published is None else f"{score.published:g}%",
        *(f"{score.by_goal[goal]:.0%}" if goal in score.by_goal else "" for goal in goals),
    ]


def _games(study: PlayedStudy) -> Iterable[str]:
    scored = [game for game in study.games if game.tallies]
    if scored:
        head = ["game", "player", "rules", "minutes", "phases", "updates", *METHODS.values()]
        yield "<h2>Game by game</h2>" + table(head, [_game_row(game) for game in scored])


def _game_row(game: Played) -> list[str]:
    done, phases = game.phases
    shares = [f"{game.tallies[method].accuracy:.0%}" if method in game.tallies else "" for method in METHODS]
    minutes = f"{game.seconds / 60:.1f}"
    return [game.file, game.player, game.condition, minutes, f"{done}/{phases}", str(game.updates), *shares]


def _believed(study: PlayedStudy) -> Iterable[str]:
    free = [game for game in study.games if game.is_free and game.believed]
    if free:
        yield "<h2>Free play: what was believed</h2>"
        yield '<p class="soft">At which share of updates each goal was the likeliest. Nobody knows the truth.</p>'
    for game in free:
        goals = list(dict.fromkeys(goal for shares in game.believed.values() for goal in shares))
        rows = [
            [METHODS[method], *(f"{shares.get(goal, 0.0):.0%}" for goal in goals)]
            for method, shares in game.believed.items()
        ]
        yield f"<h3>{escape(game.file)}: {escape(game.player)}, {escape(game.rules)}</h3>" + table(["", *goals], rows)


def bars(condition: str, scores: dict[str, Score]) -> str:
    """Draw the accuracy of every method, with its interval, and the published figure as a diamond."""
    across = Scale(0, 1, _LEFT, _WIDTH - _RIGHT)
    bottom = 20 + _ROW * len(scores)
    parts = [stroke(across(_CHANCE), 12, across(_CHANCE), bottom, "dash")]
    for number, (method, score) in enumerate(scores.items()):
        y, (low, high) = 20 + _ROW * number, score.interval
        tip = f"{METHODS[method]}: {score.accuracy:.1%} (95% interval {low:.1%} to {high:.1%})"
        width = across(score.accuracy) - _LEFT
        parts += [
            text(_LEFT - 10, y + 15, METHODS[method], anchor="end"),
            box(_LEFT, y, width, _ROW - 9, f"f{number % COLOURS}", tip),
            stroke(across(low), y + 10.5, across(high), y + 10.5, "whisker"),
            text(across(1) + 8, y + 15, f"{score.accuracy:.0%}"),  # in a column, where no diamond can be
        ]
        if score.published is not None:
            parts.append(diamond(across(score.published / 100), y + 10.5, f"published: {score.published:g}%"))
    foot = "bars: human, with 95% intervals · ◇ published · dashes: chance"
    parts.append(text(_LEFT, bottom + 18, foot, look="soft small"))
    return svg(_WIDTH, bottom + 28, parts, says=f"How often each method was right, {condition}: human players")
