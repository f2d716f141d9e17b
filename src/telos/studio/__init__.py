"""The browser: play a world, watch beliefs, plans and memories, change the model while it runs. It only looks on."""
