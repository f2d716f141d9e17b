"""Published experiments, run again: simulated players, statistics, figures and reports."""
