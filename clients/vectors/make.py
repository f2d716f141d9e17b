"""Writes the test vectors: what a client does, and what the library itself says should come of it.

python clients/vectors/make.py            # writes them
python clients/vectors/make.py --check    # exits with 1 if they differ from what would be written
"""

import json
import sys
from pathlib import Path
from random import Random
from typing import Any

import telos

FOLDER = Path(__file__).parent
WRITE, READ, BOTH, ADMIN = "write-token-1234567", "read-token-12345678", "game-token-12345678", "admin-token-1234567"


class Game:
    """Makes events, and follows what each player's belief should be."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)
        self._readers: dict[str, Any] = {}
        self._times: dict[str, float] = {}  # of the last event that was made
        self._read: dict[str, float] = {}  # of the last event that was read
        self.seqs: dict[str, int] = {}

    def event(self, player: str) -> dict[str, Any]:
        """Return the next event of a player."""
        rng = self._rng
        self._times[player] = self._times.get(player, 0.0) + rng.choice((0.0, 0.25, 0.5, 1.5))
        context: dict[str, Any] = {"cause": rng.choice(("input", "area", "tick")), "monsters": rng.randrange(3)}
        if rng.random() < 0.2:
            context["in_town"] = True
        if rng.random() < 0.5:
            context["unvisited_exits"] = rng.sample(["north", "east", "south", "west"], rng.randrange(3))
        action = rng.choice(("swing", "up", "left", "stop", "right", "down"))
        return {"player": player, "action": action, "context": context, "time": self._times[player]}

    def events(self, player: str, count: int) -> list[dict[str, Any]]:
        return [self.event(player) for _ in range(count)]

    def read(self, event: dict[str, Any]) -> dict[str, Any]:
        """Read an event as the service should; return the belief that a client should hear."""
        player = event["player"]
        reader = self._readers.setdefault(player, telos.recognizer("adventure"))
        context = {k: tuple(v) if isinstance(v, list) else v for k, v in event["context"].items()}
        reader.observe(telos.Event(event["action"], context, player=player, time=event["time"]))
        self.seqs[player] = self.seqs.get(player, 0) + 1
        self._read[player] = event["time"]
        return self.belief(player)

    def belief(self, player: str) -> dict[str, Any]:
        belief = self._readers[player].belief
        return {
            "player": player, "model": "adventure", "seq": self.seqs[player], "time": self._read[player],
            "top": belief.top, "goals": dict(belief),
        }  # fmt: skip


def send(events: list[dict[str, Any]], taken: int | None = None) -> dict[str, Any]:
    return {"client": "send", "events": events, "expect": {"taken": len(events) if taken is None else taken}}


def ask_player(game: Game, player: str) -> dict[str, Any]:
    expected = {name: value for name, value in game.belief(player).items() if name != "time"}
    return {
        "service": "ask",
        "method": "GET",
        "path": f"/v1/players/{player}",
        "expect": {"status": 200, "answer": expected},
    }


SETTLE = {"client": "settle", "expect": {"settled": True}}


def counts(**expected: int) -> dict[str, Any]:
    return {"client": "counts", "expect": expected}


def make_beliefs() -> dict[str, Any]:
    game = Game(1)
    events = [game.event(("ann", "bob", "Zo\u00eb \u96ea")[number % 3]) for number in range(60)]
    heard = [game.read(event) for event in events]
    by_player = {player: [each for each in heard if each["player"] == player] for player in game.seqs}
    return {
        "about": "The belief after each event of three players, and the last one of each.",
        "steps": [
            {"client": "open", "every_belief": True},
            send(events),
            SETTLE,
            {
                "client": "notices",
                "within": 10,
                "expect": {"notices": {"$includes": [{"kind": "belief", "belief": each} for each in by_player["ann"]]}},
            },
            counts(taken=60, acknowledged=60, refused=0, dropped=0, waiting=0),
            *(
                {"client": "belief", "player": player, "expect": {"belief": game.belief(player)}}
                for player in game.seqs
            ),
            {"client": "belief", "player": "nobody", "expect": {"belief": None}},
            {
                "client": "player",
                "player": "Zo\u00eb \u96ea",
                "expect": {"answer": {"player": "Zo\u00eb \u96ea", "seq": 20}},
            },
            {"client": "close", "expect": {"waiting": 0}},
        ],
    }


def make_quiet() -> dict[str, Any]:
    game = Game(2)
    events = [game.event(("ann", "bob")[number % 2]) for number in range(40)]
    for event in events:
        game.read(event)
    return {
        "about": "Without every_belief a client hears the last belief of each player; events without a time get one.",
        "steps": [
            {"client": "open"},
            send(events),
            SETTLE,
            *(
                {"client": "belief", "player": player, "expect": {"belief": game.belief(player)}}
                for player in game.seqs
            ),
            send([{"player": "cid", "action": "swing"}, {"player": "cid", "action": "swing", "context": {}}]),
            SETTLE,
            {
                "client": "belief",
                "player": "cid",
                "expect": {"belief": {"seq": 2, "time": {"$at-least": 1_600_000_000}}},
            },
        ],
    }


def make_faults() -> dict[str, Any]:
    game = Game(3)
    good = game.events("ann", 6)
    late = {**good[0], "time": good[5]["time"] + 10}
    early = {**good[0], "time": -5.0}
    wrong = {"player": "ann", "action": "fly", "context": {}, "time": good[2]["time"]}
    many = {"player": "ann", "action": "swing", "context": {"monsters": "many"}, "time": good[3]["time"]}
    events = [*good[:3], wrong, many, *good[3:], late, early]
    for event in (*good, late):
        game.read(event)

    def refused(action: str, word: str) -> dict[str, Any]:
        problem = {"type": "telos:invalid", "status": 422, "detail": {"$contains": word}}
        return {"kind": "refused", "player": "ann", "event": {"action": action}, "problem": problem}

    return {
        "about": "Faulty events are refused with a problem document each; those beside them count.",
        "steps": [
            {"client": "open"},
            send(events),
            SETTLE,
            {
                "client": "notices",
                "within": 10,
                "expect": {
                    "notices": {
                        "$includes": [
                            refused("fly", "fly"),
                            refused("swing", "monsters"),
                            refused(early["action"], "backwards"),
                        ]
                    }
                },
            },
            counts(taken=10, acknowledged=7, refused=3, dropped=0, waiting=0),
            {"client": "belief", "player": "ann", "expect": {"belief": game.belief("ann")}},
            {
                "about": "What no service could read is an error at once, and is not taken.",
                "client": "send",
                "events": [{"player": "", "action": "swing"}],
                "expect": {"error": {"$contains": "player"}},
            },
            {
                "client": "send",
                "events": [{"player": "ann", "action": ""}],
                "expect": {"error": {"$contains": "action"}},
            },
            {
                "client": "send",
                "events": [{"player": "ann", "action": "swing", "context": {"map": {"deep": 1}}}],
                "expect": {"error": {"$contains": "map"}},
            },
            {
                "client": "send",
                "events": [{"player": "ann", "action": "swing", "context": {"long": "x" * 70_000}}],
                "expect": {"error": {"$contains": "bytes"}},
            },
            counts(taken=10),
            {
                "about": "Names that the service refuses are told like other faults.",
                **send([{"player": "*", "action": "swing", "context": {}, "time": 0.0}]),
            },
            SETTLE,
            {
                "client": "notices",
                "within": 10,
                "expect": {"notices": {"$includes": [{"kind": "refused", "player": "*", "problem": {"status": 422}}]}},
            },
            counts(acknowledged=7, refused=4, waiting=0),
        ],
    }


def make_unknown_model() -> dict[str, Any]:
    return {
        "about": "A model that the service has not got: every event is refused with its problem.",
        "steps": [
            {"client": "open", "model": "adventur"},
            send(Game(4).events("ann", 5)),
            SETTLE,
            counts(acknowledged=0, refused=5),
            {
                "client": "notices",
                "within": 10,
                "expect": {
                    "notices": {
                        "$includes": [
                            {
                                "kind": "refused",
                                "problem": {
                                    "type": "telos:not-found",
                                    "status": 404,
                                    "remedy": {"$contains": "adventure"},
                                },
                            }
                        ]
                        * 5
                    }
                },
            },
        ],
    }


def make_offline() -> dict[str, Any]:
    game = Game(5)
    events = game.events("ann", 30)
    for event in events[:20]:
        game.read(event)
    return {
        "about": "No service at first: events wait up to the capacity, further ones are dropped and told.",
        "steps": [
            {"network": "down"},
            {"client": "open", "capacity": 20},
            send(events, taken=20),
            {
                "client": "notices",
                "within": 10,
                "expect": {"notices": {"$includes": [{"kind": "offline", "wait": {"$at-least": 0}}]}},
            },
            counts(taken=20, acknowledged=0, dropped=10, waiting=20),
            {"network": "up"},
            SETTLE,
            {"client": "notices", "within": 10, "expect": {"notices": {"$includes": [{"kind": "online"}]}}},
            counts(taken=20, acknowledged=20, dropped=10, waiting=0),
            {"client": "belief", "player": "ann", "expect": {"belief": game.belief("ann")}},
        ],
    }


def make_dropped() -> dict[str, Any]:
    return {
        "about": "Dropped events are told as a number, as often as is asked.",
        "steps": [
            {"network": "down"},
            {"client": "open", "capacity": 5},
            send(Game(6).events("ann", 12), taken=5),
            {
                "client": "notices",
                "within": 10,
                "expect": {"notices": {"$sum": {"of": "count", "where": {"kind": "dropped"}, "is": 7}}},
            },
            send(Game(6).events("ann", 3), taken=0),
            {
                "client": "notices",
                "within": 10,
                "expect": {"notices": {"$sum": {"of": "count", "where": {"kind": "dropped"}, "is": 3}}},
            },
            {"client": "close", "seconds": 0.2, "expect": {"waiting": 5}},
        ],
    }


def make_restart() -> dict[str, Any]:
    game = Game(7)
    rounds = [[game.event(("ann", "bob")[number % 2]) for number in range(150)] for _ in range(4)]
    for events in rounds:
        for event in events:
            game.read(event)
    return {
        "about": "The service is killed in the midst of events, twice, and started again: each event counts once.",
        "steps": [
            {"client": "open", "window": 4},
            send(rounds[0]),
            {"service": "kill"},
            send(rounds[1]),
            {"service": "start"},
            send(rounds[2]),
            {"client": "counts", "within": 20, "expect": {"acknowledged": {"$at-least": 200}}},
            {"service": "kill"},
            {"service": "start"},
            send(rounds[3]),
            SETTLE,
            counts(taken=600, acknowledged=600, refused=0, dropped=0, waiting=0),
            ask_player(game, "ann"),
            ask_player(game, "bob"),
            {
                "client": "notices",
                "expect": {"notices": {"$includes": [{"kind": "online"}, {"kind": "offline"}, {"kind": "online"}]}},
            },
            {
                "client": "belief",
                "player": "bob",
                "expect": {"belief": {"seq": game.seqs["bob"], "goals": game.belief("bob")["goals"]}},
            },
        ],
    }


def make_resume() -> dict[str, Any]:
    game = Game(8)
    first, second, third = (game.events("ann", 40) for _ in range(3))
    for event in (*first, *second, *third):
        game.read(event)
    return {
        "about": "The service has kept the events, but its answers are lost: they are sent again and count once.",
        "steps": [
            {"client": "open", "window": 64},
            {"client": "counts", "within": 10, "expect": {"connected": True}},
            {"network": "hold"},
            send(first),
            {
                "about": "The service has them, and the client does not know.",
                "service": "ask",
                "method": "GET",
                "path": "/v1/players/ann",
                "within": 10,
                "expect": {"status": 200, "answer": {"seq": 40}},
            },
            counts(acknowledged=0, waiting=40),
            {"network": "cut"},
            SETTLE,
            counts(acknowledged=40, refused=0, waiting=0),
            {"network": "hold"},
            send(second),
            {"network": "cut"},
            send(third),
            {"network": "cut"},
            SETTLE,
            counts(taken=120, acknowledged=120, refused=0, waiting=0),
            ask_player(game, "ann"),
        ],
    }


def make_pressure() -> dict[str, Any]:
    game = Game(9)
    events = game.events("ann", 500)
    for event in events[:300]:
        game.read(event)
    return {
        "about": "A service that does not answer: the window fills, then the queue, then events are dropped and told.",
        "steps": [
            {"client": "open", "capacity": 300, "window": 2},
            {"client": "counts", "within": 10, "expect": {"connected": True}},
            {"network": "hold"},
            send(events, taken=300),
            counts(taken=300, acknowledged=0, dropped=200, waiting=300),
            {"network": "cut"},
            SETTLE,
            counts(taken=300, acknowledged=300, refused=0, dropped=200, waiting=0),
            {
                "client": "notices",
                "expect": {"notices": {"$sum": {"of": "count", "where": {"kind": "dropped"}, "is": 200}}},
            },
            {
                "service": "ask",
                "method": "GET",
                "path": "/v1/players/ann",
                "expect": {"answer": {"seq": 300, "goals": game.belief("ann")["goals"]}},
            },
        ],
    }


def make_subscriptions() -> dict[str, Any]:
    game = Game(10)

    def other(event: dict[str, Any]) -> dict[str, Any]:
        body = {name: value for name, value in event.items() if name != "player"}
        player = event["player"]
        answer = {"status": 200, "answer": {"beliefs": [game.read(event)]}}
        step = {"service": "ask", "method": "POST", "path": f"/v1/players/{player}/events", "player": player}
        return {**step, "body": body, "expect": answer}

    def hear(player: str) -> dict[str, Any]:
        return {"client": "belief", "player": player, "within": 10, "expect": {"belief": game.belief(player)}}

    steps: list[dict[str, Any]] = [{"client": "open"}, {"client": "subscribe", "players": ["ann", "bob"]}]
    steps += [{"client": "counts", "within": 10, "expect": {"connected": True}}, {"client": "pause", "seconds": 0.5}]
    steps += [other(game.event("ann")), hear("ann"), other(game.event("ann")), hear("ann")]
    steps += [other(game.event("cid")), other(game.event("bob")), hear("bob")]
    steps += [{"client": "belief", "player": "cid", "expect": {"belief": None}}]
    steps += [{"about": "Subscriptions outlast connections.", "network": "cut"}, {"client": "pause", "seconds": 1.0}]
    steps += [other(game.event("bob")), hear("bob")]
    steps += [{"client": "unsubscribe", "players": ["bob"]}, {"client": "subscribe", "players": ["*"]}]
    steps += [{"client": "pause", "seconds": 0.5}, other(game.event("cid")), hear("cid")]
    steps += [{"about": "Own events are heard of once.", "client": "notices"}]
    own = game.event("dan")
    heard = game.read(own)
    steps += [send([own]), SETTLE, {"client": "pause", "seconds": 0.3}]
    steps += [{"client": "notices", "expect": {"notices": [{"kind": "belief", "belief": heard}]}}]
    return {"about": "Beliefs about players whose events somebody else sends.", "steps": steps}


def make_tokens() -> dict[str, Any]:
    game = Game(11)
    events = game.events("ann", 5)
    for event in events:
        game.read(event)
    service = {"tokens": [f"write {WRITE}", f"read {READ}", f"write,read {BOTH}", f"admin {ADMIN}"], "admin": ADMIN}
    return {
        "about": "An unknown token is told and loses nothing; a missing scope refuses events or subscriptions.",
        "service": service,
        "steps": [
            {"client": "open", "token": "x" * 20},
            send(game.events("bob", 3)),
            {
                "client": "notices",
                "within": 10,
                "expect": {"notices": {"$includes": [{"kind": "offline", "reason": {"$contains": "token"}}]}},
            },
            counts(acknowledged=0, refused=0, waiting=3),
            {"client": "close", "seconds": 0, "expect": {"waiting": 3}},
            {"client": "open", "token": BOTH},
            send(events),
            SETTLE,
            {"client": "belief", "player": "ann", "expect": {"belief": game.belief("ann")}},
            {"client": "player", "player": "ann", "expect": {"answer": {"seq": 5}}},
            {"client": "close", "expect": {"waiting": 0}},
            {"client": "open", "token": READ},
            send(events[:2]),
            SETTLE,
            {
                "client": "notices",
                "within": 10,
                "expect": {
                    "notices": {
                        "$includes": [{"kind": "refused", "problem": {"type": "telos:forbidden", "status": 403}}] * 2
                    }
                },
            },
            {"client": "close", "expect": {"waiting": 0}},
            {"client": "open", "token": WRITE},
            {"client": "subscribe", "players": ["ann"]},
            {
                "client": "notices",
                "within": 10,
                "expect": {"notices": {"$includes": [{"kind": "problem", "problem": {"status": 403}}]}},
            },
            {"client": "player", "player": "ann", "expect": {"problem": {"status": 403, "type": "telos:forbidden"}}},
            ask_player(game, "ann"),
        ],
    }


def make_characters() -> dict[str, Any]:
    domain = telos.load(FOLDER / "soldier.yaml")
    plan = telos.plan(domain, {"ammo": 3}, "kill")
    soda = [{"name": "soda", "changes": {"eat": -2, "bathroom": 2}}, {"name": "visit", "changes": {"bathroom": -4}}]
    goals = [{"name": "eat", "insistence": 4}, {"name": "bathroom", "insistence": 3}]
    steps = [{"action": step.name} for step in plan.steps]
    return {
        "about": "Plans and choices for characters, and the problems of faulty questions.",
        "steps": [
            {"client": "open"},
            {
                "client": "plan",
                "state": {"ammo": 3},
                "goal": "kill",
                "expect": {"answer": {"found": True, "goal": "kill", "steps": steps, "cost": 3.0}},
            },
            {
                "client": "plan",
                "state": {"ammo": 0},
                "goal": "kill",
                "domain": "soldier",
                "expect": {"answer": {"found": False, "steps": []}},
            },
            {
                "client": "plan",
                "state": {},
                "goal": "kil",
                "expect": {"problem": {"status": 422, "remedy": {"$contains": "kill"}}},
            },
            {
                "client": "plan",
                "state": {},
                "goal": "kill",
                "domain": "sodier",
                "expect": {"problem": {"status": 404, "remedy": {"$contains": "soldier"}}},
            },
            {
                "client": "choose",
                "actions": soda,
                "goals": goals,
                "expect": {"answer": {"action": "visit", "value": 16.0}},
            },
            {
                "client": "player",
                "player": "nobody",
                "expect": {"problem": {"status": 404, "detail": {"$contains": "nobody"}}},
            },
            {"about": "A question to a service that is not there is a problem with the status 0.", "network": "down"},
            {"client": "plan", "state": {}, "goal": "kill", "expect": {"problem": {"status": 0}}},
        ],
    }


def make_names() -> dict[str, Any]:
    game = Game(12)
    names = [
        "a/b",
        "a%2Fb",
        "a?b#c",
        "\u00e4\u0308",
        "\U0001f469\u200d\U0001f680",
        "\u0645\u06cc\u200c\u062e",
        'say "hi"\\',
        "__proto__",
    ]
    events = [game.event(name) for name in names for _ in range(3)]
    for event in events:
        game.read(event)
    return {
        "about": "Names of players with everything that text may have.",
        "steps": [
            {"client": "open"},
            send(events),
            SETTLE,
            counts(acknowledged=len(events), refused=0),
            *({"client": "belief", "player": name, "expect": {"belief": game.belief(name)}} for name in names),
            *({"client": "player", "player": name, "expect": {"answer": {"player": name, "seq": 3}}} for name in names),
        ],
    }


MAKERS = {
    "beliefs": make_beliefs, "characters": make_characters, "dropped": make_dropped, "faults": make_faults,
    "names": make_names, "offline": make_offline, "pressure": make_pressure, "quiet": make_quiet,
    "restart": make_restart, "resume": make_resume, "subscriptions": make_subscriptions, "tokens": make_tokens,
    "unknown-model": make_unknown_model,
}  # fmt: skip


def to_text(vector: dict[str, Any]) -> str:
    """Return a vector with a line for each step and each event."""
    steps = []
    for step in vector["steps"]:
        text = json.dumps(step)
        if len(step.get("events", ())) > 1:
            events = ",\n      ".join(json.dumps(each) for each in step["events"])
            text = json.dumps({**step, "events": "@"}).replace('"@"', f"[\n      {events}]")
        steps.append(text)
    head = "".join(f"  {json.dumps(name)}: {json.dumps(value)},\n" for name, value in vector.items() if name != "steps")
    return "{\n" + head + '  "steps": [\n    ' + ",\n    ".join(steps) + "\n  ]\n}\n"


def main() -> int:
    """Write the vectors, or compare them."""
    differing = []
    for name, make in MAKERS.items():
        path, text = FOLDER / f"{name}.json", to_text(make())
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            differing.append(name)
    if differing:
        print(f"differ from what the library says: {', '.join(differing)}")
    return 1 if differing else 0


if __name__ == "__main__":
    raise SystemExit(main())
