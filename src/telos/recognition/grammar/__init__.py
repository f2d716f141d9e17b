"""Plan grammars: hierarchical plans as a probabilistic grammar, and players read by parsing what they do."""
