"""Many minds: a coordinator, four squad behaviours, orders, and dialogue."""
