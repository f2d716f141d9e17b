"""What gives a fighter a mind."""
