"""The village in a window: click on somebody; space pauses, S saves, L goes back to what was saved."""

from textwrap import wrap
from typing import Any

import pygame
from village import SECONDS, Cell, World, apart

TILE, PANEL = 26, 420
COLORS = {"~": "#5a93c4", "=": "#a48056", "bakery": "#d8924e", "market": "#b0505e", "smithy": "#62626e"}


def draw(screen: pygame.Surface, world: World, chosen: str) -> None:
    def circle(color: Any, cell: Cell, radius: int, line: int = 0) -> None:
        pygame.draw.aacircle(screen, color, (cell[0] * TILE + TILE // 2, cell[1] * TILE + TILE // 2), radius, line)

    def write(text: str, x: int, y: int, color: str = "#20241e", size: int = 17) -> None:
        screen.blit(pygame.font.Font(None, size).render(text, True, color), (x, y))

    for (x, y), mark in world.ground.items():
        grass = (124 + (x * 7 + y * 13) % 6, 168 + (x * 5 + y * 11) % 7, 102)
        pygame.draw.rect(screen, COLORS.get(mark, grass), (x * TILE, y * TILE, TILE, TILE))
    for name, (x, y) in world.shops.items():
        pygame.draw.rect(screen, COLORS[name], (x * TILE - 10, y * TILE - 6, TILE + 20, TILE + 10), border_radius=5)
        write(name, x * TILE - 6, y * TILE - 3, "white")
    for tree, until in world.trees.items():
        circle("#70543a", tree, 4)
        if until <= world.time:
            circle("#2c603a", tree, TILE // 2 - 1)
            circle("#427c48", tree, TILE // 3)
    for wolf in world.wolves:
        circle("#c84e46", wolf, 6 * TILE, 1)
        circle("#3a3a42", wolf, 9)
    for x, y in ((each.home[0] * TILE, each.home[1] * TILE) for each in world.people.values()):
        pygame.draw.rect(screen, "#d2be9a", (x + 3, y + 9, TILE - 6, TILE - 10))
        pygame.draw.polygon(screen, "#96483a", [(x, y + 11), (x + TILE // 2, y), (x + TILE, y + 11)])
    for name, villager in sorted(world.people.items(), key=lambda each: each[0] == chosen):
        circle("white" if name == chosen else "#28282c", villager.cell, 10)
        circle("#6074be" if villager.axe else "#c8a470", villager.cell, 8)
        write(name, villager.cell[0] * TILE + 2, villager.cell[1] * TILE - 10)
    left, one = screen.get_width() - PANEL, world.people[chosen]
    pygame.draw.rect(screen, "#f8f6f0", (left, 0, PANEL, screen.get_height()))
    has = f"{one.gold} gold, {one.wood} wood, {one.bread} bread, {'an' if one.axe else 'no'} axe"
    lines = [has, f"hunger {one.hunger:.0f}, tired {one.tired:.0f}", "", *world.crowd[chosen].why().splitlines()]
    for row, text in enumerate(each for line in lines for each in wrap(line, 54) or [""]):
        write(text, left + 18, 18 + row * 22, size=22)


def show(world: World) -> None:
    pygame.display.init()
    pygame.font.init()
    columns, rows = (1 + max(each) for each in zip(*world.ground, strict=True))
    screen, clock = pygame.display.set_mode((columns * TILE + PANEL, rows * TILE)), pygame.time.Clock()
    chosen, saved, paused = "Ann", world.save(), False
    while not pygame.event.peek(pygame.QUIT):
        for event in pygame.event.get((pygame.MOUSEBUTTONDOWN, pygame.KEYDOWN)):
            if event.type == pygame.MOUSEBUTTONDOWN:
                cell = (event.pos[0] // TILE, event.pos[1] // TILE)
                chosen = min(world.people, key=lambda name: apart(world.people[name].cell, cell))
            elif event.key == pygame.K_l:
                world.restore(saved)
            else:
                saved = world.save() if event.key == pygame.K_s else saved
                paused ^= event.key == pygame.K_SPACE
        if not paused:
            world.tick(microseconds=5000)
        draw(screen, world, chosen)
        pygame.display.flip()
        clock.tick(1 / SECONDS)
    pygame.quit()
