"""By planning."""
