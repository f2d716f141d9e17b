"""The world ``forge``: a locked door, three ways through it, a player, and a companion who reads which one it is."""
