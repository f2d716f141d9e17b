"""Threads may share a domain and a planner: their answers are those of one thread."""

import threading
from concurrent.futures import ThreadPoolExecutor
from random import Random

import telos
from telos.planning import Planner

THREADS = 8


def yard() -> telos.Domain:
    return telos.Domain(
        variables=[
            telos.Variable("at", "place"),
            telos.Variable("ammo", "int"),
            telos.Variable("door", ["open", "shut", "locked"]),
            telos.Variable("done", "bool"),
        ],
        handles={"place": ["gate", "well", "barn"]},
        actions=[
            telos.Action("go", parameters={"to": "place"}, effects="at = to", cost="1 + far(to)"),
            telos.Action("unlock", preconditions="door == locked and at == gate", effects="door = shut, ammo += 1"),
            telos.Action("push", preconditions="door == shut and ammo < 9", effects="door = open"),
            telos.Action("fetch", preconditions="at == well", effects="ammo = ammo * 2 + 1"),
            telos.Action("end", preconditions="door == open and ammo >= 3", effects="done = true"),
        ],
        goals=[telos.Goal("finish", wants="done"), telos.Goal("rich", wants="ammo >= 40")],
        functions={"far": lambda place: {"gate": 1.0, "well": 2.0}.get(place, 3.0)},
    )


def requests(seed: int) -> list[tuple[dict[str, object], str, str]]:
    rng = Random(seed)
    return [
        (
            {
                "at": rng.choice(["gate", "well", "barn"]),
                "ammo": rng.randint(0, 9),
                "door": rng.choice(["open", "shut", "locked"]),
            },
            rng.choice(["finish", "rich"]),
            rng.choice(["optimal", "fast"]),
        )
        for _ in range(60)
    ]


def test_threads_that_share_a_planner_get_the_answers_of_one_thread() -> None:
    alone = [
        [(telos.plan(yard_alone, state, goal, how=how).why()) for state, goal, how in requests(seed)]
        for seed, yard_alone in ((seed, yard()) for seed in range(THREADS))
    ]
    domain = yard()
    planner, together = Planner(domain), threading.Barrier(THREADS)

    def work(seed: int) -> list[str]:
        together.wait()
        return [
            planner.plan(state, goal, how).why() if place % 2 else telos.plan(domain, state, goal, how=how).why()
            for place, (state, goal, how) in enumerate(requests(seed))
        ]

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(work, range(THREADS))) == alone
