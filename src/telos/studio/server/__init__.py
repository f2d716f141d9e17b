"""Games behind a web server: one for each open page."""
