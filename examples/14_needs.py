"""Needs inside a mind: hunger and tiredness grow, noise is heard, and what presses most is planned for."""

import telos
from telos.agents import DONE, RUNNING, Animate, BodyState, Character, Chose, Fact, Mind, Performance, Performed

home = telos.loads("""
domain: cat
variables: {place: [sofa, kitchen], noise: number, full: bool, rested: bool, quiet: bool}
actions:
  go-to-kitchen: {preconditions: place == sofa, effects: place = kitchen, duration: 2}
  go-to-sofa: {preconditions: place == kitchen, effects: place = sofa, duration: 2}
  eat: {preconditions: place == kitchen, effects: full = true, duration: 3}
  nap: {preconditions: place == sofa, effects: rested = true, duration: 5}
  hide: {effects: quiet = true, duration: 4}
goals:
  hunger: {wants: full, insistence: 2, drift: 0.25}                     # discontentment: the square
  sleep: {wants: rested, insistence: 3, drift: 0.25, curve: linear}
  calm: {wants: quiet, priority: noise * 2}                             # an expression over variables
""")


class Cat:
    """The body: actions take as long as they say; nobody stays full, rested or undisturbed for long."""

    def __init__(self) -> None:
        self.cost, self.truth, self.doing, self.left, self.progress = 1.0, dict(home.state()), "idle", 0.0, DONE

    def enter(self, state: BodyState) -> None:
        self.doing = state.animation if isinstance(state, Animate) else "idle"
        self.left, self.progress = (0.0 if self.doing == "idle" else home.action(self.doing).duration), RUNNING

    def pass_a_second(self, now: float) -> None:
        self.truth |= {"full": False, "rested": False, "quiet": False, "noise": 9.0 if 14 <= now < 18 else 0.0}
        self.left -= 1
        if self.progress is RUNNING and self.left <= 0 and self.doing != "idle":
            self.truth, self.progress = dict(home.action(self.doing).result(home.state(self.truth))), DONE

    def read(self, who: str, memory: object, now: float) -> list[Fact]:  # a body is its own sensor
        return [Fact("self", who, now, attributes=dict(self.truth))]


def tell(record: object) -> None:
    if isinstance(record, Chose):
        print(f"{record.time:g} s: {record.goal}, {record.why}")


body, kind = Cat(), Character("cat", home.goals, home.actions)
moves = {action.name: Performed(Performance(Animate(action.name))) for action in home.actions}
tom = Mind("tom", kind, home, body=body, believe=lambda memory, now: body.truth, procedures=moves,
           reflexes={"self": body}, trace=tell)  # fmt: skip
for second in range(24):
    tom.think(now=second)
    body.pass_a_second(second)

# → 0 s: hunger, priority 4 = insistence 2 squared, always wanted
# → 5 s: sleep, priority 4.25 = insistence 4.25, always wanted
# → 12 s: hunger, priority 2.25 = insistence 1.5 squared, always wanted
# → 15 s: calm, priority 18 = noise * 2, always wanted
