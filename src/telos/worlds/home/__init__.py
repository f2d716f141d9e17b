"""A small house and the people who live in it."""
