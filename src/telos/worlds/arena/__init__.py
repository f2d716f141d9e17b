"""A top-down combat world, and the characters that fight in it."""
