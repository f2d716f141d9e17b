"""Goals in games, both ways: characters that have goals, and players whose goals are read."""
