"""An island with a mystery: a camp of scientists falls ill, and a visitor finds out why, or does not."""
