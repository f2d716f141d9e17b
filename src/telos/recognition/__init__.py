"""Reading goals: from what players do, a live belief about what they are after."""
