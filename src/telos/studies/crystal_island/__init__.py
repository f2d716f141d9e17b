"""Goal recognition by Markov logic, put to the test: logs in folds, models, yardsticks from outside, and measures."""
