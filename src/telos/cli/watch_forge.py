"""``telos watch forge``: a player at a locked door, and a companion who reads what they are up to."""

from random import Random

from telos.cli.watch_show import is_terminal, print_json, printer, run, show
from telos.worlds.forge.domain import PLANS
from telos.worlds.forge.scene import LONGEST, Scene, SceneView
from telos.worlds.forge.trace import describe


def watch_forge(*, seed: int, plan: str | None, companion: str | None, speed: float, as_lines: bool) -> None:
    """Play the scene: draw it or print it; ``speed`` is in seconds a second. Without a plan the seed draws one."""
    chosen = Random(f"plan {seed}").choice(PLANS) if plan is None else plan
    scene = Scene(chosen, companion or "reads", seed=seed)
    if as_lines:
        scene.trace = print_json
        run(scene.moments(), "playing", LONGEST / scene.pace)
    elif is_terminal():
        _show(scene, speed)
    else:
        scene.trace = printer(describe)
        for _ in scene.moments():
            pass


def _show(scene: Scene, speed: float) -> None:
    from telos.planning.planner import warm_up
    from telos.worlds.forge.terminal import Frame

    warm_up()  # so that no frame waits for a compiler
    title = f"forge · seed {scene.seed} · {speed:g} s/s · Ctrl-C ends"

    def draw(view: SceneView) -> Frame:
        return Frame(scene.world.village, view, title)

    show(draw, scene.view(), scene.moments(), steps_a_second=speed / scene.pace)
