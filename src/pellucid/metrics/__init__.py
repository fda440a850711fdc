"""Scores: how good predictions, probabilities, rankings and clusters are."""
