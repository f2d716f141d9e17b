"""What there is to achieve: chests, the town, kills; and the phases in which one of them is asked for."""

from telos.worlds.adventure.play import Play

_EARNED_BY = {"kill": "kills", "chest": "town"}  # what a phase asks for when it asks for something that is paid


def begin(play: Play) -> None:
    """Start a game: the first phase, or chests for whoever plays freely."""
    if play.directed:
        _begin_phase(play)
    else:
        _hide_chests(play)


def find_chest(play: Play) -> None:
    """Take the chest that the player stands on."""
    play.chests.discard(play.area)
    play.carrying = play.since.chest_taken = True
    play.restart = (play.area, play.x, play.y)
    _achieve(play, "chest")


def visit_town(play: Play) -> None:
    """Bank what the player brings; from here they start again if they die."""
    rules = play.rules
    play.restart = (rules.map.town, rules.width / 2, rules.height / 2)
    if not (play.carrying or play.gems_held):
        return
    gem, chest = rules.worth.gem * paid(play, "gem"), rules.worth.chest * paid(play, "chest")
    play.score += play.gems_held * gem + play.carrying * chest
    had_chest, play.carrying, play.gems_held = play.carrying, False, 0
    if had_chest:
        play.chests.clear()
        if not play.directed:
            _hide_chests(play)
    _achieve(play, "town")


def paid(play: Play, what: str) -> float:
    """Return what a kill, a gem or a chest counts by now: never by less than 1 if the game itself asks for it."""
    factor = play.pay.get(what, 1.0)
    is_asked_for = play.task is not None and play.task.until == _EARNED_BY.get(what)
    return max(1.0, factor) if is_asked_for else factor


def count_kill(play: Play) -> None:
    """Count a monster that the sword has hit."""
    play.kills += 1
    play.since.killed = play.since.attacked = True
    play.score += play.rules.worth.kill * paid(play, "kill")
    play.phase_kills += 1
    if kills_wanted(play) == play.phase_kills:
        play.phase_kills = 0
        _achieve(play, "kills")


def kills_wanted(play: Play) -> int | None:
    """Return how many kills make the goal: those of the phase, in free play those of the first phase with any."""
    if play.directed:
        return (play.task and play.task.kills) or None
    return next((phase.kills for phase in play.rules.phases if phase.kills), None)


def _achieve(play: Play, what: str) -> None:
    play.since.goal = play.rules.goal_of(what)
    if play.task is not None and play.task.until == what:
        play.phase += 1
        _begin_phase(play)


def _begin_phase(play: Play) -> None:
    play.phase_kills = play.phase_deaths = 0
    task = play.task
    play.tell(task.tip if task else "")
    if task is None:
        return
    if task.fresh:
        play.visited = {play.area}
    if task.until == "chest":
        # Only now, so that nobody carries one already when they are told to find one.
        _hide_chests(play)


def _hide_chests(play: Play) -> None:
    """Put chests into places by chance, but never at the player's feet."""
    chest = play.rules.chest
    places = [place for place in play.rules.map.chest_places if place != play.area]
    if chest.number is not None:
        play.chests = set(play.rng.sample(places, min(chest.number, len(places))))
        return
    play.chests = set()
    while places and not play.chests:
        play.chests = {place for place in places if play.rng.random() < (chest.chance or 1.0)}
