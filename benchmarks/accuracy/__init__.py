"""Accuracy on tables that others have published figures of."""
