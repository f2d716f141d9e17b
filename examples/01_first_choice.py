"""A hungry character who also needs the bathroom chooses what to do now."""

import telos

eat = telos.Goal("eat", insistence=4)
bathroom = telos.Goal("bathroom", insistence=3)
soda = telos.Action("drink-soda", changes={"eat": -2, "bathroom": +2})
visit = telos.Action("visit-bathroom", changes={"bathroom": -4})

print("simple:", telos.choose([soda, visit], [eat, bathroom], by="simple").action.name)
print("discontentment:", telos.choose([soda, visit], [eat, bathroom]).action.name)
print(telos.choose([soda, visit], [eat, bathroom]).why())

# → simple: drink-soda
# → discontentment: visit-bathroom
# → visit-bathroom: it leaves the least discontentment, 16; it is 25 now.
