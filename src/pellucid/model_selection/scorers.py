"""Scores by name; they are written in `pellucid.metrics`."""

from pellucid.metrics.scorers import get_scorer, get_scorer_names

__all__ = ["get_scorer", "get_scorer_names"]
