"""Tests of isotonic regression and of calibrated probabilities."""
