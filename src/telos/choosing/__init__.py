"""Which one action now: insistence, discontentment, timing, learned rates, depth-first look-ahead."""
