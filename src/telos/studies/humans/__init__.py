"""Reading humans: the same recognisers on public logs of real players."""
