"""Run a minute of hamlet, tell what everybody does, and why they do what they do at the end."""

from world import World

world = World()
doing = dict.fromkeys(world.crowd, "")
for _ in range(600):
    world.tick()
    for name in world.crowd:
        member = world.crowd[name]
        present = f"{member.plan[0]}, for {member.goal}" if member.plan else "nothing"
        if present != doing[name]:
            doing[name] = present
            print(f"{world.time:5.1f} s  fire {world.fire:4.1f} s  {name}: {present}")
print()
for name in world.crowd:
    print(world.crowd[name].why())
