"""What goes on in a character's head, as data that can be shown."""
