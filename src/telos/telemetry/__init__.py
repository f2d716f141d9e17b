"""Event tables in and out: reading logs of any game, and preparing corpora from them."""
