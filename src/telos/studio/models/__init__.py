"""The files behind a game: opened, checked as one types, applied, compared and saved."""
