"""Characters are added whole or not at all: everything that is missing is one error, and misuse says what to do."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import telos
from agents.embedding.wood import TREES, WOOD, Cutter, Wood, live
from telos.core.errors import DefinitionError, FaultCode, TelosError

DOMAIN = telos.loads(WOOD)
FORGE = """
domain: forge
variables: {ore: int, sword: bool, heat: number, at: place}
handles: {place: [smithy, mine]}
actions:
  dig: {effects: ore += 1, cost: depth(at)}
  smelt: {parameters: {place: place}, preconditions: at == place, effects: heat += 1}
  hammer: {preconditions: is_hot(heat), effects: sword = true}
goals: {armed: {wants: sword}}
"""


class Smith(telos.Body):
    """Has nearly everything wrong."""

    saves = ("anvil",)
    remembers = ("swrod",)

    def sense(self, now: float) -> dict[str, Any]:
        return {"ore": 1, "hot": True}

    def digg(self) -> None: ...

    def smelt(self, where: str) -> None: ...

    async def hammer(self) -> None: ...


def test_everything_that_is_missing_is_one_error() -> None:
    crowd = telos.Crowd(telos.loads(FORGE))
    kind = telos.Character(
        "smith", crowd.domain.goals, crowd.domain.actions, sensors=telos.State.of({}) or {"eyes": 1.0}
    )  # type: ignore[arg-type]
    with pytest.raises(DefinitionError) as raised:
        crowd.add("bob", Smith(), character=kind)
    text = str(raised.value)
    expected = [
        (("bob", "actions", "dig"), FaultCode.INCOMPLETE, "did you mean 'digg'"),
        (("bob", "actions", "smelt"), FaultCode.WRONG_COUNT, "must take place"),
        (("bob", "actions", "hammer"), FaultCode.WRONG_COUNT, "async"),
        (("bob", "functions", "depth"), FaultCode.INCOMPLETE, "'dig' calls the function 'depth'"),
        (("bob", "functions", "is_hot"), FaultCode.INCOMPLETE, "is_hot"),
        (("bob", "sensors", "eyes"), FaultCode.UNKNOWN_NAME, "known: sense"),
        (("bob", "remembers"), FaultCode.UNKNOWN_NAME, "did you mean 'sword'"),
        (("bob", "saves"), FaultCode.UNKNOWN_NAME, "anvil"),
        (("bob", "sensors"), FaultCode.INVALID, "'hot'"),
    ]
    assert [(fault.path, fault.code) for fault in raised.value.faults] == [each[:2] for each in expected]
    assert all(word in text for _, _, word in expected)
    assert len(crowd) == 0


def test_variables_that_actions_change_must_be_sensed_or_remembered() -> None:
    class Digger(telos.Body):
        def sense(self, now: float) -> dict[str, Any]:
            return {"wood": 0, "gold": 1, "at": "home", "tree": None}

        def goto(self, place: str) -> None: ...
        def chop(self) -> None: ...
        def buy(self) -> None: ...
        def hide(self) -> None: ...
        def rest(self) -> None: ...

    crowd = telos.Crowd(DOMAIN)
    with pytest.raises(DefinitionError) as raised:
        crowd.add("ann", Digger())
    assert [fault.path for fault in raised.value.faults] == [("ann", "variables", each) for each in ("alarm", "rested")]
    Digger.remembers = ("rested", "alarm")
    crowd.add("ann", Digger())


def test_an_exception_of_a_sensor_is_the_cause_of_the_error() -> None:
    class Blind(Cutter):
        def sense(self, now: float) -> dict[str, Any]:
            raise LookupError("no eyes")

    with pytest.raises(DefinitionError, match="no eyes") as raised:
        telos.Crowd(DOMAIN).add("ann", Blind(Wood()))
    assert isinstance(raised.value.__cause__, LookupError)


def test_handles_of_the_domain_are_compared_with_those_of_the_game() -> None:
    telos.Crowd(DOMAIN, handles={"place": ["home", "market", "oak"]})
    with pytest.raises(DefinitionError, match=r"no place 'market'.*did you mean 'markets'"):
        telos.Crowd(DOMAIN, handles={"place": ["home", "markets"]})


def test_characters_come_from_sets_files_or_objects(tmp_path: Path) -> None:
    (tmp_path / "sluggard.yaml").write_text("character: sluggard\ngoals: [leisure]\nactions: [rest]\n")
    crowd = telos.Crowd(DOMAIN, characters=tmp_path)
    crowd.add("ann", Cutter(Wood()), character="cutter")
    crowd.add("bob", Cutter(Wood()), character="sluggard")
    crowd.add("cat", Cutter(Wood()))
    live(crowd, 2)
    assert [crowd[name].goal for name in crowd] == ["fire", "leisure", "fire"]
    assert [goal.name for goal in crowd["bob"].character.goals] == ["leisure"]


# --- misuse -----------------------------------------------------------------------------------------------------------


def crowd_with(body: telos.Body) -> telos.Crowd:
    crowd = telos.Crowd(DOMAIN)
    crowd.add("ann", body, character="cutter")
    return crowd


def run(body: telos.Body) -> None:
    live(crowd_with(body), 6)


class Odd(Cutter):
    def goto(self, place: str) -> Any:
        return 3


class Yielder(Cutter):
    def goto(self, place: str) -> Iterator[Any]:
        yield 0.5


class Waiter(Cutter):
    def goto(self, place: str) -> Iterator[Any]:
        yield telos.wait(2)


def test_waiting_needs_a_yield() -> None:
    run(Waiter(Wood()))  # `yield` is as good as `yield from`
    with pytest.warns(RuntimeWarning, match=r"telos.wait\(2.5\) waits for nothing; write `yield from"):
        telos.wait(2.5)


class Hasty(Cutter):
    patience = -1


class Often(Cutter):
    sense_every: Any = "often"


class Texts(Cutter):
    saves: Any = "gold"
    remembers: Any = "rested"


class Undecided(Cutter):
    class goto:  # noqa: N801
        def begin(self, body: Cutter, now: float, place: str) -> None: ...
        def progress(self, body: Cutter, now: float) -> Any:
            return "soon"


class HalfAnAction(Cutter):
    class goto:  # noqa: N801
        def begin(self, body: Cutter, now: float, place: str) -> None: ...


class Mute(Cutter):
    def sense(self, now: float) -> Any:
        return None


class Wrong(Cutter):
    def sense(self, now: float) -> dict[str, Any]:
        return super().sense(now) | {"wood": "much"}


def share_a_body() -> None:
    body = Cutter(Wood())
    crowd_with(body).add("bob", body)


def go_back_in_time() -> None:
    crowd = crowd_with(Cutter(Wood()))
    crowd.tick(3.0)
    crowd.tick(2.0)


def remove_twice() -> None:
    crowd = crowd_with(Cutter(Wood()))
    crowd.remove("ann")
    crowd.remove("ann")


@pytest.mark.parametrize(
    ("misuse", "words"),
    [
        (lambda: run(Odd(Wood())), "Odd.goto returned 3.*yield once a frame"),
        (lambda: run(Yielder(Wood())), "yielded 0.5.*yield from telos.wait"),
        (lambda: run(Undecided(Wood())), "returned 'soon'.*whether"),
        (lambda: run(HalfAnAction(Wood())), "has no progress"),
        (lambda: run(Mute(Wood())), "Mute.sense returned None.*dictionary"),
        (lambda: run(Wrong(Wood())), "'wood' holds int, not 'much'"),
        (share_a_body, "'bob' cannot have the body of 'ann'"),
        (go_back_in_time, "2.0 s comes after that of 3 s"),
        (remove_twice, "no 'ann' in the crowd"),
        (lambda: telos.Crowd(DOMAIN)["an"], "no 'an' in the crowd"),
        (lambda: crowd_with(Cutter(Wood()))["anna"], "did you mean 'ann'"),
        (lambda: crowd_with(Cutter(Wood())).add("ann", Cutter(Wood())), "'ann' in the crowd already"),
        (lambda: crowd_with(Cutter(Wood())).add("bob", Cutter), "Cutter is a class.*Cutter()"),  # type: ignore[arg-type]
        (lambda: crowd_with(Cutter(Wood())).add("bob", Wood()), "derive its class"),  # type: ignore[arg-type]
        (lambda: crowd_with(Cutter(Wood())).add("", Cutter(Wood())), "is not a name"),
        (lambda: crowd_with(Cutter(Wood())).add("bob", Cutter(Wood()), character="cuter"), "did you mean 'cutter'"),
        (lambda: crowd_with(Cutter(Wood())).stimulate("bob", telos.Fact("bell", "x", 0.0)), "no 'bob'"),
        (lambda: crowd_with(Cutter(Wood())).stimulate("ann", "bell"), "'bell' is not a fact.*telos.Fact"),  # type: ignore[arg-type]
        (lambda: crowd_with(Cutter(Wood())).stimulate("ann", telos.Fact("alarn", "x", 0.0)), "did you mean 'alarm'"),
        (lambda: crowd_with(Cutter(Wood())).stimulate("ann", telos.Fact("alarm", (1, 2), 0.0)), "are texts"),  # type: ignore[arg-type]
        (lambda: crowd_with(Cutter(Wood())).restore({}), "schedule is missing"),
        (lambda: crowd_with(Cutter(Wood())).tick(float("inf")), "inf s"),
        (lambda: crowd_with(Cutter(Wood())).tick("now"), "time of a frame is 'now'"),  # type: ignore[arg-type]
        (lambda: crowd_with(Hasty(Wood())), "Hasty.patience is -1.*zero or more"),
        (lambda: crowd_with(Often(Wood())), "Often.sense_every is 'often'"),
        (lambda: crowd_with(Texts(Wood())), r"remembers = \('rested',\)(.|\n)*saves = \('gold',\)"),
        (lambda: telos.Crowd("wood.yaml"), "is not a domain.*telos.load"),  # type: ignore[arg-type]
        (lambda: Cutter(Wood()).mind, "not in a crowd yet"),
        (lambda: telos.sensor(fades=0.0), "more than 0"),
        (lambda: telos.sensor(every=-1.0), "zero or more"),
        (lambda: next(telos.wait(float("nan"))), "finite"),
    ],
)
def test_misuse_gets_errors_that_say_what_to_do(misuse: Callable[[], object], words: str) -> None:
    with pytest.raises(TelosError, match=words):
        misuse()


# --- faults of the game's own code ------------------------------------------------------------------------------------


class Clumsy(Cutter):
    def goto(self, place: str) -> Iterator[Any]:
        yield
        raise LookupError("no way")


def test_exceptions_of_bodies_are_raised_with_the_place() -> None:
    crowd = crowd_with(Clumsy(Wood()))
    crowd.tick(0.0)
    with pytest.raises(LookupError, match="no way") as raised:
        crowd.tick(0.5)
    assert any("goto(oak) of ann" in note for note in raised.value.__notes__)


def test_running_games_log_exceptions_of_bodies_once_and_go_on(caplog: pytest.LogCaptureFixture) -> None:
    crowd = telos.Crowd(DOMAIN, strict=False)
    ann = Clumsy(Wood())
    ann.gold = 2
    crowd.add("ann", ann, character="cutter")
    live(crowd, 120)
    assert ann.wood == 0
    places = [problem.place for problem in crowd["ann"].mind.problems]
    assert {"goto(oak)", "goto(market)"} <= set(places)
    assert len(caplog.records) == len(places)
    assert caplog.records[0].exc_info is not None
    assert "no way" in crowd["ann"].why()


def test_exceptions_of_functions_are_loud_as_well() -> None:
    hut = """
    domain: hut
    variables: {fed: bool}
    actions: {eat: {effects: fed = true, cost: far()}}
    goals: {full: {wants: fed}}"""

    class Eater(telos.Body):
        remembers = ("fed",)

        def eat(self) -> None: ...

    def far() -> float:
        raise ZeroDivisionError("of all things")

    crowd = telos.Crowd(telos.loads(hut, functions={"far": far}))
    crowd.add("ann", Eater())
    with pytest.raises(TelosError, match="of all things"):
        crowd.tick(0.0)


# --- coming and going -------------------------------------------------------------------------------------------------


def test_characters_leave_and_join_during_a_frame() -> None:
    class Wolf(Cutter):
        def goto(self, place: str) -> Iterator[Any]:
            yield
            crowd.remove("ann")
            crowd.remove("wolf")  # itself
            crowd.add("cub", Cutter(Wood()), character="cutter")
            yield

    crowd = telos.Crowd(DOMAIN)
    crowd.add("wolf", Wolf(Wood()), character="cutter")
    ann = crowd.add("ann", Cutter(Wood()), character="cutter")
    live(crowd, 3)
    assert list(crowd) == ["cub"]
    assert crowd["cub"].goal == "fire"
    assert "wolf" not in crowd
    crowd.add("ann", ann.body, character="cutter")  # she is found again
    live(crowd, 2, start=1.5)
    assert crowd["ann"].plan[0] == f"goto({min(TREES, key=TREES.__getitem__)})"


def test_frames_with_a_time_budget_reach_the_same_goals() -> None:
    crowd = telos.Crowd(DOMAIN)
    ann = Cutter(Wood())
    crowd.add("ann", ann, character="cutter")
    for frame in range(40):
        crowd.tick(frame / 2, microseconds=2000)
    assert ann.wood == 2
