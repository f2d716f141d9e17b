"""Which sequence: A* over world states, kernels, batches of agents, task networks."""
