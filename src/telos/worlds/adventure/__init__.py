"""A small action-adventure: areas with monsters, a town, and treasure; two published rule sets."""
