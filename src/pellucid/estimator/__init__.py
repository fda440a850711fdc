"""What every estimator does the same way: fit, predict, score and their checks, written once."""
