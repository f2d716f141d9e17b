"""The worlds on stage: each an adapter that plays it step by step and draws it."""
