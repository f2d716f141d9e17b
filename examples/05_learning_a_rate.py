"""How fast wounds come is not known in advance, so it is learned; the fighter grows careful."""

import telos

fight = telos.Action("fight", changes={"kill": -3}, duration=2)
hide = telos.Action("hide", changes={"hurt": -2}, duration=2)
rates = telos.LearnedRates(weight=0.3)

for second, hurt in enumerate([0, 0, 0, 1, 3, 5]):
    goals = rates.observe([telos.Goal("kill", 5), telos.Goal("hurt", hurt)], now=second)
    choice = telos.choose([fight, hide], goals)
    print(f"{second} s: hurt {hurt}, expected to grow by {goals[1].drift:.2f} a second: {choice.action.name}")

# → 2 s: hurt 0, expected to grow by 0.00 a second: fight
# → 5 s: hurt 5, expected to grow by 1.17 a second: hide
