"""The simulation: bodies on a map; decides nothing."""
