"""One mind: what it wants, what it chooses, and why."""
